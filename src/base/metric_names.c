/* metric_names.c - the table of metrics. SPDX-License-Identifier: MIT */
#include <string.h>

#include "warpline/metrics.h"

static const struct {
    const char *name, *unit;
    wl_scope_of scope;
    const char *counter, *meaning;
} table[WL_METRIC_COUNT] = {
#define WL_METRIC(name, unit, scope, counter, meaning) {#name, unit, WL_SCOPE_##scope, counter, meaning},
#include "warpline/metrics.def"
};

const char *wl_metric_name(wl_metric metric) { return table[metric].name; }
const char *wl_metric_unit(wl_metric metric) { return table[metric].unit; }
const char *wl_metric_counter(wl_metric metric) { return table[metric].counter; }
const char *wl_metric_meaning(wl_metric metric) { return table[metric].meaning; }
wl_scope_of wl_metric_scope(wl_metric metric) { return table[metric].scope; }

bool wl_metric_find(const char *name, wl_metric *metric)
{
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        if (strcmp(table[i].name, name) == 0) {
            *metric = (wl_metric)i;
            return true;
        }
    }
    return false;
}
