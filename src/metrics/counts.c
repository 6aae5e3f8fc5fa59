/* counts.c - see counts.h. SPDX-License-Identifier: MIT */
#include "metrics/counts.h"

#include <math.h>

#include "base/ckd.h"

wl_work wl_work_of(const wl_kernel *k)
{
    return (wl_work){k->has_flops, k->flops,     k->fp_results,
                     k->barriers,  k->precision, k->source.count_instructions != NULL,
                     k->specials};
}

static wl_reached reached(const wl_costs *p, size_t access)
{
    return p->kernel->fields[p->kernel->accesses[access].field].reached;
}

/* Does a store fill the queue between tags and data, so that each tag wavefront takes its own data
 * wavefronts? */
static bool fills_queue(const wl_costs *p, const wl_access_cost *c)
{
    return p->store_tags > 0 && c->stored_tag >= p->store_tags * c->inst && c->inst > 0;
}

double wl_access_wavefronts(const wl_costs *p, size_t access)
{
    const wl_access_cost *c = &p->access[access];
    if (p->kernel->fields[p->kernel->accesses[access].field].shared)
        return c->hit;
    if (p->kernel->accesses[access].atomic)
        return c->hit;
    if (p->kernel->accesses[access].to_shared)
        return 0;
    if (p->kernel->accesses[access].store)
        return fills_queue(p, c) ? c->stored_cold : c->hit + p->store_split * c->split;
    if (reached(p, access) != WL_BY_LOADS)
        return c->hit;
    return p->rules->has_hash ? c->cold - p->repeats * c->again : c->hit;
}

void wl_counts_add_up(const wl_costs *p, wl_counts *out)
{
    wl_l1_totals t = {0};
    const wl_geometry *g = &out->launched;
    out->has_hash = p->rules->has_hash;
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        const wl_access_cost *c = &p->access[a];
        const bool store = p->kernel->accesses[a].store;
        const bool atomic = p->kernel->accesses[a].atomic;
        if (p->kernel->fields[p->kernel->accesses[a].field].constant) {
            out->constant_passes += c->hit;
            out->constant_lines += c->lines;
            continue;
        }
        if (p->kernel->fields[p->kernel->accesses[a].field].shared) {
            *(atomic ? &t.shared_atomics : &t.shared_inst[store]) += c->inst;
            t.shared += c->hit;
            out->remote_sectors[store] += c->sectors; /* of other blocks of a cluster */
            continue;
        }
        if (p->kernel->accesses[a].bulk) {
            out->sectors[store] += c->sectors;
            out->bulk_sectors += c->sectors;
            continue;
        }
        if (atomic) {
            t.atomics += c->hit;
            continue;
        }
        if (reached(p, a) != WL_BY_LOADS) {
            *(reached(p, a) == WL_BY_TEXTURE ? &t.texture_inst : &t.surface_inst) += c->inst;
            t.surface_stores += store ? c->inst : 0;
            t.texture += store ? 0 : c->hit;
            t.store_hit += store ? c->hit : 0;
            t.store_split += c->split;
            out->texture_sectors += c->texture_sectors;
            continue;
        }
        *(store ? &t.store_inst : &t.load_inst) += c->inst;
        const bool passes = !p->kernel->accesses[a].to_shared;
        const bool queues = store && fills_queue(p, c);
        *(store ? &t.store_hit : &t.load_hit) += queues ? c->stored_cold : passes ? c->hit : 0;
        t.store_split += queues ? 0 : c->split;
        t.load_cold += store ? 0 : wl_access_wavefronts(p, a);
        t.load_again += store || !passes ? 0 : c->again;
        out->sectors[store] += c->sectors;
        out->stored_lines += store ? c->lines : 0;
        out->tag_wavefronts += c->tag;
    }
    t.shared += out->warps.swaps.wavefronts;
    t.shared += out->executed.mix.shuffles + out->executed.mix.operands + out->executed.mix.idle_accesses;
    /* the last warp that arrives opens it: one for the block */
    t.barriers = p->kernel->barriers * (double)g->blocks;
    const double index_reads = (double)p->kernel->coordinate_reads,
                 per_block = (double)wl_ceil_div(g->threads, p->rules->warp_size);
    if (wl_device_get(p->device, WL_DEVICE_l1_thread_index_wavefronts, &t.thread_index))
        t.thread_index *= index_reads * (double)g->blocks * per_block;
    t.loads_per_warp = out->thread.loads;
    const double texture_loads = t.texture_inst + t.surface_inst - t.surface_stores;
    t.warps = out->thread.loads > 0 ? (t.load_inst + texture_loads) / out->thread.loads : 0;
    out->l1 = t;
}

/* Lines that hit need their tags, but no passes of their own through the data stage: what replays
 * found of each field. */
void wl_counts_add_hits(const wl_costs *p, wl_counts *out)
{
    out->l1.load_found = 0;
    for (size_t a = 0; a < p->kernel->access_count && out->has_traffic && p->rules->has_hash; a++) {
        const wl_access *access = &p->kernel->accesses[a];
        const wl_access_cost *c = &p->access[a];
        const wl_field_traffic *f = &out->traffic.fields[access->field];
        const bool loads = !access->store && !access->atomic && !access->to_shared && !access->bulk;
        if (loads && f->replay.replayed && !p->kernel->fields[access->field].shared && reached(p, a) == WL_BY_LOADS)
            out->l1.load_found += fmax(0, c->cold - c->hit - c->again) * f->replay.found;
    }
}
