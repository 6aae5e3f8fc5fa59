/* row.h - reads one launch, cell by cell, and notes what could not be read.
 *
 * Layer  measure (uses base). Oracle: tests/unit/test_measure.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MEASURE_ROW_H
#define WL_MEASURE_ROW_H

#include "base/arena.h"
#include "measure/column.h"
#include "warpline/measure.h"

typedef struct wl_notes {
    wl_note *notes;
    size_t count, capacity;
    wl_arena *arena;
    bool failed; /* out of memory */
} wl_notes;

/* Counts one more occurrence of a reason, first seen at `line`. */
void wl_notes_add(wl_notes *notes, int32_t line, const char *format, ...) WL_PRINTF(3, 4);

/* Values of the metrics, in their own units. */
struct wl_measured_values {
    double value[WL_METRIC_COUNT];
    bool known[WL_METRIC_COUNT];
    wl_counts counts; /* of all counters, including those behind the metrics */
};

typedef struct wl_row {
    int32_t column;   /* of the cell that is read, from 1; 0: the layout has no columns */
    wl_measurement m; /* its `values` are the member below */
    struct wl_measured_values values;
    int32_t line;        /* of the cell being read */
    const char *unsound; /* why the row is unusable, or NULL */
    int time_rank;       /* the wl_time_source of m.time_s, if known */
    bool part_known[2];  /* shared memory, static and dynamic */
    int64_t parts[2];
    int64_t block_limit; /* the smallest; 0: none */
    double begin, end;   /* nanoseconds; 0: not known */
    bool counted[WL_PER_COUNT][WL_COUNTER_COUNT];
    double counts[WL_PER_COUNT][WL_COUNTER_COUNT];
    bool counts_more;    /* than metrics */
    bool block_optional; /* a summary over launches: the profiler does not print the block */
} wl_row;

/* Takes one cell. `unit` is NULL if the table has no units. Texts are kept in the arena of the
 * notes. */
void wl_row_take(wl_row *row, const char *name, const wl_column *column, const char *unit, const char *text,
                 wl_notes *notes);

/* Takes a cell known to be a counter; false: its value is known already, or absent. */
bool wl_row_count(wl_row *row, const wl_counter_name *counter, const char *unit, const char *text);

/* Sets what follows from several cells; row->unsound says whether the row is usable. Counts are
 * kept in the arena of the notes. */
void wl_row_finish(wl_row *row, wl_notes *notes);

#endif /* WL_MEASURE_ROW_H */
