/* reuse_sets.c - the estimator "reuse-sets": see volumes.h. SPDX-License-Identifier: MIT */
#include "laws/volumes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "count/block_sum.h"
#include "count/loop_runs.h"
#include "replay/walk_replay.h"
#include "laws/curve.h"

typedef struct estimator {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_volumes *out;
    size_t field_count;
    double l2_room;
    wl_error *err;
} estimator;

static wl_status count(const estimator *e, size_t field, wl_side side, const wl_region *region, int64_t granule,
                       double *bytes)
{
    wl_count c;
    WL_TRY(wl_view_count(e->in->view, e->counter, field, side, region, granule, false, &c, e->err));
    *bytes = (double)c.touched * (double)granule;
    return WL_OK;
}

/* ---- L1: distinct sectors of each block, and reloads ---- */

static double oversubscribed(const estimator *e, double bytes)
{
    const double scale = (double)wl_device_int(e->in->device, WL_DEVICE_l1_curve_scale);
    return bytes / sqrt((double)e->in->geometry->occupancy.l1_bytes * scale);
}

/* What blocks touch while their loops execute a run of this length: sectors of each field summed
 * over runs, and lines of the blocks on one multiprocessor. */
static wl_status touched_in_run(const estimator *e, const int64_t extents[WL_LOOPS_MAX], double *sectors, double *lines)
{
    wl_view view = *e->in->view;
    const int64_t granules[2] = {wl_device_int(e->in->device, WL_DEVICE_l1_sector),
                                 wl_device_int(e->in->device, WL_DEVICE_l1_line)};
    const wl_geometry *g = e->in->geometry;
    view.steps = extents;
    *lines = 0;
    for (size_t f = 0; f < e->field_count; f++) {
        const wl_block_sum_input in = {&view, e->counter, g, f, WL_LOADS, false, 2, {granules[0], granules[1]}};
        wl_block_sum sum;
        WL_TRY(wl_block_sum_make(&in, &sum, e->err));
        sectors[f] = sum.granules[0] * wl_loop_runs_of(e->in->view, f, WL_LOADS, extents);
        *lines += sum.granules[1] / (double)g->blocks * (double)g->occupancy.blocks_per_sm;
    }
    return WL_OK;
}

/* The curve gives the share of a block's reloads that misses, from what is touched in between: all
 * that the block touches or, if the reuse is within a few steps of its loops, what these steps
 * touch. l2_capacity has all requests. */
static wl_status loads_again(estimator *e)
{
    const double sector = (double)wl_device_int(e->in->device, WL_DEVICE_l1_sector),
                 line = (double)wl_device_int(e->in->device, WL_DEVICE_l1_line);
    int64_t extents[WL_STEPS_MAX][WL_LOOPS_MAX];
    const int runs = wl_loop_runs_choose(e->in->view->kernel, extents);
    double *left = malloc((2 * e->field_count + 1) * sizeof *left), *sectors = left + e->field_count, again = 0,
           all = 0;
    wl_status status = left ? WL_OK : wl_fail_memory(e->err);
    for (size_t f = 0; f < e->field_count && left; f++) {
        wl_volume *v = &e->out->fields[f];
        left[f] = v->l2_capacity;
        v->l2_compulsory = fmin(v->l2_compulsory, left[f]); /* a sample of blocks may exceed it */
        all += left[f] - v->l2_compulsory;
        v->l2_capacity = 0;
    }
    for (int n = 0; n < runs && status == WL_OK; n++) {
        double lines = e->out->l1_alloc_bytes / line;
        if (n + 1 < runs)
            status = touched_in_run(e, extents[n], sectors, &lines);
        const double miss = wl_curve_miss(e->in->device, WL_DEVICE_l1_miss_curve, oversubscribed(e, lines * line));
        for (size_t f = 0; f < e->field_count && status == WL_OK; f++) {
            wl_volume *v = &e->out->fields[f];
            const double kept = n + 1 < runs ? fmax(sectors[f] * sector, v->l2_compulsory) : v->l2_compulsory;
            v->l2_capacity += miss * fmax(0, left[f] - kept);
            again += miss * fmax(0, left[f] - kept);
            left[f] = fmin(left[f], kept);
        }
    }
    free(left);
    e->out->l1_miss_rate = runs > 1 && all > 0 ? again / all : e->out->l1_miss_rate;
    return status;
}

static double requested_bytes(const estimator *e, size_t field)
{
    const wl_kernel *k = e->in->view->kernel;
    double sectors = 0;
    for (size_t a = 0; a < k->access_count; a++)
        if (k->accesses[a].field == field && !k->accesses[a].store && !k->accesses[a].atomic)
            sectors += e->in->costs[a].sectors;
    return sectors * (double)wl_device_int(e->in->device, WL_DEVICE_l1_sector);
}

/* Blocks that loop through the same data hit lines that others have just loaded, if they are not
 * too far apart. */
static wl_status walk_together(const estimator *e)
{
    const wl_geometry *g = e->in->geometry;
    wl_walk_input in = {.view = e->in->view, .geometry = g, .costs = e->in->costs};
    if (g->blocks <= g->wave_blocks || !wl_walk_read(e->in->device, &in))
        return WL_OK;
    e->out->unreplayed = e->in->unreplayed && wl_walk_loops_known(&in);
    if (e->out->unreplayed)
        return WL_OK;
    wl_arena arena = {0};
    wl_walked walked = {0};
    const wl_status status = wl_walk_replay(&in, &arena, &walked, e->err);
    for (size_t f = 0; f < e->field_count && status == WL_OK && walked.known; f++) {
        wl_volume *v = &e->out->fields[f];
        const double loaded = fmin(walked.missed[f] * requested_bytes(e, f), v->l2_compulsory + v->l2_capacity);
        v->l2_compulsory = fmin(v->l2_compulsory, loaded);
        v->l2_capacity = loaded - v->l2_compulsory;
        v->replayed = loaded > 0;
    }
    e->out->replay_size = walked.size;
    wl_arena_free(&arena);
    return status;
}

static wl_status l1_volumes(estimator *e)
{
    const wl_device *d = e->in->device;
    const wl_geometry *g = e->in->geometry;
    const wl_kernel *k = e->in->view->kernel;
    const int64_t sector = wl_device_int(d, WL_DEVICE_l1_sector), line = wl_device_int(d, WL_DEVICE_l1_line);
    double lines = 0;
    for (size_t f = 0; f < e->field_count; f++) {
        const wl_block_sum_input in = {e->in->view, e->counter, g, f, WL_LOADS, false, 2, {sector, line}};
        wl_block_sum sum;
        WL_TRY(wl_block_sum_make(&in, &sum, e->err));
        e->out->fields[f].l2_compulsory = sum.granules[0] * (double)sector;
        e->out->sampled = wl_smaller_sample(e->out->sampled, sum.sampled);
        lines += sum.granules[1];
    }
    e->out->l1_alloc_bytes = lines / (double)g->blocks * (double)line * (double)g->occupancy.blocks_per_sm;
    e->out->l1_oversubscription = oversubscribed(e, e->out->l1_alloc_bytes);
    e->out->l1_miss_rate = wl_curve_miss(d, WL_DEVICE_l1_miss_curve, e->out->l1_oversubscription);
    for (size_t a = 0; a < k->access_count; a++) {
        const double requested = e->in->costs[a].sectors * (double)sector;
        wl_volume *v = &e->out->fields[k->accesses[a].field];
        if (k->accesses[a].atomic)
            continue; /* executed in the L2 */
        if (k->accesses[a].store)
            v->l2_store += requested;
        else if (!k->accesses[a].bypasses_l1)
            v->l2_capacity += requested; /* all requests, for now */
    }
    WL_TRY(loads_again(e));
    for (size_t a = 0; a < k->access_count; a++)
        if (k->accesses[a].bypasses_l1)
            e->out->fields[k->accesses[a].field].l2_capacity += e->in->costs[a].sectors * (double)sector;
    return walk_together(e);
}

/* ---- L2: one wave and the blocks before it ---- */

/* A wave in the middle of the launch, starting at a row of blocks (or a layer, if it holds more
 * than one) where possible. Most waves lie inside a layer; the few at its ends load more by the
 * halo of the domain. */
static int64_t wave_start(const wl_geometry *g)
{
    const int64_t wave = g->wave_blocks, row = g->grid[0], layer = row * g->grid[1];
    int64_t start;
    if (g->blocks <= wave)
        return 0;
    if (wl_blocks_are_ordered(g))
        return (g->blocks - wave) / 2;
    if (wave >= layer)
        start = (g->grid[2] - wl_ceil_div(wave, layer)) / 2 * layer;
    else if (wave >= row)
        start = g->grid[2] / 2 * layer + (g->grid[1] - wl_ceil_div(wave, row)) / 2 * row;
    else
        start = g->grid[2] / 2 * layer + g->grid[1] / 2 * row + (row - wave) / 2;
    /* hardly more than one wave: the last one has blocks before it */
    if (start <= 0 || start > g->blocks - wave)
        start = g->blocks - wave;
    return start;
}

/* Distance, in blocks, to the neighbours in x, y and z; 0: none. */
static void reuse_distances(const wl_geometry *g, int64_t start, int64_t distance[3])
{
    wl_block_run runs[WL_BLOCK_RUNS_MAX];
    distance[0] = wl_blocks_are_ordered(g) ? 0 : wl_min(start % g->grid[0], g->wave_blocks);
    distance[1] = distance[2] = 0;
    for (int i = wl_block_runs(g, runs) - 1; i >= 0; i--)
        distance[runs[i].next] = wl_min(runs[i].blocks, start);
}

static wl_status wave_loads(estimator *e, const wl_region *wave)
{
    const int64_t fetch = wl_device_int(e->in->device, WL_DEVICE_dram_fetch);
    for (size_t f = 0; f < e->field_count; f++)
        WL_TRY(count(e, f, WL_LOADS, wave, fetch, &e->out->fields[f].dram_compulsory));
    return WL_OK;
}

static wl_status allocated(const estimator *e, const wl_region *region, double *bytes)
{
    const int64_t line = wl_device_int(e->in->device, WL_DEVICE_l2_line);
    *bytes = 0;
    for (size_t f = 0; f < e->field_count; f++) {
        double field = 0;
        WL_TRY(count(e, f, WL_BOTH, region, line, &field));
        *bytes += field;
    }
    return WL_OK;
}

/* Per field, the part of the wave's loads that the last `distance` blocks touched, too; nearer
 * reuse is subtracted. */
static wl_status overlap(estimator *e, int64_t start, int64_t distance, int direction)
{
    const int64_t fetch = wl_device_int(e->in->device, WL_DEVICE_dram_fetch);
    const wl_region before = wl_view_run(e->in->view, e->in->geometry, start - distance, start);
    const wl_region both =
        wl_view_run(e->in->view, e->in->geometry, start - distance, start + e->in->geometry->wave_blocks);
    for (size_t f = 0; f < e->field_count; f++) {
        wl_volume *v = &e->out->fields[f];
        double old = 0, together = 0;
        WL_TRY(count(e, f, WL_LOADS, &before, fetch, &old));
        WL_TRY(count(e, f, WL_LOADS, &both, fetch, &together));
        double shared = v->dram_compulsory + old - together;
        for (int d = 0; d < direction; d++)
            shared -= v->dram_reuse[d];
        v->dram_reuse[direction] = fmax(0, shared);
        e->out->reuse[direction].overlap_bytes += v->dram_reuse[direction];
    }
    double held = 0;
    WL_TRY(allocated(e, &both, &held));
    e->out->reuse[direction].oversubscription = held / e->l2_room;
    return WL_OK;
}

static wl_status reuse(estimator *e, int64_t start)
{
    int64_t distance[3], nearer = 0;
    reuse_distances(e->in->geometry, start, distance);
    for (int d = 0; d < 3; d++) {
        wl_reuse *r = &e->out->reuse[d];
        r->exists = distance[d] > nearer;
        if (!r->exists)
            continue;
        WL_TRY(overlap(e, start, distance[d], d));
        r->hit_rate = 1 - wl_curve_miss(e->in->device, WL_DEVICE_l2_reuse_curve, r->oversubscription);
        nearer = distance[d];
    }
    return WL_OK;
}

/* Sectors that instructions store, atomics included. */
static double written_sectors(const estimator *e, size_t field)
{
    const wl_kernel *k = e->in->view->kernel;
    double sectors = 0;
    for (size_t a = 0; a < k->access_count; a++)
        if (k->accesses[a].field == field && k->accesses[a].store)
            sectors += e->in->costs[a].sectors;
    return sectors;
}

/* Stores: distinct sectors of the launch. Sectors that are written only partially are read, unless
 * the field is loaded anyway. */
static wl_status stores(estimator *e, const wl_region *wave)
{
    const int64_t sector = wl_device_int(e->in->device, WL_DEVICE_l1_sector);
    const wl_region all = wl_view_run(e->in->view, e->in->geometry, 0, e->in->geometry->blocks);
    for (size_t f = 0; f < e->field_count; f++) {
        const wl_field_side *sides = e->in->view->fields[f];
        wl_volume *v = &e->out->fields[f];
        wl_status status = WL_E_LIMIT;
        wl_error limit = {0};
        wl_count c = {0, -1};
        const bool loaded_too = sides[WL_LOADS].count > 0;
        if (sides[WL_STORES].count == 0)
            continue;
        if (sides[WL_STORES].has_shape)
            status = wl_view_count(e->in->view, e->counter, f, WL_STORES, &all, sector, !loaded_too, &c, &limit);
        if (status == WL_E_LIMIT) { /* the whole launch is too expensive: extrapolate a wave */
            WL_TRY(count(e, f, WL_STORES, wave, sector, &v->dram_store));
            v->dram_store = fmin(v->dram_store * e->out->waves, written_sectors(e, f) * (double)sector);
            e->out->partial_unknown = e->out->partial_unknown || !loaded_too;
            continue;
        }
        if (status != WL_OK)
            return wl_fail(e->err, status, limit.loc, "%s", limit.message);
        v->dram_store = (double)c.touched * (double)sector;
        e->out->partial_unknown = e->out->partial_unknown || (!loaded_too && c.covered < 0);
        if (!loaded_too && c.covered >= 0)
            v->dram_partial = (double)(c.touched - c.covered) * (double)sector;
    }
    return WL_OK;
}

/* Extrapolates one wave to the launch: every wave loads the same amount, and all but the first
 * reuse data of earlier blocks. Waves in the middle are full; all waves together load at most what
 * their blocks request, a fetch for each sector. */
static void extrapolate(estimator *e)
{
    wl_volumes *o = e->out;
    const wl_device *d = e->in->device;
    const double scale = sqrt(e->l2_room * (double)wl_device_int(d, WL_DEVICE_l2_curve_scale));
    const double per_sector =
        fmax(1, (double)wl_device_int(d, WL_DEVICE_dram_fetch) / (double)wl_device_int(d, WL_DEVICE_l1_sector));
    const double load_miss = wl_curve_miss(d, WL_DEVICE_l2_miss_curve, o->l2_alloc_bytes / scale);
    const double store_miss = wl_curve_miss(d, WL_DEVICE_l2_store_curve, o->l2_alloc_bytes / scale);
    for (size_t f = 0; f < e->field_count; f++) {
        wl_volume *v = &o->fields[f];
        const double requested = v->l2_compulsory + v->l2_capacity, all = v->dram_compulsory * o->waves;
        const double full = all > requested * per_sector ? requested * per_sector / all : 1;
        v->dram_compulsory *= o->waves * full;
        v->dram_capacity = load_miss * fmax(0, requested - v->dram_compulsory);
        for (int i = 0; i < 3; i++)
            v->dram_reuse[i] *= -o->reuse[i].hit_rate * fmax(0, o->waves - 1) * full;
        const double redundant = store_miss * fmax(0, v->l2_store - v->dram_store);
        v->dram_partial += redundant;
        v->dram_store += redundant;
    }
}

static wl_status pages(estimator *e, const wl_region *wave)
{
    for (size_t f = 0; f < e->field_count; f++) {
        double bytes = 0;
        WL_TRY(count(e, f, WL_BOTH, wave, e->in->page_bytes, &bytes));
        e->out->pages += bytes / (double)e->in->page_bytes;
    }
    return WL_OK;
}

static wl_status one_wave(estimator *e, int64_t start)
{
    const wl_geometry *g = e->in->geometry;
    const wl_region wave = wl_view_run(e->in->view, g, start, start + g->wave_blocks);
    WL_TRY(wave_loads(e, &wave));
    WL_TRY(allocated(e, &wave, &e->out->l2_alloc_bytes));
    WL_TRY(reuse(e, start));
    return pages(e, &wave);
}

/* ---- waves that differ by conditions ---- */

#define WAVES_SAMPLED 8    /* evenly spread: their mean represents all */
#define WAVES_ENUMERATED 4 /* the same where threads are evaluated one by one */

/* Volumes are means over all waves; footprint and reuse of a wave are means over busy waves,
 * weighted by footprint and reuse. */
static void add_wave(const wl_volumes *one, size_t fields, double share, wl_volumes *mean)
{
    for (size_t f = 0; f < fields; f++) {
        mean->fields[f].dram_compulsory += share * one->fields[f].dram_compulsory;
        for (int d = 0; d < 3; d++)
            mean->fields[f].dram_reuse[d] += share * one->fields[f].dram_reuse[d];
    }
    for (int d = 0; d < 3; d++) {
        mean->reuse[d].overlap_bytes += share * one->reuse[d].overlap_bytes;
        mean->reuse[d].oversubscription += share * one->reuse[d].overlap_bytes * one->reuse[d].oversubscription;
        mean->reuse[d].hit_rate += share * one->reuse[d].overlap_bytes * one->reuse[d].hit_rate;
    }
    mean->l2_alloc_bytes += share * one->l2_alloc_bytes * one->l2_alloc_bytes;
    mean->pages += share * one->l2_alloc_bytes * one->pages;
}

static void divide_by_weights(double allocated, wl_volumes *mean)
{
    for (int d = 0; d < 3; d++)
        if ((mean->reuse[d].exists = mean->reuse[d].overlap_bytes > 0)) {
            mean->reuse[d].oversubscription /= mean->reuse[d].overlap_bytes;
            mean->reuse[d].hit_rate /= mean->reuse[d].overlap_bytes;
        }
    if (allocated > 0) {
        mean->l2_alloc_bytes /= allocated;
        mean->pages /= allocated;
    }
}

static wl_status mean_wave(estimator *e)
{
    const wl_geometry *g = e->in->geometry;
    const int64_t spare = g->blocks - g->wave_blocks, n = wl_min(e->in->view->opaque ? WAVES_ENUMERATED : WAVES_SAMPLED,
                                                                 wl_ceil_div(g->blocks, g->wave_blocks));
    wl_volume *fields = calloc(e->field_count + 1, sizeof *fields);
    wl_status status = fields ? WL_OK : wl_fail_memory(e->err);
    double allocated = 0;
    for (int64_t i = 0; i < n && status == WL_OK; i++) {
        wl_volumes one = {.fields = fields};
        estimator at = *e;
        at.out = &one;
        memset(fields, 0, e->field_count * sizeof *fields);
        status = one_wave(&at, (2 * i + 1) * spare / (2 * n));
        add_wave(&one, e->field_count, 1 / (double)n, e->out);
        allocated += one.l2_alloc_bytes / (double)n;
    }
    divide_by_weights(allocated, e->out);
    free(fields);
    return status;
}

/* The waves that are counted are a sample. What the launch touches, and what blocks touch one by
 * one, is known: everything is loaded at least once, and at most by every block that needs it. */
static wl_status keep_in_bounds(estimator *e)
{
    const wl_geometry *g = e->in->geometry;
    const wl_region all = wl_view_run(e->in->view, g, 0, g->blocks);
    const int64_t fetch = wl_device_int(e->in->device, WL_DEVICE_dram_fetch);
    for (size_t f = 0; f < e->field_count; f++) {
        const wl_block_sum_input in = {e->in->view, e->counter, g, f, WL_LOADS, false, 1, {fetch}};
        wl_volume *v = &e->out->fields[f];
        wl_block_sum blocks;
        double once = 0, loaded = v->dram_compulsory * e->out->waves;
        if (!e->in->view->fields[f][WL_LOADS].has_shape)
            continue;
        WL_TRY(count(e, f, WL_LOADS, &all, fetch, &once));
        WL_TRY(wl_block_sum_make(&in, &blocks, e->err));
        for (int d = 0; d < 3; d++)
            loaded -= v->dram_reuse[d] * e->out->reuse[d].hit_rate * fmax(0, e->out->waves - 1);
        const double most = blocks.granules[0] * (double)fetch;
        v->dram_compulsory += (fmin(fmax(loaded, once), fmax(once, most)) - loaded) / e->out->waves;
    }
    return WL_OK;
}

static wl_status l2_volumes(estimator *e)
{
    const wl_geometry *g = e->in->geometry;
    const bool differ = e->in->view->guarded || e->in->view->uneven;
    const int64_t start = wave_start(g);
    const wl_region wave = wl_view_run(e->in->view, e->in->geometry, start, start + g->wave_blocks);
    e->out->waves = (double)g->blocks / (double)g->wave_blocks;
    WL_TRY(differ ? mean_wave(e) : one_wave(e, start));
    if (differ)
        WL_TRY(keep_in_bounds(e));
    WL_TRY(stores(e, &wave));
    extrapolate(e);
    return WL_OK;
}

static estimator start(const wl_traffic_input *input, wl_counter *counter, wl_volumes *out, wl_error *err)
{
    return (estimator){.in = input,
                       .counter = counter,
                       .out = out,
                       .field_count = input->view->kernel->field_count,
                       .l2_room = (double)wl_device_int(input->device, WL_DEVICE_l2_size) /
                                  (double)wl_device_int(input->device, WL_DEVICE_l2_partitions),
                       .err = err};
}

wl_status wl_reuse_sets_l1(const wl_traffic_input *input, wl_counter *counter, wl_volumes *out, wl_error *err)
{
    estimator e = start(input, counter, out, err);
    return l1_volumes(&e);
}

wl_status wl_reuse_sets_l2(const wl_traffic_input *input, wl_counter *counter, wl_volumes *out, wl_error *err)
{
    estimator e = start(input, counter, out, err);
    return l2_volumes(&e);
}
