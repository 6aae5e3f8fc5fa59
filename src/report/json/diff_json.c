/* diff_json.c - schema warpline.diff/1. Values that are not known are absent.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "judge/difference.h"
#include "report/common/render.h"

static json_t *side(wl_json *j, const wl_diff_side *s)
{
    const wl_prediction *p = s->prediction;
    return wl_json_pack(
        j, "{s:s, s:s, s:{s:o, s:o, s:o, s:I, s:I}, s:{s:I, s:I, s:s}, s:f, s:I, s:s, s:s, s:f, s:f, s:s, s:s}",
        "kernel", s->kernel, "device", s->device, "launch", "block", wl_json_shape(j, p->launch.block), "fold",
        wl_json_shape(j, p->launch.fold), "grid", wl_json_shape(j, p->launch.grid), "registers",
        (json_int_t)p->launch.registers, "shared_bytes", (json_int_t)p->launch.shared_bytes, "occupancy",
        "blocks_per_sm", (json_int_t)p->occupancy.blocks_per_sm, "warps_per_sm", (json_int_t)p->occupancy.warps_per_sm,
        "limiter", wl_occupancy_limit_name(p->occupancy.limiter), "waves", p->waves, "items", (json_int_t)p->items,
        "unit", wl_work_unit_words(p->work_unit)->name, "model", wl_model_name(p->model.id), "time_s", p->model.time_s,
        "items_per_s", p->model.items_per_s, "limiter", wl_bound_name(p->model.limiter), "next_limiter",
        wl_bound_name(p->model.next));
}

/* "a", "b", and b over a; per unit of work where the work is not the same. */
static json_t *pair(wl_json *j, const char *name, bool a_known, double a, bool b_known, double b, double scale)
{
    json_t *all = wl_json_pack(j, "{s:s}", "name", name);
    if (a_known)
        wl_json_set(j, all, "a", wl_json_number(j, a));
    if (b_known)
        wl_json_set(j, all, "b", wl_json_number(j, b));
    if (a_known && b_known && a > 0)
        wl_json_set(j, all, "ratio", wl_json_real(j, b * scale / a));
    return all;
}

static json_t *bounds(wl_json *j, const wl_diff *d)
{
    const wl_prediction *a = d->a.prediction, *b = d->b.prediction;
    json_t *all = wl_json_array(j);
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (a->model.bound_known[i] || b->model.bound_known[i])
            wl_json_add(j, all,
                        pair(j, wl_bound_name((wl_bound_id)i), a->model.bound_known[i], a->model.bound_s[i],
                             b->model.bound_known[i], b->model.bound_s[i], (double)a->items / (double)b->items));
    return all;
}

static json_t *parts(wl_json *j, const wl_value *a, const wl_value *b, double scale)
{
    const char *names[2 * WL_PARTS_MAX];
    const size_t count = wl_diff_parts(a, b, names);
    json_t *all = wl_json_array(j);
    for (size_t i = 0; i < count; i++)
        wl_json_add(j, all,
                    pair(j, names[i], true, wl_value_part(a, names[i]), true, wl_value_part(b, names[i]), scale));
    return all;
}

static json_t *metric(wl_json *j, const wl_diff *d, wl_metric m)
{
    const wl_prediction *pa = d->a.prediction, *pb = d->b.prediction;
    const wl_value *a = &pa->metrics[m], *b = &pb->metrics[m];
    const bool total = wl_metric_scope(m) == WL_SCOPE_LAUNCH;
    const double scale = total ? (double)pa->items / (double)pb->items : 1;
    json_t *all = pair(j, wl_metric_name(m), a->known, a->value, b->known, b->value, scale);
    wl_json_set(j, all, "unit", wl_json_text(j, wl_metric_unit(m)));
    if (total && a->known)
        wl_json_set(j, all, "a_per_item", wl_json_number(j, wl_diff_rate(pa, m, a->value)));
    if (total && b->known)
        wl_json_set(j, all, "b_per_item", wl_json_number(j, wl_diff_rate(pb, m, b->value)));
    wl_json_set(j, all, "parts", parts(j, a, b, scale));
    return all;
}

static json_t *cause(wl_json *j, const wl_diff_cause *c)
{
    json_t *all = wl_json_object(j);
    if (c->bound_known) {
        wl_json_set(j, all, "bound", wl_json_text(j, wl_bound_name(c->bound)));
        wl_json_set(j, all, "limits_the_slower", wl_json_truth(j, c->limits));
        wl_json_set(j, all, "share", wl_json_real(j, c->share));
    }
    if (c->metric_known) {
        wl_json_set(j, all, "metric", wl_json_text(j, wl_metric_name(c->metric)));
        wl_json_set(j, all, "metric_share", wl_json_real(j, c->metric_share));
    }
    if (c->part)
        wl_json_set(j, all, "part", wl_json_text(j, c->part));
    return all;
}

json_t *wl_diff_json(wl_json *j, const void *result)
{
    const wl_diff *d = result;
    json_t *metrics = wl_json_array(j), *reasons = wl_json_array(j);
    for (size_t i = 0; i < d->metric_count; i++)
        wl_json_add(j, metrics, metric(j, d, d->metrics[i]));
    for (int i = 0; i < d->reason_count; i++)
        wl_json_add(j, reasons, wl_json_text(j, d->reasons[i]));
    return wl_json_pack(j, "{s:s, s:o, s:o, s:f, s:s, s:b, s:o, s:o, s:o, s:o}", "schema", "warpline.diff/1", "a",
                        side(j, &d->a), "b", side(j, &d->b), "speedup", d->speedup, "faster", d->b_faster ? "b" : "a",
                        "equal", d->equal, "cause", cause(j, &d->cause), "reasons", reasons, "bounds_s", bounds(j, d),
                        "metrics", metrics);
}
