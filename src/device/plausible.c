/* plausible.c - refuses numbers that no GPU has: they were meant in another unit.
 *
 * Ranges are wide enough for past, future and simulated machines. A wrong unit (bytes for MiB, B/s
 * for GB/s) is off by a factor of a thousand or more.
 *
 * Layer  device (uses base). Oracle: tests/unit/test_plausible.c.
 * SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "device/device_internal.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

typedef struct range {
    double least, most; /* 0, 0: any */
} range;

/* What holds for every key of a dimension. Counts and ratios have no common range. */
static const range of_dimension[] = {
    [WL_DIM_FREQUENCY] = {50e6, 10e9},
    [WL_DIM_BANDWIDTH] = {1e9, 1e15},
    [WL_DIM_CYCLES] = {0.01, 100000},
    [WL_DIM_TIME] = {1e-9, 1},
    [WL_DIM_PER_CYCLE] = {1.0 / 1024, 1e6},
    [WL_DIM_RATE] = {1e3, 1e15},
    [WL_DIM_BYTES] = {0, 8 * KIB *GIB},
    [WL_DIM_COUNT] = {0, 0},
    [WL_DIM_RATIO] = {0, 0},
};

static const struct {
    wl_device_key key;
    range range;
} of_key[] = {
    {WL_DEVICE_l1_size, {KIB, 16 * MIB}},
    {WL_DEVICE_shared_per_sm, {KIB, 16 * MIB}},
    {WL_DEVICE_shared_per_block, {KIB, 16 * MIB}},
    {WL_DEVICE_shared_granularity, {1, 64 * KIB}},
    {WL_DEVICE_shared_reserved, {0, 64 * KIB}},
    {WL_DEVICE_shared_carveouts, {0, 16 * MIB}},
    {WL_DEVICE_l2_size, {KIB, 8 * KIB *GIB}},
    /* a what-if may ask for one that holds everything */ {WL_DEVICE_l2_line, {16, 4 * KIB}},
    {WL_DEVICE_dram_fetch, {16, 4 * KIB}},
    {WL_DEVICE_l1_curve_scale, {KIB, 16 * GIB}},
    {WL_DEVICE_l2_curve_scale, {KIB, 16 * GIB}},
    {WL_DEVICE_launch_overhead, {0, 1}},
    {WL_DEVICE_launch_duration, {0, 1}},
    {WL_DEVICE_l1_latency, {1, 100000}},
    {WL_DEVICE_l2_latency, {1, 100000}},
    {WL_DEVICE_dram_latency, {1, 100000}},
    {WL_DEVICE_max_registers_per_thread, {8, 65536}},
    {WL_DEVICE_max_blocks_per_sm, {1, 4096}},
};

static range range_of(wl_device_key key)
{
    for (size_t i = 0; i < sizeof of_key / sizeof of_key[0]; i++)
        if (of_key[i].key == key)
            return of_key[i].range;
    return of_dimension[wl_device_keys[key].dimension];
}

bool wl_device_range(wl_device_key key, double *least, double *most)
{
    const range r = range_of(key);
    *least = r.least;
    *most = r.most;
    return r.most > 0;
}

static wl_status refuse(const wl_device *device, wl_device_key key, double value, wl_error *err)
{
    const wl_dimension dimension = wl_device_keys[key].dimension;
    const range r = range_of(key);
    return wl_fail(err, WL_E_INPUT, device->entries[key].loc,
                   "%s of %s is not plausible, %s to %s is; is its unit right?", wl_device_keys[key].name,
                   wl_quantity(dimension, value).text, wl_quantity(dimension, r.least).text,
                   wl_quantity(dimension, r.most).text);
}

wl_status wl_device_plausible(const wl_device *device, wl_error *err)
{
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        const wl_device_entry *e = &device->entries[k];
        double least, most;
        /* what follows another number is as plausible as that one */
        if (!wl_device_range(key, &least, &most) || e->moved)
            continue;
        for (size_t i = 0; i < e->count; i++)
            if (!(e->values[i] >= least && e->values[i] <= most))
                return refuse(device, key, e->values[i], err);
    }
    return WL_OK;
}
