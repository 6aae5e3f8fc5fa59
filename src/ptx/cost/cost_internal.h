/* cost_internal.h - what the parts of cost.c share: cost.c single instructions and their neighbours, cost_flow.c
 * branches, loops and what is made once. Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_INTERNAL_H
#define WL_PTX_COST_COST_INTERNAL_H

#include "ptx/cost/cost.h"
#include "ptx/module/def_use.h"

typedef struct wl_weigher {
    const wl_ptx_costs *costs;
    const wl_ptx_module *module;
    const wl_ptx_function *function;
    wl_ptx_def_use def_use;
    double *weight;
    bool *folded;    /* instruction: is part of the sum that reads it */
    bool *divided;   /* register: so far, something was divided by it */
    int32_t *branch; /* instruction: the branch under whose predicate it is executed; -1: none */
} wl_weigher;

bool wl_cost_has_one_definition(const wl_weigher *w, const wl_ptx_instruction *in);
bool wl_cost_is_sum(const wl_ptx_instruction *in);
/* The operand is a number. */
bool wl_cost_by_number(const wl_ptx_instruction *in, int which);
/* Doubles whose lower half is not zero do not fit into an instruction. */
bool wl_cost_is_long_number(wl_ptx_type type, int64_t bits);

/* Branches, loops, and what is added for parameters, constants and the like; the weights of the rest are there. */
void wl_cost_weigh_flow(wl_weigher *w);
/* Sets w->branch; weights are there. */
void wl_cost_find_predicated(wl_weigher *w);

#endif /* WL_PTX_COST_COST_INTERNAL_H */
