/* few_ways.c - see few_ways.h. SPDX-License-Identifier: MIT */
#include "cache/few_ways.h"

#include <stdlib.h>

bool wl_few_make(wl_cache *c)
{
    const size_t bytes = (size_t)WL_SET_ALL(c->wide) * sizeof *c->sets;
    c->index = calloc(c->spread.sets * bytes + WL_MEMORY_LINE, 1);
    if (!c->index)
        return false;
    c->sets = (wl_tags *)(void *)((uint8_t *)c->index + (WL_MEMORY_LINE - (uintptr_t)c->index % WL_MEMORY_LINE));
    c->last_age = (wl_ages){0} + (int8_t)(c->ways - 1);
    c->empty = c->shape.lines;
    for (uint64_t s = 0; s < c->spread.sets; s++) {
        wl_ages *ages = wl_few_ages(wl_few_set(c, s, c->wide), c->wide);
        const wl_holes all = {0, c->ways};
        if (c->shape.policy != WL_POLICY_LRU)
            memcpy(ages, &all, sizeof all);
        else
            /* what is no way is never the oldest, nor younger */
            for (int way = 0; way < WL_SET_WAYS(c->wide); way++)
                ages[way / WL_AGES][way % WL_AGES] = way < c->ways ? (int8_t)(c->ways - 1 - way) : INT8_MAX;
    }
    return true;
}

static void set_tag(wl_tags *set, int32_t way, uint32_t tag) { set[way / WL_TAGS][way % WL_TAGS] = (uint16_t)tag; }

static void evict(wl_cache *c, wl_tags *set, int32_t first, wl_holes *holes)
{
    holes->first = wl_cache_draw(c, c->ways);
    holes->count = c->run;
    for (int32_t i = 0; i < holes->count; i++) {
        const int32_t way = (holes->first + i) % c->ways;
        wl_cache_note_evicted(c, i, &c->slots[first + way]);
        wl_slot_clear(&c->slots[first + way], WL_NO_LINE);
        set_tag(set, way, 0);
    }
}

int32_t wl_few_place(wl_cache *c, wl_key key)
{
    wl_tags *set = wl_few_set(c, key.set, c->wide);
    wl_ages *ages = wl_few_ages(set, c->wide);
    const int32_t first = wl_few_first(c, key);
    wl_holes holes;
    memcpy(&holes, ages, sizeof holes);
    c->evicted_count = 0;
    if (holes.count == 0) {
        evict(c, set, first, &holes);
        c->evicted_count = (uint8_t)holes.count;
    }
    const int32_t way = holes.first;
    holes.first = way + 1 == c->ways ? 0 : way + 1;
    holes.count--;
    memcpy(ages, &holes, sizeof holes);
    wl_slot_clear(&c->slots[first + way], key.line);
    set_tag(set, way, key.tag);
    return first + way;
}
