/* loop_slide.h - accesses whose addresses slide from thread to thread as a loop goes on.
 *
 * a[random(x + k, n)]: a thread accesses in step k what its neighbour in x accessed in step k - 1.
 * So the first of some neighbours in all steps, and all of them in the last one, give the whole set
 * of addresses.
 *
 * Layer  kernel (uses base). Oracle: tests/unit/test_loop_slide.c evaluates all threads and steps
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_LOOP_SLIDE_H
#define WL_KERNEL_LOOP_SLIDE_H

#include "kernel/program.h"

/* Finds out whether a program slides. The arena holds scratch. False: no memory. */
bool wl_loop_slide_find(wl_program *program, wl_arena *arena);

/* As wl_program_run, but a program that slides is evaluated at each of its addresses once or a few
 * times, not for every thread and step. */
wl_status wl_loop_slide_run(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                            wl_error *err);

#endif /* WL_KERNEL_LOOP_SLIDE_H */
