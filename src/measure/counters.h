/* counters.h - the hardware counters in tables, under any name that a profiler or a table gives
 * them.
 *
 * A counter is found by the column of our tables, by ncu's name, by its label on ncu's details
 * page, or by nvprof's name. ncu also prints a counter as a rate: per second, or per cycle of the
 * launch.
 *
 * Layer  measure (uses base). Oracle: tests/unit/test_counters.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MEASURE_COUNTERS_H
#define WL_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "warpline/tallies.h"

enum {
    WL_COUNTER_COUNT = 0
#define WL_COUNTER(column, unit, ncu, nvprof, meaning) +1
#include "measure/counters.def"
};

/* A row of counters.def. */
typedef struct wl_counter_row {
    const char *column, *unit, *ncu, *nvprof, *meaning;
} wl_counter_row;
const wl_counter_row *wl_counter_at(int index);

typedef enum wl_counted_per { WL_PER_LAUNCH, WL_PER_SECOND, WL_PER_CYCLE, WL_PER_COUNT } wl_counted_per;

/* The meaning of a column, or of a word of a formula. */
typedef struct wl_counter_name {
    int index; /* of the counter */
    wl_counted_per per;
} wl_counter_name;
/* False: no counter has this name. */
bool wl_counter_find(const char *name, wl_counter_name *out);

/* Base units per `unit` as ncu spells it: "Kbyte", "inst", "sector/second", "Gbyte/second",
 * "inst/cycle". False: such a counter does not have this unit. */
bool wl_counter_unit(const wl_counter_name *name, const char *unit, double *scale);

/* The next term of a sum "a + 2 * b"; false at its end. Advances *sum. Names that are too long are
 * cut. */
typedef struct wl_term {
    double factor;
    char name[160];
} wl_term;
bool wl_term_next(const char **sum, wl_term *out);

/* Values of one launch, in base units. */
typedef struct wl_counted_value {
    int index;
    double value;
} wl_counted_value;
typedef struct wl_counts {
    const wl_counted_value *list;
    size_t count;
} wl_counts;

/* A tally from ncu's counters, else from nvprof's, else from others: the first of these whose
 * counters are all known. *difference says what they count differently; "": nothing. */
bool wl_counts_tally(const wl_counts *counts, wl_tally tally, double *value, const char **difference);

#endif /* WL_MEASURE_COUNTERS_H */
