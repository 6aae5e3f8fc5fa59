/* measure.h - measured launches, read from a table.
 *
 * The header determines the layout: a table of our own (one launch per row; columns named by short
 * names or by hardware counters), the two CSV pages of Nsight Compute, wide (--page raw) and long
 * (details), those of rocprof and rocprofv3 (a block is a number of threads), and the CSV summaries
 * of nvprof (a row per kernel, without its block). What a table does not say is absent, never 0;
 * what could not be used is in the notes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MEASURE_H
#define WL_MEASURE_H

#include <stddef.h>

#include "warpline/metrics.h"
#include "warpline/tallies.h"

#define WL_TABLE_ROWS_MAX 1000000
typedef enum wl_table_layout { WL_TABLE_OWN, WL_TABLE_NCU_WIDE, WL_TABLE_NCU_LONG, WL_TABLE_NVPROF } wl_table_layout;

/* One launch. Texts are "" and numbers 0 where the table has none, unless a flag says more. */
typedef struct wl_measurement {
    /* of the table; for the long layout, that of the launch's first row */
    int32_t line;
    /* family: that column, else the kernel's plain name, without types */
    const char *family, *variant;
    /* "nx=640;ny=512" */
    const char *params;
    /* its full name */
    const char *kernel;
    /* grid: {0,0,0} when not given */
    int64_t block[3], grid[3];
    /* per thread; the occupancy limit */
    int64_t registers, blocks_per_sm;
    /* per block, static and dynamic together, when shared_known */
    int64_t shared_bytes;
    /* output cells */
    double work;
    /* when time_known: between events of the host, or the duration that a profiler shows */
    double time_s;
    bool shared_known, time_known, time_of_profiler;
    bool cold;                               /* a profiler emptied the caches before the launch */
    const struct wl_measured_values *values; /* of the metrics: wl_measurement_value */
} wl_measurement;

/* In the metric's own unit; false when the table does not say. */
WL_API bool wl_measurement_value(const wl_measurement *measurement, wl_metric metric, double *value);
/* What rooflines need, as far as the table has the counters for it. Texts are those of the
 * measurement. */
WL_API void wl_measurement_tallies(const wl_measurement *measurement, wl_tallies *out);
/* How a value differs where it comes from other counters than the usual ones: "without stores"; ""
 * where it does not. */
WL_API const char *wl_measurement_differs(const wl_measurement *measurement, wl_tally tally);

/* Something that was left out: equal reasons are counted. */
typedef struct wl_note {
    int32_t line; /* the first; 0: no particular one */
    size_t count;
    const char *reason; /* no newline */
} wl_note;

typedef struct wl_table wl_table;
/* Reads a table. `input` names the text in messages. Rows that are not sound are left out with a
 * note. WL_E_INPUT: no header is recognised, a launch column is missing, not one row is sound, or
 * the table holds summaries instead of launches; WL_E_LIMIT: more than WL_TABLE_ROWS_MAX rows. */
WL_FALLIBLE wl_table_parse(const char *input, const char *text, size_t length, wl_table **out, wl_error *err);
WL_API void wl_table_free(wl_table *table);
WL_API wl_table_layout wl_table_layout_of(const wl_table *table);
WL_API size_t wl_table_count(const wl_table *table);
WL_API const wl_measurement *wl_table_row(const wl_table *table, size_t index);
WL_API size_t wl_table_note_count(const wl_table *table);
WL_API const wl_note *wl_table_note(const wl_table *table, size_t index);

#endif /* WL_MEASURE_H */
