/* packed_sets.h - sets of up to 16 ways and up to four sectors a line: all of a set in two
 * neighbouring memory lines.
 *
 * Line numbers are below 2^48, with low and high bits stored separately: all are compared at once,
 * and nothing else need be read. Ages are those of few_ways.h; random policies have a bit for each
 * way with a line instead, so that evicted ones need not be overwritten. An access needs no other
 * memory, so its address is known without a search and can be prefetched. A line number beyond 2^48
 * converts the packed sets to those of few_ways.h.
 *
 * More ways: wide_sets.h.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_PACKED_SETS_H
#define WL_CACHE_PACKED_SETS_H

#include "cache/few_ways.h"

#define WL_PACKED_LINES (((uint64_t)1 << 48) - 1) /* numbers are below; this one is none */

static inline bool wl_is_exact(wl_cache_kind kind) { return kind >= WL_EXACT_LRU && kind <= WL_EXACT_RANDOM_4; }
static inline bool wl_is_wide(wl_cache_kind kind) { return kind >= WL_EXACT_LRU && kind <= WL_WIDE_RANDOM_4; }
static inline bool wl_takes_several(wl_cache_kind kind)
{
    return kind == WL_PACKED_RANDOM_4 || kind == WL_EXACT_RANDOM_4 || kind == WL_WIDE_RANDOM_4;
}
static inline bool wl_is_packed(wl_cache_kind kind) { return kind <= WL_WIDE_RANDOM_4; }

static inline uint64_t wl_packed_line(const wl_packed_set *set, uint32_t way)
{
    return (uint64_t)set->high[way] << 32 | set->low[way];
}

/* Of all ways of a set. */
WL_ALWAYS_INLINE uint8_t *wl_sectors_in(const wl_cache *c, uint64_t set, wl_cache_kind kind)
{
    return wl_is_wide(kind) ? c->wide_sets[set].sectors : c->packed[set].sectors;
}

/* ---- what both sizes of sets share ---- */

/* Where a line is or will be; there: a mask of all bits or none. */
typedef struct wl_way {
    uint32_t way, there;
} wl_way;

static inline void wl_packed_note(wl_cache *c, int i, uint64_t line, uint32_t sectors)
{
    const wl_slot gone = {.line = line, .sectors = wl_unpacked_sectors(sectors)};
    c->evicted[i] = (wl_evicted){gone.line, wl_present(&gone), wl_dirty(&gone)};
    wl_cache_count_written(c, &gone);
}

/* ---- one access or many: what they need, apart from the cache, so that no store to its sets can
 * change it ---- */

typedef struct wl_sets_run {
    wl_packed_set *packed; /* or .. */
    wl_wide_set *wide;
    wl_holes_of_64 *holes;
    void *spare; /* tags of no set */
    uint32_t ways;
    uint64_t random; /* the generator; not of wide sets with WL_POLICY_RANDOM_4 */
    int64_t empty;   /* slots at the beginning */
    bool note;       /* what is evicted, even if nothing of it is dirty */
    uint32_t sure;   /* a mask: lines are mostly there, or mostly not, so that it is faster to guess
                      * which than to do without */
} wl_sets_run;

WL_ALWAYS_INLINE void wl_sets_run_begin(wl_cache *c, wl_sets_run *m, bool note)
{
    m->packed = c->packed;
    m->wide = c->wide_sets;
    m->holes = c->holes;
    m->spare = &c->spare;
    m->ways = (uint32_t)c->ways;
    m->random = c->random;
    m->empty = c->empty;
    m->note = note;
    m->sure = (uint32_t) - !c->mixed;
}

/* absent: how many lines were not there. Those that found no slot empty evicted others. */
WL_ALWAYS_INLINE void wl_sets_run_end(wl_cache *c, const wl_sets_run *m, wl_cache_kind kind, int64_t absent)
{
    if (wl_is_wide(kind) && wl_takes_several(kind))
        return;
    c->random = m->random;
    c->counts.evicted_lines += absent - (m->empty - c->empty);
}

/* Must the line of a way be noted, which has these sectors, as another replaces it? */
WL_ALWAYS_INLINE bool wl_is_noted(const wl_sets_run *m, wl_way at, uint32_t sectors)
{
    return m->note ? !at.there : (sectors & ~at.there) >> WL_PACKED_SECTORS;
}

/* Full sets: the way of a line, or that of a random one, which it replaces. */
WL_ALWAYS_INLINE uint32_t wl_drawn_way(wl_sets_run *m, wl_way found)
{
    const uint64_t next = wl_random_next(m->random), keep = (uint64_t)(int64_t)(int32_t)found.there;
    m->random = (m->random & keep) | (next & ~keep);
    return wl_either(found.there, found.way, (uint32_t)wl_random_below(next, (int32_t)m->ways));
}

/* ---- up to 16 ways ---- */

/* A bit for the way with this line. */
WL_ALWAYS_INLINE uint32_t wl_packed_alike(const wl_packed_set *set, uint64_t line)
{
    return wl_same_lines(set->low, set->high, line);
}

/* The way of a line; -1: it is not there. */
static inline int32_t wl_packed_find(const wl_cache *c, wl_key key)
{
    const wl_packed_set *set = &c->packed[key.set];
    const bool lru = c->kind == WL_PACKED_LRU;
    const uint32_t alike = wl_packed_alike(set, key.line) & (lru ? ~0u : (uint32_t)set->filled.lines);
    return alike ? __builtin_ctz(alike) : -1;
}

WL_ALWAYS_INLINE wl_way wl_packed_way(uint32_t alike)
{
    return (wl_way){(uint32_t)__builtin_ctz(alike | 1u << 16), wl_mask_of(alike != 0)};
}

/* Not where it stands already: a search just after a store to a part of what it reads has to
 * wait. */
WL_ALWAYS_INLINE void wl_packed_enter(const wl_sets_run *m, wl_key key, wl_way at)
{
    wl_packed_set *to = wl_either_of(at.there, m->spare, &m->packed[key.set]);
    to->low[at.way] = (uint32_t)key.line;
    to->high[at.way] = (uint16_t)(key.line >> 32);
}

/* A line takes the place of another, unless it is there. */
WL_ALWAYS_INLINE void wl_packed_replace(wl_cache *c, const wl_sets_run *m, wl_key key, wl_way at)
{
    const wl_packed_set *set = &m->packed[key.set];
    if (wl_is_noted(m, at, set->sectors[at.way]))
        wl_packed_note(c, 0, wl_packed_line(set, at.way), set->sectors[at.way]);
    wl_packed_enter(m, key, at);
}

/* Finds or makes a line, and makes it the last used one. */
WL_ALWAYS_INLINE wl_way wl_packed_run_lru(wl_cache *c, wl_sets_run *m, wl_key key)
{
    wl_packed_set *set = &m->packed[key.set];
    wl_ages *ages = (wl_ages *)(void *)set->ages;
    wl_way at = wl_packed_way(wl_packed_alike(set, key.line));
    if (at.there & m->sure) {
        wl_few_use(ages, at.way, false);
        return at;
    }
    const uint32_t oldest = wl_age_bits((wl_ages)(*ages == wl_every_age(m->ways - 1)));
    at.way = wl_either(at.there, at.way, (uint32_t)__builtin_ctz(oldest));
    wl_few_use(ages, at.way, false);
    if (c->empty > 0)
        c->empty -= wl_packed_line(set, at.way) == WL_PACKED_LINES;
    wl_packed_replace(c, m, key, at);
    return at;
}

/* A full set loses some lines at random, from this way on. */
void wl_packed_evict(wl_cache *c, uint64_t set, uint32_t first, bool note);

/* Not only full sets: the way of a line, or the first one without. */
WL_ALWAYS_INLINE uint32_t wl_filled_way(wl_cache *c, wl_sets_run *m, wl_key key, wl_way found)
{
    wl_filled *f = &m->packed[key.set].filled;
    if ((f->count | found.there) == 0) {
        m->random = wl_random_next(m->random);
        wl_packed_evict(c, key.set, (uint32_t)wl_random_below(m->random, (int32_t)m->ways), m->note);
    }
    const uint32_t way = wl_either(found.there, found.way, f->first), fills = ~found.there & 1;
    const uint32_t after = f->first + fills;
    f->lines |= (uint64_t)1 << way;
    f->first = after == m->ways ? 0 : after;
    f->count -= fills;
    c->empty -= fills;
    return way;
}

/* Finds or makes a line. several: lines are evicted at once. */
WL_ALWAYS_INLINE wl_way wl_packed_run_random(wl_cache *c, wl_sets_run *m, wl_key key, bool several)
{
    const wl_packed_set *set = &m->packed[key.set];
    const bool any = several || c->empty > 0;
    wl_way at = wl_packed_way(wl_packed_alike(set, key.line) & (any ? (uint32_t)set->filled.lines : UINT32_MAX));
    if (at.there & m->sure)
        return at;
    if (any) {
        at.way = wl_filled_way(c, m, key, at);
        wl_packed_enter(m, key, at);
    } else {
        at.way = wl_drawn_way(m, at);
        wl_packed_replace(c, m, key, at);
    }
    return at;
}

/* Can a cache have packed or wide sets? */
bool wl_packed_can(const wl_cache *cache);
wl_cache_kind wl_packed_kind(const wl_cache *cache);
size_t wl_packed_bytes(const wl_cache *cache);
/* False: no memory. */
bool wl_packed_make(wl_cache *cache);
/* Keeps the numbers of lines of wide sets that were exact, for larger ones. False: no memory, and
 * nothing has changed. */
bool wl_wide_number(wl_cache *cache);
/* Makes sets of few_ways.h of them, for lines with larger numbers. False: no memory, and nothing
 * has changed. */
bool wl_packed_widen(wl_cache *cache);

#endif /* WL_CACHE_PACKED_SETS_H */
