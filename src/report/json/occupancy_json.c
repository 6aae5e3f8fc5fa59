/* occupancy_json.c - occupancy as JSON, schema warpline.occupancy/1.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/render.h"

json_t *wl_occupancy_json(wl_json *j, const void *result)
{
    const wl_occupancy_report *q = result;
    const wl_occupancy *o = &q->occupancy;
    const wl_occupancy_step *next = &q->next;
    json_t *limits = wl_json_object(j), *step = wl_json_object(j);
    for (int i = 0; i < WL_LIMIT_COUNT; i++)
        if (o->limits[i] != INT64_MAX)
            wl_json_set(j, limits, wl_occupancy_limit_name((wl_occupancy_limit)i), wl_json_whole(j, o->limits[i]));
    if (next->registers >= 0)
        wl_json_set(j, step, "registers", wl_json_whole(j, next->registers));
    if (next->shared_bytes >= 0)
        wl_json_set(j, step, "shared_bytes", wl_json_whole(j, next->shared_bytes));
    if (next->threads >= 0)
        wl_json_set(j, step, "threads", wl_json_whole(j, next->threads));
    return wl_json_pack(j, "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:I, s:o}", "schema",
                        "warpline.occupancy/1", "device", wl_device_name(q->device), "threads", (json_int_t)q->threads,
                        "registers", (json_int_t)q->registers, "shared_bytes", (json_int_t)q->shared_bytes,
                        "blocks_per_sm", (json_int_t)o->blocks_per_sm, "warps_per_sm", (json_int_t)o->warps_per_sm,
                        "threads_per_sm", (json_int_t)o->threads_per_sm, "limiter", wl_occupancy_limit_name(o->limiter),
                        "limits", limits, "l1_bytes", (json_int_t)o->l1_bytes, "next", step);
}
