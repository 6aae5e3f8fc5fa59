/* scheduled.h - the geometry of a launch with a schedule; geometry.c calls it.
 *
 * Layer   launch (uses base, schedule, kernel). Oracle: tests/unit/test_scheduled_launch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_SCHEDULED_H
#define WL_LAUNCH_SCHEDULED_H

#include "launch/geometry.h"

/* Stores the schedule in the geometry, which has its block and fold already. *out is the launch
 * with a grid for threads that are ordered, else the same. WL_E_UNSUPPORTED: the schedule has no
 * meaning. */
wl_status wl_scheduled_launch(const wl_kernel *kernel, const wl_launch *launch, wl_geometry *geometry, wl_launch *out,
                              wl_error *err);
/* What follows from schedule and grid. */
wl_status wl_scheduled_finish(wl_geometry *geometry, wl_error *err);
/* wl_geometry_busy of threads that are ordered. */
wl_geometry wl_scheduled_busy(const wl_geometry *geometry);

/* Each cell as a block of its own, in the order of threads, where wl_threads_visit_all. */
wl_geometry wl_scheduled_cells(const wl_geometry *geometry);

/* The cells of threads first <= t < last of the launch, where threads are ordered, as disjoint
 * boxes. Stops, and returns false, when `visit` returns false. */
typedef bool (*wl_cells_visit)(void *context, const wl_box3 *cells);
bool wl_scheduled_visit(const wl_geometry *geometry, int64_t first, int64_t last, wl_cells_visit visit, void *context);

/* The same as few boxes: adjoining ones are joined. False: there is no room for them. */
bool wl_scheduled_boxes(const wl_geometry *geometry, int64_t first, int64_t last, wl_block_set *out);

/* wl_block_at, wl_block_interval and wl_block_runs where blocks are ordered; boxes count from the
 * first block of the grid. */
void wl_ordered_block(const wl_geometry *geometry, int64_t n, int64_t block[3]);
void wl_ordered_interval(const wl_geometry *geometry, int64_t first, int64_t last, wl_block_set *out);
int wl_ordered_runs(const wl_geometry *geometry, wl_block_run runs[WL_BLOCK_RUNS_MAX]);

#endif /* WL_LAUNCH_SCHEDULED_H */
