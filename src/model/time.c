/* time.c - see time.h. SPDX-License-Identifier: MIT */
#include "model/time.h"

#include <math.h>
#include <string.h>

#include "device/device_internal.h"
#include "metrics/rates.h"
#include "model/constants.h"
#include "model/interval_time.h"
#include "model/limiter.h"
#include "model/pipes.h"
#include "model/simple.h"
#include "model/tensor_clock.h"
#include "model/turnover.h"

static const char *const model_names[WL_MODEL_COUNT] = {
#define WL_MODEL(id, name, meaning) name,
#include "warpline/models.def"
};

const char *wl_model_name(wl_model_id model) { return model_names[model]; }

bool wl_model_find(const char *name, wl_model_id *model)
{
    for (int i = WL_MODEL_LIMITER; i < WL_MODEL_COUNT; i++) {
        if (strcmp(model_names[i], name) == 0) {
            *model = (wl_model_id)i;
            return true;
        }
    }
    return false;
}

/* If layers do not stay in the L2, a phase waits for DRAM as soon as one of its loads misses. A
 * block fetches at least a line again for each such wait. */
static void add_misses(const wl_volumes *v, double wave_blocks, double loads_per_phase, double line, wl_demand *d)
{
    for (int i = 0; i < 3; i++)
        if (v->reuse[i].exists) {
            const double hits = fmax(0, v->reuse[i].hit_rate), waits = 1 - pow(hits, loads_per_phase);
            const double lines = fmax(0, 1 - hits) * v->reuse[i].overlap_bytes / wave_blocks / line;
            d->thread.fresh_loads += fmin(lines, waits * fmax(0, d->thread.phases - d->thread.fresh_loads));
        }
}

/* 0: the device has no clusters, or its rate is not known */
static double remote_cycles(const wl_value *m, const wl_device *device)
{
    double numbers[3] = {0};
    wl_device_read_list(device, WL_DEVICE_dsmem, numbers, 3);
    const double bytes = m[WL_METRIC_dsmem_load_bytes].value + m[WL_METRIC_dsmem_store_bytes].value;
    return numbers[2] > 0 ? bytes / numbers[2] : 0;
}

/* Of the cache of constants: a pass for each address, and what lines take that it does not hold. */
static double constant_cycles(const wl_counts *c, const wl_device *device)
{
    const wl_constants n = wl_constants_read(device);
    return n.pass * c->constant_passes + n.line * c->constant_lines * wl_constants_missed(&n, c->warps.constants);
}

/* What multiprocessors send to the L2: a cycle for each request, of a line at most, and one for
 * each sector that is stored. */
static double port_cycles(const wl_counts *c, const wl_device *device, const wl_volumes *v, double stored)
{
    const double line = (double)wl_device_int(device, WL_DEVICE_l1_line),
                 sector = (double)wl_device_int(device, WL_DEVICE_l1_sector),
                 unit = wl_device_or(device, WL_DEVICE_l2_unit, sector);
    const double loads = v->requests.lone_units + (v->requests.read_units - v->requests.lone_units) * unit / line;
    const double left = c->sectors[1] > 0 ? fmin(1, stored / (c->sectors[1] * sector)) : 0;
    return loads + left * (c->stored_lines + c->sectors[1]);
}

static wl_sm_work sm_work(const wl_counts *c, const wl_device *device, const wl_volumes *v, const wl_prediction *out,
                          double warps)
{
    const wl_value *m = out->metrics;
    const wl_thread *thread = &c->thread;
    const wl_mix *mix = &c->executed.mix;
    /* else they are estimated from the addresses */
    const bool counted = c->executed.by_class && mix->has_multiplies;
    double rate = 0;
    wl_sm_work w = {/* hits are not counted for each of their tag wavefronts, but take as long */
                    .l1_wavefronts = m[WL_METRIC_l1_wavefronts].value + c->l1.texture + c->l1.load_found,
                    .tag_wavefronts = m[WL_METRIC_l1_tag_wavefronts].value,
                    .global_inst = c->l1.load_inst + c->l1.store_inst,
                    .instructions = c->executed.known ? c->executed.warp : warps * thread->instructions,
                    .integer_inst = mix->integer_pipe,
                    .multiplies = counted ? mix->multiplies[WL_MULTIPLY_NARROW] : warps * thread->multiplies,
                    .wide_multiplies = counted ? mix->multiplies[WL_MULTIPLY_WIDE] : warps * thread->wide_multiplies,
                    .results = warps * c->work.fp_results,
                    .integer_cycles = wl_integer_cycles(mix, device),
                    .tensor_cycles = wl_limiter_tensor_cycles(&out->mix, device),
                    .group_cycles = wl_limiter_group_cycles(&out->mix, device),
                    .remote_cycles = remote_cycles(m, device),
                    .constant_cycles = constant_cycles(c, device),
                    .port_cycles = port_cycles(c, device, v, m[WL_METRIC_l2_store_bytes].value),
                    .tensor_load = wl_tensor_load_cycles(&out->mix, device)};
    if (c->executed.by_class)
        w.fp_cycles = wl_arithmetic_cycles(mix, device);
    else if (c->work.has_flops && wl_device_get(device, wl_fp_rate_key(c->work.precision), &rate))
        w.fp_cycles = c->work.fp_results * (double)out->items / rate;
    if (!c->executed.by_class && wl_device_get(device, WL_DEVICE_sfu_rate, &rate))
        w.special_cycles = c->work.specials * (double)out->items / rate;
    if (w.group_cycles > 0)
        w.turn_cycles = w.group_cycles + w.fp_cycles * (1 - wl_special_excess(mix, device));
    return w;
}

wl_demand wl_demand_of(const wl_counts *c, const wl_device *device, const wl_volumes *v, const wl_prediction *out)
{
    const wl_value *m = out->metrics;
    const wl_work *work = &c->work;
    const wl_thread *thread = &c->thread;
    const wl_l1_totals *t = &c->l1;
    const double sector = wl_device_or(device, WL_DEVICE_l1_sector, 0);
    const double lanes = wl_device_or(device, WL_DEVICE_warp_size, 0);
    /* warps with work: those that load, else those that store; with atomics only, all */
    const double warps = t->warps > 0         ? t->warps
                         : thread->stores > 0 ? (t->store_inst + t->surface_stores) / thread->stores
                                              : c->executed.warps;
    const double shared = v->requests.changed_lines > 0 ? v->requests.shared_lines / v->requests.changed_lines : 0;
    const double in_place = thread->stores > 0 ? shared / thread->stores : 0;
    wl_demand d = {.warps = warps,
                   .blocks = (double)out->blocks,
                   .block_warps = ceil((double)out->threads_per_block / fmax(1, lanes)),
                   .blocks_per_sm = (double)out->occupancy.blocks_per_sm,
                   .sm = sm_work(c, device, v, out, warps),
                   .requests = v->requests,
                   .l2_loaded = m[WL_METRIC_l2_load_bytes].value,
                   .l2_again = v->total.l2_again,
                   .dram = {.read = v->known ? m[WL_METRIC_dram_load_bytes].value : v->least[0],
                            .written = v->known ? m[WL_METRIC_dram_store_bytes].value : v->least[1],
                            .cached = v->cached},
                   .footprint = v->known ? v->footprint : fmax(v->footprint, v->least[0] + v->least[1]),
                   .cold = v->cold,
                   .atomics = c->warps.atomics,
                   .thread = *thread,
                   .barriers = work->barriers,
                   .in_place = {in_place * thread->in_place[0], in_place * thread->in_place[1]},
                   .uneven = {.kinds = &c->executed.mix.kinds,
                              .longest = c->executed.mix.longest,
                              .last_block = c->warps.last_block,
                              .in_turns = c->executed.mix.in_turns,
                              .lock_takers = c->executed.mix.locks ? c->warps.atomics.word_requests / 2 : 0,
                              .chained = c->executed.mix.chained,
                              .at_once = c->executed.mix.at_once},
                   .waiting = &c->waiting,
                   .leading = &c->leading};
    if (!v->known)
        d.requests.left = 0;
    const double requested = c->sectors[0] * sector, loaded = m[WL_METRIC_l2_load_bytes].value;
    d.l1_hits = requested > 0 ? fmax(0, 1 - loaded / requested) : 0;
    d.l2_hits = loaded > 0 ? fmax(0, 1 - d.dram.read / loaded) : 0;
    add_misses(v, fmax(1, (double)out->wave_blocks), thread->loads_per_phase,
               (double)wl_device_int(device, WL_DEVICE_l1_line), &d);
    return d;
}

#define LITTLE_WEIGHT 0.05 /* in the time: bounds with less are named by their size */

/* The largest of the known bounds; `but` WL_BOUND_COUNT: of all. */
static wl_bound_id largest(const wl_model_result *m, const double of[WL_BOUND_COUNT], wl_bound_id but)
{
    wl_bound_id most = but == 0 ? 1 : 0;
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (m->bound_known[i] && i != (int)but && (!m->bound_known[most] || of[i] > of[most]))
            most = (wl_bound_id)i;
    return most;
}

/* By their weights where the model knows them, else by their size. */
void wl_limiters_name(wl_model_result *m)
{
    const double *weight = m->id == WL_MODEL_TURNOVER ? m->weight : m->bound_s;
    m->limiter = largest(m, weight, WL_BOUND_COUNT);
    m->next = largest(m, weight, m->limiter);
    if (m->id == WL_MODEL_TURNOVER && m->weight[m->next] < LITTLE_WEIGHT)
        m->next = largest(m, m->bound_s, m->limiter);
    if (!m->bound_known[m->next])
        m->next = m->limiter;
}

/* A lower bound of what DRAM moves, where its volumes are unknown. */
static double least_moved(const wl_volumes *v) { return v->known ? 0 : v->least[0] + v->least[1]; }

static void limiter(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes, wl_prediction *out)
{
    const wl_demand d = wl_demand_of(counts, device, volumes, out);
    wl_limiter_apply(&d, device, least_moved(volumes), out);
}

/* By an interval model; if the device lacks a number, *missing names it, and the time of the
 * limiter model is used. */
static void by_intervals(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes, wl_model_id model,
                         wl_prediction *out, const char **missing)
{
    wl_interval_machine machine;
    wl_four_limiters_apply(&counts->work, device, least_moved(volumes), out);
    if (!wl_interval_machine_read(device, &machine, missing)) {
        limiter(counts, device, volumes, out);
        return;
    }
    const wl_demand d = wl_demand_of(counts, device, volumes, out);
    wl_interval_apply(counts, device, &d, &machine, model, out);
}

wl_model_id wl_model_default(const wl_device *device)
{
    wl_turnover numbers;
    const char *lacks = NULL;
    return wl_turnover_read(device, &numbers, &lacks) ? WL_MODEL_TURNOVER : WL_MODEL_LIMITER;
}

bool wl_time_has_least(wl_model_id model)
{
    return model == WL_MODEL_LIMITER || model == WL_MODEL_TURNOVER || model == WL_MODEL_BEST;
}

bool wl_time_repeats(const wl_device *device, wl_model_id model)
{
    wl_turnover numbers;
    const char *lacks = NULL;
    if (model == WL_MODEL_LIMITER || model == WL_MODEL_SIMPLE || model == WL_MODEL_FOUR_LIMITERS)
        return false;
    return wl_contention_model_of(model) || wl_turnover_read(device, &numbers, &lacks);
}

/* Events of the host also see what happens before a kernel and after it; a time without the launch
 * is a bound, and stays one. */
static double launch_gap(const wl_device *device, wl_model_id model)
{
    if (model == WL_MODEL_SIMPLE || model == WL_MODEL_FOUR_LIMITERS)
        return 0;
    const double between = wl_device_or(device, WL_DEVICE_launch_overhead, 0);
    const double alone = wl_device_or(device, WL_DEVICE_launch_latency, 0);
    return fmax(0, between + alone - wl_device_or(device, WL_DEVICE_launch_duration, 0));
}

void wl_time_apply(const wl_counts *counts, const wl_device *device, const wl_volumes *volumes, wl_model_id model,
                   wl_prediction *out, const char **missing)
{
    wl_turnover numbers;
    const char *lacks = volumes->requests_known ? NULL : wl_device_key_name(WL_DEVICE_l1_reload_curve);
    *missing = NULL;
    if (wl_contention_model_of(model)) {
        by_intervals(counts, device, volumes, model, out, missing);
    } else if (model == WL_MODEL_SIMPLE) {
        wl_simple_apply(volumes, device, out);
    } else if (model == WL_MODEL_FOUR_LIMITERS) {
        wl_four_limiters_apply(&counts->work, device, least_moved(volumes), out);
    } else if (model == WL_MODEL_LIMITER || lacks || !wl_turnover_read(device, &numbers, &lacks)) {
        *missing = model == WL_MODEL_TURNOVER ? lacks : NULL;
        limiter(counts, device, volumes, out);
    } else {
        const wl_demand d = wl_demand_of(counts, device, volumes, out);
        wl_turnover_at_clock(&numbers, &d, &out->model);
        out->model.items_per_s = out->model.time_s > 0 ? (double)out->items / out->model.time_s : 0;
    }
    out->model.caches = volumes->cold ? WL_CACHES_COLD : WL_CACHES_WARM;
    out->model.launch_gap_s = launch_gap(device, out->model.id);
    wl_limiters_name(&out->model);
}
