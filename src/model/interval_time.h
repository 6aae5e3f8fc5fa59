/* interval_time.h - the interval models on a device and a launch.
 *
 * Layer  model (uses timeline, metrics, device). Units: seconds.
 * Maths  docs/model.md, "Interval models". Oracle: tests/unit/test_interval_time.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_INTERVAL_TIME_H
#define WL_MODEL_INTERVAL_TIME_H

#include "metrics/counts.h"
#include "model/interval_model.h"
#include "model/turnover.h"
#include "timeline/default_life.h"

/* NULL: not an interval model. */
wl_contention_model *wl_contention_model_of(wl_model_id model);

/* False if the device lacks a number; *missing names it. If the device states no bandwidth of the
 * network, that of the L2 is used. */
bool wl_interval_machine_read(const wl_device *device, wl_interval_machine *out, const char **missing);

/* The life that is assumed for a launch whose counts have none. */
typedef struct wl_assumed_life {
    wl_default_life life;
    wl_life_profile profile; /* of it */
} wl_assumed_life;
void wl_assume_life(const wl_counts *counts, const wl_device *device, const wl_demand *demand,
                    const wl_prediction *prediction, wl_assumed_life *out);

void wl_assumed_life_warn(const wl_assumed_life *assumed, const wl_demand *demand, wl_prediction *prediction);

wl_interval_launch wl_interval_launch_of(const wl_counts *counts, const wl_prediction *prediction);

/* The stack of a launch by an interval model. Rows as of wl_interval_stack, or NULL. */
void wl_interval_time(const wl_counts *counts, const wl_device *device, const wl_demand *demand,
                      const wl_interval_machine *machine, wl_prediction *prediction, wl_model_id model, wl_stack *out,
                      wl_stack_row *rows);

/* Sets time and bounds of the prediction, which already has those of the limiter model. Warns about
 * assumptions. */
void wl_interval_apply(const wl_counts *counts, const wl_device *device, const wl_demand *demand,
                       const wl_interval_machine *machine, wl_model_id model, wl_prediction *prediction);

#endif /* WL_MODEL_INTERVAL_TIME_H */
