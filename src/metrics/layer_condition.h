/* layer_condition.h - the layer condition: do the layers that a sweep reads again fit into the L2?
 * (Ernst et al. 2022, section 4.4.2)
 *
 * Layer  metrics. Units: bytes. Oracle: tests/unit/test_paper.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_LAYER_CONDITION_H
#define WL_METRICS_LAYER_CONDITION_H

#include "metrics/prediction.h"

/* A sequential sweep over the domain: the layers of the outermost dimension that must stay in the
 * L2, against half of its capacity (the other half belongs to the stores). */
typedef struct wl_layer_condition {
    int64_t layers;      /* of the field with the largest reach */
    double needed_bytes; /* layers of all fields together */
    double room_bytes;   /* half of l2_size / l2_partitions */
    bool holds;
} wl_layer_condition;
/* WL_E_UNSUPPORTED when the kernel has no domain, or loads that are not affine. */
wl_status wl_layer_condition_check(const wl_kernel *kernel, const wl_device *device, wl_layer_condition *out,
                                   wl_error *err);
/* The same for the kernel of a prediction, by the shapes that its predictor has kept. */
wl_status wl_layer_condition_of(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                                wl_layer_condition *out, wl_error *err);

#endif /* WL_METRICS_LAYER_CONDITION_H */
