/* packed_sets.c - see packed_sets.h and wide_sets.h. SPDX-License-Identifier: MIT */
#include "cache/packed_sets.h"

#include <stdlib.h>

#include "cache/wide_sets.h"

static bool is_lru(const wl_cache *c) { return c->shape.policy == WL_POLICY_LRU; }

bool wl_packed_can(const wl_cache *c) { return c->few && c->shape.sectors <= WL_PACKED_SECTORS; }

wl_cache_kind wl_packed_kind(const wl_cache *c)
{
    static const wl_cache_kind kinds[2][WL_POLICY_COUNT] = {{WL_PACKED_LRU, WL_PACKED_RANDOM, WL_PACKED_RANDOM_4},
                                                            {WL_WIDE_LRU, WL_WIDE_RANDOM, WL_WIDE_RANDOM_4}};
    return kinds[c->wide][c->shape.policy];
}

size_t wl_packed_bytes(const wl_cache *c)
{
    return c->set_count * (c->wide ? sizeof *c->wide_sets : sizeof *c->packed);
}

/* ---- making them ---- */

/* Ages or ways without a line. What is no way is never the oldest, nor younger. */
static void make_empty(const wl_cache *c, int8_t *ages, wl_filled *filled)
{
    if (!is_lru(c)) {
        *filled = (wl_filled){.count = (uint32_t)c->ways};
        return;
    }
    for (int way = 0; way < WL_SET_WAYS(c->wide); way++)
        ages[way] = way < c->ways ? (int8_t)(c->ways - 1 - way) : INT8_MAX;
}

static void make_packed(wl_cache *c)
{
    wl_packed_set none;
    memset(&none, 0, sizeof none);
    memset(none.low, -1, sizeof none.low);
    memset(none.high, -1, sizeof none.high);
    make_empty(c, none.ages, &none.filled);
    for (uint64_t s = 0; s < c->set_count; s++)
        c->packed[s] = none;
}

static void make_wide(wl_cache *c)
{
    wl_wide_set none;
    memset(&none, 0, sizeof none);
    memset(none.low, -1, sizeof none.low);
    for (int way = 0; way < WL_WIDE_WAYS; way++)
        none.tags[way] = (uint16_t)wl_wide_tag(WL_PACKED_LINES);
    make_empty(c, none.ages, &none.filled);
    for (uint64_t s = 0; s < c->set_count; s++)
        c->wide_sets[s] = none;
}

bool wl_packed_make(wl_cache *c)
{
    void *sets = wl_cache_memory(wl_packed_bytes(c), &c->index);
    if (!sets)
        return false;
    c->last_age = (wl_ages){0} + (int8_t)(c->ways - 1);
    c->empty = c->shape.lines;
    if (c->wide) {
        c->wide_sets = sets;
        make_wide(c);
    } else {
        c->packed = sets;
        make_packed(c);
    }
    return true;
}

/* ---- eviction ---- */

bool wl_wide_is_empty(const wl_wide_set *set, uint32_t way) { return wl_wide_line(set, way) == WL_PACKED_LINES; }

static uint64_t line_at(const wl_cache *c, uint64_t set, uint32_t way)
{
    return c->wide ? wl_wide_line(&c->wide_sets[set], way) : wl_packed_line(&c->packed[set], way);
}

void wl_packed_evict(wl_cache *c, uint64_t set, wl_filled *filled, bool note)
{
    uint8_t *sectors = wl_sectors_in(c, set, c->kind);
    uint32_t way = filled->first = (uint32_t)wl_cache_draw(c, c->ways);
    for (int i = 0; i < c->run; i++) {
        if (note)
            wl_packed_note(c, i, line_at(c, set, way), sectors[way]);
        sectors[way] = 0;
        filled->lines &= ~((uint64_t)1 << way);
        way = way + 1 == (uint32_t)c->ways ? 0 : way + 1;
    }
    filled->count = (uint32_t)c->run;
    c->empty += c->run;
    c->counts.evicted_lines += c->run;
}

/* ---- lines with larger numbers ---- */

static void widen_set(wl_cache *c, uint64_t number, const wl_cache *from)
{
    wl_tags *tags = wl_few_set(c, number, c->wide);
    wl_ages *ages = wl_few_ages(tags, c->wide);
    const wl_filled *filled = c->wide ? &from->wide_sets[number].filled : &from->packed[number].filled;
    const uint8_t *sectors = wl_sectors_in(from, number, from->kind);
    const wl_holes holes = {(int32_t)filled->first, (int32_t)filled->count};
    if (is_lru(c))
        memcpy(ages, c->wide ? from->wide_sets[number].ages : from->packed[number].ages, (size_t)WL_SET_WAYS(c->wide));
    else
        memcpy(ages, &holes, sizeof holes);
    for (uint32_t way = 0; way < (uint32_t)c->ways; way++) {
        const uint64_t line = line_at(from, number, way);
        const bool there = is_lru(c) ? line != WL_PACKED_LINES : filled->lines >> way & 1;
        c->slots[number * (uint64_t)c->ways + way] =
            there ? (wl_slot){.line = line, .sectors = wl_unpacked_sectors(sectors[way])}
                  : (wl_slot){.line = WL_NO_LINE};
        if (there)
            tags[way / WL_TAGS][way % WL_TAGS] = (uint16_t)wl_key_of(c, line, WL_FEW_16).tag;
    }
}

bool wl_packed_widen(wl_cache *c)
{
    wl_cache from = *c;
    c->slots = calloc((size_t)c->shape.lines, sizeof *c->slots);
    if (!c->slots || !wl_few_make(c)) {
        free(c->slots);
        *c = from;
        return false;
    }
    c->kind = !is_lru(c) ? WL_FEW_RANDOM : c->wide ? WL_FEW_64 : WL_FEW_16;
    c->empty = from.empty;
    for (uint64_t s = 0; s < c->set_count; s++)
        widen_set(c, s, &from);
    free(from.index);
    c->packed = NULL;
    c->wide_sets = NULL;
    return true;
}
