/* cache.h - one cache, access by access: what hits, what must be fetched, what is evicted.
 *
 * A line has a tag and a mask of the sectors that are present. A cache has sets of equal size; with
 * one set it is fully associative. Accesses are line numbers with masks of sectors, so no size in
 * bytes appears here.
 *
 * Policies: least recently used; a random line; and that of Volta and Turing according to Jia et
 * al.: a full cache evicts four consecutive lines, beginning at a random one. Lines occupy slots;
 * evicted slots are filled in order. Random draws come from a small generator with a seed, the same
 * on every machine.
 *
 * Stores either pass through (and update what is present) or stay, dirty, until they are evicted. A
 * partially written sector cannot be read: a load fetches it, and its eviction is counted
 * separately.
 *
 * Sets of up to 64 ways are searched, sixteen ways at once (few_ways.h), more are hashed
 * (cache_lines.h). If the simulated cache does not fit into the host's caches, accesses wait for
 * memory; who knows the next ones can announce them (wl_cache_expect).
 *
 * Layer  cache (uses base). Units: lines, sectors. Maths: docs/schedule.md, "Cache simulator".
 * Oracle  tests/property/prop_cache.c, a linear search of timestamps
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CACHE_H
#define WL_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

#define WL_SECTORS_MAX 16    /* of a line */
#define WL_EVICTED_MAX 4     /* lines that one access evicts */
#define WL_WRITTEN_ALL (~0u) /* every byte of a sector */

typedef enum wl_policy { WL_POLICY_LRU, WL_POLICY_RANDOM, WL_POLICY_RANDOM_4, WL_POLICY_COUNT } wl_policy;

/* "lru", "random", "random4" */
const char *wl_policy_name(wl_policy policy);
bool wl_policy_find(const char *name, wl_policy *policy);

typedef struct wl_cache_shape {
    int64_t lines;
    int64_t ways; /* lines of a set, a divisor of `lines`; 0: all, fully associative */
    int sectors;  /* of a line */
    wl_policy policy;
    uint64_t seed;
    /* the set follows from a hash of the line's number, else from its remainder */
    bool hashed_sets;
    bool write_back;      /* stores stay until they are evicted, else they pass through */
    bool store_allocates; /* a store that finds no line makes one */
    bool tells_evicted;   /* see wl_cache_evicted; takes time */
} wl_cache_shape;

typedef struct wl_evicted {
    uint64_t line;
    uint32_t present, dirty; /* sectors; those dirty and not present are partly written */
} wl_evicted;

/* What one access did. */
typedef struct wl_touched {
    uint32_t missing; /* sectors to fetch from below */
    bool resident;    /* the line was there, perhaps without all sectors */
    uint8_t evicted;  /* lines: see wl_cache_evicted */
} wl_touched;

/* What a warp asks of one line. */
typedef struct wl_request {
    uint64_t line;
    uint32_t sectors;
    const uint32_t *written; /* of a store: see wl_cache_store */
} wl_request;

/* Sums over all accesses since the cache was made. */
typedef struct wl_cache_counts {
    /* requests; loads is the sum of the other three */
    int64_t loads, hits, sector_misses, line_misses;
    int64_t stores, store_hits; /* requests; that found their line */
    int64_t load_sectors, fetched_sectors, store_sectors;
    /* sectors written back; of these, partly written ones */
    int64_t evicted_lines, written_back, partial;
} wl_cache_counts;

typedef struct wl_cache wl_cache;

/* WL_E_INPUT: no lines, ways that do not divide them, too many sectors; WL_E_NOMEM. */
wl_status wl_cache_new(const wl_cache_shape *shape, wl_cache **out, wl_error *err);
void wl_cache_free(wl_cache *cache);

/* Requests sectors of a line. */
wl_touched wl_cache_load(wl_cache *cache, uint64_t line, uint32_t sectors);
/* An access to this line will follow, after some others: fetches the memory of the host that it
 * needs. Changes nothing. For caches that are larger than the nearby caches of the host. */
void wl_cache_expect(const wl_cache *cache, uint64_t line);
/* Stores to sectors of a line. written[s] has a bit for each 1/32 of sector s; NULL: all of them. A
 * cache without write-back passes all of them on. */
wl_touched wl_cache_store(wl_cache *cache, uint64_t line, uint32_t sectors, const uint32_t *written);

/* Inserts sectors of a line without a request; the recency of a present line does not change.
 * Returns the sectors that were missing. */
uint32_t wl_cache_fill(wl_cache *cache, uint64_t line, uint32_t sectors);

/* The lines that the last access evicted, of a cache that tells them. */
const wl_evicted *wl_cache_evicted(const wl_cache *cache);
/* Is any sector of the line there? Changes nothing. */
bool wl_cache_holds(const wl_cache *cache, uint64_t line);
/* Counts what is dirty as written back, as at the end of a launch; the lines stay, clean. */
void wl_cache_clean(wl_cache *cache);
wl_cache_counts wl_cache_count(const wl_cache *cache);

/* Bits of a mask. Not the builtin alone, which is a call on machines that may lack the
 * instruction. */
static inline int wl_bit_count(uint32_t mask)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcount(mask);
#endif
    return mask < 16 ? (int)(0x4332322132212110u >> 4 * mask & 15) : __builtin_popcount(mask);
}

#endif /* WL_CACHE_CACHE_H */
