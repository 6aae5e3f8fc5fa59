/* layer_condition.h - do the layers that a sweep reads again fit into the L2? (Ernst et al. 2022,
 * section 4.4.2)
 * Layer  metrics.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_LAYER_CONDITION_H
#define WL_METRICS_LAYER_CONDITION_H

#include "warpline/device.h"
#include "warpline/kernel.h"

/* The layer condition of a sequential sweep over the domain: the layers of the outermost dimension
 * that loads must find in the L2, against half of its room (the other half is the stores'). */
typedef struct wl_layer_condition {
    int64_t layers;      /* of the field that reaches farthest   */
    double needed_bytes; /* all fields' layers together          */
    double room_bytes;   /* half of l2_size / l2_partitions      */
    bool holds;
} wl_layer_condition;
/* WL_E_UNSUPPORTED when the kernel has no domain, or loads that are not affine. */
wl_status wl_layer_condition_check(const wl_kernel *kernel, const wl_device *device, wl_layer_condition *out,
                                   wl_error *err);

#endif /* WL_METRICS_LAYER_CONDITION_H */
