/* executed.h - warp and thread instructions of a launch.
 *
 * Either the instruction stream of a kernel is counted, or the kernel states what a thread executes
 * per work item. In the second case, the launch determines how many warps execute that. A warp
 * executes the work of a cell when the cell of at least one lane is inside the domain. A warp
 * without such a lane runs up to the exit: idle_instructions.
 *
 * Layer  count (uses launch). Units: instructions per launch.
 * Oracle  tests/unit/test_executed.c visits every warp
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_EXECUTED_H
#define WL_COUNT_EXECUTED_H

#include "count/swaps.h"
#include "launch/geometry.h"

/* Active and idle warps and threads of the launch, including blocks outside the domain. */
typedef struct wl_census {
    double warps, threads;           /* with work */
    double idle_warps, idle_threads; /* without work; threads of both kinds of warps */
    double warp_cells, cells;        /* executions of a cell's work, by warps and by threads */
} wl_census;
void wl_census_take(const wl_geometry *launched, int warp_size, wl_census *out);

typedef struct wl_executed {
    bool known, by_class;
    double warps;        /* with work */
    double warp, thread; /* instructions, all classes together */
    wl_mix mix;          /* valid if by_class */
    const wl_line_mix *lines;
    size_t line_count;
} wl_executed;
/* What executes them. */
typedef struct wl_executor {
    int warp_size;
    double tensor_flops; /* of one tensor instruction of a warp on 16-bit matrices; 0: unknown */
} wl_executor;
/* Adds the rounds of loops of compare-and-swap. */
void wl_executed_add_swaps(const wl_swaps *swaps, wl_executed *out);
wl_status wl_executed_count(const wl_kernel *kernel, const wl_geometry *launched, const wl_executor *by, bool emulate,
                            wl_executed *out, wl_error *err);

#endif /* WL_COUNT_EXECUTED_H */
