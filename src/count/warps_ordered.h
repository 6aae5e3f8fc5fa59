/* warps_ordered.h - warps of threads that a schedule orders, pattern by pattern.
 *
 * If an address is affine in the cell, the cost of a warp depends on the relative positions of its
 * cells, its pattern, and on its start address. A warp's cells are computed once for all accesses
 * with the same strides, and all warps have few patterns: 31 in columns of 31 cells.
 *
 * Layer  count. Oracle: tests/property/prop_scheduled_counts.c evaluates lane by lane
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARPS_ORDERED_H
#define WL_COUNT_WARPS_ORDERED_H

#include "count/block_kinds.h"
#include "count/warps_internal.h"

typedef struct wl_ordered_warps wl_ordered_warps;

/* Is this access of ordered threads a plain load or store at an affine function of the cell
 * alone? */
bool wl_ordered_can(const wl_warps_measurer *measurer, size_t access);

/* Samples the warps of these blocks: one in `every`, but at least one per block.
 * NULL: no memory. Blocks, measurer and arena must outlive it. */
wl_ordered_warps *wl_ordered_new(const wl_warps_measurer *measurer, const wl_representative *blocks, size_t count,
                                 int64_t every, wl_arena *arena);
/* How many warps of each block are sampled; 0: all. */
int64_t wl_ordered_of_block(const wl_ordered_warps *warps);
/* Do the tag conflicts of an access come from half of the sampled warps? */
bool wl_ordered_half_of_tags(const wl_ordered_warps *warps);
/* Adds the cost of an access in all sampled warps, where each block represents `scale` blocks; adds
 * the executions and sectors of block i to inst[i] and sectors[i], unless they are NULL. */
wl_status wl_ordered_measure(wl_ordered_warps *warps, const wl_warps_measurer *measurer, size_t access, double scale,
                             double *inst, double *sectors);

#endif /* WL_COUNT_WARPS_ORDERED_H */
