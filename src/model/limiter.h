/* limiter.h - the model "limiter", a roofline: the slowest of five resources sets the time (Ernst
 * et al. 2022, section 2). Arithmetic, tensor cores, L1 data stage, L2 and DRAM bandwidth. A
 * resource with an unknown demand or rate sets no bound.
 *
 * Layer  model (uses metrics, device). Units: seconds. Oracle: tests/unit/test_paper.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_LIMITER_H
#define WL_MODEL_LIMITER_H

#include "metrics/counts.h"
#include "metrics/prediction.h"
#include "warpline/predict.h"

/* Cycles of the tensor cores, as if one multiprocessor did all the work; kinds with an unknown rate
 * count 0. */
double wl_limiter_tensor_cycles(const wl_mix *mix, const wl_device *device);

/* Reads the metrics and items of the prediction; fills its model. `least` bytes are moved to and
 * from DRAM where its volumes are unknown. */
void wl_limiter_apply(const wl_work *work, const wl_device *device, double least, wl_prediction *prediction);

#endif /* WL_MODEL_LIMITER_H */
