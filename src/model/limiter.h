/* limiter.h - the model "limiter", a roofline: the time of the slowest resource, plus launch
 * overhead. Resources: the pipes of the multiprocessors, instruction issue, load-store units, data
 * and tag stage of the L1, for the multiprocessor with the most blocks; L2 and DRAM bandwidth; the
 * rate at which blocks start. A resource with an unknown demand or rate sets no bound.
 *
 * The model "four-limiters" is its published form (Ernst et al. 2022, section 2): arithmetic, L1
 * data stage, L2 and DRAM bandwidth, spread evenly over all multiprocessors; a launch costs
 * nothing.
 *
 * Layer  model (uses metrics, device). Units: seconds. Oracle: tests/unit/test_paper.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_LIMITER_H
#define WL_MODEL_LIMITER_H

#include "metrics/counts.h"
#include "metrics/prediction.h"
#include "model/turnover.h"
#include "warpline/predict.h"

/* Cycles of the tensor cores, as if one multiprocessor did all the work; kinds with an unknown rate
 * count 0. */
double wl_limiter_tensor_cycles(const wl_mix *mix, const wl_device *device);
/* Of these, products of warp groups. */
double wl_limiter_group_cycles(const wl_mix *mix, const wl_device *device);

/* Both read the metrics and items of the prediction and fill its model. `least` bytes are moved to
 * and from DRAM where its volumes are unknown. */
void wl_limiter_apply(const wl_demand *demand, const wl_device *device, double least, wl_prediction *prediction);

/* The time of a launch that wl_limiter_apply filled in, if it moved nothing to L2 and DRAM. */
double wl_limiter_without_memory(const wl_device *device, const wl_model_result *model);
void wl_four_limiters_apply(const wl_work *work, const wl_device *device, double least, wl_prediction *prediction);

#endif /* WL_MODEL_LIMITER_H */
