/* cell_rows.h - footprints of threads in the order of a schedule, counted by rows of cells.
 *
 * Threads that follow each other have the cells of a few boxes (tiles), or of some squares of all
 * sizes (curves). If the address is affine in the cell, a row of a box is a range of addresses: the
 * same granules as thread by thread, at the cost of rows.
 *
 * Layer  footprint (uses launch). Oracle: tests/property/prop_scheduled_counts.c evaluates each
 * thread
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_CELL_ROWS_H
#define WL_FOOTPRINT_CELL_ROWS_H

#include "footprint/count.h"

/* Is this access of ordered threads an affine function of the cell alone? */
bool wl_cell_rows_can(const wl_region *region, const wl_bound *bound);

/* Sorts accesses in the order that the functions below need; they take less time if it is done
 * before. */
void wl_cell_rows_sort(const wl_bound **accesses, size_t count);

/* Visits ranges of bytes, both ends included, that touch the same granules of this size as these
 * accesses in the region; sorts the accesses. Stops, and returns false, when `visit` returns
 * false. */
typedef bool (*wl_bytes_visit)(void *context, int64_t first, int64_t last);
bool wl_cell_rows_visit(const wl_region *region, const wl_bound **accesses, size_t count, int64_t granule,
                        wl_bytes_visit visit, void *context);

/* Adds the granules of 2^shift bytes that these accesses touch in the region; sorts them. False:
 * too many, or no memory. */
bool wl_cell_rows_add(wl_granules *granules, const wl_region *region, const wl_bound **accesses, size_t count,
                      int shift);

/* The granules of n sizes that these accesses touch in a small region, such as a warp or a block.
 * Of a size below the first one, every part of a touched granule of the first counts, unless
 * `covered` is asked for: the granules of the first size with every byte accessed. False, with
 * nothing counted: some access is not affine in the cell, or the region has too many rows. */
bool wl_cell_rows_count(const wl_region *region, const wl_bound *const *accesses, size_t count, const int64_t *granules,
                        int n, int64_t *touched, int64_t *covered);

#endif /* WL_FOOTPRINT_CELL_ROWS_H */
