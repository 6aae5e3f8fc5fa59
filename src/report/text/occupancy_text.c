/* occupancy_text.c - occupancy for people. SPDX-License-Identifier: MIT */
#include "device/device_internal.h"
#include "report/common/marks.h"
#include "report/common/render.h"

void wl_occupancy_text(const void *result, wl_buffer *out)
{
    const wl_occupancy_report *q = result;
    const wl_occupancy *o = &q->occupancy;
    const wl_occupancy_step *next = &q->next;
    const double most = wl_device_or(q->device, WL_DEVICE_max_threads_per_sm, 0);
    wl_mark_text(out, WL_MARK_HEADLINE, wl_device_name(q->device));
    wl_buffer_add(out, ": blocks of %lld threads, %lld registers each, %lld B of shared memory\n",
                  (long long)q->threads, (long long)q->registers, (long long)q->shared_bytes);
    wl_line(out, 4, "  %lld block%s, %lld warp%s, %lld threads per %s (%.0f %% of its threads); limited by ",
            (long long)o->blocks_per_sm, o->blocks_per_sm == 1 ? "" : "s", (long long)o->warps_per_sm,
            o->warps_per_sm == 1 ? "" : "s", (long long)o->threads_per_sm, wl_device_sm_word(q->device),
            100 * (double)o->threads_per_sm / most);
    wl_mark_text(out, WL_MARK_LIMITER, wl_occupancy_limit_name(o->limiter));
    wl_buffer_text(out, "\n");
    wl_line(out, 4, "  blocks each resource would allow:");
    for (int i = 0; i < WL_LIMIT_COUNT; i++) {
        if (o->limits[i] == INT64_MAX)
            wl_buffer_add(out, " %s any", wl_occupancy_limit_name((wl_occupancy_limit)i));
        else
            wl_buffer_add(out, " %s %lld", wl_occupancy_limit_name((wl_occupancy_limit)i), (long long)o->limits[i]);
        wl_buffer_add(out, "%s", i + 1 < WL_LIMIT_COUNT ? "," : "\n");
    }
    wl_line(out, 4, "  a warp takes %lld registers, a block %lld B of shared memory; %lld KiB of L1 remain\n",
            (long long)o->registers_allocated, (long long)o->shared_allocated, (long long)o->l1_bytes / 1024);
    wl_line(out, 4, "  for %lld blocks per %s:", (long long)o->blocks_per_sm + 1, wl_device_sm_word(q->device));
    const struct {
        int64_t most; /* -1: it does not help */
        const char *of;
    } ways[] = {{next->registers, "registers"},
                {next->shared_bytes, "B of shared memory"},
                {next->threads, "threads per block"}};
    bool any = false;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].most < 0)
            continue;
        wl_buffer_add(out, "%s at most %lld %s", any ? ", or" : "", (long long)ways[i].most, ways[i].of);
        any = true;
    }
    wl_buffer_text(out, any ? "\n" : " no change of one resource alone is enough\n");
}
