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
/* Finds a line, or gives it a place: one that it had before, if it is still in its bucket, so that
 * no tag is there twice. Least recently used policy: wl_lines_note must follow. */
wl_spot wl_lines_use(wl_lines *lines, uint64_t line);
/* A place loses its line; not with the least recently used policy. */
void wl_lines_leave(wl_lines *lines, int32_t place);

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

/* A line is used: this is its last use, until another is. */
WL_ALWAYS_INLINE void wl_lines_note(wl_lines *l, wl_spot s)
{
    const uint32_t before = s.used & l->ring, now = l->next & l->ring;
    if (s.there)
        l->last[before / 64] &= ~((uint64_t)1 << before % 64);
    l->last[now / 64] |= (uint64_t)1 << now % 64;
    l->order[now] = wl_place_of(s);
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
