/* block_sum.h - footprints of single blocks, or warps, summed over the launch.
 *
 * Blocks differ only in how the domain's edge cuts them and in their alignment to the granule, so
 * one of each kind is counted.
 *
 * Layer  count (uses footprint). Units: granules. Oracle: tests/property/prop_block_sums.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_BLOCK_SUM_H
#define WL_COUNT_BLOCK_SUM_H

#include "count/view.h"

typedef struct wl_block_sum {
    double granules[WL_GRANULES_MAX]; /* distinct per block, summed over blocks */
    /* granules of the first size that a block accesses completely, if requested */
    double covered;
    int64_t sampled; /* blocks, tiles or warps of each sample; 0: every kind was counted */
    /* for tiles: sum over tiles of the squared number of granules */
    double squares[WL_GRANULES_MAX];
} wl_block_sum;

/* The smaller of two samples; 0: no sample. */
static inline int64_t wl_smaller_sample(int64_t a, int64_t b) { return a == 0 || (b > 0 && b < a) ? b : a; }

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

/* The same for tiles, each by itself, with the sum of their squares. Needs a shape. */
wl_status wl_tile_sum_make(const wl_block_sum_input *input, const int64_t tile[3], wl_block_sum *out, wl_error *err);
/* Does a shape have few enough different conditions for wl_tile_sum_make? */
bool wl_tile_sum_can(const wl_shape *shape);

/* The same per warp instead of per block. */
wl_status wl_warp_sum_make(const wl_block_sum_input *input, int warp_size, wl_block_sum *out, wl_error *err);

/* Sums of blocks and of warps for the same side of a field; those of warps at the first granule
 * size of the blocks. Enumerated blocks are evaluated once for both. */
wl_status wl_block_and_warp_sums(const wl_block_sum_input *blocks, const wl_block_sum_input *warps, int warp_size,
                                 wl_block_sum *block, wl_block_sum *warp, wl_error *err);

#endif /* WL_COUNT_BLOCK_SUM_H */
