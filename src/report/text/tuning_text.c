/* tuning_text.c - configurations of a kernel, for people, as CSV and as JSON (schema
 * warpline.tuning/1). SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/quote.h"
#include "base/units.h"
#include "report/common/marks.h"
#include "report/common/tuning_report.h"
#include "report/common/words.h"

#define LEFT_OUT_SHOWN 8 /* configurations of a text; CSV and JSON have all */

/* Of a column of values. */
static int width_of(const wl_tuning *t, size_t name)
{
    size_t width = strlen(t->names[name]);
    for (size_t i = 0; i < t->top; i++)
        if (strlen(t->all[i].values[name]) > width)
            width = strlen(t->all[i].values[name]);
    return (int)width;
}

static void table(const wl_tuning *t, wl_buffer *out)
{
    wl_buffer_text(out, "\n  rank");
    for (size_t n = 0; n < t->name_count; n++)
        wl_buffer_add(out, "  %*s", width_of(t, n), t->names[n]);
    wl_buffer_add(out, "  %-12s %-16s %5s %9s %4s %11s %8s  %s\n", "block", "grid", "regs", "shared B", "/SM", "time",
                  "behind", "limiter");
    for (size_t i = 0; i < t->top; i++) {
        const wl_tuned *c = &t->all[i];
        wl_short behind = {""};
        if (i > 0)
            (void)wl_print(behind.text, sizeof behind.text, "+%.1f%%", 100 * (c->time_s / t->all[0].time_s - 1));
        wl_buffer_add(out, "  %4zu", i + 1);
        for (size_t n = 0; n < t->name_count; n++)
            wl_buffer_add(out, "  %*s", width_of(t, n), c->values[n]);
        wl_buffer_add(out, "  %-12s %-16s %5lld %9lld %4lld %11s %8s  %s\n", wl_shape_text(c->launch.block).text,
                      wl_shape_text(c->launch.grid).text, (long long)c->launch.registers,
                      (long long)c->launch.shared_bytes, (long long)c->occupancy.blocks_per_sm,
                      wl_quantity(WL_DIM_TIME, c->time_s).text, behind.text, wl_bound_name(c->limiter));
    }
}

static void ties(const wl_tuning *t, wl_buffer *out)
{
    const double tie = exp(t->trust.error);
    size_t first = 1;
    while (first < t->predicted && t->all[first].time_s <= t->all[0].time_s * tie)
        first++;
    if (first > 1)
        wl_buffer_add(out, "\n  The first %zu are a tie: they are within the error of this model, %.1f %%.\n", first,
                      100 * (tie - 1));
}

static void left_out(const wl_tuning *t, wl_buffer *out)
{
    const size_t count = t->count - t->predicted;
    if (count == 0)
        return;
    wl_buffer_add(out, "\n  left out: %zu configuration%s\n", count, count == 1 ? "" : "s");
    for (size_t i = t->predicted; i < t->count && i < t->predicted + LEFT_OUT_SHOWN; i++) {
        wl_buffer_text(out, "   ");
        for (size_t n = 0; n < t->name_count; n++)
            wl_buffer_add(out, " %s=%s", t->names[n], t->all[i].values[n]);
        wl_buffer_add(out, ": %s\n", t->all[i].reason);
    }
    if (count > LEFT_OUT_SHOWN)
        wl_buffer_add(out, "    and %zu more: --format csv lists all\n", count - LEFT_OUT_SHOWN);
}

void wl_tuning_text(const void *result, wl_buffer *out)
{
    const wl_tuning *t = result;
    if (t->kernel)
        wl_headline(out, "%s on %s (%s)", t->kernel, t->device, t->title);
    wl_buffer_add(out, ": %zu of %zu configurations predicted", t->predicted, t->count);
    if (t->variants)
        wl_buffer_add(out, ", %zu variant%s compiled", t->variants, t->variants == 1 ? "" : "s");
    wl_buffer_text(out, "\n");
    table(t, out);
    ties(t, out);
    left_out(t, out);
}

/* In quotes, where they are needed. */
static void csv_cell(wl_buffer *out, const char *text)
{
    if (strpbrk(text, ",\"\n\r"))
        wl_quote_csv(out, text);
    else
        wl_buffer_text(out, text);
}

void wl_tuning_csv(const void *result, wl_buffer *out)
{
    const wl_tuning *t = result;
    wl_buffer_text(out, "rank,");
    for (size_t n = 0; n < t->name_count; n++)
        wl_buffer_add(out, "%s,", t->names[n]);
    wl_buffer_text(out, "block_x,block_y,block_z,grid_x,grid_y,grid_z,registers,shared_bytes,blocks_per_sm,"
                        "warps_per_sm,time_s,limiter,left_out\n");
    for (size_t i = 0; i < t->count; i++) {
        const wl_tuned *c = &t->all[i];
        if (!c->reason && i >= t->top)
            continue;
        if (!c->reason)
            wl_buffer_add(out, "%zu", i + 1);
        for (size_t n = 0; n < t->name_count; n++) {
            wl_buffer_text(out, ",");
            csv_cell(out, c->values[n]);
        }
        if (c->reason) {
            wl_buffer_text(out, ",,,,,,,,,,,,,");
            csv_cell(out, c->reason);
            wl_buffer_text(out, "\n");
            continue;
        }
        for (int d = 0; d < 3; d++)
            wl_buffer_add(out, ",%lld", (long long)c->launch.block[d]);
        for (int d = 0; d < 3; d++)
            wl_buffer_add(out, ",%lld", (long long)c->launch.grid[d]);
        wl_buffer_add(out, ",%lld,%lld,%lld,%lld,%.9g,%s,\n", (long long)c->launch.registers,
                      (long long)c->launch.shared_bytes, (long long)c->occupancy.blocks_per_sm,
                      (long long)c->occupancy.warps_per_sm, c->time_s, wl_bound_name(c->limiter));
    }
}

static void put_values(wl_json_out *o, const wl_tuning *t, const wl_tuned *c)
{
    wl_out_object(o, "values");
    for (size_t n = 0; n < t->name_count; n++)
        wl_out_text(o, t->names[n], c->values[n]);
    wl_out_object_end(o);
}

static void put_predicted(wl_json_out *o, const void *of, size_t i)
{
    const wl_tuning *t = of;
    const wl_tuned *c = &t->all[i];
    wl_out_members(o, "rank:d", (int64_t)i + 1);
    put_values(o, t, c);
    wl_out_members(o, "block:x grid:x registers:d shared_bytes:d blocks_per_sm:d warps_per_sm:d time_s:r limiter:s",
                   c->launch.block, c->launch.grid, c->launch.registers, c->launch.shared_bytes,
                   c->occupancy.blocks_per_sm, c->occupancy.warps_per_sm, c->time_s, wl_bound_name(c->limiter));
}

static void put_left_out(wl_json_out *o, const void *of, size_t i)
{
    const wl_tuning *t = of;
    const wl_tuned *c = &t->all[t->predicted + i];
    put_values(o, t, c);
    wl_out_members(o, "reason:s", c->reason);
}

void wl_tuning_json(wl_json_out *o, const void *result)
{
    const wl_tuning *t = result;
    wl_out_members(o, "schema:s kernel:s device:s tie:r predicted:d", "warpline.tuning/1", t->kernel, t->device,
                   exp(t->trust.error), (int64_t)t->predicted);
    if (t->variants)
        wl_out_members(o, "variants:d", (int64_t)t->variants);
    wl_out_objects(o, "configurations", t->top, put_predicted, t);
    wl_out_objects(o, "left_out", t->count - t->predicted, put_left_out, t);
}
