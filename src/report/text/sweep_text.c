/* sweep_text.c - launches over the values of a parameter, for people, as CSV and as JSON (schema
 * warpline.sweep/1). SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/print.h"
#include "base/units.h"
#include "report/common/marks.h"
#include "report/common/sweep_report.h"

static const char *layer_words(const wl_sweep_point *p)
{
    return !(p->needed > 0) ? "" : p->needed <= p->room ? "holds" : "fails";
}

/* The width of a column for what searches chose; 0: there was no search. */
static int chosen_width(const wl_sweep *s)
{
    size_t width = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].best_of > 0 && strlen(s->points[i].block) > width)
            width = strlen(s->points[i].block);
    return width && width < strlen("best") ? (int)strlen("best") : (int)width;
}

/* "128" or "64 to 128" */
typedef struct tried_text {
    char text[48];
} tried_text;

static tried_text tried(const wl_sweep *s)
{
    tried_text t = {""};
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < s->count; i++) {
        least = wl_min(least, s->points[i].best_of);
        most = wl_max(most, s->points[i].best_of);
    }
    (void)wl_print(t.text, sizeof t.text, least == most ? "%lld" : "%lld to %lld", (long long)least, (long long)most);
    return t;
}

static void add_chosen(wl_buffer *out, int width, const char *text)
{
    if (width)
        wl_buffer_add(out, "  %-*s", width, text);
}

void wl_sweep_text(const void *result, wl_buffer *out)
{
    const wl_sweep *s = result;
    const int chosen = chosen_width(s);
    wl_headline(out, "%s over %s", s->kernel, s->name);
    wl_buffer_text(out, "\n");
    for (size_t l = 0; l < s->line_count; l++) {
        wl_buffer_add(out, "\n  %s\n  %12s", s->lines[l], s->name);
        add_chosen(out, chosen, "best");
        wl_buffer_add(out, " %11s %12s/s %9s %9s %9s  %-9s %s\n", "time", s->unit, "L2 ld", "DRAM ld", "DRAM st",
                      "limiter", "layers");
        for (size_t i = 0; i < s->count; i++) {
            const wl_sweep_point *p = &s->points[i];
            if (p->line != l)
                continue;
            wl_buffer_add(out, "  %12.10g", p->value);
            add_chosen(out, chosen, p->block);
            wl_buffer_add(out, " %11s %14s", wl_quantity(WL_DIM_TIME, p->time_s).text, wl_scaled(p->items_per_s).text);
            for (int v = 0; v < WL_SWEEP_VOLUMES; v++)
                wl_buffer_add(out, " %9s", wl_cell_number("%.4g", p->volume[v]).text);
            wl_buffer_add(out, "  %-9s%s%s\n", wl_bound_name(p->limiter), layer_words(p)[0] ? " " : "", layer_words(p));
        }
    }
    wl_buffer_add(out, "\n  volumes in bytes per %s; layers: the layer condition of a sequential sweep\n", s->unit);
    if (chosen)
        wl_buffer_add(out, "  best: the fastest of the launches that were tried, %s at each value\n", tried(s).text);
}

void wl_sweep_csv(const void *result, wl_buffer *out)
{
    const wl_sweep *s = result;
    wl_buffer_add(out,
                  "%s,launch,time_s,items_per_s,l2_load_bytes,dram_load_bytes,dram_store_bytes,limiter,"
                  "layers_needed_bytes,layers_room_bytes\n",
                  s->name);
    for (size_t i = 0; i < s->count; i++) {
        const wl_sweep_point *p = &s->points[i];
        wl_buffer_add(out, "%.10g,\"%s\",%.9g,%.9g", p->value, p->launch, p->time_s, p->items_per_s);
        for (int v = 0; v < WL_SWEEP_VOLUMES; v++)
            wl_buffer_add(out, isnan(p->volume[v]) ? "," : ",%.9g", p->volume[v]);
        wl_buffer_add(out, ",%s,%.9g,%.9g\n", wl_bound_name(p->limiter), p->needed, p->room);
    }
}

static void point(wl_json_out *o, const void *of, size_t i)
{
    const wl_sweep *s = of;
    const wl_sweep_point *p = &s->points[i];
    wl_out_members(o,
                   "value:r launch:s time_s:r items_per_s:r l2_load_bytes:r? dram_load_bytes:r? dram_store_bytes:r? "
                   "limiter:s",
                   p->value, p->launch, p->time_s, p->items_per_s, p->volume[WL_SWEEP_L2],
                   p->volume[WL_SWEEP_DRAM_LOAD], p->volume[WL_SWEEP_DRAM_STORE], wl_bound_name(p->limiter));
    if (p->best_of > 0)
        wl_out_members(o, "best_of:d", p->best_of);
    if (p->needed > 0)
        wl_out_row(o, "layers", "needed_bytes:r room_bytes:r", p->needed, p->room);
}

void wl_sweep_json(wl_json_out *o, const void *result)
{
    const wl_sweep *s = result;
    wl_out_members(o, "schema:s kernel:s parameter:s", "warpline.sweep/1", s->kernel, s->name);
    wl_out_objects(o, "points", s->count, point, s);
}
