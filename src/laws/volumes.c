/* volumes.c - chooses the estimator: see volumes.h. SPDX-License-Identifier: MIT */
#include "laws/volumes.h"

#include <math.h>

#include "base/fail.h"
#include "laws/least_volumes.h"
#include "laws/traffic_laws.h"

double wl_volume_dram_loads(const wl_volume *v)
{
    return v->dram_compulsory + v->dram_reuse[0] + v->dram_reuse[1] + v->dram_reuse[2] + v->dram_capacity +
           v->dram_partial;
}

void wl_volumes_add_up(size_t count, wl_volumes *out)
{
    wl_volume *t = &out->total;
    *t = (wl_volume){0};
    out->footprint = 0;
    for (size_t f = 0; f < count; f++) {
        const wl_volume *v = &out->fields[f];
        /* what several waves load is counted for each of them, and the L2 saves all but one; the
         * numbers of phases were fitted to the former */
        const double loaded = v->walked ? fmin(v->dram_compulsory, wl_volume_dram_loads(v)) : v->dram_compulsory;
        out->footprint += fmax(loaded, v->l2_store);
        t->l2_compulsory += v->l2_compulsory;
        t->l2_capacity += v->l2_capacity;
        t->l2_store += v->l2_store;
        t->l2_again += v->l2_again;
        t->dram_compulsory += v->dram_compulsory;
        for (int i = 0; i < 3; i++)
            t->dram_reuse[i] += v->dram_reuse[i];
        t->dram_capacity += v->dram_capacity;
        t->dram_partial += v->dram_partial;
        t->dram_store += v->dram_store;
    }
}

static void apply_laws(const wl_traffic *traffic, const wl_laws *l1, const wl_laws *l2, wl_volume *fields,
                       wl_volumes *out)
{
    *out = (wl_volumes){.fields = fields, .requests_known = true};
    for (size_t f = 0; f < traffic->field_count; f++)
        fields[f] = (wl_volume){0};
    wl_laws_l1(traffic, l1, out);
    if (traffic->windows_known) {
        out->estimator = WL_VOLUMES_L2_PARTITIONS;
        out->known = true;
        wl_laws_l2(traffic, l2, out);
    }
    wl_volumes_add_up(traffic->field_count, out);
}

/* A memory-side cache gets what misses the L2 and holds every line once, so DRAM loads are those of
 * an L2 of its size without partitions. */
void wl_volumes_by_laws(const wl_traffic *traffic, const wl_laws *laws, wl_volume *fields, wl_volumes *out)
{
    const bool cached = laws->memory_cache > 0 && traffic->windows_known;
    double behind = 0;
    if (cached) {
        wl_laws larger = *laws;
        larger.partitions = 1;
        larger.room = laws->memory_cache;
        apply_laws(traffic, laws, &larger, fields, out);
        behind = wl_volume_dram_loads(&out->total);
    }
    apply_laws(traffic, laws, laws, fields, out);
    out->cached = cached ? fmax(0, wl_volume_dram_loads(&out->total) - behind) : 0;
}

/* Lower bounds of what the launch moves; where even these are too expensive to count, what one
 * block loads. */
static wl_status find_least(const wl_traffic_input *input, const wl_laws *laws, wl_counter *counter, wl_volumes *out,
                            wl_error *err)
{
    wl_error limit = {0};
    const wl_status status = wl_least_volumes(input, counter, out->least, &limit);
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(err, status, limit.loc, "%s", limit.message);
    if (status == WL_E_LIMIT)
        out->least[0] = out->least[1] = 0;
    for (size_t f = 0; f < input->view->kernel->field_count && status == WL_E_LIMIT; f++)
        out->least[0] += out->fields[f].l2_compulsory / (double)input->geometry->blocks;
    if (laws)
        out->least[1] -= wl_laws_dirty_rest(laws, out->least[1], out->least[0]);
    return WL_OK;
}

wl_status wl_volumes_estimate(const wl_traffic_input *input, const wl_traffic *traffic, const wl_laws *laws,
                              wl_counter *counter, wl_arena *scratch, wl_volumes *out, wl_error *err)
{
    const size_t count = input->view->kernel->field_count;
    wl_volume *fields = WL_ARENA_NEW(scratch, wl_volume, count);
    if (!fields)
        return wl_fail_memory(err);
    if (traffic) {
        wl_volumes_by_laws(traffic, laws, fields, out);
    } else {
        *out = (wl_volumes){.fields = fields};
        WL_TRY(wl_reuse_sets_l1(input, counter, out, err));
    }
    if (out->known)
        return WL_OK;
    wl_error limit = {0};
    out->estimator = WL_VOLUMES_REUSE_SETS;
    const wl_status status = wl_reuse_sets_l2(input, counter, out, &limit);
    out->known = status == WL_OK;
    if (status == WL_E_LIMIT)
        WL_TRY(find_least(input, traffic ? laws : NULL, counter, out, err));
    else if (status != WL_OK)
        return wl_fail(err, status, limit.loc, "%s", limit.message);
    wl_volumes_add_up(count, out);
    return WL_OK;
}
