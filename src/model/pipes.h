/* pipes.h - cycles of a multiprocessor's arithmetic pipes, from instructions by class. Which pipe
 * converts differs from generation to generation; the rates of the device say it.
 *
 * Layer  model (uses kernel, device). Units: cycles, as if one multiprocessor did all the work.
 * Oracle  tests/unit/test_limiter.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_PIPES_H
#define WL_MODEL_PIPES_H

#include "kernel/counted_mix.h"
#include "warpline/device.h"

/* Of the busiest floating-point pipe: f64, f32, f16, special functions, conversions from and to 64
 * bits. */
double wl_arithmetic_cycles(const wl_mix *mix, const wl_device *device);

/* Of the integer pipe: what no other pipe executes. Additions and copies are left out, as compilers
 * spread them over this pipe and the one that multiplies. */
double wl_integer_cycles(const wl_mix *mix, const wl_device *device);

#endif /* WL_MODEL_PIPES_H */
