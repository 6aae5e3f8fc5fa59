/* lru_table.h - one set of many ways, least recently used policy: the hash table of line_table.h,
 * in which every line has the time of its last use.
 *
 * The cache holds the lines that were used from a certain time on, `head`: with each miss of a full
 * cache this time moves on behind the next one that is the last use of a line. Nothing else happens
 * to the line that is evicted: a line of the table that was last used before `head` is not there,
 * and its place is open. So an access needs the bucket of its hash, which can be fetched ahead
 * without a search, and a bit for each time that tells whether it is the last use of a line: so few
 * that they stay near. Where some lines are there and some are not, no branch depends on that.
 *
 * A full bucket passes lines on to the next one, and knows when such a line was last used: a search
 * goes on only if that is not before `head`.
 *
 * These bits are a ring, and so are the positions of the lines that were used, which tell what is
 * evicted where that is asked for. If the times from `head` on fill the ring, the lines get new
 * ones. What the bits are before `head` and from `tail` on does not matter.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_LRU_TABLE_H
#define WL_CACHE_LRU_TABLE_H

#include "cache/line_table.h"

/* the last one: vectors are compared as signed numbers */
#define WL_LRU_TIMES ((uint32_t)INT32_MAX)

/* The time of the oldest line, of which there is one. */
WL_ALWAYS_INLINE uint32_t wl_lru_oldest(const uint64_t *last_uses, uint32_t head, uint32_t ring)
{
    for (;; head = (head | 63) + 1) {
        const uint64_t from = last_uses[(head & ring) / 64] >> head % 64;
        if (from)
            return head + (uint32_t)__builtin_ctzll(from);
    }
}

/* Forgets a last use, if `is` is a mask of all bits. */
WL_ALWAYS_INLINE void wl_lru_forget(uint64_t *last_uses, uint32_t time, uint32_t ring, uint32_t is)
{
    last_uses[(time & ring) / 64] &= ~((uint64_t)(is & 1) << time % 64);
}

/* Makes some times the last use of a line. */
void wl_lru_are_last(wl_cache *c, uint32_t from, size_t count);

/* Makes the ring take some more uses. */
void wl_lru_make_room(wl_cache *c, size_t uses);

/* Finds or makes a line, and makes it the last used one. */
int32_t wl_lru_touch(wl_cache *c, wl_key key, wl_touched *touched);

/* ---- many loads ---- */

/* What they need, apart from the cache: no store to its tables can change it. */
typedef struct wl_lru_run {
    wl_bucket *buckets;
    uint32_t *entries;
    uint64_t *last_uses;
    uint32_t head, tail, ring; /* ring: a mask */
    int32_t holes;
    uint32_t dirty; /* 1, if lines may be, else 0 */
    uint32_t sure;  /* a mask: see wl_sets_run */
} wl_lru_run;

WL_ALWAYS_INLINE void wl_lru_run_begin(const wl_cache *c, wl_lru_run *m)
{
    m->buckets = c->buckets;
    m->entries = c->entries;
    m->last_uses = c->last_uses;
    m->head = c->queues[0].head;
    m->tail = c->queues[0].tail;
    m->ring = c->queue_room - 1;
    m->holes = c->queues[0].holes.count;
    m->dirty = c->shape.write_back;
    m->sure = (uint32_t) - !c->mixed;
}

WL_ALWAYS_INLINE void wl_lru_run_end(wl_cache *c, const wl_lru_run *m)
{
    c->queues[0].head = m->head;
    c->queues[0].tail = m->tail;
    c->queues[0].holes.count = m->holes;
}

/* By the usual way. */
WL_ALWAYS_INLINE wl_spot wl_lru_run_leave(wl_cache *c, wl_lru_run *m, wl_key key)
{
    wl_lru_run_end(c, m);
    const wl_touched_at found = wl_table_touch_apart(c, key.line);
    wl_lru_run_begin(c, m);
    return wl_spot_of(c, found);
}

/* Makes a line the last used one. */
WL_ALWAYS_INLINE void wl_lru_run_use(wl_lru_run *m, wl_spot *s, bool dense)
{
    uint32_t *used = wl_bucket_used(s->bucket, s->place, dense);
    /* what is evicted lies before `head` */
    wl_lru_forget(m->last_uses, *used, m->ring, s->there);
    m->entries[m->tail & m->ring] = s->position;
    *used = m->tail++;
}

/* Where the lines that are there begin, if one must be made; makes: 1 or 0. */
WL_ALWAYS_INLINE uint32_t wl_lru_run_next(wl_cache *c, wl_lru_run *m, uint32_t makes)
{
    if (m->holes > 0) {
        m->holes -= (int32_t)makes;
        return m->head;
    }
    const uint32_t oldest = wl_lru_oldest(m->last_uses, m->head, m->ring);
    if (m->dirty & makes)
        wl_table_written_back(c, m->entries[oldest & m->ring]);
    return oldest + 1;
}

/* As wl_lru_touch, but that the sectors of a new line are not set. */
WL_ALWAYS_INLINE wl_spot wl_lru_run_touch(wl_cache *c, wl_lru_run *m, wl_key key, bool dense)
{
    wl_bucket *b = &m->buckets[key.group];
    const uint32_t both = wl_bucket_places(b, key.tag, m->head, dense), alike = both & 0xff;
    wl_spot s = {.bucket = b, .place = (uint32_t)__builtin_ctz(both | 1u << 16) % 8};
    s.position = (uint32_t)key.group * WL_POSITIONS + s.place;
    s.there = wl_mask_of(alike != 0);
    if (s.there & m->sure) {
        wl_lru_run_use(m, &s, dense);
        return s;
    }
    /* few: no place, or lines were passed on */
    if (!both || (b->passed >= m->head && !s.there))
        return wl_lru_run_leave(c, m, key);
    const uint32_t next = wl_lru_run_next(c, m, ~s.there & 1);
    m->head = wl_either(s.there, m->head, next);
    wl_bucket_enter(b, s.place, key.tag, dense);
    wl_lru_run_use(m, &s, dense);
    return s;
}

/* False: no memory. */
bool wl_lru_make(wl_cache *cache);
/* The position of the next line in the order of use, from the time *at on, which is moved on, and
 * before `end`. False: there is none. */
bool wl_lru_next(const wl_cache *cache, uint32_t *at, uint32_t end, uint32_t *position);

#endif /* WL_CACHE_LRU_TABLE_H */
