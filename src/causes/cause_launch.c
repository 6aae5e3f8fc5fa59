/* cause_launch.c - how the launch fills the device: occupancy, and its last wave.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/inquiry.h"
#include "device/device_internal.h"
#include "launch/occupancy_next.h"

/* a shorter grid fills its waves if it has at least this share of their blocks */
#define NEARLY_FULL 0.95

/* ---- occupancy ---- */

static int64_t warps_most(const wl_inquiry *q)
{
    return wl_device_int(q->device, WL_DEVICE_max_threads_per_sm) / wl_device_int(q->device, WL_DEVICE_warp_size);
}

/* Does this resource keep occupancy below the maximum of the device? */
static bool is_limited_by(const wl_inquiry *q, wl_occupancy_limit limit)
{
    const wl_occupancy *o = &q->now.occupancy;
    return o->warps_per_sm < warps_most(q) && o->limiter == limit && q->now.blocks > o->blocks_per_sm;
}

static void occupancy_text(const wl_inquiry *q, const char *by, char *text, size_t size)
{
    (void)wl_print(text, size, "occupancy %.0f %% (%lld of %lld warps per %s): limited by %s",
                   100 * (double)q->now.occupancy.warps_per_sm / (double)warps_most(q),
                   (long long)q->now.occupancy.warps_per_sm, (long long)warps_most(q), wl_device_sm_word(q->device),
                   by);
}

/* Tries smaller numbers of the resource that limits the resident blocks; `by` states its number
 * now. */
static wl_status blame_number(wl_inquiry *q, wl_cause_id id, wl_launch *launch, int64_t *number, const int64_t *steps,
                              size_t count, const char *of, const char *by, wl_error *err)
{
    char text[160], change[60] = "";
    wl_tried best = {0};
    for (size_t i = 0; i < count; i++) {
        bool better;
        *number = steps[i];
        WL_TRY(wl_try_launch(q, launch, &best, &better, err));
        if (better)
            (void)snprintf(change, sizeof change, "%lld %s", (long long)steps[i], of);
    }
    occupancy_text(q, by, text, sizeof text);
    return wl_blame(q, id, WL_NO_ACCESS, &best, text, change, err);
}

wl_status wl_cause_registers(wl_inquiry *q, wl_error *err)
{
    char by[60];
    int64_t stated, steps[WL_OCCUPANCY_STEPS];
    const int64_t now = q->now.launch.registers;
    wl_launch launch = q->launch;
    if (!is_limited_by(q, WL_LIMIT_REGISTERS) || (!launch.registers && !wl_kernel_registers(q->given, &stated)))
        return WL_OK; /* a number that was only assumed is not blamed */
    const size_t count = wl_fewer_registers(q->device, q->geometry.threads, now, q->geometry.shared_bytes, now, steps);
    (void)snprintf(by, sizeof by, "%lld registers per thread", (long long)now);
    return blame_number(q, WL_CAUSE_REGISTERS, &launch, &launch.registers, steps, count, "registers", by, err);
}

wl_status wl_cause_shared(wl_inquiry *q, wl_error *err)
{
    static const char of[] = "bytes of shared memory";
    char by[60];
    int64_t steps[WL_OCCUPANCY_STEPS];
    const int64_t now = q->geometry.shared_bytes;
    wl_launch launch = q->launch;
    if (!is_limited_by(q, WL_LIMIT_SHARED))
        return WL_OK;
    const size_t count = wl_less_shared(q->device, q->geometry.threads, q->now.launch.registers, now, now, steps);
    (void)snprintf(by, sizeof by, "%lld %s", (long long)now, of);
    return blame_number(q, WL_CAUSE_SHARED, &launch, &launch.shared_bytes, steps, count, of, by, err);
}

/* Blocks of half, twice or four times the threads in one dimension. */
static wl_status try_blocks(wl_inquiry *q, bool larger, wl_tried *best, wl_launch *which, wl_error *err)
{
    for (int d = 0; d < 3; d++) {
        for (int64_t factor = 2; factor <= 4; factor *= 2) {
            wl_launch launch = q->launch;
            bool better;
            int64_t *extent = &launch.block[d];
            if (!larger && *extent % factor != 0)
                continue;
            *extent = larger ? wl_max(1, *extent) * factor : *extent / factor;
            WL_TRY(wl_try_launch(q, &launch, best, &better, err));
            if (better)
                *which = launch;
        }
    }
    return WL_OK;
}

static void block_text(const wl_launch *l, char *text, size_t size)
{
    (void)snprintf(text, size, "blocks of %lldx%lldx%lld threads", (long long)wl_max(1, l->block[0]),
                   (long long)wl_max(1, l->block[1]), (long long)wl_max(1, l->block[2]));
}

wl_status wl_cause_block(wl_inquiry *q, wl_error *err)
{
    char by[80], text[180], change[80];
    wl_tried best = {0};
    wl_launch which = q->launch;
    const bool few = is_limited_by(q, WL_LIMIT_BLOCKS), uneven = is_limited_by(q, WL_LIMIT_THREADS);
    if (!few && !uneven)
        return WL_OK;
    (void)snprintf(by, sizeof by,
                   few ? "the block size: %lld blocks of %lld threads are all that one %s takes"
                       : "the block size: only %lld blocks of %lld threads fit on one %s",
                   (long long)q->now.occupancy.blocks_per_sm, (long long)q->geometry.threads,
                   wl_device_sm_word(q->device));
    occupancy_text(q, by, text, sizeof text);
    if (!q->block_is_free) /* worth trying only where waits take the time */
        return q->now.model.limiter == WL_BOUND_LATENCY ? wl_suspect(q, WL_CAUSE_BLOCK, WL_NO_ACCESS, text, err)
                                                        : WL_OK;
    WL_TRY(try_blocks(q, true, &best, &which, err));
    if (!few)
        WL_TRY(try_blocks(q, false, &best, &which, err));
    block_text(&which, change, sizeof change);
    return wl_blame(q, WL_CAUSE_BLOCK, WL_NO_ACCESS, &best, text, change, err);
}

/* ---- waves ---- */

/* The largest grid that is shorter in one dimension and has at most so many blocks. */
static int64_t shorter_grid(const wl_inquiry *q, int64_t most, int64_t grid[3])
{
    int64_t largest = 0;
    for (int d = 0; d < 3; d++) {
        const int64_t slice = q->geometry.blocks / q->geometry.grid[d], extent = most / slice;
        if (extent < 1 || extent >= q->geometry.grid[d] || slice * extent <= largest)
            continue;
        largest = slice * extent;
        memcpy(grid, q->geometry.grid, sizeof q->geometry.grid);
        grid[d] = extent;
    }
    return largest;
}

/* The time of the same work on a grid without the last, partial wave. */
static wl_status blame_last_wave(wl_inquiry *q, int64_t wave, wl_error *err)
{
    char text[120];
    wl_tried best = {0};
    bool better;
    wl_launch launch = q->launch;
    const int64_t full = q->geometry.blocks / wave, over = q->geometry.blocks % wave;
    const int64_t blocks = shorter_grid(q, full * wave, launch.grid);
    if (over == 0 || (double)blocks < NEARLY_FULL * (double)(full * wave))
        return WL_OK;
    (void)wl_print(text, sizeof text,
                   "%lld full wave%s of %lld blocks and %lld more block%s: the last wave fills %.2g %% of the device",
                   (long long)full, full == 1 ? "" : "s", (long long)wave, (long long)over, over == 1 ? "" : "s",
                   100 * (double)over / (double)wave);
    WL_TRY(wl_try_launch(q, &launch, &best, &better, err));
    return wl_blame(q, WL_CAUSE_WAVES, WL_NO_ACCESS, &best, text, "the same work in whole waves", err);
}

/* Fewer blocks than the device can hold: smaller ones spread the work. */
static wl_status blame_few_blocks(wl_inquiry *q, int64_t wave, wl_error *err)
{
    char text[160], change[80];
    wl_tried best = {0};
    wl_launch which = q->launch;
    (void)wl_print(text, sizeof text, "%lld blocks fill %.2f waves: the device has room for %lld",
                   (long long)q->geometry.blocks, (double)q->geometry.blocks / (double)wave, (long long)wave);
    if (!q->block_is_free)
        return WL_OK;
    WL_TRY(try_blocks(q, false, &best, &which, err));
    block_text(&which, change, sizeof change);
    return wl_blame(q, WL_CAUSE_WAVES, WL_NO_ACCESS, &best, text, change, err);
}

wl_status wl_cause_waves(wl_inquiry *q, wl_error *err)
{
    const int64_t wave = q->now.occupancy.blocks_per_sm * wl_device_int(q->device, WL_DEVICE_sm_count);
    if (wave < 1 || q->geometry.schedule.kind != WL_SCHEDULE_LINEAR)
        return WL_OK;
    return q->geometry.blocks < wave ? blame_few_blocks(q, wave, err) : blame_last_wave(q, wave, err);
}
