/* relative.c - numbers of a device from those of a similar one: see curves.h.
 *
 * Each number is scaled by the ratio of a quantity that both devices have: waits for the L2 by its
 * latency, rates of the L2 by its bandwidth, starts of blocks by the clock, capacities by the size
 * of an L2 partition. Numbers that describe a mechanism, not a size (overlap, costs of writes,
 * curves of reuse), are copied.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "fit/curves.h"

typedef enum measure {
    AS_IT_IS,
    L2_LATENCY,
    DRAM_LATENCY,
    DRAM_WAIT,
    FP_LATENCY,
    CLOCK,
    L2_RATE,
    DRAM_RATE,
    L2_PART,
    L2_ALL
} measure;

static const struct {
    wl_device_key key;
    measure by;
    /* copied only between devices of one vendor: it depends on how the L1 and the network work */
    bool vendor;
    bool first; /* needed to analyse the waits of streams */
} scaled[] = {
    {WL_DEVICE_instruction_wait, FP_LATENCY, false, true},
    {WL_DEVICE_phase_wait, L2_LATENCY, false, true},
    {WL_DEVICE_dram_wait_first, DRAM_LATENCY, false, false},
    {WL_DEVICE_dram_wait_next, DRAM_WAIT, false, false},
    {WL_DEVICE_dram_wait_write, DRAM_WAIT, false, true},
    {WL_DEVICE_block_turnover, AS_IT_IS, false, false},
    {WL_DEVICE_block_rate, CLOCK, false, false},
    {WL_DEVICE_loads_per_phase, AS_IT_IS, false, false},
    {WL_DEVICE_block_overlap, AS_IT_IS, false, false},
    {WL_DEVICE_overlap_growth, AS_IT_IS, false, false},
    {WL_DEVICE_bound_norm, AS_IT_IS, false, false},
    {WL_DEVICE_wide_multiply, AS_IT_IS, false, false},
    {WL_DEVICE_lsu_issue, AS_IT_IS, true, false},
    {WL_DEVICE_l2_unit, AS_IT_IS, false, false},
    {WL_DEVICE_l2_unit_bandwidth, L2_RATE, false, false},
    {WL_DEVICE_l2_lone_rate, L2_RATE, false, false},
    {WL_DEVICE_l2_write_cost, AS_IT_IS, false, false},
    {WL_DEVICE_l2_fill_cost, AS_IT_IS, false, false},
    {WL_DEVICE_piece_rate, L2_RATE, false, false},
    {WL_DEVICE_piece_streams, AS_IT_IS, false, false},
    {WL_DEVICE_atomic_rate, L2_RATE, false, false},
    {WL_DEVICE_atomic_address_rate, CLOCK, false, false},
    {WL_DEVICE_atomic_line_rate, CLOCK, false, false},
    {WL_DEVICE_atomic_spread, AS_IT_IS, false, false},
    {WL_DEVICE_dram_read_bandwidth, DRAM_RATE, false, false},
    {WL_DEVICE_dram_write_cost, AS_IT_IS, false, false},
    {WL_DEVICE_dram_turnaround, AS_IT_IS, false, false},
    {WL_DEVICE_store_wait, AS_IT_IS, true, false},
    {WL_DEVICE_l1_fill_width, AS_IT_IS, true, false},
    {WL_DEVICE_dram_request_overhead, AS_IT_IS, false, false},
    {WL_DEVICE_dram_region_loss, AS_IT_IS, false, false},
    {WL_DEVICE_dram_stream_loss, AS_IT_IS, false, false},
    {WL_DEVICE_dram_streams, AS_IT_IS, false, false},
    {WL_DEVICE_dram_random_rate, DRAM_RATE, false, false},
    {WL_DEVICE_dram_queue_wait, AS_IT_IS, false, false},
    {WL_DEVICE_barrier_interval, AS_IT_IS, false, false},
    {WL_DEVICE_warp_start, AS_IT_IS, false, false},
    {WL_DEVICE_l2_latency_spread, L2_LATENCY, false, false},
    {WL_DEVICE_dram_latency_spread, DRAM_LATENCY, false, false},
    {WL_DEVICE_launch_overhead, AS_IT_IS, false, false},
    {WL_DEVICE_l1_reload_curve, AS_IT_IS, false, false},
    {WL_DEVICE_l1_block_share, AS_IT_IS, false, false},
    {WL_DEVICE_l1_warp_extra, AS_IT_IS, true, false},
    {WL_DEVICE_l1_store_split, AS_IT_IS, true, false},
    {WL_DEVICE_l1_thread_index_wavefronts, AS_IT_IS, true, false},
    {WL_DEVICE_l2_merge, AS_IT_IS, true, false},
    {WL_DEVICE_store_combine_lines, AS_IT_IS, true, false},
    {WL_DEVICE_store_combine, AS_IT_IS, true, false},
    {WL_DEVICE_store_combine_warps, AS_IT_IS, true, false},
    {WL_DEVICE_l2_reuse_room, L2_PART, false, false},
    {WL_DEVICE_l2_reuse_steepness, AS_IT_IS, false, false},
    {WL_DEVICE_l2_partial_room, L2_PART, false, false},
    {WL_DEVICE_l2_random_hits, AS_IT_IS, false, false},
    {WL_DEVICE_l2_dirty_rest, L2_ALL, false, false},
};

static double part(const wl_device *d)
{
    const double parts = wl_curves_known(d, WL_DEVICE_l2_partitions);
    return parts > 0 ? wl_curves_known(d, WL_DEVICE_l2_size) / parts : 0;
}

/* For loads, if both devices have it, since the curves are those of loads. */
static double l2_rate(const wl_device *d, bool loads)
{
    return wl_curves_known(d, loads ? WL_DEVICE_l2_read_bandwidth : WL_DEVICE_l2_bandwidth);
}

/* The quantity, and its name. 0: the device does not have it. */
static double quantity(const wl_device *d, measure by, bool loads, const char **name)
{
    static const struct {
        wl_device_key key;
        const char *name;
    } keys[] = {
        [L2_LATENCY] = {WL_DEVICE_l2_latency, "l2_latency"},
        [DRAM_LATENCY] = {WL_DEVICE_dram_latency, "dram_latency"},
        [DRAM_WAIT] = {WL_DEVICE_dram_wait_first, "dram_wait_first"},
        [FP_LATENCY] = {WL_DEVICE_fp32_latency, "fp32_latency"},
        [CLOCK] = {WL_DEVICE_clock, "clock"},
        [DRAM_RATE] = {WL_DEVICE_dram_bandwidth, "dram_bandwidth"},
        [L2_ALL] = {WL_DEVICE_l2_size, "l2_size"},
    };
    if (by == L2_RATE || by == L2_PART) {
        *name = by == L2_PART ? "the size of an L2 part" : loads ? "l2_read_bandwidth" : "l2_bandwidth";
        return by == L2_PART ? part(d) : l2_rate(d, loads);
    }
    *name = keys[by].name;
    return wl_curves_known(d, keys[by].key);
}

/* 0: unknown. */
static double factor(const wl_device *relative, const wl_device *d, measure by, const char **name)
{
    const bool loads = l2_rate(relative, true) > 0 && l2_rate(d, true) > 0;
    if (by == AS_IT_IS)
        return 1;
    const double theirs = quantity(relative, by, loads, name);
    return theirs > 0 ? quantity(d, by, loads, name) / theirs : 0;
}

/* Values that were assumed from this device earlier, by another run or with fewer numbers known,
 * are determined anew. */
static bool is_open(const wl_curve_numbers *n, const wl_device *relative, wl_device_key key)
{
    static const char scaled_from[] = "assumed: scaled from ", taken[] = "assumed: as ";
    const wl_device_entry *e = &n->device->entries[key];
    if (e->count == 0)
        return true;
    const char *source = n->sources[key] ? n->sources[key] : e->source;
    const bool same =
        strncmp(source, taken, sizeof taken - 1) == 0 && strcmp(source + sizeof taken - 1, relative->name) == 0;
    return wl_device_keys[key].need == WL_NEED_OPTIONAL &&
           (same || strncmp(source, scaled_from, sizeof scaled_from - 1) == 0);
}

void wl_curves_forget(const wl_device *relative, wl_curve_numbers *out)
{
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++)
        if (is_open(out, relative, scaled[i].key))
            out->device->entries[scaled[i].key].count = 0;
}

void wl_curves_scale(const wl_device *relative, bool first, wl_curve_numbers *out)
{
    const bool same = strcmp(relative->vendor, out->device->vendor) == 0;
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++) {
        const wl_device_key key = scaled[i].key;
        const wl_device_entry *from = &relative->entries[key];
        const char *what = "";
        const double ratio = factor(relative, out->device, scaled[i].by, &what);
        if (scaled[i].first != first || from->count == 0 || !is_open(out, relative, key) || !(ratio > 0) ||
            (scaled[i].vendor && !same))
            continue;
        wl_device_entry *to = &out->device->entries[key];
        if (scaled[i].by == AS_IT_IS)
            wl_curves_found(out, key, from->values[0], "assumed: as %s", relative->name);
        else
            wl_curves_found(out, key, ratio * from->values[0], "assumed: scaled from %s by %s, %.4g", relative->name,
                            what, ratio);
        to->count = from->count;
        for (size_t j = 0; j < from->count; j++)
            to->values[j] = wl_device_keys[key].dimension == WL_DIM_BYTES ? (double)(int64_t)(ratio * from->values[j])
                                                                          : ratio * from->values[j];
    }
}
