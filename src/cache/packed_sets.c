/* packed_sets.c - see packed_sets.h and wide_sets.h. SPDX-License-Identifier: MIT */
#include "cache/packed_sets.h"

#include <stdlib.h>

#include "cache/wide_sets.h"

static bool is_lru(const wl_cache *c) { return c->shape.policy == WL_POLICY_LRU; }

bool wl_packed_can(const wl_cache *c) { return c->few && c->shape.sectors <= WL_PACKED_SECTORS; }

wl_cache_kind wl_packed_kind(const wl_cache *c)
{
    static const wl_cache_kind kinds[3][WL_POLICY_COUNT] = {{WL_PACKED_LRU, WL_PACKED_RANDOM, WL_PACKED_RANDOM_4},
                                                            {WL_EXACT_LRU, WL_EXACT_RANDOM, WL_EXACT_RANDOM_4},
                                                            {WL_WIDE_LRU, WL_WIDE_RANDOM, WL_WIDE_RANDOM_4}};
    return kinds[!c->wide ? 0 : c->spread.hashed && c->spread.sets > 1 ? 2 : 1][c->shape.policy];
}

size_t wl_packed_bytes(const wl_cache *c)
{
    return c->spread.sets * (c->wide ? sizeof *c->wide_sets : sizeof *c->packed);
}

/* ---- making them ---- */

/* Ages of ways without a line. What is no way is never the oldest, nor younger. */
static void make_ages(const wl_cache *c, int8_t *ages)
{
    for (int way = 0; way < WL_SET_WAYS(c->wide); way++)
        ages[way] = way < c->ways ? (int8_t)(c->ways - 1 - way) : INT8_MAX;
}

static void make_packed(wl_cache *c)
{
    wl_packed_set none;
    memset(&none, 0, sizeof none);
    memset(none.low, -1, sizeof none.low);
    memset(none.high, -1, sizeof none.high);
    if (is_lru(c))
        make_ages(c, none.ages);
    else
        none.filled = (wl_filled){.count = (uint32_t)c->ways};
    for (uint64_t s = 0; s < c->spread.sets; s++)
        c->packed[s] = none;
}

static void set_tag(wl_wide_set *set, uint32_t way, uint32_t tag)
{
    set->tags[0][way] = (uint8_t)tag;
    set->tags[1][way] = (uint8_t)(tag >> 8);
}

static uint32_t *make_low(const wl_cache *c) { return malloc(c->spread.sets * WL_WIDE_WAYS * sizeof *c->low); }

static bool make_wide(wl_cache *c)
{
    const size_t sets = c->spread.sets;
    wl_wide_set none;
    memset(&none, 0, sizeof none);
    make_ages(c, none.ages);
    for (uint32_t way = 0; way < WL_WIDE_WAYS; way++)
        set_tag(&none, way, wl_no_tag(wl_is_exact(c->kind)));
    for (uint64_t s = 0; s < sets; s++)
        c->wide_sets[s] = none;
    if (!is_lru(c)) {
        c->holes = malloc(sets * sizeof *c->holes);
        for (uint64_t s = 0; c->holes && s < sets; s++)
            c->holes[s] = (wl_holes_of_64){.count = (uint8_t)c->ways};
    }
    if (!wl_is_exact(c->kind)) {
        c->low = make_low(c);
        if (c->low)
            memset(c->low, -1, sets * WL_WIDE_WAYS * sizeof *c->low);
    }
    return (is_lru(c) || c->holes) && (wl_is_exact(c->kind) || c->low);
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
        return make_wide(c);
    }
    c->packed = sets;
    make_packed(c);
    return true;
}

/* ---- eviction ---- */

static uint64_t line_at(const wl_cache *c, uint64_t set, uint32_t way)
{
    return c->wide ? wl_wide_line(c, set, way, wl_is_exact(c->kind)) : wl_packed_line(&c->packed[set], way);
}

void wl_wide_note(wl_cache *c, int i, uint64_t set, uint32_t way)
{
    wl_packed_note(c, i, line_at(c, set, way), c->wide_sets[set].sectors[way]);
}

void wl_wide_evict(wl_cache *c, uint64_t set, bool note)
{
    wl_wide_set *s = &c->wide_sets[set];
    const uint32_t first = (uint32_t)wl_cache_draw(c, c->ways);
    for (uint32_t i = 0, way = first; i < (uint32_t)c->run; i++) {
        if (note || s->sectors[way] >> WL_PACKED_SECTORS)
            wl_wide_note(c, (int)i, set, way);
        set_tag(s, way, wl_no_tag(wl_is_exact(c->kind)));
        s->sectors[way] = 0;
        if (c->low)
            wl_wide_low(c, set)[way] = UINT32_MAX;
        way = way + 1 == (uint32_t)c->ways ? 0 : way + 1;
    }
    c->holes[set] = (wl_holes_of_64){(uint8_t)first, (uint8_t)c->run};
    c->counts.evicted_lines += c->run;
}

void wl_packed_evict(wl_cache *c, uint64_t set, uint32_t first, bool note)
{
    uint8_t *sectors = c->packed[set].sectors;
    wl_filled *filled = &c->packed[set].filled;
    uint32_t way = filled->first = first;
    for (int i = 0; i < c->run; i++) {
        if (note || sectors[way] >> WL_PACKED_SECTORS)
            wl_packed_note(c, i, wl_packed_line(&c->packed[set], way), sectors[way]);
        sectors[way] = 0;
        filled->lines &= ~((uint64_t)1 << way);
        way = way + 1 == (uint32_t)c->ways ? 0 : way + 1;
    }
    filled->count = (uint32_t)c->run;
    c->empty += c->run;
}

/* ---- lines with larger numbers ---- */

/* Does a way have a line? */
static bool is_filled(const wl_cache *c, uint64_t set, uint32_t way)
{
    if (c->wide)
        return !wl_wide_is_empty(c, set, way, wl_is_exact(c->kind));
    return is_lru(c) ? line_at(c, set, way) != WL_PACKED_LINES : c->packed[set].filled.lines >> way & 1;
}

bool wl_wide_number(wl_cache *c)
{
    c->low = make_low(c);
    if (!c->low)
        return false;
    for (uint64_t s = 0; s < c->spread.sets; s++)
        for (uint32_t way = 0; way < WL_WIDE_WAYS; way++) {
            const uint64_t line = is_filled(c, s, way) ? line_at(c, s, way) : WL_PACKED_LINES;
            wl_wide_low(c, s)[way] = (uint32_t)line;
            set_tag(&c->wide_sets[s], way, wl_wide_tag(line));
        }
    c->kind = (wl_cache_kind)(c->kind + WL_WIDE_LRU - WL_EXACT_LRU);
    return true;
}

static wl_holes holes_of(const wl_cache *c, uint64_t set)
{
    if (c->wide)
        return (wl_holes){c->holes[set].first, c->holes[set].count};
    const wl_filled *filled = &c->packed[set].filled;
    return (wl_holes){(int32_t)filled->first, (int32_t)filled->count};
}

static void widen_set(wl_cache *c, uint64_t number, const wl_cache *from)
{
    wl_tags *tags = wl_few_set(c, number, c->wide);
    wl_ages *ages = wl_few_ages(tags, c->wide);
    const uint8_t *sectors = wl_sectors_in(from, number, from->kind);
    if (is_lru(c)) {
        memcpy(ages, c->wide ? from->wide_sets[number].ages : from->packed[number].ages, (size_t)WL_SET_WAYS(c->wide));
    } else {
        const wl_holes holes = holes_of(from, number);
        memcpy(ages, &holes, sizeof holes);
    }
    for (uint32_t way = 0; way < (uint32_t)c->ways; way++) {
        const uint64_t line = line_at(from, number, way);
        const bool there = is_filled(from, number, way);
        c->slots[number * (uint64_t)c->ways + way] =
            there ? (wl_slot){.line = line, .sectors = wl_unpacked_sectors(sectors[way])}
                  : (wl_slot){.line = WL_NO_LINE};
        if (there)
            tags[way / WL_TAGS][way % WL_TAGS] = (uint16_t)wl_key_of(&c->spread, line, WL_FEW_16).tag;
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
    for (uint64_t s = 0; s < c->spread.sets; s++)
        widen_set(c, s, &from);
    free(from.index);
    free(from.holes);
    free(from.low);
    c->packed = NULL;
    c->wide_sets = NULL;
    c->holes = NULL;
    c->low = NULL;
    return true;
}
