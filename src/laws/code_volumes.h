/* code_volumes.h - L2 traffic of machine code that the instruction caches do not hold.
 *
 * Long kernels, as those whose loops are written out, do not fit into the instruction cache of a
 * multiprocessor. Every block walks through all of the code, so what a walk evicts is fetched
 * again.
 *
 * Layer  laws (uses device). Units: bytes per launch.
 * Maths  docs/model.md, "Machine code". Oracle: tests/unit/test_code_volumes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_CODE_VOLUMES_H
#define WL_LAWS_CODE_VOLUMES_H

#include "laws/volumes.h"

/* Share of a loop's lines that miss a cache with random replacement, `size` times as large as the
 * cache: the m with 1 - m = exp(-m size), for m of them replace others between two uses. 0 up to
 * 1. */
double wl_code_missing(double size);

/* Sets the volume of code, and adds its requests: `instructions` are those that the machine code
 * consists of. */
void wl_code_volumes(double instructions, double blocks, const wl_device *device, wl_volumes *out);

#endif /* WL_LAWS_CODE_VOLUMES_H */
