/* step_counts.h - working sets of runs of loop steps: distinct sectors and lines of blocks and
 * warps.
 *
 * Layer  count (uses footprint). Units: granules. Oracle: tests/unit/test_step_counts.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_STEP_COUNTS_H
#define WL_COUNT_STEP_COUNTS_H

#include "count/traffic.h"

/* Fills the step_* members of *out; the loads of whole blocks must be counted already. */
wl_status wl_steps_count(const wl_traffic_input *input, wl_counter *counter, int warp_size, wl_arena *arena,
                         wl_traffic *out, wl_error *err);

#endif /* WL_COUNT_STEP_COUNTS_H */
