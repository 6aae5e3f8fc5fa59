/* code_volumes.h - L2 traffic of machine code that the instruction caches do not hold.
 *
 * Long kernels, such as those with unrolled loops, do not fit into the instruction cache of a
 * multiprocessor. Every block executes all of the code, and evicted lines are fetched again.
 *
 * Layer  laws (uses device). Units: bytes per launch.
 * Maths  docs/model.md, "Machine code". Oracle: tests/unit/test_code_volumes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_CODE_VOLUMES_H
#define WL_LAWS_CODE_VOLUMES_H

#include "laws/volumes.h"

/* Miss rate of a loop over lines that take `size` times the capacity of a cache with random
 * replacement: the m with 1 - m = exp(-m size), since a share m of the lines replaces others
 * between two uses of a line. 0 if they fit. */
double wl_code_missing(double size);

/* Sets the volume of code, and adds its requests: `instructions` is the length of the machine
 * code. */
void wl_code_volumes(double instructions, double blocks, const wl_device *device, wl_volumes *out);

#endif /* WL_LAWS_CODE_VOLUMES_H */
