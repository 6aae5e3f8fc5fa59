/* packed_sets.c - see packed_sets.h. SPDX-License-Identifier: MIT */
#include "cache/packed_sets.h"

#include <stdlib.h>

bool wl_packed_can(const wl_cache *c)
{
    return c->shape.policy == WL_POLICY_LRU && c->ways <= WL_PACKED_WAYS && c->shape.sectors <= WL_PACKED_SECTORS;
}

bool wl_packed_make(wl_cache *c)
{
    c->index = malloc(c->set_count * sizeof *c->packed + 2 * WL_MEMORY_LINE);
    if (!c->index)
        return false;
    const uintptr_t past = (uintptr_t)c->index % (2 * WL_MEMORY_LINE);
    c->packed = (wl_packed_set *)(void *)((uint8_t *)c->index + (2 * WL_MEMORY_LINE - past));
    c->last_age = (wl_ages){0} + (int8_t)(c->ways - 1);
    c->empty = c->shape.lines;
    wl_packed_set none;
    memset(&none, 0, sizeof none);
    memset(none.low, -1, sizeof none.low);
    memset(none.high, -1, sizeof none.high);
    /* what is no way is never the oldest, nor younger */
    for (int way = 0; way < WL_PACKED_WAYS; way++)
        none.ages[way] = way < c->ways ? (int8_t)(c->ways - 1 - way) : INT8_MAX;
    for (uint64_t s = 0; s < c->set_count; s++)
        c->packed[s] = none;
    return true;
}

static void widen_set(wl_cache *c, uint64_t number, const wl_packed_set *set)
{
    wl_tags *tags = wl_few_set(c, number, false);
    memcpy(wl_few_ages(tags, false), set->ages, sizeof set->ages);
    for (uint32_t way = 0; way < (uint32_t)c->ways; way++) {
        wl_slot *slot = &c->slots[number * (uint64_t)c->ways + way];
        const uint64_t line = wl_packed_line(set, way);
        *slot = (wl_slot){.line = line == WL_PACKED_LINES ? WL_NO_LINE : line,
                          .sectors = wl_unpacked_sectors(set->sectors[way])};
        if (slot->line != WL_NO_LINE)
            tags[way / WL_TAGS][way % WL_TAGS] = (uint16_t)wl_key_of(c, line, WL_FEW_16).tag;
    }
}

bool wl_packed_widen(wl_cache *c)
{
    wl_packed_set *packed = c->packed;
    void *index = c->index;
    const int64_t empty = c->empty;
    wl_slot *slots = calloc((size_t)c->shape.lines, sizeof *slots);
    if (!slots || !wl_few_make(c)) {
        free(slots);
        c->index = index;
        return false;
    }
    c->slots = slots;
    c->empty = empty;
    for (uint64_t s = 0; s < c->set_count; s++)
        widen_set(c, s, &packed[s]);
    free(index);
    c->packed = NULL;
    c->kind = WL_FEW_16;
    return true;
}
