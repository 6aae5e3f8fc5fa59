/* program.h - an access compiled for evaluating many lanes and many loop steps.
 *
 * Nodes are in evaluation order: those of the index, then those of the condition. Each knows the innermost loop it
 * depends on, so that a step of a loop evaluates again only what that loop and those inside it change.
 *
 * All lanes are evaluated as if every part of an expression mattered. Where that fails (a division by zero in a lane
 * that the condition leaves out), the lanes are evaluated one by one, looking at no more than is needed.
 *
 * A traced access has no nodes: its executions come from the kernel's source.
 *
 * Layer  kernel (uses base). Oracle: wl_expr_eval. SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_PROGRAM_H
#define WL_KERNEL_PROGRAM_H

#include "kernel/kernel_internal.h"

typedef struct wl_program_node {
    wl_expr_op op;
    wl_var var;
    int a, b;  /* operands */
    int c;     /* of a SELECT: what it is where a is 0 */
    int level; /* 0: no loop variable in it; i + 1: loop i is its innermost */
    bool idle; /* another node has its value: it is not evaluated, nor an operand */
    wl_loc loc;
} wl_program_node;

typedef struct wl_program {
    const wl_kernel *kernel;
    const wl_access *access;
    int count;
    int index, when; /* nodes; when -1: every lane takes part */
    int index_count; /* nodes before those of the condition */
    bool careful;    /* an operation failed in some lane: one by one from here on, into the two below */
    int64_t lone_index[WL_LANES_MAX], lone_when[WL_LANES_MAX];
    bool uses_loop[WL_LOOPS_MAX];
    const int64_t *steps;   /* of each loop: at first, the kernel's */
    int innermost;          /* of them; -1: none */
    int64_t first, advance; /* its steps that are evaluated: a sample unless 0 and 1, which they are at first */
    wl_program_node *nodes;
    int64_t (*values)[WL_LANES_MAX]; /* of each node */
} wl_program;

wl_status wl_program_make(const wl_kernel *kernel, const wl_access *access, wl_arena *arena, wl_program *out,
                          wl_error *err);

/* Forgets the condition: it always holds. */
void wl_program_always(wl_program *program);

/* Called once per execution, if any lane takes part, with the byte addresses of those that do; which[i] is the place of
 * lane i in the values. */
typedef wl_status (*wl_program_visit)(void *context, const int64_t *addresses, const uint8_t *which, int lanes,
                                      wl_error *err);

/* Evaluates all loop steps the access names, in order; of a traced access, its executions by these lanes, warp after
 * warp. The coordinates in `values` are the lanes'; loop variables are set here. */
wl_status wl_program_run(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                         wl_error *err);

/* Only the first step of every loop. */
wl_status wl_program_run_first(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                               wl_error *err);

/* Which variables an access names, in its index and its condition. */
uint32_t wl_access_vars(const wl_access *access);

/* How often the access is executed per cell, if its condition holds: the product of the loops it names. A traced access
 * counts once. */
double wl_access_steps(const wl_kernel *kernel, const wl_access *access);
/* The same for loops of so many steps. */
double wl_access_steps_of(const wl_access *access, const int64_t steps[WL_LOOPS_MAX]);

#endif /* WL_KERNEL_PROGRAM_H */
