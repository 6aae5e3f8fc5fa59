/* packed_sets.h - sets of up to 16 ways with least recently used policy and up to four sectors a
 * line: all of a set in two neighbouring memory lines.
 *
 * Line numbers are below 2^48, with low and high bits stored separately: all are compared at once,
 * and nothing else need be read. Ages are those of few_ways.h. An access needs no other memory, so
 * its address is known without a search and can be prefetched. A line number beyond 2^48 converts
 * the packed sets to those of few_ways.h.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_PACKED_SETS_H
#define WL_CACHE_PACKED_SETS_H

#include "cache/few_ways.h"

#define WL_PACKED_SECTORS 4
#define WL_PACKED_LINES (((uint64_t)1 << 48) - 1) /* numbers are below; this one is none */

static inline uint64_t wl_packed_line(const wl_packed_set *set, uint32_t way)
{
    return (uint64_t)set->high[way] << 32 | set->low[way];
}

/* As those of a slot. */
static inline uint32_t wl_unpacked_sectors(uint32_t sectors)
{
    return (sectors & 15) | sectors >> WL_PACKED_SECTORS << WL_DIRTY_SHIFT;
}
static inline uint8_t wl_packed_sectors(uint32_t sectors)
{
    return (uint8_t)((sectors & 15) | sectors >> WL_DIRTY_SHIFT << WL_PACKED_SECTORS);
}

/* A bit for the way with this line. */
WL_ALWAYS_INLINE uint32_t wl_packed_alike(const wl_packed_set *set, uint64_t line)
{
    return wl_same_lines(set->low, set->high, (uint32_t)line, (uint32_t)(line >> 32));
}

/* The way of a line; -1: it is not there. */
static inline int32_t wl_packed_find(const wl_cache *c, wl_key key)
{
    const uint32_t alike = wl_packed_alike(&c->packed[key.set], key.line);
    return alike ? __builtin_ctz(alike) : -1;
}

/* Of two sets the first if the mask is all bits, the second if it is none: written so that the
 * compiler makes a conditional move of it, not a branch. */
WL_ALWAYS_INLINE wl_packed_set *wl_packed_either(uint32_t mask, wl_packed_set *first, wl_packed_set *second)
{
    uintptr_t a = (uintptr_t)first, b = (uintptr_t)second, wide = (uintptr_t)(intptr_t)(int32_t)mask;
    /* NOLINT(performance-no-int-to-ptr) */
    return (wl_packed_set *)(void *)((a & wide) | (b & ~wide));
}

/* Finds or makes a line, and makes it the last used one; returns its way. note: what it evicts. */
WL_ALWAYS_INLINE uint32_t wl_packed_touch(wl_cache *c, wl_key key, bool note, wl_touched *touched)
{
    wl_packed_set *set = &c->packed[key.set];
    wl_ages ages;
    memcpy(&ages, set->ages, sizeof ages);
    const uint32_t alike = wl_packed_alike(set, key.line),
                   oldest = (uint32_t)__builtin_ctz(wl_age_bits((wl_ages)(ages == c->last_age)));
    const uint32_t there = (uint32_t) - (alike != 0); /* a mask: all bits or none */
    const uint32_t way = ((uint32_t)__builtin_ctz(alike | 1u << 16) & there) | (oldest & ~there);
    const uint32_t sectors = set->sectors[way];
    uint32_t evicts = ~there & 1;
    if (c->empty > 0) {
        const uint32_t hole = wl_packed_line(set, way) == WL_PACKED_LINES;
        evicts &= ~hole;
        c->empty -= hole;
    }
    if (note || (sectors & ~there) >> WL_PACKED_SECTORS) {
        const wl_slot gone = {.line = wl_packed_line(set, way), .sectors = wl_unpacked_sectors(sectors)};
        c->evicted[0] = (wl_evicted){gone.line, wl_present(&gone), wl_dirty(&gone)};
        if ((sectors & ~there) >> WL_PACKED_SECTORS)
            wl_cache_count_written(c, &gone);
    }
    touched->resident = there;
    touched->evicted = (uint8_t)evicts;
    c->counts.evicted_lines += evicts;
    /* not where it stands already: a search just after a store to a part of what it reads has to
     * wait */
    wl_packed_set *to = wl_packed_either(there, &c->spare, set);
    to->low[way] = (uint32_t)key.line;
    to->high[way] = (uint16_t)(key.line >> 32);
    set->sectors[way] = (uint8_t)(sectors & there);
    const wl_ages lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const wl_ages age = wl_every_age((uint8_t)set->ages[way]), used = wl_every_age(way);
    ages = (ages - (wl_ages)(ages < age)) & (wl_ages)(lane != used);
    memcpy(set->ages, &ages, sizeof ages);
    return way;
}

/* Can a cache have packed sets? */
bool wl_packed_can(const wl_cache *cache);
/* False: no memory. */
bool wl_packed_make(wl_cache *cache);
/* Makes sets of few_ways.h of them, for lines with larger numbers. False: no memory, and nothing
 * has changed. */
bool wl_packed_widen(wl_cache *cache);

#endif /* WL_CACHE_PACKED_SETS_H */
