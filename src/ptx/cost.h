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

#endif /* WL_PTX_COST_H */
