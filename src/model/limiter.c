/* limiter.c - see limiter.h. SPDX-License-Identifier: MIT */
#include "model/limiter.h"

#include <math.h>

#include "device/device_internal.h"
#include "metrics/rates.h"

static void set_bound(wl_model_result *m, wl_bound_id bound, double seconds)
{
    m->bound_known[bound] = true;
    m->bound_s[bound] = seconds;
    m->time_s = seconds > m->time_s ? seconds : m->time_s;
}

double wl_limiter_group_cycles(const wl_mix *mix, const wl_device *device)
{
    double cycles = 0, rate = 0;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (wl_device_get(device, wl_tensor_rate_key((wl_tensor_kind)k), &rate))
            cycles += mix->tensor_groups[k] / rate;
    return cycles;
}

double wl_limiter_tensor_cycles(const wl_mix *mix, const wl_device *device)
{
    double cycles = wl_limiter_group_cycles(mix, device), rate = 0;
    const double share = wl_device_or(device, WL_DEVICE_tensor_warp_share, 1);
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (wl_device_get(device, wl_tensor_rate_key((wl_tensor_kind)k), &rate))
            cycles += (mix->tensor[k] - mix->tensor_groups[k]) / (k == WL_TENSOR_f64 ? 1 : share) / rate;
    return cycles;
}

static void add_memory(const wl_device *device, double least, wl_prediction *p)
{
    wl_model_result *m = &p->model;
    const wl_value *v = p->metrics;
    double bandwidth = 0;
    if (v[WL_METRIC_l2_load_bytes].known && wl_device_get(device, WL_DEVICE_l2_bandwidth, &bandwidth))
        set_bound(m, WL_BOUND_L2, (v[WL_METRIC_l2_load_bytes].value + v[WL_METRIC_l2_store_bytes].value) / bandwidth);
    const bool known = v[WL_METRIC_dram_load_bytes].known;
    const double moved = known ? v[WL_METRIC_dram_load_bytes].value + v[WL_METRIC_dram_store_bytes].value : least;
    if ((known || least > 0) && wl_device_get(device, WL_DEVICE_dram_bandwidth, &bandwidth))
        set_bound(m, WL_BOUND_DRAM, moved / bandwidth);
}

static double l1_cycles(const wl_device *device, const wl_prediction *p)
{
    double rate = 0;
    const wl_value *v = p->metrics;
    return wl_device_get(device, WL_DEVICE_l1_wavefront_rate, &rate)
               ? (v[WL_METRIC_l1_wavefronts].value + v[WL_METRIC_texture_wavefronts].value) / rate
               : 0;
}

void wl_four_limiters_apply(const wl_work *work, const wl_device *device, double least, wl_prediction *p)
{
    wl_model_result *m = &p->model;
    double rate = 0;
    const double cycles = wl_device_or(device, WL_DEVICE_sm_count, 0) * wl_device_or(device, WL_DEVICE_clock, 0);
    *m = (wl_model_result){.id = WL_MODEL_FOUR_LIMITERS, .limiter = WL_BOUND_DRAM};
    if (work->has_flops && work->flops > 0 && wl_device_get(device, wl_fp_rate_key(work->precision), &rate))
        set_bound(m, WL_BOUND_FP, work->fp_results * (double)p->items / (rate * cycles));
    if (wl_limiter_tensor_cycles(&p->mix, device) > 0)
        set_bound(m, WL_BOUND_TENSOR, wl_limiter_tensor_cycles(&p->mix, device) / cycles);
    if (p->metrics[WL_METRIC_l1_wavefronts].known)
        set_bound(m, WL_BOUND_L1, l1_cycles(device, p) / cycles);
    add_memory(device, least, p);
    m->items_per_s = m->time_s > 0 ? (double)p->items / m->time_s : 0;
}

static void set_if_any(wl_model_result *m, wl_bound_id bound, double seconds)
{
    if (seconds > 0)
        set_bound(m, bound, seconds);
}

/* Units of the multiprocessors. Those with the most blocks work longest; others may have none. */
static void add_multiprocessors(const wl_demand *d, const wl_device *device, wl_prediction *p)
{
    wl_model_result *m = &p->model;
    const double sms = wl_device_or(device, WL_DEVICE_sm_count, 0),
                 issue = wl_device_or(device, WL_DEVICE_issue_rate, 0),
                 rate = wl_device_or(device, WL_DEVICE_l1_wavefront_rate, 0);
    const double even = d->blocks > 0 ? ceil(d->blocks / sms) * sms / d->blocks : 1;
    const double cycles = sms * wl_device_or(device, WL_DEVICE_clock, 0) / even;
    set_if_any(m, WL_BOUND_FP, fmax(d->sm.fp_cycles, d->sm.special_cycles) / cycles);
    set_if_any(m, WL_BOUND_TENSOR, d->sm.tensor_cycles / cycles);
    set_if_any(m, WL_BOUND_INTEGER, d->sm.integer_cycles / cycles);
    if (issue > 0)
        set_if_any(m, WL_BOUND_ISSUE, d->sm.instructions / (issue * cycles));
    if (p->metrics[WL_METRIC_l1_wavefronts].known)
        set_bound(m, WL_BOUND_L1, rate > 0 ? d->sm.l1_wavefronts / rate / cycles : 0);
    set_if_any(m, WL_BOUND_TAG, d->sm.tag_wavefronts / cycles);
    set_if_any(m, WL_BOUND_DSMEM, d->sm.remote_cycles / cycles);
    set_if_any(m, WL_BOUND_CONSTANT, d->sm.constant_cycles / cycles);
}

void wl_limiter_apply(const wl_demand *d, const wl_device *device, double least, wl_prediction *p)
{
    wl_model_result *m = &p->model;
    const double launch = wl_device_or(device, WL_DEVICE_launch_duration, 0),
                 block_rate = wl_device_or(device, WL_DEVICE_block_rate, 0);
    const double starts = block_rate > 0 ? d->blocks / block_rate : 0;
    *m = (wl_model_result){.id = WL_MODEL_LIMITER, .limiter = WL_BOUND_DRAM};
    add_multiprocessors(d, device, p);
    add_memory(device, least, p);
    m->time_s = fmax(m->time_s, starts) + launch;
    if (launch + starts > 0) {
        m->bound_known[WL_BOUND_LAUNCH] = true;
        m->bound_s[WL_BOUND_LAUNCH] = launch + starts;
    }
    m->items_per_s = m->time_s > 0 ? (double)p->items / m->time_s : 0;
}

double wl_limiter_without_memory(const wl_device *device, const wl_model_result *m)
{
    double most = 0;
    for (int b = 0; b < WL_BOUND_COUNT; b++)
        if (m->bound_known[b] && b != WL_BOUND_L2 && b != WL_BOUND_DRAM && b != WL_BOUND_LAUNCH)
            most = fmax(most, m->bound_s[b]);
    most += wl_device_or(device, WL_DEVICE_launch_duration, 0);
    return m->bound_known[WL_BOUND_LAUNCH] ? fmax(most, m->bound_s[WL_BOUND_LAUNCH]) : most;
}
