/* executed.h - warp and thread instructions of a launch.
 *
 * A kernel either has an instruction stream that counts itself, or states what a thread executes per work item: then
 * the launch decides how many warps do so. A warp executes the work of a cell when one of its lanes has that cell
 * inside the domain; one without any lane inside runs up to the exit, which is idle_instructions.
 *
 * Layer  count (uses launch). Oracle: tests/unit/test_executed.c visits every warp. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_EXECUTED_H
#define WL_COUNT_EXECUTED_H

#include "launch/geometry.h"

/* Who works, in the launch as it is made: blocks that lie outside the domain are started, too. */
typedef struct wl_census {
    double warps, threads;           /* that have work                                            */
    double idle_warps, idle_threads; /* that have none; threads of both kinds of warps            */
    double warp_cells, cells;        /* executions of a cell's work, by warps and by threads      */
} wl_census;
void wl_census_take(const wl_geometry *launched, int warp_size, wl_census *out);

typedef struct wl_executed {
    bool known, by_class;
    double warps;        /* that have work */
    double warp, thread; /* instructions, all classes together */
    wl_mix mix;          /* where by_class       */
    const wl_line_mix *lines;
    size_t line_count;
} wl_executed;
wl_status wl_executed_count(const wl_kernel *kernel, const wl_geometry *launched, int warp_size, bool emulate,
                            wl_executed *out, wl_error *err);

#endif /* WL_COUNT_EXECUTED_H */
