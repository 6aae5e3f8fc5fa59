/* time.h - computes time from metrics: chooses the model and checks that the device has its
 * numbers.
 *
 * Layer  model (uses metrics). Units: seconds.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_TIME_H
#define WL_MODEL_TIME_H

#include "metrics/counts.h"
#include "laws/volumes.h"
#include "metrics/prediction.h"
#include "model/turnover.h"
#include "warpline/predict.h"

/* The demand of the kernel; needs the metrics. */
wl_demand wl_demand_of(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes,
                       const wl_prediction *prediction);

/* Does a launch take at least what the bounds of the limiter model without L2 and DRAM say? */
bool wl_time_has_least(wl_model_id model);

/* Does this model give the time of a repeated launch? Others do not ask what the L2 holds. */
bool wl_time_repeats(const wl_device *device, wl_model_id model);

/* Fills prediction->model from its metrics. If a model was asked for by name but the device lacks a
 * number of it, the limiter model is used and *missing names that number; else it is NULL. */
void wl_time_apply(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes, wl_model_id model,
                   wl_prediction *prediction, const char **missing);

/* The default on this device: turnover where it has the numbers, else limiter. */
wl_model_id wl_model_default(const wl_device *device);

/* Names the bound that weighs most in the time, and the next one. */
void wl_limiters_name(wl_model_result *model);

#endif /* WL_MODEL_TIME_H */
