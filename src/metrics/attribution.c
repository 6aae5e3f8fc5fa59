/* attribution.c - see attribution.h. SPDX-License-Identifier: MIT */
#include "metrics/attribution.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"

#define ACCESSES_MAX 512 /* of one side of a field: each needs its own count */

/* New granules of each access of one side, given all earlier ones. WL_E_LIMIT: too expensive. */
static wl_status new_granules(const wl_attribution_input *in, wl_counter *counter, size_t field, wl_side side,
                              const wl_region *region, int64_t granule, double *fresh, wl_error *err)
{
    const wl_field_side *s = &in->view->fields[field][side];
    double before = 0;
    if (s->count > ACCESSES_MAX || (!s->has_shape && !wl_view_can_enumerate(in->view, field, side, region)))
        return wl_fail(err, WL_E_LIMIT, s->accesses[0]->access->loc, "too much work to attribute volumes to accesses");
    for (size_t i = 0; i < s->count; i++) {
        wl_count c;
        wl_status status;
        if (s->has_shape) {
            wl_arena arena = {0};
            wl_shape shape;
            status = wl_shape_make(s->accesses, i + 1, in->geometry, &arena, &shape, err);
            if (status == WL_OK)
                status = wl_shape_count(counter, &shape, region, granule, false, &c, err);
            wl_arena_free(&arena);
        } else {
            status = wl_threads_count(counter, s->accesses, i + 1, region, granule, false, &c, err);
        }
        WL_TRY(status);
        fresh[i] = (double)c.touched - before;
        before = (double)c.touched;
    }
    return WL_OK;
}

typedef double *(*share_member)(wl_share *share);
static double *l2_load(wl_share *s) { return &s->l2_load_bytes; }
static double *l2_store(wl_share *s) { return &s->l2_store_bytes; }
static double *dram_load(wl_share *s) { return &s->dram_load_bytes; }
static double *dram_store(wl_share *s) { return &s->dram_store_bytes; }

/* If the sampled blocks execute none of the accesses, sectors are the weights. False: there are
 * none, and nothing is distributed. */
static bool share_out(const wl_attribution_input *in, const wl_field_side *s, const double *fresh, double volume,
                      share_member member, wl_share *shares)
{
    double sum = 0, sectors = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum += fresh[i];
        sectors += shares[s->accesses[i]->access - in->view->kernel->accesses].l1_sectors;
    }
    for (size_t i = 0; i < s->count && sum + sectors > 0; i++) {
        wl_share *share = &shares[s->accesses[i]->access - in->view->kernel->accesses];
        *member(share) = sum > 0 ? volume * fresh[i] / sum : volume * share->l1_sectors / sectors;
    }
    return sum + sectors > 0;
}

static wl_status attribute_field(const wl_attribution_input *in, wl_counter *counter, wl_arena *scratch, size_t f,
                                 wl_share *shares, wl_error *err)
{
    const wl_geometry *g = in->geometry;
    const int64_t sector = wl_device_int(in->device, WL_DEVICE_l1_sector),
                  fetch = wl_device_int(in->device, WL_DEVICE_dram_fetch);
    const wl_field_side *loads = &in->view->fields[f][WL_LOADS], *stores = &in->view->fields[f][WL_STORES];
    double *fresh = WL_ARENA_NEW(scratch, double, wl_max((int64_t)loads->count, (int64_t)stores->count));
    if (!fresh)
        return wl_fail_memory(err);
    const wl_population *population = in->view->kernel->source.population;
    const int64_t length = population ? wl_min(g->wave_blocks, population->run) : g->wave_blocks;
    const int64_t middle = g->blocks / 2, start = wl_min(middle, g->blocks - length);
    const wl_region block = wl_view_run(in->view, g, middle, middle + 1),
                    wave = wl_view_run(in->view, g, start, start + length);
    WL_TRY(new_granules(in, counter, f, WL_LOADS, &block, sector, fresh, err));
    (void)share_out(in, loads, fresh, in->fields[f].l2_load_bytes, l2_load, shares);
    WL_TRY(new_granules(in, counter, f, WL_LOADS, &wave, fetch, fresh, err));
    const bool loaded = share_out(in, loads, fresh, in->fields[f].dram_load_bytes, dram_load, shares);
    WL_TRY(new_granules(in, counter, f, WL_STORES, &wave, sector, fresh, err));
    (void)share_out(in, stores, fresh, in->fields[f].dram_store_bytes, dram_store, shares);
    if (!loaded) /* reads that complete partial writes belong to the stores */
        (void)share_out(in, stores, fresh, in->fields[f].dram_load_bytes, dram_load, shares);
    /* every store writes its own sectors through, except for write combining */
    for (size_t i = 0; i < stores->count; i++)
        fresh[i] = shares[stores->accesses[i]->access - in->view->kernel->accesses].l1_sectors;
    (void)share_out(in, stores, fresh, in->fields[f].l2_store_bytes, l2_store, shares);
    return WL_OK;
}

wl_status wl_attribute(const wl_attribution_input *input, wl_counter *counter, wl_arena *scratch, wl_share *shares,
                       wl_error *err)
{
    for (size_t f = 0; f < input->view->kernel->field_count; f++)
        WL_TRY(attribute_field(input, counter, scratch, f, shares, err));
    return WL_OK;
}
