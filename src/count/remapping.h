/* remapping.h - what it takes a thread to find its cell, or its block, in the order of a schedule.
 *
 * Threads of a plain launch have their coordinates from threadIdx and blockIdx. In another order
 * they compute them from their number, as the function that 'warpline emit' prints does. Its
 * divisions are by numbers that only the launch knows.
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

/* Does another order than linear visit the domain, or the grid, as linear does? */
bool wl_remapping_is_idle(const wl_kernel *kernel, const wl_geometry *launched);

/* Adds so many instructions of every thread with work; what is not known stays so. */
void wl_remapping_add(const wl_geometry *launched, int warp_size, double instructions, wl_executed *out);

#endif /* WL_COUNT_REMAPPING_H */
