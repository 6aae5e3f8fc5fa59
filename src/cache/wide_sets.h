/* wide_sets.h - sets of 17 to 64 ways and up to four sectors a line: tags of 16 bits are compared
 * at once, then one line.
 *
 * A tag is a hash of the lower half of a line's number (of 48 bits) and the upper half, by
 * exclusive or: with the lower half, which is kept, too, it tells the line, so that nothing is kept
 * twice. Tags, ages and sectors follow from the number of the set, and can be fetched ahead without
 * a search. All else is as in packed_sets.h.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_WIDE_SETS_H
#define WL_CACHE_WIDE_SETS_H

#include "cache/packed_sets.h"

#define WL_WIDE_TAGS (WL_WIDE_WAYS / WL_TAGS) /* vectors */
#define WL_WIDE_AGES (WL_WIDE_WAYS / WL_AGES)

static inline uint64_t wl_wide_line(const wl_wide_set *set, uint32_t way)
{
    const uint64_t low = set->low[way];
    return (uint64_t)(set->tags[way] ^ wl_wide_tag(low)) << 32 | low;
}

/* A bit for each way with this tag. */
WL_ALWAYS_INLINE uint64_t wl_wide_alike(const wl_wide_set *set, uint32_t tag)
{
    return wl_few_alike((const wl_tags *)(const void *)set->tags, tag, true);
}

/* The way of a line, of those with its tag; other: if it is not there. Its number is not read
 * then, but what is at hand, as the other way's may be far. */
WL_ALWAYS_INLINE wl_way wl_wide_way(const wl_cache *c, const wl_wide_set *set, uint64_t alike, uint64_t line,
                                    uint32_t other)
{
    wl_way found;
    const uint32_t *low;
    do { /* once, but for one in thousands */
        const uint32_t way = (uint32_t)__builtin_ctzll(alike | (uint64_t)1 << 63);
        found.there = (uint32_t) - (alike != 0);
        found.way = wl_either(found.there, way, other);
        low = wl_either_of(found.there, &set->low[way], c->spare.low);
        alike &= alike - 1;
    } while ((*low ^ (uint32_t)line) & found.there);
    return found;
}

/* The way of a line; -1: it is not there. */
static inline int32_t wl_wide_find(const wl_cache *c, wl_key key)
{
    const wl_wide_set *set = &c->wide_sets[key.set];
    const uint64_t filled = c->kind == WL_WIDE_LRU ? UINT64_MAX : set->filled.lines;
    const wl_way found = wl_wide_way(c, set, wl_wide_alike(set, key.tag) & filled, key.line, 0);
    return found.there ? (int32_t)found.way : -1;
}

/* As wl_packed_enter. */
WL_ALWAYS_INLINE void wl_wide_enter(wl_cache *c, wl_wide_set *set, wl_key key, wl_way at)
{
    uint16_t *to = wl_either_of(at.there, c->spare_tags, set->tags);
    to[at.way] = (uint16_t)key.tag;
    set->low[at.way] = (uint32_t)key.line;
    set->sectors[at.way] &= (uint8_t)at.there;
}

/* Apart: otherwise the number of the line that is replaced would be read in any case. */
bool wl_wide_is_empty(const wl_wide_set *set, uint32_t way);

/* Finds or makes a line, and makes it the last used one; returns its way. */
WL_ALWAYS_INLINE uint32_t wl_wide_touch_lru(wl_cache *c, wl_key key, bool note, wl_touched *touched)
{
    wl_wide_set *set = &c->wide_sets[key.set];
    wl_ages *ages = (wl_ages *)(void *)set->ages;
    const wl_way at = wl_wide_way(c, set, wl_wide_alike(set, key.tag), key.line, wl_few_oldest(c, ages, true));
    uint32_t evicts = ~at.there & 1;
    if (c->empty > 0) {
        const uint32_t hole = wl_wide_is_empty(set, at.way);
        evicts &= ~hole;
        c->empty -= hole;
    }
    wl_packed_replace(c, wl_wide_line(set, at.way), set->sectors[at.way], at.there, evicts, note, touched);
    wl_wide_enter(c, set, key, at);
    wl_few_use(ages, at.way, true);
    return at.way;
}

/* ---- random policies, sets of both sizes ---- */

/* The way of a line with a bit in `filled`. */
WL_ALWAYS_INLINE wl_way wl_random_way(const wl_cache *c, wl_key key, bool wide, uint64_t filled)
{
    if (wide) {
        const wl_wide_set *set = &c->wide_sets[key.set];
        return wl_wide_way(c, set, wl_wide_alike(set, key.tag) & filled, key.line, 0);
    }
    const uint32_t alike = wl_packed_alike(&c->packed[key.set], key.line) & (uint32_t)filled;
    return (wl_way){(uint32_t)__builtin_ctz(alike | 1u << 16), (uint32_t) - (alike != 0)};
}

/* Finds or makes a line; returns its way. run: several lines are evicted at once. */
WL_ALWAYS_INLINE uint32_t wl_touch_random(wl_cache *c, wl_key key, bool wide, bool run, bool note, wl_touched *touched)
{
    wl_wide_set *w = wide ? &c->wide_sets[key.set] : NULL;
    wl_packed_set *p = wide ? NULL : &c->packed[key.set];
    wl_filled *filled = wide ? &w->filled : &p->filled;
    /* that is in a memory line of its own: not read where it tells nothing */
    uint64_t lines = UINT64_MAX;
    if (run || c->empty > 0)
        lines = filled->lines;
    wl_way at = wl_random_way(c, key, wide, lines);
    if (wl_is_sure(c, at)) {
        touched->resident = true;
        return at.way;
    }
    if (run || c->empty > 0) {
        at.way = wl_filled_way(c, key.set, filled, at, note, touched);
    } else {
        at.way = wl_drawn_way(c, at);
        const uint64_t line = wide ? wl_wide_line(w, at.way) : wl_packed_line(p, at.way);
        const uint32_t sectors = wide ? w->sectors[at.way] : p->sectors[at.way];
        wl_packed_replace(c, line, sectors, at.there, ~at.there & 1, note, touched);
    }
    if (wide)
        wl_wide_enter(c, w, key, at);
    else
        wl_packed_enter(c, p, key, at);
    return at.way;
}

#endif /* WL_CACHE_WIDE_SETS_H */
