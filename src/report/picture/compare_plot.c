/* compare_plot.c - predicted over measured values, one panel per metric, by gnuplot.
 * SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "report/picture/compare_panels.h"
#include "report/picture/gnuplot.h"

#define BAND 0.2 /* the lines beside the diagonal */
#define PANEL 420
#define TITLE 40 /* pixels above the panels */

/* One block of data per panel: measured, predicted, group, line. */
static void write_data(const wl_comparison *c, const wl_compare_panel *panels, size_t count, wl_buffer *out)
{
    for (size_t p = 0; p < count; p++) {
        wl_buffer_add(out, "# %s [%s]: measured predicted group line\n", wl_compared_name(panels[p].value),
                      wl_compared_unit(panels[p].value));
        for (size_t i = 0; i < c->row_count; i++) {
            const wl_compared_row *row = &c->rows[i];
            if (wl_compare_is_point(c, row, panels[p].value))
                wl_buffer_add(out, "%.10g %.10g %zu %d\n", row->measured[panels[p].value],
                              row->predicted[panels[p].value], c->rows[i].group, (int)row->is.measurement->line);
        }
        wl_buffer_text(out, "\n\n");
    }
}

/* ---- script ---- */

static void write_tics(double lo, double hi, wl_buffer *out)
{
    const double *steps;
    const int count = wl_compare_steps(lo, hi, &steps);
    for (int axis = 0; axis < 2; axis++)
        wl_gnuplot_tics("xy"[axis], lo, hi, 1, steps, count, out);
}

#define DIAGONAL "with lines lw 1 lc rgb '#303030'"
#define BESIDE "with lines dt 2 lc rgb '#707070'"

static void write_panel(const wl_comparison *c, const wl_compare_panel *panel, size_t index, wl_buffer *out)
{
    const wl_panel_unit u = panel->unit;
    const double low = panel->lo / 1.5 / u.scale, high = panel->hi * 1.5 / u.scale;
    wl_buffer_add(out,
                  "\nset title '%s'\nset xlabel 'measured [%s]'\nset ylabel 'predicted [%s]'\n"
                  "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n",
                  wl_compared_name(panel->value), u.name, u.name, low, high, low, high);
    write_tics(low, high, out);
    wl_buffer_add(out, "plot x " DIAGONAL " notitle, %g*x " BESIDE " notitle, %g*x " BESIDE " notitle", 1 + BAND,
                  1 - BAND);
    if (c->group_count > WL_PANEL_LEGEND_MAX)
        wl_buffer_add(
            out, ", \\\n  data index %zu using ($1/%g):($2/%g):($3 + 1) with points pt 7 ps 0.6 lc variable notitle",
            index, u.scale, u.scale);
    for (size_t g = 0; g < c->group_count && c->group_count <= WL_PANEL_LEGEND_MAX; g++)
        wl_buffer_add(out, ", \\\n  data index %zu using ($1/%g):($3 == %zu ? $2/%g : NaN) with points ls %zu notitle",
                      index, u.scale, g, u.scale, g + 1);
    wl_buffer_text(out, "\n");
}

/* The legend has a separate panel, so that it covers no points: its own points are outside the
 * axes. */
static void write_legend(const wl_comparison *c, wl_buffer *out)
{
    wl_buffer_add(out,
                  "\nunset logscale\nunset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nunset title\n"
                  "set xrange [0:1]\nset yrange [0:1]\nset key center center Left reverse noenhanced samplen 2\n"
                  "plot -1 " DIAGONAL " title 'predicted as measured', -1 " BESIDE " title '%g %% above and below'",
                  100 * BAND);
    for (size_t g = 0; g < c->group_count && c->group_count <= WL_PANEL_LEGEND_MAX; g++)
        wl_gnuplot_print(out, ", \\\n  -1 with points ls %zu title %s", g + 1, c->groups[g].name);
    if (c->group_count > WL_PANEL_LEGEND_MAX)
        wl_buffer_add(out, ", \\\n  -1 with points pt 7 ps 0.6 lc rgb '#707070' title 'launches of %zu groups'",
                      c->group_count);
    wl_buffer_text(out, "\n");
}

static void write_script(const wl_comparison *c, const wl_plot_files *files, const wl_compare_panel *panels,
                         size_t count, wl_buffer *out)
{
    const size_t cells = count + 1, columns = cells < 3 ? cells : cells <= 4 ? 2 : cells <= 9 ? 3 : 4;
    const size_t lines = (cells + columns - 1) / columns;
    wl_buffer_text(out, "# predicted over measured; made by warpline compare\n");
    wl_gnuplot_terminal(files, &(wl_gnuplot_page){PANEL * columns, PANEL * lines + TITLE, "", ""}, out);
    wl_gnuplot_files(files, out);
    wl_gnuplot_colours(out);
    wl_buffer_text(out, "set logscale xy\nset size square\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\n"
                        "set tics font ',10'\nset title noenhanced\nset xlabel noenhanced\nset ylabel noenhanced\n");
    wl_gnuplot_print(out, "set multiplot layout %zu,%zu title 'Predicted over measured: '.%s font ',14' noenhanced\n",
                     lines, columns, c->title);
    for (size_t p = 0; p < count; p++)
        write_panel(c, &panels[p], p, out);
    write_legend(c, out);
    wl_buffer_text(out, "\nunset multiplot\n");
}

wl_status wl_comparison_plot(const wl_comparison *c, const wl_plot_files *files, char **script, char **data,
                             wl_error *err)
{
    wl_compare_panel panels[WL_VALUE_COUNT];
    wl_buffer script_text = {0}, data_text = {0};
    const size_t count = wl_compare_panels(c, panels);
    if (count == 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "no value above 0 is known on both sides");
    write_data(c, panels, count, &data_text);
    write_script(c, files, panels, count, &script_text);
    return wl_gnuplot_take(&script_text, &data_text, script, data, err);
}
