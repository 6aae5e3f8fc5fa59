/* rank_plot.c - a searched space as a picture by gnuplot: one row of panels per device and domain.
 *
 * Left: predicted performance over memory volume, a point per launch. Its colour is the shape of
 * the block: a mix of blue, orange and purple by the logarithms of its extents in x, y and z. The
 * three are Okabe and Ito's, distinguishable for people with colour-blindness; the paper's red,
 * green and blue are not. Above the points is the roof: the performance at the memory bandwidth.
 * Right: the volumes of the best launches.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/units.h"
#include "kernel/work_unit.h"
#include "report/picture/gnuplot.h"
#include "report/common/rank_report.h"
#include "search/ranker.h"

enum { BEST = 10, POINTS_MAX = 20000, OUTLINED_MAX = 1500, WIDTH = 1320, HEIGHT = 500, HEIGHT_MAX = 30000 };

/* One axis of the left panel. */
typedef struct axis {
    double lo, hi;
    bool log;
} axis;

typedef struct point {
    double volume, rate; /* bytes per item, items per second */
} point;

typedef struct panel {
    const wl_ranked_space *space;
    axis x, y;
    size_t points;
    point best[BEST];
    size_t best_count;
    double bandwidth; /* of memory; 0: not known */
} panel;

/* The bars. */
static const struct {
    wl_rank_value value;
    const char *name, *colour;
} volumes[] = {{WL_RANK_l2_load_bytes, "L2 loads", "#1f77b4"},
               {WL_RANK_l2_store_bytes, "L2 stores", "#9ecae1"},
               {WL_RANK_dram_load_bytes, "memory loads", "#d95f0e"},
               {WL_RANK_dram_store_bytes, "memory stores", "#fdc086"}};
enum { VOLUMES = sizeof volumes / sizeof volumes[0] };

/* The colours of shapes; that of the last is their mix. */
static const struct {
    const char *name;
    int64_t block[3];
    unsigned colour;
} shapes[] = {{"wide (256x1x1)", {256, 1, 1}, 0x0072b2},
              {"tall (1x256x1)", {1, 256, 1}, 0xe69f00},
              {"deep (1x1x64)", {1, 1, 64}, 0xcc79a7},
              {"between (8x8x8)", {8, 8, 8}, 0}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- the values ---- */

static double per_item(const wl_ranked_space *space, const wl_ranked *launch, wl_rank_value value)
{
    return launch->values[value] / (double)wl_ranker_launch_items(space->ranker, launch->index);
}

/* False: the volume is unknown, so the launch cannot be shown in the panel. */
static bool make_point(const wl_ranked_space *space, const wl_ranked *launch, point *out)
{
    out->volume = per_item(space, launch, WL_RANK_dram_load_bytes) + per_item(space, launch, WL_RANK_dram_store_bytes);
    out->rate = (double)wl_ranker_launch_items(space->ranker, launch->index) / launch->time_s;
    return isfinite(out->volume) && isfinite(out->rate) && out->rate > 0;
}

enum { NO_SHAPE = 0x808080 }; /* a single thread */

static unsigned block_colour(const int64_t block[3])
{
    double weights[3], sum = 0, rgb[3] = {0};
    for (int d = 0; d < 3; d++)
        sum += weights[d] = log((double)(block[d] > 1 ? block[d] : 1));
    if (!(sum > 0))
        return NO_SHAPE;
    for (int d = 0; d < 3; d++)
        for (int c = 0; c < 3; c++)
            rgb[c] += weights[d] / sum * (double)(shapes[d].colour >> (16 - 8 * c) & 0xff);
    return (unsigned)lround(rgb[0]) << 16 | (unsigned)lround(rgb[1]) << 8 | (unsigned)lround(rgb[2]);
}

/* The best, and evenly spaced ones of the rest, which are sorted by time. */
static bool is_shown(const wl_ranked_space *space, size_t rank)
{
    if (space->count <= POINTS_MAX || rank < POINTS_MAX / 10)
        return true;
    const double share = 0.9 * POINTS_MAX / (double)(space->count - POINTS_MAX / 10);
    return floor(share * (double)rank) > floor(share * (double)(rank - 1));
}

/* A logarithmic axis if values differ by much. The margin is a share of their range, but values
 * that differ by only a few percent are not spread over the whole panel. */
static void round_axis(axis *a, double below, double above)
{
    a->log = a->lo > 0 && a->hi > 8 * a->lo;
    const double span = a->log ? log(a->hi / a->lo) : fmax(a->hi - a->lo, a->hi > 0 ? 0.2 * a->hi : 1);
    if (a->log) {
        a->lo *= exp(-below * span);
        a->hi *= exp(above * span);
    } else {
        a->lo = fmax(a->lo - below * span, 0);
        a->hi += above * span;
    }
}

static void make_panel(const wl_ranked_space *space, panel *out)
{
    *out = (panel){.space = space, .x = {INFINITY, 0, false}, .y = {INFINITY, 0, false}};
    (void)wl_device_get(wl_ranker_device(space->ranker), WL_DEVICE_dram_bandwidth, &out->bandwidth);
    for (size_t i = 0; i < space->count; i++) {
        point p;
        if (!make_point(space, &space->launches[i], &p))
            continue;
        out->x.lo = fmin(out->x.lo, p.volume);
        out->x.hi = fmax(out->x.hi, p.volume);
        out->y.lo = fmin(out->y.lo, p.rate);
        out->y.hi = fmax(out->y.hi, p.rate);
        out->points++;
        if (i < BEST)
            out->best[out->best_count++] = p;
    }
    round_axis(&out->x, 0.15, 0.25);
    const double fastest = out->y.hi;
    round_axis(&out->y, 0.1, 0.25);
    if (!out->y.log)
        out->y = (axis){0, 1.2 * fastest, false};
}

/* The position of a value on the axis: 0 .. 1. */
static double place(const axis *a, double value)
{
    return a->log ? log(value / a->lo) / log(a->hi / a->lo) : (value - a->lo) / (a->hi - a->lo);
}

static double value_at(const axis *a, double at)
{
    return a->log ? a->lo * pow(a->hi / a->lo, at) : a->lo + at * (a->hi - a->lo);
}

/* ---- data ---- */

/* "32x4x2" */
static void write_shape(const int64_t *extent, int dims, wl_buffer *out)
{
    for (int d = 0; d < dims; d++)
        wl_buffer_add(out, "%s%" PRId64, d ? "x" : "", extent[d] > 0 ? extent[d] : 1);
}

static bool is_folded(const wl_launch *launch)
{
    return launch->fold[0] > 1 || launch->fold[1] > 1 || launch->fold[2] > 1;
}

static void write_launch(const wl_launch *launch, const char *between, wl_buffer *out)
{
    write_shape(launch->block, 3, out);
    if (is_folded(launch)) {
        wl_buffer_text(out, between);
        write_shape(launch->fold, 3, out);
    }
}

static const wl_unit_words *words_of(const wl_ranked_space *space)
{
    return wl_work_unit_words(wl_kernel_work_unit(wl_ranker_kernel(space->ranker)));
}

/* Two blocks of data per row: the points, then the bars of the best. */
static void write_data(const panel *p, wl_buffer *out)
{
    const wl_ranked_space *space = p->space;
    wl_launch launch;
    point at;
    wl_buffer_add(out, "# bytes/%s %s/s colour rank block[,fold]; %zu launches%s\n", words_of(space)->one,
                  words_of(space)->many, space->count, space->count > POINTS_MAX ? ", thinned out" : "");
    for (size_t i = 0; i < space->count; i++) {
        if (!is_shown(space, i) || !make_point(space, &space->launches[i], &at))
            continue;
        wl_ranker_launch(space->ranker, space->launches[i].index, &launch);
        wl_buffer_add(out, "%.8g %.8g %u %zu ", at.volume, at.rate, block_colour(launch.block), i + 1);
        write_launch(&launch, ",", out);
        wl_buffer_text(out, "\n");
    }
    wl_buffer_add(out, "\n\n# rank, bytes/%s: L2 loads, L2 stores, memory loads, memory stores\n",
                  words_of(space)->one);
    for (size_t i = 0; i < space->count && i < BEST; i++) {
        wl_buffer_add(out, "%zu", i + 1);
        for (int v = 0; v < VOLUMES; v++)
            wl_buffer_add(out, " %.8g", per_item(space, &space->launches[i], volumes[v].value));
        wl_buffer_text(out, "\n");
    }
    wl_buffer_text(out, "\n\n");
}

/* ---- script ---- */

static void write_axis(char name, const axis *a, double unit, wl_buffer *out)
{
    static const double steps[] = {1, 2, 5};
    wl_buffer_add(out, "%s logscale %c\nset %crange [%.8g:%.8g]\n", a->log ? "set" : "unset", name, name, a->lo / unit,
                  a->hi / unit);
    if (a->log)
        wl_gnuplot_tics(name, a->lo, a->hi, unit, steps, a->hi > 3000 * a->lo ? 1 : 3, out);
    else
        wl_buffer_add(out, "set %ctics autofreq\n", name);
}

/* A label of marked points: points at the same place share it. */
typedef struct mark {
    double x, y;
    unsigned ranks; /* bit 0: the best */
} mark;

static int compare_marks(const void *a, const void *b)
{
    const mark *m = a, *n = b;
    return (m->y < n->y) - (m->y > n->y);
}

/* "1-3, 5" */
static void write_ranks(unsigned ranks, wl_buffer *out)
{
    const char *before = "";
    for (int i = 0; i < BEST; i++) {
        if (!(ranks >> i & 1))
            continue;
        int last = i;
        while (ranks >> (last + 1) & 1)
            last++;
        wl_buffer_add(out, "%s%d", before, i + 1);
        if (last > i)
            wl_buffer_add(out, "%s%d", last > i + 1 ? "-" : ", ", last + 1);
        before = ", ";
        i = last;
    }
}

static size_t make_marks(const panel *p, mark marks[BEST])
{
    size_t count = 0;
    for (size_t i = 0; i < p->best_count; i++) {
        const double x = place(&p->x, p->best[i].volume), y = place(&p->y, p->best[i].rate);
        size_t m = 0;
        while (m < count && (fabs(marks[m].x - x) > 0.008 || fabs(marks[m].y - y) > 0.01))
            m++;
        if (m == count)
            marks[count++] = (mark){.x = x, .y = y};
        marks[m].ranks |= 1u << i;
    }
    qsort(marks, count, sizeof *marks, compare_marks);
    return count;
}

/* The height of a label next to the roof, or just below it if the roof would cross it. */
static double clear_of_roof(const panel *p, double x, double y)
{
    static const double width = 0.13, half = 0.035; /* of a label */
    if (!(p->bandwidth > 0))
        return y;
    const double left = place(&p->y, p->bandwidth / value_at(&p->x, x));
    const double right = place(&p->y, p->bandwidth / value_at(&p->x, fmin(x + width, 1)));
    return y > right - half && y < left + half ? right - half : y;
}

/* Points near the roof are close together, so their ranks are in a column to the right, above the
 * roof, with a line from each. */
static void write_marks(const panel *p, wl_buffer *out)
{
    static const double step = 0.05, top = 0.965;
    mark marks[BEST];
    const size_t count = make_marks(p, marks);
    double column = 0, middle = 0;
    for (size_t m = 0; m < count; m++) {
        column = fmax(column, marks[m].x);
        middle += marks[m].y / (double)count;
    }
    column = column + 0.07 < 0.9 ? column + 0.07 : 0.9;
    double y = fmin(top, middle + 0.06 + step * (double)count / 2);
    wl_buffer_text(out, "unset label\nunset arrow\n");
    for (size_t m = 0; m < count; m++, y -= step) {
        y = clear_of_roof(p, column, y);
        wl_buffer_add(
            out, "set arrow from graph %.4f,%.4f to graph %.4f,%.4f nohead lw 0.7 lc rgb '#888888' front\nset label '",
            marks[m].x, marks[m].y, column, y);
        write_ranks(marks[m].ranks, out);
        wl_buffer_add(out, "' at graph %.4f,%.4f left font ',10' front boxed\n", column + 0.008, y);
    }
}

/* On two lines: names may be long. */
static void write_title(const panel *p, wl_buffer *out)
{
    const wl_ranked_space *space = p->space;
    wl_gnuplot_print(out, "set title %s.', ", wl_kernel_name(wl_ranker_kernel(space->ranker)));
    write_shape(space->domain, space->dims, out);
    wl_gnuplot_print(out, "'.\"\\n\".%s.': predicted performance of %zu launches",
                     wl_device_title(wl_ranker_device(space->ranker)), space->count);
    if (space->count > POINTS_MAX)
        wl_buffer_add(out, ", %d shown", POINTS_MAX);
    wl_buffer_text(out, "'\n");
}

/* A name for numbers of this size. */
static double choose_unit(double value, const char **name)
{
    static const char *const names[] = {"", "k", "M", "G", "T"};
    int i = 0;
    double unit = 1;
    for (; i < 4 && value >= 1000 * unit; i++)
        unit *= 1000;
    *name = names[i];
    return unit;
}

static void write_points(const panel *p, size_t row, wl_buffer *out)
{
    const char *unit_name = "";
    const double unit = choose_unit(p->y.hi / 2, &unit_name);
    const double bandwidth = p->bandwidth;
    const wl_unit_words *work = words_of(p->space);
    write_title(p, out);
    wl_buffer_add(out, "set xlabel 'memory volume, loads and stores [B per %s]'\nset ylabel 'predicted [%s%s/s]'\n",
                  work->one, unit_name, work->brief);
    write_axis('x', &p->x, 1, out);
    write_axis('y', &p->y, unit, out);
    write_marks(p, out);
    wl_buffer_text(out, "set key at graph 0.5,-0.19 center top horizontal maxrows 2 width 1 samplen 1\nplot ");
    if (bandwidth > 0)
        wl_buffer_add(out, "%.8g/x with lines lw 1.5 lc rgb '#444444' title 'memory %s', \\\n  ", bandwidth / unit,
                      wl_quantity(WL_DIM_BANDWIDTH, bandwidth).text);
    if (p->space->count <= OUTLINED_MAX)
        wl_buffer_add(out, "data index %zu using 1:($2/%g) with points pt 7 ps 0.75 lc rgb '#555555' notitle, \\\n  ",
                      2 * row, unit);
    wl_buffer_add(out, "data index %zu using 1:($2/%g):3 with points pt 7 ps 0.55 lc rgb variable notitle, \\\n  ",
                  2 * row, unit);
    wl_buffer_add(
        out,
        "data index %zu using 1:($4 <= %d ? $2/%g : NaN) with points pt 6 ps 1.1 lw 1.3 lc rgb 'black' title 'best "
        "%d', \\\n  ",
        2 * row, BEST, unit, BEST);
    for (int i = 0; i < SHAPES; i++)
        wl_buffer_add(out, "%sNaN with points pt 7 lc rgb '#%06x' title '%s'", i ? ", \\\n  " : "",
                      block_colour(shapes[i].block), shapes[i].name);
    wl_buffer_text(out, "\n");
}

static double highest_bar(const wl_ranked_space *space, size_t count)
{
    double highest = 0; /* fmax ignores unknown values (NaN) */
    for (size_t i = 0; i < count; i++)
        for (int v = 0; v < VOLUMES; v++)
            highest = fmax(highest, per_item(space, &space->launches[i], volumes[v].value));
    return highest > 0 ? highest : 1;
}

/* The names of launches are long, so the title of the axis is below them, at this height of the
 * page. */
static void write_bars(const panel *p, size_t row, double below, wl_buffer *out)
{
    const wl_ranked_space *space = p->space;
    const size_t count = space->count < BEST ? space->count : BEST;
    wl_buffer_add(
        out,
        "unset label\nunset arrow\nunset logscale\nset title \"L2 and memory volumes\\nof the best %zu launches\"\n"
        "set label 'rank: threads per block, cells per thread (fold)' at screen 0.775,%.6f center\n"
        "unset xlabel\nset ylabel 'volume [B per %s]'\n"
        "set xrange [0.4:%zu.6]\nset ytics autofreq\nset yrange [0:%.6g]\nset xtics rotate by 32 right (",
        count, below, words_of(space)->one, count, 1.2 * highest_bar(space, count));
    for (size_t i = 0; i < count; i++) {
        wl_launch launch;
        wl_ranker_launch(space->ranker, space->launches[i].index, &launch);
        wl_buffer_add(out, "%s'%zu: ", i ? ", " : "", i + 1);
        write_launch(&launch, " fold ", out);
        wl_buffer_add(out, "' %zu", i + 1);
    }
    wl_buffer_text(out, ")\nset key inside top center horizontal maxrows 1 width 1 samplen 1.5\nplot ");
    for (int v = 0; v < VOLUMES; v++)
        wl_buffer_add(out,
                      "%sdata index %zu using ($1 + %g):%d:(0.2) with boxes fs solid 1 noborder lc rgb '%s' title '%s'",
                      v ? ", \\\n  " : "", 2 * row + 1, 0.2 * v - 0.3, v + 2, volumes[v].colour, volumes[v].name);
    wl_buffer_text(out, "\nset xtics norotate center\n");
}

/* Panels are placed by hand: the long labels below them need more room than gnuplot's layout
 * leaves. */
static void write_row(const panel *p, size_t row, size_t rows, wl_buffer *out)
{
    const double bottom = (double)(rows - 1 - row) / (double)rows, height = 1 / (double)rows;
    wl_buffer_add(
        out,
        "\nset bmargin at screen %.6f\nset tmargin at screen %.6f\nset lmargin at screen 0.06\nset rmargin at "
        "screen 0.52\n",
        bottom + 0.23 * height, bottom + 0.88 * height);
    write_points(p, row, out);
    wl_buffer_text(out, "\nset lmargin at screen 0.585\nset rmargin at screen 0.965\n");
    write_bars(p, row, bottom + 0.02 * height, out);
}

static void write_script(const wl_plot_files *files, const panel *panels, size_t count, wl_buffer *out)
{
    const size_t height = count * HEIGHT < HEIGHT_MAX ? count * HEIGHT : HEIGHT_MAX;
    wl_buffer_text(out, "# predicted launches; made by warpline rank\n");
    wl_gnuplot_terminal(files, &(wl_gnuplot_page){WIDTH, height, " noenhanced", " font ',12'"}, out);
    wl_gnuplot_files(files, out);
    wl_buffer_text(
        out,
        "set grid lt 1 lw 0.5 lc rgb '#dddddd'\nset tics font ',10'\nset key font ',10'\nset samples 500\nset style "
        "textbox opaque noborder fillcolor rgb 'white' margins 0.4,0.4\nset "
        "multiplot\n");
    for (size_t i = 0; i < count; i++)
        write_row(&panels[i], i, count, out);
    wl_buffer_text(out, "\nunset multiplot\n");
}

wl_status wl_rank_plot(const wl_ranked_space *spaces, size_t count, const wl_plot_files *files, char **script,
                       char **data, wl_error *err)
{
    panel *panels = calloc(count ? count : 1, sizeof *panels);
    wl_buffer script_text = {0}, data_text = {0};
    size_t shown = 0;
    if (!panels)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        make_panel(&spaces[i], &panels[shown]);
        shown += panels[shown].points > 0;
    }
    for (size_t i = 0; i < shown; i++)
        write_data(&panels[i], &data_text);
    if (shown > 0)
        write_script(files, panels, shown, &script_text);
    free(panels);
    if (shown == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no launch has a predicted memory volume");
    return wl_gnuplot_take(&script_text, &data_text, script, data, err);
}
