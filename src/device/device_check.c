/* device_check.c - rejects device numbers that make no sense, alone or together.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"

static wl_status complain(const wl_device *device, wl_device_key key, const char *rule, wl_error *err)
{
    return wl_fail(err, WL_E_INPUT, device->entries[key].loc, "%s %s", wl_device_keys[key].name, rule);
}

static wl_status check_each(const wl_device *device, wl_device_key key, wl_error *err)
{
    const wl_device_entry *e = &device->entries[key];
    const wl_dimension dimension = wl_device_keys[key].dimension;
    const bool whole = dimension == WL_DIM_COUNT || dimension == WL_DIM_BYTES;
    const bool may_be_zero = key == WL_DEVICE_shared_reserved || dimension == WL_DIM_RATIO ||
                             key == WL_DEVICE_shared_carveouts || key == WL_DEVICE_l1_tag_hash ||
                             key == WL_DEVICE_l1_thread_index_wavefronts || key == WL_DEVICE_launch_overhead ||
                             key == WL_DEVICE_launch_duration;
    for (size_t i = 0; i < e->count; i++) {
        const double v = e->values[i];
        if (key == WL_DEVICE_l1_mshr && v == 0)
            return complain(device, key, "must be at least 1: without room for a miss no load would end", err);
        if (!(v >= 0) || v > 1e18 || (v == 0 && !may_be_zero))
            return complain(device, key, "must be a positive number below 1e18", err);
        if (v > 0 && v < 1e-9 && dimension != WL_DIM_RATIO && dimension != WL_DIM_TIME)
            return complain(device, key, "is implausibly small: is its unit right?", err);
        if (whole && v != floor(v))
            return complain(device, key,
                            dimension == WL_DIM_BYTES ? "must be a whole number of bytes" : "must be a whole number",
                            err);
    }
    return WL_OK;
}

static wl_status check_pow2(const wl_device *device, wl_device_key key, wl_error *err)
{
    const wl_device_entry *e = &device->entries[key];
    if (e->count && !wl_is_pow2((int64_t)e->values[0]))
        return complain(device, key, "must be a power of two", err);
    return WL_OK;
}

static wl_status check_ascending(const wl_device *device, wl_device_key key, wl_error *err)
{
    const wl_device_entry *e = &device->entries[key];
    for (size_t i = 1; i < e->count; i++)
        if (e->values[i] <= e->values[i - 1])
            return complain(device, key, "must ascend", err);
    return WL_OK;
}

static wl_status check_order(const wl_device *device, wl_device_key small, wl_device_key large, const char *rule,
                             wl_error *err)
{
    return wl_device_int(device, small) <= wl_device_int(device, large) ? WL_OK : complain(device, small, rule, err);
}

static wl_status check_tag_hash(const wl_device *device, wl_error *err)
{
    const wl_device_entry *hash = &device->entries[WL_DEVICE_l1_tag_hash];
    for (size_t i = 0; i < hash->count; i++)
        if (hash->values[i] >= 16)
            return complain(device, WL_DEVICE_l1_tag_hash, "names a bank above 15", err);
    return WL_OK;
}

/* Factors between predictions: at least 1, in ascending order. */
static wl_status check_factors(const wl_device *device, wl_device_key key, wl_error *err)
{
    const wl_device_entry *e = &device->entries[key];
    if (e->count > WL_TRUST_LEVELS)
        return complain(device, key, "has more values than there are levels (30, 40, .. 90, 95 %)", err);
    for (size_t i = 0; i < e->count; i++) {
        if (!(e->values[i] >= 1))
            return complain(device, key, "must be at least 1", err);
        if (i > 0 && e->values[i] < e->values[i - 1])
            return complain(device, key, "must not descend", err);
    }
    return WL_OK;
}

/* One error, or the range of several. */
static wl_status check_errors(const wl_device *device, wl_error *err)
{
    static const wl_device_key errors[] = {WL_DEVICE_time_error, WL_DEVICE_volume_error};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        const wl_device_entry *e = &device->entries[errors[i]];
        if (e->count > 2 || (e->count == 2 && e->values[1] < e->values[0]))
            return complain(device, errors[i], "must be one error [e], or a range [low, high]", err);
        if (e->count > 0 && e->values[e->count - 1] > 10)
            return complain(device, errors[i], "is relative, so at most 10: 0.25 is 25 %", err);
    }
    return WL_OK;
}

/* No latency is shorter than an issue slot, and none is as long as a launch: a number outside this
 * range was meant in another unit. */
static wl_status check_latencies(const wl_device *device, wl_error *err)
{
    static const wl_device_key latencies[] = {
        WL_DEVICE_fp32_latency,   WL_DEVICE_int32_latency,  WL_DEVICE_fp64_latency,
        WL_DEVICE_sfu_latency,    WL_DEVICE_shared_latency, WL_DEVICE_barrier_latency,
        WL_DEVICE_atomic_latency, WL_DEVICE_tensor_latency, WL_DEVICE_branch_latency};
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
        const wl_device_entry *e = &device->entries[latencies[i]];
        if (e->count && !e->moved && !(e->values[0] >= 1 && e->values[0] <= 100000))
            return complain(device, latencies[i], "must be between 1 and 100000 cycles", err);
    }
    return WL_OK;
}

/* Numbers that the laws count with or divide by. */
static wl_status check_assumed(const wl_device *device, wl_error *err)
{
    static const struct {
        wl_device_key key;
        int64_t most;
        const char *rule;
    } limits[] = {
        {WL_DEVICE_l2_slice_lines, 64, "may be at most 64"},
        {WL_DEVICE_scheduler_policy, 2, "is 1 (round robin) or 2 (greedy)"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (device->entries[limits[i].key].count && wl_device_int(device, limits[i].key) > limits[i].most)
            return complain(device, limits[i].key, limits[i].rule, err);
    return WL_OK;
}

wl_status wl_device_check(const wl_device *device, wl_error *err)
{
    static const wl_device_key pow2[] = {WL_DEVICE_l1_line,    WL_DEVICE_l1_sector, WL_DEVICE_l2_line,
                                         WL_DEVICE_dram_fetch, WL_DEVICE_l1_banks,  WL_DEVICE_warp_size};
    static const wl_device_key curves[] = {WL_DEVICE_l1_miss_curve, WL_DEVICE_l2_reuse_curve, WL_DEVICE_l2_miss_curve,
                                           WL_DEVICE_l2_store_curve};
    static const struct {
        wl_device_key key;
        size_t length;
        const char *rule;
    } lists[] = {
        {WL_DEVICE_max_block, 3, "must be three numbers [x, y, z]"},
        {WL_DEVICE_l1_warp_extra, 3, "must be three numbers [a, b, c]"},
        {WL_DEVICE_l1_reload_curve, 3, "must be three numbers [a, b, c]"},
        {WL_DEVICE_l2_walk_merge, 5, "must be five numbers [a, cycles, share, cycles, n]"},
        {WL_DEVICE_bulk_latency, 2, "must be two numbers [cycles, bytes]"},
        {WL_DEVICE_instruction_cache, 4, "must be four numbers [instructions, instructions, cycles, cycles]"},
        {WL_DEVICE_dsmem, 3, "must be three numbers [load, barrier, bytes]"},
        {WL_DEVICE_tensor_clock_loss, 2, "must be two numbers [any, busy]"},
        {WL_DEVICE_dispatch_slots, 4, "must be four numbers [wide, narrow, global, integer]"},
        {WL_DEVICE_l1_store_split, 2, "must be two numbers [wavefronts, tag wavefronts]"},
        {WL_DEVICE_in_place_wait, 2, "must be two numbers [first, later]"},
        {WL_DEVICE_atomic_word_rate, 2, "must be two numbers [instructions, sums]"},
        {WL_DEVICE_store_combine, 3, "must be three numbers [within, beyond, lines]"},
        {WL_DEVICE_constant_cache, 6, "must be six numbers [first, further, pass, bytes, miss, line]"},
        {WL_DEVICE_store_combine_warps, 2, "must be two numbers [apart, in step]"},
        {WL_DEVICE_l2_dirty_rest, 2, "must be two sizes [most, per store share]"},
    };
    static const wl_device_key factors[] = {WL_DEVICE_rank_ratio, WL_DEVICE_rank_error};
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        WL_TRY(check_each(device, (wl_device_key)i, err));
    for (size_t i = 0; i < sizeof pow2 / sizeof pow2[0]; i++)
        WL_TRY(check_pow2(device, pow2[i], err));
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        const wl_device_entry *e = &device->entries[curves[i]];
        if (e->count != 3 || e->values[0] > 1)
            return complain(device, curves[i], "must be three numbers [a, b, c] with a at most 1", err);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const wl_device_entry *e = &device->entries[lists[i].key];
        if (e->count && e->count != lists[i].length)
            return complain(device, lists[i].key, lists[i].rule, err);
    }
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        WL_TRY(check_factors(device, factors[i], err));
    if (wl_device_int(device, WL_DEVICE_warp_size) > 64)
        return complain(device, WL_DEVICE_warp_size, "may be at most 64", err);
    if (wl_device_int(device, WL_DEVICE_l1_banks) > 64)
        return complain(device, WL_DEVICE_l1_banks, "may be at most 64", err);
    if (wl_device_int(device, WL_DEVICE_l1_line) > 256)
        return complain(device, WL_DEVICE_l1_line, "may be at most 256 bytes", err);
    if (wl_most_threads(device) > 4096)
        return complain(device, WL_DEVICE_max_block, "may be at most 4096 in x", err);
    if (wl_most_threads(device) > 128 * wl_device_int(device, WL_DEVICE_warp_size))
        return complain(device, WL_DEVICE_warp_size, "must be at least the threads of a block / 128", err);
    if (wl_device_int(device, WL_DEVICE_l1_sector) < 16)
        return complain(device, WL_DEVICE_l1_sector, "must be at least 16 bytes, the widest access", err);
    if (wl_device_int(device, WL_DEVICE_sm_count) > 65536)
        return complain(device, WL_DEVICE_sm_count, "may be at most 65536", err);
    if (wl_device_int(device, WL_DEVICE_max_threads_per_sm) > 65536)
        return complain(device, WL_DEVICE_max_threads_per_sm, "may be at most 65536", err);
    if (wl_device_int(device, WL_DEVICE_registers_per_sm) > 1 << 30)
        return complain(device, WL_DEVICE_registers_per_sm, "may be at most 2^30", err);
    WL_TRY(check_assumed(device, err));
    WL_TRY(check_latencies(device, err));
    WL_TRY(check_errors(device, err));
    WL_TRY(check_order(device, WL_DEVICE_register_granularity, WL_DEVICE_registers_per_sm,
                       "must not exceed registers_per_sm", err));
    WL_TRY(check_order(device, WL_DEVICE_l1_sector, WL_DEVICE_l1_line, "must not exceed l1_line", err));
    WL_TRY(check_order(device, WL_DEVICE_l1_sector, WL_DEVICE_l2_line, "must not exceed l2_line", err));
    WL_TRY(check_order(device, WL_DEVICE_sub_partitions, WL_DEVICE_registers_per_sm, "must not exceed registers_per_sm",
                       err));
    WL_TRY(check_order(device, WL_DEVICE_l2_partitions, WL_DEVICE_l2_size, "must not exceed l2_size", err));
    WL_TRY(check_ascending(device, WL_DEVICE_shared_carveouts, err));
    WL_TRY(check_tag_hash(device, err));
    return wl_device_plausible(device, err);
}
