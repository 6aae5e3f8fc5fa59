/* traffic.c - see traffic.h. SPDX-License-Identifier: MIT */
#include "count/traffic.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "kernel/apart_stores.h"
#include "kernel/program.h"
#include "count/block_sum.h"
#include "count/loop_runs.h"
#include "count/spread.h"
#include "count/step_counts.h"
#include "count/windows.h"

typedef struct tally {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_traffic *out;
    int warp_size;
    wl_error *err;
} tally;

/* ---- instructions, warps and blocks ---- */

static void add_instructions(const tally *t)
{
    const wl_kernel *k = t->in->view->kernel;
    for (size_t a = 0; a < k->access_count; a++) {
        wl_field_traffic *f = &t->out->fields[k->accesses[a].field];
        const wl_access_cost *c = &t->in->costs[a];
        t->out->wavefronts += fmax(c->hit, c->tag);
        if (!k->accesses[a].store) {
            f->loads.requested += c->sectors;
            continue;
        }
        if (k->accesses[a].atomic) {
            /* atomics are executed in the L2: nothing is written through */
            f->stores.atomics += c->sectors;
            f->stores.atomic = f->stores.atomics > 0; /* not if a condition never holds */
            continue;
        }
        f->stores.written += c->sectors;
        f->stores.written_lines += c->lines;
        f->stores.written_units += c->units;
        f->stores.written_full += c->full;
        f->stores.inst += c->inst;
    }
}

static wl_block_sum_input sum_input(const tally *t, size_t field, wl_side side, bool want_covered, int n)
{
    const wl_traffic *o = t->out;
    return (wl_block_sum_input){t->in->view,
                                t->counter,
                                t->in->geometry,
                                field,
                                side,
                                want_covered,
                                n,
                                {(int64_t)o->sector, n == 2 ? (int64_t)o->line : (int64_t)o->unit, (int64_t)o->line}};
}

/* Do warps of a block write the same sectors? Only then it matters whether they load the same
 * lines. */
static bool warps_share_stores(const tally *t)
{
    double shared = 0;
    for (size_t i = 0; i < t->out->field_count; i++)
        shared += t->out->fields[i].stores.warp - t->out->fields[i].stores.block;
    return shared > 0;
}

/* Do most of the sectors that are loaded lie at random addresses? A single load that looks
 * something up in data that is otherwise read in order changes nothing. */
static bool loads_are_random(const tally *t, size_t field)
{
    const wl_view *v = t->in->view;
    double random = 0;
    if (!v->fields[field][WL_LOADS].random)
        return false;
    for (size_t a = 0; a < v->kernel->access_count; a++)
        if (v->kernel->accesses[a].field == field && !v->kernel->accesses[a].store && wl_view_is_random(v, a))
            random += t->in->costs[a].sectors;
    return 2 * random >= t->out->fields[field].loads.requested;
}

static wl_status count_loads(const tally *t, size_t field)
{
    wl_traffic *o = t->out;
    wl_field_traffic *f = &o->fields[field];
    wl_block_sum block, warp;
    if (t->in->view->fields[field][WL_LOADS].count == 0)
        return WL_OK;
    const wl_block_sum_input of_blocks = sum_input(t, field, WL_LOADS, false, 3),
                             of_warps = sum_input(t, field, WL_LOADS, false, warps_share_stores(t) ? 2 : 1);
    WL_TRY(wl_block_and_warp_sums(&of_blocks, &of_warps, t->warp_size, &block, &warp, t->err));
    o->sampled = wl_smaller_sample(o->sampled, block.sampled);
    f->stores.loaded_too = f->loads.requested > 0; /* not if a condition never holds */
    f->loads.random = loads_are_random(t, field);
    f->loads.block_units = block.granules[1];
    f->loads.block_lines = block.granules[2];
    f->loads.warp_lines = warp.granules[1];
    /* samples of blocks and of warps must not contradict each other */
    f->loads.block_sectors = fmin(block.granules[0], f->loads.requested);
    f->loads.block_units = fmin(f->loads.block_units, f->loads.block_sectors * fmax(1, o->sector / o->unit));
    f->loads.block_lines = fmin(f->loads.block_lines, f->loads.block_sectors);
    f->loads.warp_sectors = fmin(fmax(warp.granules[0], f->loads.block_sectors), f->loads.requested);
    return WL_OK;
}

/* Does a warp store to the field with one instruction at most? Then what warps write is what their
 * instructions write, which is counted for every warp, not for a sample. */
static bool one_store_per_warp(const tally *t, size_t field)
{
    const wl_field_side *side = &t->in->view->fields[field][WL_STORES];
    const int64_t *fold = t->in->geometry->fold;
    const wl_bound *store = side->count == 1 && side->has_shape ? side->accesses[0] : NULL;
    return store && store->affine && store->loops == 0 && !store->access->atomic && fold[0] * fold[1] * fold[2] == 1;
}

static wl_status count_stores(const tally *t, size_t field)
{
    wl_field_traffic *f = &t->out->fields[field];
    wl_block_sum block, warp = {.granules = {f->stores.written}, .covered = f->stores.written_full};
    if (t->in->view->fields[field][WL_STORES].count == 0)
        return WL_OK;
    const wl_block_sum_input of_blocks = sum_input(t, field, WL_STORES, true, 2),
                             of_warps = sum_input(t, field, WL_STORES, true, 1);
    if (one_store_per_warp(t, field))
        WL_TRY(wl_block_sum_make(&of_blocks, &block, t->err));
    else
        WL_TRY(wl_block_and_warp_sums(&of_blocks, &of_warps, t->warp_size, &block, &warp, t->err));
    /* samples must not contradict each other: a few warps may miss those that store */
    f->stores.warp =
        fmin(warp.sampled ? fmax(warp.granules[0], block.granules[0]) : warp.granules[0], f->stores.written);
    f->stores.warp_full = fmin(warp.covered, f->stores.warp);
    f->stores.block = fmin(block.granules[0], f->stores.warp);
    f->stores.block_full = fmin(block.covered, f->stores.block);
    /* a line has a sector at least */
    f->stores.block_lines = fmin(block.granules[1], f->stores.block);
    return WL_OK;
}

/* ---- blocks resident on one multiprocessor ---- */

#define COMPANIONS 5 /* blocks counted together: the most boxes of a set of blocks */

/* Can blocks that are not neighbours load the same data? Only if an address is independent of some
 * block coordinate, or unknown. */
static bool may_have_common(const tally *t, size_t field)
{
    const wl_field_side *side = &t->in->view->fields[field][WL_LOADS];
    const wl_geometry *g = t->in->geometry;
    const wl_population *p = t->in->view->kernel->source.population;
    if (side->count == 0 || !side->has_shape) /* of long blocks, too few are traced to tell */
        return side->count > 0 && !(p && p->long_blocks);
    for (int l = 0; l < side->shape.linear_count; l++)
        for (int d = 0; d < 3; d++)
            if (g->grid[d] > 1 && wl_block_stride(&side->shape.linears[l], g, d) == 0)
                return true;
    return false;
}

/* The first blocks are distributed round robin. Later, which blocks of a wave share a
 * multiprocessor is practically random. */
static int companions(const tally *t, int64_t start, wl_region *region)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t sms = wl_device_int(t->in->device, WL_DEVICE_sm_count);
    const bool in_turn = g->blocks <= g->wave_blocks;
    const int64_t most = in_turn ? wl_ceil_div(g->blocks, sms) : g->wave_blocks;
    const int n = (int)wl_min(COMPANIONS, wl_min(g->occupancy.blocks_per_sm, most));
    *region = (wl_region){.geometry = g, .kernel = t->in->view->kernel, .blocks = {.count = n}};
    for (int i = 0; i < n; i++) {
        int64_t block[3];
        wl_block_at(g, in_turn ? i * sms : start + wl_spread_below((uint64_t)i, 0, g->wave_blocks), block);
        region->blocks.boxes[i] = wl_box_at(block);
    }
    return n;
}

/* addresses of companions to look at: more blocks of long loops tell no more than two */
#define COMPANION_BUDGET ((double)(1 << 24))

/* How many of them can be counted together. */
static int countable(const tally *t, size_t field, const wl_region *region)
{
    wl_region some = *region;
    if (t->in->view->fields[field][WL_LOADS].has_shape)
        return some.blocks.count;
    while (some.blocks.count > 2 && wl_view_addresses(t->in->view, field, WL_LOADS, &some) > COMPANION_BUDGET)
        some.blocks.count--;
    while (some.blocks.count > 1 && !wl_view_can_enumerate(t->in->view, field, WL_LOADS, &some))
        some.blocks.count--;
    return some.blocks.count;
}

/* Sectors of a field that the blocks of a region load: each for itself, summed up, and together. */
static wl_status count_blocks(const tally *t, size_t field, const wl_region *region, double *sum, double *all)
{
    const int64_t sector = (int64_t)t->out->sector;
    *sum = 0;
    for (int b = 0; b < region->blocks.count; b++) {
        wl_region one = *region;
        double sectors = 0;
        one.blocks.count = 1;
        one.blocks.boxes[0] = region->blocks.boxes[b];
        WL_TRY(wl_view_counts(t->in->view, t->counter, field, WL_LOADS, &one, &sector, 1, &sectors, t->err));
        *sum += sectors;
    }
    return wl_view_counts(t->in->view, t->counter, field, WL_LOADS, region, &sector, 1, all, t->err);
}

/* Sectors that blocks of the wave from `start` load: all (alone), of fields that distant blocks may
 * share (far), and those that two blocks share (shared). */
static wl_status count_common_at(const tally *t, int64_t start, double *alone, double *far, double *shared)
{
    wl_region region;
    const int most = companions(t, start, &region);
    *alone = *far = *shared = 0;
    for (size_t i = 0; i < t->out->field_count && most > 1; i++) {
        wl_region together = region;
        const int n = together.blocks.count = countable(t, i, &region);
        double sum = 0, all = 0;
        if (n < 2 || !t->out->fields[i].loads.far_common) {
            *alone += t->out->fields[i].loads.block_sectors / t->out->blocks;
            *far += t->out->fields[i].loads.far_common ? t->out->fields[i].loads.block_sectors / t->out->blocks : 0;
            continue;
        }
        WL_TRY(count_blocks(t, i, &together, &sum, &all));
        *alone += sum / n;
        *far += sum / n;
        *shared += (sum - all) / (n - 1);
    }
    return WL_OK;
}

#define PLACES 9 /* where to look for blocks that load something; odd: the middle is one of them */

/* Counted in the middle of the launch or, if conditions make blocks differ, where they load
 * something. */
static wl_status count_common(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t spare = g->blocks - g->wave_blocks, places = t->in->view->guarded || t->in->view->uneven ? PLACES : 1;
    double alone = 0, far = 0, shared = 0;
    for (size_t i = 0; i < t->out->field_count; i++)
        t->out->fields[i].loads.far_common = may_have_common(t, i);
    for (int64_t i = 0; i < places && alone <= 0; i++)
        WL_TRY(count_common_at(t, (2 * ((i + places / 2) % places) + 1) * spare / (2 * places), &alone, &far, &shared));
    t->out->common = far > 0 ? fmin(1, fmax(0, shared / far)) : 0;
    return WL_OK;
}

/* ---- neighbouring blocks in lockstep ---- */

#define PAIR 2 /* blocks next to each other while some multiprocessors have none */

/* Blocks of the group in the middle of the launch. */
static void neighbours(const tally *t, bool copied, wl_region *region)
{
    const wl_geometry *g = t->in->geometry;
    const double most = wl_device_or(t->in->device, WL_DEVICE_l2_merge_blocks, 1);
    const bool filled = g->blocks >= wl_device_int(t->in->device, WL_DEVICE_sm_count);
    const int64_t n = wl_min(wl_min(COMPANIONS, g->blocks), (int64_t)(filled || copied ? most : fmin(most, PAIR)));
    const int64_t first = g->blocks / 2 / n * n;
    *region = (wl_region){.geometry = g, .kernel = t->in->view->kernel, .blocks = {.count = 0}};
    for (int64_t i = 0; i < n && first + i < g->blocks; i++) {
        int64_t block[3];
        wl_block_at(g, first + i, block);
        region->blocks.boxes[region->blocks.count++] = wl_box_at(block);
    }
}

/* Whether all loads of a field are bulk copies, each by the block that needs it. */
static bool is_copied(const wl_kernel *k, size_t field)
{
    bool any = false, all = true;
    for (size_t a = 0; a < k->access_count; a++)
        if (!k->accesses[a].store && k->accesses[a].field == field) {
            any = true;
            all = all && k->accesses[a].bulk && !k->accesses[a].multicast;
        }
    return any && all;
}

/* The blocks of one wave start together. Neighbours execute the same load at the same moment.
 * Several accesses of a field reach the same sectors at different moments. Blocks that loop drift
 * apart after a few steps, unless they load the same data: then a block that falls behind hits and
 * catches up. */
static wl_status count_in_step(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_region region;
        const bool copied = is_copied(t->in->view->kernel, i);
        t->out->fields[i].loads.copied = copied;
        if (!copied && g->blocks > g->wave_blocks)
            continue;
        neighbours(t, copied, &region);
        const wl_field_side *side = &t->in->view->fields[i][WL_LOADS];
        /* texture loads take another path */
        const bool plain = t->in->view->kernel->fields[i].reached == 0;
        const bool parts = wl_loop_runs_walk(t->in->view, i, WL_LOADS) && !t->out->fields[i].loads.far_common;
        const int n = (side->count == 1 || copied) && plain && !parts ? countable(t, i, &region) : 1;
        double sum = 0, all = 0;
        if (n < region.blocks.count || n < 2)
            continue;
        WL_TRY(count_blocks(t, i, &region, &sum, &all));
        t->out->fields[i].loads.in_step = sum > 0 ? fmax(0, 1 - all / sum) : 0;
    }
    return WL_OK;
}

/* ---- stores of single steps ---- */

/* Blocks that start together and loop over neighbouring data write their parts of a common sector
 * in the same step; if one begins where another ends, in different steps: then the sum of sectors
 * written per step exceeds the distinct sectors of the launch. */
static wl_status count_store_steps(const tally *t, size_t field)
{
    static const int64_t one[WL_LOOPS_MAX] = {1, 1, 1};
    const wl_view *v = t->in->view;
    wl_field_traffic *f = &t->out->fields[field];
    const double shared = f->stores.sectors - f->stores.partly - f->stores.block_full;
    wl_region region = wl_view_run(v, t->in->geometry, 0, t->in->geometry->blocks);
    wl_count c;
    f->stores.steps = 1;
    if (shared <= 0 || t->out->blocks > t->out->wave_blocks || !v->fields[field][WL_STORES].has_shape ||
        !wl_loop_runs_walk(v, field, WL_STORES))
        return WL_OK;
    region.steps = one;
    WL_TRY(wl_view_count(v, t->counter, field, WL_STORES, &region, (int64_t)t->out->sector, false, &c, t->err));
    f->stores.steps = wl_loop_runs_of(v, field, WL_STORES, one);
    f->stores.in_step = fmin(1, fmax(0, 1 - ((double)c.touched * f->stores.steps - f->stores.sectors) / shared));
    return WL_OK;
}

/* ---- counts that fit together ---- */

/* A window is made of smaller ones, and those of blocks: they touch at least as much when each is
 * counted alone. One window in the middle, times the number of windows, may fall short of that or
 * go beyond: at the edges of the domain blocks touch relatively more, or less. */
static void fit_windows(const wl_traffic *o, double most, double touched[WL_WINDOWS_MAX])
{
    for (int w = o->window_count - 2; w >= 0; w--) {
        const double next = touched[w + 1] * o->window_repeats[w + 1], all = touched[w] * o->window_repeats[w];
        if (all < next || all > most)
            touched[w] = fmax(fmin(all, most), next) / o->window_repeats[w];
    }
}

/* Makes the loads of a few sampled blocks consistent with those of waves and instructions: the
 * launch loads no more than it requests, and its blocks together no less than the launch. */
static void fit_loads(const wl_traffic *o, wl_field_traffic *f)
{
    /* fetch units; a smaller sector is part of one */
    const double per_sector = fmax(1, o->sector / o->fetch);
    const int last = o->window_count - 1;
    f->windows.units[last] = fmin(f->windows.units[last], f->loads.requested * per_sector);
    f->loads.launch_sectors = fmin(f->loads.launch_sectors, f->loads.requested);
    const double distinct = fmax(f->windows.units[last] / per_sector, f->loads.launch_sectors);
    if (f->loads.block_sectors < distinct) {
        f->loads.block_sectors = distinct;
        f->loads.block_units = fmax(f->loads.block_units, distinct * fmin(1, o->sector / o->unit));
        f->loads.block_lines = fmax(f->loads.block_lines, distinct * o->sector / o->line);
        f->loads.warp_sectors = fmax(f->loads.warp_sectors, distinct);
        for (int n = 0; n < o->step_count; n++)
            f->loads.step_sectors[n] = fmax(f->loads.step_sectors[n], distinct);
    }
    fit_windows(o, f->loads.block_sectors * per_sector, f->windows.units);
    fit_windows(o, INFINITY, f->windows.lines);
}

static void fit_stores(const wl_traffic *o, wl_field_traffic *f)
{
    f->stores.sectors = fmin(f->stores.sectors, f->stores.written + f->stores.atomics);
    if (!f->stores.atomic) { /* atomics store, but write nothing through */
        f->stores.block = fmax(f->stores.block, f->stores.sectors);
        f->stores.warp = fmax(f->stores.warp, f->stores.block);
        f->stores.block_lines = fmax(f->stores.block_lines, f->stores.block * o->sector / o->line);
    }
    f->stores.partly = fmin(f->stores.partly, f->stores.sectors);
    fit_windows(o, INFINITY, f->windows.store_lines);
    fit_windows(o, f->stores.block, f->windows.store_sectors);
}

static wl_status count_all(const tally *t, wl_arena *arena)
{
    add_instructions(t);
    for (size_t f = 0; f < t->out->field_count; f++)
        WL_TRY(count_stores(t, f));
    for (size_t f = 0; f < t->out->field_count; f++)
        WL_TRY(count_loads(t, f));
    WL_TRY(count_common(t));
    WL_TRY(count_in_step(t));
    WL_TRY(wl_steps_count(t->in, t->counter, t->warp_size, arena, t->out, t->err));
    wl_error limit = {0};
    const wl_status status = wl_windows_count(t->in, t->counter, t->out, &limit);
    t->out->windows_known = status == WL_OK;
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(t->err, status, limit.loc, "%s", limit.message);
    for (size_t f = 0; f < t->out->field_count && t->out->windows_known; f++)
        WL_TRY(count_store_steps(t, f));
    return WL_OK;
}

/* ---- loads that leave the L1 alone ---- */

/* A field with the loads that use the L1, of which nothing has been counted yet. */
static void forget_loads(wl_field_traffic *f)
{
    f->loads.requested = f->loads.block_sectors = f->loads.block_units = f->loads.block_lines = f->loads.warp_sectors =
        f->loads.warp_lines = 0;
    f->loads.in_step = 0;
    f->loads.far_common = f->stores.loaded_too = f->loads.random = false;
    for (int n = 0; n < WL_STEPS_MAX; n++)
        f->loads.step_sectors[n] = f->loads.step_warp_sectors[n] = f->loads.step_runs[n] = 0;
}

static wl_status count_of_l1(const tally *all, wl_arena *arena)
{
    const wl_kernel *k = all->in->view->kernel;
    const size_t count = all->out->field_count;
    wl_traffic *o = WL_ARENA_NEW(arena, wl_traffic, 1);
    wl_field_traffic *fields = WL_ARENA_NEW(arena, wl_field_traffic, count);
    wl_view view;
    if (!o || !fields)
        return wl_fail_memory(all->err);
    WL_TRY(wl_view_of_l1(all->in->view, all->in->geometry, arena, &view, all->err));
    wl_traffic_input in = *all->in;
    in.view = &view;
    tally t = *all;
    t.in = &in;
    t.out = o;
    *o = *all->out;
    o->fields = fields;
    for (int n = 0; n < WL_STEPS_MAX; n++)
        o->step_lines[n] = o->step_distinct[n] = 0;
    for (size_t i = 0; i < count; i++) {
        fields[i] = all->out->fields[i];
        forget_loads(&fields[i]);
    }
    for (size_t a = 0; a < k->access_count; a++)
        if (!k->accesses[a].store && !k->accesses[a].bypasses_l1)
            fields[k->accesses[a].field].loads.requested += in.costs[a].sectors;
    for (size_t i = 0; i < count; i++) {
        WL_TRY(count_loads(&t, i));
        const double blocks = all->out->fields[i].loads.block_sectors;
        fields[i].loads.wave_sectors *= blocks > 0 ? fmin(1, fields[i].loads.block_sectors / blocks) : 0;
    }
    WL_TRY(count_common(&t));
    WL_TRY(count_in_step(&t));
    WL_TRY(wl_steps_count(&in, t.counter, t.warp_size, arena, o, t.err));
    all->out->of_l1 = o;
    return WL_OK;
}

static double footprint_of(const wl_traffic *o)
{
    double bytes = 0;
    for (size_t i = 0; i < o->field_count; i++) {
        const bool counted = o->windows_known && o->window_count > 0;
        const double units = counted ? o->fields[i].windows.units[o->window_count - 1] : 0;
        bytes += fmax(units * o->fetch, o->fields[i].loads.launch_sectors * o->sector);
    }
    return bytes;
}

/* Only where warps write sectors repeatedly. */
static wl_status find_apart(const tally *t, wl_arena *arena)
{
    bool any = false;
    for (size_t f = 0; f < t->out->field_count; f++)
        any = any || t->out->fields[f].stores.written > t->out->fields[f].stores.warp;
    if (!any)
        return WL_OK;
    double *share = WL_ARENA_NEW(arena, double, t->out->field_count + 1);
    if (!share)
        return wl_fail_memory(t->err);
    WL_TRY(wl_stores_apart(t->in->view->kernel, arena, share, t->err));
    for (size_t f = 0; f < t->out->field_count; f++)
        t->out->fields[f].stores.apart = share[f];
    return WL_OK;
}

wl_status wl_traffic_count(const wl_traffic_input *input, wl_counter *counter, wl_arena *arena, wl_traffic *out,
                           wl_error *err)
{
    const wl_geometry *g = input->geometry;
    const wl_device *d = input->device;
    tally t = {.in = input,
               .counter = counter,
               .out = out,
               .warp_size = (int)wl_device_int(d, WL_DEVICE_warp_size),
               .err = err};
    *out = (wl_traffic){.field_count = input->view->kernel->field_count,
                        .blocks = (double)g->blocks,
                        .wave_blocks = (double)g->wave_blocks,
                        .warps = (double)g->blocks * (double)wl_ceil_div(g->threads, t.warp_size),
                        .resident = (double)wl_min(g->occupancy.blocks_per_sm,
                                                   wl_ceil_div(g->blocks, wl_device_int(d, WL_DEVICE_sm_count))),
                        .l1_bytes = (double)g->occupancy.l1_bytes,
                        .sms = (double)wl_min(wl_device_int(d, WL_DEVICE_sm_count), g->blocks),
                        .sector = (double)wl_device_int(d, WL_DEVICE_l1_sector),
                        .line = (double)wl_device_int(d, WL_DEVICE_l1_line),
                        .l2_line = (double)wl_device_int(d, WL_DEVICE_l2_line),
                        .fetch = (double)wl_device_int(d, WL_DEVICE_dram_fetch)};
    /* a request is of a sector or more */
    out->unit = fmax(out->sector, wl_device_or(d, WL_DEVICE_l2_unit, out->sector));
    out->fields = WL_ARENA_NEW(arena, wl_field_traffic, out->field_count);
    if (!out->fields)
        return wl_fail_memory(err);
    counter->evaluated = 0;
    wl_threads_begin(counter, input->view->kernel);
    wl_status status = count_all(&t, arena);
    if (status == WL_OK && wl_kernel_bypasses_l1(input->view->kernel))
        status = count_of_l1(&t, arena);
    wl_threads_end(counter);
    out->evaluated = (double)counter->evaluated;
    WL_TRY(status);
    for (size_t f = 0; f < out->field_count && out->windows_known; f++) {
        fit_loads(out, &out->fields[f]);
        fit_stores(out, &out->fields[f]);
    }
    WL_TRY(find_apart(&t, arena));
    out->footprint = footprint_of(out);
    out->any_room = input->any_room;
    return WL_OK;
}

double wl_data_remains(double footprint, double room, double steepness)
{
    return room > 0 ? 1 / (1 + pow(footprint / room, steepness)) : 0;
}

#define NOTICED 0.01 /* share of the data; predictions mention it from there on */

bool wl_data_stays(double footprint, double room, double steepness)
{
    return wl_data_remains(footprint, room, steepness) >= NOTICED;
}

size_t wl_traffic_room(size_t fields, bool of_l1)
{
    const size_t each = fields * sizeof(wl_field_traffic);
    return of_l1 ? 2 * each + sizeof(wl_traffic) : each;
}

void wl_traffic_copy(const wl_traffic *from, void *room, wl_traffic *to)
{
    wl_field_traffic *fields = room;
    const size_t count = from->field_count;
    *to = *from;
    to->fields = memcpy(fields, from->fields, count * sizeof *fields);
    if (!from->of_l1)
        return;
    to->of_l1 = (wl_traffic *)(fields + count);
    wl_traffic_copy(from->of_l1, to->of_l1 + 1, to->of_l1);
}
