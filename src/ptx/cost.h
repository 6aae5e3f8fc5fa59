/* cost.h - how many machine instructions the instructions of a function become.
 *
 * PTX is not machine code: copies and reads of parameters disappear, an address is folded into its load, a division
 * becomes a sequence. The weights estimate that, instruction by instruction, with its neighbours in view.
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_H
#define WL_PTX_COST_H

#include "ptx/module.h"

/* weight[i]: machine instructions that instruction i of the function stands for. */
wl_status wl_ptx_weigh(const wl_ptx_module *module, const wl_ptx_function *function, wl_arena *arena,
                       const double **weight, wl_error *err);

/* counted_as[i]: the instruction as often as which those are executed: i itself, or the branch that jumps over i where
 * machine code has no such branch and executes what it jumps over under a predicate. Then all lanes that come to the
 * branch are active, and those that it takes are off. */
wl_status wl_ptx_counted_as(const wl_ptx_module *module, const wl_ptx_function *function, wl_arena *arena,
                            const int32_t **counted_as, wl_error *err);

#endif /* WL_PTX_COST_H */
