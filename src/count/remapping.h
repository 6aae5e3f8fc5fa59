/* remapping.h - the instructions with which a thread computes its cell, or its block, under a
 * schedule.
 *
 * In a plain launch, threads get their coordinates from threadIdx and blockIdx. Under a schedule
 * they compute them from their number, with the function that 'warpline emit' prints. It divides by
 * numbers that are known only at launch.
 *
 * Layer  count (uses launch). Units: instructions.
 * Oracle  tests/unit/test_remapping.c, against the machine code of that function
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_REMAPPING_H
#define WL_COUNT_REMAPPING_H

#include "count/executed.h"

/* Instructions per thread; `division` is what an integer division takes. 0: the launch is a plain
 * one. */
double wl_remapping_instructions(const wl_kernel *kernel, const wl_geometry *launched, double division);

/* Does a schedule other than linear visit the domain, or the grid, in linear order? */
bool wl_remapping_is_idle(const wl_kernel *kernel, const wl_geometry *launched);

/* Adds so many instructions to every thread with work; unknown counts stay unknown. */
void wl_remapping_add(const wl_geometry *launched, int warp_size, double instructions, wl_executed *out);

#endif /* WL_COUNT_REMAPPING_H */
