/* rates.h - which device key is the throughput of which arithmetic.
 *
 * Layer  metrics. Units: results per cycle.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_RATES_H
#define WL_METRICS_RATES_H

#include "kernel/kernel_internal.h"
#include "warpline/predict.h"

wl_device_key wl_fp_rate_key(wl_type precision);
wl_device_key wl_tensor_rate_key(wl_tensor_kind kind);

#endif /* WL_METRICS_RATES_H */
