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
    const wl_l1_wavefronts w = wl_l1_law_on(&c->l1, device, volumes->l1_miss_rate);
    const double l1 = w.loads + w.stores + w.load_store + c->l1.shared;
    return fmax(wl_arithmetic_cycles(&c->executed.mix, device),
                fmax(per_cycle(l1, device, WL_DEVICE_l1_wavefront_rate),
                     per_cycle(c->executed.warp, device, WL_DEVICE_issue_rate)));
}

void wl_code_fetches(const wl_counts *c, const wl_device *device, const wl_prediction *launched, wl_volumes *volumes)
{
    wl_code_run run = {.instructions = c->executed.mix.code, .blocks = (double)c->launched.blocks};
    if (wl_code_beyond(run.instructions, device) > 0 && c->executed.known && c->executed.warp > 0) {
        run.resident_warps = (double)launched->occupancy.warps_per_sm;
        run.block_warps = run.resident_warps / (double)launched->occupancy.blocks_per_sm;
        run.busy = busiest(c, device, volumes) / c->executed.warp;
    }
    wl_code_volumes(&run, device, volumes);
}
