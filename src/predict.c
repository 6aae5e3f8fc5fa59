/* predict.c - a prediction, stage by stage: the table of contents of the library.
 *
 *   geometry   launch + device + kernel   -> grid, occupancy, wave               launch/
 *   view       kernel                     -> shapes of each field                footprint/, metrics/view
 *   warps      view + L1 rules            -> wavefronts, sectors                 metrics/warps
 *   thread     view                       -> what a thread waits for             metrics/thread
 *   executed   kernel + geometry          -> instructions                        metrics/executed
 *   traffic    view + geometry            -> what warps, blocks and runs touch   metrics/traffic
 *   volumes    traffic + laws, or curves  -> L2 and memory volumes               metrics/volumes
 *   metrics    the above                  -> one table of named values           here
 *   time       metrics + device           -> bounds, time, limiter               model/
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
#include "base/number.h"
#include "device/device_internal.h"
#include "metrics/attribution.h"
#include "metrics/counts.h"
#include "metrics/laws.h"
#include "model/limiter.h"
#include "model/time.h"

#define ASSUMED_PAGE ((int64_t)2 << 20)

/* The instructions of a thread depend on the folding alone, where no access depends on the launch: kept for some. */
#define FOLDINGS_KEPT 16
typedef struct kept_instructions {
    int64_t fold[3]; /* 0: none */
    wl_arena arena;
    wl_instructions instructions;
} kept_instructions;

struct wl_predictor {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_l1_rules rules;
    wl_l1_numbers l1;
    int64_t page_bytes;
    wl_arena fixed_arena, launch_arena; /* what outlives a launch, and what does not */
    bool has_fixed_view;
    wl_view fixed_view;
    kept_instructions foldings[FOLDINGS_KEPT];
    size_t next_folding; /* to be replaced */
    wl_counter counter;
    wl_warps_scratch warps;
    wl_access_cost *costs;
    wl_share *field_shares, *access_shares;
    /* Where the kernel depends on the launch: what it is for the latest one, and who predicts that. */
    wl_launch launch;
    wl_kernel *own_kernel;
    wl_predictor *own;
};

/* A kernel that depends on the launch is only looked at once there is one. */
static wl_status make_predictor(const wl_kernel *kernel, const wl_device *device, bool complete, wl_predictor **out,
                                wl_error *err)
{
    wl_predictor *p = calloc(1, sizeof *p);
    if (!p)
        return wl_fail_memory(err);
    p->kernel = kernel;
    p->device = device;
    p->counter.row_budget = WL_ROW_BUDGET;
    wl_l1_rules_make(device, &p->rules);
    wl_l1_numbers_read(device, &p->l1);
    double page = (double)ASSUMED_PAGE;
    (void)wl_device_get(device, WL_DEVICE_tlb_page, &page);
    p->page_bytes = (int64_t)page;
    p->costs = WL_ARENA_NEW(&p->fixed_arena, wl_access_cost, kernel->access_count);
    p->field_shares = WL_ARENA_NEW(&p->fixed_arena, wl_share, kernel->field_count);
    p->access_shares = WL_ARENA_NEW(&p->fixed_arena, wl_share, kernel->access_count);
    wl_status status = WL_OK;
    if (!p->costs || !p->field_shares || !p->access_shares)
        status = wl_fail_memory(err);
    p->has_fixed_view = p->counter.keep = complete && wl_view_is_fixed(kernel);
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

wl_status wl_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err)
{
    return make_predictor(kernel, device, !kernel->at_launch, out, err);
}

static void forget_launch(wl_predictor *p)
{
    wl_predictor_free(p->own);
    wl_kernel_free(p->own_kernel);
    p->own = NULL;
    p->own_kernel = NULL;
}

/* Who predicts this launch: the predictor itself, unless the kernel depends on the launch. */
static wl_status predictor_at(wl_predictor *p, const wl_launch *launch, wl_predictor **out, wl_error *err)
{
    *out = p;
    if (!p->kernel->at_launch)
        return WL_OK;
    if (!p->own || memcmp(&p->launch, launch, sizeof *launch) != 0) {
        forget_launch(p);
        WL_TRY(p->kernel->at_launch(p->kernel, launch, &p->own_kernel, err));
        WL_TRY(make_predictor(p->own_kernel, p->device, true, &p->own, err));
        p->launch = *launch;
    }
    *out = p->own;
    return WL_OK;
}

void wl_predictor_free(wl_predictor *predictor)
{
    if (!predictor)
        return;
    forget_launch(predictor);
    wl_counter_free(&predictor->counter);
    wl_warps_scratch_free(&predictor->warps);
    for (size_t i = 0; i < FOLDINGS_KEPT; i++)
        wl_arena_free(&predictor->foldings[i].arena);
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
    (void)wl_print_list(out->warnings[out->warning_count++], WL_WARNING_LENGTH, format, args);
    va_end(args);
}

static void warn_about_device(const wl_predictor *p, wl_prediction *out)
{
    double value;
    if (!wl_device_get(p->device, WL_DEVICE_l2_bandwidth, &value))
        warn(out, "the device file has no l2_bandwidth: no L2 bound");
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        if (out->mix.tensor[k] > 0 && !wl_device_get(p->device, wl_limiter_tensor_rate((wl_tensor_kind)k), &value))
            warn(out, "the device file has no tensor_%s_rate: these products take no time",
                 wl_tensor_kind_name((wl_tensor_kind)k));
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

static void warn_about_conditions(const wl_predictor *p, wl_prediction *out)
{
    int64_t values[WL_WHERE_NAMES];
    if (p->kernel->condition_count == 0)
        return;
    wl_launch_values(p->kernel, p->rules.warp_size, &out->launch, values);
    for (size_t i = 0; i < p->kernel->condition_count; i++) {
        bool holds = false;
        if (wl_where_holds(p->kernel->conditions[i], values, &holds, NULL) != WL_OK || !holds)
            warn(out, "the kernel is not made for this launch: it demands %s", wl_where_text(p->kernel->conditions[i]));
    }
}

static void warn_about_instructions(const wl_counts *c, wl_prediction *out)
{
    const bool shared = c->l1.shared > 0;
    if (!c->executed.known)
        warn(out, "no instruction stream: inst_executed%s unknown",
             shared ? " and thread_inst are" : ", thread_inst and shared-memory metrics are");
    else if (!c->executed.by_class && !shared)
        warn(out, "no instruction stream: shared-memory metrics are unknown");
    if (c->executed.by_class && c->executed.mix.sampled)
        warn(out, "instruction counts come from a sample of blocks");
}

static void warn_about_estimate(const wl_predictor *p, const wl_counts *c, const wl_volumes *v, wl_prediction *out)
{
    const wl_geometry *g = &c->busy;
    const wl_warps_result *w = &c->warps;
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
    if (!p->kernel->has_flops && !c->executed.by_class)
        warn(out, "flops are not given: no fp bound");
    if (strcmp(out->model.name, "turnover") == 0 && !c->thread.instructions_stated)
        warn(out, "instructions are estimated from the accesses: %.0f per thread (a kernel file may state them)",
             c->thread.instructions);
    warn_about_instructions(c, out);
}

/* What was assumed when the kernel was read. The last line says how many found no place. */
static void warn_about_kernel(const wl_kernel *kernel, wl_prediction *out)
{
    const size_t room = (size_t)(WL_WARNINGS_MAX - out->warning_count);
    const size_t shown = kernel->note_count <= room ? kernel->note_count : room > 0 ? room - 1 : 0;
    for (size_t i = 0; i < shown; i++)
        warn(out, "%s", kernel->notes[i]);
    if (shown < kernel->note_count)
        warn(out, "and %zu more notes on the kernel", kernel->note_count - shown);
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
    if (p->kernel->fields[p->kernel->accesses[access].field].shared)
        return c->hit;
    if (p->kernel->accesses[access].atomic)
        return c->hit;
    if (p->kernel->accesses[access].store)
        return c->hit + p->l1.split * c->split;
    return p->rules.has_hash ? c->cold : c->hit;
}

static void add_up_warps(const wl_predictor *p, wl_counts *out)
{
    wl_l1_totals t = {0};
    const wl_geometry *g = &out->launched;
    out->has_hash = p->rules.has_hash;
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        const wl_access_cost *c = &p->costs[a];
        const bool store = p->kernel->accesses[a].store;
        const bool atomic = p->kernel->accesses[a].atomic;
        if (p->kernel->fields[p->kernel->accesses[a].field].shared) {
            *(atomic ? &t.shared_atomics : &t.shared_inst[store]) += c->inst;
            t.shared += c->hit;
            continue;
        }
        if (atomic) {
            t.atomics += c->hit;
            continue;
        }
        *(store ? &t.store_inst : &t.load_inst) += c->inst;
        *(store ? &t.store_hit : &t.load_hit) += c->hit;
        t.store_split += c->split;
        t.load_cold += store ? 0 : wavefronts_of(p, a);
        out->sectors[store] += c->sectors;
        out->tag_wavefronts += c->tag;
    }
    t.shared += out->executed.mix.shuffles + out->executed.mix.idle_accesses;
    const double index_reads = (double)p->kernel->coordinate_reads,
                 per_block = (double)wl_ceil_div(g->threads, p->rules.warp_size);
    if (wl_device_get(p->device, WL_DEVICE_l1_thread_index_wavefronts, &t.thread_index))
        t.thread_index *= index_reads * (double)g->blocks * per_block;
    t.loads_per_warp = out->thread.loads;
    t.warps = out->thread.loads > 0 ? t.load_inst / out->thread.loads : 0;
    out->l1 = t;
}

static void set_l1_metrics(const wl_counts *c, const wl_device *device, wl_prediction *out)
{
    wl_l1_numbers numbers;
    set(out, WL_METRIC_inst_global_ld, c->l1.load_inst);
    set(out, WL_METRIC_inst_global_st, c->l1.store_inst);
    set(out, WL_METRIC_l1_sectors_ld, c->sectors[0]);
    set(out, WL_METRIC_l1_sectors_st, c->sectors[1]);
    wl_l1_numbers_read(device, &numbers);
    const wl_l1_wavefronts w = wl_l1_law(&c->l1, &numbers);
    const double local = c->local.wavefronts[0] + c->local.wavefronts[1];
    wl_value *v = set(out, WL_METRIC_l1_wavefronts,
                      w.loads + w.stores + w.load_store + c->l1.thread_index + c->l1.shared + c->l1.atomics + local);
    add_part(v, "loads", w.loads);
    add_part(v, "stores", w.stores);
    add_part(v, "thread_index", c->l1.thread_index);
    if (w.load_store > 0)
        add_part(v, "load_store", w.load_store);
    if (c->l1.shared > 0)
        add_part(v, "shared", c->l1.shared);
    if (c->l1.atomics > 0) {
        add_part(v, "atomics", c->l1.atomics);
        set(out, WL_METRIC_inst_atomic, c->warps.atomics.inst);
    }
    if (local > 0) {
        add_part(v, "local", local);
        set(out, WL_METRIC_inst_local_ld, c->local.inst[0]);
        set(out, WL_METRIC_inst_local_st, c->local.inst[1]);
        set(out, WL_METRIC_l1_sectors_local_ld, c->local.sectors[0]);
        set(out, WL_METRIC_l1_sectors_local_st, c->local.sectors[1]);
    }
    if (c->l1.shared > 0 || c->executed.by_class) {
        set(out, WL_METRIC_inst_shared_ld, c->l1.shared_inst[0]);
        set(out, WL_METRIC_inst_shared_st, c->l1.shared_inst[1]);
        if (c->l1.shared_atomics > 0)
            set(out, WL_METRIC_inst_shared_atomic, c->l1.shared_atomics);
        set(out, WL_METRIC_shared_wavefronts, c->l1.shared + c->l1.thread_index);
    }
    if (c->has_hash)
        set(out, WL_METRIC_l1_tag_wavefronts, c->tag_wavefronts);
    if (c->kernel->has_flops)
        set(out, WL_METRIC_flops, c->kernel->flops * (double)out->items);
    else if (c->kernel->stream.count)
        set(out, WL_METRIC_flops, c->executed.mix.flops);
}

static void set_executed(const wl_executed *e, wl_prediction *out)
{
    double tensor = 0;
    out->mix = e->mix;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        tensor += e->mix.tensor[k];
    if (tensor > 0)
        set(out, WL_METRIC_tensor_flops, tensor);
    if (!e->known)
        return;
    set(out, WL_METRIC_inst_executed, e->warp);
    set(out, WL_METRIC_thread_inst, e->thread);
    out->has_mix = e->by_class;
}

static void add_local(wl_value *value, double amount)
{
    if (amount > 0)
        add_part(value, "local", amount);
}

static void set_volumes(const wl_volumes *v, wl_prediction *out)
{
    const wl_volume *t = &v->total, *l = &v->local;
    set(out, WL_METRIC_l1_alloc_bytes, v->l1_alloc_bytes);
    wl_value *value = set(out, WL_METRIC_l2_load_bytes, t->l2_compulsory + t->l2_capacity);
    add_part(value, "compulsory", t->l2_compulsory);
    add_part(value, "capacity", t->l2_capacity - l->l2_capacity);
    add_local(value, l->l2_capacity);
    set(out, WL_METRIC_l2_store_bytes, t->l2_store);
    if (l->l2_store > 0) {
        add_part(&out->metrics[WL_METRIC_l2_store_bytes], "global", t->l2_store - l->l2_store);
        add_local(&out->metrics[WL_METRIC_l2_store_bytes], l->l2_store);
    }
    if (!v->known)
        return;
    value = set(out, WL_METRIC_dram_load_bytes,
                t->dram_compulsory + t->dram_reuse[0] + t->dram_reuse[1] + t->dram_reuse[2] + t->dram_capacity +
                    t->dram_partial);
    add_part(value, "compulsory", t->dram_compulsory);
    add_part(value, "reuse_x", t->dram_reuse[0]);
    add_part(value, "reuse_y", t->dram_reuse[1]);
    add_part(value, "reuse_z", t->dram_reuse[2]);
    add_part(value, "capacity", t->dram_capacity - l->dram_capacity);
    add_part(value, "partial_stores", t->dram_partial);
    add_local(value, l->dram_capacity);
    set(out, WL_METRIC_dram_store_bytes, t->dram_store);
    if (l->dram_store > 0) {
        add_part(&out->metrics[WL_METRIC_dram_store_bytes], "global", t->dram_store - l->dram_store);
        add_local(&out->metrics[WL_METRIC_dram_store_bytes], l->dram_store);
    }
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

/* ---- the stages ---- */

static wl_status find_instructions(wl_predictor *p, const wl_view *view, const wl_geometry *g, wl_instructions *out,
                                   wl_error *err)
{
    if (!p->has_fixed_view)
        return wl_instructions_make(p->kernel, g, view->bounds, &p->launch_arena, out, err);
    for (size_t i = 0; i < FOLDINGS_KEPT; i++) {
        const kept_instructions *kept = &p->foldings[i];
        if (memcmp(kept->fold, g->fold, sizeof g->fold) == 0) {
            *out = kept->instructions;
            return WL_OK;
        }
    }
    kept_instructions *kept = &p->foldings[p->next_folding++ % FOLDINGS_KEPT];
    wl_arena_free(&kept->arena);
    memset(kept->fold, 0, sizeof kept->fold);
    WL_TRY(wl_instructions_make(p->kernel, g, view->bounds, &kept->arena, &kept->instructions, err));
    memcpy(kept->fold, g->fold, sizeof kept->fold);
    *out = kept->instructions;
    return WL_OK;
}

/* Everything up to the first fitted number. */
static wl_status count(wl_predictor *p, const wl_launch *launch, const wl_predict_options *options,
                       const wl_view **view, wl_counts *out, wl_error *err)
{
    wl_laws laws;
    double loads_per_phase = 1;
    *out = (wl_counts){.kernel = p->kernel};
    wl_arena_reset(&p->launch_arena);
    p->counter.method = WL_COUNT_CLOSED_FORM;
    WL_TRY(wl_geometry_make(p->kernel, p->device, launch, &out->launched, err));
    out->busy = wl_geometry_busy(&out->launched);
    *view = &p->fixed_view;
    if (!p->has_fixed_view) {
        wl_view *own = WL_ARENA_NEW(&p->launch_arena, wl_view, 1);
        if (!own)
            return wl_fail_memory(err);
        WL_TRY(wl_view_make(p->kernel, &out->launched, &p->launch_arena, own, err));
        *view = own;
    }

    wl_instructions instructions;
    const wl_warps_options warps_options = {.samples = options ? options->l1_samples : 0};
    p->warps.arena = &p->launch_arena;
    WL_TRY(find_instructions(p, *view, &out->busy, &instructions, err));
    WL_TRY(wl_warps_measure(p->kernel, &out->busy, (*view)->bounds, &instructions, &p->rules, &warps_options, &p->warps,
                            p->costs, &out->warps, err));
    (void)wl_device_get(p->device, WL_DEVICE_loads_per_phase, &loads_per_phase);
    WL_TRY(wl_thread_profile(p->kernel, &out->busy, (*view)->bounds, &instructions, p->rules.line, loads_per_phase,
                             &p->launch_arena, &out->thread, err));
    WL_TRY(wl_executed_count(p->kernel, &out->launched, p->rules.warp_size,
                             options && (options->emulate || options->per_line), &out->executed, err));
    if (p->kernel->stream.count && !p->kernel->has_mix && out->executed.warps > 0) {
        out->thread.instructions = out->executed.warp / out->executed.warps;
        out->thread.instructions_stated = true;
    }
    WL_TRY(wl_local_count(p->kernel, &out->launched, &p->rules, &out->local, err));
    add_up_warps(p, out);
    out->has_traffic = wl_laws_read(p->device, &laws);
    if (out->has_traffic) {
        const wl_traffic_input in = {*view, &out->busy, p->device, p->costs, p->page_bytes};
        WL_TRY(wl_traffic_count(&in, &p->counter, &p->launch_arena, &out->traffic, err));
    }
    out->method = p->counter.method;
    return WL_OK;
}

/* Metrics and time from counts and volumes. */
static void evaluate(const wl_counts *c, const wl_device *device, const wl_volumes *volumes, wl_model_id model,
                     wl_prediction *out)
{
    static const char *const methods[] = {"closed form", "rows", "threads"};
    const char *missing = NULL;
    set_executed(&c->executed, out);
    set_l1_metrics(c, device, out);
    set_volumes(volumes, out);
    out->l1_oversubscription = volumes->l1_oversubscription;
    out->l1_miss_rate = volumes->l1_miss_rate;
    memcpy(out->reuse, volumes->reuse, sizeof out->reuse);
    out->l1_estimator = c->has_hash ? "tag-hash" : "bank-distance";
    out->volume_estimator = volumes->estimator;
    out->count_method = methods[c->method];
    wl_time_apply(c, device, volumes, model, out, &missing);
    if (missing)
        warn(out, "the device file has no %s: no turnover model, the limiter model is used", missing);
}

static wl_status predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                         wl_prediction *out, wl_error *err)
{
    wl_predictor *p = NULL;
    wl_counts counts;
    const wl_view *view = NULL;
    wl_volumes volumes;
    WL_TRY(predictor_at(predictor, launch, &p, err));
    WL_TRY(count(p, launch, options, &view, &counts, err));
    set_launch(&counts.launched, out);
    const wl_volumes_input input = {view, &counts.busy, p->device, p->costs, p->page_bytes};
    WL_TRY(wl_volumes_estimate(&input, counts.has_traffic ? &counts.traffic : NULL, &p->counter, &p->launch_arena,
                               &volumes, err));
    wl_local_volumes(&counts.local, &counts.launched, p->device, &volumes);
    counts.method = p->counter.method;
    evaluate(&counts, p->device, &volumes, options ? options->model : WL_MODEL_BEST, out);
    out->kernel = p->kernel;
    set_field_shares(p, &volumes, out);
    if (options && options->per_line) {
        out->lines = counts.executed.lines;
        out->line_count = counts.executed.line_count;
    }
    if (options && options->per_access && volumes.known)
        WL_TRY(set_access_shares(p, view, &counts.busy, out, err));
    warn_about_conditions(p, out);
    warn_about_device(p, out);
    warn_about_estimate(p, &counts, &volumes, out);
    if (view->nearly)
        warn(out, "conditions that nearly all threads meet are left out of the volumes");
    warn_about_kernel(p->kernel, out);
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

/* ---- counts that are kept ---- */

struct wl_counted {
    wl_kernel kernel; /* its numbers; what it points to may be gone */
    wl_counts counts;
    wl_volume *volumes; /* scratch, one per field */
};

wl_status wl_counted_make(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                          wl_counted **out, wl_error *err)
{
    const wl_view *view = NULL;
    wl_predictor *p = NULL;
    WL_TRY(predictor_at(predictor, launch, &p, err));
    wl_counted *c = calloc(1, sizeof *c);
    if (!c)
        return wl_fail_memory(err);
    wl_status status = count(p, launch, options, &view, &c->counts, err);
    const size_t fields = p->kernel->field_count;
    wl_field_traffic *kept = calloc(fields, sizeof *kept);
    c->volumes = calloc(fields, sizeof *c->volumes);
    if (status == WL_OK && (!kept || !c->volumes))
        status = wl_fail_memory(err);
    if (status == WL_OK && (!c->counts.has_traffic || !c->counts.traffic.windows_known))
        status = wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                         c->counts.has_traffic ? "memory volumes cannot be counted"
                                               : "the device file lacks the numbers of the measured laws");
    if (status == WL_OK)
        memcpy(kept, c->counts.traffic.fields, fields * sizeof *kept);
    c->counts.traffic.fields = kept;
    c->kernel = *p->kernel;
    c->counts.kernel = &c->kernel;
    if (status != WL_OK) {
        wl_counted_free(c);
        return status;
    }
    *out = c;
    return WL_OK;
}

void wl_counted_predict(const wl_counted *counted, const wl_device *device, wl_model_id model, wl_prediction *out)
{
    wl_laws laws;
    wl_volumes volumes;
    (void)wl_laws_read(device, &laws);
    set_launch(&counted->counts.launched, out);
    wl_volumes_by_laws(&counted->counts.traffic, &laws, counted->volumes, &volumes);
    wl_local_volumes(&counted->counts.local, &counted->counts.launched, device, &volumes);
    evaluate(&counted->counts, device, &volumes, model, out);
}

void wl_counted_free(wl_counted *counted)
{
    if (!counted)
        return;
    free(counted->counts.traffic.fields);
    free(counted->volumes);
    free(counted);
}
