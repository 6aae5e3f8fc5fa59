/* loop_rolling.h - loop rolling: turns the steps of a thread into accesses inside loops.
 *
 * Compilers unroll loops, peel first iterations and leave remainder loops. The executed steps
 * show none of that. Steps that differ only in constants, which grow by a fixed amount, become
 * one access in a loop nest, whatever the original loop looked like. Code that is executed once
 * stays straight-line.
 *
 * Layer  ptx/recover (uses base, kernel, ptx/module, ptx/emulate). Oracle: the emulator, on some
 * warps of every kernel (ptx/kernel/verify.c). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_LOOP_ROLLING_H
#define WL_PTX_RECOVER_LOOP_ROLLING_H

#include "kernel/kernel_internal.h"
#include "ptx/recover/loop_nest.h"
#include "ptx/recover/recover.h"
#include "ptx/recover/unrolled_steps.h"

/* An access in a loop nest. The constants of its symbols are numbered ("places"); growth says
 * how much each one grows per iteration of each loop. */
typedef struct wl_ptx_access {
    const wl_ptx_thread_access *step; /* the first execution */
    size_t order;                     /* of that execution, in the program */
    size_t steps;
    const wl_ptx_buffer *buffer; /* NULL: shared memory */
    int32_t bytes;               /* of one lane */
    bool atomic;
    bool bypasses_l1, to_shared; /* as wl_access; who knows the fields sets them */
    /* an atomic on one address for the whole warp: compilers reduce over the lanes first */
    bool one_lane;
    int place_count;               /* constants of the address, then of the condition */
    int loop_count;                /* outermost first */
    int loops[WL_LOOPS_MAX];       /* numbers of the loops */
    int64_t *growth[WL_LOOPS_MAX]; /* by place: increment per iteration */
} wl_ptx_access;

typedef struct wl_ptx_rolled_loops {
    wl_ptx_access *accesses; /* in program order */
    size_t count;
    wl_ptx_loop_table table;
} wl_ptx_rolled_loops;

/* Marks instructions as traced if their steps are too many and too irregular to list. Words of
 * shared memory that machine code loads as one vector (weight 1/4 each: cost.h) become one
 * access. */
wl_status wl_ptx_roll(const wl_ptx_launch *launch, wl_ptx_recovery *recovery, const double *weights, wl_arena *arena,
                      wl_ptx_rolled_loops *out, wl_error *err);

/* Whether compilers reduce this atomic over the warp first if all lanes have one address. */
bool wl_ptx_combines_lanes(const wl_ptx_instruction *in);
/* Whether all threads of a block have the same address. */
bool wl_ptx_is_uniform(const wl_symbol *address);

/* The buffer that contains an address, or the nearest one. */
const wl_ptx_buffer *wl_ptx_buffer_near(const wl_ptx_arguments *arguments, uint64_t address);

#endif /* WL_PTX_RECOVER_LOOP_ROLLING_H */
