/* cost.h - weights: how many machine instructions each PTX instruction of a function becomes.
 *
 * PTX is not machine code. Copies and parameter reads disappear, addresses are folded into
 * loads, divisions become sequences. A weight estimates this for one instruction in the context
 * of its neighbours. The rules are code; their numbers are the table of an architecture.
 * Layer  ptx/cost (uses base, ptx/module). Oracle: measured counts, tests/unit/test_ptx_cost.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_H
#define WL_PTX_COST_COST_H

#include "ptx/cost/cost_table.h"

/* weight[i]: machine instructions of instruction i.
 * counted_as[i]: the instruction whose execution count applies to i. It is i itself, or the
 * branch around i where the assembler predicates the body instead of branching: all active lanes
 * then issue i, and the lanes that take the branch are predicated off. May be NULL. */
wl_status wl_ptx_weigh(const wl_ptx_costs *costs, const wl_ptx_module *module, const wl_ptx_function *function,
                       wl_arena *arena, const double **weight, const int32_t **counted_as, wl_error *err);

#endif /* WL_PTX_COST_COST_H */
