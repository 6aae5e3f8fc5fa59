/* code_volumes.h - L2 traffic of machine code that the instruction caches do not hold.
 *
 * Long kernels, such as those with unrolled loops, do not fit into the instruction cache of a
 * multiprocessor. Every block executes all of the code, and evicted lines are fetched again.
 * Multiprocessors that execute the same code at the same time share a fetch.
 *
 * Layer  laws (uses device). Units: bytes per launch.
 * Maths  docs/model.md, "Machine code". Oracle: tests/unit/test_code_volumes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_CODE_VOLUMES_H
#define WL_LAWS_CODE_VOLUMES_H

#include "laws/volumes.h"

/* How a launch executes its machine code. */
typedef struct wl_code_run {
    double instructions; /* length of the code */
    double blocks;
    double block_warps, resident_warps; /* of a block, of a multiprocessor */
    double busy;                        /* cycles of the busiest pipe per warp instruction */
} wl_code_run;

/* Fetches per block, relative to those with a turn of the worst length and warps that the
 * schedulers share equally. */
double wl_code_apart(const wl_code_run *run, double schedulers);

/* Bytes of code beyond the instruction cache, which are fetched again, at most as many as it holds;
 * 0: none, or the device has no such numbers. */
double wl_code_beyond(double instructions, const wl_device *device);

/* Sets the volume of code, and adds its requests. */
void wl_code_volumes(const wl_code_run *run, const wl_device *device, wl_volumes *out);

#endif /* WL_LAWS_CODE_VOLUMES_H */
