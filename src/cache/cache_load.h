/* cache_load.h - one load of a cache of each kind, and what loads add to its counts.
 *
 * Kinds are constants where it matters: the loops of load_many.c have one form for each.
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
    return wl_is_packed(c->kind) ? WL_PACKED_LINES : wl_is_table(c->kind) ? WL_TABLE_LINES : UINT64_MAX;
}

/* Finds or makes a line of a packed set, and makes it the last used one; returns its way. */
WL_ALWAYS_INLINE uint32_t wl_way_of(wl_cache *c, wl_key key, wl_cache_kind kind, bool note, wl_touched *touched)
{
    switch (kind) {
    case WL_PACKED_LRU: return wl_packed_touch_lru(c, key, note, touched);
    case WL_EXACT_LRU: return wl_wide_touch_lru(c, key, true, note, touched);
    case WL_WIDE_LRU: return wl_wide_touch_lru(c, key, false, note, touched);
    case WL_PACKED_RANDOM:
    case WL_EXACT_RANDOM:
    case WL_WIDE_RANDOM: return wl_touch_random(c, key, kind, false, note, touched);
    default: return wl_touch_random(c, key, kind, true, note, touched);
    }
}

/* Finds or makes a line, and makes it the last used one. */
WL_ALWAYS_INLINE int32_t wl_touch(wl_cache *c, wl_key key, wl_cache_kind kind, bool note, wl_touched *touched)
{
    if (wl_is_packed(kind))
        return wl_few_first(c, key) + (int32_t)wl_way_of(c, key, kind, note, touched);
    switch (kind) {
    case WL_FEW_16: return wl_few_touch_lru(c, key, false, note, touched);
    case WL_FEW_64: return wl_few_touch_lru(c, key, true, note, touched);
    case WL_FEW_RANDOM: return wl_few_touch_random(c, key, touched);
    case WL_TABLE_LRU: return wl_lru_touch(c, key, touched);
    case WL_TABLE_RANDOM: return wl_table_touch_random(c, key, touched);
    case WL_MANY_LRU: return wl_many_touch(c, key, true, touched);
    default: return wl_many_touch(c, key, false, touched);
    }
}

/* Sums of some loads in one number: bits 0.. requested sectors, 16.. missing sectors, 32.. loads
 * that missed some, 48.. of these, loads whose line was not there. */
typedef uint64_t wl_load_sums;
#define WL_SUMMED_MAX 2048 /* loads: their sectors need 15 bits */

#define WL_BITS(mask) (uint64_t)(((mask)&1) + ((mask) >> 1 & 1) + ((mask) >> 2 & 1) + ((mask) >> 3 & 1))
#define WL_SUM(asked, missing) (WL_BITS(asked) | WL_BITS(missing) << 16 | (uint64_t)((missing) != 0) << 32)
#define WL_SUMS_4(missing, a)                                                                                          \
    WL_SUM(a, missing), WL_SUM((a) + 1, missing), WL_SUM((a) + 2, missing), WL_SUM((a) + 3, missing)
#define WL_SUMS_16(missing)                                                                                            \
    {                                                                                                                  \
        WL_SUMS_4(missing, 0), WL_SUMS_4(missing, 4), WL_SUMS_4(missing, 8), WL_SUMS_4(missing, 12)                    \
    }

/* From missing and requested sectors. */
static const uint64_t wl_sums_of_four[16][16] = {WL_SUMS_16(0),  WL_SUMS_16(1),  WL_SUMS_16(2),  WL_SUMS_16(3),
                                                 WL_SUMS_16(4),  WL_SUMS_16(5),  WL_SUMS_16(6),  WL_SUMS_16(7),
                                                 WL_SUMS_16(8),  WL_SUMS_16(9),  WL_SUMS_16(10), WL_SUMS_16(11),
                                                 WL_SUMS_16(12), WL_SUMS_16(13), WL_SUMS_16(14), WL_SUMS_16(15)};

static inline uint64_t wl_sums_of_many(uint32_t sectors, uint32_t missing)
{
    return (uint64_t)wl_bit_count(sectors) | (uint64_t)wl_bit_count(missing) << 16 | (uint64_t)(missing != 0) << 32;
}

WL_ALWAYS_INLINE wl_load_sums wl_sums_of(uint32_t sectors, uint32_t missing, bool resident)
{
    if (sectors - 1 < 15) /* something is missing of a line that is not there */
        return wl_sums_of_four[missing][sectors] + ((uint64_t)!resident << 48);
    return wl_sums_of_many(sectors, missing) + ((uint64_t)(missing && !resident) << 48);
}

WL_ALWAYS_INLINE wl_touched wl_load_one(wl_cache *c, wl_key key, uint32_t sectors, wl_cache_kind kind, bool note,
                                        wl_load_sums *sums)
{
    wl_touched touched = {0};
    if (wl_is_packed(kind) || wl_is_table(kind)) {
        uint8_t *present;
        if (wl_is_packed(kind)) {
            present = &wl_sectors_in(c, key.set, kind)[wl_way_of(c, key, kind, note, &touched)];
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
    *sums += wl_sums_of(sectors, touched.missing, touched.resident);
    return touched;
}

static inline void wl_add_loads(wl_cache *c, size_t loads, wl_load_sums sums)
{
    const int64_t misses = (int64_t)(sums >> 32 & 0xffff), of_lines = (int64_t)(sums >> 48);
    c->counts.loads += (int64_t)loads;
    c->counts.line_misses += of_lines;
    c->counts.sector_misses += misses - of_lines;
    c->counts.load_sectors += (int64_t)(sums & 0xffff);
    c->counts.fetched_sectors += (int64_t)(sums >> 16 & 0xffff);
}

#endif /* WL_CACHE_CACHE_LOAD_H */
