/* volumes.c - which estimator for which device: see volumes.h. SPDX-License-Identifier: MIT */
#include "metrics/volumes.h"

#include "base/fail.h"
#include "metrics/laws.h"

static void add_up(const wl_volumes_input *input, wl_volumes *out)
{
    wl_volume *t = &out->total;
    *t = (wl_volume){0};
    for (size_t f = 0; f < input->view->kernel->field_count; f++) {
        const wl_volume *v = &out->fields[f];
        t->l2_compulsory += v->l2_compulsory;
        t->l2_capacity += v->l2_capacity;
        t->l2_store += v->l2_store;
        t->dram_compulsory += v->dram_compulsory;
        for (int i = 0; i < 3; i++)
            t->dram_reuse[i] += v->dram_reuse[i];
        t->dram_capacity += v->dram_capacity;
        t->dram_partial += v->dram_partial;
        t->dram_store += v->dram_store;
    }
}

static wl_status l2_side(const wl_volumes_input *input, const wl_traffic *traffic, const wl_laws *laws,
                         wl_counter *counter, wl_volumes *out, wl_error *err)
{
    if (laws && traffic->windows_known) {
        out->estimator = "l2-partitions";
        wl_laws_l2(traffic, laws, out);
        return WL_OK;
    }
    WL_TRY(wl_wave_footprint(input, counter, out, err));
    out->estimator = "reuse-sets";
    return wl_reuse_sets_l2(input, counter, out, err);
}

wl_status wl_volumes_estimate(const wl_volumes_input *input, wl_counter *counter, wl_arena *scratch, wl_volumes *out,
                              wl_error *err)
{
    wl_laws laws;
    wl_traffic traffic;
    const bool measured = wl_laws_read(input->device, &laws);
    *out = (wl_volumes){.fields = WL_ARENA_NEW(scratch, wl_volume, input->view->kernel->field_count),
                        .requests_known = measured};
    if (!out->fields)
        return wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    if (measured) {
        const wl_traffic_input in = {input->view, input->geometry, input->device, input->costs, input->page_bytes};
        WL_TRY(wl_traffic_count(&in, counter, scratch, &traffic, err));
        wl_laws_l1(&traffic, &laws, out);
    } else {
        WL_TRY(wl_reuse_sets_l1(input, counter, out, err));
    }
    wl_error limit = {0};
    const wl_status status = l2_side(input, &traffic, measured ? &laws : NULL, counter, out, &limit);
    out->known = status == WL_OK;
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(err, status, limit.loc, "%s", limit.message);
    add_up(input, out);
    return WL_OK;
}
