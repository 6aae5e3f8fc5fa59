/* trace_grid.c - see trace_report.h. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "report/common/trace_report.h"

int wl_trace_field(const wl_trace *t, size_t line) { return (int)(t->lines[line] >> WL_FIELD_SHIFT); }

int64_t wl_trace_row(const wl_trace_grid *g, size_t line) { return (int64_t)line / g->row_lines; }

static void mark(wl_trace_grid *g, int64_t row, int64_t column, wl_cell cell)
{
    uint8_t *at = &g->cells[row * g->columns + column];
    *at = *at < cell ? (uint8_t)cell : *at;
}

/* Marks a line as cached from one task up to, but without, another. */
static void mark_cached(const wl_trace *t, wl_trace_grid *g, uint32_t line, int64_t from, int64_t to)
{
    const int64_t row = wl_trace_row(g, line), first = (from - t->first) / g->column_tasks;
    for (int64_t c = first; c < g->columns && t->first + c * g->column_tasks < to; c++)
        mark(g, row, c, WL_CELL_CACHED);
}

static void mark_events(const wl_trace *t, wl_trace_grid *g, int64_t *since)
{
    static const wl_cell cells[] = {[WL_TRACE_STAYS] = WL_CELL_CACHED,
                                    [WL_TRACE_EVICTED] = WL_CELL_EVICTED,
                                    [WL_TRACE_USED] = WL_CELL_USED,
                                    [WL_TRACE_FETCHED] = WL_CELL_FETCHED};
    for (size_t i = 0; i < t->event_count; i++) {
        const wl_trace_event *e = &t->events[i];
        if (e->task >= t->first + t->count)
            break;
        mark(g, wl_trace_row(g, e->line), (e->task - t->first) / g->column_tasks, cells[e->kind]);
        if (e->kind == WL_TRACE_STAYS || e->kind == WL_TRACE_FETCHED)
            since[e->line] = e->task;
        if (e->kind == WL_TRACE_EVICTED && since[e->line] >= 0) {
            mark_cached(t, g, e->line, since[e->line], e->task);
            since[e->line] = -1;
        }
    }
    for (size_t line = 0; line < t->line_count; line++)
        if (since[line] >= 0)
            mark_cached(t, g, (uint32_t)line, since[line], t->first + t->count);
}

wl_status wl_trace_grid_make(const wl_trace *t, int64_t rows, int64_t columns, wl_trace_grid *out, wl_error *err)
{
    wl_trace_grid g = {.row_lines = wl_max(1, wl_ceil_div((int64_t)t->line_count, rows)),
                       .column_tasks = wl_max(1, wl_ceil_div(t->count, columns))};
    g.rows = wl_ceil_div((int64_t)t->line_count, g.row_lines);
    g.columns = wl_ceil_div(t->count, g.column_tasks);
    g.cells = calloc((size_t)(g.rows * g.columns + 1), 1);
    int64_t *since = malloc((t->line_count + 1) * sizeof *since);
    *out = (wl_trace_grid){0};
    if (!g.cells || !since) {
        free(g.cells);
        free(since);
        return wl_fail_memory(err);
    }
    for (size_t i = 0; i < t->line_count; i++)
        since[i] = -1;
    mark_events(t, &g, since);
    free(since);
    *out = g;
    return WL_OK;
}

void wl_trace_grid_free(wl_trace_grid *g)
{
    free(g->cells);
    *g = (wl_trace_grid){0};
}
