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

/* Everything a count depends on; unused boxes are 0. */
typedef struct wl_count_key {
    int64_t shape, granule, want_covered;
    int64_t alignment; /* of the origin's address to the granule */
    int64_t loops[WL_LOOPS_MAX];
    int64_t boxes;
    /* cells, relative to the first box's first unless there are conditions */
    wl_box3 box[WL_BLOCK_BOXES_MAX];
} wl_count_key;

typedef struct wl_count_memo wl_count_memo;

/* The slot of a count with this key. NULL: out of memory. */
typedef struct wl_kept_count {
    wl_count_key key; /* boxes 0: empty slot */
    int64_t touched, covered;
    int method;
} wl_kept_count;
wl_kept_count *wl_count_memo_find(wl_count_memo **memo, const wl_count_key *key);
bool wl_count_key_same(const wl_count_key *a, const wl_count_key *b);
void wl_count_memo_free(wl_count_memo *memo);

#endif /* WL_FOOTPRINT_MEMO_H */
