/* metrics.h - the names of the metrics: what a prediction holds, a table measures and a budget
 * limits.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_H
#define WL_METRICS_H

#include <stdbool.h>

#include "warpline/status.h"

typedef enum wl_metric {
#define WL_METRIC(name, unit, scope, counter, meaning) WL_METRIC_##name,
#include "warpline/metrics.def"
    WL_METRIC_COUNT
} wl_metric;

typedef enum wl_scope_of { WL_SCOPE_LAUNCH, WL_SCOPE_SM, WL_SCOPE_WAVE } wl_scope_of;

WL_API const char *wl_metric_name(wl_metric metric);
WL_API const char *wl_metric_unit(wl_metric metric);
WL_API const char *wl_metric_counter(wl_metric metric);
WL_API const char *wl_metric_meaning(wl_metric metric);
WL_API wl_scope_of wl_metric_scope(wl_metric metric);
WL_API bool wl_metric_find(const char *name, wl_metric *metric);

#endif /* WL_METRICS_H */
