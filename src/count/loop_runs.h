/* loop_runs.h - runs of loop steps: how far each loop of a kernel gets while a block takes 1, 4,
 * 16, .. steps.
 *
 * Layer  count (uses kernel). Units: steps. Oracle: tests/unit/test_loop_runs.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_LOOP_RUNS_H
#define WL_COUNT_LOOP_RUNS_H

#include "count/traffic.h"

/* The extents of the loops in runs of growing length, the last of all steps; returns how many
 * lengths there are. */
int wl_loop_runs_choose(const wl_kernel *kernel, int64_t extents[WL_STEPS_MAX][WL_LOOPS_MAX]);

/* Does a loop change the addresses of the accesses to a field? */
bool wl_loop_runs_walk(const wl_view *view, size_t field, wl_side side);

/* Are these loops outside the nest whose steps runs count? */
bool wl_loop_runs_beside(const wl_view *view, size_t field, wl_side side);

/* The number of runs with such extents that the accesses to a field take in all. */
double wl_loop_runs_of(const wl_view *view, size_t field, wl_side side, const int64_t extents[WL_LOOPS_MAX]);

#endif /* WL_COUNT_LOOP_RUNS_H */
