/* wide_sets.h - sets of 17 to 64 ways and up to four sectors a line: tags of 16 bits are compared
 * at once.
 *
 * A set is four memory lines: the tags, lower bytes apart from upper ones; ages; sectors. All follow
 * from the number of the set, and can be fetched ahead without a search. All else is as in
 * packed_sets.h.
 *
 * A tag is the quotient of a line's number and that of the sets, so that set and tag tell the line:
 * such sets are exact. Where sets are hashed, or a quotient is too large, the lower halves of the
 * numbers (of 48 bits) are kept apart, and a tag is a hash of the lower half and the upper half, by
 * exclusive or: with the lower half it tells the line, and one line is compared after the tags.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_WIDE_SETS_H
#define WL_CACHE_WIDE_SETS_H

#include "cache/packed_sets.h"

#define WL_WIDE_AGES (WL_WIDE_WAYS / WL_AGES) /* vectors */

static inline uint32_t wl_tag_at(const wl_wide_set *set, uint32_t way)
{
    return set->tags[0][way] | (uint32_t)set->tags[1][way] << 8;
}

static inline uint32_t *wl_wide_low(const wl_cache *c, uint64_t set) { return &c->low[set * WL_WIDE_WAYS]; }

/* The line that is there; or, exact sets: whose number is no other line's, if there is none. */
static inline uint64_t wl_wide_line(const wl_cache *c, uint64_t set, uint32_t way, bool exact)
{
    const uint32_t tag = wl_tag_at(&c->wide_sets[set], way);
    if (exact)
        return tag * c->spread.sets + set;
    const uint64_t low = wl_wide_low(c, set)[way];
    return (uint64_t)(tag ^ wl_wide_tag(low)) << 32 | low;
}

/* A bit for each way with this tag. */
WL_ALWAYS_INLINE uint64_t wl_wide_alike(const wl_wide_set *set, uint32_t tag)
{
#if defined(__AVX2__)
    return wl_same_halves_of_64(set->tags, tag);
#else
    const wl_ages low = wl_every_age(tag & 0xff), high = wl_every_age(tag >> 8);
    const wl_ages *lows = (const wl_ages *)(const void *)set->tags[0],
                  *highs = (const wl_ages *)(const void *)set->tags[1];
    uint64_t alike = 0;
    for (int i = 0; i < WL_WIDE_AGES; i++)
        alike |= (uint64_t)wl_age_bits((wl_ages)((lows[i] == low) & (highs[i] == high))) << (i * WL_AGES);
    return alike;
#endif
}

/* The way of a line, of those with its tag; other: if it is not there. Its number is not read
 * then, but what is at hand, as the other way's may be far. */
WL_ALWAYS_INLINE wl_way wl_wide_way(const wl_cache *c, wl_key key, uint64_t alike, uint32_t other, bool exact)
{
    wl_way found;
    const uint32_t *low;
    do { /* once, but for one in thousands */
        const uint32_t way = (uint32_t)__builtin_ctzll(alike | (uint64_t)1 << 63);
        found.there = (uint32_t) - (alike != 0);
        found.way = wl_either(found.there, way, other);
        if (exact)
            break;
        low = wl_either_of(found.there, &wl_wide_low(c, key.set)[way], c->spare.low);
        alike &= alike - 1;
    } while ((*low ^ (uint32_t)key.line) & found.there);
    return found;
}

/* The way of a line; -1: it is not there. */
static inline int32_t wl_wide_find(const wl_cache *c, wl_key key)
{
    const uint64_t filled = c->filled ? c->filled[key.set].lines : UINT64_MAX;
    const uint64_t alike = wl_wide_alike(&c->wide_sets[key.set], key.tag) & filled;
    const wl_way found = wl_wide_way(c, key, alike, 0, wl_is_exact(c->kind));
    return found.there ? (int32_t)found.way : -1;
}

/* As wl_packed_enter. */
WL_ALWAYS_INLINE void wl_wide_enter(wl_cache *c, wl_key key, wl_way at, bool exact)
{
    wl_wide_set *set = &c->wide_sets[key.set];
    uint8_t *to = wl_either_of(at.there, c->spare_tags, set->tags);
    to[at.way] = (uint8_t)key.tag;
    to[at.way + WL_WIDE_WAYS] = (uint8_t)(key.tag >> 8);
    if (!exact)
        wl_wide_low(c, key.set)[at.way] = (uint32_t)key.line;
    set->sectors[at.way] &= (uint8_t)at.there;
}

/* Apart: otherwise the number of the line that is replaced would be read in any case. */
bool wl_wide_is_empty(const wl_cache *c, uint64_t set, uint32_t way);

/* Finds or makes a line, and makes it the last used one; returns its way. */
WL_ALWAYS_INLINE uint32_t wl_wide_touch_lru(wl_cache *c, wl_key key, bool exact, bool note, wl_touched *touched)
{
    wl_wide_set *set = &c->wide_sets[key.set];
    wl_ages *ages = (wl_ages *)(void *)set->ages;
    const uint32_t oldest = wl_few_oldest(c, ages, true);
    const wl_way at = wl_wide_way(c, key, wl_wide_alike(set, key.tag), oldest, exact);
    uint32_t evicts = ~at.there & 1;
    if (c->empty > 0) {
        const uint32_t hole = wl_wide_is_empty(c, key.set, at.way);
        evicts &= ~hole;
        c->empty -= hole;
    }
    wl_packed_replace(c, wl_wide_line(c, key.set, at.way, exact), set->sectors[at.way], at.there, evicts, note, touched);
    wl_wide_enter(c, key, at, exact);
    wl_few_use(ages, at.way, true);
    return at.way;
}

/* ---- random policies, sets of both sizes ---- */

/* The way of a line with a bit in `filled`. */
WL_ALWAYS_INLINE wl_way wl_random_way(const wl_cache *c, wl_key key, wl_cache_kind kind, uint64_t filled)
{
    if (wl_is_wide(kind))
        return wl_wide_way(c, key, wl_wide_alike(&c->wide_sets[key.set], key.tag) & filled, 0, wl_is_exact(kind));
    const uint32_t alike = wl_packed_alike(&c->packed[key.set], key.line) & (uint32_t)filled;
    return (wl_way){(uint32_t)__builtin_ctz(alike | 1u << 16), (uint32_t) - (alike != 0)};
}

/* Finds or makes a line; returns its way. run: several lines are evicted at once. */
WL_ALWAYS_INLINE uint32_t wl_touch_random(wl_cache *c, wl_key key, wl_cache_kind kind, bool run, bool note,
                                          wl_touched *touched)
{
    const bool wide = wl_is_wide(kind), exact = wl_is_exact(kind);
    wl_packed_set *p = wide ? NULL : &c->packed[key.set];
    wl_filled *filled = wide ? &c->filled[key.set] : &p->filled;
    /* that is in a memory line of its own: not read where it tells nothing */
    uint64_t lines = UINT64_MAX;
    if (run || c->empty > 0)
        lines = filled->lines;
    wl_way at = wl_random_way(c, key, kind, lines);
    if (wl_is_sure(c, at)) {
        touched->resident = true;
        return at.way;
    }
    if (run || c->empty > 0) {
        at.way = wl_filled_way(c, key.set, filled, at, note, touched);
    } else {
        at.way = wl_drawn_way(c, at);
        const uint64_t line = wide ? wl_wide_line(c, key.set, at.way, exact) : wl_packed_line(p, at.way);
        wl_packed_replace(c, line, wl_sectors_in(c, key.set, kind)[at.way], at.there, ~at.there & 1, note, touched);
    }
    if (wide)
        wl_wide_enter(c, key, at, exact);
    else
        wl_packed_enter(c, p, key, at);
    return at.way;
}

#endif /* WL_CACHE_WIDE_SETS_H */
