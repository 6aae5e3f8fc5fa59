/* cost_internal.h - shared by cost.c (single instructions and their neighbours), cost_halves.c (64
 * bits), cost_copies.c, cost_logic.c (three inputs), cost_flow.c (branches, loops, what is computed
 * once) and cost_operands.c (parameters, constants).
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_INTERNAL_H
#define WL_PTX_COST_COST_INTERNAL_H

#include "ptx/cost/cost.h"
#include "ptx/module/contraction.h"

/* The high half that all definitions of a 64-bit register produce. */
typedef enum wl_high_kind { WL_HIGH_NONE, WL_HIGH_CONSTANT, WL_HIGH_VARIES } wl_high_kind;
typedef struct wl_high_half {
    wl_high_kind kind;
    int64_t value;
} wl_high_half;

typedef struct wl_weigher {
    const wl_ptx_costs *costs;
    const wl_ptx_module *module;
    const wl_ptx_function *function; /* narrow */
    wl_ptx_function narrow;
    wl_ptx_def_use def_use;
    double *weight;
    wl_ptx_split *split;
    uint8_t *multiplies;             /* by instruction: see wl_ptx_counting */
    bool *folded;                    /* by instruction: folded into what reads it */
    bool *kept;                      /* by instruction: a copy of what a loop overwrites */
    wl_ptx_contraction *contraction; /* by instruction: the same of floating-point products */
    bool *divided;                   /* by register: an earlier instruction divides by it */
    wl_high_half *high;              /* by register: the high half of its 64-bit values */
    int32_t *branch;                 /* by instruction: the branch that guards it; -1: none */
    int32_t *unrolled;               /* by instruction: see wl_ptx_counting */
    int32_t *repeated;
} wl_weigher;

bool wl_cost_has_one_definition(const wl_weigher *w, const wl_ptx_instruction *in);
bool wl_cost_is_sum(const wl_ptx_instruction *in);
bool wl_cost_is_logic(const wl_ptx_instruction *in);
/* Whether the operand is a constant. */
bool wl_cost_by_number(const wl_ptx_instruction *in, int which);
/* A double whose low half is not zero does not fit into an immediate. */
bool wl_cost_is_long_number(wl_ptx_type type, int64_t bits);

/* cost_copies.c: of a mov; and what sets w->kept. Both need the uses of definitions. */
double wl_cost_of_copy(const wl_weigher *w, const wl_ptx_instruction *in);
wl_status wl_cost_find_kept_copies(wl_weigher *w, wl_arena *scratch, wl_error *err);
/* cost_logic.c: sets w->folded. Needs the uses of definitions. */
wl_status wl_cost_fold_logic(wl_weigher *w, wl_arena *scratch, wl_error *err);

/* cost_halves.c. Needs nothing; sets w->high. */
wl_status wl_cost_narrow(const wl_ptx_function *function, wl_arena *arena, wl_ptx_function *out, wl_error *err);
void wl_cost_find_high_halves(wl_weigher *w);

/* Branches and loops. Needs the weights of single instructions. */
void wl_cost_weigh_flow(wl_weigher *w);
/* cost_operands.c: what parameters, constants and the like add. Needs the branches. */
wl_status wl_cost_charge_operands(wl_weigher *w, wl_arena *arena, wl_error *err);
/* Charges the instruction, or a copy or integer instruction near it in the same basic block. */
void wl_cost_charge(wl_weigher *w, int32_t at, double cost);
/* Sets w->branch. Needs the weights. */
void wl_cost_find_predicated(wl_weigher *w);

#endif /* WL_PTX_COST_COST_INTERNAL_H */
