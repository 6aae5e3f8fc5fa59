/* warps_ordered.h - warps of threads that a schedule orders, pattern by pattern.
 *
 * Where an address is affine in the cell, what a warp costs depends on how its cells lie to each
 * other, which is a pattern, and on where they lie. A warp's cells are found once for all accesses
 * with the same strides, and few patterns serve all warps: a column of 31 cells has 31.
 *
 * Layer  count. Oracle: tests/property/prop_scheduled_counts.c evaluates lane by lane
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARPS_ORDERED_H
#define WL_COUNT_WARPS_ORDERED_H

#include "count/warps_internal.h"

typedef struct wl_ordered_warps wl_ordered_warps;

/* Is this access of ordered threads a plain load or store at an affine function of the cell
 * alone? */
bool wl_ordered_can(const wl_warps_measurer *measurer, size_t access);

/* The warps of some blocks, given by their numbers: one in `every`, but one of each block at least.
 * NULL: no memory. Blocks, measurer and arena must outlive it. */
wl_ordered_warps *wl_ordered_new(const wl_warps_measurer *measurer, const int64_t *blocks, int64_t count, int64_t every,
                                 wl_arena *arena);
/* How many warps of each block; 0: all. */
int64_t wl_ordered_of_block(const wl_ordered_warps *warps);
/* Are tag conflicts of an access those of a half of these warps? */
bool wl_ordered_half_of_tags(const wl_ordered_warps *warps);
/* Adds what an access costs in all of them, each standing for `scale` blocks; and to inst[i] and
 * sectors[i], unless they are NULL, the executions and sectors of block i. */
wl_status wl_ordered_measure(wl_ordered_warps *warps, const wl_warps_measurer *measurer, size_t access, double scale,
                             double *inst, double *sectors);

#endif /* WL_COUNT_WARPS_ORDERED_H */
