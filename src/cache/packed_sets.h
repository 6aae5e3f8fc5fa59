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

/* A line is there, or takes the place of this one; evicts: 0, if that is none. note: what it
 * evicts, even if nothing of it is dirty. */
WL_ALWAYS_INLINE void wl_packed_replace(wl_cache *c, uint64_t line, uint32_t sectors, uint32_t there, uint32_t evicts,
                                        bool note, wl_touched *touched)
{
    if (note ? !there : (sectors & ~there) >> WL_PACKED_SECTORS)
        wl_packed_note(c, 0, line, sectors);
    touched->resident = there;
    touched->evicted = (uint8_t)evicts;
    c->counts.evicted_lines += evicts;
}

/* Random policy, full sets: the way of a line, or that of a random one, which it replaces. */
WL_ALWAYS_INLINE uint32_t wl_drawn_way(wl_cache *c, wl_way found)
{
    const uint64_t next = wl_random_next(c->random), keep = (uint64_t)(int64_t)(int32_t)found.there;
    c->random = (c->random & keep) | (next & ~keep);
    return wl_either(found.there, found.way, (uint32_t)wl_random_below(next, c->ways));
}

/* A full set loses some lines at random. */
void wl_packed_evict(wl_cache *c, uint64_t set, wl_filled *filled, bool note);

/* Random policies, not only full sets: the way of a line, or the first one without. */
WL_ALWAYS_INLINE uint32_t wl_filled_way(wl_cache *c, uint64_t set, wl_filled *f, wl_way found, bool note,
                                        wl_touched *touched)
{
    if ((f->count | found.there) == 0) {
        wl_packed_evict(c, set, f, note || c->shape.write_back);
        touched->evicted = (uint8_t)c->run;
    }
    const uint32_t way = wl_either(found.there, found.way, f->first), fills = ~found.there & 1;
    const uint32_t after = f->first + fills;
    f->lines |= (uint64_t)1 << way;
    f->first = after == (uint32_t)c->ways ? 0 : after;
    f->count -= fills;
    c->empty -= fills;
    touched->resident = found.there;
    return way;
}

/* Under random policies a hit changes nothing: where most lines are there, or most are not, it is
 * faster to guess than to do without. */
WL_ALWAYS_INLINE bool wl_is_sure(const wl_cache *c, wl_way found) { return !c->mixed && found.there; }

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

/* Not where it stands already: a search just after a store to a part of what it reads has to
 * wait. */
WL_ALWAYS_INLINE void wl_packed_enter(wl_cache *c, wl_packed_set *set, wl_key key, wl_way at)
{
    wl_packed_set *to = wl_either_of(at.there, &c->spare, set);
    to->low[at.way] = (uint32_t)key.line;
    to->high[at.way] = (uint16_t)(key.line >> 32);
    set->sectors[at.way] &= (uint8_t)at.there;
}

/* Finds or makes a line, and makes it the last used one; returns its way. */
WL_ALWAYS_INLINE uint32_t wl_packed_touch_lru(wl_cache *c, wl_key key, bool note, wl_touched *touched)
{
    wl_packed_set *set = &c->packed[key.set];
    wl_ages ages;
    memcpy(&ages, set->ages, sizeof ages);
    const uint32_t alike = wl_packed_alike(set, key.line),
                   oldest = (uint32_t)__builtin_ctz(wl_age_bits((wl_ages)(ages == c->last_age)));
    const uint32_t there = (uint32_t) - (alike != 0);
    const uint32_t way = wl_either(there, (uint32_t)__builtin_ctz(alike | 1u << 16), oldest);
    uint32_t evicts = ~there & 1;
    if (c->empty > 0) {
        const uint32_t hole = wl_packed_line(set, way) == WL_PACKED_LINES;
        evicts &= ~hole;
        c->empty -= hole;
    }
    wl_packed_replace(c, wl_packed_line(set, way), set->sectors[way], there, evicts, note, touched);
    wl_packed_enter(c, set, key, (wl_way){way, there});
    const wl_ages lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const wl_ages age = wl_every_age((uint8_t)set->ages[way]), used = wl_every_age(way);
    ages = (ages - (wl_ages)(ages < age)) & (wl_ages)(lane != used);
    memcpy(set->ages, &ages, sizeof ages);
    return way;
}

/* The way of a line with a bit in `filled`. */
WL_ALWAYS_INLINE wl_way wl_packed_way(const wl_packed_set *set, uint64_t line, uint32_t filled)
{
    const uint32_t alike = wl_packed_alike(set, line) & filled;
    return (wl_way){(uint32_t)__builtin_ctz(alike | 1u << 16), (uint32_t) - (alike != 0)};
}

/* Finds or makes a line; returns its way. several: lines are evicted at once. */
WL_ALWAYS_INLINE uint32_t wl_packed_touch_random(wl_cache *c, wl_key key, bool several, bool note, wl_touched *touched)
{
    wl_packed_set *set = &c->packed[key.set];
    const bool any = several || c->empty > 0;
    wl_way at = wl_packed_way(set, key.line, any ? (uint32_t)set->filled.lines : UINT32_MAX);
    if (wl_is_sure(c, at)) {
        touched->resident = true;
        return at.way;
    }
    if (any) {
        at.way = wl_filled_way(c, key.set, &set->filled, at, note, touched);
    } else {
        at.way = wl_drawn_way(c, at);
        wl_packed_replace(c, wl_packed_line(set, at.way), set->sectors[at.way], at.there, ~at.there & 1, note, touched);
    }
    wl_packed_enter(c, set, key, at);
    return at.way;
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
