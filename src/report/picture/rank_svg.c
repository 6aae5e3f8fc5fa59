/* rank_svg.c - a searched space as a picture that needs no other program: a map of blocks, and the
 * first ten launches as bars.
 *
 * A square of the map is a block: threads in x to the right, threads in y upwards, a panel per
 * extent in z or, if there is only one, per folding. Of several launches with the same block it
 * shows the best. Its colour is the time relative to the best (the steps are those of viridis,
 * distinguishable for people with colour-blindness), its mark what limits it. Squares within the
 * error of the model are outlined together, as their order means nothing.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/units.h"
#include "kernel/work_unit.h"
#include "report/common/rank_report.h"
#include "report/common/words.h"
#include "report/picture/svg.h"
#include "search/ranker.h"

enum {
    WIDTH = 960,
    MARGIN = 24,
    TITLE = 96, /* characters */
    BEST = 10,
    /* the map */
    EXTENTS_MAX = 1024, /* of blocks in one direction */
    CELLS_MAX = 48,     /* in a row or column: more extents share cells */
    PANELS_MAX = 8,
    CELL_MOST = 22,
    CELL_MARKED = 9, /* smaller cells have no mark */
    PANEL_LEFT = 52, /* of the first cell */
    PANEL_RIGHT = 12,
    NAMED = 76, /* shorter sides have no room for "threads in x" */
    PANEL_ABOVE = 22,
    PANEL_BELOW = 42,
    /* the bars */
    BAR_X = 300,
    BAR_WIDTH = 300,
    BAR_HEIGHT = 14,
    BAR_STEP = 22
};

#define PERCENT 100.0
#define CHARACTER 6.6 /* pixels */

/* A launch is of the first class whose limit its time over the best does not exceed. */
static const struct {
    double most;
    const char *name;
} classes[] = {{1.02, "2 %"}, {1.05, "5 %"}, {1.1, "10 %"},     {1.25, "25 %"},
               {1.5, "50 %"}, {2, "100 %"},  {INFINITY, "more"}};
enum { CLASSES = sizeof classes / sizeof classes[0] };

/* Bounds of one unit look alike. */
static const struct {
    wl_svg_form form;
    bool open;
} marks[WL_BOUND_COUNT] = {[WL_BOUND_DRAM] = {WL_SVG_CIRCLE, false},    [WL_BOUND_RANDOM] = {WL_SVG_CIRCLE, true},
                           [WL_BOUND_L2] = {WL_SVG_SQUARE, false},      [WL_BOUND_PIECES] = {WL_SVG_SQUARE, true},
                           [WL_BOUND_L1] = {WL_SVG_UP, false},          [WL_BOUND_TAG] = {WL_SVG_UP, true},
                           [WL_BOUND_LATENCY] = {WL_SVG_BAR, false},    [WL_BOUND_LAUNCH] = {WL_SVG_BAR, true},
                           [WL_BOUND_FP] = {WL_SVG_DIAMOND, false},     [WL_BOUND_TENSOR] = {WL_SVG_DIAMOND, true},
                           [WL_BOUND_MULTIPLY] = {WL_SVG_CROSS, false}, [WL_BOUND_INTEGER] = {WL_SVG_DOWN, true},
                           [WL_BOUND_ISSUE] = {WL_SVG_PLUS, false},     [WL_BOUND_ATOMICS] = {WL_SVG_POST, false},
                           [WL_BOUND_DSMEM] = {WL_SVG_DOWN, false},     [WL_BOUND_CONSTANT] = {WL_SVG_POST, true}};

/* The extents of blocks in one direction, ascending, and in how many cells they are shown. */
typedef struct extents {
    int64_t all[EXTENTS_MAX];
    size_t count, cells;
} extents;

typedef struct map {
    const wl_ranked_space *space;
    extents x, y, z;
    /* launches with different foldings, best first: panels if there is no choice in z */
    wl_launch folds[PANELS_MAX];
    size_t fold_count;
    bool by_fold;
    size_t panels;
    size_t *cells; /* 1 + rank of the best launch there; 0: none */
    bool shared;   /* cells show one of several launches */
    bool limits[WL_BOUND_COUNT];
} map;

typedef struct drawing {
    wl_buffer *out;
    double y;
} drawing;

/* ---- what is where ---- */

static int64_t extent_of(int64_t given) { return given > 0 ? given : 1; }

/* The place of an extent, or where it would be. */
static size_t find_extent(const extents *e, int64_t extent)
{
    size_t low = 0, high = e->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (e->all[middle] < extent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_extent(extents *e, int64_t extent)
{
    const size_t at = find_extent(e, extent);
    if ((at < e->count && e->all[at] == extent) || e->count == EXTENTS_MAX)
        return;
    for (size_t i = e->count++; i > at; i--)
        e->all[i] = e->all[i - 1];
    e->all[at] = extent;
}

static size_t cell_of(const extents *e, int64_t extent)
{
    const size_t at = find_extent(e, extent);
    return (at < e->count ? at : e->count - 1) * e->cells / e->count;
}

/* The first and the last extent of a cell. */
static void extents_of_cell(const extents *e, size_t cell, int64_t *first, int64_t *last)
{
    const size_t begin = (cell * e->count + e->cells - 1) / e->cells;
    const size_t end = ((cell + 1) * e->count + e->cells - 1) / e->cells;
    *first = e->all[begin];
    *last = e->all[end - 1];
}

static bool same_fold(const wl_launch *a, const wl_launch *b)
{
    for (int d = 0; d < 3; d++)
        if (extent_of(a->fold[d]) != extent_of(b->fold[d]))
            return false;
    return true;
}

/* The number of foldings before this one; at most PANELS_MAX are remembered. */
static size_t find_fold(const map *m, const wl_launch *launch)
{
    size_t at = 0;
    while (at < m->fold_count && !same_fold(&m->folds[at], launch))
        at++;
    return at;
}

static void collect_extents(map *m)
{
    const wl_ranked_space *s = m->space;
    for (size_t i = 0; i < s->count; i++) {
        wl_launch launch;
        wl_ranker_launch(s->ranker, s->launches[i].index, &launch);
        add_extent(&m->x, extent_of(launch.block[0]));
        add_extent(&m->y, extent_of(launch.block[1]));
        add_extent(&m->z, extent_of(launch.block[2]));
        if (find_fold(m, &launch) == m->fold_count && m->fold_count < PANELS_MAX)
            m->folds[m->fold_count++] = launch;
    }
    m->x.cells = m->x.count < CELLS_MAX ? m->x.count : CELLS_MAX;
    m->y.cells = m->y.count < CELLS_MAX ? m->y.count : CELLS_MAX;
    m->z.cells = m->z.count < PANELS_MAX ? m->z.count : PANELS_MAX;
    m->by_fold = m->z.count == 1 && m->fold_count > 1;
    m->panels = m->by_fold ? m->fold_count : m->z.cells;
}

static size_t *cell_at(const map *m, size_t panel, size_t row, size_t column)
{
    return &m->cells[(panel * m->y.cells + row) * m->x.cells + column];
}

/* Launches are sorted by time, so the first in a cell is its best. */
static bool fill_cells(map *m)
{
    const wl_ranked_space *s = m->space;
    m->cells = calloc(m->panels * m->y.cells * m->x.cells, sizeof *m->cells);
    for (size_t i = 0; m->cells && i < s->count; i++) {
        wl_launch launch;
        wl_ranker_launch(s->ranker, s->launches[i].index, &launch);
        const size_t panel = m->by_fold ? find_fold(m, &launch) : cell_of(&m->z, extent_of(launch.block[2]));
        if (panel == m->panels)
            continue; /* a folding beyond those that are shown */
        size_t *cell =
            cell_at(m, panel, cell_of(&m->y, extent_of(launch.block[1])), cell_of(&m->x, extent_of(launch.block[0])));
        m->shared = m->shared || *cell;
        *cell = *cell ? *cell : i + 1;
        m->limits[s->launches[*cell - 1].limiter] = true;
    }
    return m->cells;
}

/* ---- words ---- */

static size_t class_of(const wl_ranked_space *s, const wl_ranked *launch)
{
    size_t at = 0;
    while (at + 1 < CLASSES && launch->time_s > classes[at].most * s->best_s)
        at++;
    return at;
}

static bool is_tie(const wl_ranked_space *s, const wl_ranked *launch) { return launch->time_s <= s->best_s * s->tie; }

/* "32x4x2, fold 1x1x2, column:32" */
static void add_launch_words(const wl_ranked_space *s, const wl_ranked *record, wl_buffer *out)
{
    wl_launch launch;
    wl_ranker_launch(s->ranker, record->index, &launch);
    wl_buffer_text(out, wl_shape_text(launch.block).text);
    if (extent_of(launch.fold[0]) * extent_of(launch.fold[1]) * extent_of(launch.fold[2]) > 1)
        wl_buffer_add(out, ", fold %s", wl_shape_text(launch.fold).text);
    if (wl_ranker_has_schedules(s->ranker))
        wl_buffer_add(out, ", %s", wl_schedule_words(&launch.schedule).text);
}

static double behind(const wl_ranked_space *s, const wl_ranked *launch)
{
    return PERCENT * (launch->time_s / s->best_s - 1);
}

static const char *time_words(const wl_ranked *launch, wl_short *out)
{
    *out = wl_quantity(WL_DIM_TIME, launch->time_s);
    return out->text;
}

static void add_head(drawing *d, const map *m)
{
    const wl_ranked_space *s = m->space;
    const size_t ties = wl_rank_within(s, s->tie);
    wl_buffer words = {0};
    wl_short time;
    wl_buffer_add(&words, "%s, %s: predicted time of %zu launches", wl_kernel_name(wl_ranker_kernel(s->ranker)),
                  wl_shape_text(s->domain).text, s->count);
    d->y += MARGIN + 12;
    wl_svg_text(d->out, MARGIN, d->y, "title", wl_buffer_string(&words), TITLE);
    wl_buffer_drop_part(&words, d->out);
    wl_buffer_add(&words, "on %s; best: ", wl_device_title(wl_ranker_device(s->ranker)));
    add_launch_words(s, &s->launches[0], &words);
    wl_buffer_add(&words, ", %s", time_words(&s->launches[0], &time));
    if (ties > 1)
        wl_buffer_add(&words, "; the first %zu are a tie (within %.1f %%, the error of the model)", ties,
                      PERCENT * (s->tie - 1));
    d->y += 22;
    wl_svg_text(d->out, MARGIN, d->y, "faint", wl_buffer_string(&words), 2 * TITLE);
    wl_buffer_drop_part(&words, d->out);
}

/* ---- the legend ---- */

static double add_key(drawing *d, double x, const char *name)
{
    wl_svg_text(d->out, x, d->y, "faint", name, TITLE);
    return x + CHARACTER * (double)strlen(name) + 14;
}

static void add_colours(drawing *d)
{
    double x = add_key(d, MARGIN, "slower than the best by at most");
    for (int c = 0; c < CLASSES; c++) {
        wl_buffer_add(d->out, "<rect class=\"c%d\" x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"14\"/>\n", c, x,
                      d->y - 11);
        x = add_key(d, x + 21, classes[c].name);
    }
    wl_buffer_add(d->out, "<rect class=\"tie\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"12\"/>\n", x + 1, d->y - 10);
    x = add_key(d, x + 21, "tie");
    wl_buffer_add(d->out, "<rect class=\"best\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"12\"/>\n", x + 1,
                  d->y - 10);
    (void)add_key(d, x + 21, "best");
}

static void add_limits(drawing *d, const map *m)
{
    double x = add_key(d, MARGIN, "limited by");
    for (int b = 0; b < WL_BOUND_COUNT; b++) {
        if (!m->limits[b])
            continue;
        wl_buffer_add(d->out, "<g class=\"key\"><title>%s</title>", wl_bound_meaning((wl_bound_id)b));
        wl_svg_mark(d->out, marks[b].form, marks[b].open, x + 6, d->y - 4, 4.5);
        wl_buffer_text(d->out, "</g>\n");
        x = add_key(d, x + 16, wl_bound_name((wl_bound_id)b));
    }
    if (m->shared)
        (void)add_key(d, x + 10, "(a square shows the best of its launches)");
}

/* ---- the map ---- */

/* A panel, as large as what it shows. */
typedef struct panel {
    const map *m;
    size_t number, columns, rows;
    bool has_best;
    double x, y, size; /* of the cells: the left upper corner, the width and height of one */
} panel;

static double left_of(const panel *p, size_t column) { return p->x + p->size * (double)column; }
/* Extents in y grow upwards. */
static double top_of(const panel *p, size_t row) { return p->y + p->size * (double)(p->rows - 1 - row); }

static void add_cell(drawing *d, const panel *p, size_t row, size_t column, const wl_ranked *launch, size_t rank)
{
    const wl_ranked_space *s = p->m->space;
    const double x = left_of(p, column), y = top_of(p, row);
    const wl_bound_id limit = (wl_bound_id)launch->limiter;
    wl_buffer words = {0};
    wl_short time;
    add_launch_words(s, launch, &words);
    wl_buffer_add(d->out,
                  "<g class=\"c%zu\"><title>%zu: %s: %s, %+.1f %%, limited by %s</title>"
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                  class_of(s, launch), rank, wl_buffer_string(&words), time_words(launch, &time), behind(s, launch),
                  wl_bound_name(limit), x, y, p->size - 1, p->size - 1);
    if (p->size >= CELL_MARKED)
        wl_svg_mark(d->out, marks[limit].form, marks[limit].open, x + (p->size - 1) / 2, y + (p->size - 1) / 2,
                    fmin(4.5, p->size / 4));
    wl_buffer_text(d->out, "</g>\n");
    wl_buffer_drop_part(&words, d->out);
}

static const wl_ranked *launch_at(const panel *p, size_t row, size_t column)
{
    const map *m = p->m;
    const size_t rank = row < m->y.cells && column < m->x.cells ? *cell_at(m, p->number, row, column) : 0;
    return rank > 0 ? &m->space->launches[rank - 1] : NULL;
}

static bool ties_at(const panel *p, size_t row, size_t column)
{
    const wl_ranked *launch = launch_at(p, row, column);
    return launch && is_tie(p->m->space, launch);
}

/* The sides of a tied cell beside which nothing is tied. Row -1 wraps to a number beyond the
 * last. */
static void add_outline(drawing *d, const panel *p, size_t row, size_t column)
{
    const double x = left_of(p, column) - 0.5, y = top_of(p, row) - 0.5, size = p->size;
    if (!ties_at(p, row + 1, column))
        wl_buffer_add(d->out, "M%.1f %.1fh%.1f", x, y, size);
    if (!ties_at(p, row - 1, column))
        wl_buffer_add(d->out, "M%.1f %.1fh%.1f", x, y + size, size);
    if (!ties_at(p, row, column - 1))
        wl_buffer_add(d->out, "M%.1f %.1fv%.1f", x, y, size);
    if (!ties_at(p, row, column + 1))
        wl_buffer_add(d->out, "M%.1f %.1fv%.1f", x + size, y, size);
}

/* The first extent of each cell, or of as many as there is room for. */
static void add_labels(drawing *d, const panel *p, const extents *e, bool vertical)
{
    const size_t cells = vertical ? p->rows : p->columns;
    int64_t first, last;
    extents_of_cell(e, cells - 1, &first, &last);
    const double digits = fmax(1, 1 + floor(log10((double)last)));
    const double needed = vertical ? 14 : CHARACTER * digits + 6;
    const size_t step = (size_t)fmax(1, ceil(needed / p->size));
    for (size_t i = 0; i < cells; i += step) {
        extents_of_cell(e, i, &first, &last);
        const double x = vertical ? p->x - 6 : left_of(p, i) + p->size / 2;
        const double y = vertical ? top_of(p, i) + p->size / 2 + 4 : p->y + p->size * (double)p->rows + 14;
        wl_svg_words(d->out, x, y, vertical ? "faint end" : "faint middle", TITLE, "%lld", (long long)first);
    }
}

/* The extent in z, or the folding; nothing if there is no choice. */
static void add_panel_name(drawing *d, const panel *p)
{
    const map *m = p->m;
    int64_t first, last;
    if (m->by_fold) {
        wl_svg_words(d->out, p->x, p->y - 8, "head", TITLE, "fold %s", wl_shape_text(m->folds[p->number].fold).text);
        return;
    }
    extents_of_cell(&m->z, p->number, &first, &last);
    if (m->z.count > 1)
        wl_svg_words(d->out, p->x, p->y - 8, "head", TITLE, first < last ? "z = %lld to %lld" : "z = %lld",
                     (long long)first, (long long)last);
}

/* Of the name of a panel. */
static double name_width(const map *m) { return m->by_fold ? 90 : m->z.count > 1 ? 66 : 0; }

static void add_best_words(const wl_ranked_space *s, wl_buffer *out)
{
    wl_buffer_text(out, "best: ");
    add_launch_words(s, &s->launches[0], out);
}

static void add_best(drawing *d, const panel *p, size_t row, size_t column)
{
    wl_buffer words = {0};
    add_best_words(p->m->space, &words);
    wl_buffer_add(d->out, "<rect class=\"best\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                  left_of(p, column) - 0.5, top_of(p, row) - 0.5, p->size, p->size);
    wl_svg_text(d->out, p->x + name_width(p->m), p->y - 8, "first", wl_buffer_string(&words), TITLE);
    wl_buffer_drop_part(&words, d->out);
}

static void add_cells(drawing *d, const panel *p)
{
    const map *m = p->m;
    wl_buffer outline = {0};
    drawing lines = {.out = &outline};
    size_t best_row = m->y.cells, best_column = 0;
    for (size_t row = 0; row < m->y.cells; row++)
        for (size_t column = 0; column < m->x.cells; column++) {
            const wl_ranked *launch = launch_at(p, row, column);
            const size_t rank = *cell_at(m, p->number, row, column);
            if (!launch)
                continue;
            add_cell(d, p, row, column, launch, rank);
            if (is_tie(m->space, launch))
                add_outline(&lines, p, row, column);
            if (rank == 1) {
                best_row = row;
                best_column = column;
            }
        }
    if (outline.length > 0)
        wl_buffer_add(d->out, "<path class=\"tie\" d=\"%s\"/>\n", outline.text);
    wl_buffer_drop_part(&outline, d->out);
    if (best_row < m->y.cells)
        add_best(d, p, best_row, best_column);
}

static void add_panel(drawing *d, const panel *p)
{
    const map *m = p->m;
    const double width = p->size * (double)p->columns, height = p->size * (double)p->rows;
    wl_buffer_add(d->out, "<rect class=\"none\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", p->x, p->y,
                  width - 1, height - 1);
    add_panel_name(d, p);
    add_labels(d, p, &m->x, false);
    wl_svg_text(d->out, p->x + width / 2, p->y + height + 30, "faint middle", width < NAMED ? "x" : "threads in x",
                TITLE);
    if (m->y.count > 1) {
        add_labels(d, p, &m->y, true);
        wl_buffer_add(d->out, "<text class=\"faint middle\" transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>\n",
                      p->x - PANEL_LEFT + 14, p->y + height / 2, height < NAMED ? "y" : "threads in y");
    }
    add_cells(d, p);
}

/* The panel without empty columns on the right and rows above. */
static panel make_panel(const map *m, size_t number, double size)
{
    panel p = {.m = m, .number = number, .size = size, .columns = 1, .rows = 1};
    for (size_t row = 0; row < m->y.cells; row++)
        for (size_t column = 0; column < m->x.cells; column++) {
            const size_t rank = *cell_at(m, number, row, column);
            if (rank == 0)
                continue;
            p.has_best = p.has_best || rank == 1;
            p.columns = column >= p.columns ? column + 1 : p.columns;
            p.rows = row >= p.rows ? row + 1 : p.rows;
        }
    return p;
}

/* With room for its labels, and the name of the best. */
static double panel_width(drawing *d, const panel *p)
{
    wl_buffer words = {0};
    if (p->has_best)
        add_best_words(p->m->space, &words);
    const double named = name_width(p->m) + CHARACTER * (double)words.length + 8;
    wl_buffer_drop_part(&words, d->out);
    return PANEL_LEFT + fmax(p->size * (double)p->columns, named) + PANEL_RIGHT;
}

/* Panels from left to right, as many as fit in a row. */
static void add_map(drawing *d, const map *m)
{
    const double all = WIDTH - 2 * MARGIN + PANEL_RIGHT;
    const double size = fmin(CELL_MOST, floor((all - PANEL_LEFT - PANEL_RIGHT) / (double)m->x.cells));
    double x = 0, height = 0;
    for (size_t i = 0; i < m->panels; i++) {
        panel p = make_panel(m, i, size);
        const double width = panel_width(d, &p);
        if (x > 0 && x + width > all) {
            d->y += height;
            x = height = 0;
        }
        p.x = MARGIN + x + PANEL_LEFT;
        p.y = d->y + PANEL_ABOVE;
        add_panel(d, &p);
        x += width;
        height = fmax(height, PANEL_ABOVE + size * (double)p.rows + PANEL_BELOW);
    }
    d->y += height;
}

/* ---- the bars ---- */

/* Memory volume and limiter, right of the bars. */
static void add_volume(drawing *d, const wl_ranked_space *s, const wl_ranked *launch)
{
    const char *unit = wl_work_unit_words(wl_kernel_work_unit(wl_ranker_kernel(s->ranker)))->one;
    const double items = (double)wl_ranker_launch_items(s->ranker, launch->index);
    const char *limit = wl_bound_name((wl_bound_id)launch->limiter);
    double in, back;
    if (wl_ranked_value(launch, WL_RANK_dram_load_bytes, &in) &&
        wl_ranked_value(launch, WL_RANK_dram_store_bytes, &back))
        wl_svg_words(d->out, WIDTH - MARGIN, d->y + 11, "faint end", TITLE, "DRAM %.1f B per %s; %s",
                     (in + back) / items, unit, limit);
    else
        wl_svg_text(d->out, WIDTH - MARGIN, d->y + 11, "faint end", limit, TITLE);
}

static void add_bars(drawing *d, const map *m)
{
    const wl_ranked_space *s = m->space;
    const size_t count = s->count < BEST ? s->count : BEST;
    d->y += 20;
    wl_svg_words(d->out, MARGIN, d->y, "head", TITLE, count > 1 ? "the first %zu: predicted time" : "predicted time",
                 count);
    d->y += 10;
    for (size_t i = 0; i < count; i++, d->y += BAR_STEP) {
        const wl_ranked *launch = &s->launches[i];
        const double width = BAR_WIDTH * launch->time_s / s->launches[count - 1].time_s;
        wl_buffer words = {0};
        wl_short time;
        add_launch_words(s, launch, &words);
        wl_svg_words(d->out, MARGIN + 18, d->y + 11, i ? "end" : "first end", TITLE, "%zu", i + 1);
        wl_buffer_text(d->out, "<g class=\"key\">");
        wl_svg_mark(d->out, marks[launch->limiter].form, marks[launch->limiter].open, MARGIN + 32, d->y + 7, 4.5);
        wl_buffer_text(d->out, "</g>\n");
        wl_svg_text(d->out, MARGIN + 46, d->y + 11, i ? "words" : "first", wl_buffer_string(&words), 36);
        wl_buffer_drop_part(&words, d->out);
        wl_buffer_add(d->out,
                      "<rect class=\"bar\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n"
                      "<text x=\"%.1f\" y=\"%.1f\">%s, %+.1f %%</text>\n",
                      BAR_X, d->y, width, BAR_HEIGHT, BAR_X + width + 8, d->y + 11, time_words(launch, &time),
                      behind(s, launch));
        add_volume(d, s, launch);
    }
}

/* ---- the whole ---- */

static void add_space(drawing *d, const wl_ranked_space *space)
{
    map *m = calloc(1, sizeof *m);
    if (m) {
        m->space = space;
        collect_extents(m);
    }
    if (m && fill_cells(m)) {
        add_head(d, m);
        d->y += 26;
        add_colours(d);
        d->y += 22;
        add_limits(d, m);
        d->y += 12;
        add_map(d, m);
        add_bars(d, m);
        free(m->cells);
    } else {
        d->out->failed = true;
    }
    free(m);
}

wl_status wl_rank_svg(const wl_ranked_space *spaces, size_t count, char **out, wl_error *err)
{
    wl_buffer body = {0}, text = {0};
    drawing d = {.out = &body};
    const wl_ranked_space *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (spaces[i].count == 0)
            continue;
        first = first ? first : &spaces[i];
        add_space(&d, &spaces[i]);
    }
    if (!first)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no launch was predicted");
    wl_svg_whole(&text, "rank", WIDTH, d.y + MARGIN / 2, wl_kernel_name(wl_ranker_kernel(first->ranker)), &body);
    return wl_buffer_take(&text, out, err);
}
