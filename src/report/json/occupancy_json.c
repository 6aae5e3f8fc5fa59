/* occupancy_json.c - occupancy as JSON, schema warpline.occupancy/1.
 * SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "report/common/render.h"

void wl_occupancy_json(wl_json_out *o, const void *result)
{
    const wl_occupancy_report *q = result;
    const wl_occupancy *at = &q->occupancy;
    wl_out_members(o,
                   "schema:s device:s threads:d registers:d shared_bytes:d blocks_per_sm:d warps_per_sm:d "
                   "threads_per_sm:d limiter:s limits:{",
                   "warpline.occupancy/1", wl_device_name(q->device), q->threads, q->registers, q->shared_bytes,
                   at->blocks_per_sm, at->warps_per_sm, at->threads_per_sm, wl_occupancy_limit_name(at->limiter));
    for (int i = 0; i < WL_LIMIT_COUNT; i++)
        if (at->limits[i] != INT64_MAX)
            wl_out_whole(o, wl_occupancy_limit_name((wl_occupancy_limit)i), at->limits[i]);
    wl_out_members(o, "} l1_bytes:d next:{registers:d? shared_bytes:d? threads:d?}", at->l1_bytes, q->next.registers,
                   q->next.shared_bytes, q->next.threads);
}
