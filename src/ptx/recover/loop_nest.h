/* loop_nest.h - rows of constants that grow by equal amounts, as a nest of loops.
 * Layer  ptx/recover (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_LOOP_NEST_H
#define WL_PTX_RECOVER_LOOP_NEST_H

#include "kernel/kernel_internal.h"

#define WL_PTX_NEST_MAX 5 /* levels; a kernel file has three loops, further levels are unrolled */

/* The rows, one after another, as loops; innermost first. */
typedef struct wl_ptx_nest {
    int depth;
    int64_t extent[WL_PTX_NEST_MAX];
    int64_t stride[WL_PTX_NEST_MAX]; /* rows that one iteration takes */
    int64_t *growth[WL_PTX_NEST_MAX];
} wl_ptx_nest;

/* False: they do not grow evenly, or memory ran out. */
bool wl_ptx_nest_find(const int64_t *rows, int places, size_t count, wl_arena *arena, wl_ptx_nest *out);

/* Periodic rows: each grows by the same amounts from period to period. An unrolled body repeats
 * such a period; rows executed before the loop come first. False: there are fewer than `least`
 * periods, or memory ran out. */
typedef struct wl_ptx_period {
    size_t first, length; /* rows before the first period; rows of one */
} wl_ptx_period;
bool wl_ptx_period_find(const int64_t *rows, int places, size_t count, size_t least, wl_arena *arena,
                        wl_ptx_period *out);

/* The same for too many rows to list: a nest that begins with one row, then the rows of another
 * nest; and all rows repeated per trip of a loop. False: the result is no nest, or memory ran
 * out. */
typedef struct wl_ptx_run {
    wl_ptx_nest nest; /* without strides */
    const int64_t *base;
    int places;
} wl_ptx_run;
bool wl_ptx_run_append(wl_ptx_run *run, const wl_ptx_run *next, wl_arena *arena);
bool wl_ptx_run_repeat(wl_ptx_run *run, int64_t trips, const int64_t *growth, wl_arena *arena);

/* The loops of a kernel, outermost first. */
typedef struct wl_ptx_loop_table {
    int count;
    int64_t extent[WL_LOOPS_MAX];
} wl_ptx_loop_table;

/* How an access is written: its loops, outermost first, and how many steps of which level of its
 * nest one iteration takes. The levels in `expanded` (bits) are unrolled. */
typedef struct wl_ptx_in_loops {
    int count, loop[WL_LOOPS_MAX], level[WL_LOOPS_MAX];
    int64_t times[WL_LOOPS_MAX];
    unsigned expanded;
} wl_ptx_in_loops;

/* Loops with exactly these trip counts; adds them to the table while there is room. */
bool wl_ptx_nest_place(const wl_ptx_nest *nest, wl_ptx_loop_table *table, wl_ptx_in_loops *out);
/* The same with existing loops: several loops may form a level, and levels of at most `most`
 * accesses may be unrolled. */
bool wl_ptx_nest_fit(const wl_ptx_nest *nest, const wl_ptx_loop_table *table, int64_t most, wl_ptx_in_loops *out);

#endif /* WL_PTX_RECOVER_LOOP_NEST_H */
