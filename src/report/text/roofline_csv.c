/* roofline_csv.c - the numbers behind a roofline: a line for each roof, wall and point.
 * SPDX-License-Identifier: MIT */
#include "base/quote.h"
#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"

static void add_roofs(const wl_roofline *r, wl_buffer *out)
{
    wl_roof roofs[WL_ROOFS_MAX];
    const int count = wl_roofline_roofs(r, roofs);
    for (int i = 0; i < count; i++) {
        char name[40];
        wl_roof_text(&roofs[i], name, sizeof name);
        wl_buffer_text(out, roofs[i].slanted ? "bandwidth" : "peak");
        wl_csv_print(out, ",,,,,%s,,,%.15g,,,\n", name, roofs[i].rate);
    }
}

static void add_walls(const wl_roofline *r, wl_buffer *out)
{
    wl_wall walls[WL_WALLS_MAX];
    const int count = wl_roofline_walls(r, walls);
    for (int i = 0; i < count; i++) {
        wl_csv_print(out, "wall,,,,,%s", walls[i].name);
        wl_buffer_add(out, ",%s,%.15g,,,,\n", walls[i].shared ? "shared" : "global", walls[i].x);
    }
}

static void add_point(const wl_roofline *r, const wl_mark *m, wl_buffer *out)
{
    const wl_tallies *t = &r->launches[m->launch].tallies;
    wl_csv_print(out, "point,%zu,%s,%s", wl_roofline_number(r, m->launch), t->kernel, t->launch);
    wl_buffer_add(out, ",%s,%s,%s,%.15g,%.15g,", t->measured ? "measured" : "predicted", wl_series_name(m->series),
                  wl_level_name(m->level), m->x, m->y);
    if (m->ceiling > 0)
        wl_csv_print(out, "%s,%.15g,%.15g\n", wl_mark_roof(m), m->ceiling, m->y / m->ceiling);
    else
        wl_buffer_text(out, ",,\n");
}

void wl_roofline_csv(const void *result, wl_buffer *out)
{
    const wl_roofline *r = result;
    wl_buffer_text(out, "row,number,kernel,launch,source,of,level,intensity,rate,roof,ceiling,share\n");
    add_roofs(r, out);
    add_walls(r, out);
    for (size_t i = 0; i < r->mark_count; i++)
        add_point(r, &r->marks[i], out);
}
