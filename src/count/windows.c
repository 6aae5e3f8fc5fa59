/* windows.c - see windows.h: windows in closed form. Where all blocks are alike, the window in the
 * middle of the launch represents those of its length. Where blocks differ by affine conditions, it
 * does not, and all windows are summed (block_sum.h).
 * Layer  count. SPDX-License-Identifier: MIT */
#include "count/windows_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/block_sum.h"
#include "device/device_internal.h"
#include "launch/scheduled.h"

#define WAVES_SAMPLED 4 /* where waves differ: a few, evenly spread, represent all */

typedef wl_window_tally tally;

static wl_status distinct(const tally *t, size_t field, wl_side side, const wl_region *region, double granule,
                          double *count)
{
    wl_count c;
    WL_TRY(wl_view_count(t->in->view, t->counter, field, side, region, (int64_t)granule, false, &c, t->err));
    *count = (double)c.touched;
    return WL_OK;
}

void wl_window_add(wl_traffic *o, double blocks, double repeats, int direction)
{
    o->window_blocks[o->window_count] = blocks;
    o->window_repeats[o->window_count] = repeats;
    o->window_direction[o->window_count++] = direction;
}

/* Cells of one row (or layer) of blocks along its dimension. */
static int64_t cells_of(const wl_geometry *g, int d, int64_t row)
{
    const int64_t per_block = g->block[d] * g->fold[d], first = (g->start[d] + row) * per_block;
    return wl_min(first + per_block, g->cells[d]) - wl_max(first, g->first[d]);
}

/* The row (or layer) in the middle of the launch; if the start of the domain cuts it, the next may
 * be fuller. */
static int64_t middle(const wl_geometry *g, int d)
{
    const int64_t row = (g->grid[d] - 1) / 2;
    return g->first[d] > 0 && row + 1 < g->grid[d] && cells_of(g, d, row + 1) > cells_of(g, d, row) ? row + 1 : row;
}

/* How many of them the launch has: at least one, even if a block is larger than the domain. */
static double repeats(const wl_geometry *g, int d)
{
    const int64_t cells = g->cells[d] - g->first[d];
    const int64_t each = g->first[d] > 0 ? cells_of(g, d, middle(g, d)) : g->block[d] * g->fold[d];
    return (double)cells / (double)wl_min(each, cells);
}

static void choose_windows(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    wl_traffic *o = t->out;
    const double layers = repeats(g, 2), rows = repeats(g, 1);
    /* all blocks are resident at once: no earlier window */
    const bool one_wave = g->blocks <= g->wave_blocks;
    wl_block_run runs[WL_BLOCK_RUNS_MAX];
    const int n = one_wave ? 0 : wl_block_runs(g, runs);
    for (int i = 0; i < n; i++) {
        const double whole = runs[i].next == 1 ? rows * layers : layers;
        wl_window_add(o, (double)runs[i].blocks,
                      wl_blocks_are_ordered(g) ? (double)g->blocks / (double)runs[i].blocks : whole, runs[i].next);
    }
    if (o->window_count == 0) /* one dimension: everything farther back than a wave */
        for (int64_t length = g->wave_blocks; length < g->blocks && o->window_count < WL_WINDOWS_MAX - 1; length *= 2)
            wl_window_add(o, (double)length, (double)g->blocks / (double)length, 0);
    wl_window_add(o, (double)g->blocks, 1, 2);
}

/* The window in the middle of the launch. */
static wl_region window_region(const tally *t, int w)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t row = g->grid[0], layer = row * g->grid[1], n = (int64_t)t->out->window_blocks[w];
    int64_t start = 0;
    if (n < g->blocks && wl_blocks_are_ordered(g))
        start = (g->blocks / n - 1) / 2 * n;
    else if (n < g->blocks)
        start = t->out->window_direction[w] == 0   ? (g->blocks - n) / 2
                : t->out->window_direction[w] == 1 ? middle(g, 2) * layer + middle(g, 1) * row
                                                   : middle(g, 2) * layer;
    return wl_view_run(t->in->view, t->in->geometry, start, start + n);
}

static wl_status count_middle_window(const tally *t, int w)
{
    const wl_region region = window_region(t, w);
    const wl_traffic *o = t->out;
    const int64_t granules[3] = {(int64_t)o->fetch, (int64_t)o->l2_line, (int64_t)o->sector};
    /* one wave is counted in sectors anyway */
    const bool sectors = o->window_blocks[w] >= o->blocks && o->blocks > o->wave_blocks && o->sector < o->fetch;
    for (size_t i = 0; i < o->field_count; i++) {
        wl_field_traffic *f = &o->fields[i];
        double loaded[3];
        WL_TRY(
            wl_view_counts(t->in->view, t->counter, i, WL_LOADS, &region, granules, sectors ? 3 : 2, loaded, t->err));
        f->windows.units[w] = loaded[0];
        f->windows.lines[w] = loaded[1];
        f->loads.launch_sectors = sectors ? loaded[2] : f->loads.launch_sectors;
        WL_TRY(distinct(t, i, WL_STORES, &region, t->out->l2_line, &f->windows.store_lines[w]));
        if (f->stores.block_full < f->stores.block)
            WL_TRY(distinct(t, i, WL_STORES, &region, t->out->sector, &f->windows.store_sectors[w]));
    }
    return WL_OK;
}

/* What all windows of one length touch, summed over them. */
typedef struct window_sums {
    /* the root of the sum of their squared lines; fields are assumed to be busy in the same
     * windows */
    double root;
    double lines;
} window_sums;

static wl_status sum_windows(const tally *t, size_t field, wl_side side, const int64_t tile[3], const int64_t *granules,
                             int n, window_sums *all, double *sums)
{
    wl_block_sum_input in = {t->in->view, t->counter, t->in->geometry, field, side, false, n, {granules[0]}};
    wl_block_sum sum = {0};
    const int lines = n - 1;
    in.granules[lines] = granules[lines];
    WL_TRY(wl_tile_sum_make(&in, tile, &sum, t->err));
    for (int i = 0; i < n; i++)
        sums[i] = sum.granules[i];
    all->lines += sum.granules[lines];
    all->root += sqrt(sum.squares[lines]);
    return WL_OK;
}

/* The mean over the windows of a length that are busy. Their number is the one of equally
 * busy windows with the same sum and the same sum of squares. */
static wl_status count_busy_windows(const tally *t, int w)
{
    wl_traffic *o = t->out;
    const wl_geometry *g = t->in->geometry;
    const int64_t n = (int64_t)o->window_blocks[w];
    const int direction = o->window_direction[w];
    const int64_t tile[3] = {direction == 0 ? n : g->grid[0], direction == 2 ? g->grid[1] : 1,
                             n == g->blocks ? g->grid[2] : 1};
    const int64_t granules[2] = {(int64_t)o->fetch, (int64_t)o->l2_line}, line = (int64_t)o->l2_line;
    window_sums all = {0};
    for (size_t i = 0; i < o->field_count; i++) {
        wl_field_traffic *f = &o->fields[i];
        double loaded[2];
        WL_TRY(sum_windows(t, i, WL_LOADS, tile, granules, 2, &all, loaded));
        WL_TRY(sum_windows(t, i, WL_STORES, tile, &line, 1, &all, &f->windows.store_lines[w]));
        f->windows.units[w] = loaded[0];
        f->windows.lines[w] = loaded[1];
    }
    const double busy = all.root > 0 ? fmax(1, all.lines / all.root * (all.lines / all.root)) : 1;
    o->window_repeats[w] = busy;
    o->window_blocks[w] = o->blocks / busy;
    for (size_t i = 0; i < o->field_count; i++) {
        o->fields[i].windows.units[w] /= busy;
        o->fields[i].windows.lines[w] /= busy;
        o->fields[i].windows.store_lines[w] /= busy;
    }
    return WL_OK;
}

static wl_status count_window(const tally *t, int w)
{
    return t->differ ? count_busy_windows(t, w) : count_middle_window(t, w);
}

/* windows that load at most this times the volume of the launch share almost nothing */
#define SETTLED 1.002

/* In one dimension most kernels share only the ends of blocks: no need to count every length. */
static bool window_settles_all(const wl_traffic *o, int w, int last)
{
    double here = 0, all = 0;
    for (size_t i = 0; i < o->field_count; i++) {
        here += o->fields[i].windows.units[w] * o->window_repeats[w];
        all += o->fields[i].windows.units[last];
    }
    return here <= SETTLED * all;
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
        o->window_count = w + 2; /* the launch comes next */
        o->window_blocks[w + 1] = o->window_blocks[last];
        o->window_repeats[w + 1] = 1;
        o->window_direction[w + 1] = o->window_direction[last];
        for (size_t i = 0; i < o->field_count; i++) {
            wl_field_traffic *f = &o->fields[i];
            f->windows.units[w + 1] = f->windows.units[last];
            f->windows.lines[w + 1] = f->windows.lines[last];
            f->windows.store_lines[w + 1] = f->windows.store_lines[last];
            f->windows.store_sectors[w + 1] = f->windows.store_sectors[last];
        }
        break;
    }
    return WL_OK;
}

/* ---- waves ---- */

/* What one wave touches in a field. */
typedef struct wave_counts {
    double sectors, lines, pages;
} wave_counts;

static wl_status count_wave(const tally *t, int64_t start, wave_counts *fields, double *lines)
{
    const wl_traffic *o = t->out;
    const int64_t granules[2] = {(int64_t)o->l2_line, t->in->page_bytes}, sector = (int64_t)o->sector;
    const wl_region wave = wl_view_run(t->in->view, t->in->geometry, start, start + t->in->geometry->wave_blocks);
    *lines = 0;
    for (size_t i = 0; i < o->field_count; i++) {
        double both[2];
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_LOADS, &wave, &sector, 1, &fields[i].sectors, t->err));
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_BOTH, &wave, granules, 2, both, t->err));
        fields[i].lines = both[0];
        fields[i].pages = both[1];
        *lines += both[0];
    }
    return WL_OK;
}

/* Adds a wave that represents a share of all of them. Sectors are the mean over waves, lines and
 * pages that over busy ones: those of more lines weigh more. */
static void add_wave(const tally *t, const wave_counts *fields, double weight, double share)
{
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        f->loads.wave_sectors += share * fields[i].sectors;
        f->wave_lines += share * weight * fields[i].lines;
        f->wave_pages += share * weight * fields[i].pages;
    }
}

/* Does anything happen in blocks first <= n < last? */
static wl_status is_busy(const tally *t, int64_t first, int64_t last, bool *busy)
{
    const wl_region run = wl_view_run(t->in->view, t->in->geometry, first, last);
    const int64_t line = (int64_t)t->out->l2_line;
    double lines = 0;
    *busy = false;
    for (size_t i = 0; i < t->out->field_count && !*busy; i++) {
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_BOTH, &run, &line, 1, &lines, t->err));
        *busy = lines > 0;
    }
    return WL_OK;
}

/* The first wave in which something happens. */
static wl_status find_busy_wave(const tally *t, int64_t *start)
{
    const wl_geometry *g = t->in->geometry;
    int64_t first = 0, last = g->blocks;
    while (last - first > 1) {
        const int64_t middle = first + (last - first) / 2;
        bool busy = false;
        WL_TRY(is_busy(t, first, middle, &busy));
        *(busy ? &last : &first) = middle;
    }
    *start = wl_min(first, g->blocks - g->wave_blocks);
    return WL_OK;
}

/* The waves that are counted are a sample: together all waves touch at least what the launch
 * does. */
static wl_status bound_sectors(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const wl_region launch = wl_view_run(t->in->view, g, 0, g->blocks);
    const int64_t sector = (int64_t)t->out->sector;
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        double all = 0;
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_LOADS, &launch, &sector, 1, &all, t->err));
        f->loads.wave_sectors = fmax(f->loads.wave_sectors, all * t->out->wave_blocks / t->out->blocks);
        f->loads.launch_sectors = all;
    }
    return WL_OK;
}

/* One wave in the middle of the launch, or several where they differ. */
static wl_status count_waves(const tally *t, wave_counts *fields)
{
    const wl_geometry *g = t->in->geometry;

    const int64_t spare = g->blocks - g->wave_blocks,
                  n = t->differ ? wl_min(WAVES_SAMPLED, wl_ceil_div(g->blocks, g->wave_blocks)) : 1;
    double lines = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        WL_TRY(count_wave(t, (2 * i + 1) * spare / (2 * n), fields, &lines));
        add_wave(t, fields, t->differ ? lines : 1, 1 / (double)n);
        sum += (t->differ ? lines : 1) / (double)n;
    }
    if (sum <= 0) {
        int64_t start = 0;
        const double share = (double)g->wave_blocks / (double)g->blocks;
        WL_TRY(find_busy_wave(t, &start));
        WL_TRY(count_wave(t, start, fields, &lines));
        add_wave(t, fields, lines, share);
        sum = lines * share;
    }
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        f->wave_lines /= sum > 0 ? sum : 1;
        f->wave_pages /= sum > 0 ? sum : 1;
        /* a wave is part of the launch, often all of it */
        f->loads.launch_sectors = fmax(f->loads.launch_sectors, f->loads.wave_sectors);
    }
    return t->differ ? bound_sectors(t) : WL_OK;
}

wl_status wl_window_stored(const tally *t, size_t field)
{
    const wl_region all = wl_view_run(t->in->view, t->in->geometry, 0, t->in->geometry->blocks);
    wl_field_traffic *f = &t->out->fields[field];
    wl_count c;
    if (t->in->view->fields[field][WL_STORES].count == 0)
        return WL_OK;
    const bool completed = f->stores.loaded_too || f->stores.atomic;
    WL_TRY(wl_view_count(t->in->view, t->counter, field, WL_STORES, &all, (int64_t)t->out->sector, !completed, &c,
                         t->err));
    f->stores.sectors = (double)c.touched;
    t->out->partly_unknown = t->out->partly_unknown || (!completed && c.covered < 0);
    if (!completed && c.covered >= 0)
        f->stores.partly = (double)(c.touched - c.covered);
    return WL_OK;
}

static wl_status count_chosen(const tally *t)
{
    WL_TRY(count_windows(t));
    wave_counts *fields = malloc((t->out->field_count + 1) * sizeof *fields);
    const wl_status status = fields ? count_waves(t, fields) : wl_fail_memory(t->err);
    free(fields);
    WL_TRY(status);
    for (size_t i = 0; i < t->out->field_count; i++)
        WL_TRY(wl_window_stored(t, i));
    return WL_OK;
}

/* ---- threads in tiles: cells take the place of blocks ---- */

/* Drops runs that are shorter than a block: what they share is shared inside the block. */
static void drop_short_windows(wl_traffic *o, double threads)
{
    int kept = 0;
    for (int w = 0; w < o->window_count; w++) {
        if (o->window_blocks[w] < threads && w + 1 < o->window_count)
            continue;
        o->window_blocks[kept] = o->window_blocks[w];
        o->window_repeats[kept] = o->window_repeats[w];
        o->window_direction[kept++] = o->window_direction[w];
    }
    o->window_count = kept;
}

static wl_status count_cells(const tally *t)
{
    const wl_geometry *g = t->in->geometry, cells = wl_scheduled_cells(g);
    wl_traffic_input in = *t->in;
    in.view = t->in->cells;
    in.geometry = &cells;
    const tally by_cells = {&in, t->counter, t->out, t->err, false};
    choose_windows(&by_cells);
    drop_short_windows(t->out, (double)g->threads);
    WL_TRY(count_chosen(&by_cells));
    for (int w = 0; w < t->out->window_count; w++)
        t->out->window_blocks[w] /= (double)g->threads;
    return WL_OK;
}

wl_status wl_windows_count(const wl_traffic_input *input, wl_counter *counter, wl_traffic *out, wl_error *err)
{
    const tally t = {input, counter, out, err, input->view->guarded && !wl_blocks_are_ordered(input->geometry)};
    if (input->cells && wl_runs_are_boxes(input->geometry))
        return count_cells(&t);
    if (input->view->opaque)
        return wl_windows_count_waves(&t);
    choose_windows(&t);
    return count_chosen(&t);
}
