/* loop_rolling.h - the steps of a thread as accesses with loops.
 *
 * Compilers unroll loops by four, peel their first step and leave a remainder; the steps of a thread do not care. Steps
 * that differ in constants only, and those in even steps, are one access in a loop: whatever the loop looked like. Code
 * that is executed once stays as it is.
 *
 * Layer  ptx (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_LOOP_ROLLING_H
#define WL_PTX_RECOVER_LOOP_ROLLING_H

#include "kernel/kernel_internal.h"
#include "ptx/recover/recover.h"

/* The constants of a symbol, in an order of their own ("places"), and by how much each grows in a step of each loop. */
typedef struct wl_ptx_access {
    const wl_ptx_thread_access *step; /* the first */
    size_t steps;
    const wl_ptx_buffer *buffer; /* NULL: shared memory */
    int32_t bytes;               /* of one lane */
    bool atomic;
    bool one_lane;                 /* an atomic on one address for the whole warp: the lanes are added up first */
    int place_count;               /* of the address, then of the condition */
    int loop_count;                /* outermost first */
    int loops[WL_LOOPS_MAX];       /* numbers */
    int64_t *growth[WL_LOOPS_MAX]; /* of each place */
} wl_ptx_access;

typedef struct wl_ptx_rolled_loops {
    wl_ptx_access *accesses; /* in the order of the program */
    size_t count;
    int loop_count;
    int64_t extent[WL_LOOPS_MAX];
} wl_ptx_rolled_loops;

/* Marks instructions as traced whose steps are too many and too irregular to list. Words of shared memory that machine
 * code loads four at a time (a quarter of an instruction each: cost.h) are one access. */
wl_status wl_ptx_roll(const wl_ptx_launch *launch, wl_ptx_recovery *recovery, const double *weights, wl_arena *arena,
                      wl_ptx_rolled_loops *out, wl_error *err);

/* Terms in the order places are counted in: `order` gets their numbers. */
void wl_ptx_term_order(const wl_symbol *symbol, int *order);

/* Do compilers combine the lanes of a warp before this atomic, where its address is the same for all? */
bool wl_ptx_combines_lanes(const wl_ptx_instruction *in);

/* The buffer an address belongs to: the one it lies in, or the nearest. */
const wl_ptx_buffer *wl_ptx_buffer_near(const wl_ptx_arguments *arguments, uint64_t address);

#endif /* WL_PTX_RECOVER_LOOP_ROLLING_H */
