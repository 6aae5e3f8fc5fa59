/* limiter.h - the model "limiter": the slowest of five resources sets the time (Ernst et al. 2022, section 2).
 * Arithmetic, tensor cores, L1 data stage, L2 and memory bandwidth; a resource whose demand or rate is not known sets no bound.
 * Layer  model (uses metrics' results and the device). SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_LIMITER_H
#define WL_MODEL_LIMITER_H

#include "metrics/counts.h"
#include "metrics/prediction.h"
#include "warpline/predict.h"

/* Cycles the tensor cores need, as if one multiprocessor did it all; kinds whose rate is not known take none. */
double wl_limiter_tensor_cycles(const wl_mix *mix, const wl_device *device);

/* Reads prediction->metrics and items; fills prediction->model. */
void wl_limiter_apply(const wl_work *work, const wl_device *device, wl_prediction *prediction);

#endif /* WL_MODEL_LIMITER_H */
