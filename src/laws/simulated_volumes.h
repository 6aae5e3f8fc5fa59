/* simulated_volumes.h - volumes from simulated caches (cache/simulate_launch.h) instead of laws or
 * curves.
 *
 * What the L1s load from the L2 and store to it is always replaced. Volumes of DRAM are replaced if
 * the whole launch was simulated, or if the sample filled the L2. The simulator does not model
 * atomics, which the L2 executes: fields with atomics keep their estimates.
 *
 * Layer  laws (uses count, cache). Units: bytes per launch.
 * Maths  docs/schedule.md, "Predictions by simulation". Oracle  tests/unit/test_simulate_launch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_SIMULATED_VOLUMES_H
#define WL_LAWS_SIMULATED_VOLUMES_H

#include "laws/volumes.h"

/* Replaces volumes in *out, which were estimated before. `addresses` as in wl_predict_options. */
wl_status wl_volumes_simulate(const wl_traffic_input *input, const wl_geometry *launched, int64_t addresses,
                              wl_arena *scratch, wl_volumes *out, wl_error *err);

#endif /* WL_LAWS_SIMULATED_VOLUMES_H */
