/* cost.h - how many machine instructions the instructions of a function become.
 *
 * PTX is not machine code: copies and reads of parameters disappear, an address is folded into its load, a division
 * becomes a sequence. The weights estimate that, instruction by instruction, with its neighbours in view. The rules are
 * here, their numbers in the table of an architecture.
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_H
#define WL_PTX_COST_COST_H

#include "ptx/cost/cost_table.h"

/* weight[i]: machine instructions that instruction i of the function stands for.
 * counted_as[i]: the instruction as often as which they are executed: i itself, or the branch that jumps over i where
 * machine code has no such branch and executes what it jumps over under a predicate (by all active lanes; lanes that
 * the branch takes are off). May be NULL. */
wl_status wl_ptx_weigh(const wl_ptx_costs *costs, const wl_ptx_module *module, const wl_ptx_function *function,
                       wl_arena *arena, const double **weight, const int32_t **counted_as, wl_error *err);

#endif /* WL_PTX_COST_COST_H */
