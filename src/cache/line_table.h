/* line_table.h - one set of many ways, too large for the caches of the host: a hash table that
 * holds the lines themselves, so that an access needs little of the host's memory.
 *
 * A bucket has eight places in two neighbouring memory lines: numbers of lines (of 48 bits, low and
 * high ones apart), which are compared at once, then their sectors and last uses. All that a hit
 * needs follows from the hash, so it can be prefetched without a search. A bucket that is full
 * passes lines on to the next one, and counts them: a search goes on only where something was
 * passed on.
 *
 * Recency is a queue with one entry per use, of which only the last one of each line counts; others
 * are overwritten by WL_NO_POSITION, and eight of these are skipped at once. A full queue is
 * compacted. Random policies draw a slot, a number that each line has; draws are made in advance,
 * so that victims can be prefetched.
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

/* upper bits of the number of a line that is none */
#define WL_TABLE_NONE 0xffffu
#define WL_TABLE_LINES ((uint64_t)WL_TABLE_NONE << 32) /* numbers are below */
#define WL_DRAWS 32                                    /* that are known before, a power of two */
#define WL_NO_POSITION UINT32_MAX
#define WL_SCANNED 8 /* entries of the queue that are looked at together */

/* A line's position is WL_POSITIONS * bucket + place: so is the number of its upper half, counted
 * in halves from the one of the first bucket on. */
#define WL_POSITIONS ((uint32_t)(sizeof(wl_bucket) / sizeof(uint16_t)))

static inline uint64_t wl_bucket_line(const wl_bucket *b, uint32_t place)
{
    return (uint64_t)b->high[place] << 32 | b->low[place];
}

static inline wl_bucket *wl_bucket_of(const wl_cache *c, uint32_t position)
{
    return &c->buckets[position / WL_POSITIONS];
}

static inline uint32_t wl_place_of(uint32_t position) { return position % WL_POSITIONS; }

/* Without gaps. */
static inline size_t wl_table_number(uint32_t position)
{
    return (size_t)position / WL_POSITIONS * WL_PLACES + wl_place_of(position);
}

WL_ALWAYS_INLINE void wl_table_remove(wl_bucket *buckets, uint32_t position)
{
    uint8_t *first = (uint8_t *)buckets + offsetof(wl_bucket, high);
    memcpy(first + (size_t)position * sizeof(uint16_t), &(uint16_t){WL_TABLE_NONE}, sizeof(uint16_t));
}

/* A bit for the place with this line, and from bit 8 on one for each place without a line. */
WL_ALWAYS_INLINE uint32_t wl_bucket_places(const wl_bucket *b, uint64_t line)
{
    return wl_same_or_none(b->low, b->high, (uint32_t)line, (uint32_t)(line >> 32), WL_TABLE_NONE);
}

/* The first of these alone. */
WL_ALWAYS_INLINE uint32_t wl_bucket_alike(const wl_bucket *b, uint64_t line)
{
    return wl_same_of_eight(b->low, b->high, (uint32_t)line, (uint32_t)(line >> 32));
}

/* The position of a line; -1: it is not there. */
WL_ALWAYS_INLINE int32_t wl_table_find(const wl_cache *c, wl_key key)
{
    for (uint64_t at = key.group;; at = (at + 1) & c->group_mask) {
        const uint32_t alike = wl_bucket_alike(&c->buckets[at], key.line);
        if (alike)
            return (int32_t)(at * WL_POSITIONS + (uint64_t)__builtin_ctz(alike));
        if (c->buckets[at].passed == 0)
            return -1;
    }
}

/* A position with WL_PASSED_ON, if it is not in the bucket of its hash. */
static inline uint32_t wl_table_marked(wl_key key, uint32_t position)
{
    return position | (position / WL_POSITIONS != key.group ? WL_PASSED_ON : 0);
}

void wl_table_shorten(wl_cache *c);

/* Makes a line the last used one, of which no use is noted. */
static inline void wl_table_note_use(wl_cache *c, uint32_t marked)
{
    wl_queue *q = &c->queues[0];
    if (q->tail == c->queue_room)
        wl_table_shorten(c);
    c->entries[q->tail] = marked;
    wl_bucket_of(c, marked & ~WL_PASSED_ON)->used[wl_place_of(marked)] = q->tail++;
}

/* The entry of the line that was used least recently, from this one on. There is one. */
WL_ALWAYS_INLINE uint32_t wl_table_oldest(const uint32_t *entries, uint32_t from)
{
    uint32_t kept;
    while ((kept = wl_other_of_eight(entries + from, WL_NO_POSITION)) == 0)
        from += WL_SCANNED;
    return from + (uint32_t)__builtin_ctz(kept);
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
        c->entries[wl_bucket_of(c, (uint32_t)at)->used[wl_place_of((uint32_t)at)]] = WL_NO_POSITION;
        wl_table_note_use(c, wl_table_marked(key, (uint32_t)at));
    }
    return at;
}

/* ---- many loads, of which some hit and some do not ---- */

/* What they need, apart from the cache: no store to its tables can change it. */
typedef struct wl_table_run {
    wl_bucket *buckets;
    uint32_t *entries, *places;
    uint32_t tail, room, spare; /* spare: a bucket that belongs to no hash */
    int64_t evicted;
    uint32_t head;
    int32_t ways;
    bool dirty; /* lines may be dirty */
    wl_holes holes;
    uint64_t random;          /* the generator, after what was drawn */
    uint64_t later[WL_DRAWS]; /* after each of the next draws: a ring, the next one at `drawn` */
    uint32_t drawn;
} wl_table_run;

WL_ALWAYS_INLINE void wl_table_run_begin(const wl_cache *c, wl_table_run *m)
{
    m->buckets = c->buckets;
    m->entries = c->entries;
    m->places = c->places;
    m->head = c->queues[0].head;
    m->tail = c->queues[0].tail;
    m->room = c->queue_room;
    m->spare = (uint32_t)c->group_mask + 1;
    m->ways = c->ways;
    m->evicted = 0;
    m->dirty = c->shape.write_back;
    m->holes = c->queues[0].holes;
    m->random = c->random;
}

/* After wl_table_run_begin, for random policies. */
WL_ALWAYS_INLINE void wl_table_run_foresee(wl_table_run *m)
{
    uint64_t state = m->random;
    m->drawn = 0;
    for (int i = 0; i < WL_DRAWS; i++)
        m->later[i] = state = wl_random_next(state);
}

WL_ALWAYS_INLINE void wl_table_run_end(wl_cache *c, const wl_table_run *m)
{
    c->queues[0].head = m->head;
    c->queues[0].tail = m->tail;
    c->queues[0].holes = m->holes;
    c->counts.evicted_lines += m->evicted;
    c->random = m->random;
}

/* One draw was used. */
WL_ALWAYS_INLINE void wl_table_run_drawn(wl_table_run *m, uint32_t used)
{
    const uint64_t keep = (uint64_t)used - 1, now = m->later[m->drawn % WL_DRAWS],
                   next = wl_random_next(m->later[(m->drawn + WL_DRAWS - 1) % WL_DRAWS]);
    m->random = (m->random & keep) | (now & ~keep);
    m->later[m->drawn % WL_DRAWS] = (now & keep) | (next & ~keep);
    m->drawn += used;
}

/* Counts dirty sectors of a position as written back. */
void wl_table_written_back(wl_cache *c, uint32_t position);

/* Where a line is or will be. */
typedef struct wl_spot {
    wl_bucket *bucket;
    uint32_t place, position;
    uint32_t there; /* a mask: all bits or none */
} wl_spot;

/* wl_table_touch, for where it is rare. */
wl_spot wl_table_touch_apart(wl_cache *c, wl_key key);

/* By the usual way. */
WL_ALWAYS_INLINE wl_spot wl_table_run_leave(wl_cache *c, wl_table_run *m, wl_key key)
{
    wl_table_run_end(c, m);
    const uint64_t before = c->random;
    const wl_spot found = wl_table_touch_apart(c, key);
    wl_table_run_begin(c, m);
    if (c->random != before && c->shape.policy == WL_POLICY_RANDOM)
        wl_table_run_drawn(m, 1);
    return found;
}

/* False: one of the few for the usual way. */
WL_ALWAYS_INLINE bool wl_table_run_spot(const wl_table_run *m, wl_key key, wl_spot *s)
{
    s->bucket = &m->buckets[key.group];
    const uint32_t both = wl_bucket_places(s->bucket, key.line), alike = both & 0xff, open = both >> WL_PLACES;
    const uint32_t found = alike ? alike : open;
    s->there = (uint32_t) - (alike != 0);
    s->place = (uint32_t)__builtin_ctz(found ? found : 1);
    s->position = (uint32_t)key.group * WL_POSITIONS + s->place;
    return found && (s->bucket->passed & ~s->there) == 0;
}

/* Enters the line if it is not there. Not where it stands already: a search just after a store to a
 * part of what it reads has to wait. */
WL_ALWAYS_INLINE void wl_table_run_enter(const wl_table_run *m, const wl_spot *s, wl_key key)
{
    wl_bucket *to = &m->buckets[wl_either(s->there, m->spare, (uint32_t)key.group)];
    to->low[s->place] = (uint32_t)key.line;
    to->high[s->place] = (uint16_t)(key.line >> 32);
    s->bucket->sectors[s->place] &= s->there;
}

/* Removes the line at a position, unless ours is there. */
WL_ALWAYS_INLINE void wl_table_run_remove(wl_cache *c, wl_table_run *m, const wl_spot *s, uint32_t position)
{
    if (m->dirty && !s->there)
        wl_table_written_back(c, position);
    wl_table_remove(m->buckets, wl_either(s->there, m->spare * WL_POSITIONS, position));
    m->evicted += ~s->there & 1;
}

/* As wl_table_touch with least recently used policy, of a cache without holes. */
WL_ALWAYS_INLINE wl_spot wl_table_touch_mixed(wl_cache *c, wl_table_run *m, wl_key key)
{
    wl_spot s;
    if (!wl_table_run_spot(m, key, &s) || m->tail == m->room)
        return wl_table_run_leave(c, m, key);
    const uint32_t last = wl_table_oldest(m->entries, m->head), oldest = m->entries[last];
    if (oldest & ~s.there & WL_PASSED_ON)
        return wl_table_run_leave(c, m, key);
    /* what is evicted next */
    for (uint32_t i = m->head + WL_DRAWS; i <= last + WL_DRAWS && i < m->tail; i++)
        wl_fetch_ahead(&m->buckets[(m->entries[i] & ~WL_PASSED_ON) / WL_POSITIONS & (m->spare - 1)]);
    m->head = last + 1 + s.there; /* what is evicted lies before it then */
    wl_table_run_remove(c, m, &s, oldest & ~WL_PASSED_ON);
    wl_table_run_enter(m, &s, key);
    m->entries[wl_either(s.there, s.bucket->used[s.place], m->room + WL_SCANNED)] = WL_NO_POSITION;
    m->entries[m->tail] = s.position;
    s.bucket->used[s.place] = m->tail++;
    return s;
}

/* The same with a random policy: a random line goes .. */
WL_ALWAYS_INLINE wl_spot wl_table_touch_mixed_random(wl_cache *c, wl_table_run *m, wl_key key)
{
    wl_spot s;
    const uint32_t slot = (uint32_t)wl_random_below(m->later[m->drawn % WL_DRAWS], m->ways), gone = m->places[slot];
    if (!wl_table_run_spot(m, key, &s) || (gone & ~s.there & WL_PASSED_ON))
        return wl_table_run_leave(c, m, key);
    wl_table_run_remove(c, m, &s, gone & ~WL_PASSED_ON);
    wl_table_run_enter(m, &s, key);
    s.bucket->used[s.place] = wl_either(s.there, s.bucket->used[s.place], slot);
    m->places[slot] = wl_either(s.there, gone, s.position);
    wl_table_run_drawn(m, ~s.there & 1);
    const uint32_t far = m->drawn + WL_DRAWS - 1, half = m->drawn + WL_DRAWS / 2;
    wl_fetch_ahead(&m->places[wl_random_below(m->later[far % WL_DRAWS], m->ways)]);
    const uint32_t then = m->places[wl_random_below(m->later[half % WL_DRAWS], m->ways)];
    wl_fetch_ahead(&m->buckets[(then & ~WL_PASSED_ON) / WL_POSITIONS]);
    return s;
}

/* .. or four of them, in the usual way; then three misses find slots without a line. */
WL_ALWAYS_INLINE wl_spot wl_table_touch_mixed_4(wl_cache *c, wl_table_run *m, wl_key key)
{
    wl_spot s;
    if (!wl_table_run_spot(m, key, &s) || (~s.there && m->holes.count == 0))
        return wl_table_run_leave(c, m, key);
    const uint32_t slot = (uint32_t)m->holes.first, fills = ~s.there & 1;
    wl_table_run_enter(m, &s, key);
    s.bucket->used[s.place] = wl_either(s.there, s.bucket->used[s.place], slot);
    m->places[slot] = wl_either(s.there, m->places[slot], s.position);
    m->holes.count -= (int32_t)fills;
    m->holes.first += (int32_t)fills;
    m->holes.first = m->holes.first == m->ways ? 0 : m->holes.first;
    return s;
}

/* Can a cache have such a table? */
bool wl_table_can(const wl_cache *cache);
/* False: no memory. */
bool wl_table_make(wl_cache *cache);
/* Makes a table of many_ways.h of it, for lines with larger numbers. False: no memory, and nothing
 * has changed. */
bool wl_table_widen(wl_cache *cache);
/* Counts dirty sectors as written back; the lines stay, clean. */
void wl_table_clean(wl_cache *cache);

#endif /* WL_CACHE_LINE_TABLE_H */
