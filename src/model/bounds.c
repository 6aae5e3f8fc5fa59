/* bounds.c - the table of bounds. SPDX-License-Identifier: MIT */
#include "warpline/predict.h"

#define METRICS_MAX 6 /* of one bound, with the end mark */

static const struct {
    const char *name, *meaning;
    wl_metric metrics[METRICS_MAX];
} table[WL_BOUND_COUNT] = {
#define WL_BOUND(id, name, meaning, ...) {name, meaning, {__VA_ARGS__}},
#include "warpline/bounds.def"
};

const char *wl_bound_name(wl_bound_id bound) { return table[bound].name; }
const char *wl_bound_meaning(wl_bound_id bound) { return table[bound].meaning; }

bool wl_bound_metric(wl_bound_id bound, size_t index, wl_metric *metric)
{
    for (size_t i = 0; i <= index; i++)
        if (table[bound].metrics[i] == WL_METRIC_COUNT)
            return false;
    *metric = table[bound].metrics[index];
    return true;
}
