/* csv.h - reads comma-separated records, one at a time, from a text that may have other text
 * between them.
 *
 * A quoted cell may hold commas, doubled quotes and a few line breaks. A malformed record is
 * reported, and reading continues with the next line: a stray quote costs one line, not the rest of
 * the text.
 *
 * Layer  measure (uses base). Oracle: tests/unit/test_measure.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MEASURE_CSV_H
#define WL_MEASURE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

typedef struct wl_csv {
    const char *text; /* to be read, `length` bytes from `at` on */
    size_t length, at;
    int32_t next_line;
    /* the current record */
    int32_t line;
    const char *problem; /* NULL: well-formed */
    bool cut;            /* the text ended without a line end */
    size_t count;        /* of cells */
    /* */
    char *bytes; /* the cells' texts, 0-terminated, one after the other */
    size_t used, capacity;
    size_t *starts;
    size_t starts_capacity;
} wl_csv;

/* Skips a byte-order mark. */
void wl_csv_open(wl_csv *csv, const char *text, size_t length);
/* Reads the next record; *more is false at the end. Skips blank lines. WL_E_NOMEM only. */
wl_status wl_csv_next(wl_csv *csv, bool *more, wl_error *err);
const char *wl_csv_cell(const wl_csv *csv, size_t index);
/* Index of the first cell equal to `name`, or csv->count. */
size_t wl_csv_find(const wl_csv *csv, const char *name);
void wl_csv_free(wl_csv *csv);

#endif /* WL_MEASURE_CSV_H */
