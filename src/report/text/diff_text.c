/* diff_text.c - a difference for people: headline, reasons, bounds, occupancy, metrics.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/difference.h"
#include "report/common/marks.h"
#include "report/common/prediction_report.h"
#include "report/common/render.h"
#include "report/common/words.h"

#define WIDTH 98   /* with two leading blanks, 100 columns */
#define MOVED 0.05 /* share of the metric: parts that changed less are not shown */

static void add_side(const char *name, const wl_diff_side *side, wl_buffer *out)
{
    const wl_prediction *p = side->prediction;
    wl_buffer_add(out, "%s: %s on %s, block %s, fold %s, %lld registers, %lld B shared\n", name, side->kernel,
                  side->device, wl_shape_text(p->launch.block).text, wl_shape_text(p->launch.fold).text,
                  (long long)p->launch.registers, (long long)p->launch.shared_bytes);
}

static void add_headline(const wl_diff *d, wl_buffer *out)
{
    wl_mark_line(out, 2);
    wl_mark_add(out, WL_MARK_HEADLINE);
    if (d->equal)
        wl_buffer_text(out, "B is as fast as A");
    else if (d->b_faster)
        wl_buffer_add(out, "B is %.2f times as fast", d->speedup);
    else
        wl_buffer_add(out, "B takes %.2f times as long", 1 / d->speedup);
    wl_buffer_add(out, ": %s -> %s", wl_quantity(WL_DIM_TIME, d->a.prediction->model.time_s).text,
                  wl_quantity(WL_DIM_TIME, d->b.prediction->model.time_s).text);
    wl_mark_add(out, WL_MARK_END);
    if (!d->same_work)
        wl_buffer_add(out, ", for %lld and %lld %s (ratios are per %s)", (long long)d->a.prediction->items,
                      (long long)d->b.prediction->items, wl_diff_unit(d)->many, wl_diff_unit(d)->one);
    wl_buffer_add(out, "\n");
}

static void add_ratio(double a, double b, wl_buffer *out)
{
    if (a > 0)
        wl_buffer_add(out, " %9.3f", b / a);
    else
        wl_buffer_add(out, " %9s", b > 0 ? "-" : "1.000");
}

static void add_seconds(bool known, double seconds, wl_buffer *out)
{
    wl_buffer_add(out, " %12s", known ? wl_quantity(WL_DIM_TIME, seconds).text : "-");
}

static void add_bounds(const wl_diff *d, wl_buffer *out)
{
    const wl_prediction *a = d->a.prediction, *b = d->b.prediction;
    const double scale = (double)a->items / (double)b->items;
    wl_buffer_add(out, "\n  %-16s %12s %12s %9s\n", "bound", "A", "B", "B/A");
    for (int i = 0; i <= WL_BOUND_COUNT; i++) {
        const bool total = i == WL_BOUND_COUNT;
        const bool in_a = total || a->model.bound_known[i], in_b = total || b->model.bound_known[i];
        if (!in_a && !in_b)
            continue;
        const double sa = total ? a->model.time_s : a->model.bound_s[i];
        const double sb = total ? b->model.time_s : b->model.bound_s[i];
        const bool limits_a = i == (int)a->model.limiter, limits_b = i == (int)b->model.limiter;
        wl_mark_if(out, limits_a || limits_b, WL_MARK_LIMITER);
        wl_buffer_add(out, "  %-16s", total ? "time" : wl_bound_name((wl_bound_id)i));
        add_seconds(in_a, sa, out);
        add_seconds(in_b, sb, out);
        if (in_a && in_b)
            add_ratio(sa, sb * scale, out);
        wl_buffer_text(out, limits_a && limits_b ? "  <- limits both"
                            : limits_a           ? "  <- limits A"
                            : limits_b           ? "  <- limits B"
                                                 : "");
        wl_mark_if(out, limits_a || limits_b, WL_MARK_END);
        wl_buffer_text(out, "\n");
    }
}

static void add_occupancy(const wl_diff *d, wl_buffer *out)
{
    const wl_prediction *a = d->a.prediction, *b = d->b.prediction;
    const wl_short blocks = wl_short_of("blocks per %s", wl_diff_sm_word(d)),
                   warps = wl_short_of("warps per %s", wl_diff_sm_word(d));
    const struct {
        const char *name;
        double a, b;
    } rows[] = {
        {blocks.text, (double)a->occupancy.blocks_per_sm, (double)b->occupancy.blocks_per_sm},
        {warps.text, (double)a->occupancy.warps_per_sm, (double)b->occupancy.warps_per_sm},
        {"blocks", (double)a->blocks, (double)b->blocks},
        {"waves", a->waves, b->waves},
        {"cycles working", a->model.own_cycles, b->model.own_cycles},
        {"cycles waiting", a->model.wait_cycles, b->model.wait_cycles},
    };
    wl_buffer_add(out, "\n  %-16s %12s %12s %9s\n", "launch", "A", "B", "B/A");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].a <= 0 || rows[i].b <= 0)
            continue; /* only the turnover model has cycles of a block */
        wl_buffer_add(out, "  %-16s %12.6g %12.6g", rows[i].name, rows[i].a, rows[i].b);
        add_ratio(rows[i].a, rows[i].b, out);
        wl_buffer_add(out, "\n");
    }
    wl_buffer_add(out, "  %-16s %12s %12s\n", "limited by", wl_occupancy_limit_name(a->occupancy.limiter),
                  wl_occupancy_limit_name(b->occupancy.limiter));
}

static void add_total(const wl_value *v, const char *unit, wl_buffer *out)
{
    wl_buffer_add(out, " %12s", v->known ? wl_short_of("%s%s", wl_scaled(v->value).text, unit).text : "unknown");
}

/* Values that are negligible compared with the whole are shown as 0. */
static double visible(double part, double whole) { return fabs(part) < 1e-6 * whole ? 0 : part; }

static void add_parts(const wl_diff *d, wl_metric m, wl_buffer *out)
{
    const wl_prediction *pa = d->a.prediction, *pb = d->b.prediction;
    const wl_value *a = &pa->metrics[m], *b = &pb->metrics[m];
    const char *names[2 * WL_PARTS_MAX];
    const size_t count = wl_diff_parts(a, b, names);
    const double whole = fmax(wl_diff_rate(pa, m, a->value), wl_diff_rate(pb, m, b->value));
    for (size_t i = 0; i < count; i++) {
        const double x = wl_diff_rate(pa, m, wl_value_part(a, names[i]));
        const double y = wl_diff_rate(pb, m, wl_value_part(b, names[i]));
        if (fabs(y - x) >= MOVED * whole && fabs(y - x) > 0)
            wl_buffer_add(out, "    %-42s %10.4g %10.4g\n", names[i], visible(x, whole), visible(y, whole));
    }
}

static void add_metrics(const wl_diff *d, wl_buffer *out)
{
    const wl_prediction *pa = d->a.prediction, *pb = d->b.prediction;
    const char *one = wl_diff_unit(d)->one;
    wl_buffer_add(out, "\n  %-18s %12s %12s %10s %10s %9s\n", "metric", "A", "B", wl_short_of("A/%s", one).text,
                  wl_short_of("B/%s", one).text, "B/A");
    for (size_t i = 0; i < d->metric_count; i++) {
        const wl_metric m = d->metrics[i];
        const wl_value *a = &pa->metrics[m], *b = &pb->metrics[m];
        const char *unit = wl_metric_unit(m)[0] == 'b' ? "B" : "";
        const double x = wl_diff_rate(pa, m, a->value), y = wl_diff_rate(pb, m, b->value);
        wl_buffer_add(out, "  %-18s", wl_metric_name(m));
        add_total(a, unit, out);
        add_total(b, unit, out);
        if (a->known && b->known) {
            if (wl_metric_scope(m) == WL_SCOPE_LAUNCH)
                wl_buffer_add(out, " %10.4g %10.4g", x, y);
            else
                wl_buffer_add(out, " %10s %10s", "", "");
            add_ratio(x, y, out);
        }
        wl_buffer_add(out, "\n");
        if (a->known && b->known)
            add_parts(d, m, out);
    }
}

static void add_note(const char *what, const char *a, const char *b, wl_buffer *out)
{
    if (strcmp(a, b) != 0)
        wl_note_line(out, "  ", "%s: %s and %s", what, a, b);
}

void wl_diff_text(const void *result, wl_buffer *out)
{
    const wl_diff *d = result;
    add_side("A", &d->a, out);
    add_side("B", &d->b, out);
    add_headline(d, out);
    for (int i = 0; i < d->reason_count; i++)
        wl_wrapped_text(d->reasons[i], WIDTH, out);
    add_note("two kernels", d->a.kernel, d->b.kernel, out);
    add_note("two devices, whose rates differ as well", d->a.device, d->b.device, out);
    add_note("the times are of two models", wl_model_name(d->a.prediction->model.id),
             wl_model_name(d->b.prediction->model.id), out);
    add_bounds(d, out);
    add_occupancy(d, out);
    add_metrics(d, out);
}
