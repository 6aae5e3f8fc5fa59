/* predict.c - a prediction, stage by stage: the table of contents of the library.
 *
 *   geometry   launch + device + kernel   -> grid, occupancy, wave          launch/
 *   view       kernel                     -> shapes of each field           footprint/, metrics/view
 *   warps      view + L1 rules            -> wavefronts, sectors            metrics/warps
 *   volumes    view + geometry            -> L2 and memory volumes          metrics/volumes
 *   metrics    the above                  -> one table of named values      here
 *   model      metrics + device           -> bounds, time, limiter          model/
 *
 * SPDX-License-Identifier: MIT */
#include "warpline/predict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "metrics/attribution.h"
#include "metrics/volumes.h"
#include "metrics/l1_law.h"
#include "metrics/thread.h"
#include "model/limiter.h"
#include "model/turnover.h"

#define ASSUMED_PAGE ((int64_t)2 << 20)

struct wl_predictor {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_l1_rules rules;
    wl_l1_numbers l1;
    wl_arena fixed_arena, launch_arena; /* what outlives a launch, and what does not */
    bool has_fixed_view;
    wl_view fixed_view;
    wl_counter counter;
    wl_warps_scratch warps;
    wl_access_cost *costs;
    wl_share *field_shares, *access_shares;
};

wl_status wl_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err)
{
    wl_predictor *p = calloc(1, sizeof *p);
    if (!p)
        return wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    p->kernel = kernel;
    p->device = device;
    p->counter.row_budget = WL_ROW_BUDGET;
    wl_l1_rules_make(device, &p->rules);
    wl_l1_numbers_read(device, &p->l1);
    p->costs = WL_ARENA_NEW(&p->fixed_arena, wl_access_cost, kernel->access_count);
    p->field_shares = WL_ARENA_NEW(&p->fixed_arena, wl_share, kernel->field_count);
    p->access_shares = WL_ARENA_NEW(&p->fixed_arena, wl_share, kernel->access_count);
    wl_status status = WL_OK;
    if (!p->costs || !p->field_shares || !p->access_shares)
        status = wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    p->has_fixed_view = wl_view_is_fixed(kernel);
    if (status == WL_OK && p->has_fixed_view)
        status = wl_view_make(kernel, NULL, &p->fixed_arena, &p->fixed_view, err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, kernel->input);
        wl_predictor_free(p);
        return status;
    }
    *out = p;
    return WL_OK;
}

void wl_predictor_free(wl_predictor *predictor)
{
    if (!predictor)
        return;
    wl_counter_free(&predictor->counter);
    wl_warps_scratch_free(&predictor->warps);
    wl_arena_free(&predictor->launch_arena);
    wl_arena_free(&predictor->fixed_arena);
    free(predictor);
}

/* ---- warnings: everything that was assumed, sampled or is unknown ---- */

static void warn(wl_prediction *out, const char *format, ...) WL_PRINTF(2, 3);

static void warn(wl_prediction *out, const char *format, ...)
{
    if (out->warning_count == WL_WARNINGS_MAX)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(out->warnings[out->warning_count++], WL_WARNING_LENGTH, format, args);
    va_end(args);
}

static void warn_about_device(const wl_predictor *p, wl_prediction *out)
{
    double value;
    if (!wl_device_get(p->device, WL_DEVICE_l2_bandwidth, &value))
        warn(out, "the device file has no l2_bandwidth: no L2 bound");
    if (!wl_device_get(p->device, WL_DEVICE_tlb_page, &value))
        warn(out, "the device file has no tlb_page: pages of 2 MiB assumed");
    if (!p->rules.has_hash)
        warn(out,
             "the device file has no l1_tag_hash: the bank and distance rule is used, l1_tag_wavefronts is unknown");
    if (p->rules.has_hash && strncmp(wl_device_source(p->device, WL_DEVICE_l1_tag_hash), "assumed", 7) == 0)
        warn(out, "the L1 tag hash of this device is assumed, not measured");
    if (p->kernel->has_flops && p->kernel->flops > 0) {
        const wl_device_key key = wl_limiter_fp_rate(p->kernel->precision);
        if (!wl_device_get(p->device, key, &value))
            warn(out, "the device file has no %s: no fp bound", wl_device_key_name(key));
    }
}

static void warn_about_estimate(const wl_predictor *p, const wl_geometry *g, const wl_warps_result *w,
                                const wl_volumes *v, wl_prediction *out)
{
    if (g->registers_assumed)
        warn(out, "registers per thread are not given: %lld assumed for the occupancy", (long long)g->registers);
    if (w->tag_sampled)
        warn(out, "L1 tag conflicts are the mean over a sample of warps");
    if (w->blocks_sampled)
        warn(out, "L1 metrics of accesses without a closed form come from %lld of %lld blocks",
             (long long)w->blocks_evaluated, (long long)g->blocks);
    if (v->sampled)
        warn(out, "L2 load volume comes from a sample of blocks");
    if (v->partial_unknown)
        warn(out, "sectors written only in part are not counted: the stores are too irregular");
    if (!v->known)
        warn(out,
             "memory volumes are unknown: the accesses have no closed form and are too many to evaluate one by one");
    if (!p->kernel->has_flops)
        warn(out, "flops are not given: no fp bound");
    warn(out, "no instruction stream: inst_executed, thread_inst and shared-memory metrics are unknown");
}

/* ---- the table of metrics ---- */

static wl_value *set(wl_prediction *out, wl_metric metric, double value)
{
    wl_value *v = &out->metrics[metric];
    v->known = true;
    v->value = value;
    v->part_count = 0;
    return v;
}

static void add_part(wl_value *v, const char *name, double value)
{
    if (v->part_count < WL_PARTS_MAX)
        v->parts[v->part_count++] = (wl_part){name, value};
}

static double wavefronts_of(const wl_predictor *p, size_t access)
{
    const wl_access_cost *c = &p->costs[access];
    if (p->kernel->accesses[access].store)
        return c->hit + p->l1.split * c->split;
    return p->rules.has_hash ? c->cold : c->hit;
}

static wl_l1_totals l1_totals(const wl_predictor *p, const wl_geometry *g, const wl_thread *thread)
{
    wl_l1_totals t = {0};
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        const wl_access_cost *c = &p->costs[a];
        const bool store = p->kernel->accesses[a].store;
        *(store ? &t.store_inst : &t.load_inst) += c->inst;
        *(store ? &t.store_hit : &t.load_hit) += c->hit;
        t.store_split += c->split;
        t.load_cold += store ? 0 : wavefronts_of(p, a);
    }
    const double index_reads = (double)p->kernel->coordinate_reads, per_block =
        (double)wl_ceil_div(g->threads, p->rules.warp_size);
    if (wl_device_get(p->device, WL_DEVICE_l1_thread_index_wavefronts, &t.thread_index))
        t.thread_index *= index_reads * (double)g->blocks * per_block;
    t.loads_per_warp = thread->loads;
    t.warps = thread->loads > 0 ? t.load_inst / thread->loads : 0;
    return t;
}

static void set_l1_metrics(const wl_predictor *p, const wl_l1_totals *t, wl_prediction *out)
{
    double sectors[2] = {0}, tag = 0;
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        sectors[p->kernel->accesses[a].store] += p->costs[a].sectors;
        tag += p->costs[a].tag;
    }
    set(out, WL_METRIC_inst_global_ld, t->load_inst);
    set(out, WL_METRIC_inst_global_st, t->store_inst);
    set(out, WL_METRIC_l1_sectors_ld, sectors[0]);
    set(out, WL_METRIC_l1_sectors_st, sectors[1]);
    const wl_l1_wavefronts w = wl_l1_law(t, &p->l1);
    wl_value *v = set(out, WL_METRIC_l1_wavefronts, w.loads + w.stores + w.load_store + t->thread_index);
    add_part(v, "loads", w.loads);
    add_part(v, "stores", w.stores);
    add_part(v, "thread_index", t->thread_index);
    if (w.load_store > 0)
        add_part(v, "load_store", w.load_store);
    if (p->rules.has_hash)
        set(out, WL_METRIC_l1_tag_wavefronts, tag);
    if (p->kernel->has_flops)
        set(out, WL_METRIC_flops, p->kernel->flops * (double)out->items);
}

static void set_volumes(const wl_volumes *v, wl_prediction *out)
{
    const wl_volume *t = &v->total;
    set(out, WL_METRIC_l1_alloc_bytes, v->l1_alloc_bytes);
    wl_value *value = set(out, WL_METRIC_l2_load_bytes, t->l2_compulsory + t->l2_capacity);
    add_part(value, "compulsory", t->l2_compulsory);
    add_part(value, "capacity", t->l2_capacity);
    set(out, WL_METRIC_l2_store_bytes, t->l2_store);
    if (!v->known)
        return;
    value = set(out, WL_METRIC_dram_load_bytes,
                t->dram_compulsory + t->dram_reuse[0] + t->dram_reuse[1] + t->dram_reuse[2] + t->dram_capacity +
                    t->dram_partial);
    add_part(value, "compulsory", t->dram_compulsory);
    add_part(value, "reuse_x", t->dram_reuse[0]);
    add_part(value, "reuse_y", t->dram_reuse[1]);
    add_part(value, "reuse_z", t->dram_reuse[2]);
    add_part(value, "capacity", t->dram_capacity);
    add_part(value, "partial_stores", t->dram_partial);
    set(out, WL_METRIC_dram_store_bytes, t->dram_store);
    set(out, WL_METRIC_l2_alloc_bytes, v->l2_alloc_bytes);
    set(out, WL_METRIC_tlb_pages, v->pages);
}

static void set_launch(const wl_geometry *g, wl_prediction *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->launch.block, g->block, sizeof g->block);
    memcpy(out->launch.fold, g->fold, sizeof g->fold);
    memcpy(out->launch.grid, g->grid, sizeof g->grid);
    out->launch.registers = g->registers;
    out->launch.shared_bytes = g->shared_bytes;
    out->occupancy = g->occupancy;
    out->items = g->items;
    out->threads_per_block = g->threads;
    out->blocks = g->blocks;
    out->wave_blocks = g->wave_blocks;
    out->waves = (double)g->blocks / (double)g->wave_blocks;
}

static void set_field_shares(wl_predictor *p, const wl_volumes *v, wl_prediction *out)
{
    memset(p->field_shares, 0, p->kernel->field_count * sizeof *p->field_shares);
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        wl_share *s = &p->field_shares[p->kernel->accesses[a].field];
        s->inst += p->costs[a].inst;
        s->l1_sectors += p->costs[a].sectors;
        s->l1_wavefronts += wavefronts_of(p, a);
    }
    for (size_t f = 0; f < p->kernel->field_count; f++) {
        wl_share *s = &p->field_shares[f];
        const wl_volume *vol = &v->fields[f];
        s->l2_load_bytes = vol->l2_compulsory + vol->l2_capacity;
        s->l2_store_bytes = vol->l2_store;
        s->dram_load_bytes = vol->dram_compulsory + vol->dram_reuse[0] + vol->dram_reuse[1] + vol->dram_reuse[2] +
                             vol->dram_capacity + vol->dram_partial;
        s->dram_store_bytes = vol->dram_store;
    }
    out->fields = p->field_shares;
}

static wl_status set_access_shares(wl_predictor *p, const wl_view *view, const wl_geometry *g, wl_prediction *out,
                                   wl_error *err)
{
    for (size_t a = 0; a < p->kernel->access_count; a++)
        p->access_shares[a] = (wl_share){
            .inst = p->costs[a].inst, .l1_sectors = p->costs[a].sectors, .l1_wavefronts = wavefronts_of(p, a)};
    const wl_attribution_input in = {view, g, p->device, p->field_shares};
    wl_error limit = {0};
    const wl_status status = wl_attribute(&in, &p->counter, &p->launch_arena, p->access_shares, &limit);
    if (status == WL_E_LIMIT) {
        warn(out, "volumes are not attributed to accesses: %s", limit.message);
        return WL_OK;
    }
    if (status != WL_OK)
        return wl_fail(err, status, limit.loc, "%s", limit.message);
    out->accesses = p->access_shares;
    return WL_OK;
}

/* ---- the time model ---- */

bool wl_model_find(const char *name, wl_model_id *model)
{
    static const char *const names[] = {[WL_MODEL_LIMITER] = "limiter", [WL_MODEL_TURNOVER] = "turnover"};
    for (int i = WL_MODEL_LIMITER; i <= WL_MODEL_TURNOVER; i++) {
        if (strcmp(names[i], name) == 0) {
            *model = (wl_model_id)i;
            return true;
        }
    }
    return false;
}

static wl_demand demand_of(const wl_predictor *p, const wl_thread *thread, const wl_l1_totals *t, const wl_volumes *v,
                           const wl_prediction *out)
{
    const wl_value *m = out->metrics;
    double fp_rate = 0, loads_per_phase = 1;
    (void)wl_device_get(p->device, WL_DEVICE_loads_per_phase, &loads_per_phase);
    /* warps with work: those that load, or, where nothing is loaded, those that store */
    const double warps = t->warps > 0 ? t->warps : thread->stores > 0 ? t->store_inst / thread->stores : 0;
    wl_demand d = {.blocks = (double)out->blocks,
                   .blocks_per_sm = (double)out->occupancy.blocks_per_sm,
                   .warps = warps,
                   .l1_wavefronts = m[WL_METRIC_l1_wavefronts].value,
                   .tag_wavefronts = m[WL_METRIC_l1_tag_wavefronts].value,
                   .memory_inst = t->load_inst + t->store_inst,
                   .instructions = warps * thread->instructions,
                   .multiplies = warps * (thread->multiplies + p->kernel->fp_results),
                   .wide_multiplies = warps * thread->wide_multiplies,
                   .read_units = v->requests.read_units,
                   .written_units = v->requests.written_units,
                   .pieces = v->requests.pieces,
                   .random_fetches = 2 * v->requests.cleaned,
                   .dram_read = m[WL_METRIC_dram_load_bytes].value,
                   .dram_write = m[WL_METRIC_dram_store_bytes].value,
                   .chunk = v->requests.chunk,
                   .write_chunk = v->requests.write_chunk,
                   .planes = thread->planes,
                   .streams = thread->streams,
                   .phases = thread->loads > 0 ? fmax(1, thread->loads / loads_per_phase) : 0,
                   .barriers = p->kernel->barriers,
                   .thread_instructions = thread->instructions,
                   .fresh_phases = thread->fresh_loads};
    if (p->kernel->has_flops && wl_device_get(p->device, wl_limiter_fp_rate(p->kernel->precision), &fp_rate))
        d.fp_cycles = p->kernel->fp_results * (double)out->items / fp_rate;
    /* where layers do not stay in the L2, every phase waits for memory */
    for (int i = 0; i < 3; i++)
        if (v->reuse[i].exists)
            d.fresh_phases += (1 - v->reuse[i].hit_rate) * fmax(0, d.phases - d.fresh_phases);
    return d;
}

/* The largest bound, and the next one. */
static void name_limiters(wl_model_result *m)
{
    double first = -1, second = -1;
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        if (!m->bound_known[i])
            continue;
        if (m->bound_s[i] > first) {
            second = first;
            m->next = m->limiter;
            first = m->bound_s[i];
            m->limiter = (wl_bound_id)i;
        } else if (m->bound_s[i] > second) {
            second = m->bound_s[i];
            m->next = (wl_bound_id)i;
        }
    }
    if (second < 0)
        m->next = m->limiter;
}

static void apply_model(const wl_predictor *p, wl_model_id model, const wl_thread *thread, const wl_l1_totals *totals,
                        const wl_volumes *v, wl_prediction *out)
{
    wl_turnover numbers;
    const char *missing = NULL;
    if (model == WL_MODEL_LIMITER || !v->requests_known || !wl_turnover_read(p->device, &numbers, &missing)) {
        if (model == WL_MODEL_TURNOVER)
            warn(out, "the device file has no %s: no turnover model, the limiter model is used",
                 missing ? missing : "l1_reload_curve");
        wl_limiter_apply(p->kernel, p->device, out);
    } else {
        const wl_demand d = demand_of(p, thread, totals, v, out);
        wl_turnover_apply(&numbers, &d, &out->model);
        out->model.items_per_s = (double)out->items / out->model.time_s;
    }
    name_limiters(&out->model);
}

static wl_status predict(wl_predictor *p, const wl_launch *launch, const wl_predict_options *options,
                         wl_prediction *out, wl_error *err)
{
    wl_geometry g;
    wl_view launch_view;
    const wl_view *view = &p->fixed_view;
    wl_arena_reset(&p->launch_arena);
    p->counter.method = WL_COUNT_CLOSED_FORM;

    WL_TRY(wl_geometry_make(p->kernel, p->device, launch, &g, err));
    set_launch(&g, out);
    if (!p->has_fixed_view) {
        WL_TRY(wl_view_make(p->kernel, &g, &p->launch_arena, &launch_view, err));
        view = &launch_view;
    }

    const wl_geometry busy = wl_geometry_busy(&g); /* blocks without work have no part in what follows */
    wl_warps_result warps;
    const wl_warps_options warps_options = {.samples = options ? options->l1_samples : 0};
    p->warps.arena = &p->launch_arena;
    wl_instructions instructions;
    WL_TRY(wl_instructions_make(p->kernel, &busy, view->bounds, &p->launch_arena, &instructions, err));
    WL_TRY(wl_warps_measure(p->kernel, &busy, view->bounds, &instructions, &p->rules, &warps_options, &p->warps,
                            p->costs, &warps, err));

    wl_volumes volumes;
    double page = (double)ASSUMED_PAGE;
    (void)wl_device_get(p->device, WL_DEVICE_tlb_page, &page);
    const wl_volumes_input input = {view, &busy, p->device, p->costs, (int64_t)page};
    WL_TRY(wl_volumes_estimate(&input, &p->counter, &p->launch_arena, &volumes, err));

    wl_thread thread;
    double loads_per_phase = 1;
    (void)wl_device_get(p->device, WL_DEVICE_loads_per_phase, &loads_per_phase);
    WL_TRY(wl_thread_profile(p->kernel, &busy, view->bounds, &instructions, p->rules.line, loads_per_phase,
                             &p->launch_arena, &thread, err));
    const wl_l1_totals totals = l1_totals(p, &g, &thread);
    set_l1_metrics(p, &totals, out);
    set_volumes(&volumes, out);
    set_field_shares(p, &volumes, out);
    if (options && options->per_access && volumes.known)
        WL_TRY(set_access_shares(p, view, &busy, out, err));
    out->l1_oversubscription = volumes.l1_oversubscription;
    out->l1_miss_rate = volumes.l1_miss_rate;
    memcpy(out->reuse, volumes.reuse, sizeof out->reuse);
    static const char *const methods[] = {"closed form", "rows", "threads"};
    out->l1_estimator = p->rules.has_hash ? "tag-hash" : "bank-distance";
    out->volume_estimator = volumes.estimator;
    out->count_method = methods[p->counter.method];

    apply_model(p, options ? options->model : WL_MODEL_BEST, &thread, &totals, &volumes, out);
    warn_about_device(p, out);
    warn_about_estimate(p, &busy, &warps, &volumes, out);
    return WL_OK;
}

wl_status wl_predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                     wl_prediction *out, wl_error *err)
{
    wl_error local = {0};
    wl_error *e = err ? err : &local;
    const wl_status status = predict(predictor, launch, options, out, e);
    if (status != WL_OK && e->loc.line > 0)
        (void)wl_fail_in(e, predictor->kernel->input);
    return status;
}
