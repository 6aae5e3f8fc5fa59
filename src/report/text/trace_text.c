/* trace_text.c - a trace in words, and as a diagram of characters. SPDX-License-Identifier: MIT */

#include "base/ckd.h"
#include "base/fail.h"
#include "report/common/marks.h"
#include "report/common/words.h"
#include "report/common/trace_report.h"

enum { NAME = 12, ROWS = 96 };
#define PERCENT 100.0

static const char *const ascii[WL_CELL_COUNT] = {" ", ".", "x", "o", "#"};
static const char *const unicode[WL_CELL_COUNT] = {" ", "░", "×", "▒", "█"};
/* of 256 colours: after Paul Tol's "bright"; absent: the terminal's background */
static const int colours[WL_CELL_COUNT] = {-1, 153, 250, 67, 161};

static void count_words(wl_buffer *out, int64_t n, const char *one, const char *many)
{
    wl_buffer_add(out, "%lld %s", (long long)n, n == 1 ? one : many);
}

static void cache_words(const wl_trace *t, wl_buffer *out)
{
    const wl_trace_options *o = &t->options;
    wl_buffer_text(out, "cache: ");
    count_words(out, o->lines, "line", "lines");
    wl_buffer_add(out, " of %lld B, ", (long long)o->line_bytes);
    if (o->ways)
        wl_buffer_add(out, "%lld ways, ", (long long)o->ways);
    else
        wl_buffer_text(out, "fully associative, ");
    wl_buffer_add(out, "%s\n", o->policy);
}

static void trace_words(const wl_trace *t, wl_buffer *out)
{
    const wl_trace_counts *c = &t->counts;
    wl_line(out, 2, "%s, order %s", t->name, wl_schedule_words(&t->options.schedule).text);
    wl_buffer_text(out, t->as_linear && t->options.schedule.kind != WL_SCHEDULE_LINEAR
                            ? ", which is linear order here: it is at least as wide as a row\n"
                            : "\n");
    cache_words(t, out);
    wl_line(out, 2, "tasks: ");
    count_words(out, c->tasks, "task", "tasks");
    if (t->options.by > 1)
        wl_buffer_add(out, " of %lld threads", (long long)t->options.by);
    if (c->simulated < c->tasks)
        wl_buffer_add(out, "; only the first %lld are simulated, which is as much as fits the budget",
                      (long long)c->simulated);
    wl_buffer_text(out, "\n");
    wl_line(out, 2, "uses of lines: %lld", (long long)c->uses);
    if (c->stores)
        wl_buffer_add(out, ", of these %lld stores, which pass through", (long long)c->stores);
    wl_buffer_text(out, "\n");
    wl_line(out, 2, "fetched: %lld lines, at least %lld", (long long)c->fetches, (long long)c->least);
    if (c->least)
        wl_buffer_add(out, " (%.2f times as many)", (double)c->fetches / (double)c->least);
    wl_buffer_add(out, "; %.1f %% of the loads hit\n",
                  c->uses > c->stores ? PERCENT * (1 - (double)c->fetches / (double)(c->uses - c->stores)) : 0);
    wl_buffer_add(out, "evicted: %lld lines\n", (long long)c->evictions);
    if (t->closed_form.lines)
        wl_buffer_add(out, "closed form: %s%lld lines fetched\n", t->closed_form.exact ? "" : "at most ",
                      (long long)t->closed_form.lines);
}

static void legend(const char *const *signs, const wl_trace_look *look, wl_buffer *out)
{
    static const char *const words[WL_CELL_COUNT] = {NULL, "in the cache", "evicted", "used", "fetched"};
    for (int c = WL_CELL_COUNT - 1; c > WL_CELL_ABSENT; c--) {
        if (look->colour)
            wl_buffer_add(out, "\033[38;5;%dm█\033[0m", colours[c]);
        else
            wl_buffer_text(out, signs[c]);
        wl_buffer_add(out, " %s%s", words[c], c > WL_CELL_CACHED ? "   " : "\n");
    }
}

/* The first row of a field has its name. */
static void row_name(const wl_trace *t, const wl_trace_grid *g, int64_t row, wl_buffer *out)
{
    const size_t line = (size_t)(row * g->row_lines);
    const int field = wl_trace_field(t, line);
    const bool first = row == 0 || wl_trace_field(t, (size_t)((row - 1) * g->row_lines)) != field;
    wl_buffer_add(out, "%*.*s ", NAME, NAME, first ? t->fields[field] : "");
}

static void plain_row(const wl_trace_grid *g, int64_t row, const char *const *signs, wl_buffer *out)
{
    int64_t end = g->columns;
    const uint8_t *cells = g->cells + row * g->columns;
    while (end > 0 && cells[end - 1] == WL_CELL_ABSENT)
        end--;
    for (int64_t c = 0; c < end; c++)
        wl_buffer_text(out, signs[cells[c]]);
    wl_buffer_text(out, "\n");
}

/* Two rows of the grid in one of the terminal, the upper half in the foreground's colour. */
static void coloured_rows(const wl_trace_grid *g, int64_t row, wl_buffer *out)
{
    int upper = -2, lower = -2;
    for (int64_t c = 0; c < g->columns; c++) {
        const int a = colours[g->cells[row * g->columns + c]];
        const int b = row + 1 < g->rows ? colours[g->cells[(row + 1) * g->columns + c]] : -1;
        if (a != upper || b != lower) {
            wl_buffer_text(out, "\033[0m");
            if (a >= 0 || b >= 0)
                wl_buffer_add(out, "\033[38;5;%dm", a >= 0 ? a : b);
            if (a >= 0 && b >= 0)
                wl_buffer_add(out, "\033[48;5;%dm", b);
        }
        wl_buffer_text(out, a >= 0 ? "▀" : b >= 0 ? "▄" : " ");
        upper = a;
        lower = b;
    }
    wl_buffer_text(out, "\033[0m\n");
}

static void window_words(const wl_trace *t, const wl_trace_grid *g, wl_buffer *out)
{
    wl_buffer_text(out, "\n");
    wl_line(out, 2, "time to the right, ");
    count_words(out, g->column_tasks, "task", "tasks");
    wl_buffer_add(out, " a column; addresses downwards, ");
    count_words(out, g->row_lines, "line", "lines");
    wl_buffer_text(out, " a row");
    if (!t->whole)
        wl_buffer_add(out, "; tasks %lld to %lld, and the %zu lines that are used or in the cache then",
                      (long long)t->first, (long long)(t->first + t->count - 1), t->line_count);
    wl_buffer_text(out, "\n");
}

wl_status wl_trace_text(const void *result, wl_buffer *out, wl_error *err)
{
    const wl_trace_view *view = result;
    const wl_trace *t = view->trace;
    const wl_trace_look *look = view->look;
    const char *const *signs = look->ascii ? ascii : unicode;
    const int rows_of_line = look->colour ? 2 : 1;
    wl_trace_grid g;
    trace_words(t, out);
    WL_TRY(wl_trace_grid_make(t, (int64_t)ROWS * rows_of_line, wl_max(1, look->width - NAME - 1), &g, err));
    window_words(t, &g, out);
    legend(signs, look, out);
    for (int64_t row = 0; row < g.rows; row += rows_of_line) {
        row_name(t, &g, row, out);
        if (look->colour)
            coloured_rows(&g, row, out);
        else
            plain_row(&g, row, signs, out);
    }
    wl_trace_grid_free(&g);
    return WL_OK;
}
