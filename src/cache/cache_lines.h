/* cache_lines.h - the lines of a cache, in numbered places: finds the place of a line, and knows
 * which was used last.
 *
 * What simulated caches (cache.h) and those of replays (line_shelf.h) have in common. The caller
 * decides which place a line gets, which places make a set, and what else is known of a line.
 *
 * The few places of a small set are searched one after the other; those of a large one are hashed.
 * Lists tell the order of use. In caches larger than the host's, accesses wait for memory:
 * wl_lines_expect fetches it before. Tags that are compared several at once, in vectors or words,
 * were not faster in simulated launches.
 *
 * Layer  cache (uses base). Units: lines.
 * Oracle  tests/property/prop_cache.c, tests/unit/test_line_shelf.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CACHE_LINES_H
#define WL_CACHE_CACHE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"

#define WL_NO_LINE UINT64_MAX /* of an empty place */

typedef struct wl_line {
    uint64_t number;
    uint32_t sectors;     /* the caller's; none of a line that enters */
    int32_t chained;      /* the next place of its bucket */
    int32_t newer, older; /* places used just after and just before; -1: none */
} wl_line;

typedef struct wl_lines {
    wl_line *places;
    int32_t count, ways; /* places of all sets, and of one */
    int32_t *buckets;    /* first places; -1: none. NULL: sets are searched */
    uint64_t mask;       /* of buckets */
} wl_lines;

/* Places in the order of their last use; none: {-1, -1}. */
typedef struct wl_recency {
    int32_t newest, oldest;
} wl_recency;

/* Places without lines; sets follow each other. False: no memory. */
bool wl_lines_make(wl_lines *lines, int64_t places, int64_t ways, wl_arena *arena);
/* All places lose their lines. */
void wl_lines_clear(wl_lines *lines);

static inline int32_t *wl_lines_bucket(const wl_lines *l, uint64_t line)
{
    return &l->buckets[wl_hash_word(line) & l->mask];
}

/* The place of a line; -1: it is not there. first: place of its set. */
static inline int32_t wl_lines_find(const wl_lines *l, uint64_t line, int32_t first)
{
    if (!l->buckets) {
        for (int32_t at = first; at < first + l->ways; at++)
            if (l->places[at].number == line)
                return at;
        return -1;
    }
    int32_t at = *wl_lines_bucket(l, line);
    while (at >= 0 && l->places[at].number != line)
        at = l->places[at].chained;
    return at;
}

/* A line that is not there gets a place without one. */
static inline void wl_lines_enter(wl_lines *l, uint64_t line, int32_t at)
{
    l->places[at].number = line;
    l->places[at].sectors = 0;
    if (!l->buckets)
        return;
    int32_t *bucket = wl_lines_bucket(l, line);
    l->places[at].chained = *bucket;
    *bucket = at;
}

/* A place loses its line. */
static inline void wl_lines_leave(wl_lines *l, int32_t at)
{
    if (l->buckets) {
        int32_t *link = wl_lines_bucket(l, l->places[at].number);
        while (*link != at)
            link = &l->places[*link].chained;
        *link = l->places[at].chained;
    }
    l->places[at].number = WL_NO_LINE;
    l->places[at].sectors = 0;
}

static inline void wl_fetch_ahead(const void *memory)
{
#if defined(__GNUC__)
    __builtin_prefetch(memory, 1, 3);
#else
    (void)memory;
#endif
}

/* A search for this line will follow: some accesses before it, where it begins (soon: false); then
 * what it finds there. */
void wl_lines_expect(const wl_lines *lines, uint64_t line, int32_t first, bool soon);

/* ---- order of use ---- */

/* For the first time, or since it was forgotten. */
static inline void wl_recency_begin(wl_recency *r, wl_lines *l, int32_t at)
{
    l->places[at].newer = -1;
    l->places[at].older = r->newest;
    *(r->newest >= 0 ? &l->places[r->newest].newer : &r->oldest) = at;
    r->newest = at;
}

static inline void wl_recency_forget(wl_recency *r, wl_lines *l, int32_t at)
{
    const wl_line *p = &l->places[at];
    *(p->newer >= 0 ? &l->places[p->newer].older : &r->newest) = p->older;
    *(p->older >= 0 ? &l->places[p->older].newer : &r->oldest) = p->newer;
}

static inline void wl_recency_use(wl_recency *r, wl_lines *l, int32_t at)
{
    if (r->newest == at)
        return;
    wl_recency_forget(r, l, at);
    wl_recency_begin(r, l, at);
}

#endif /* WL_CACHE_CACHE_LINES_H */
