/* trace_report.h - a trace as rows of lines and columns of tasks; each cell shows the strongest
 * event in it.
 *
 * Layer  report/common. Units: lines, tasks. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_TRACE_REPORT_H
#define WL_REPORT_COMMON_TRACE_REPORT_H

#include "cache/trace_internal.h"
#include "report/common/render.h"

/* The events of a cell, the strongest last. */
typedef enum wl_cell {
    WL_CELL_ABSENT,
    WL_CELL_CACHED,
    WL_CELL_EVICTED,
    WL_CELL_USED,
    WL_CELL_FETCHED,
    WL_CELL_COUNT
} wl_cell;

typedef struct wl_trace_grid {
    int64_t rows, columns;
    int64_t row_lines, column_tasks; /* of a cell */
    uint8_t *cells;                  /* row by row, the lowest address first; of malloc */
} wl_trace_grid;

/* At most so many rows and columns. Fields start a new row. */
wl_status wl_trace_grid_make(const wl_trace *trace, int64_t rows, int64_t columns, wl_trace_grid *out, wl_error *err);
void wl_trace_grid_free(wl_trace_grid *grid);
/* The row of a line. */
int64_t wl_trace_row(const wl_trace_grid *grid, size_t line);
/* The field of a line. */
int wl_trace_field(const wl_trace *trace, size_t line);

typedef struct wl_trace_view {
    const wl_trace *trace;
    const wl_trace_look *look;
} wl_trace_view;
wl_any_writer wl_trace_text, wl_trace_svg; /* wl_trace_view */
wl_json_writer wl_trace_json;

#endif /* WL_REPORT_COMMON_TRACE_REPORT_H */
