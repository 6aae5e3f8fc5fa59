/* compare_plot.c - predicted over measured, one panel per metric, through gnuplot. SPDX-License-Identifier: MIT */
#include <math.h>

#include "compare.h"
#include "diag.h"

#define BAND 0.2 /* the lines beside the diagonal */
#define PANEL 420
#define LEGEND_MAX 12 /* groups told apart by name */

/* On a logarithmic axis there is no 0. */
static bool is_point(const comparison *c, const compared_row *row, int v)
{
    return row_counts(c, row, v) && row->measured[v] > 0 && row->predicted[v] > 0;
}

/* The values with points, and their range; the number of panels. */
static size_t find_panels(const comparison *c, int panels[VALUE_COUNT], double lo[VALUE_COUNT], double hi[VALUE_COUNT])
{
    size_t count = 0;
    for (int v = 0; v < VALUE_COUNT; v++) {
        bool any = false;
        for (size_t i = 0; i < c->row_count; i++) {
            const compared_row *row = &c->rows[i];
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
static void write_data(const comparison *c, const int *panels, size_t count, FILE *out)
{
    for (size_t p = 0; p < count; p++) {
        fprintf(out, "# %s [%s]: measured predicted group line\n", value_name(panels[p]), value_unit(panels[p]));
        for (size_t i = 0; i < c->row_count; i++) {
            const compared_row *row = &c->rows[i];
            if (is_point(c, row, panels[p]))
                fprintf(out, "%.10g %.10g %zu %d\n", row->measured[panels[p]], row->predicted[panels[p]], row->group,
                        (int)row->m->line);
        }
        fputs("\n\n", out);
    }
}

/* 1, 2, 5, 10, .. between the limits; only powers of ten where there are many. */
static void write_tics(double lo, double hi, FILE *out)
{
    static const double steps[] = {1, 2, 5};
    const bool many = hi > 1000 * lo;
    for (int axis = 0; axis < 2; axis++) {
        bool first = true;
        fprintf(out, "set %ctics (", "xy"[axis]);
        for (int power = (int)floor(log10(lo)); power <= (int)ceil(log10(hi)); power++)
            for (int s = 0; s < (many ? 1 : 3); s++) {
                const double tic = steps[s] * pow(10, power);
                if (tic < lo || tic > hi)
                    continue;
                fprintf(out, "%s'%.0e' %.6g", first ? "" : ", ", tic, tic);
                first = false;
            }
        fputs(")\n", out);
    }
}

static void write_panel(const comparison *c, int v, size_t index, double lo, double hi, FILE *out)
{
    fprintf(out, "\nset title '%s [%s]'\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", value_name(v),
            value_unit(v), lo / 1.5, hi * 1.5, lo / 1.5, hi * 1.5);
    write_tics(lo / 1.5, hi * 1.5, out);
    fprintf(out,
            "plot x with lines lc 'black' notitle, %g*x with lines dt 2 lc 'gray' notitle, %g*x with lines dt 2 lc "
            "'gray' notitle",
            1 + BAND, 1 - BAND);
    if (c->group_count > LEGEND_MAX)
        fprintf(out, ", \\\n  data index %zu using 1:2:($3 + 1) with points pt 7 ps 0.4 lc variable notitle", index);
    for (size_t g = 0; g < c->group_count && c->group_count <= LEGEND_MAX; g++) {
        fprintf(out, ", \\\n  data index %zu using 1:($3 == %zu ? $2 : NaN) with points pt 7 ps 0.4 lc %zu ", index, g,
                g + 1);
        if (c->group_count > 1) {
            fputs("title ", out);
            plot_quoted(c->groups[g].name, out);
        } else {
            fputs("notitle", out);
        }
    }
    fputc('\n', out);
}

static void write_script(const comparison *c, const plot *picture, const int *panels, size_t count, const double *lo,
                         const double *hi)
{
    FILE *out = picture->script_file;
    const bool svg = plot_is_svg(picture->path);
    const size_t columns = count < 3 ? count : count <= 4 ? 2 : count <= 9 ? 3 : 4;
    const size_t lines = (count + columns - 1) / columns;
    fprintf(out, "# predicted over measured; made by warpline compare\nset terminal %s size %zu,%zu%s\n",
            svg ? "svg" : "pngcairo", PANEL * columns, PANEL * lines, svg ? " background 'white'" : "");
    plot_write_files(picture);
    fprintf(out,
            "set logscale xy\nset format xy '%%.0e'\nset size square\nset grid\nset key left top noenhanced font ',7'\n"
            "set tics font ',8'\nset title noenhanced\nset xlabel 'measured'\nset ylabel 'predicted'\n"
            "set multiplot layout %zu,%zu\n",
            lines, columns);
    for (size_t p = 0; p < count; p++)
        write_panel(c, panels[p], p, lo[panels[p]], hi[panels[p]], out);
    fputs("\nunset multiplot\n", out);
}

int comparison_plot(const comparison *c)
{
    int panels[VALUE_COUNT];
    double lo[VALUE_COUNT] = {0}, hi[VALUE_COUNT] = {0};
    const size_t count = find_panels(c, panels, lo, hi);
    if (count == 0) {
        usage_error("error: --plot: no value above 0 is known on both sides");
        return EXIT_INPUT;
    }
    plot picture;
    if (plot_start(&picture, c->options->plot)) {
        write_data(c, panels, count, picture.data_file);
        write_script(c, &picture, panels, count, lo, hi);
    }
    return plot_finish(&picture);
}
