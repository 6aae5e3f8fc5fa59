/* simulated_volumes.c - see simulated_volumes.h. SPDX-License-Identifier: MIT */
#include "laws/simulated_volumes.h"

#include <math.h>

#include "base/fail.h"
#include "cache/simulate_launch.h"
#include "device/device_internal.h"

/* The requests of one field, in bytes; whether it has atomics. */
typedef struct asked {
    double loads, stores;
    bool atomics;
} asked;

static asked asked_of(const wl_traffic_input *in, size_t field)
{
    const wl_kernel *kernel = in->view->kernel;
    const double sector = (double)wl_device_int(in->device, WL_DEVICE_l1_sector);
    asked a = {0};
    for (size_t i = 0; i < kernel->access_count; i++) {
        const wl_access *access = &kernel->accesses[i];
        if (access->field != field)
            continue;
        a.atomics = a.atomics || access->atomic;
        *(access->store ? &a.stores : &a.loads) += sector * in->costs[i].sectors;
    }
    return a;
}

/* A sample may be a little above what was counted. */
static void replace_l2(const asked *a, const wl_simulated_field *simulated, wl_volume *v)
{
    const double loaded = fmin(simulated->l2_load, a->loads);
    /* blocks share more, or less, than by the laws */
    v->l2_compulsory = fmin(v->l2_compulsory, loaded);
    v->l2_capacity = loaded - v->l2_compulsory;
    v->l2_again = 0;
    v->replayed = false;
    v->l2_store = fmin(simulated->l2_store, a->stores);
}

/* The simulator's loads include fetches to complete partial stores. */
static void replace_dram(const wl_simulated_field *simulated, double stored_share, double per_sector, wl_volume *v)
{
    const double most = per_sector * (v->l2_compulsory + v->l2_capacity);
    v->dram_compulsory = fmin(simulated->dram_load, most);
    v->dram_reuse[0] = v->dram_reuse[1] = v->dram_reuse[2] = v->dram_capacity = v->dram_partial = 0;
    v->dram_store = stored_share * v->l2_store;
}

static void replace(const wl_traffic_input *in, const wl_simulated *s, const wl_simulated_field *fields, bool dram,
                    wl_volumes *out)
{
    const size_t count = in->view->kernel->field_count;
    const double stored = fmax(0, s->dram_store_bytes - s->dirty_bytes);
    const double per_sector = fmax(1, (double)wl_device_int(in->device, WL_DEVICE_dram_fetch) /
                                          (double)wl_device_int(in->device, WL_DEVICE_l1_sector));
    double could_hit = 0, capacity = 0;
    for (size_t f = 0; f < count; f++) {
        const asked a = asked_of(in, f);
        out->simulation.by_laws += a.atomics;
        if (a.atomics)
            continue;
        replace_l2(&a, &fields[f], &out->fields[f]);
        if (dram)
            replace_dram(&fields[f], s->l2_store_bytes > 0 ? stored / s->l2_store_bytes : 0, per_sector,
                         &out->fields[f]);
        could_hit += a.loads - out->fields[f].l2_compulsory;
        capacity += out->fields[f].l2_capacity;
    }
    out->l1_miss_rate = could_hit > 0 ? capacity / could_hit : 0;
}

/* Units requested from the L2: as many per byte as before. */
static void scale_requests(double before, double after, wl_requests *r)
{
    if (before <= 0)
        return;
    r->read_units *= after / before;
    r->lone_units *= after / before;
}

wl_status wl_volumes_simulate(const wl_traffic_input *in, const wl_geometry *launched, int64_t addresses,
                              wl_arena *scratch, wl_volumes *out, wl_error *err)
{
    const wl_kernel *kernel = in->view->kernel;
    const double footprint = out->footprint, before = out->total.l2_compulsory + out->total.l2_capacity;
    wl_simulated_field *fields = WL_ARENA_NEW(scratch, wl_simulated_field, kernel->field_count + 1);
    wl_simulated s;
    if (!fields)
        return wl_fail_memory(err);
    const wl_simulate_options options = {.addresses = addresses < 0 ? 0 : addresses, .fields = fields};
    WL_TRY(wl_simulate_launch(kernel, in->device, launched, &options, &s, err));
    const bool whole = s.simulated == s.blocks, dram = out->known && (whole || s.l2_filled);
    out->simulation = (wl_simulation){.used = true,
                                      .dram = dram,
                                      .blocks = s.blocks,
                                      .simulated_blocks = s.simulated,
                                      .sms = s.sms,
                                      .simulated_sms = s.simulated_sms,
                                      .waves = s.generations,
                                      .addresses = s.addresses,
                                      .dram_estimator = out->estimator};
    replace(in, &s, fields, dram, out);
    if (dram)
        for (int i = 0; i < 3; i++)
            out->reuse[i] = (wl_reuse){0};
    wl_volumes_add_up(kernel->field_count, out);
    out->footprint = footprint;
    scale_requests(before, out->total.l2_compulsory + out->total.l2_capacity, &out->requests);
    out->estimator = WL_VOLUMES_SIMULATED;
    out->sampled = 0;
    return WL_OK;
}
