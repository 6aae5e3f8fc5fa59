/* line_table.h - one set of many ways: a hash table that holds the lines themselves.
 *
 * A bucket has eight places in two neighbouring memory lines: numbers of lines (of 48 bits, low and high ones apart),
 * which are compared at once, then their sectors and last uses. All that a hit needs follows from the hash, so it can be
 * fetched ahead without a search. A bucket that is full passes lines on to the next one, and counts them: a search goes
 * on only where something was passed on.
 *
 * Recency is a queue with one entry per use, of which only the last one of each place counts: a bit tells which do, so
 * that the oldest is found without looking at others. A full queue is shortened to what counts. Random policies draw a
 * slot, a number that each line has; what will be drawn is known before, and fetched ahead.
 *
 * Where some lines are there and some are not, no branch depends on that (wl_table_touch_mixed).
 *
 * A line beyond WL_TABLE_LINES makes the table one of many_ways.h.
 *
 * Layer  cache. Oracle: tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_LINE_TABLE_H
#define WL_CACHE_LINE_TABLE_H

#include "cache/cache_internal.h"

#define WL_TABLE_NONE 0xffffu                               /* upper bits of the number of a line that is none */
#define WL_TABLE_LINES ((uint64_t)WL_TABLE_NONE << 32)      /* numbers are below */
#define WL_DRAWS 32                                         /* that are known before, a power of two */

static inline uint64_t wl_bucket_line(const wl_bucket *b, uint32_t place)
{
    return (uint64_t)b->high[place] << 32 | b->low[place];
}

static inline wl_bucket *wl_bucket_of(const wl_cache *c, uint32_t position)
{
    return &c->buckets[position / WL_PLACES];
}

/* A bit for the place with this line, and from bit 8 on one for each place without a line. */
WL_ALWAYS_INLINE uint32_t wl_bucket_places(const wl_bucket *b, uint64_t line)
{
    return wl_same_or_none(b->low, b->high, (uint32_t)line, (uint32_t)(line >> 32), WL_TABLE_NONE);
}

/* Of two buckets the first if the mask is all bits, the second if it is none, without a guess. */
WL_ALWAYS_INLINE wl_bucket *wl_either_bucket(uint32_t mask, wl_bucket *first, wl_bucket *second)
{
    uintptr_t a = (uintptr_t)first, b = (uintptr_t)second, wide = (uintptr_t)(intptr_t)(int32_t)mask;
    return (wl_bucket *)(void *)((a & wide) | (b & ~wide)); /* NOLINT(performance-no-int-to-ptr) */
}

/* The position of a line, WL_PLACES * bucket + place; -1: it is not there. */
WL_ALWAYS_INLINE int32_t wl_table_find(const wl_cache *c, wl_key key)
{
    for (uint64_t at = key.group;; at = (at + 1) & c->group_mask) {
        const uint32_t alike = wl_bucket_places(&c->buckets[at], key.line) & 0xff;
        if (alike)
            return (int32_t)(at * WL_PLACES + (uint64_t)__builtin_ctz(alike));
        if (c->buckets[at].passed == 0)
            return -1;
    }
}

/* A position with WL_PASSED_ON, if it is not in the bucket of its hash. */
static inline uint32_t wl_table_marked(wl_key key, uint32_t position)
{
    return position | (position / WL_PLACES != key.group ? WL_PASSED_ON : 0);
}

void wl_table_shorten(wl_cache *c);

static inline void wl_table_forget_use(wl_cache *c, uint32_t used)
{
    c->last_uses[used / 64] &= ~((uint64_t)1 << used % 64);
}

/* Makes a line the last used one, of which no use is noted. */
static inline void wl_table_note_use(wl_cache *c, uint32_t marked)
{
    wl_queue *q = &c->queues[0];
    if (q->tail == c->queue_room)
        wl_table_shorten(c);
    c->entries[q->tail] = marked;
    c->last_uses[q->tail / 64] |= (uint64_t)1 << q->tail % 64;
    wl_bucket_of(c, marked & ~WL_PASSED_ON)->used[marked % WL_PLACES] = q->tail++;
}

/* A position for a line that is not there, as the last used one. */
int32_t wl_table_place(wl_cache *c, wl_key key);

/* Finds or makes a line, and makes it the last used one. */
WL_ALWAYS_INLINE int32_t wl_table_touch(wl_cache *c, wl_key key, bool lru, wl_touched *touched)
{
    const int32_t at = wl_table_find(c, key);
    touched->resident = at >= 0;
    if (at < 0) {
        const int32_t placed = wl_table_place(c, key);
        touched->evicted = c->evicted_count;
        return placed;
    }
    if (lru) {
        wl_table_forget_use(c, wl_bucket_of(c, (uint32_t)at)->used[(uint32_t)at % WL_PLACES]);
        wl_table_note_use(c, wl_table_marked(key, (uint32_t)at));
    }
    return at;
}

/* wl_table_touch, for where it is rare. */
typedef struct wl_found {
    uint32_t at;
    bool resident;
} wl_found;
wl_found wl_table_touch_apart(wl_cache *c, wl_key key);

/* ---- many loads, of which some hit and some do not ---- */

/* What they need, apart from the cache: no store to its tables can change it. */
typedef struct wl_mixed {
    wl_bucket *buckets;
    uint32_t *entries, *places;
    uint64_t *last_uses;
    uint32_t head, tail, room;
    int64_t evicted;
    bool dirty; /* lines may be dirty */
    wl_holes holes;
    uint64_t random;            /* the generator, after what was drawn */
    uint64_t later[WL_DRAWS];   /* after each of the next draws: a ring, the next one at `drawn` */
    uint32_t drawn;
} wl_mixed;

WL_ALWAYS_INLINE void wl_mixed_begin(const wl_cache *c, wl_mixed *m)
{
    m->buckets = c->buckets;
    m->entries = c->entries;
    m->places = c->places;
    m->last_uses = c->last_uses;
    m->head = c->queues[0].head;
    m->tail = c->queues[0].tail;
    m->room = c->queue_room;
    m->evicted = 0;
    m->dirty = c->shape.write_back;
    m->holes = c->queues[0].holes;
    m->random = c->random;
}

/* After wl_mixed_begin, for random policies. */
WL_ALWAYS_INLINE void wl_mixed_foresee(wl_mixed *m)
{
    uint64_t state = m->random;
    m->drawn = 0;
    for (int i = 0; i < WL_DRAWS; i++)
        m->later[i] = state = wl_random_next(state);
}

WL_ALWAYS_INLINE void wl_mixed_end(wl_cache *c, const wl_mixed *m)
{
    c->queues[0].head = m->head;
    c->queues[0].tail = m->tail;
    c->queues[0].holes = m->holes;
    c->counts.evicted_lines += m->evicted;
    c->random = m->random;
}

/* One draw was used. */
WL_ALWAYS_INLINE void wl_mixed_drawn(wl_mixed *m, uint32_t used)
{
    const uint64_t keep = (uint64_t)used - 1, now = m->later[m->drawn % WL_DRAWS],
                   next = wl_random_next(m->later[(m->drawn + WL_DRAWS - 1) % WL_DRAWS]);
    m->random = (m->random & keep) | (now & ~keep);
    m->later[m->drawn % WL_DRAWS] = (now & keep) | (next & ~keep);
    m->drawn += used;
}

/* By the usual way. */
WL_ALWAYS_INLINE uint32_t wl_mixed_leave(wl_cache *c, wl_mixed *m, wl_key key, wl_touched *touched)
{
    wl_mixed_end(c, m);
    const uint64_t before = c->random;
    const wl_found found = wl_table_touch_apart(c, key);
    touched->resident = found.resident;
    wl_mixed_begin(c, m);
    if (c->random != before && c->shape.policy == WL_POLICY_RANDOM)
        wl_mixed_drawn(m, 1);
    return found.at;
}

/* Notes that dirty sectors of a position are written back, if `gone` is 1. */
void wl_table_written_back(wl_cache *c, uint32_t position);

/* Where a line is or will be; `there`: a mask, all bits if it is. False: one of the few for the usual way. */
typedef struct wl_spot {
    wl_bucket *bucket;
    uint32_t place, position, there;
} wl_spot;

WL_ALWAYS_INLINE bool wl_mixed_spot(const wl_mixed *m, wl_key key, wl_spot *s)
{
    s->bucket = &m->buckets[key.group];
    const uint32_t both = wl_bucket_places(s->bucket, key.line), alike = both & 0xff, open = both >> WL_PLACES;
    s->there = (uint32_t) - (alike != 0);
    s->place = (uint32_t)__builtin_ctz((alike & s->there) | (open & ~s->there) | 1u << WL_PLACES) % WL_PLACES;
    s->position = (uint32_t)key.group * WL_PLACES + s->place;
    return (((uint32_t)(open == 0) | s->bucket->passed) & ~s->there) == 0;
}

/* Enters the line if it is not there. Not where it stands already: a search just after a store to a part of what it
 * reads has to wait. */
WL_ALWAYS_INLINE void wl_mixed_enter(const wl_spot *s, wl_bucket *spare, wl_key key)
{
    wl_bucket *to = wl_either_bucket(s->there, spare, s->bucket);
    to->low[s->place] = (uint32_t)key.line;
    to->high[s->place] = (uint16_t)(key.line >> 32);
    s->bucket->sectors[s->place] &= s->there;
}

/* Removes the line at a position, unless ours is there. */
WL_ALWAYS_INLINE void wl_mixed_remove(wl_cache *c, wl_mixed *m, const wl_spot *s, wl_bucket *spare, uint32_t position)
{
    if (m->dirty && !s->there)
        wl_table_written_back(c, position);
    wl_either_bucket(s->there, spare, &m->buckets[position / WL_PLACES])->high[position % WL_PLACES] = WL_TABLE_NONE;
    m->evicted += ~s->there & 1;
}

/* As wl_table_touch with least recently used policy, of a cache without holes. spare: where a line is entered that is
 * there already. */
WL_ALWAYS_INLINE uint32_t wl_table_touch_mixed(wl_cache *c, wl_mixed *m, wl_bucket *spare, wl_key key, bool large,
                                               wl_touched *touched)
{
    wl_spot s;
    if (!wl_mixed_spot(m, key, &s) || m->tail == m->room)
        return wl_mixed_leave(c, m, key, touched);
    uint32_t word = m->head / 64;
    while (m->last_uses[word] == 0)
        word++;
    const uint32_t last = 64 * word + (uint32_t)__builtin_ctzll(m->last_uses[word]), oldest = m->entries[last];
    if (oldest & ~s.there & WL_PASSED_ON)
        return wl_mixed_leave(c, m, key, touched);
    if (large) /* what is evicted next */
        for (uint32_t i = m->head + WL_DRAWS; i < last + WL_DRAWS && i < m->tail; i++)
            wl_fetch_ahead(&m->buckets[(m->entries[i] & ~WL_PASSED_ON) / WL_PLACES]);
    m->head = last;
    touched->resident = s.there;
    wl_mixed_remove(c, m, &s, spare, oldest & ~WL_PASSED_ON);
    wl_mixed_enter(&s, spare, key);
    const uint32_t forgotten = (s.bucket->used[s.place] & s.there) | (last & ~s.there);
    m->last_uses[forgotten / 64] &= ~((uint64_t)1 << forgotten % 64);
    m->entries[m->tail] = s.position;
    m->last_uses[m->tail / 64] |= (uint64_t)1 << m->tail % 64;
    s.bucket->used[s.place] = m->tail++;
    return s.position;
}

/* The same with a random policy: a random line goes .. */
WL_ALWAYS_INLINE uint32_t wl_table_touch_mixed_random(wl_cache *c, wl_mixed *m, wl_bucket *spare, wl_key key,
                                                      bool large, wl_touched *touched)
{
    wl_spot s;
    const uint32_t slot = (uint32_t)wl_random_below(m->later[m->drawn % WL_DRAWS], c->ways), gone = m->places[slot];
    if (!wl_mixed_spot(m, key, &s) || (gone & ~s.there & WL_PASSED_ON))
        return wl_mixed_leave(c, m, key, touched);
    touched->resident = s.there;
    wl_mixed_remove(c, m, &s, spare, gone & ~WL_PASSED_ON);
    wl_mixed_enter(&s, spare, key);
    s.bucket->used[s.place] = (s.bucket->used[s.place] & s.there) | (slot & ~s.there);
    m->places[slot] = (gone & s.there) | (s.position & ~s.there);
    wl_mixed_drawn(m, ~s.there & 1);
    if (large) {
        const uint32_t far = m->drawn + WL_DRAWS - 1, half = m->drawn + WL_DRAWS / 2;
        wl_fetch_ahead(&m->places[wl_random_below(m->later[far % WL_DRAWS], c->ways)]);
        const uint32_t then = m->places[wl_random_below(m->later[half % WL_DRAWS], c->ways)];
        wl_fetch_ahead(&m->buckets[(then & ~WL_PASSED_ON) / WL_PLACES]);
    }
    return s.position;
}

/* .. or four of them, in the usual way; then three misses find slots without a line. */
WL_ALWAYS_INLINE uint32_t wl_table_touch_mixed_4(wl_cache *c, wl_mixed *m, wl_bucket *spare, wl_key key,
                                                 wl_touched *touched)
{
    wl_spot s;
    if (!wl_mixed_spot(m, key, &s) || (~s.there && m->holes.count == 0))
        return wl_mixed_leave(c, m, key, touched);
    const uint32_t slot = (uint32_t)m->holes.first, fills = ~s.there & 1;
    touched->resident = s.there;
    wl_mixed_enter(&s, spare, key);
    s.bucket->used[s.place] = (s.bucket->used[s.place] & s.there) | (slot & ~s.there);
    m->places[slot] = (m->places[slot] & s.there) | (s.position & ~s.there);
    m->holes.count -= (int32_t)fills;
    m->holes.first += (int32_t)fills;
    m->holes.first = m->holes.first == c->ways ? 0 : m->holes.first;
    return s.position;
}

/* Can a cache have such a table? */
bool wl_table_can(const wl_cache *cache);
/* False: no memory. */
bool wl_table_make(wl_cache *cache);
/* Makes a table of many_ways.h of it, for lines with larger numbers. False: no memory, and nothing has changed. */
bool wl_table_widen(wl_cache *cache);
/* Counts dirty sectors as written back; the lines stay, clean. */
void wl_table_clean(wl_cache *cache);

#endif /* WL_CACHE_LINE_TABLE_H */
