/* compare_json.c - a comparison as JSON, schema warpline.compare/1. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "compare/comparison.h"
#include "report/common/render.h"

static json_t *row_json(wl_json *j, const wl_compared_row *row)
{
    json_t *predicted = wl_json_object(j), *measured = wl_json_object(j), *errors = wl_json_object(j);
    for (int v = 0; v < WL_VALUE_COUNT; v++) {
        double e = 0;
        if (row->predicted_known[v])
            wl_json_set(j, predicted, wl_compared_name(v), wl_json_number(j, row->predicted[v]));
        if (row->measured_known[v])
            wl_json_set(j, measured, wl_compared_name(v), wl_json_number(j, row->measured[v]));
        if (wl_compared_error(row, v, &e))
            wl_json_set(j, errors, wl_compared_name(v), wl_json_real(j, e));
    }
    return wl_json_pack(j, "{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "table",
                        wl_json_text(j, row->is.table), "line", (int)row->is.measurement->line, "family",
                        wl_json_text(j, row->is.family), "variant", wl_json_text(j, row->is.measurement->variant),
                        "params", wl_json_text(j, row->is.measurement->params), "block", wl_json_shape(j, row->block),
                        "fold", wl_json_shape(j, row->fold), "grid", wl_json_shape(j, row->grid), "predicted",
                        predicted, "measured", measured, "error", errors);
}

static json_t *agreement_json(wl_json *j, const wl_agreement *a)
{
    json_t *object = wl_json_pack(j, "{s:I, s:f, s:f, s:f, s:f, s:I}", "n", (json_int_t)a->count, "mean", a->mean,
                                  "median", a->median, "max", a->max, "bias", a->bias, "exact", (json_int_t)a->exact);
    if (a->tau_known)
        wl_json_set(j, object, "tau", wl_json_real(j, a->tau));
    return object;
}

static json_t *group_json(wl_json *j, const wl_comparison *c, const wl_compared_group *g, bool family)
{
    json_t *metrics = wl_json_object(j);
    for (int v = 0; v < WL_METRIC_COUNT; v++)
        if (g->values[v].count > 0)
            wl_json_set(j, metrics, wl_compared_name(v), agreement_json(j, &g->values[v]));
    const wl_compared_row *first = &c->rows[g->first];
    json_t *object = wl_json_object(j);
    wl_json_set(j, object, "name", wl_json_text(j, g->name));
    wl_json_set(j, object, "family", wl_json_text(j, first->is.family));
    if (!family)
        wl_json_set(j, object, "variant", wl_json_text(j, first->is.measurement->variant));
    wl_json_set(j, object, "rows", wl_json_whole(j, (int64_t)g->rows));
    wl_json_set(j, object, "metrics", metrics);
    if (g->values[WL_VALUE_TIME].count > 0) {
        json_t *time = agreement_json(j, &g->values[WL_VALUE_TIME]);
        if (g->pick_known)
            wl_json_set(j, time, "best_pick", wl_json_real(j, g->pick));
        wl_json_set(j, object, "time", time);
    }
    return object;
}

static json_t *skip_json(wl_json *j, const wl_skipped *s)
{
    return wl_json_pack(j, "{s:o, s:i, s:o, s:I}", "table", wl_json_text(j, s->table), "line", (int)s->line, "reason",
                        wl_json_text(j, s->reason), "count", (json_int_t)s->count);
}

json_t *wl_comparison_json(wl_json *j, const void *result)
{
    const wl_comparison *c = ((const wl_comparison_report *)result)->comparison;
    json_t *rows = wl_json_array(j), *groups = wl_json_array(j), *families = wl_json_array(j),
           *skips = wl_json_array(j);
    for (size_t i = 0; i < c->row_count; i++)
        wl_json_add(j, rows, row_json(j, &c->rows[i]));
    for (size_t i = 0; i < c->group_count; i++)
        wl_json_add(j, groups, group_json(j, c, &c->groups[i], false));
    for (size_t i = 0; i < c->family_count; i++)
        wl_json_add(j, families, group_json(j, c, &c->families[i], true));
    for (size_t i = 0; i < c->skip_count; i++)
        wl_json_add(j, skips, skip_json(j, &c->skips[i]));
    return wl_json_pack(j, "{s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "warpline.compare/1", "device", c->device,
                        "rows", rows, "groups", groups, "families", families, "skipped", skips);
}
