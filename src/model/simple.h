/* simple.h - the model "simple" of the roofline slides: N x bytes / bandwidth. Operations are free
 * and caches are perfect: each element is loaded once and stored once.
 *
 * Layer  model (uses metrics, device). Units: seconds. Oracle: tests/unit/test_roofline.c, the
 * slides' blur filter.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_SIMPLE_H
#define WL_MODEL_SIMPLE_H

#include "laws/volumes.h"
#include "metrics/prediction.h"

/* Fills the model of the prediction. */
void wl_simple_apply(const wl_volumes *volumes, const wl_device *device, wl_prediction *prediction);

#endif /* WL_MODEL_SIMPLE_H */
