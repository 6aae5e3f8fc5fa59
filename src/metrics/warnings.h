/* warnings.h - everything a prediction assumed, sampled or does not know, in words.
 *
 * Layer  metrics (uses count, laws).
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_WARNINGS_H
#define WL_METRICS_WARNINGS_H

#include "laws/volumes.h"
#include "metrics/counts.h"
#include "metrics/prediction.h"

/* What the warnings need to know. */
typedef struct wl_warned {
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_l1_rules *rules;
    const wl_view *view;
    const wl_counts *counts;
    const wl_volumes *volumes;
    bool found_schedule; /* the schedule is the kernel's own index arithmetic, not the user's */
} wl_warned;

/* Adds a warning; beyond WL_WARNINGS_MAX nothing is added. The first one is of what a user can act
 * on. */
void wl_warn(wl_prediction *out, const char *format, ...) WL_PRINTF(2, 3);
void wl_warn_of(wl_prediction *out, wl_warning_kind kind, const char *format, ...) WL_PRINTF(3, 4);

/* Call when metrics and time are known. */
void wl_warn_about_all(const wl_warned *about, wl_prediction *out);

#endif /* WL_METRICS_WARNINGS_H */
