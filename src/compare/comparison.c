/* comparison.c - measured launches beside predicted ones, and what was left out.
 * SPDX-License-Identifier: MIT */
#include "compare/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"

#define SKIPS_MAX 200

const char *wl_compared_name(int value)
{
    static const char *const of_models[] = {
#define WL_MODEL(id, name, meaning) "time_" name,
#include "warpline/models.def"
    };
    if (value < WL_VALUE_TIME)
        return wl_metric_name((wl_metric)value);
    return value == WL_VALUE_TIME ? "time" : of_models[value - WL_VALUE_OF_MODELS];
}

const char *wl_compared_unit(int value) { return wl_value_is_time(value) ? "s" : wl_metric_unit((wl_metric)value); }

bool wl_comparison_counts(const wl_comparison *c, const wl_compared_row *row, int value)
{
    return row->measured_known[value] && row->predicted_known[value] &&
           (!wl_value_is_time(value) || row->measured[value] >= c->min_time_s);
}

bool wl_compared_error(const wl_compared_row *row, int value, double *error)
{
    return row->measured_known[value] && row->predicted_known[value] &&
           wl_pair_error((wl_pair){row->measured[value], row->predicted[value]}, error);
}

wl_status wl_comparison_new(const char *source, const char *device, const char *title, double min_time_s,
                            wl_comparison **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return wl_fail_memory(err);
    **out = (wl_comparison){.source = source, .device = device, .title = title, .min_time_s = min_time_s};
    return WL_OK;
}

void wl_comparison_free(wl_comparison *c)
{
    if (!c)
        return;
    wl_comparison_free_groups(c);
    for (size_t i = 0; i < c->skip_count; i++)
        free(c->skips[i].reason);
    free(c->skips);
    free(c->rows);
    free(c);
}

size_t wl_comparison_count(const wl_comparison *c) { return c->row_count; }

const wl_compared *wl_comparison_row(const wl_comparison *c, size_t index) { return &c->rows[index].is; }

bool wl_comparison_want(wl_comparison *c, const char *value)
{
    wl_metric metric = WL_METRIC_COUNT;
    if (strcmp(value, "time") != 0 && !wl_metric_find(value, &metric))
        return false;
    c->wanted[metric] = c->wants_some = true; /* the time comes after the last metric */
    return true;
}

/* Requests are predicted apart only where some instructions make none; else each makes one. */
static bool requests_of_all(const wl_prediction *p, wl_metric metric, double *out)
{
    return (metric == WL_METRIC_requests_ld && wl_prediction_metric(p, WL_METRIC_inst_global_ld, out)) ||
           (metric == WL_METRIC_requests_st && wl_prediction_metric(p, WL_METRIC_inst_global_st, out));
}

double wl_time_as_measured(const wl_prediction *p, const wl_measurement *m)
{
    return wl_prediction_time(p) + (m->time_of_profiler ? 0 : wl_prediction_launch_gap(p));
}

static void take_values(const wl_comparison *c, const wl_prediction *p, wl_compared_row *row)
{
    const wl_measurement *m = row->is.measurement;
    for (int v = 0; v < WL_METRIC_COUNT; v++) {
        if (c->wants_some && !c->wanted[v])
            continue;
        row->measured_known[v] = wl_measurement_value(m, (wl_metric)v, &row->measured[v]);
        row->predicted_known[v] = wl_prediction_metric(p, (wl_metric)v, &row->predicted[v]) ||
                                  (row->measured_known[v] && requests_of_all(p, (wl_metric)v, &row->predicted[v]));
    }
    if (c->wants_some && !c->wanted[WL_VALUE_TIME])
        return;
    row->measured_known[WL_VALUE_TIME] = m->time_known;
    row->measured[WL_VALUE_TIME] = m->time_s;
    row->predicted_known[WL_VALUE_TIME] = true;
    row->predicted[WL_VALUE_TIME] = wl_time_as_measured(p, m);
}

wl_status wl_comparison_add(wl_comparison *c, const wl_compared *launch, const wl_prediction *p, wl_error *err)
{
    const wl_launch *predicted = wl_prediction_launch(p);
    if (!WL_ROOM(c->rows, c->row_count + 1, c->row_capacity))
        return wl_fail_memory(err);
    wl_compared_row *row = &c->rows[c->row_count++];
    *row = (wl_compared_row){.is = *launch};
    memcpy(row->block, predicted->block, sizeof row->block);
    memcpy(row->fold, predicted->fold, sizeof row->fold);
    memcpy(row->grid, predicted->grid, sizeof row->grid);
    take_values(c, p, row);
    return WL_OK;
}

void wl_comparison_add_time(wl_comparison *c, wl_model_id model, double time_s)
{
    wl_compared_row *row = &c->rows[c->row_count - 1];
    const int v = WL_VALUE_OF_MODELS + (int)model;
    row->measured_known[v] = row->measured_known[WL_VALUE_TIME];
    row->measured[v] = row->measured[WL_VALUE_TIME];
    row->predicted_known[v] = true;
    row->predicted[v] = time_s;
}

wl_status wl_comparison_skip(wl_comparison *c, const char *table, int32_t line, size_t count, const char *reason,
                             wl_error *err)
{
    if (c->skip_count >= SKIPS_MAX)
        reason = "left out for a reason not listed";
    for (size_t i = 0; i < c->skip_count; i++) {
        wl_skipped *s = &c->skips[i];
        if (strcmp(s->table, table) == 0 && strcmp(s->reason, reason) == 0) {
            s->count += count;
            return WL_OK;
        }
    }
    char *kept = strdup(reason);
    if (!kept || !WL_ROOM(c->skips, c->skip_count + 1, c->skip_capacity)) {
        free(kept);
        return wl_fail_memory(err);
    }
    c->skips[c->skip_count++] = (wl_skipped){table, line, count, kept};
    return WL_OK;
}
