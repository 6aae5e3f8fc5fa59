/* pipes.h - cycles of a multiprocessor's arithmetic pipes, from instructions by class. Which pipe
 * executes conversions differs between generations; the device file has their rates.
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

/* By which share the pipe of special functions works longer than every other floating-point pipe;
 * 0: it does not. */
double wl_special_excess(const wl_mix *mix, const wl_device *device);

/* Of the integer pipe: what no other pipe executes. Additions and moves are left out, since
 * compilers distribute them over this pipe and the multiply pipe. */
double wl_integer_cycles(const wl_mix *mix, const wl_device *device);

#endif /* WL_MODEL_PIPES_H */
