/* invariants.h - rules that hold for every prediction of every kernel.
 *
 * Volumes come from counts, samples and fitted curves. Some relations hold between them by the
 * mechanism alone: nothing is negative, loads and stores access sectors, a cache loads what a
 * launch touches at least once and what it requests at most, device memory gets no more sectors
 * than were stored or read back, and parts add up. A value that contradicts one is clamped, and a
 * warning names it; a prediction counts its clamped values (wl_prediction_clamped). The clamp is a
 * safety net: tests/property/prop_invariants.c demands that it is never needed.
 *
 * Layer  metrics (uses count, laws). Units: bytes per launch.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_INVARIANTS_H
#define WL_METRICS_INVARIANTS_H

#include "metrics/prediction.h"

/* The quantities that the relations compare. */
typedef struct wl_invariants_input {
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_access_cost *costs; /* per access */
    const wl_traffic *traffic;   /* NULL: not counted */
} wl_invariants_input;

/* The volumes of fields, and their totals, before local memory is added. */
void wl_invariants_of_volumes(const wl_invariants_input *input, wl_volumes *volumes, wl_prediction *out);

/* The metrics with their parts, the bounds and the time. */
void wl_invariants_of_results(wl_prediction *out);

#endif /* WL_METRICS_INVARIANTS_H */
