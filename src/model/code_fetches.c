/* code_fetches.c - see code_fetches.h. SPDX-License-Identifier: MIT */
#include "model/code_fetches.h"

#include <math.h>

#include "device/device_internal.h"
#include "laws/code_volumes.h"
#include "laws/l1_law.h"
#include "model/pipes.h"

static double per_cycle(double count, const wl_device *device, wl_device_key rate_key)
{
    double rate = 0;
    return wl_device_get(device, rate_key, &rate) && rate > 0 ? count / rate : 0;
}

/* Cycles of the busiest of the pipes that code of this length keeps busy. */
static double busiest(const wl_counts *c, const wl_device *device, const wl_volumes *volumes)
{
    wl_l1_numbers numbers;
    wl_l1_numbers_read(device, &numbers);
    numbers.repeats = wl_l1_repeats_that_hit(&numbers, volumes->l1_miss_rate);
    const wl_l1_wavefronts w = wl_l1_law(&c->l1, &numbers);
    const double l1 = w.loads + w.stores + w.load_store + c->l1.shared;
    return fmax(wl_arithmetic_cycles(&c->executed.mix, device),
                fmax(per_cycle(l1, device, WL_DEVICE_l1_wavefront_rate),
                     per_cycle(c->executed.warp, device, WL_DEVICE_issue_rate)));
}

void wl_code_fetches(const wl_counts *c, const wl_device *device, const wl_prediction *launched, wl_volumes *volumes)
{
    wl_code_run run = {.instructions = c->executed.mix.code, .blocks = (double)c->launched.blocks};
    if (c->executed.known && c->executed.warp > 0) {
        run.block_warps =
            ceil((double)launched->threads_per_block / (double)wl_device_int(device, WL_DEVICE_warp_size));
        run.resident_warps = run.block_warps * (double)launched->occupancy.blocks_per_sm;
        run.busy = busiest(c, device, volumes) / c->executed.warp;
    }
    wl_code_volumes(&run, device, volumes);
}
