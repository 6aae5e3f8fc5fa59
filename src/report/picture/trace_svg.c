/* trace_svg.c - a trace as a picture: addresses downwards, time to the right. Neighbouring cells of
 * one kind are one rectangle. Colours after Paul Tol, distinguishable for people with
 * colour-blindness; a dark page gets a dark background.
 * SPDX-License-Identifier: MIT */

#include "base/ckd.h"
#include "base/fail.h"
#include "report/picture/svg.h"
#include "report/common/words.h"
#include "report/common/trace_report.h"

enum {
    LEFT = 96,
    TOP = 76,
    RIGHT = 16,
    BOTTOM = 56,
    WIDTH = 900,     /* of the diagram, about */
    WIDTH_MIN = 560, /* the title needs it */
    HEIGHT = 480,
    COLUMNS_MAX = 900,
    ROWS_MAX = 480,
    CELL_MAX = 14, /* pixels */
    ENTRY = 110,   /* of the legend */
    TITLE = 110    /* characters */
};

static const char *const names[WL_CELL_COUNT] = {NULL, "c", "e", "u", "f"};
static const char *const words[WL_CELL_COUNT] = {NULL, "in the cache", "evicted", "used", "fetched"};

typedef struct picture {
    const wl_trace *trace;
    wl_trace_grid grid;
    double cell[2]; /* pixels */
    double width, height;
    wl_buffer *out;
} picture;

static void add_legend(const picture *p)
{
    double x = LEFT;
    for (int c = WL_CELL_COUNT - 1; c > WL_CELL_ABSENT; c--, x += ENTRY) {
        wl_buffer_add(p->out, "<rect class=\"%s\" x=\"%.0f\" y=\"%d\" width=\"11\" height=\"11\"/>\n", names[c], x,
                      TOP - 24);
        wl_svg_text(p->out, x + 16, TOP - 14, "small", words[c], TITLE);
    }
}

/* One path per kind: its rectangles, a row's from left to right. */
static void add_cells(const picture *p, wl_cell kind)
{
    const wl_trace_grid *g = &p->grid;
    bool any = false;
    for (int64_t row = 0; row < g->rows; row++)
        for (int64_t c = 0; c < g->columns;) {
            const uint8_t *cells = g->cells + row * g->columns;
            int64_t end = c;
            while (end < g->columns && cells[end] == kind)
                end++;
            if (end > c) {
                wl_buffer_add(p->out, "%sM%lld %lldh%lldv1h-%lldz", any ? "" : "<path d=\"", (long long)c,
                              (long long)row, (long long)(end - c), (long long)(end - c));
                any = true;
            }
            c = end > c ? end : c + 1;
        }
    if (any)
        wl_buffer_text(p->out, "\"/>\n");
}

static void add_diagram(picture *p)
{
    wl_buffer_add(p->out, "<g transform=\"translate(%d %d) scale(%.4g %.4g)\" shape-rendering=\"crispEdges\">\n", LEFT,
                  TOP, p->cell[0], p->cell[1]);
    for (int c = WL_CELL_CACHED; c < WL_CELL_COUNT; c++) {
        wl_buffer_add(p->out, "<g class=\"%s\">", names[c]);
        add_cells(p, (wl_cell)c);
        wl_buffer_text(p->out, "</g>\n");
    }
    wl_buffer_add(p->out, "</g>\n<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>\n", LEFT, TOP,
                  p->width, p->height);
}

/* A field's name beside its first row, and a line above it. */
static void add_fields(const picture *p)
{
    const wl_trace *t = p->trace;
    for (size_t line = 0; line < t->line_count; line++) {
        if (line > 0 && wl_trace_field(t, line) == wl_trace_field(t, line - 1))
            continue;
        const double y = TOP + p->cell[1] * (double)wl_trace_row(&p->grid, line);
        wl_svg_text(p->out, LEFT - 8, y + 11, "end", t->fields[wl_trace_field(t, line)], 10);
        if (line > 0)
            wl_buffer_add(p->out, "<path class=\"frame\" d=\"M%d %.1fh%.1f\"/>\n", LEFT, y, p->width);
    }
}

static void add_axes(const picture *p)
{
    const wl_trace *t = p->trace;
    const double below = TOP + p->height + 18;
    wl_svg_text(p->out, LEFT + p->width / 2, below + 20, "middle", "tasks, in the order of their execution", TITLE);
    wl_buffer_add(p->out, "<text class=\"middle\" transform=\"translate(16 %.1f) rotate(-90)\">%s</text>\n",
                  TOP + p->height / 2, "cache lines, by address");
    wl_svg_words(p->out, LEFT, below, "small", TITLE, "task %lld", (long long)t->first);
    wl_svg_words(p->out, LEFT + p->width, below, "end", TITLE, "%lld", (long long)(t->first + t->count - 1));
    if (p->grid.column_tasks > 1 || p->grid.row_lines > 1)
        wl_svg_words(p->out, LEFT + p->width / 2, below, "middle", TITLE, "a cell is %lld tasks by %lld lines",
                     (long long)p->grid.column_tasks, (long long)p->grid.row_lines);
}

static void add_title(const picture *p)
{
    const wl_trace *t = p->trace;
    const wl_trace_options *o = &t->options;
    wl_svg_words(p->out, LEFT, 22, "title", TITLE, "%s, order %s", t->name, wl_schedule_words(&o->schedule).text);
    wl_svg_words(p->out, LEFT, 41, "small", TITLE,
                 "%lld lines of %lld B, %s; %lld of %lld uses fetch a line, at least %lld", (long long)o->lines,
                 (long long)o->line_bytes, o->policy, (long long)t->counts.fetches, (long long)t->counts.uses,
                 (long long)t->counts.least);
}

/* Whole pixels where cells are larger than one. */
static double cell_size(int64_t cells, int room)
{
    const double size = (double)room / (double)wl_max(1, cells);
    return size >= CELL_MAX ? CELL_MAX : size >= 1 ? (double)(int)size : size;
}

wl_status wl_trace_svg(const void *result, wl_buffer *out, wl_error *err)
{
    const wl_trace *t = ((const wl_trace_view *)result)->trace;
    picture p = {.trace = t, .out = out};
    WL_TRY(wl_trace_grid_make(t, ROWS_MAX, COLUMNS_MAX, &p.grid, err));
    p.cell[0] = cell_size(p.grid.columns, WIDTH);
    p.cell[1] = cell_size(p.grid.rows, HEIGHT);
    p.width = p.cell[0] * (double)p.grid.columns;
    p.height = p.cell[1] * (double)p.grid.rows;
    const double width = (p.width < WIDTH_MIN ? WIDTH_MIN : p.width) + LEFT + RIGHT, height = TOP + p.height + BOTTOM;
    wl_buffer_add(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trace\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
                  "height=\"%.0f\">\n",
                  width, height, width, height);
    wl_svg_page(out, "trace_style");
    add_title(&p);
    add_legend(&p);
    add_diagram(&p);
    add_fields(&p);
    add_axes(&p);
    wl_buffer_text(out, "</svg>\n");
    wl_trace_grid_free(&p.grid);
    return WL_OK;
}
