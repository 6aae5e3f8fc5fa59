/* diff_json.c - schema warpline.diff/1. Values that are not known are absent.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "judge/difference.h"
#include "report/common/render.h"

static void side(wl_json_out *o, const char *key, const wl_diff_side *s)
{
    const wl_prediction *p = s->prediction;
    wl_out_row(o, key,
               "kernel:s device:s launch:{block:x fold:x grid:x registers:d shared_bytes:d} "
               "occupancy:{blocks_per_sm:d warps_per_sm:d limiter:s} waves:r items:d unit:s model:s time_s:r "
               "items_per_s:r limiter:s next_limiter:s",
               s->kernel, s->device, p->launch.block, p->launch.fold, p->launch.grid, p->launch.registers,
               p->launch.shared_bytes, p->occupancy.blocks_per_sm, p->occupancy.warps_per_sm,
               wl_occupancy_limit_name(p->occupancy.limiter), p->waves, p->items,
               wl_work_unit_words(p->work_unit)->name, wl_model_name(p->model.id), p->model.time_s,
               p->model.items_per_s, wl_bound_name(p->model.limiter), wl_bound_name(p->model.next));
}

/* Two values, NaN where one is not known, and b over a; per unit of work where the work is not the
 * same. */
static void pair(wl_json_out *o, const char *name, double a, double b, double scale)
{
    wl_out_members(o, "name:s a:n? b:n? ratio:r?", name, a, b, a > 0 ? b * scale / a : NAN);
}

static void bounds(wl_json_out *o, const wl_diff *d)
{
    const wl_prediction *a = d->a.prediction, *b = d->b.prediction;
    wl_out_array(o, "bounds_s");
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        if (!a->model.bound_known[i] && !b->model.bound_known[i])
            continue;
        wl_out_object(o, NULL);
        pair(o, wl_bound_name((wl_bound_id)i), a->model.bound_known[i] ? a->model.bound_s[i] : NAN,
             b->model.bound_known[i] ? b->model.bound_s[i] : NAN, (double)a->items / (double)b->items);
        wl_out_object_end(o);
    }
    wl_out_array_end(o);
}

static void parts(wl_json_out *o, const wl_value *a, const wl_value *b, double scale)
{
    const char *names[2 * WL_PARTS_MAX];
    const size_t count = wl_diff_parts(a, b, names);
    wl_out_array(o, "parts");
    for (size_t i = 0; i < count; i++) {
        wl_out_object(o, NULL);
        pair(o, names[i], wl_value_part(a, names[i]), wl_value_part(b, names[i]), scale);
        wl_out_object_end(o);
    }
    wl_out_array_end(o);
}

static void metric(wl_json_out *o, const void *of, size_t i)
{
    const wl_diff *d = of;
    const wl_metric m = d->metrics[i];
    const wl_prediction *pa = d->a.prediction, *pb = d->b.prediction;
    const wl_value *a = &pa->metrics[m], *b = &pb->metrics[m];
    const bool total = wl_metric_scope(m) == WL_SCOPE_LAUNCH;
    const double scale = total ? (double)pa->items / (double)pb->items : 1;
    pair(o, wl_metric_name(m), a->known ? a->value : NAN, b->known ? b->value : NAN, scale);
    wl_out_members(o, "unit:s a_per_item:n? b_per_item:n?", wl_metric_unit(m),
                   total && a->known ? wl_diff_rate(pa, m, a->value) : NAN,
                   total && b->known ? wl_diff_rate(pb, m, b->value) : NAN);
    parts(o, a, b, scale);
}

static void cause(wl_json_out *o, const wl_diff_cause *c)
{
    wl_out_object(o, "cause");
    if (c->bound_known)
        wl_out_members(o, "bound:s limits_the_slower:b share:r?", wl_bound_name(c->bound), c->limits, c->share);
    if (c->metric_known)
        wl_out_members(o, "metric:s metric_share:r?", wl_metric_name(c->metric), c->metric_share);
    wl_out_members(o, "part:s?}", c->part);
}

void wl_diff_json(wl_json_out *o, const void *result)
{
    const wl_diff *d = result;
    wl_out_members(o, "schema:s", "warpline.diff/1");
    side(o, "a", &d->a);
    side(o, "b", &d->b);
    wl_out_members(o, "speedup:r faster:s equal:b", d->speedup, d->b_faster ? "b" : "a", d->equal);
    cause(o, &d->cause);
    wl_out_array(o, "reasons");
    wl_out_texts(o, d->reasons[0], sizeof d->reasons[0], d->reason_count);
    wl_out_array_end(o);
    bounds(o, d);
    wl_out_objects(o, "metrics", d->metric_count, metric, d);
}
