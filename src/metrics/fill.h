/* fill.h - fills the table of metrics from counts and volumes.
 *
 * Layer  metrics (uses count, laws). Units: metrics.def.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_FILL_H
#define WL_METRICS_FILL_H

#include "laws/volumes.h"
#include "metrics/counts.h"
#include "metrics/prediction.h"

/* Clears *out and sets what follows from the launch alone. */
void wl_metrics_set_launch(const wl_geometry *launched, wl_prediction *out);

/* Sets the metrics with their parts, the instruction mix, and the names of the estimators. */
void wl_metrics_fill(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes, wl_prediction *out);

#endif /* WL_METRICS_FILL_H */
