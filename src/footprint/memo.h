/* memo.h - a cache of counts.
 *
 * What a region of cells touches depends only on the shape, on the boxes of the region relative to
 * each other, and on their alignment to the granule. Launches of one kernel need the same counts
 * again and again. Memory is bounded, newer counts replace older ones, and a cached answer equals a
 * computed one.
 *
 * Layer  footprint (uses launch). Oracle: tests/unit/test_kept.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_MEMO_H
#define WL_FOOTPRINT_MEMO_H

#include "footprint/shape.h"

/* Everything a count depends on, as 64-bit words; only the first `boxes` boxes count. */
typedef struct wl_count_key {
    int64_t granule, want_covered;
    int64_t alignment; /* of the origin's address to the granule */
    int64_t shape;
    int64_t loops[WL_LOOPS_MAX];
    int64_t boxes;
    /* cells, relative to the first box's first unless there are conditions */
    wl_box3 box[WL_BLOCK_BOXES_MAX];
} wl_count_key;

/* A hash of what stays the same when a region is counted again: from the shape on. */
uint64_t wl_count_key_hash(const wl_count_key *key);

/* NULL: nothing is cached yet. */
typedef struct wl_count_memo wl_count_memo;

typedef struct wl_kept_count {
    int64_t touched, covered;
    int method;
} wl_kept_count;

/* NULL: there is no cached count with this key; `hash` is that of the key. */
const wl_kept_count *wl_count_memo_find(const wl_count_memo *memo, const wl_count_key *key, uint64_t hash);

/* Caches a count, if there is memory for it. */
void wl_count_memo_keep(wl_count_memo **memo, const wl_count_key *key, uint64_t hash, wl_kept_count count);
void wl_count_memo_free(wl_count_memo *memo);

#endif /* WL_FOOTPRINT_MEMO_H */
