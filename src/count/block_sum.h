/* block_sum.h - the footprint of every block, or of every warp, summed over the launch.
 *
 * Blocks differ only in what the domain's edge cuts off and in how they are aligned to the granule: one of each kind
 * is counted. Layer  count (uses footprint). SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_BLOCK_SUM_H
#define WL_COUNT_BLOCK_SUM_H

#include "count/view.h"

typedef struct wl_block_sum {
    double granules[WL_GRANULES_MAX]; /* distinct per block, summed over all blocks                    */
    double covered;                   /* of the first: those with every byte accessed by the block, if wanted */
    bool sampled;                     /* not every kind of block was counted                           */
} wl_block_sum;

typedef struct wl_block_sum_input {
    const wl_view *view;
    wl_counter *counter;
    const wl_geometry *geometry;
    size_t field;
    wl_side side;
    bool want_covered;
    int granule_count;
    int64_t granules[WL_GRANULES_MAX]; /* ascending */
} wl_block_sum_input;

wl_status wl_block_sum_make(const wl_block_sum_input *input, wl_block_sum *out, wl_error *err);

/* The same with a warp in place of a block. */
wl_status wl_warp_sum_make(const wl_block_sum_input *input, int warp_size, wl_block_sum *out, wl_error *err);

#endif /* WL_COUNT_BLOCK_SUM_H */
