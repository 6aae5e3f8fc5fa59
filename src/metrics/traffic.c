/* traffic.c - see traffic.h. SPDX-License-Identifier: MIT */
#include "metrics/traffic.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "metrics/block_sum.h"

typedef struct tally {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_traffic *out;
    int warp_size;
    wl_error *err;
} tally;

static double device_or(const wl_device *device, wl_device_key key, double otherwise)
{
    double value = otherwise;
    (void)wl_device_get(device, key, &value);
    return value;
}

static wl_region run_of_blocks(const tally *t, int64_t first, int64_t last)
{
    wl_region r = {.geometry = t->in->geometry, .kernel = t->in->view->kernel};
    wl_block_interval(t->in->geometry, first, last, &r.blocks);
    return r;
}

static wl_status distinct(const tally *t, size_t field, wl_side side, const wl_region *region, double granule,
                          double *count)
{
    wl_count c;
    WL_TRY(wl_view_count(t->in->view, t->counter, field, side, region, (int64_t)granule, false, &c, t->err));
    *count = (double)c.touched;
    return WL_OK;
}

/* ---- instructions, warps and blocks ---- */

static void add_instructions(const tally *t)
{
    const wl_kernel *k = t->in->view->kernel;
    for (size_t a = 0; a < k->access_count; a++) {
        wl_field_traffic *f = &t->out->fields[k->accesses[a].field];
        const wl_access_cost *c = &t->in->costs[a];
        if (!k->accesses[a].store) {
            f->requested += c->sectors;
            continue;
        }
        f->written += c->sectors;
        f->written_lines += c->lines;
        f->written_units += c->units;
        f->written_full += c->full;
        f->store_inst += c->inst;
    }
}

static wl_status per_block(const tally *t, size_t field, wl_side side, double granule, double *sum, double *full)
{
    const wl_block_sum_input in = {t->in->view, t->counter,       t->in->geometry, field,
                                   side,        (int64_t)granule, full != NULL};
    wl_block_sum s;
    WL_TRY(wl_block_sum_make(&in, &s, t->err));
    *sum = s.granules;
    if (full)
        *full = s.covered;
    t->out->sampled = t->out->sampled || s.sampled;
    return WL_OK;
}

static wl_status per_warp(const tally *t, size_t field, wl_side side, double granule, double *sum, double *full)
{
    const wl_block_sum_input in = {t->in->view, t->counter,       t->in->geometry, field,
                                   side,        (int64_t)granule, full != NULL};
    wl_block_sum s;
    WL_TRY(wl_warp_sum_make(&in, t->warp_size, &s, t->err));
    *sum = s.granules;
    if (full)
        *full = s.covered;
    return WL_OK;
}

static wl_status count_loads(const tally *t, size_t field)
{
    wl_traffic *o = t->out;
    wl_field_traffic *f = &o->fields[field];
    if (t->in->view->fields[field][WL_LOADS].count == 0)
        return WL_OK;
    f->loaded_too = true;
    WL_TRY(per_block(t, field, WL_LOADS, o->sector, &f->block_sectors, NULL));
    WL_TRY(per_block(t, field, WL_LOADS, o->line, &f->block_lines, NULL));
    WL_TRY(per_block(t, field, WL_LOADS, o->unit, &f->block_units, NULL));
    WL_TRY(per_warp(t, field, WL_LOADS, o->sector, &f->warp_sectors, NULL));
    WL_TRY(per_warp(t, field, WL_LOADS, o->line, &f->warp_lines, NULL));
    /* samples of blocks and of warps must not contradict each other */
    f->block_sectors = f->block_sectors < f->requested ? f->block_sectors : f->requested;
    f->warp_sectors = f->warp_sectors > f->block_sectors ? f->warp_sectors : f->block_sectors;
    f->warp_sectors = f->warp_sectors < f->requested ? f->warp_sectors : f->requested;
    return WL_OK;
}

static wl_status count_stores(const tally *t, size_t field)
{
    wl_traffic *o = t->out;
    wl_field_traffic *f = &o->fields[field];
    if (t->in->view->fields[field][WL_STORES].count == 0)
        return WL_OK;
    WL_TRY(per_warp(t, field, WL_STORES, o->sector, &f->store_warp, &f->store_warp_full));
    WL_TRY(per_block(t, field, WL_STORES, o->sector, &f->store_block, &f->store_block_full));
    WL_TRY(per_block(t, field, WL_STORES, o->line, &f->store_block_lines, NULL));
    f->store_warp = f->store_warp < f->written ? f->store_warp : f->written;
    f->store_block = f->store_block < f->store_warp ? f->store_block : f->store_warp;
    return WL_OK;
}

/* ---- runs of blocks ---- */

static void add_window(wl_traffic *o, double blocks, double repeats, int direction)
{
    o->window_blocks[o->window_count] = blocks;
    o->window_repeats[o->window_count] = repeats;
    o->window_direction[o->window_count++] = direction;
}

static void choose_windows(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    wl_traffic *o = t->out;
    const int64_t row = g->grid[0], layer = row * g->grid[1];
    const double layers = (double)g->cells[2] / (double)(g->block[2] * g->fold[2]);
    const double rows = (double)g->cells[1] / (double)(g->block[1] * g->fold[1]);
    if (g->grid[1] > 1)
        add_window(o, (double)row, rows * layers, 1);
    if (g->grid[2] > 1)
        add_window(o, (double)layer, layers, 2);
    if (o->window_count == 0) /* one dimension: whatever lies farther back than a wave */
        for (int64_t n = g->wave_blocks; n < g->blocks && o->window_count < WL_WINDOWS_MAX - 1; n *= 2)
            add_window(o, (double)n, (double)g->blocks / (double)n, 0);
    add_window(o, (double)g->blocks, 1, 2);
}

/* The window in the middle of the launch. */
static wl_region window_region(const tally *t, int w)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t row = g->grid[0], layer = row * g->grid[1], n = (int64_t)t->out->window_blocks[w];
    int64_t start = 0;
    if (n < g->blocks)
        start = t->out->window_direction[w] == 0   ? (g->blocks - n) / 2
                : t->out->window_direction[w] == 1 ? g->grid[2] / 2 * layer + g->grid[1] / 2 * row
                                                   : g->grid[2] / 2 * layer;
    return run_of_blocks(t, start, start + n);
}

static wl_status count_window(const tally *t, int w)
{
    const wl_region region = window_region(t, w);
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        WL_TRY(distinct(t, i, WL_LOADS, &region, t->out->fetch, &f->window_units[w]));
        WL_TRY(distinct(t, i, WL_LOADS, &region, t->out->l2_line, &f->window_lines[w]));
        WL_TRY(distinct(t, i, WL_STORES, &region, t->out->l2_line, &f->window_store_lines[w]));
    }
    return WL_OK;
}

/* In one dimension most kernels touch nothing twice but the ends of blocks: no need to look at every length. */
static bool window_settles_all(const wl_traffic *o, int w, int last)
{
    double here = 0, all = 0;
    for (size_t i = 0; i < o->field_count; i++) {
        here += o->fields[i].window_units[w] * o->window_repeats[w];
        all += o->fields[i].window_units[last];
    }
    return here <= 1.002 * all;
}

static wl_status count_windows(const tally *t)
{
    wl_traffic *o = t->out;
    const int last = o->window_count - 1;
    WL_TRY(count_window(t, last));
    for (int w = 0; w < last; w++) {
        WL_TRY(count_window(t, w));
        if (o->window_direction[w] != 0 || !window_settles_all(o, w, last))
            continue;
        o->window_count = w + 2; /* the launch follows this one */
        o->window_blocks[w + 1] = o->window_blocks[last];
        o->window_repeats[w + 1] = 1;
        o->window_direction[w + 1] = o->window_direction[last];
        for (size_t i = 0; i < o->field_count; i++) {
            wl_field_traffic *f = &o->fields[i];
            f->window_units[w + 1] = f->window_units[last];
            f->window_lines[w + 1] = f->window_lines[last];
            f->window_store_lines[w + 1] = f->window_store_lines[last];
        }
        break;
    }
    return WL_OK;
}

static wl_status count_wave(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t start = (g->blocks - g->wave_blocks) / 2;
    const wl_region wave = run_of_blocks(t, start, start + g->wave_blocks);
    for (size_t i = 0; i < t->out->field_count; i++)
        WL_TRY(distinct(t, i, WL_LOADS, &wave, t->out->sector, &t->out->fields[i].wave_sectors));
    return WL_OK;
}

/* What the launch stores, and which sectors it leaves incomplete. */
static wl_status count_stored(const tally *t)
{
    const wl_region all = run_of_blocks(t, 0, t->in->geometry->blocks);
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        wl_count c;
        if (t->in->view->fields[i][WL_STORES].count == 0)
            continue;
        WL_TRY(wl_view_count(t->in->view, t->counter, i, WL_STORES, &all, (int64_t)t->out->sector, !f->loaded_too, &c,
                             t->err));
        f->stored = (double)c.touched;
        t->out->partly_unknown = t->out->partly_unknown || (!f->loaded_too && c.covered < 0);
        if (!f->loaded_too && c.covered >= 0)
            f->stored_partly = (double)(c.touched - c.covered);
    }
    return WL_OK;
}

static wl_status count_runs(const tally *t)
{
    choose_windows(t);
    WL_TRY(count_windows(t));
    WL_TRY(count_wave(t));
    return count_stored(t);
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
                        .blocks_per_sm = (double)g->occupancy.blocks_per_sm,
                        .l1_bytes = (double)g->occupancy.l1_bytes,
                        .sector = (double)wl_device_int(d, WL_DEVICE_l1_sector),
                        .line = (double)wl_device_int(d, WL_DEVICE_l1_line),
                        .l2_line = (double)wl_device_int(d, WL_DEVICE_l2_line),
                        .fetch = (double)wl_device_int(d, WL_DEVICE_dram_fetch)};
    out->unit = device_or(d, WL_DEVICE_l2_unit, out->sector);
    out->fields = WL_ARENA_NEW(arena, wl_field_traffic, out->field_count);
    if (!out->fields)
        return wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    add_instructions(&t);
    for (size_t f = 0; f < out->field_count; f++) {
        WL_TRY(count_loads(&t, f));
        WL_TRY(count_stores(&t, f));
    }
    wl_error limit = {0};
    t.err = &limit;
    const wl_status status = count_runs(&t);
    out->windows_known = status == WL_OK;
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(err, status, limit.loc, "%s", limit.message);
    return WL_OK;
}
