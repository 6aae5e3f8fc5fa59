/* cache_lines.h - a table of lines: finds the place of a line, and knows which was used last.
 *
 * A set of many ways (cache.h) and the cache of replays (line_shelf.h) are such tables. (Sets of
 * few ways: few_ways.h.)
 *
 * A bucket has eight places in one memory line: for each a tag, the sectors, and a number that
 * tells whether a line is there, and when it was used. All follows from the hash, so memory can be
 * fetched without a search. The hash is a permutation of the numbers below 2^bits: of these lines,
 * bucket and tag are all of it. Once there was a line with a larger number, the numbers of all are
 * kept apart, and compared. A full bucket passes lines on to the next one, and knows of it: a
 * search goes on only where something was passed on.
 *
 * Least recently used policy: each use has a time, and a line is there if its last one is not
 * before `first`. So lines that leave cost nothing: `first` moves on behind the next time that is
 * the last use of a line, for which there is a bit. The times from `first` on fit into a ring;
 * where they would not, or become too large, lines get new ones.
 *
 * Layer  cache (uses base). Units: lines.
 * Oracle  tests/property/prop_cache.c, tests/unit/test_line_shelf.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CACHE_LINES_H
#define WL_CACHE_CACHE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cache/byte_lanes.h"

#define WL_PLACES 8 /* of a bucket */

#define WL_FORESEEN 256 /* uses */

#define WL_TAG_BITS 15
#define WL_PASSED_ON (1u << WL_TAG_BITS) /* in tags: not in the bucket of its hash */

typedef struct wl_bucket {
    uint16_t tags[WL_PLACES];
    uint32_t used[WL_PLACES];   /* time of the last use; without times: 1 or 0 */
    uint8_t sectors[WL_PLACES]; /* the caller's */
    uint32_t passed;            /* last use of any line passed on; without times: how many */
    uint32_t unused;
} wl_bucket;

typedef struct wl_lines {
    wl_bucket *buckets;
    uint32_t first; /* lines with `used` from here on are there */
    uint32_t next;  /* time */
    uint32_t ring;  /* a mask of times */
    bool lru;
    int bits;
    uint64_t count;    /* of buckets */
    uint64_t factor;   /* of the hash */
    uint64_t below;    /* numbers of all lines are; 0: all are kept, else of lines passed on */
    uint64_t *last;    /* a bit for each time: it is the last use of a line */
    int32_t *order;    /* the place that was used */
    uint64_t *numbers; /* of lines, by place */
    int64_t places;
} wl_lines;

/* Zeros, where memory lines of the host begin; much memory in large pages, where the system has
 * them: with small ones, accesses that go everywhere would also wait for addresses. NULL: none. */
void *wl_lines_memory(wl_arena *arena, size_t bytes);

/* Are caches of so many lines farther from the core than its nearby caches? */
bool wl_lines_are_far(int64_t lines);

/* Room for so many lines; none is there. lru: with times. False: no memory. */
bool wl_lines_make(wl_lines *lines, int64_t count, bool lru, wl_arena *arena);
/* All lines leave. */
void wl_lines_clear(wl_lines *lines);

WL_ALWAYS_INLINE void wl_fetch_ahead(const void *memory)
{
#if defined(__GNUC__)
    __builtin_prefetch(memory, 1, 3);
    /* gcc drops calls of functions that do nothing else */
    __asm__ volatile("" : : "r"(memory));
#else
    (void)memory;
#endif
}

/* ---- the table ---- */

/* Where a line is, or will be. */
typedef struct wl_spot {
    uint32_t bucket, at;
    uint32_t used; /* the last time, if it is there */
    bool there;
} wl_spot;

WL_ALWAYS_INLINE wl_spot wl_spot_of(int32_t place)
{
    return (wl_spot){(uint32_t)place / WL_PLACES, (uint32_t)place % WL_PLACES, 0, false};
}
WL_ALWAYS_INLINE int32_t wl_place_of(wl_spot s) { return (int32_t)(s.bucket * WL_PLACES + s.at); }

/* Where the hash of a line says that it is. */
typedef struct wl_home {
    uint32_t bucket, tag;
} wl_home;

/* The hash is a number of so many bits, at the top of a word. It times the number of buckets is a
 * bucket and a fraction, of which the first bits differ for all hashes of a bucket. */
WL_ALWAYS_INLINE wl_home wl_home_of(const wl_lines *l, uint64_t line)
{
    __extension__ typedef unsigned __int128 product;
    const product all = (product)((line ^ line >> l->bits) * l->factor) * l->count;
    return (wl_home){(uint32_t)(all >> 64), (uint32_t)((uint64_t)all >> (64 - WL_TAG_BITS))};
}

/* A bit for each place with this tag. */
WL_ALWAYS_INLINE uint64_t wl_bucket_alike(const wl_bucket *b, uint32_t tag)
{
    wl_shorts tags;
    memcpy(&tags, b->tags, sizeof tags);
    tags = tags == (int16_t)tag;
    return wl_lane_mask(wl_lanes_from_shorts(tags, tags)) % WL_LANE(WL_PLACES);
}

/* A bit for each place without a line. */
WL_ALWAYS_INLINE uint64_t wl_bucket_open(const wl_bucket *b, uint32_t first)
{
    wl_words low, high;
    memcpy(&low, &b->used[0], sizeof low);
    memcpy(&high, &b->used[WL_PLACES / 2], sizeof high);
    const wl_shorts open = wl_shorts_from(low < (int32_t)first, high < (int32_t)first);
    return wl_lane_mask(wl_lanes_from_shorts(open, open)) % WL_LANE(WL_PLACES);
}

WL_ALWAYS_INLINE int32_t wl_first_lane(uint64_t lanes) { return __builtin_ctzll(lanes) / WL_LANE_BITS; }

/* The place of a line; -1: it is not there. */
int32_t wl_lines_find(const wl_lines *lines, uint64_t line);
/* wl_lines_use for lines that are not where their hash says. */
wl_spot wl_lines_use_apart(wl_lines *lines, uint64_t line);
/* A line that was passed on leaves. */
void wl_lines_leave_passed(wl_lines *lines, int32_t place);

/* Loops over many accesses have a copy of a table's members in registers: what is rare needs the
 * table itself. Both may be the same. */
typedef struct wl_lines_run {
    wl_lines *l, *table;
} wl_lines_run;

/* Finds a line, or gives it a place: one that it had before, if it is still in its bucket, so that
 * no tag is there twice. Whether the line is there is often unknown: no branch depends on it; and
 * the next search waits for `first`, which depends on that: so tags are compared without it. kept:
 * numbers are; if it is false and they are, the usual way is not used. Least recently used policy:
 * wl_lines_foresee comes before, wl_lines_note follows. */
WL_ALWAYS_INLINE wl_spot wl_lines_use(wl_lines_run run, uint64_t line, bool lru, bool kept)
{
    wl_lines *l = run.l;
    const uint32_t first = lru ? l->first : 1;
    const wl_home home = wl_home_of(l, line);
    wl_bucket *b = &l->buckets[home.bucket];
    const uint64_t alike = wl_bucket_alike(b, home.tag), open = wl_bucket_open(b, first);
    const int32_t same = wl_first_lane(alike | WL_LANE(WL_PLACES - 1)),
                  other = wl_first_lane(open | WL_LANE(WL_PLACES - 1));
    wl_spot s = {home.bucket, (uint32_t)wl_either(wl_all_if(alike != 0), same, other), b->used[same], alike != 0};
    s.there &= s.used >= first;
    bool usual = (s.there | ((b->passed < first) & ((alike | open) != 0))) & (kept | (line < l->below));
    if (kept)
        usual &= (alike == 0) | (l->numbers[home.bucket * WL_PLACES + (uint32_t)same] == line);
    if (!usual) {
        *run.table = *l;
        s = wl_lines_use_apart(run.table, line);
        *l = *run.table;
        return s;
    }
    b->tags[s.at] = (uint16_t)home.tag;
    if (kept)
        l->numbers[wl_place_of(s)] = line;
    if (!lru)
        b->used[s.at] = 1;
    return s;
}

/* A place loses its line, if `leaves`; not with the least recently used policy. */
WL_ALWAYS_INLINE void wl_lines_leave(wl_lines_run run, int32_t place, bool leaves)
{
    const wl_spot s = wl_spot_of(place);
    wl_bucket *b = &run.l->buckets[s.bucket];
    if ((b->tags[s.at] >= WL_PASSED_ON) & leaves)
        wl_lines_leave_passed(run.table, place);
    b->used[s.at] &= (uint32_t)wl_all_if(!leaves);
}

/* The number of the line at a place. */
uint64_t wl_lines_number(const wl_lines *lines, int32_t place);

/* A search for this line will follow. */
WL_ALWAYS_INLINE void wl_lines_expect(const wl_lines *l, uint64_t line)
{
    const wl_home home = wl_home_of(l, line);
    wl_fetch_ahead(&l->buckets[home.bucket]);
    if (!l->below)
        wl_fetch_ahead(&l->numbers[home.bucket * WL_PLACES]);
}

/* ---- order of use ---- */

/* Gives lines new times. */
void wl_lines_renumber(wl_lines *lines);

/* So many uses follow, at most WL_FORESEEN: each will be the last one of its line, until another
 * is. */
WL_ALWAYS_INLINE void wl_lines_foresee(wl_lines *l, uint32_t uses)
{
    if (l->next - l->first + uses > l->ring || l->next > (uint32_t)INT32_MAX - uses)
        wl_lines_renumber(l);
    for (uint32_t time = l->next, end = time + uses, after; time < end; time = after) {
        after = (time | 63) + 1 < end ? (time | 63) + 1 : end;
        l->last[(time & l->ring) / 64] |= ~(uint64_t)0 >> (64 - (after - time)) << time % 64;
    }
}

/* A line is used. */
WL_ALWAYS_INLINE void wl_lines_note(wl_lines *l, wl_spot s)
{
    const uint32_t before = s.used & l->ring;
    l->last[before / 64] &= ~((uint64_t)s.there << before % 64);
    l->order[l->next & l->ring] = wl_place_of(s);
    l->buckets[s.bucket].used[s.at] = l->next++;
}

/* The last use of the line that was not used for the longest time; `next`: there is none. It leaves
 * if `first` moves on behind it. */
WL_ALWAYS_INLINE uint32_t wl_lines_oldest(const wl_lines *l)
{
    for (uint32_t time = l->first; time < l->next; time = (time | 63) + 1) {
        const uint64_t from = l->last[(time & l->ring) / 64] >> time % 64;
        if (from) {
            time += (uint32_t)__builtin_ctzll(from);
            return time < l->next ? time : l->next;
        }
    }
    return l->next;
}
WL_ALWAYS_INLINE int32_t wl_lines_used_at(const wl_lines *l, uint32_t time) { return l->order[time & l->ring]; }

#endif /* WL_CACHE_CACHE_LINES_H */
