/* page_headline.c - a launch in a few figures: time, rates, shares of peaks, bounds, occupancy, and
 * all metrics.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <math.h>

#include "device/device_internal.h"
#include "launch/occupancy_next.h"
#include "report/common/derived.h"
#include "report/page/page.h"

/* ---- figures ---- */

static void add_figure(wl_buffer *out, const char *name, const char *value, const char *unit)
{
    wl_buffer_add(out, "<div class=\"figure\"><b>%s%s</b><span>%s</span></div>\n", value, unit, name);
}

void wl_page_figures(const wl_page_part *p, wl_buffer *out)
{
    const wl_model_result *m = &p->prediction->model;
    char rate[16];
    double flops;
    (void)snprintf(rate, sizeof rate, "%s/s", wl_work_unit_words(p->prediction->work_unit)->brief);
    for (int i = 0; i < p->prediction->warning_count; i++)
        if (p->prediction->warning_kind[i] == WL_WARNING_GAP)
            wl_page_print(out, "<p class=\"gap\"><b>Warning:</b> %s.</p>\n", p->prediction->warnings[i]);
    wl_buffer_text(out, "<div class=\"figures\">\n");
    add_figure(out, "predicted time", wl_quantity(WL_DIM_TIME, m->time_s).text, "");
    add_figure(out, "work rate", wl_scaled(m->items_per_s).text, rate);
    if (m->time_s > 0 && wl_all_flops(&p->tallies, &flops) && flops > 0)
        add_figure(out, "arithmetic", wl_scaled(flops / m->time_s).text, "FLOP/s");
    add_figure(out, "limited by", wl_bound_name(m->limiter), "");
    if (m->next != m->limiter)
        add_figure(out, "then by", wl_bound_name(m->next), "");
    wl_buffer_text(out, "</div>\n");
}

/* ---- bars ---- */

static void add_bar(wl_buffer *out, double share)
{
    wl_buffer_text(out, "<td class=\"bar\"");
    wl_page_attribute(out, "data-value", share);
    wl_buffer_add(out, "><i style=\"width:%.2f%%\"></i></td>", 100 * fmin(1, fmax(0, share)));
}

static void add_use(const wl_use *use, wl_buffer *out)
{
    char rate[32], peak[32];
    wl_use_text(use, use->rate, rate, sizeof rate);
    wl_use_text(use, use->peak, peak, sizeof peak);
    wl_page_print(out, "<tr data-peak=\"%s\"", wl_use_name(use));
    wl_page_attribute(out, "data-share", use->share);
    wl_buffer_text(out, ">");
    wl_page_cell(out, wl_use_name(use));
    wl_page_number(out, use->share, "%.3g %%", 100 * use->share);
    add_bar(out, use->share);
    wl_page_number(out, use->rate, "%s", rate);
    wl_page_number(out, use->peak, "%s", peak);
    wl_buffer_text(out, "</tr>\n");
}

static void add_uses(const wl_page_part *p, wl_buffer *out)
{
    wl_buffer_text(out, "<h3>Percent of each peak</h3>\n");
    if (p->use_count == 0) {
        wl_buffer_text(out, "<p>No peak is known for the resources of this launch.</p>\n");
        return;
    }
    wl_page_table(out, "peaks", "resource|#of its peak|0 to 100 %%|#rate|#peak");
    for (int i = 0; i < p->use_count; i++) {
        if (!wl_use_shows(&p->uses[i], &p->ceilings))
            continue;
        add_use(&p->uses[i], out);
    }
    wl_page_table_end(out);
}

static void add_bounds(const wl_page_part *p, wl_buffer *out)
{
    const wl_model_result *m = &p->prediction->model;
    wl_buffer_add(out, "<h3>What each resource would take alone</h3>\n<p>Time by the %s model.</p>\n",
                  wl_model_name(m->id));
    wl_page_table(out, "bounds", "resource|#time alone|0 to %s|what it is", wl_quantity(WL_DIM_TIME, m->time_s).text);
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        if (!m->bound_known[i])
            continue;
        wl_page_print(out, "<tr data-bound=\"%s\"", wl_bound_name((wl_bound_id)i));
        wl_page_attribute(out, "data-seconds", m->bound_s[i]);
        wl_buffer_add(out, "%s>", (wl_bound_id)i == m->limiter ? " class=\"most\"" : "");
        wl_page_cell(out, wl_bound_name((wl_bound_id)i));
        wl_page_quantity(out, WL_DIM_TIME, m->bound_s[i]);
        add_bar(out, m->time_s > 0 ? m->bound_s[i] / m->time_s : 0);
        wl_page_cell(out, wl_bound_meaning((wl_bound_id)i));
        wl_buffer_text(out, "</tr>\n");
    }
    wl_page_table_end(out);
}

void wl_page_bounds(const wl_page_part *p, wl_buffer *out)
{
    add_uses(p, out);
    add_bounds(p, out);
}

/* ---- occupancy ---- */

static void add_limits(const wl_page_part *p, wl_buffer *out)
{
    const wl_occupancy *o = &p->prediction->occupancy;
    wl_page_table(out, "limits", "resource|#blocks per %s it allows", wl_device_sm_word(p->device));
    for (int i = 0; i < WL_LIMIT_COUNT; i++) {
        wl_buffer_add(out, "<tr%s>", (wl_occupancy_limit)i == o->limiter ? " class=\"most\"" : "");
        wl_page_cell(out, wl_occupancy_limit_name((wl_occupancy_limit)i));
        if (o->limits[i] == INT64_MAX)
            wl_buffer_text(out, "<td class=\"n\">any</td>");
        else
            wl_page_number(out, (double)o->limits[i], "%lld", (long long)o->limits[i]);
        wl_buffer_text(out, "</tr>\n");
    }
    wl_page_table_end(out);
}

static void add_next(const wl_page_part *p, wl_buffer *out)
{
    const wl_launch *l = &p->prediction->launch;
    wl_occupancy_step next;
    if (wl_occupancy_next(p->device, p->prediction->threads_per_block, l->registers, l->shared_bytes, &next, NULL) !=
        WL_OK)
        return;
    wl_buffer_add(out, "<p>One more block per %s takes", wl_device_sm_word(p->device));
    if (next.registers >= 0)
        wl_buffer_add(out, " at most %lld registers per thread", (long long)next.registers);
    if (next.shared_bytes >= 0)
        wl_buffer_add(out, "%s at most %lld B of shared memory", next.registers >= 0 ? ", or" : "",
                      (long long)next.shared_bytes);
    if (next.threads >= 0)
        wl_buffer_add(out, "%s at most %lld threads per block",
                      next.registers >= 0 || next.shared_bytes >= 0 ? ", or" : "", (long long)next.threads);
    wl_buffer_add(out, "%s.</p>\n",
                  next.registers < 0 && next.shared_bytes < 0 && next.threads < 0 ? " more than one resource" : "");
}

void wl_page_occupancy(const wl_page_part *p, wl_buffer *out)
{
    const wl_occupancy *o = &p->prediction->occupancy;
    const double most = wl_device_or(p->device, WL_DEVICE_max_threads_per_sm, 0);
    wl_buffer_text(out, "<h3>Occupancy</h3>\n<p class=\"occupancy\"");
    wl_page_attribute(out, "data-blocks-per-sm", (double)o->blocks_per_sm);
    wl_page_attribute(out, "data-warps-per-sm", (double)o->warps_per_sm);
    wl_buffer_add(out, ">Per %s %lld blocks, %lld warps, %lld threads", wl_device_sm_word(p->device),
                  (long long)o->blocks_per_sm, (long long)o->warps_per_sm, (long long)o->threads_per_sm);
    if (most > 0)
        wl_buffer_add(out, " (%.0f %% of its threads)", 100 * (double)o->threads_per_sm / most);
    wl_buffer_add(out,
                  "; limited by %s. A wave is %lld of %lld blocks (%.4g waves). A warp takes %lld registers, a block "
                  "%lld B of shared memory; %s of L1 remain.</p>\n",
                  wl_occupancy_limit_name(o->limiter), (long long)p->prediction->wave_blocks,
                  (long long)p->prediction->blocks, p->prediction->waves, (long long)o->registers_allocated,
                  (long long)o->shared_allocated, wl_quantity(WL_DIM_BYTES, (double)o->l1_bytes).text);
    add_limits(p, out);
    add_next(p, out);
}

/* ---- metrics ---- */

static void add_parts(const wl_value *v, double items, wl_buffer *out)
{
    const char *separator = "";
    wl_buffer_text(out, "<td>");
    for (int i = 0; i < v->part_count; i++) {
        if (fabs(v->parts[i].value) <= 1e-4 * fabs(v->value))
            continue; /* would not show in four digits */
        wl_page_print(out, "%s%s %.4g", separator, v->parts[i].name, v->parts[i].value / items);
        separator = ", ";
    }
    wl_buffer_text(out, "</td>");
}

static void add_metric(const wl_page_part *p, wl_metric metric, wl_buffer *out)
{
    const wl_value *v = &p->prediction->metrics[metric];
    const double items = (double)p->prediction->items;
    wl_page_print(out, "<tr data-metric=\"%s\"", wl_metric_name(metric));
    wl_page_attribute(out, "data-value", v->value);
    wl_page_print(out, " title=\"%s\"><td><code>%s</code></td>", wl_metric_meaning(metric), wl_metric_name(metric));
    wl_page_number(out, v->value, "%s%s", wl_scaled(v->value).text, wl_metric_unit(metric)[0] == 'b' ? "B" : "");
    if (wl_metric_scope(metric) == WL_SCOPE_LAUNCH && items > 0) {
        wl_page_number(out, v->value / items, "%.4g", v->value / items);
        add_parts(v, items, out);
    } else {
        wl_buffer_text(out, "<td></td><td></td>");
    }
    wl_page_cell(out, wl_metric_unit(metric));
    wl_buffer_text(out, "</tr>\n");
}

void wl_page_metrics(const wl_page_part *p, wl_buffer *out)
{
    const char *one = wl_work_unit_words(p->prediction->work_unit)->one;
    const wl_report r = {p->prediction, p->kernel, p->device};
    const char *separator = "";
    double value;
    wl_buffer_text(out, "<h3>All metrics</h3>\n");
    wl_page_table(out, "metrics", "metric|#per launch|#per %s|parts, per %s|unit", one, one);
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        if (p->prediction->metrics[i].known)
            add_metric(p, (wl_metric)i, out);
    wl_page_table_end(out);
    wl_buffer_text(out, "<p>Derived: ");
    for (int i = 0; i < WL_DERIVED_COUNT; i++) {
        if (!wl_derived(&r, (wl_derived_id)i, &value))
            continue;
        wl_page_print(out, "%s<span data-derived=\"%s\"", separator, wl_derived_name((wl_derived_id)i));
        wl_page_attribute(out, "data-value", value);
        wl_buffer_add(out, "><code>%s</code> %.4g</span>", wl_derived_name((wl_derived_id)i), value);
        separator = ", ";
    }
    wl_buffer_text(out, separator[0] ? ".</p>\n" : "none.</p>\n");
}
