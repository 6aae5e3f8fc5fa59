/* compare_json.c - a comparison as JSON, schema warpline.compare/1. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "shape.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

/* Bytes that are no UTF-8 become question marks. */
static json_t *text(const char *bytes)
{
    json_t *string = json_string(bytes);
    char *copy = string ? NULL : strdup(bytes);
    for (char *p = copy; p && *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    if (copy)
        string = json_string(copy);
    free(copy);
    return string;
}

static json_t *shape_json(const int64_t extent[3])
{
    return json_pack("[I,I,I]", (json_int_t)extent[0], (json_int_t)extent[1], (json_int_t)extent[2]);
}

static json_t *number(double value)
{
    return value == floor(value) && fabs(value) < WHOLE_MAX ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *row_json(const compared_row *row)
{
    json_t *predicted = json_object(), *measured = json_object(), *errors = json_object();
    for (int v = 0; v < VALUE_COUNT; v++) {
        double e = 0;
        if (row->predicted_known[v])
            json_object_set_new(predicted, value_name(v), number(row->predicted[v]));
        if (row->measured_known[v])
            json_object_set_new(measured, value_name(v), number(row->measured[v]));
        if (row_error(row, v, &e))
            json_object_set_new(errors, value_name(v), json_real(e));
    }
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "table", text(row->table), "line",
                     (int)row->m->line, "family", text(row->family), "variant", text(row->m->variant), "params",
                     text(row->m->params), "block", shape_json(row->launch.block), "fold", shape_json(row->launch.fold),
                     "grid", shape_json(row->launch.grid), "predicted", predicted, "measured", measured, "error",
                     errors);
}

static json_t *agreement_json(const wl_agreement *a)
{
    json_t *object = json_pack("{s:I, s:f, s:f, s:f, s:f, s:I}", "n", (json_int_t)a->count, "mean", a->mean, "median",
                               a->median, "max", a->max, "bias", a->bias, "exact", (json_int_t)a->exact);
    if (a->tau_known)
        json_object_set_new(object, "tau", json_real(a->tau));
    return object;
}

static json_t *group_json(const compared_group *g, bool family)
{
    json_t *metrics = json_object();
    for (int v = 0; v < WL_METRIC_COUNT; v++)
        if (g->values[v].count > 0)
            json_object_set_new(metrics, value_name(v), agreement_json(&g->values[v]));
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:I, s:o}", "name", text(g->name), "family", text(g->first->family), "variant",
                  text(family ? "" : g->first->m->variant), "rows", (json_int_t)g->rows, "metrics", metrics);
    if (family)
        json_object_del(object, "variant");
    if (g->values[VALUE_TIME].count > 0) {
        json_t *time = agreement_json(&g->values[VALUE_TIME]);
        if (g->pick_known)
            json_object_set_new(time, "best_pick", json_real(g->pick));
        json_object_set_new(object, "time", time);
    }
    return object;
}

static json_t *skip_json(const skipped *s)
{
    return json_pack("{s:o, s:i, s:o, s:I}", "table", text(s->table), "line", (int)s->line, "reason", text(s->reason),
                     "count", (json_int_t)s->count);
}

wl_status comparison_json(const comparison *c, FILE *out, wl_error *err)
{
    json_t *rows = json_array(), *groups = json_array(), *families = json_array(), *skips = json_array();
    for (size_t i = 0; i < c->row_count; i++)
        json_array_append_new(rows, row_json(&c->rows[i]));
    for (size_t i = 0; i < c->group_count; i++)
        json_array_append_new(groups, group_json(&c->groups[i], false));
    for (size_t i = 0; i < c->family_count; i++)
        json_array_append_new(families, group_json(&c->families[i], true));
    for (size_t i = 0; i < c->skip_count; i++)
        json_array_append_new(skips, skip_json(&c->skips[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "warpline.compare/1", "device", wl_device_name(c->device),
                  "rows", rows, "groups", groups, "families", families, "skipped", skips);
    const bool ok = root && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(root);
    fputc('\n', out);
    if (ok)
        return WL_OK;
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}
