/* cache_load.h - one load of a cache of each kind.
 *
 * Kinds are constants where it matters: the loops of load_many.c have one form for each. What a
 * load will need can be fetched before.
 *
 * Layer  cache.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CACHE_LOAD_H
#define WL_CACHE_CACHE_LOAD_H

#include "cache/few_ways.h"
#include "cache/line_table.h"
#include "cache/lru_table.h"
#include "cache/many_ways.h"
#include "cache/packed_sets.h"
#include "cache/wide_sets.h"

/* Numbers of lines that a cache has room for are below. */
static inline uint64_t wl_bound_of(const wl_cache *c)
{
    if (wl_is_exact(c->kind))
        return c->spread.sets * WL_EXACT_TAGS;
    return wl_is_packed(c->kind) ? WL_PACKED_LINES : wl_is_table(c->kind) ? wl_table_lines(&c->spread) : UINT64_MAX;
}

/* Finds or makes a line, and makes it the last used one. */
WL_ALWAYS_INLINE int32_t wl_touch(wl_cache *c, wl_key key, wl_cache_kind kind, bool note, wl_touched *touched)
{
    if (wl_is_packed(kind))
        return wl_few_first(c, key) + (int32_t)wl_sets_touch(c, key, kind, touched);
    switch (kind) {
    case WL_FEW_16: return wl_few_touch_lru(c, key, false, note, touched);
    case WL_FEW_64: return wl_few_touch_lru(c, key, true, note, touched);
    case WL_FEW_RANDOM: return wl_few_touch_random(c, key, touched);
    case WL_TABLE_LRU:
    case WL_DENSE_LRU: return wl_lru_touch(c, key, touched);
    case WL_TABLE_RANDOM:
    case WL_DENSE_RANDOM: return wl_table_touch_random(c, key, touched);
    case WL_MANY_LRU: return wl_many_touch(c, key, true, touched);
    default: return wl_many_touch(c, key, false, touched);
    }
}

WL_ALWAYS_INLINE wl_touched wl_load_one(wl_cache *c, wl_key key, uint32_t sectors, wl_cache_kind kind, bool note)
{
    wl_touched touched = {0};
    if (wl_is_packed(kind) || wl_is_table(kind)) {
        uint8_t *present;
        if (wl_is_packed(kind)) {
            present = &wl_sectors_in(c, key.set, kind)[wl_sets_touch(c, key, kind, &touched)];
        } else {
            const uint32_t at = (uint32_t)wl_touch(c, key, kind, note, &touched);
            present = &wl_bucket_of(c, at)->sectors[wl_place_of(at)];
        }
        touched.missing = sectors & ~(uint32_t)*present;
        *present |= (uint8_t)sectors;
    } else {
        uint32_t *present = &c->slots[wl_touch(c, key, kind, note, &touched)].sectors;
        touched.missing = sectors & ~*present;
        *present |= sectors;
    }
    return touched;
}

/* ---- fetching ahead ---- */

WL_ALWAYS_INLINE void wl_fetch_index(const wl_cache *c, wl_key key, wl_cache_kind kind)
{
    const size_t line = WL_MEMORY_LINE;
    const uint8_t *from;
    size_t bytes;
    if (wl_is_table(kind))
        from = (const uint8_t *)&c->buckets[key.group], bytes = sizeof *c->buckets;
    else if (kind > WL_DENSE_RANDOM)
        from = (const uint8_t *)&c->groups[key.group], bytes = sizeof *c->groups;
    else if (wl_is_wide(kind))
        from = (const uint8_t *)&c->wide_sets[key.set], bytes = sizeof *c->wide_sets;
    else if (wl_is_packed(kind))
        from = (const uint8_t *)&c->packed[key.set], bytes = sizeof *c->packed;
    else
        from = (const uint8_t *)wl_few_set(c, key.set, c->wide), bytes = (size_t)WL_SET_ALL(c->wide) * sizeof *c->sets;
    for (size_t at = 0; at < bytes; at += line)
        if (kind == WL_EXACT_LRU || kind == WL_WIDE_LRU || !wl_is_wide(kind) || at != offsetof(wl_wide_set, ages))
            wl_fetch_ahead(from + at);
}

/* Must a search find what else to fetch? Not where the index is all that a load needs, or nearly
 * all: of wide sets, a hit reads the number of its line besides. */
WL_ALWAYS_INLINE bool wl_needs_slots(wl_cache_kind kind) { return !wl_is_packed(kind) && !wl_is_table(kind); }

/* The slot that the line is likely to have, or to get. */
WL_ALWAYS_INLINE void wl_fetch_slot(const wl_cache *c, wl_key key, wl_cache_kind kind)
{
    if (kind > WL_DENSE_RANDOM) {
        const uint32_t places = wl_places_with(&c->groups[key.group], key.tag);
        if (places)
            wl_fetch_ahead(&c->slots[c->groups[key.group].slots[__builtin_ctz(places)]]);
        return;
    }
    const bool wide = kind == WL_FEW_RANDOM ? c->wide : kind == WL_FEW_64;
    wl_tags *set = wl_few_set(c, key.set, wide);
    const uint64_t alike = wl_few_alike(set, key.tag, wide);
    const uint32_t other = kind == WL_FEW_RANDOM ? 0 : wl_few_oldest(c, wl_few_ages(set, wide), wide);
    wl_fetch_ahead(&c->slots[wl_few_first(c, key) + (alike ? __builtin_ctzll(alike) : (int32_t)other)]);
}

#endif /* WL_CACHE_CACHE_LOAD_H */
