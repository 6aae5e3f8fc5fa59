/* data_row.h - the columns of a table that CSV and JSON share: one function lists them, and is
 * called for the heads and lines of CSV as well as for the objects of JSON.
 *
 * In CSV, texts are quoted, an unknown value is an empty cell, extents are three columns
 * ("block_x", ..), and braces mean nothing.
 *
 * Layer  report/common (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_DATA_ROW_H
#define WL_REPORT_COMMON_DATA_ROW_H

#include "base/json_out.h"

/* Either of both. */
typedef struct wl_row {
    wl_buffer *csv;
    bool heads; /* the names of the columns are written, not their values */
    int digits; /* of numbers of CSV; 0: as precise as in JSON */
    wl_json_out *json;
} wl_row;

/* Adds columns (base/members.h). */
void wl_row_add(wl_row *row, const char *format, ...);
/* One whose name is not fixed; NaN: unknown. */
void wl_row_number(wl_row *row, const char *name, double value);
/* Ends a line of CSV. */
void wl_row_end(wl_row *row);

#endif /* WL_REPORT_COMMON_DATA_ROW_H */
