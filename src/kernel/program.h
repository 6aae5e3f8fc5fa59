/* program.h - an access compiled for evaluation over many lanes and loop steps.
 *
 * Nodes are in evaluation order: first those of the index, then those of the condition. Each knows
 * the innermost loop it depends on, so a loop step re-evaluates only what that loop and inner ones
 * change.
 *
 * All lanes are evaluated together, all subexpressions included. If that fails (a division by zero
 * in an inactive lane), the lanes are evaluated one by one with short-circuiting.
 *
 * A traced access has no nodes: its executions come from the kernel's source (source.h).
 *
 * Layer  kernel (uses base). Units: byte addresses. Oracle: wl_expr_eval.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_PROGRAM_H
#define WL_KERNEL_PROGRAM_H

#include "kernel/kernel_internal.h"

typedef struct wl_program_node {
    wl_expr_op op;
    wl_var var;
    int a, b;      /* operands */
    int c;         /* SELECT: the value where a is 0 */
    int level;     /* 0: no loop variable; i + 1: loop i is the innermost */
    bool idle;     /* another node has the same value: neither evaluated nor used as an operand */
    bool alike;    /* the same for all threads of a block */
    bool spread;   /* alike, and the result or an operand of a node that is not alike */
    int row;       /* of the values; -1: idle */
    int64_t value; /* CONST */
} wl_program_node;

typedef struct wl_program {
    const wl_kernel *kernel;
    const wl_access *access;
    int count;
    int index, when; /* nodes; when -1: no condition */
    int index_count; /* nodes before those of the condition */
    /* an operation failed: evaluate lane by lane from here on, into the two below */
    bool careful;
    int64_t *lone_index, *lone_when;
    bool one_block; /* the lanes of every run are of one block; false at first */
    bool uses_loop[WL_LOOPS_MAX];
    const int64_t *steps; /* extent of each loop; the kernel's at first */
    int innermost;        /* of them; -1: none */
    /* of the innermost loop: step to start from, and stride; 0 and 1 at first: all steps, else a
     * sample */
    int64_t first, advance;
    /* steps after which it repeats its addresses, if one period suffices; 0 at first: evaluate
     * all */
    int64_t period;
    bool slides; /* neighbours in x repeat its addresses (loop_slide.h); false at first */
    wl_program_node *nodes;
    int rows;
    int64_t (*values)[WL_LANES_MAX]; /* of each node that is not idle; NULL: traced */
} wl_program;

wl_status wl_program_make(const wl_kernel *kernel, const wl_access *access, wl_arena *arena, wl_program *out,
                          wl_error *err);

/* Drops the condition: every lane is active. */
void wl_program_always(wl_program *program);

/* Called once per execution with an active lane: byte addresses of the active lanes; which[i] is
 * the position of lane i in the values. */
typedef wl_status (*wl_program_visit)(void *context, const int64_t *addresses, const uint8_t *which, int lanes,
                                      wl_error *err);

/* Evaluates all steps of the loops that the access names, in order; for a traced access, its
 * executions by these lanes, warp by warp. `values` holds the lanes' coordinates; loop variables
 * are set here. */
wl_status wl_program_run(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                         wl_error *err);

/* Only the first step of every loop. */
wl_status wl_program_run_first(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                               wl_error *err);

/* The variables in index and condition. */
uint32_t wl_access_vars(const wl_access *access);

/* Executions of the access per cell, if its condition holds: the product of the loops it names. A
 * traced access counts once. */
double wl_access_steps(const wl_kernel *kernel, const wl_access *access);
/* The same for loops of these extents. */
double wl_access_steps_of(const wl_access *access, const int64_t steps[WL_LOOPS_MAX]);

#endif /* WL_KERNEL_PROGRAM_H */
