/* basis.c - see basis.h.
 * SPDX-License-Identifier: MIT */
#include "device/basis.h"

#include <math.h>
#include <string.h>

#define NO_KEY WL_DEVICE_KEY_COUNT

/* A quantity: a number of the device, or two of them multiplied or divided. `otherwise`: what
 * stands for the number where a device lacks it. */
static const struct basis {
    const char *name;
    wl_device_key key, times, over, otherwise;
} bases[WL_BASES] = {
    [WL_OF_NOTHING] = {"", NO_KEY, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_CLOCK] = {"clock", WL_DEVICE_clock, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_ALL_CYCLES] = {"sm_count * clock", WL_DEVICE_sm_count, WL_DEVICE_clock, NO_KEY, NO_KEY},
    [WL_OF_L1_LATENCY] = {"l1_latency", WL_DEVICE_l1_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_L2_SIZE] = {"l2_size", WL_DEVICE_l2_size, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_L2_PART] = {"l2_size / l2_partitions", WL_DEVICE_l2_size, NO_KEY, WL_DEVICE_l2_partitions, NO_KEY},
    [WL_OF_L2_BANDWIDTH] = {"l2_bandwidth", WL_DEVICE_l2_bandwidth, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_L2_READS] = {"l2_read_bandwidth", WL_DEVICE_l2_read_bandwidth, NO_KEY, NO_KEY, WL_DEVICE_l2_bandwidth},
    [WL_OF_L2_LATENCY] = {"l2_latency", WL_DEVICE_l2_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_PEAK] = {"dram_bandwidth_peak", WL_DEVICE_dram_bandwidth_peak, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_BANDWIDTH] = {"dram_bandwidth", WL_DEVICE_dram_bandwidth, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_LATENCY] = {"dram_latency", WL_DEVICE_dram_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_WAIT] = {"dram_wait_first", WL_DEVICE_dram_wait_first, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_FP32_LATENCY] = {"fp32_latency", WL_DEVICE_fp32_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_SFU_LATENCY] = {"sfu_latency", WL_DEVICE_sfu_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_INT32_RATE] = {"int32_rate", WL_DEVICE_int32_rate, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_SFU_RATE] = {"sfu_rate", WL_DEVICE_sfu_rate, NO_KEY, NO_KEY, NO_KEY},
};

const char *wl_basis_name(wl_basis basis) { return bases[basis].name; }

/* 0: unknown. */
static double value_of(const wl_device_entry *entries, wl_device_key key)
{
    return entries[key].count ? entries[key].values[0] : 0;
}

static double basis_of(const wl_device_entry *entries, wl_basis basis)
{
    const struct basis *b = &bases[basis];
    if (b->key == NO_KEY)
        return 1;
    const double value = value_of(entries, b->key);
    if (!(value > 0) && b->otherwise != NO_KEY)
        return value_of(entries, b->otherwise);
    const double times = b->times == NO_KEY ? 1 : value_of(entries, b->times);
    const double over = b->over == NO_KEY ? 1 : value_of(entries, b->over);
    return over > 0 ? value * times / over : 0;
}

double wl_basis_value(const wl_device *device, wl_basis basis) { return basis_of(device->entries, basis); }

double wl_basis_scaled(wl_device_key key, double share, double basis)
{
    const wl_dimension dimension = wl_device_keys[key].dimension;
    const bool whole = dimension == WL_DIM_BYTES || dimension == WL_DIM_COUNT;
    return whole ? round(share * basis) : share * basis;
}

static bool uses(wl_basis basis, wl_device_key key)
{
    const struct basis *b = &bases[basis];
    return key == b->key || key == b->times || key == b->over || key == b->otherwise;
}

static bool set_by_user(const wl_device_entry *e) { return e->count && strcmp(e->source, WL_SET_BY_USER) == 0; }

static void scale(wl_device_entry *e, wl_device_key key, double ratio)
{
    for (size_t i = 0; i < e->count; i++)
        e->values[i] = wl_basis_scaled(key, e->values[i], ratio);
}

void wl_basis_lead(wl_device *device, wl_device_key changed, const wl_device_entry *before)
{
    wl_device_entry *peak = &device->entries[WL_DEVICE_dram_bandwidth_peak];
    const double was = value_of(before, changed), is = value_of(device->entries, changed);
    if (changed == WL_DEVICE_dram_bandwidth && was > 0 && is > 0 && !set_by_user(peak))
        scale(peak, WL_DEVICE_dram_bandwidth_peak, is / was);
    peak->moved = peak->moved || (changed == WL_DEVICE_dram_bandwidth && !set_by_user(peak));
}

/* The keys in an order in which each comes behind what it is a share of: chains are short, so as
 * many passes as the longest has links do. */
#define LONGEST_CHAIN 4

void wl_basis_follow(wl_device *device, wl_device_key changed, const wl_device_entry *before)
{
    bool moved[WL_DEVICE_KEY_COUNT] = {false};
    moved[changed] = true;
    for (int pass = 0; pass < LONGEST_CHAIN; pass++) {
        for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
            const wl_device_key key = (wl_device_key)k;
            const wl_basis of = wl_device_keys[key].of;
            /* a data sheet's bandwidth stands for what kernels reach of it */
            const bool follows = wl_device_keys[key].role != WL_ROLE_PRIMARY || of == WL_OF_DRAM_PEAK;
            if (moved[key] || of == WL_OF_NOTHING || !follows || set_by_user(&device->entries[key]))
                continue;
            const double then = basis_of(before, of), now = basis_of(device->entries, of);
            if (!(then > 0 && now > 0) || then == now)
                continue;
            scale(&device->entries[key], key, now / then);
            device->entries[key].moved = moved[key] = true;
        }
    }
}

/* Turns one share into a value, after those it depends on. */
static bool resolve(wl_device *device, bool *open, wl_device_key key, wl_device_key *missing)
{
    const wl_basis of = wl_device_keys[key].of;
    if (!open[key])
        return true;
    open[key] = false;
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (uses(of, (wl_device_key)k) && !resolve(device, open, (wl_device_key)k, missing))
            return false;
    const double basis = wl_basis_value(device, of);
    wl_device_entry *e = &device->entries[key];
    if (basis > 0)
        scale(e, key, basis);
    else if (e->from) /* a law of others about something that this device does not have */
        e->count = 0;
    else if (e->count) {
        *missing = key;
        return false;
    }
    return true;
}

bool wl_basis_resolve(wl_device *device, const bool shares[WL_DEVICE_KEY_COUNT], wl_device_key *missing)
{
    bool open[WL_DEVICE_KEY_COUNT];
    memcpy(open, shares, sizeof open);
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (!resolve(device, open, (wl_device_key)k, missing))
            return false;
    return true;
}
