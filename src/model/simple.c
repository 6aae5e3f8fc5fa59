/* simple.c - see simple.h. SPDX-License-Identifier: MIT */
#include "model/simple.h"

#include "device/device_internal.h"

void wl_simple_apply(const wl_volumes *v, const wl_device *device, wl_prediction *p)
{
    wl_model_result *m = &p->model;
    const double bytes = v->distinct[0] + v->distinct[1];
    *m = (wl_model_result){.id = WL_MODEL_SIMPLE, .limiter = WL_BOUND_DRAM};
    const double bandwidth = wl_device_or(device, WL_DEVICE_dram_bandwidth, 0);
    if (!v->has_distinct || !(bytes > 0) || !(bandwidth > 0))
        return;
    m->bound_known[WL_BOUND_DRAM] = true;
    m->bound_s[WL_BOUND_DRAM] = m->time_s = bytes / bandwidth;
    m->items_per_s = (double)p->items / m->time_s;
}
