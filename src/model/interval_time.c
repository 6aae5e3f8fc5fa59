/* interval_time.c - see interval_time.h. SPDX-License-Identifier: MIT */
#include "model/interval_time.h"

#include <math.h>
#include <stddef.h>

#include "device/device_internal.h"
#include "metrics/warnings.h"

#define PERCENT 100.0 /* per unit */

wl_contention_model *wl_contention_model_of(wl_model_id model)
{
    switch (model) {
    case WL_MODEL_GPUMECH: return wl_gpumech;
    case WL_MODEL_GPUMECH_PLUS: return wl_gpumech_plus;
    case WL_MODEL_MDM_QUEUE: return wl_mdm_queue;
    case WL_MODEL_MDM_MSHR: return wl_mdm_mshr;
    case WL_MODEL_MDM: return wl_mdm;
    default: return NULL;
    }
}

bool wl_interval_machine_read(const wl_device *device, wl_interval_machine *out, const char **missing)
{
    static const struct {
        wl_device_key key;
        size_t at;
    } needed[] = {
        {WL_DEVICE_sm_count, offsetof(wl_interval_machine, sms)},
        {WL_DEVICE_clock, offsetof(wl_interval_machine, clock)},
        {WL_DEVICE_sub_partitions, offsetof(wl_interval_machine, pools)},
        {WL_DEVICE_issue_rate, offsetof(wl_interval_machine, issue)},
        {WL_DEVICE_l1_mshr, offsetof(wl_interval_machine, mshrs)},
        {WL_DEVICE_l1_sector, offsetof(wl_interval_machine, request)},
        {WL_DEVICE_l2_bandwidth, offsetof(wl_interval_machine, noc)},
        {WL_DEVICE_dram_bandwidth, offsetof(wl_interval_machine, dram)},
        {WL_DEVICE_l2_latency, offsetof(wl_interval_machine, l2_latency)},
        {WL_DEVICE_dram_latency, offsetof(wl_interval_machine, dram_latency)},
    };
    double order = WL_ORDER_ROUND_ROBIN;
    *out = (wl_interval_machine){0};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        double *number = (double *)(void *)((char *)out + needed[i].at);
        if (!wl_device_get(device, needed[i].key, number)) {
            *missing = wl_device_key_name(needed[i].key);
            return false;
        }
    }
    (void)wl_device_get(device, WL_DEVICE_launch_duration, &out->launch);
    (void)wl_device_get(device, WL_DEVICE_scheduler_policy, &order);
    out->order = order == WL_ORDER_GREEDY ? WL_ORDER_GREEDY : WL_ORDER_ROUND_ROBIN;
    out->issue /= out->pools;
    out->dram_latency = fmax(0, out->dram_latency - out->l2_latency);
    return true;
}

static wl_warp_waits waits_of(const wl_device *device)
{
    wl_warp_waits w = {0};
    const double rate = wl_device_or(device, WL_DEVICE_issue_rate, 1);
    const double pools = wl_device_or(device, WL_DEVICE_sub_partitions, 1);
    w.next = wl_instruction_wait(device);
    (void)wl_device_get(device, WL_DEVICE_l1_latency, &w.level[0]);
    (void)wl_device_get(device, WL_DEVICE_l2_latency, &w.level[1]);
    (void)wl_device_get(device, WL_DEVICE_dram_latency, &w.level[2]);
    (void)wl_device_get(device, WL_DEVICE_barrier_latency, &w.barrier);
    w.issue = pools / rate;
    return w;
}

void wl_assume_life(const wl_counts *counts, const wl_device *device, const wl_demand *demand,
                    const wl_prediction *prediction, wl_assumed_life *out)
{
    const wl_value *m = prediction->metrics;
    const double warps = fmax(1, demand->warps);
    const double sector = wl_device_or(device, WL_DEVICE_l1_sector, 1);
    const wl_warp_waits waits = waits_of(device);
    const wl_warp_work work = {.instructions = demand->sm.instructions / warps,
                               .phases = demand->thread.phases,
                               .loads_per_phase = demand->thread.loads_per_phase,
                               .fresh = demand->thread.fresh_loads,
                               .requested = counts->sectors[0] / warps,
                               .reads = m[WL_METRIC_l2_load_bytes].value / sector / warps,
                               .misses = fmin(demand->dram.read, m[WL_METRIC_l2_load_bytes].value) / sector / warps,
                               .writes = m[WL_METRIC_l2_store_bytes].value / sector / warps,
                               .barriers = demand->barriers};
    wl_default_life_make(&work, &waits, &out->life);
    out->profile = (wl_life_profile){.warps = warps, .list = out->life.list, .count = out->life.count};
}

void wl_assumed_life_warn(const wl_assumed_life *assumed, const wl_demand *demand, wl_prediction *prediction)
{
    wl_warn_of(prediction, WL_WARNING_ASSUMED,
               "the life of a warp is assumed from its accesses: %.3g waits for loads, %.3g of them for the L2 and "
               "%.3g for DRAM, between %.0f instructions",
               assumed->life.phases, assumed->life.missing - assumed->life.dram, assumed->life.dram,
               demand->sm.instructions / assumed->profile.warps);
}

wl_interval_launch wl_interval_launch_of(const wl_counts *counts, const wl_prediction *prediction)
{
    const wl_occupancy *o = &prediction->occupancy;
    const double resident = fmax(1, (double)o->blocks_per_sm);
    return (wl_interval_launch){fmax(1, (double)counts->busy.blocks), resident,
                                fmax(1, (double)o->warps_per_sm / resident)};
}

void wl_interval_time(const wl_counts *counts, const wl_device *device, const wl_demand *demand,
                      const wl_interval_machine *machine, wl_prediction *prediction, wl_model_id model, wl_stack *out,
                      wl_stack_row *rows)
{
    const wl_interval_launch launch = wl_interval_launch_of(counts, prediction);
    wl_assumed_life assumed;
    const wl_life_profile *lives = counts->lives;
    size_t count = counts->life_count;
    if (count == 0) {
        wl_assume_life(counts, device, demand, prediction, &assumed);
        wl_assumed_life_warn(&assumed, demand, prediction);
        lives = &assumed.profile;
        count = 1;
    }
    wl_interval_stack(wl_contention_model_of(model), lives, count, machine, &launch, out, rows);
}

static void set_bound(wl_model_result *m, wl_bound_id bound, double seconds)
{
    m->bound_known[bound] = seconds > 0;
    m->bound_s[bound] = seconds;
}

void wl_interval_apply(const wl_counts *counts, const wl_device *device, const wl_demand *demand,
                       const wl_interval_machine *machine, wl_model_id model, wl_prediction *prediction)
{
    static const wl_stack_part waits[] = {WL_STACK_DEPENDENCE, WL_STACK_SHARED, WL_STACK_L1,
                                          WL_STACK_L2,         WL_STACK_DRAM,   WL_STACK_MSHR,
                                          WL_STACK_BARRIER,    WL_STACK_TAIL,   WL_STACK_IMBALANCE};
    wl_model_result *m = &prediction->model;
    const double slowest = m->time_s; /* the limiter's */
    wl_stack stack;
    double waited = 0;
    wl_interval_time(counts, device, demand, machine, prediction, model, &stack, NULL);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        waited += stack.cycles[waits[i]];
    set_bound(m, WL_BOUND_ISSUE, stack.cycles[WL_STACK_ISSUE] / machine->clock);
    set_bound(m, WL_BOUND_LATENCY, waited / machine->clock);
    m->id = model;
    m->time_s = stack.seconds;
    m->items_per_s = m->time_s > 0 ? (double)prediction->items / m->time_s : 0;
    if (m->time_s < slowest)
        wl_warn(prediction, "the model %s predicts %.3g %% less time than the slowest resource alone takes",
                wl_model_name(model), PERCENT * (1 - m->time_s / slowest));
}
