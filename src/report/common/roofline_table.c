/* roofline_table.c - the table of launches under a roofline. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/units.h"
#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"

#define GAP 12 /* pixels between columns */

static const struct {
    const char *head;
    size_t width; /* the most characters it takes in a picture */
} columns[WL_COLUMN_COUNT] = {
    [WL_COLUMN_NUMBER] = {"#", 4},      [WL_COLUMN_KERNEL] = {"kernel", 44}, [WL_COLUMN_LAUNCH] = {"launch", 24},
    [WL_COLUMN_SOURCE] = {"source", 9}, [WL_COLUMN_TIME] = {"time", 10},     [WL_COLUMN_RATE] = {NULL, 10},
    [WL_COLUMN_L1] = {"L1", 8},         [WL_COLUMN_L2] = {"L2", 8},          [WL_COLUMN_DRAM] = {"DRAM", 8},
    [WL_COLUMN_GLOBAL] = {"global", 8}, [WL_COLUMN_SHARED] = {"shared", 8},  [WL_COLUMN_LANES] = {"lanes", 7},
    [WL_COLUMN_ROOF] = {"roof", 20},    [WL_COLUMN_PERCENT] = {"of it", 7}};

bool wl_column_is_text(wl_column c)
{
    return c == WL_COLUMN_KERNEL || c == WL_COLUMN_LAUNCH || c == WL_COLUMN_SOURCE || c == WL_COLUMN_ROOF;
}

const char *wl_column_head(const wl_roofline *r, wl_column c)
{
    if (c == WL_COLUMN_RATE)
        return r->kind == WL_ROOFLINE_INSTRUCTION ? "GIPS" : "GFLOP/s";
    return columns[c].head;
}

static void add_intensity(const wl_roofline *r, size_t launch, wl_series series, wl_level level, wl_buffer *out)
{
    const wl_mark *m = wl_roofline_find(r, launch, series, level);
    if (m)
        wl_roofline_number_text(m->x, 3, out);
}

/* All warp instructions, else loads and stores; all flops. */
static void add_rate(const wl_roofline *r, size_t launch, wl_buffer *out)
{
    for (size_t i = 0; i < r->mark_count; i++)
        if (r->marks[i].launch == launch && r->marks[i].series != WL_SERIES_THREAD) {
            wl_roofline_number_text(r->marks[i].y / 1e9, 4, out);
            return;
        }
}

static void add_lanes(const wl_roofline *r, const wl_tallies *t, wl_buffer *out)
{
    const wl_tally threads = t->known[WL_TALLY_thread_inst_on] ? WL_TALLY_thread_inst_on : WL_TALLY_thread_inst;
    if (r->kind == WL_ROOFLINE_INSTRUCTION && t->known[WL_TALLY_inst] && t->known[threads] &&
        t->value[WL_TALLY_inst] > 0)
        wl_buffer_add(out, "%.0f %%", 100 * t->value[threads] / (t->value[WL_TALLY_inst] * r->ceilings.lanes));
}

static void add_time(const wl_tallies *t, wl_buffer *out)
{
    wl_buffer_text(out, wl_quantity(WL_DIM_TIME, t->value[WL_TALLY_time]).text);
}

void wl_roofline_cell(const wl_roofline *r, size_t launch, wl_column c, wl_buffer *out)
{
    const wl_tallies *t = &r->launches[launch].tallies;
    const wl_mark *nearest = wl_roofline_nearest(r, launch);
    switch (c) {
    case WL_COLUMN_NUMBER: wl_buffer_add(out, "%zu", wl_roofline_number(r, launch)); break;
    case WL_COLUMN_KERNEL: wl_buffer_text(out, t->kernel); break;
    case WL_COLUMN_LAUNCH: wl_buffer_text(out, t->launch); break;
    case WL_COLUMN_SOURCE: wl_buffer_text(out, t->measured ? "measured" : "predicted"); break;
    case WL_COLUMN_TIME: add_time(t, out); break;
    case WL_COLUMN_RATE: add_rate(r, launch, out); break;
    case WL_COLUMN_L1: add_intensity(r, launch, WL_SERIES_ALL, WL_LEVEL_L1, out); break;
    case WL_COLUMN_L2: add_intensity(r, launch, WL_SERIES_ALL, WL_LEVEL_L2, out); break;
    case WL_COLUMN_DRAM: add_intensity(r, launch, WL_SERIES_ALL, WL_LEVEL_DRAM, out); break;
    case WL_COLUMN_GLOBAL: add_intensity(r, launch, WL_SERIES_GLOBAL, WL_LEVEL_L1, out); break;
    case WL_COLUMN_SHARED: add_intensity(r, launch, WL_SERIES_SHARED, WL_LEVEL_SHARED, out); break;
    case WL_COLUMN_LANES: add_lanes(r, t, out); break;
    case WL_COLUMN_ROOF: wl_buffer_text(out, nearest ? wl_mark_roof(nearest) : ""); break;
    case WL_COLUMN_PERCENT:
        if (nearest)
            wl_buffer_add(out, "%.3g %%", 100 * nearest->y / nearest->ceiling);
        break;
    case WL_COLUMN_COUNT: break;
    }
}

bool wl_column_shows(const wl_roofline *r, wl_column c, bool *failed)
{
    bool shows = false;
    for (size_t i = 0; i < r->launch_count && !shows; i++) {
        wl_buffer cell = {0};
        if (c == WL_COLUMN_SOURCE) {
            shows = r->launches[i].tallies.measured;
            continue;
        }
        wl_roofline_cell(r, i, c, &cell);
        shows = cell.length > 0;
        *failed = *failed || cell.failed;
        wl_buffer_drop(&cell);
    }
    return shows;
}

/* Characters that a column takes: those of its head, in bold letters, or of its longest cell. */
static double width_of(const wl_roofline *r, wl_column c, bool *failed)
{
    size_t most = strlen(wl_column_head(r, c)) + 1;
    if (!wl_column_shows(r, c, failed))
        return 0;
    for (size_t i = 0; i < r->launch_count; i++) {
        wl_buffer cell = {0};
        wl_roofline_cell(r, i, c, &cell);
        most = cell.length > most ? cell.length : most;
        *failed = *failed || cell.failed;
        wl_buffer_drop(&cell);
    }
    return (double)(most < columns[c].width ? most : columns[c].width);
}

/* The start of each column. */
static void place_columns(const wl_roofline *r, double left, double right, double character,
                          double x[WL_COLUMN_COUNT + 1], bool *failed)
{
    double all = 0;
    x[0] = left;
    for (int c = 0; c < WL_COLUMN_COUNT; c++) {
        const double characters = width_of(r, (wl_column)c, failed),
                     width = characters > 0 ? character * characters + GAP : 0;
        x[c + 1] = x[c] + width;
        all += width;
    }
    for (int c = WL_COLUMN_KERNEL; c < WL_COLUMN_COUNT; c++)
        x[c + 1] += right - left - all;
}

void wl_roofline_table(const wl_roofline *r, double left, double right, double character, wl_table_show *show,
                       void *user, wl_buffer *out)
{
    double x[WL_COLUMN_COUNT + 1];
    place_columns(r, left, right, character, x, &out->failed);
    for (size_t row = 0; row <= r->launch_count; row++)
        for (int i = 0; i < WL_COLUMN_COUNT; i++) {
            const wl_column c = (wl_column)i;
            const double room = (x[c + 1] - x[c] - GAP) / character;
            wl_buffer cell = {0}, shown = {0};
            if (!(x[c + 1] > x[c]))
                continue;
            if (row == 0)
                wl_buffer_text(&cell, wl_column_head(r, c));
            else
                wl_roofline_cell(r, row - 1, c, &cell);
            wl_shorten(wl_buffer_string(&cell), room > 8 ? (size_t)room : 8, &shown);
            const bool from_left = wl_column_is_text(c);
            show(user,
                 &(wl_table_cell){row, c, from_left ? x[c] : x[c + 1] - GAP, from_left, wl_buffer_string(&shown)});
            wl_buffer_drop_part(&cell, out);
            wl_buffer_drop_part(&shown, out);
        }
}

const char *wl_roofline_title(const wl_roofline *r)
{
    static const char *const titles[WL_ROOFLINE_KIND_COUNT] = {"roofline", "hierarchical roofline",
                                                               "instruction roofline", "roofline of parallelism"};
    return titles[r->kind];
}

void wl_roofline_headline(const wl_roofline *r, wl_buffer *out)
{
    const char *title = wl_roofline_title(r);
    wl_buffer_add(out, "%c%s of %s", title[0] - 'a' + 'A', title + 1, r->title);
}

bool wl_roofline_note(const wl_roofline *r, size_t index, wl_buffer *out)
{
    const char *roof;
    wl_device_key key;
    if (wl_roofline_lacks(r, index, &roof, &key)) {
        wl_buffer_add(out, "no %s roof: the device file has no %s", roof, wl_device_key_name(key));
        return true;
    }
    size_t lacking = 0, unknown = 0;
    while (wl_roofline_lacks(r, lacking, &roof, &key))
        lacking++;
    for (size_t i = 0; i < r->launch_count && r->kind == WL_ROOFLINE_INSTRUCTION; i++) {
        if (r->launches[i].tallies.known[WL_TALLY_inst] || lacking + unknown++ != index)
            continue;
        wl_buffer_add(out, "%zu: how many instructions it executes is not known: loads and stores alone are shown",
                      wl_roofline_number(r, i));
        return true;
    }
    return false;
}
