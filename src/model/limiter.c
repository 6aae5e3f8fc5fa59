/* limiter.c - see limiter.h. SPDX-License-Identifier: MIT */
#include "model/limiter.h"

#include "metrics/rates.h"

static void set_bound(wl_model_result *m, wl_bound_id bound, double seconds)
{
    m->bound_known[bound] = true;
    m->bound_s[bound] = seconds;
    m->time_s = seconds > m->time_s ? seconds : m->time_s;
}

double wl_limiter_tensor_cycles(const wl_mix *mix, const wl_device *device)
{
    double cycles = 0, rate = 0, share = 1;
    (void)wl_device_get(device, WL_DEVICE_tensor_warp_share, &share);
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (wl_device_get(device, wl_tensor_rate_key((wl_tensor_kind)k), &rate))
            cycles +=
                ((mix->tensor[k] - mix->tensor_groups[k]) / (k == WL_TENSOR_f64 ? 1 : share) + mix->tensor_groups[k]) /
                rate;
    return cycles;
}

void wl_limiter_apply(const wl_work *work, const wl_device *device, double least, wl_prediction *p)
{
    wl_model_result *m = &p->model;
    const wl_value *v = p->metrics;
    double clock = 0, sms = 0, rate = 0, bandwidth = 0;
    *m = (wl_model_result){.id = WL_MODEL_LIMITER, .limiter = WL_BOUND_DRAM};
    (void)wl_device_get(device, WL_DEVICE_clock, &clock);
    (void)wl_device_get(device, WL_DEVICE_sm_count, &sms);
    if (work->has_flops && work->flops > 0 && wl_device_get(device, wl_fp_rate_key(work->precision), &rate))
        set_bound(m, WL_BOUND_FP, work->fp_results * (double)p->items / (rate * sms * clock));
    if (wl_limiter_tensor_cycles(&p->mix, device) > 0)
        set_bound(m, WL_BOUND_TENSOR, wl_limiter_tensor_cycles(&p->mix, device) / (sms * clock));
    if (v[WL_METRIC_l1_wavefronts].known && wl_device_get(device, WL_DEVICE_l1_wavefront_rate, &rate))
        set_bound(m, WL_BOUND_L1,
                  (v[WL_METRIC_l1_wavefronts].value + v[WL_METRIC_texture_wavefronts].value) / (rate * sms * clock));
    if (v[WL_METRIC_l2_load_bytes].known && wl_device_get(device, WL_DEVICE_l2_bandwidth, &bandwidth))
        set_bound(m, WL_BOUND_L2, (v[WL_METRIC_l2_load_bytes].value + v[WL_METRIC_l2_store_bytes].value) / bandwidth);
    const bool known = v[WL_METRIC_dram_load_bytes].known;
    const double moved = known ? v[WL_METRIC_dram_load_bytes].value + v[WL_METRIC_dram_store_bytes].value : least;
    if ((known || least > 0) && wl_device_get(device, WL_DEVICE_dram_bandwidth, &bandwidth))
        set_bound(m, WL_BOUND_DRAM, moved / bandwidth);
    m->items_per_s = m->time_s > 0 ? (double)p->items / m->time_s : 0;
}
