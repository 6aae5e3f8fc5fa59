/* compare_plot.c - predicted over measured, one panel per metric, through gnuplot. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "base/quote.h"
#include "compare/comparison.h"
#include "report/gnuplot.h"

#define BAND 0.2 /* the lines beside the diagonal */
#define PANEL 420
#define LEGEND_MAX 12 /* groups told apart by name */

/* On a logarithmic axis there is no 0. */
static bool is_point(const wl_comparison *c, const wl_compared_row *row, int v)
{
    return wl_comparison_counts(c, row, v) && row->measured[v] > 0 && row->predicted[v] > 0;
}

/* The values with points, and their range; the number of panels. */
static size_t find_panels(const wl_comparison *c, int panels[WL_VALUE_COUNT], double lo[WL_VALUE_COUNT],
                          double hi[WL_VALUE_COUNT])
{
    size_t count = 0;
    for (int v = 0; v < WL_VALUE_COUNT; v++) {
        bool any = false;
        for (size_t i = 0; i < c->row_count; i++) {
            const wl_compared_row *row = &c->rows[i];
            if (!is_point(c, row, v))
                continue;
            const double small = fmin(row->measured[v], row->predicted[v]);
            const double large = fmax(row->measured[v], row->predicted[v]);
            lo[v] = any ? fmin(lo[v], small) : small;
            hi[v] = any ? fmax(hi[v], large) : large;
            any = true;
        }
        if (any)
            panels[count++] = v;
    }
    return count;
}

/* One block of data per panel: measured, predicted, group, line. */
static void write_data(const wl_comparison *c, const int *panels, size_t count, wl_buffer *out)
{
    for (size_t p = 0; p < count; p++) {
        wl_buffer_add(out, "# %s [%s]: measured predicted group line\n", wl_compared_name(panels[p]),
                      wl_compared_unit(panels[p]));
        for (size_t i = 0; i < c->row_count; i++) {
            const wl_compared_row *row = &c->rows[i];
            if (is_point(c, row, panels[p]))
                wl_buffer_add(out, "%.10g %.10g %zu %d\n", row->measured[panels[p]], row->predicted[panels[p]],
                              c->rows[i].group, (int)row->is.measurement->line);
        }
        wl_buffer_text(out, "\n\n");
    }
}

/* 1, 2, 5, 10, .. between the limits; only powers of ten where there are many. */
static void write_tics(double lo, double hi, wl_buffer *out)
{
    static const double steps[] = {1, 2, 5};
    const bool many = hi > 1000 * lo;
    for (int axis = 0; axis < 2; axis++) {
        bool first = true;
        wl_buffer_add(out, "set %ctics (", "xy"[axis]);
        for (int power = (int)floor(log10(lo)); power <= (int)ceil(log10(hi)); power++)
            for (int s = 0; s < (many ? 1 : 3); s++) {
                const double tic = steps[s] * pow(10, power);
                if (tic < lo || tic > hi)
                    continue;
                wl_buffer_add(out, "%s'%.0e' %.6g", first ? "" : ", ", tic, tic);
                first = false;
            }
        wl_buffer_text(out, ")\n");
    }
}

static void write_panel(const wl_comparison *c, int v, size_t index, double lo, double hi, wl_buffer *out)
{
    wl_buffer_add(out, "\nset title '%s [%s]'\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", wl_compared_name(v),
                  wl_compared_unit(v), lo / 1.5, hi * 1.5, lo / 1.5, hi * 1.5);
    write_tics(lo / 1.5, hi * 1.5, out);
    wl_buffer_add(
        out,
        "plot x with lines lc 'black' notitle, %g*x with lines dt 2 lc 'gray' notitle, %g*x with lines dt 2 lc "
        "'gray' notitle",
        1 + BAND, 1 - BAND);
    if (c->group_count > LEGEND_MAX)
        wl_buffer_add(out, ", \\\n  data index %zu using 1:2:($3 + 1) with points pt 7 ps 0.4 lc variable notitle",
                      index);
    for (size_t g = 0; g < c->group_count && c->group_count <= LEGEND_MAX; g++) {
        wl_buffer_add(out, ", \\\n  data index %zu using 1:($3 == %zu ? $2 : NaN) with points pt 7 ps 0.4 lc %zu ",
                      index, g, g + 1);
        if (c->group_count > 1) {
            wl_buffer_text(out, "title ");
            wl_quote_gnuplot(out, c->groups[g].name);
        } else {
            wl_buffer_text(out, "notitle");
        }
    }
    wl_buffer_text(out, "\n");
}

static void write_script(const wl_comparison *c, const wl_plot_files *files, const int *panels, size_t count,
                         const double *lo, const double *hi, wl_buffer *out)
{
    const size_t columns = count < 3 ? count : count <= 4 ? 2 : count <= 9 ? 3 : 4;
    const size_t lines = (count + columns - 1) / columns;
    wl_buffer_text(out, "# predicted over measured; made by warpline compare\n");
    wl_gnuplot_terminal(files, &(wl_gnuplot_page){PANEL * columns, PANEL * lines, "", ""}, out);
    wl_gnuplot_files(files, out);
    wl_buffer_add(
        out,
        "set logscale xy\nset format xy '%%.0e'\nset size square\nset grid\nset key left top noenhanced font ',7'\n"
        "set tics font ',8'\nset title noenhanced\nset xlabel 'measured'\nset ylabel 'predicted'\n"
        "set multiplot layout %zu,%zu\n",
        lines, columns);
    for (size_t p = 0; p < count; p++)
        write_panel(c, panels[p], p, lo[panels[p]], hi[panels[p]], out);
    wl_buffer_text(out, "\nunset multiplot\n");
}

wl_status wl_comparison_plot(const wl_comparison *c, const wl_plot_files *files, char **script, char **data,
                             wl_error *err)
{
    int panels[WL_VALUE_COUNT];
    double lo[WL_VALUE_COUNT] = {0}, hi[WL_VALUE_COUNT] = {0};
    wl_buffer script_text = {0}, data_text = {0};
    const size_t count = find_panels(c, panels, lo, hi);
    if (count == 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "no value above 0 is known on both sides");
    write_data(c, panels, count, &data_text);
    write_script(c, files, panels, count, lo, hi, &script_text);
    return wl_gnuplot_take(&script_text, &data_text, script, data, err);
}
