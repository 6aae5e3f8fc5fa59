/* memo.h - counts that were made before.
 *
 * What a region of cells touches depends on the shape, on the region's boxes relative to each other, on how they are
 * aligned to the granule, and on nothing else: launches of one kernel ask the same again and again. The memory is
 * bounded, a newer count takes the place of an older one, and an answer is the same whether it was kept or not.
 *
 * Layer  footprint (uses launch). SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_MEMO_H
#define WL_FOOTPRINT_MEMO_H

#include "footprint/shape.h"

/* All that a count depends on; unused boxes are 0. */
typedef struct wl_count_key {
    int64_t shape, granule, want_covered;
    int64_t alignment; /* of the origin's address to the granule */
    int64_t loops[WL_LOOPS_MAX];
    int64_t boxes;
    wl_box3 box[WL_BLOCK_BOXES_MAX]; /* cells, relative to the first box's first */
} wl_count_key;

typedef struct wl_count_memo wl_count_memo;

/* Where a count with this key is, or will be, kept. NULL when memory is short. */
typedef struct wl_kept_count {
    wl_count_key key; /* boxes 0: none kept yet */
    int64_t touched, covered;
    int method;
} wl_kept_count;
wl_kept_count *wl_count_memo_find(wl_count_memo **memo, const wl_count_key *key);
bool wl_count_key_same(const wl_count_key *a, const wl_count_key *b);
void wl_count_memo_free(wl_count_memo *memo);

#endif /* WL_FOOTPRINT_MEMO_H */
