/* attribution.h - which access causes which volume. A granule is counted for the access that
 * touches it first in program order, so the shares of a field's accesses add up to its volume.
 *
 * Layer  metrics (uses count). Units: bytes per launch.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_ATTRIBUTION_H
#define WL_METRICS_ATTRIBUTION_H

#include "count/view.h"
#include "metrics/prediction.h"
#include "warpline/predict.h"

typedef struct wl_attribution_input {
    const wl_view *view;
    const wl_geometry *geometry;
    const wl_device *device;
    const wl_share *fields; /* volumes to distribute */
} wl_attribution_input;

/* Fills the volumes of shares[access]. */
wl_status wl_attribute(const wl_attribution_input *input, wl_counter *counter, wl_arena *scratch, wl_share *shares,
                       wl_error *err);

#endif /* WL_METRICS_ATTRIBUTION_H */
