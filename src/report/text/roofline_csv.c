/* roofline_csv.c - the numbers behind a roofline: a line for each roof, wall and point.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"
#include "report/common/data_row.h"

/* The name of a roof or a wall is quoted, that of a series is not. */
#define POINT                                                                                                          \
    "row:w number:d? kernel:s? launch:s? source:w? of:w level:w? intensity:n? rate:n? roof:s? ceiling:n? share:n?"
#define ROOF "row:w number:w kernel:w launch:w source:w of:s level:w intensity:n? rate:n? roof:w ceiling:w share:w"

static void add_line(wl_row *row, const char *what, const char *name, const char *level, double intensity, double rate)
{
    wl_row_add(row, ROOF, what, "", "", "", "", name, level, intensity, rate, "", "", "");
    wl_row_end(row);
}

static void add_point(wl_row *row, const wl_roofline *r, const wl_mark *m)
{
    const wl_tallies *t = &r->launches[m->launch].tallies;
    const bool roofed = m->ceiling > 0;
    wl_row_add(row, POINT, "point", (int64_t)wl_roofline_number(r, m->launch), t->kernel, t->launch,
               t->measured ? "measured" : "predicted", wl_series_name(m->series), wl_level_name(m->level), m->x, m->y,
               roofed ? wl_mark_roof(m) : NULL, roofed ? m->ceiling : NAN, roofed ? m->y / m->ceiling : NAN);
    wl_row_end(row);
}

void wl_roofline_csv(const void *result, wl_buffer *out)
{
    const wl_roofline *r = result;
    wl_roof roofs[WL_ROOFS_MAX];
    wl_wall walls[WL_WALLS_MAX];
    const int roof_count = wl_roofline_roofs(r, roofs), wall_count = wl_roofline_walls(r, walls);
    wl_row row = {.csv = out, .heads = true};
    wl_row_add(&row, POINT);
    wl_row_end(&row);
    row.heads = false;
    for (int i = 0; i < roof_count; i++) {
        char name[40];
        wl_roof_text(&roofs[i], name, sizeof name);
        add_line(&row, roofs[i].slanted ? "bandwidth" : "peak", name, "", NAN, roofs[i].rate);
    }
    for (int i = 0; i < wall_count; i++)
        add_line(&row, "wall", walls[i].name, walls[i].shared ? "shared" : "global", walls[i].x, NAN);
    for (size_t i = 0; i < r->mark_count; i++)
        add_point(&row, r, &r->marks[i]);
}
