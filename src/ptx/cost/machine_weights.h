/* machine_weights.h - the same as cost.h, read from machine code instead of guessed.
 *
 * Layer  ptx/cost (uses base, machine, ptx/module). Oracle: measured counts,
 * tests/unit/test_machine_weights.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_MACHINE_WEIGHTS_H
#define WL_PTX_COST_MACHINE_WEIGHTS_H

#include "machine/machine_code.h"
#include "ptx/cost/cost.h"

/* Replaces weights and counting of an entry by what its machine code says. They are those of
 * wl_ptx_weigh, and stay for sequences that branch (a division, a loop of compare-and-swap).
 * *spills: whether registers do not fit. *why: what does not match, and nothing is replaced; NULL:
 * all does. */
wl_status wl_ptx_weigh_machine_code(const wl_machine_kernel *code, const wl_ptx_function *function, wl_arena *arena,
                                    const double **weight, wl_ptx_counting *counting, bool *spills, const char **why,
                                    wl_error *err);

#endif /* WL_PTX_COST_MACHINE_WEIGHTS_H */
