/* time.h - from metrics to time: which model, and what it asks of the device.
 * Layer  model (uses metrics). SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_TIME_H
#define WL_MODEL_TIME_H

#include "metrics/counts.h"
#include "laws/volumes.h"
#include "metrics/prediction.h"
#include "warpline/predict.h"

/* Fills prediction->model from its metrics. *missing names the number of the device the turnover model lacks, where it
 * was asked for and the limiter model stands in; else it is NULL. */
void wl_time_apply(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes, wl_model_id model,
                   wl_prediction *prediction, const char **missing);

#endif /* WL_MODEL_TIME_H */
