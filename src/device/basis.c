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
    [WL_OF_L2_SIZE] = {"l2_size", WL_DEVICE_l2_size, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_L2_PART] = {"l2_size / l2_partitions", WL_DEVICE_l2_size, NO_KEY, WL_DEVICE_l2_partitions, NO_KEY},
    [WL_OF_L2_BANDWIDTH] = {"l2_bandwidth", WL_DEVICE_l2_bandwidth, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_L2_READS] = {"l2_read_bandwidth", WL_DEVICE_l2_read_bandwidth, NO_KEY, NO_KEY, WL_DEVICE_l2_bandwidth},
    [WL_OF_L2_LATENCY] = {"l2_latency", WL_DEVICE_l2_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_PEAK] = {"dram_bandwidth_peak", WL_DEVICE_dram_bandwidth_peak, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_BANDWIDTH] = {"dram_bandwidth", WL_DEVICE_dram_bandwidth, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_DRAM_LATENCY] = {"dram_latency", WL_DEVICE_dram_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_FP32_LATENCY] = {"fp32_latency", WL_DEVICE_fp32_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_SFU_LATENCY] = {"sfu_latency", WL_DEVICE_sfu_latency, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_INT32_RATE] = {"int32_rate", WL_DEVICE_int32_rate, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_SFU_RATE] = {"sfu_rate", WL_DEVICE_sfu_rate, NO_KEY, NO_KEY, NO_KEY},
    [WL_OF_LAUNCH_OVERHEAD] = {"launch_overhead", WL_DEVICE_launch_overhead, NO_KEY, NO_KEY, NO_KEY},
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

/* Sizes and counts stay whole. */
static void scale(wl_device_entry *e, wl_device_key key, double ratio)
{
    const wl_dimension dimension = wl_device_keys[key].dimension;
    const bool whole = dimension == WL_DIM_BYTES || dimension == WL_DIM_COUNT;
    for (size_t i = 0; i < e->count; i++)
        e->values[i] = whole ? round(e->values[i] * ratio) : e->values[i] * ratio;
}

/* Adds a key behind those that it is a share of; the number of keys then. */
static size_t add_in_order(wl_device_key key, bool *added, wl_device_key *order, size_t count)
{
    if (key == NO_KEY || added[key])
        return count;
    const struct basis *b = &bases[wl_device_keys[key].of];
    const wl_device_key before[] = {b->key, b->times, b->over, b->otherwise};
    added[key] = true;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        count = add_in_order(before[i], added, order, count);
    order[count] = key;
    return count + 1;
}

/* All keys, each behind those that it is a share of. */
static void find_order(wl_device_key order[WL_DEVICE_KEY_COUNT])
{
    bool added[WL_DEVICE_KEY_COUNT] = {false};
    size_t count = 0;
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        count = add_in_order((wl_device_key)k, added, order, count);
}

void wl_basis_lead(wl_device *device, wl_device_key changed, const wl_device_entry *before)
{
    wl_device_entry *peak = &device->entries[WL_DEVICE_dram_bandwidth_peak];
    const double was = value_of(before, changed), is = value_of(device->entries, changed);
    if (changed != WL_DEVICE_dram_bandwidth || !(was > 0 && is > 0) || wl_entry_is_set(peak))
        return;
    scale(peak, WL_DEVICE_dram_bandwidth_peak, is / was);
    peak->moved = true;
}

void wl_basis_follow(wl_device *device, wl_device_key changed, const wl_device_entry *before)
{
    wl_device_key order[WL_DEVICE_KEY_COUNT];
    find_order(order);
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        const wl_device_key key = order[i];
        const wl_basis of = wl_device_keys[key].of;
        wl_device_entry *e = &device->entries[key];
        /* a data sheet's bandwidth stands for what kernels reach of it */
        const bool follows = wl_device_keys[key].role != WL_ROLE_PRIMARY || of == WL_OF_DRAM_PEAK;
        const double then = basis_of(before, of), now = basis_of(device->entries, of);
        if (key == changed || !follows || wl_entry_is_set(e) || !(then > 0 && now > 0) || then == now)
            continue;
        scale(e, key, now / then);
        e->moved = true;
    }
}

/* Known, and 0: its shares are, too. */
static bool is_nought(const wl_device *device, wl_basis basis)
{
    const wl_device_key key = bases[basis].key;
    return key != NO_KEY && device->entries[key].count > 0 && device->entries[key].values[0] == 0;
}

bool wl_basis_resolve(wl_device *device, const bool shares[WL_DEVICE_KEY_COUNT], wl_device_key *missing)
{
    wl_device_key order[WL_DEVICE_KEY_COUNT];
    find_order(order);
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        const wl_device_key key = order[i];
        const double basis = wl_basis_value(device, wl_device_keys[key].of);
        wl_device_entry *e = &device->entries[key];
        if (!shares[key])
            continue;
        if (basis > 0 || is_nought(device, wl_device_keys[key].of))
            scale(e, key, basis);
        else if (e->from) /* a law of others about something that this device does not have */
            e->count = 0;
        else if (e->count) {
            *missing = key;
            return false;
        }
    }
    return true;
}
