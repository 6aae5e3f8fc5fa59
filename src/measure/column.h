/* column.h - the meaning of a column of a measured table, by its name.
 *
 * Layer  measure (uses base). Oracle: tests/unit/test_measure.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MEASURE_COLUMN_H
#define WL_MEASURE_COLUMN_H

#include "base/units.h"
#include "measure/counters.h"
#include "warpline/metrics.h"

typedef enum wl_column_kind {
    WL_COLUMN_OTHER,
    /* texts */
    WL_COLUMN_FAMILY,
    WL_COLUMN_VARIANT,
    WL_COLUMN_PARAMS,
    WL_COLUMN_KERNEL,
    WL_COLUMN_BLOCK_SHAPE, /* "(256, 1, 1)" */
    WL_COLUMN_GRID_SHAPE,
    /* numbers */
    WL_COLUMN_BLOCK, /* one component */
    WL_COLUMN_GRID,
    WL_COLUMN_REGISTERS,
    WL_COLUMN_SHARED,
    WL_COLUMN_SHARED_PART, /* summed up */
    WL_COLUMN_BLOCKS_PER_SM,
    WL_COLUMN_BLOCK_LIMIT, /* the smallest one counts */
    WL_COLUMN_WORK,
    WL_COLUMN_TIME,
    WL_COLUMN_BEGIN, /* nanoseconds of a clock */
    WL_COLUMN_END,
    WL_COLUMN_METRIC
} wl_column_kind;

/* What a column of times holds: where a table has several, the first of these counts. */
typedef enum wl_time_source {
    WL_TIME_MEDIAN,
    WL_TIME_STATED,
    WL_TIME_TUNED, /* a tuner's, which measures with events as well */
    WL_TIME_PROFILED,
    WL_TIME_PROFILED_TEXT,
    WL_TIME_KERNEL, /* a profiler's that leaves the caches alone */
    WL_TIME_UNCLEAR
} wl_time_source;

typedef struct wl_column {
    wl_column_kind kind;
    /* component, metric, or wl_time_source */
    int index;
    wl_dimension dimension; /* of a number: counts, bytes, time */
    /* to base units where the table has no unit; for a counter, to those of the metric */
    double factor;
    bool is_counter; /* of any kind */
    wl_counter_name counter;
} wl_column;

/* WL_COLUMN_OTHER for an unknown name. */
wl_column wl_column_find(const char *name);

/* Is an unknown column known to be of no interest, so that nobody needs to hear of it? */
bool wl_column_is_beside(const char *name);

/* Base units per `unit` as Nsight Compute spells it: "Kbyte", "usecond", "Ksector", "byte/block",
 * "". */
bool wl_column_unit(wl_dimension dimension, const char *unit, double *scale);

/* "10,240,000", "1,234.5", "7e3"; false for anything else. */
bool wl_column_number(const char *text, double *value);

/* Cells that mean "not measured": "", "n/a", "N/A", "-", ... */
bool wl_column_is_absent(const char *text);

#endif /* WL_MEASURE_COLUMN_H */
