/* ceilings.c - the peaks of a device. SPDX-License-Identifier: MIT */
#include <math.h>

#include "device/device_internal.h"
#include "metrics/rates.h"
#include "roofline/roofline_internal.h"

const char *wl_level_name(wl_level level)
{
    static const char *const names[WL_LEVEL_COUNT] = {"L1", "L2", "DRAM", "shared"};
    return names[level];
}

static const struct {
    const char *name;
    wl_device_key key;
    double flops; /* per result of the key */
} pipes[WL_PIPE_COUNT] = {[WL_PIPE_F16] = {"f16", WL_DEVICE_fp16_rate, 2},
                          [WL_PIPE_F32] = {"f32", WL_DEVICE_fp32_rate, 2},
                          [WL_PIPE_F64] = {"f64", WL_DEVICE_fp64_rate, 2},
                          [WL_PIPE_TENSOR_F16] = {"tensor f16", WL_DEVICE_tensor_f16_rate, 1},
                          [WL_PIPE_TENSOR_TF32] = {"tensor tf32", WL_DEVICE_tensor_tf32_rate, 1},
                          [WL_PIPE_TENSOR_I8] = {"tensor i8", WL_DEVICE_tensor_i8_rate, 1},
                          [WL_PIPE_TENSOR_F64] = {"tensor f64", WL_DEVICE_tensor_f64_rate, 1},
                          [WL_PIPE_ISSUE] = {"issue", WL_DEVICE_issue_rate, 1},
                          [WL_PIPE_TENSOR_INSTRUCTION] = {"tensor instructions", WL_DEVICE_tensor_f16_rate, 1}};

const char *wl_pipe_name(wl_pipe pipe) { return pipes[pipe].name; }

wl_device_key wl_level_key(wl_level level)
{
    return level == WL_LEVEL_L2     ? WL_DEVICE_l2_bandwidth
           : level == WL_LEVEL_DRAM ? WL_DEVICE_dram_bandwidth
                                    : WL_DEVICE_l1_bandwidth;
}

wl_device_key wl_pipe_key(wl_pipe pipe)
{
    return pipe == WL_PIPE_TENSOR_INSTRUCTION ? WL_DEVICE_tensor_instruction_flops : pipes[pipe].key;
}

/* The measured bandwidth, else what the banks deliver per cycle. Shared memory that is not part of
 * the L1 serves one pass per cycle. */
static void read_l1(const wl_device *device, double sm_cycles, wl_ceilings *out)
{
    const double wavefront = wl_device_or(device, WL_DEVICE_l1_banks, 0) * WL_BANK_WORD;
    const double all = sm_cycles * wl_device_or(device, WL_DEVICE_l1_wavefront_rate, 0) * wavefront;
    out->bandwidth[WL_LEVEL_L1] = wl_device_or(device, WL_DEVICE_l1_bandwidth, all);
    out->pass_bytes = WL_SHARED_BANKS * WL_BANK_WORD;
    out->shared_in_l1 = wl_device_list_length(device, WL_DEVICE_shared_carveouts) > 0;
    out->bandwidth[WL_LEVEL_SHARED] = out->shared_in_l1 ? out->bandwidth[WL_LEVEL_L1] : sm_cycles * out->pass_bytes;
}

/* A result per lane and latency: the next instruction waits for the one before it. */
static void read_alone(const wl_device *device, double sm_cycles, wl_ceilings *out)
{
    static const struct {
        wl_pipe pipe;
        wl_device_key latency;
    } waits[] = {{WL_PIPE_F16, WL_DEVICE_fp32_latency},
                 {WL_PIPE_F32, WL_DEVICE_fp32_latency},
                 {WL_PIPE_F64, WL_DEVICE_fp64_latency}};
    const double lanes = sm_cycles * wl_device_or(device, WL_DEVICE_sub_partitions, 0) * out->lanes;
    const double load = wl_device_or(device, WL_DEVICE_dram_latency, 0);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        const double wait = wl_device_or(device, waits[i].latency, 0), flops = pipes[waits[i].pipe].flops / 2;
        if (wait > 0)
            out->alone[waits[i].pipe] = fmin(lanes * flops / wait, out->peak[waits[i].pipe] / 2);
    }
    if (load > 0)
        out->alone_dram = lanes / load;
}

void wl_ceilings_read(const wl_device *device, wl_ceilings *out)
{
    const double sm_cycles = wl_device_or(device, WL_DEVICE_sm_count, 0) * wl_device_or(device, WL_DEVICE_clock, 0);
    const double flops = wl_device_or(device, WL_DEVICE_tensor_instruction_flops, 0);
    *out = (wl_ceilings){.lanes = wl_device_or(device, WL_DEVICE_warp_size, 1),
                         .sector = wl_device_or(device, WL_DEVICE_l1_sector, WL_TRANSACTION),
                         .data_sheet = wl_device_or(device, WL_DEVICE_dram_bandwidth_peak, 0)};
    read_l1(device, sm_cycles, out);
    out->bandwidth[WL_LEVEL_L2] =
        wl_device_or(device, WL_DEVICE_l2_read_bandwidth, wl_device_or(device, WL_DEVICE_l2_bandwidth, 0));
    out->bandwidth[WL_LEVEL_DRAM] = wl_device_or(device, WL_DEVICE_dram_bandwidth, 0);
    for (int p = 0; p < WL_PIPE_TENSOR_INSTRUCTION; p++)
        out->peak[p] = wl_device_or(device, pipes[p].key, 0) * pipes[p].flops * sm_cycles;
    if (out->peak[WL_PIPE_ISSUE] == 0) /* one instruction per scheduler and cycle */
        out->peak[WL_PIPE_ISSUE] = wl_device_or(device, WL_DEVICE_sub_partitions, 0) * sm_cycles;
    out->peak[WL_PIPE_TENSOR_INSTRUCTION] = flops > 0 ? out->peak[WL_PIPE_TENSOR_F16] / flops : 0;
    read_alone(device, sm_cycles, out);
}
