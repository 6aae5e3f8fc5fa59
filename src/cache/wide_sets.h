/* wide_sets.h - sets of 17 to 64 ways and up to four sectors a line: tags of 16 bits are compared
 * at once.
 *
 * A set is four memory lines: the tags, lower bytes apart from upper ones; ages; sectors. All
 * follow from the number of the set, and can be fetched ahead without a search. All else is as in
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

/* Of a way without a line. */
static inline uint32_t wl_no_tag(bool exact) { return exact ? WL_EXACT_TAGS : wl_wide_tag(WL_PACKED_LINES); }

static inline bool wl_wide_is_empty(const wl_cache *c, uint64_t set, uint32_t way, bool exact)
{
    const bool is = wl_tag_at(&c->wide_sets[set], way) == wl_no_tag(exact);
    return exact ? is : is & (wl_wide_low(c, set)[way] == UINT32_MAX);
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
    wl_ages alike[WL_AGES_OF_64];
    for (int i = 0; i < WL_AGES_OF_64; i++)
        alike[i] = (wl_ages)((lows[i] == low) & (highs[i] == high));
    return wl_age_bits_of_64(alike);
#endif
}

WL_ALWAYS_INLINE uint32_t wl_wide_oldest(const wl_ages *ages, uint32_t age)
{
#if defined(__AVX2__)
    return (uint32_t)__builtin_ctzll(wl_aged_of_64(ages, (int8_t)age));
#else
    const wl_ages wanted = wl_every_age(age);
    wl_ages oldest[WL_AGES_OF_64];
    for (int i = 0; i < WL_AGES_OF_64; i++)
        oldest[i] = (wl_ages)(ages[i] == wanted);
    return (uint32_t)__builtin_ctzll(wl_age_bits_of_64(oldest));
#endif
}

/* The way of a line, of those with its tag. If it is not there, its number is not read, but what is
 * at hand, as another may be far. */
WL_ALWAYS_INLINE wl_way wl_wide_way(const wl_cache *c, wl_key key, uint64_t alike, bool exact)
{
    wl_way found;
    const uint32_t *low;
    do { /* once, but for one in thousands */
        found.way = (uint32_t)__builtin_ctzll(alike | (uint64_t)1 << 63);
        found.there = wl_mask_of(alike != 0);
        if (exact)
            break;
        low = wl_either_of(found.there, &wl_wide_low(c, key.set)[found.way], c->spare.low);
        alike &= alike - 1;
    } while ((*low ^ (uint32_t)key.line) & found.there);
    return found;
}

/* The way of a line; -1: it is not there. */
static inline int32_t wl_wide_find(const wl_cache *c, wl_key key)
{
    const uint64_t alike = wl_wide_alike(&c->wide_sets[key.set], key.tag);
    const wl_way found = wl_wide_way(c, key, alike, wl_is_exact(c->kind));
    return found.there ? (int32_t)found.way : -1;
}

/* ---- one access or many ---- */

/* Notes the line of a way; i: of those that an access evicts. Apart: it is rare. */
void wl_wide_note(wl_cache *c, int i, uint64_t set, uint32_t way);

/* Enters a line, unless it stands there already: a search just after a store to a part of what it
 * reads has to wait. */
WL_ALWAYS_INLINE void wl_wide_enter(const wl_cache *c, const wl_sets_run *m, wl_key key, wl_way at, bool exact)
{
    uint8_t *to = wl_either_of(at.there, m->spare, &m->wide[key.set]);
    to[at.way] = (uint8_t)key.tag;
    to[at.way + WL_WIDE_WAYS] = (uint8_t)(key.tag >> 8);
    if (!exact)
        wl_wide_low(c, key.set)[at.way] = (uint32_t)key.line;
}

WL_ALWAYS_INLINE void wl_wide_run_replace(wl_cache *c, wl_sets_run *m, wl_key key, wl_way at, bool exact)
{
    if (wl_is_noted(m, at, m->wide[key.set].sectors[at.way]))
        wl_wide_note(c, 0, key.set, at.way);
    wl_wide_enter(c, m, key, at, exact);
}

WL_ALWAYS_INLINE wl_way wl_wide_run_lru(wl_cache *c, wl_sets_run *m, wl_key key, bool exact)
{
    wl_wide_set *set = &m->wide[key.set];
    wl_ages *ages = (wl_ages *)(void *)set->ages;
    wl_way at = wl_wide_way(c, key, wl_wide_alike(set, key.tag), exact);
    if (at.there & m->sure) {
        wl_few_use(ages, at.way, true);
        return at;
    }
    at.way = wl_either(at.there, at.way, wl_wide_oldest(ages, m->ways - 1));
    wl_few_use(ages, at.way, true);
    if (c->empty > 0)
        c->empty -= wl_wide_is_empty(c, key.set, at.way, exact);
    wl_wide_run_replace(c, m, key, at, exact);
    return at;
}

/* A random line goes, if the set is full. */
WL_ALWAYS_INLINE wl_way wl_wide_run_random(wl_cache *c, wl_sets_run *m, wl_key key, bool exact)
{
    wl_way at = wl_wide_way(c, key, wl_wide_alike(&m->wide[key.set], key.tag), exact);
    if (at.there & m->sure)
        return at;
    wl_holes_of_64 *holes = &m->holes[key.set];
    if (c->empty > 0 && !at.there && holes->count > 0) {
        at.way = holes->first++;
        holes->count--;
        c->empty--;
    } else {
        at.way = wl_drawn_way(m, at);
    }
    wl_wide_run_replace(c, m, key, at, exact);
    return at;
}

/* A full set loses some lines at random. */
void wl_wide_evict(wl_cache *c, uint64_t set, bool note);

/* Several do. */
WL_ALWAYS_INLINE wl_way wl_wide_run_random_4(wl_cache *c, wl_sets_run *m, wl_key key, bool exact)
{
    wl_way at = wl_wide_way(c, key, wl_wide_alike(&m->wide[key.set], key.tag), exact);
    if (at.there & m->sure)
        return at;
    wl_holes_of_64 *holes = &m->holes[key.set];
    if ((holes->count | at.there) == 0)
        wl_wide_evict(c, key.set, m->note);
    const uint32_t fills = ~at.there & 1, after = holes->first + fills;
    at.way = wl_either(at.there, at.way, holes->first);
    holes->first = (uint8_t)(after == m->ways ? 0 : after);
    holes->count = (uint8_t)(holes->count - fills);
    wl_wide_enter(c, m, key, at, exact);
    return at;
}

/* ---- all of them ---- */

WL_ALWAYS_INLINE uint8_t *wl_sets_run_sectors(const wl_sets_run *m, uint64_t set, wl_cache_kind kind)
{
    return wl_is_wide(kind) ? m->wide[set].sectors : m->packed[set].sectors;
}

/* Finds or makes a line. LRU: makes it the last used one. The sectors of a new line are not set. */
WL_ALWAYS_INLINE wl_way wl_sets_run_touch(wl_cache *c, wl_sets_run *m, wl_key key, wl_cache_kind kind)
{
    const bool exact = wl_is_exact(kind), several = wl_takes_several(kind);
    if (kind == WL_PACKED_LRU)
        return wl_packed_run_lru(c, m, key);
    if (!wl_is_wide(kind))
        return wl_packed_run_random(c, m, key, several);
    if (kind == WL_EXACT_LRU || kind == WL_WIDE_LRU)
        return wl_wide_run_lru(c, m, key, exact);
    return several ? wl_wide_run_random_4(c, m, key, exact) : wl_wide_run_random(c, m, key, exact);
}

/* The same of one access, whose line has no sectors if it is new; returns the way. */
WL_ALWAYS_INLINE uint32_t wl_sets_touch(wl_cache *c, wl_key key, wl_cache_kind kind, wl_touched *touched)
{
    const int64_t evicted = c->counts.evicted_lines;
    wl_sets_run m;
    wl_sets_run_begin(c, &m, true);
    const wl_way at = wl_sets_run_touch(c, &m, key, kind);
    wl_sets_run_end(c, &m, kind, ~at.there & 1);
    wl_sets_run_sectors(&m, key.set, kind)[at.way] &= (uint8_t)at.there;
    touched->resident = at.there;
    touched->evicted = (uint8_t)(c->counts.evicted_lines - evicted);
    return at.way;
}

#endif /* WL_CACHE_WIDE_SETS_H */
