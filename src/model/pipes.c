/* pipes.c - see pipes.h. SPDX-License-Identifier: MIT */
#include "model/pipes.h"

#include <math.h>

#include "device/device_internal.h"

/* Conversions that do not run on the pipe of their class, and their rates; 0: they do. */
typedef struct elsewhere {
    double from_int, from_int_rate; /* with the special functions */
    double wide, wide_rate;         /* on a pipe of their own */
    double halves;                  /* with f32, in addition: as slow as integers */
} elsewhere;

/* From this compute capability on, compilers convert integers to f32 on the integer pipe (I2FP);
 * GPUs without one, of another maker, are taken to do so, too. */
#define INTEGERS_FROM 86

static double from_int_rate(const wl_device *device, double integer, double special)
{
    const int capability = wl_device_capability(device);
    return capability == 0 || capability >= INTEGERS_FROM ? integer : special;
}

static elsewhere conversions(const wl_mix *mix, const wl_device *device)
{
    const double integer = wl_device_or(device, WL_DEVICE_int32_rate, 0),
                 special = wl_device_or(device, WL_DEVICE_sfu_rate, 0);
    elsewhere e = {.from_int_rate = from_int_rate(device, integer, special),
                   .wide_rate = fmin(special, wl_device_or(device, WL_DEVICE_fp64_rate, special))};
    e.from_int = e.from_int_rate < integer ? mix->converts[WL_CONVERT_INT] : 0;
    e.wide = e.wide_rate < special ? mix->converts[WL_CONVERT_WIDE] : 0;
    const double f32 = wl_device_or(device, WL_DEVICE_fp32_rate, 0);
    e.halves = integer > 0 ? fmax(0, f32 / integer - 1) * mix->converts[WL_CONVERT_HALF] : 0;
    return e;
}

/* Of all pipes but that of special functions, and of that one. */
typedef struct arithmetic {
    double others, special;
} arithmetic;

static arithmetic arithmetic_of(const wl_mix *mix, const wl_device *device)
{
    static const struct {
        wl_inst_class of;
        wl_device_key rate;
        double results; /* per lane: packed halves count in pairs */
    } pipes[] = {{WL_INST_fp64, WL_DEVICE_fp64_rate, 1},
                 {WL_INST_fp32, WL_DEVICE_fp32_rate, 1},
                 {WL_INST_fp16, WL_DEVICE_fp16_rate, 2},
                 {WL_INST_special, WL_DEVICE_sfu_rate, 1}};
    const elsewhere moved = conversions(mix, device);
    const double lanes = wl_device_or(device, WL_DEVICE_warp_size, 0);
    arithmetic cycles = {.others = moved.wide > 0 ? moved.wide * lanes / moved.wide_rate : 0};
    double rate = 0;
    for (size_t i = 0; i < sizeof pipes / sizeof pipes[0]; i++) {
        if (!wl_device_get(device, pipes[i].rate, &rate))
            continue;
        double pipe = mix->warp[pipes[i].of] * lanes * pipes[i].results / rate;
        if (pipes[i].of == WL_INST_fp32)
            pipe += moved.halves * lanes / rate;
        if (pipes[i].of == WL_INST_special && moved.wide > 0)
            pipe = fmax(0, mix->warp[WL_INST_special] - moved.wide) * lanes / rate;
        if (pipes[i].of == WL_INST_special && moved.from_int > 0)
            pipe += moved.from_int * lanes / moved.from_int_rate;
        double *const of = pipes[i].of == WL_INST_special ? &cycles.special : &cycles.others;
        *of = fmax(*of, pipe);
    }
    return cycles;
}

double wl_arithmetic_cycles(const wl_mix *mix, const wl_device *device)
{
    const arithmetic cycles = arithmetic_of(mix, device);
    return fmax(cycles.others, cycles.special);
}

double wl_special_excess(const wl_mix *mix, const wl_device *device)
{
    const arithmetic cycles = arithmetic_of(mix, device);
    return cycles.special > cycles.others ? 1 - cycles.others / cycles.special : 0;
}

double wl_integer_cycles(const wl_mix *mix, const wl_device *device)
{
    const double rate = wl_device_or(device, WL_DEVICE_int32_rate, 0),
                 lanes = wl_device_or(device, WL_DEVICE_warp_size, 0);
    const double left = mix->integer_pipe - conversions(mix, device).from_int;
    return rate > 0 ? fmax(0, left) * lanes / rate : 0;
}
