/* compare_panels.c - see compare_panels.h. SPDX-License-Identifier: MIT */
#include "report/picture/compare_panels.h"

#include <math.h>
#include <string.h>

#include "base/print.h"

bool wl_compare_is_point(const wl_comparison *c, const wl_compared_row *row, int v)
{
    return wl_comparison_counts(c, row, v) && row->measured[v] > 0 && row->predicted[v] > 0;
}

static wl_panel_unit choose_unit(int v, double value)
{
    static const struct {
        double scale;
        const char *bytes, *time, *count;
    } units[] = {{1e12, "TB", "", "trillion "}, {1e9, "GB", "", "billion "}, {1e6, "MB", "", "million "},
                 {1e3, "kB", "", "thousand "},  {1, "B", "s", ""},           {1e-3, "B", "ms", ""},
                 {1e-6, "B", "us", ""},         {1e-9, "B", "ns", ""}};
    const size_t last = sizeof units / sizeof units[0] - 1;
    const bool is_time = wl_value_is_time(v), is_bytes = !is_time && strcmp(wl_compared_unit(v), "bytes") == 0;
    size_t i = is_time ? 4 : 0;
    while (i < last && value < units[i].scale && (is_time || units[i].scale > 1))
        i++;
    wl_panel_unit out = {.scale = units[i].scale};
    (void)wl_print(out.name, sizeof out.name, "%s%s",
                   is_time    ? units[i].time
                   : is_bytes ? units[i].bytes
                              : units[i].count,
                   is_time || is_bytes ? "" : wl_compared_unit(v));
    return out;
}

size_t wl_compare_panels(const wl_comparison *c, wl_compare_panel out[WL_VALUE_COUNT])
{
    size_t count = 0;
    for (int v = 0; v < WL_VALUE_COUNT; v++) {
        wl_compare_panel p = {.value = v, .lo = INFINITY};
        for (size_t i = 0; i < c->row_count; i++) {
            const wl_compared_row *row = &c->rows[i];
            if (!wl_compare_is_point(c, row, v))
                continue;
            p.lo = fmin(p.lo, fmin(row->measured[v], row->predicted[v]));
            p.hi = fmax(p.hi, fmax(row->measured[v], row->predicted[v]));
        }
        if (!(p.hi > 0))
            continue;
        p.unit = choose_unit(v, sqrt(p.lo * p.hi));
        out[count++] = p;
    }
    return count;
}

int wl_compare_steps(double lo, double hi, const double **steps)
{
    static const double few[] = {1, 2, 5}, fine[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
    const bool is_fine = hi < 8 * lo;
    *steps = is_fine ? fine : few;
    return hi > 150 * lo ? 1 : (int)(is_fine ? sizeof fine / sizeof fine[0] : sizeof few / sizeof few[0]);
}
