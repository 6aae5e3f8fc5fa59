/* compare_json.c - a comparison as JSON, schema warpline.compare/1. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "compare/comparison.h"
#include "report/common/render.h"

static void row(wl_json_out *o, const void *of, size_t i)
{
    const wl_compared_row *row = &((const wl_comparison *)of)->rows[i];
    double e = 0;
    wl_out_members(o, "table:s line:i family:s variant:s params:s block:x fold:x grid:x predicted:{", row->is.table,
                   (int)row->is.measurement->line, row->is.family, row->is.measurement->variant,
                   row->is.measurement->params, row->block, row->fold, row->grid);
    for (int v = 0; v < WL_VALUE_COUNT; v++)
        wl_out_number(o, wl_compared_name(v), row->predicted_known[v] ? row->predicted[v] : NAN);
    wl_out_members(o, "} measured:{");
    for (int v = 0; v <= WL_VALUE_TIME; v++)
        wl_out_number(o, wl_compared_name(v), row->measured_known[v] ? row->measured[v] : NAN);
    wl_out_members(o, "} error:{");
    for (int v = 0; v < WL_VALUE_COUNT; v++)
        wl_out_real(o, wl_compared_name(v), wl_compared_error(row, v, &e) ? e : NAN);
    wl_out_object_end(o);
}

static void agreement(wl_json_out *o, const char *key, const wl_agreement *a, double pick)
{
    wl_out_row(o, key, "n:d mean:r median:r max:r bias:r exact:d tau:r? best_pick:r?", (int64_t)a->count, a->mean,
               a->median, a->max, a->bias, (int64_t)a->exact, a->tau_known ? a->tau : NAN, pick);
}

static double pick_of(const wl_compared_group *g, int v)
{
    const double pick = g->pick[v - WL_VALUE_TIME];
    return pick > 0 ? pick : NAN;
}

/* Families have no variant. */
static void group(wl_json_out *o, const wl_comparison *c, const wl_compared_group *g, bool family)
{
    const wl_compared_row *first = &c->rows[g->first];
    wl_out_members(o, "name:s family:s variant:s? rows:d metrics:{", g->name, first->is.family,
                   family ? NULL : first->is.measurement->variant, (int64_t)g->rows);
    for (int v = 0; v < WL_METRIC_COUNT; v++)
        if (g->values[v].count > 0)
            agreement(o, wl_compared_name(v), &g->values[v], NAN);
    wl_out_object_end(o);
    if (g->values[WL_VALUE_TIME].count > 0)
        agreement(o, "time", &g->values[WL_VALUE_TIME], pick_of(g, WL_VALUE_TIME));
    bool models = false;
    for (int v = WL_VALUE_OF_MODELS; v < WL_VALUE_COUNT; v++) {
        if (g->values[v].count == 0)
            continue;
        if (!models)
            wl_out_members(o, "models:{");
        models = true;
        agreement(o, wl_model_name((wl_model_id)(v - WL_VALUE_OF_MODELS)), &g->values[v], pick_of(g, v));
    }
    if (models)
        wl_out_object_end(o);
}

static void one_group(wl_json_out *o, const void *of, size_t i)
{
    const wl_comparison *c = of;
    group(o, c, &c->groups[i], false);
}

static void one_family(wl_json_out *o, const void *of, size_t i)
{
    const wl_comparison *c = of;
    group(o, c, &c->families[i], true);
}

static void skip(wl_json_out *o, const void *of, size_t i)
{
    const wl_skipped *s = &((const wl_comparison *)of)->skips[i];
    wl_out_members(o, "table:s line:i reason:s count:d", s->table, (int)s->line, s->reason, (int64_t)s->count);
}

void wl_comparison_json(wl_json_out *o, const void *result)
{
    const wl_comparison *c = ((const wl_comparison_report *)result)->comparison;
    wl_out_members(o, "schema:s device:s", "warpline.compare/1", c->device);
    wl_out_objects(o, "rows", c->row_count, row, c);
    wl_out_objects(o, "groups", c->group_count, one_group, c);
    wl_out_objects(o, "families", c->family_count, one_family, c);
    wl_out_objects(o, "skipped", c->skip_count, skip, c);
}
