/* cost.h - weights: how many machine instructions each PTX instruction of a function becomes.
 *
 * PTX is not machine code. Copies and parameter reads disappear, addresses are folded into
 * loads, divisions become sequences. A weight estimates this for one instruction in the context
 * of its neighbours. The rules are code; their numbers are the table of an architecture.
 * Layer  ptx/cost (uses base, ptx/module). Oracle: measured counts, tests/unit/test_ptx_cost.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_H
#define WL_PTX_COST_COST_H

#include "kernel/counted_mix.h"
#include "ptx/cost/cost_table.h"

/* The machine instructions of an instruction if they are not all of its own class. */
typedef struct wl_ptx_split {
    const wl_cost_row *row; /* NULL: all are of its own class */
    /* the part of its weight that the row gives; the rest was charged to it */
    double weight;
    bool rejoins; /* its lanes may take different sides of a branch, and meet again behind it */
} wl_ptx_split;

/* By instruction: how often its machine instructions are executed. */
typedef struct wl_ptx_counting {
    /* The instruction whose execution count applies to it. It is itself, or the branch around it
     * where the assembler predicates the body instead of branching: all active lanes then issue it,
     * and the lanes that take the branch are predicated off. */
    const int32_t *as;
    /* The back edge of the loop around it, if the assembler unrolls that loop: one copy of four
     * trips, one of two, one of one. Its `rungs` (wl_ptx_profile) are executions of it, too. -1:
     * none. */
    const int32_t *unrolled;
    /* An access of such a loop has another copy before the loop, which is always predicated off:
     * the instruction there that is executed as often. -1: none. */
    const int32_t *repeated;
    const wl_ptx_split *split; /* valid as long as the costs */
    /* integer products among its machine instructions: 1 + wl_multiply_kind; 0: none */
    const uint8_t *multiplies;
    /* Of machine code: where each copy of an instruction is, WL_PTX_ROUND numbers for each, of
     * which loops that are not unrolled have one; -1: it has none. NULL: by rules. */
    const int32_t *places;
} wl_ptx_counting;

/* Adds so many executions of instruction i, with this weight, to the classes of its machine
 * instructions. */
void wl_ptx_add_classes(const wl_ptx_function *function, const wl_ptx_counting *counting, int32_t i, double weight,
                        double executed, double classes[WL_INST_CLASS_COUNT]);
/* The machine instructions of i that only the integer pipe executes. */
double wl_ptx_integer_pipe(const wl_ptx_counting *counting, int32_t i);
/* Adds so many executions of instruction i to the sequences of special functions and of integer
 * divisions, if it is one. */
void wl_ptx_add_sequences(const wl_ptx_instruction *in, const wl_ptx_counting *counting, int32_t i, double weight,
                          double executed, wl_mix *mix);
/* Adds so many executions of instruction i to the integer products, if it is one. */
void wl_ptx_add_multiplies(const wl_ptx_counting *counting, int32_t i, double executed,
                           double multiplies[WL_MULTIPLY_COUNT]);
/* Adds so many executions of instruction i to the conversions of its kind, if it is one. */
void wl_ptx_add_converts(const wl_ptx_instruction *in, const wl_ptx_counting *counting, int32_t i, double weight,
                         double executed, double converts[WL_CONVERT_COUNT]);

/* weight[i]: machine instructions of instruction i. counting may be NULL. */
wl_status wl_ptx_weigh(const wl_ptx_costs *costs, const wl_ptx_module *module, const wl_ptx_function *function,
                       wl_arena *arena, const double **weight, wl_ptx_counting *counting, wl_error *err);

#endif /* WL_PTX_COST_COST_H */
