/* loop_period.h - after how many steps of its innermost loop an access repeats its addresses.
 *
 * (x + k) % 1000 has 1000 different values, however long the loop over k is: 1000 steps give the
 * whole set of addresses.
 *
 * Layer  kernel (uses base). Units: steps. Oracle: tests/unit/test_loop_period.c evaluates all
 * steps
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_LOOP_PERIOD_H
#define WL_KERNEL_LOOP_PERIOD_H

#include "kernel/program.h"

/* Sets the period of a program. The arena holds scratch. False: no memory. */
bool wl_loop_period_find(wl_program *program, wl_arena *arena);

#endif /* WL_KERNEL_LOOP_PERIOD_H */
