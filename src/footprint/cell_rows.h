/* cell_rows.h - footprints of threads that a schedule orders, row by row of their cells.
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

/* Adds the granules of 2^shift bytes that these accesses touch in the region; sorts them. False:
 * too many, or no memory. */
bool wl_cell_rows_add(wl_granules *granules, const wl_region *region, const wl_bound **accesses, size_t count,
                      int shift);

#endif /* WL_FOOTPRINT_CELL_ROWS_H */
