/* numbers.c - see numbers.h. SPDX-License-Identifier: MIT */
#include "fit/numbers.h"

#include "device/device_internal.h"

#define ONE(target, name)                                                                                              \
    {                                                                                                                  \
        WL_FIT_##target, WL_DEVICE_##name, 0, 0                                                                        \
    }
#define LIST(target, name, i)                                                                                          \
    {                                                                                                                  \
        WL_FIT_##target, WL_DEVICE_##name, i, 0                                                                        \
    }
#define IF_SHOWN(target, name, i, start)                                                                               \
    {                                                                                                                  \
        WL_FIT_##target, WL_DEVICE_##name, i, start                                                                    \
    }

const wl_fit_spec wl_fit_specs[] = {
    LIST(L1_WAVEFRONTS, l1_warp_extra, 0),
    LIST(L1_WAVEFRONTS, l1_warp_extra, 1),
    LIST(L1_WAVEFRONTS, l1_warp_extra, 2),
    LIST(L1_WAVEFRONTS, l1_store_split, 0),
    LIST(L2_LOADS, l1_reload_curve, 0),
    LIST(L2_LOADS, l1_reload_curve, 1),
    LIST(L2_LOADS, l1_reload_curve, 2),
    ONE(L2_LOADS, l2_merge),
    LIST(L2_STORES, store_combine, 0),
    LIST(L2_STORES, store_combine, 1),
    LIST(L2_STORES, store_combine_warps, 0),
    LIST(L2_STORES, store_combine_warps, 1),
    ONE(DRAM_LOADS, l2_reuse_room),
    ONE(DRAM_LOADS, l2_reuse_steepness),
    ONE(DRAM_LOADS, l2_partial_room),
    LIST(DRAM_STORES, l2_dirty_rest, 0),
    LIST(DRAM_STORES, l2_dirty_rest, 1),
    ONE(TIME, block_turnover),
    ONE(TIME, dram_wait_write),
    ONE(TIME, overlap_growth),
    ONE(TIME, bound_norm),
    ONE(TIME, l2_unit_bandwidth),
    ONE(TIME, l2_write_cost),
    ONE(TIME, dram_request_overhead),
    ONE(TIME, dram_region_loss),
    /* only for launches whose blocks change parts of the same lines */
    IF_SHOWN(TIME, in_place_wait, 0, 0.3),
    IF_SHOWN(TIME, in_place_wait, 1, 0.3),
};
const size_t wl_fit_spec_count = sizeof wl_fit_specs / sizeof wl_fit_specs[0];

/* The start values matter little: numbers that launches determine move away from them, the others
 * stay. These are typical, rounded values. */
#define TYPICAL_L2_LATENCY 280   /* cycles */
#define TYPICAL_DRAM_LATENCY 700 /* cycles */
#define TYPICAL_L2_BANDWIDTH 5e12

double wl_fit_start(const wl_device *d, const wl_fit_spec *spec)
{
    if (spec->if_shown > 0)
        return spec->if_shown;
    const double room = wl_device_or(d, WL_DEVICE_l2_size, 0) / wl_device_or(d, WL_DEVICE_l2_partitions, 1);
    const double l2 = wl_device_or(d, WL_DEVICE_l2_latency, TYPICAL_L2_LATENCY),
                 beyond = wl_device_or(d, WL_DEVICE_dram_latency, TYPICAL_DRAM_LATENCY) - l2;
    switch (spec->key) {
    case WL_DEVICE_l1_warp_extra: return (const double[]){5, 5, 3}[spec->index];
    case WL_DEVICE_l1_store_split: return 0.5;
    case WL_DEVICE_l1_reload_curve: return (const double[]){0.5, 20, 2.5}[spec->index];
    case WL_DEVICE_l2_merge: return 0.05;
    case WL_DEVICE_store_combine: return (const double[]){0.9, 0.3}[spec->index];
    case WL_DEVICE_store_combine_warps: return (const double[]){0.1, 0.3}[spec->index];
    case WL_DEVICE_l2_reuse_room: return room;
    case WL_DEVICE_l2_reuse_steepness: return 6;
    case WL_DEVICE_l2_partial_room: return room / 2;
    case WL_DEVICE_l2_dirty_rest: return (const double[]){0.8 * room, room}[spec->index];
    case WL_DEVICE_block_turnover: return l2;
    case WL_DEVICE_dram_wait_write: return beyond;
    case WL_DEVICE_l2_unit_bandwidth: return 1.2 * wl_device_or(d, WL_DEVICE_l2_bandwidth, TYPICAL_L2_BANDWIDTH);
    case WL_DEVICE_l2_write_cost: return 1.5;
    case WL_DEVICE_overlap_growth: return 0.25;
    case WL_DEVICE_bound_norm: return 4;
    case WL_DEVICE_dram_request_overhead: return 16;
    case WL_DEVICE_dram_region_loss: return 0.005;
    default: return wl_device_or(d, spec->key, 1);
    }
}
