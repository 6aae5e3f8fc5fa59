/* fill.c - see fill.h. SPDX-License-Identifier: MIT */
#include "metrics/fill.h"

#include <string.h>

#include "device/device_internal.h"

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

#define LESS (1 - 1e-9) /* by more than rounding */

/* Executions from the instruction stream where there is one, as hardware counts them: also those
 * without an active lane, which make no request. */
static double executed(const wl_counts *c, wl_memory_op op, double otherwise)
{
    return c->executed.mix.has_memory ? c->executed.mix.memory[op] : otherwise;
}

static void set_requests(const wl_counts *c, wl_prediction *out)
{
    const wl_mix *mix = &c->executed.mix;
    const double active[] = {[WL_MEMORY_LOAD] = c->l1.load_inst, [WL_MEMORY_STORE] = c->l1.store_inst};
    static const wl_metric requests[] = {
        [WL_MEMORY_LOAD] = WL_METRIC_requests_ld, [WL_MEMORY_STORE] = WL_METRIC_requests_st};
    for (int op = WL_MEMORY_LOAD; op <= WL_MEMORY_STORE; op++) {
        const double on = mix->has_memory_on ? mix->memory_on[op] : active[op];
        if (mix->has_memory && on < LESS * mix->memory[op])
            set(out, requests[op], on);
    }
}

static void set_l1_metrics(const wl_counts *c, const wl_device *device, const wl_volumes *volumes, wl_prediction *out)
{
    set(out, WL_METRIC_inst_global_ld, executed(c, WL_MEMORY_LOAD, c->l1.load_inst));
    set(out, WL_METRIC_inst_global_st, executed(c, WL_MEMORY_STORE, c->l1.store_inst));
    set_requests(c, out);
    set(out, WL_METRIC_l1_sectors_ld, c->sectors[0]);
    set(out, WL_METRIC_l1_sectors_st, c->sectors[1]);
    out->bulk_sectors = c->bulk_sectors;
    const wl_l1_wavefronts w = wl_l1_law_on(&c->l1, device, volumes->l1_miss_rate);
    const double local = c->local.wavefronts[0] + c->local.wavefronts[1];
    wl_value *v = set(out, WL_METRIC_l1_wavefronts,
                      w.loads + w.stores + w.load_store + c->l1.thread_index + c->l1.shared + c->l1.barriers +
                          c->l1.atomics + local);
    add_part(v, "loads", w.loads);
    add_part(v, "stores", w.stores);
    add_part(v, "thread_index", c->l1.thread_index);
    if (w.load_store > 0)
        add_part(v, "load_store", w.load_store);
    if (c->l1.shared > 0)
        add_part(v, "shared", c->l1.shared);
    if (c->l1.barriers > 0)
        add_part(v, "barriers", c->l1.barriers);
    if (c->l1.atomics > 0) {
        add_part(v, "atomics", c->l1.atomics);
    }
    const double atomics = executed(c, WL_MEMORY_ATOMIC, c->warps.atomics.inst);
    if (atomics > 0 || c->l1.atomics > 0)
        set(out, WL_METRIC_inst_atomic, atomics);
    if (c->l1.texture_inst + c->l1.surface_inst > 0) {
        set(out, WL_METRIC_inst_texture, c->l1.texture_inst);
        set(out, WL_METRIC_inst_surface, c->l1.surface_inst);
        set(out, WL_METRIC_texture_sectors, c->texture_sectors);
        set(out, WL_METRIC_texture_wavefronts, c->l1.texture);
    }
    if (local > 0) {
        add_part(v, "local", local);
        set(out, WL_METRIC_inst_local_ld, executed(c, WL_MEMORY_LOCAL_LOAD, c->local.inst[0]));
        set(out, WL_METRIC_inst_local_st, executed(c, WL_MEMORY_LOCAL_STORE, c->local.inst[1]));
        set(out, WL_METRIC_l1_sectors_local_ld, c->local.sectors[0]);
        set(out, WL_METRIC_l1_sectors_local_st, c->local.sectors[1]);
    }
    if (c->l1.shared > 0 || c->executed.by_class) {
        set(out, WL_METRIC_inst_shared_ld, executed(c, WL_MEMORY_SHARED_LOAD, c->l1.shared_inst[0]));
        set(out, WL_METRIC_inst_shared_st, executed(c, WL_MEMORY_SHARED_STORE, c->l1.shared_inst[1]));
        if (executed(c, WL_MEMORY_SHARED_ATOMIC, c->l1.shared_atomics) > 0)
            set(out, WL_METRIC_inst_shared_atomic, executed(c, WL_MEMORY_SHARED_ATOMIC, c->l1.shared_atomics));
        set(out, WL_METRIC_shared_wavefronts, c->l1.shared + c->l1.thread_index + c->l1.barriers);
    }
    if (c->remote_sectors[0] + c->remote_sectors[1] > 0) {
        const double sector = (double)wl_device_int(device, WL_DEVICE_l1_sector);
        set(out, WL_METRIC_dsmem_load_bytes, c->remote_sectors[0] * sector);
        set(out, WL_METRIC_dsmem_store_bytes, c->remote_sectors[1] * sector);
    }
    if (c->constant_passes > 0)
        set(out, WL_METRIC_constant_passes, c->constant_passes);
    if (c->has_hash)
        set(out, WL_METRIC_l1_tag_wavefronts, c->tag_wavefronts);
    if (c->work.has_flops)
        set(out, WL_METRIC_flops, c->work.flops * (double)out->items);
    else if (c->work.has_instructions)
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
    value = set(out, WL_METRIC_dram_load_bytes, wl_volume_dram_loads(t));
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

void wl_metrics_set_launch(const wl_geometry *g, wl_prediction *out)
{
    memset(out, 0, sizeof *out);
    wl_geometry_launched(g, out->launch.block, out->launch.grid);
    memcpy(out->launch.fold, g->fold, sizeof g->fold);
    out->launch.registers = g->registers;
    out->launch.shared_bytes = g->shared_bytes;
    out->launch.schedule = g->schedule;
    out->occupancy = g->occupancy;
    out->items = g->items;
    out->threads_per_block = g->threads;
    out->blocks = g->blocks;
    out->wave_blocks = g->wave_blocks;
    out->waves = (double)g->blocks / (double)g->wave_blocks;
}

void wl_metrics_fill(const wl_counts *c, const wl_device *device, const wl_volumes *volumes, wl_prediction *out)
{
    set_executed(&c->executed, out);
    set_l1_metrics(c, device, volumes, out);
    set_volumes(volumes, out);
    out->l1_oversubscription = volumes->l1_oversubscription;
    out->l1_miss_rate = volumes->l1_miss_rate;
    memcpy(out->reuse, volumes->reuse, sizeof out->reuse);
    out->has_tag_hash = c->has_hash;
    out->volume_estimator = volumes->estimator;
    out->count_method = c->method;
    const wl_mix *mix = &c->executed.mix;
    out->sampled = c->warps.blocks_sampled || (c->executed.by_class && mix->sampled);
    out->sampled_error = WL_STATED_ERRORS * (mix->sampled && mix->error > c->warps.error ? mix->error : c->warps.error);
}
