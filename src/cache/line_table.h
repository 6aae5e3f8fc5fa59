/* line_table.h - one set of many ways: a hash table that holds the lines themselves, so that an
 * access needs little of the host's memory.
 *
 * A bucket has six places in one memory line: for each a tag, the sectors, and a number that tells
 * when the line was last used (lru_table.h) or which slot it has. All follows from the hash, so it
 * can be prefetched without a search. The hash is a permutation: bucket and tag are all of it, so
 * they tell the line. A bucket that is full passes lines on to the next ones, and knows of it: a
 * search goes on only where something was passed on. The tag of such a line tells that, and the
 * bucket of its hash is noted elsewhere.
 *
 * Random policies draw a slot, a number that each line has; draws are made in advance, so that
 * victims can be prefetched. Where some lines are there and some are not, no branch depends on that
 * (wl_table_run_random).
 *
 * A line with a number that has no tag makes the table one of many_ways.h.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_LINE_TABLE_H
#define WL_CACHE_LINE_TABLE_H

#include "cache/cache_internal.h"

#define WL_DRAWS 32       /* draws that are known before besides those of loads at once, .. */
#define WL_DRAWS_MAX 1024 /* .. and how many are kept */

/* A line's position is WL_POSITIONS * bucket + place: so is the number of its `used`, counted in
 * words from the one of the first bucket on. */
#define WL_POSITIONS ((uint32_t)(sizeof(wl_bucket) / sizeof(uint32_t)))

static inline wl_bucket *wl_bucket_of(const wl_cache *c, uint32_t position)
{
    return &c->buckets[position / WL_POSITIONS];
}

static inline uint32_t wl_place_of(uint32_t position) { return position % WL_POSITIONS; }

static inline uint32_t wl_table_places(bool dense) { return dense ? WL_PLACES_MAX : WL_PLACES_OF_LINES; }

/* Without gaps. */
static inline size_t wl_table_number(const wl_cache *c, uint32_t position)
{
    return (size_t)position / WL_POSITIONS * wl_table_places(c->dense) + wl_place_of(position);
}

/* Numbers `used` from this one on are those of lines that are there. */
static inline uint32_t wl_table_first(const wl_cache *c)
{
    return c->shape.policy == WL_POLICY_LRU ? c->queues[0].head : 1;
}

WL_ALWAYS_INLINE uint32_t *wl_bucket_used(wl_bucket *b, uint32_t place, bool dense)
{
    return dense ? &b->short_used[place] : &b->used[place];
}

WL_ALWAYS_INLINE void wl_bucket_enter(wl_bucket *b, uint32_t place, uint32_t tag, bool dense)
{
    if (dense)
        b->short_tags[place] = (uint16_t)tag;
    else
        b->tags[place] = tag;
}

/* A bit for each place with this tag, and from bit 8 on one for each place without a line. */
WL_ALWAYS_INLINE uint32_t wl_bucket_places(const wl_bucket *b, uint32_t tag, uint32_t first, bool dense)
{
    return dense ? wl_same_or_before_of_8(b->short_tags, b->short_used, tag, first)
                 : wl_same_or_before(b->tags, b->used, tag, first);
}

/* Of a line, and of what is there. */
static inline uint32_t *wl_table_used(const wl_cache *c, uint32_t position)
{
    return wl_bucket_used(wl_bucket_of(c, position), wl_place_of(position), c->dense);
}
static inline uint32_t wl_table_tag(const wl_cache *c, uint32_t position)
{
    const wl_bucket *b = wl_bucket_of(c, position);
    return c->dense ? b->short_tags[wl_place_of(position)] : b->tags[wl_place_of(position)];
}

/* The position of a line from this bucket on; -1: it is not there. */
int32_t wl_table_search(const wl_cache *c, wl_key key);

/* The same of any: nearly always in its bucket, or not there. */
WL_ALWAYS_INLINE int32_t wl_table_find(const wl_cache *c, wl_key key, uint32_t first)
{
    const wl_bucket *b = &c->buckets[key.group];
    const uint32_t alike = wl_bucket_places(b, key.tag, first, c->dense) & 0xff;
    if (alike)
        return (int32_t)((uint32_t)key.group * WL_POSITIONS + (uint32_t)__builtin_ctz(alike));
    return b->passed < first ? -1 : wl_table_search(c, key);
}

/* Enters a line that is not there, without sectors. Returns its position. */
uint32_t wl_table_enter(wl_cache *c, wl_key key);
/* What lies at a position, and the bucket of its hash. */
wl_slot wl_table_slot(const wl_cache *c, uint32_t position);
uint64_t wl_table_home(const wl_cache *c, uint32_t position);
/* Counts dirty sectors of a position as written back. */
void wl_table_written_back(wl_cache *c, uint32_t position);

/* Can a cache have such a table? */
bool wl_table_can(const wl_cache *cache);
/* False: no memory. */
bool wl_table_make(wl_cache *cache);
/* Makes a table of many_ways.h of it, for lines with larger numbers. False: no memory, and nothing
 * has changed. */
bool wl_table_widen(wl_cache *cache);
/* Counts dirty sectors as written back; the lines stay, clean. */
void wl_table_clean(wl_cache *cache);

/* Where a line is or will be. */
typedef struct wl_spot {
    wl_bucket *bucket;
    uint32_t place, position;
    uint32_t there; /* a mask: all bits or none */
} wl_spot;

/* ---- random policies ---- */

/* The position of a line that is not there; evicts others, if it must. */
int32_t wl_table_place_random(wl_cache *c, wl_key key, wl_touched *touched);

/* Finds or makes a line; returns its position. */
WL_ALWAYS_INLINE int32_t wl_table_touch_random(wl_cache *c, wl_key key, wl_touched *touched)
{
    const int32_t at = wl_table_find(c, key, 1);
    touched->resident = at >= 0;
    return at >= 0 ? at : wl_table_place_random(c, key, touched);
}
/* The same under any policy, for where it is rare: apart, and without a key, which the compiler
 * would keep in memory for it. */
typedef struct wl_touched_at {
    uint32_t position, there;
} wl_touched_at;
wl_touched_at wl_table_touch_apart(wl_cache *c, uint64_t line);

WL_ALWAYS_INLINE wl_spot wl_spot_of(const wl_cache *c, wl_touched_at at)
{
    return (wl_spot){wl_bucket_of(c, at.position), wl_place_of(at.position), at.position, at.there};
}

/* The generator before and after each of the next draws, and the slots that they give. Those that
 * loads do not need are kept for the next ones. */
struct wl_draws {
    uint64_t states[WL_DRAWS_MAX + 1];
    uint32_t slots[WL_DRAWS_MAX];
    uint32_t first, count; /* of those that are left */
};

/* Makes up to WL_AT_ONCE + WL_DRAWS of them known. */
void wl_draws_foresee(wl_draws *draws, uint64_t random, int32_t ways, uint32_t wanted);

/* What many loads need, apart from the cache: no store to its tables can change it. */
typedef struct wl_table_run {
    wl_bucket *buckets;
    uint32_t *places;
    uint32_t spare; /* a bucket that belongs to no hash */
    int32_t ways;
    uint32_t dirty; /* 1, if lines may be, else 0 */
    uint32_t first; /* see wl_table_first */
    uint32_t sure;  /* a mask: see wl_sets_run */
    wl_holes holes;
    uint64_t random; /* the generator; if draws are known before: only where it is asked for */
    const wl_draws *draws;
    uint32_t drawn;   /* the next of them */
    uint32_t fetched; /* the next whose bucket is to be fetched */
} wl_table_run;

WL_ALWAYS_INLINE void wl_table_run_begin(const wl_cache *c, wl_table_run *m)
{
    m->buckets = c->buckets;
    m->places = c->places;
    m->spare = (uint32_t)c->group_mask + 1;
    m->ways = c->ways;
    m->dirty = c->shape.write_back;
    m->first = wl_table_first(c);
    m->sure = (uint32_t) - !c->mixed;
    m->holes = c->queues[0].holes;
    m->random = c->random;
}

/* After wl_table_run_begin: for up to WL_AT_ONCE loads. */
WL_ALWAYS_INLINE void wl_table_run_foresee(wl_table_run *m, wl_draws *draws, size_t loads)
{
    wl_draws_foresee(draws, m->random, m->ways, (uint32_t)loads + WL_DRAWS);
    m->draws = draws;
    m->drawn = m->fetched = draws->first;
}

/* Where the lines of the next draws are, and what is there. Nothing is wrong if an access in
 * between changes that. */
WL_ALWAYS_INLINE void wl_table_run_fetch(wl_table_run *m)
{
    for (; m->fetched < m->drawn + WL_DRAWS / 2; m->fetched++) {
        wl_fetch_ahead(&m->places[m->draws->slots[m->fetched + WL_DRAWS / 2]]);
        const uint32_t then = m->places[m->draws->slots[m->fetched]];
        wl_fetch_ahead(&m->buckets[(then & ~WL_PASSED_ON) / WL_POSITIONS]);
    }
}

WL_ALWAYS_INLINE void wl_table_run_seen(wl_table_run *m) { m->random = m->draws->states[m->drawn]; }

WL_ALWAYS_INLINE void wl_table_run_end(wl_cache *c, const wl_table_run *m)
{
    c->queues[0].holes = m->holes;
    c->random = m->random;
}

/* By the usual way. */
WL_ALWAYS_INLINE wl_spot wl_table_run_leave(wl_cache *c, wl_table_run *m, wl_key key)
{
    const uint64_t before = m->random;
    wl_table_run_end(c, m);
    const wl_touched_at found = wl_table_touch_apart(c, key.line);
    wl_table_run_begin(c, m);
    m->drawn += m->random != before;
    return wl_spot_of(c, found);
}

/* False: one of the few for the usual way. */
WL_ALWAYS_INLINE bool wl_table_run_spot(const wl_table_run *m, wl_key key, bool dense, wl_spot *s)
{
    s->bucket = &m->buckets[key.group];
    const uint32_t both = wl_bucket_places(s->bucket, key.tag, m->first, dense);
    s->there = wl_mask_of((both & 0xff) != 0);
    s->place = (uint32_t)__builtin_ctz(both | 1u << 16) % 8;
    s->position = (uint32_t)key.group * WL_POSITIONS + s->place;
    return both && (s->bucket->passed & ~s->there) == 0;
}

/* Enters the line if it is not there. Not where it stands already: a search just after a store to a
 * part of what it reads has to wait. */
WL_ALWAYS_INLINE void wl_table_run_enter(const wl_table_run *m, const wl_spot *s, wl_key key, uint32_t slot, bool dense)
{
    wl_bucket *to = &m->buckets[wl_either(s->there, m->spare, (uint32_t)key.group)];
    wl_bucket_enter(to, s->place, key.tag, dense);
    *wl_bucket_used(to, s->place, dense) = slot + 1;
    m->places[slot] = wl_either(s->there, m->places[slot], s->position);
}

/* As wl_table_touch_random, of a cache without holes: a random line goes .. */
WL_ALWAYS_INLINE wl_spot wl_table_run_random(wl_cache *c, wl_table_run *m, wl_key key, bool dense)
{
    wl_spot s;
    const uint32_t slot = m->draws->slots[m->drawn], gone = m->places[slot];
    if (!wl_table_run_spot(m, key, dense, &s) || (gone & ~s.there & WL_PASSED_ON)) {
        wl_table_run_seen(m);
        return wl_table_run_leave(c, m, key);
    }
    if (s.there & m->sure)
        return s;
    if (m->dirty & ~s.there)
        wl_table_written_back(c, gone & ~WL_PASSED_ON);
    uint8_t *used = (uint8_t *)wl_bucket_used(m->buckets, 0, dense);
    const size_t removed = wl_either(s.there, m->spare * WL_POSITIONS, gone & ~WL_PASSED_ON);
    memcpy(used + removed * sizeof(uint32_t), &(uint32_t){0}, sizeof(uint32_t));
    wl_table_run_enter(m, &s, key, slot, dense);
    m->drawn += ~s.there & 1;
    return s;
}

/* The slot from which on the draw after this state evicts lines. */
WL_ALWAYS_INLINE uint32_t wl_table_run_slot(const wl_table_run *m, uint64_t state)
{
    return (uint32_t)wl_random_below(wl_random_next(state), m->ways);
}

/* The next draw but one: where its lines are; the next one: what is there. Nothing is wrong if an
 * access in between changes that. */
WL_ALWAYS_INLINE void wl_table_run_look_ahead(const wl_table_run *m)
{
    const uint32_t next = wl_table_run_slot(m, m->random), later = wl_table_run_slot(m, wl_random_next(m->random));
    for (uint32_t i = 0; i < WL_RUN; i++) {
        const uint32_t slot = next + i < (uint32_t)m->ways ? next + i : next;
        wl_fetch_ahead(&m->buckets[(m->places[slot] & ~WL_PASSED_ON) / WL_POSITIONS]);
    }
    wl_fetch_ahead(&m->places[later]);
    wl_fetch_ahead(&m->places[later + WL_RUN < (uint32_t)m->ways ? later + WL_RUN : 0]);
}

/* Evicts a run of lines. False: some are for the usual way, and nothing has changed. */
WL_ALWAYS_INLINE bool wl_table_run_evict(wl_cache *c, wl_table_run *m, bool dense)
{
    const uint32_t first = wl_table_run_slot(m, m->random);
    uint32_t gone[WL_RUN], all = 0;
    if (first + WL_RUN > (uint32_t)m->ways || c->run != WL_RUN)
        return false;
    for (uint32_t i = 0; i < WL_RUN; i++)
        all |= gone[i] = m->places[first + i];
    if (all & WL_PASSED_ON)
        return false;
    for (uint32_t i = 0; i < WL_RUN; i++) {
        if (m->dirty)
            wl_table_written_back(c, gone[i]);
        *wl_bucket_used(&m->buckets[gone[i] / WL_POSITIONS], gone[i] % WL_POSITIONS, dense) = 0;
    }
    m->random = wl_random_next(m->random);
    m->holes = (wl_holes){(int32_t)first, WL_RUN};
    wl_table_run_look_ahead(m);
    return true;
}

/* .. or four of them; then three misses find slots without a line. */
WL_ALWAYS_INLINE wl_spot wl_table_run_random_4(wl_cache *c, wl_table_run *m, wl_key key, bool dense)
{
    wl_spot s;
    const bool usual = wl_table_run_spot(m, key, dense, &s);
    if (usual && (s.there & m->sure))
        return s;
    /* one test, not one of each: whether a line is there cannot be guessed */
    if (!usual || ((s.there | (uint32_t)m->holes.count) == 0 && !wl_table_run_evict(c, m, dense)))
        return wl_table_run_leave(c, m, key);
    const uint32_t fills = ~s.there & 1;
    wl_table_run_enter(m, &s, key, (uint32_t)m->holes.first, dense);
    m->holes.count -= (int32_t)fills;
    m->holes.first += (int32_t)fills;
    m->holes.first = m->holes.first == m->ways ? 0 : m->holes.first;
    return s;
}

#endif /* WL_CACHE_LINE_TABLE_H */
