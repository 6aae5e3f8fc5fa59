/* diff_json.c - schema warpline.diff/1. Values that are not known are absent. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>

#include "base/fail.h"
#include "judge/diff.h"

static json_t *number(double value)
{
    return value == floor(value) && fabs(value) < 9007199254740992.0 ? json_integer((json_int_t)value)
                                                                     : json_real(value);
}

static json_t *shape(const int64_t extent[3])
{
    return json_pack("[I,I,I]", (json_int_t)extent[0], (json_int_t)extent[1], (json_int_t)extent[2]);
}

static json_t *side(const wl_diff_side *s)
{
    const wl_prediction *p = s->prediction;
    return json_pack("{s:s, s:s, s:{s:o, s:o, s:o, s:I, s:I}, s:{s:I, s:I, s:s}, s:f, s:I, s:s, s:f, s:f, s:s, s:s}",
                     "kernel", s->kernel, "device", s->device, "launch", "block", shape(p->launch.block), "fold",
                     shape(p->launch.fold), "grid", shape(p->launch.grid), "registers", (json_int_t)p->launch.registers,
                     "shared_bytes", (json_int_t)p->launch.shared_bytes, "occupancy", "blocks_per_sm",
                     (json_int_t)p->occupancy.blocks_per_sm, "warps_per_sm", (json_int_t)p->occupancy.warps_per_sm,
                     "limiter", wl_occupancy_limit_name(p->occupancy.limiter), "waves", p->waves, "items",
                     (json_int_t)p->items, "model", p->model.name, "time_s", p->model.time_s, "items_per_s",
                     p->model.items_per_s, "limiter", wl_bound_name(p->model.limiter), "next_limiter",
                     wl_bound_name(p->model.next));
}

/* "a", "b", and b over a; per update where the work is not the same. */
static json_t *pair(const char *name, bool a_known, double a, bool b_known, double b, double scale)
{
    json_t *all = json_pack("{s:s}", "name", name);
    if (a_known)
        json_object_set_new(all, "a", number(a));
    if (b_known)
        json_object_set_new(all, "b", number(b));
    if (a_known && b_known && a > 0)
        json_object_set_new(all, "ratio", json_real(b * scale / a));
    return all;
}

static json_t *bounds(const wl_diff *d)
{
    const wl_prediction *a = d->a.prediction, *b = d->b.prediction;
    json_t *all = json_array();
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (a->model.bound_known[i] || b->model.bound_known[i])
            json_array_append_new(all, pair(wl_bound_name((wl_bound_id)i), a->model.bound_known[i], a->model.bound_s[i],
                                            b->model.bound_known[i], b->model.bound_s[i],
                                            (double)a->items / (double)b->items));
    return all;
}

static json_t *parts(const wl_value *a, const wl_value *b, double scale)
{
    const char *names[2 * WL_PARTS_MAX];
    const size_t count = wl_diff_parts(a, b, names);
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            all, pair(names[i], true, wl_value_part(a, names[i]), true, wl_value_part(b, names[i]), scale));
    return all;
}

static json_t *metric(const wl_diff *d, wl_metric m)
{
    const wl_prediction *pa = d->a.prediction, *pb = d->b.prediction;
    const wl_value *a = &pa->metrics[m], *b = &pb->metrics[m];
    const bool total = wl_metric_scope(m) == WL_SCOPE_LAUNCH;
    const double scale = total ? (double)pa->items / (double)pb->items : 1;
    json_t *all = pair(wl_metric_name(m), a->known, a->value, b->known, b->value, scale);
    json_object_set_new(all, "unit", json_string(wl_metric_unit(m)));
    if (total && a->known)
        json_object_set_new(all, "a_per_item", number(wl_diff_rate(pa, m, a->value)));
    if (total && b->known)
        json_object_set_new(all, "b_per_item", number(wl_diff_rate(pb, m, b->value)));
    json_object_set_new(all, "parts", parts(a, b, scale));
    return all;
}

static json_t *cause(const wl_cause *c)
{
    json_t *all = json_object();
    if (c->bound_known) {
        json_object_set_new(all, "bound", json_string(wl_bound_name(c->bound)));
        json_object_set_new(all, "limits_the_slower", json_boolean(c->limits));
        json_object_set_new(all, "share", json_real(c->share));
    }
    if (c->metric_known) {
        json_object_set_new(all, "metric", json_string(wl_metric_name(c->metric)));
        json_object_set_new(all, "metric_share", json_real(c->metric_share));
    }
    if (c->part)
        json_object_set_new(all, "part", json_string(c->part));
    return all;
}

wl_status wl_diff_json(const wl_diff *d, bool one_line, char **out, wl_error *err)
{
    json_t *metrics = json_array(), *reasons = json_array();
    for (size_t i = 0; i < d->metric_count; i++)
        json_array_append_new(metrics, metric(d, d->metrics[i]));
    for (int i = 0; i < d->reason_count; i++)
        json_array_append_new(reasons, json_string(d->reasons[i]));
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:f, s:s, s:b, s:o, s:o, s:o, s:o}", "schema", "warpline.diff/1", "a", side(&d->a),
                  "b", side(&d->b), "speedup", d->speedup, "faster", d->b_faster ? "b" : "a", "equal", d->equal,
                  "cause", cause(&d->cause), "reasons", reasons, "bounds_s", bounds(d), "metrics", metrics);
    *out = root ? json_dumps(root, (one_line ? JSON_COMPACT : JSON_INDENT(1)) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(root);
    return *out ? WL_OK : wl_fail_memory(err);
}
