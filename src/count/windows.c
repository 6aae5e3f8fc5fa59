/* windows.c - see windows.h. SPDX-License-Identifier: MIT */
#include "count/windows_internal.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "launch/scheduled.h"

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

static wl_status count_window(const tally *t, int w)
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
        f->window_units[w] = loaded[0];
        f->window_lines[w] = loaded[1];
        f->launch_sectors = sectors ? loaded[2] : f->launch_sectors;
        WL_TRY(distinct(t, i, WL_STORES, &region, t->out->l2_line, &f->window_store_lines[w]));
        if (f->store_block_full < f->store_block)
            WL_TRY(distinct(t, i, WL_STORES, &region, t->out->sector, &f->window_store_sectors[w]));
    }
    return WL_OK;
}

/* windows that load at most this times the volume of the launch share almost nothing */
#define SETTLED 1.002

/* In one dimension most kernels share only the ends of blocks: no need to count every length. */
static bool window_settles_all(const wl_traffic *o, int w, int last)
{
    double here = 0, all = 0;
    for (size_t i = 0; i < o->field_count; i++) {
        here += o->fields[i].window_units[w] * o->window_repeats[w];
        all += o->fields[i].window_units[last];
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
            f->window_units[w + 1] = f->window_units[last];
            f->window_lines[w + 1] = f->window_lines[last];
            f->window_store_lines[w + 1] = f->window_store_lines[last];
            f->window_store_sectors[w + 1] = f->window_store_sectors[last];
        }
        break;
    }
    return WL_OK;
}

static wl_status count_wave(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t start = (g->blocks - g->wave_blocks) / 2;
    const int64_t granules[2] = {(int64_t)t->out->l2_line, t->in->page_bytes};
    const wl_region wave = wl_view_run(t->in->view, t->in->geometry, start, start + g->wave_blocks);
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        double both[2];
        WL_TRY(distinct(t, i, WL_LOADS, &wave, t->out->sector, &f->wave_sectors));
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_BOTH, &wave, granules, 2, both, t->err));
        /* a wave is part of the launch, often all of it */
        f->launch_sectors = fmax(f->launch_sectors, f->wave_sectors);
        f->wave_lines = both[0];
        f->wave_pages = both[1];
    }
    return WL_OK;
}

wl_status wl_window_stored(const tally *t, size_t field)
{
    const wl_region all = wl_view_run(t->in->view, t->in->geometry, 0, t->in->geometry->blocks);
    wl_field_traffic *f = &t->out->fields[field];
    wl_count c;
    if (t->in->view->fields[field][WL_STORES].count == 0)
        return WL_OK;
    const bool completed = f->loaded_too || f->atomic;
    WL_TRY(wl_view_count(t->in->view, t->counter, field, WL_STORES, &all, (int64_t)t->out->sector, !completed, &c,
                         t->err));
    f->stored = (double)c.touched;
    t->out->partly_unknown = t->out->partly_unknown || (!completed && c.covered < 0);
    if (!completed && c.covered >= 0)
        f->stored_partly = (double)(c.touched - c.covered);
    return WL_OK;
}

static wl_status count_chosen(const tally *t)
{
    WL_TRY(count_windows(t));
    WL_TRY(count_wave(t));
    for (size_t i = 0; i < t->out->field_count; i++)
        WL_TRY(wl_window_stored(t, i));
    return WL_OK;
}

static wl_status count_runs(const tally *t)
{
    choose_windows(t);
    return count_chosen(t);
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
    const tally by_cells = {&in, t->counter, t->out, t->err};
    choose_windows(&by_cells);
    drop_short_windows(t->out, (double)g->threads);
    WL_TRY(count_chosen(&by_cells));
    for (int w = 0; w < t->out->window_count; w++)
        t->out->window_blocks[w] /= (double)g->threads;
    return WL_OK;
}

/* ---- two waves, for accesses that are enumerated ---- */

enum { SECTOR, FETCH, LINE, PAGE };

/* Do all accesses of a side depend only on the cell of their thread, and does the launch visit all
 * cells? */
static bool is_of_cells(const tally *t, size_t field, wl_side side)
{
    const wl_field_side *s = &t->in->view->fields[field][side];
    bool all = t->in->cells != NULL;
    for (size_t i = 0; i < s->count && all; i++)
        all = s->accesses[i]->of_cell;
    return all;
}

/* What blocks first <= n < last touch, in closed form if their cells are a few boxes. */
static wl_status count_cells_of(const tally *t, size_t field, wl_side side, int64_t first, int64_t last,
                                const int64_t granules[4], double touched[4], bool *counted)
{
    const wl_geometry *g = t->in->geometry, cells = wl_scheduled_cells(g);
    wl_region region = {.geometry = &cells, .kernel = t->in->cells->kernel, .steps = t->in->cells->steps};
    wl_error limit = {0};
    *counted = false;
    if (!wl_scheduled_boxes(g, first * g->threads, last * g->threads, &region.blocks))
        return WL_OK;
    const wl_status status =
        wl_view_counts(t->in->cells, t->counter, field, side, &region, granules, 4, touched, &limit);
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(t->err, status, limit.loc, "%s", limit.message);
    *counted = status == WL_OK;
    return WL_OK;
}

/* Distinct granules of one side of a field in the wave from block `start` on, and in two; the
 * second is added to the first where they are enumerated. */
static wl_status count_two(const tally *t, size_t field, wl_side side, int64_t start, const int64_t granules[4],
                           double first[4], double both[4])
{
    const wl_geometry *g = t->in->geometry;
    const wl_view *v = t->in->view;
    const int64_t middle = start + g->wave_blocks, end = wl_min(middle + g->wave_blocks, start + g->blocks);
    bool counted = is_of_cells(t, field, side);
    if (counted)
        WL_TRY(count_cells_of(t, field, side, start, middle, granules, first, &counted));
    if (counted)
        WL_TRY(count_cells_of(t, field, side, start, end, granules, both, &counted));
    if (counted)
        return WL_OK;
    wl_region one = wl_view_run(v, g, start, middle), second = wl_view_run(v, g, middle, end);
    one.recorded = second.onto_last = true;
    WL_TRY(wl_view_counts(v, t->counter, field, side, &one, granules, 4, first, t->err));
    if (v->fields[field][side].has_shape) {
        const wl_region two = wl_view_run(v, g, start, end);
        return wl_view_counts(v, t->counter, field, side, &two, granules, 4, both, t->err);
    }
    if (second.blocks.count > 0)
        return wl_view_counts(v, t->counter, field, side, &second, granules, 4, both, t->err);
    memcpy(both, first, 4 * sizeof *both);
    return WL_OK;
}

/* The first and last byte an access can touch, relative to its field; false: unknown. */
static bool byte_range(const wl_access *a, const wl_ranges *ranges, int64_t *lo, int64_t *hi)
{
    return !a->traced && wl_expr_bounds(a->index, ranges, lo, hi) && wl_mul(*lo, a->unit_bytes, lo) &&
           wl_mul(*hi, a->unit_bytes, hi) && wl_add(*hi, a->width_bytes - 1, hi);
}

double wl_windows_most(const wl_traffic_input *in, size_t field, wl_side side, double granule)
{
    const wl_field_side *s = &in->view->fields[field][side];
    wl_ranges ranges;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    wl_geometry_ranges(in->geometry, in->view->kernel, &ranges);
    for (size_t i = 0; i < s->count; i++) {
        const wl_access *a = s->accesses[i]->access;
        int64_t lo, hi;
        if (!byte_range(a, &ranges, &lo, &hi)) {
            const int64_t bytes = in->view->kernel->fields[field].bytes;
            return bytes > 0 ? ceil((double)bytes / granule) + 1 : INFINITY;
        }
        lowest = wl_min(lowest, lo);
        highest = wl_max(highest, hi);
    }
    return s->count > 0 ? floor((double)highest / granule) - floor((double)lowest / granule) + 1 : 0;
}

/* Extrapolates the second wave to the launch, bounded by the range of addresses. With random
 * addresses each wave hits more data that was touched before. */
static double whole_launch(const tally *t, size_t field, wl_side side, double granule, double first, double both)
{
    const double waves = t->out->blocks / t->out->wave_blocks, ratio = first > 0 ? (both - first) / first : 1;
    if (waves <= 2)
        return both; /* two waves are the whole launch */
    double all = first + (waves - 1) * (both - first);
    if (ratio < 1 && t->in->view->fields[field][side].random)
        all = first * (1 - pow(ratio, waves)) / (1 - ratio);
    return fmin(all, fmax(both, wl_windows_most(t->in, field, side, granule)));
}

/* Lines and pages that one wave touches, loads and stores together: counted in the middle of the
 * launch. Where enumerating both sides at once costs too much, the sum of the two is an upper
 * bound. */
static wl_status count_together(const tally *t, size_t field, const double loaded[4], const double stored[4])
{
    const wl_geometry *g = t->in->geometry;
    const int64_t start = (g->blocks - wl_min(2 * g->wave_blocks, g->blocks)) / 2;
    const wl_region wave = wl_view_run(t->in->view, g, start, start + g->wave_blocks);
    const wl_field_side *sides = t->in->view->fields[field];
    const int64_t granules[2] = {(int64_t)t->out->l2_line, t->in->page_bytes};
    double both[2] = {loaded[LINE] + stored[LINE], loaded[PAGE] + stored[PAGE]};
    const bool countable = sides[WL_BOTH].has_shape || (!wl_window_is_traced(t, field, WL_BOTH) &&
                                                        wl_view_can_enumerate(t->in->view, field, WL_BOTH, &wave));
    if (sides[WL_LOADS].count > 0 && sides[WL_STORES].count > 0 && countable)
        WL_TRY(wl_view_counts(t->in->view, t->counter, field, WL_BOTH, &wave, granules, 2, both, t->err));
    /* the counts of the sides may be means over several places */
    t->out->fields[field].wave_lines =
        fmin(fmax(both[0], fmax(loaded[LINE], stored[LINE])), loaded[LINE] + stored[LINE]);
    t->out->fields[field].wave_pages =
        fmin(fmax(both[1], fmax(loaded[PAGE], stored[PAGE])), loaded[PAGE] + stored[PAGE]);
    return WL_OK;
}

/* Pairs of waves at several places of the launch if blocks differ by position; otherwise one pair
 * in the middle. */
#define PLACES 8
/* addresses to enumerate at all places of one side of a field */
#define PLACES_BUDGET ((double)(1 << 21))
/* addresses; a launch with fewer is enumerated completely if blocks differ */
#define WHOLE_BUDGET ((double)(1 << 22))

typedef wl_window_waves side_waves;

/* In any order, a launch that visits all cells touches the same data. */
static wl_status count_side_cells(const tally *t, size_t field, wl_side side, const int64_t granules[4], double all[4])
{
    const wl_geometry cells = wl_scheduled_cells(t->in->geometry);
    wl_region region = {.geometry = &cells, .kernel = t->in->cells->kernel, .steps = t->in->cells->steps};
    region.blocks.count = 1;
    memcpy(region.blocks.boxes[0].hi, cells.grid, sizeof cells.grid);
    return wl_view_counts(t->in->cells, t->counter, field, side, &region, granules, 4, all, t->err);
}

/* The whole launch: counted in closed form, or by enumeration if that is cheap and blocks differ;
 * else extrapolated. */
static wl_status count_side_launch(const tally *t, size_t field, wl_side side, const int64_t granules[4],
                                   side_waves *out)
{
    const wl_field_side *s = &t->in->view->fields[field][side];
    const wl_region all = wl_view_run(t->in->view, t->in->geometry, 0, t->in->geometry->blocks);
    if (t->in->cells)
        return count_side_cells(t, field, side, granules, out->all);
    const bool cheap = s->uneven && wl_view_addresses(t->in->view, field, side, &all) <= WHOLE_BUDGET;
    wl_status status = WL_E_LIMIT;
    wl_error limit = {0};
    if (s->has_shape || cheap)
        status = wl_view_counts(t->in->view, t->counter, field, side, &all, granules, 4, out->all, &limit);
    if (status == WL_E_NOMEM)
        return wl_fail_memory(t->err);
    for (int k = 0; k < 4 && status != WL_OK; k++)
        out->all[k] = whole_launch(t, field, side, (double)granules[k], out->first[k], out->both[k]);
    return WL_OK;
}

/* How many places to sample: at most the number of disjoint pairs of waves, fewer if each is
 * expensive. */
static int64_t places_of(const tally *t, size_t field, wl_side side, int64_t blocks)
{
    const wl_field_side *s = &t->in->view->fields[field][side];
    const wl_region some = wl_view_run(t->in->view, t->in->geometry, 0, blocks);
    if (blocks == t->in->geometry->blocks || !t->in->view->uneven)
        return 1;
    const int64_t most = wl_min(PLACES, wl_max(2, wl_ceil_div(t->in->geometry->blocks, blocks)));
    if (s->has_shape || s->count == 0)
        return most;
    return (int64_t)fmax(1, fmin((double)most, PLACES_BUDGET / wl_view_addresses(t->in->view, field, side, &some)));
}

static wl_status count_side_waves(const tally *t, size_t field, wl_side side, side_waves *out)
{
    const wl_geometry *g = t->in->geometry;
    const wl_traffic *o = t->out;
    const int64_t blocks = wl_min(2 * g->wave_blocks, g->blocks), spare = g->blocks - blocks;
    const int64_t places = places_of(t, field, side, blocks);
    const int64_t granules[4] = {(int64_t)o->sector, (int64_t)o->fetch, (int64_t)o->l2_line, t->in->page_bytes};
    double squares = 0;
    *out = (side_waves){0};
    if (wl_window_is_traced(t, field, side))
        return wl_window_traced(t, field, side, out);
    for (int64_t i = 0; i < places; i++) {
        const int64_t start = (2 * i + 1) * spare / (2 * places);
        double first[4], both[4];
        WL_TRY(count_two(t, field, side, start, granules, first, both));
        for (int k = 0; k < 4; k++) {
            out->first[k] += first[k] / (double)places;
            out->both[k] += both[k] / (double)places;
        }
        squares += first[FETCH] * first[FETCH] / (double)places;
    }
    if (places > 1 && !t->in->view->fields[field][side].has_shape && squares > 0) {
        const double mean = out->first[FETCH], variance = fmax(0, squares - mean * mean);
        t->out->waves_sampled = 2 * (double)places;
        t->out->waves_error = fmax(t->out->waves_error, sqrt(variance / (double)(places - 1)) / mean);
    }
    return count_side_launch(t, field, side, granules, out);
}

/* Waves after which other blocks store to the sectors of a block again, assuming one distance d for
 * all: a run of n waves misses the share d / n of these. If two waves show none, d is unknown, and
 * everything is assumed to be stored to once before anything is stored to again. 0: within a
 * wave. */
#define SEES_NOTHING 0.95

static double waves_between_stores(const tally *t, size_t field, const side_waves *stored, bool *assumed)
{
    const double waves = t->out->blocks / t->out->wave_blocks, all = stored->all[SECTOR];
    const double again = t->out->fields[field].store_block - all, unseen = stored->both[SECTOR] * waves / 2 - all;
    if (waves <= 2 || again <= 0 || stored->first[SECTOR] <= 0)
        return 0;
    *assumed = unseen >= SEES_NOTHING * again;
    if (*assumed)
        return fmax(2, all / stored->first[SECTOR]);
    return unseen >= again / 2 ? 2 * unseen / again : 0;
}

static wl_status count_field_waves(const tally *t, size_t field)
{
    wl_field_traffic *f = &t->out->fields[field];
    side_waves loaded, stored;
    WL_TRY(count_side_waves(t, field, WL_LOADS, &loaded));
    f->wave_sectors = loaded.first[SECTOR];
    f->launch_sectors = loaded.all[SECTOR];
    f->window_units[0] = loaded.first[FETCH];
    f->window_lines[0] = loaded.first[LINE];
    f->window_units[1] = loaded.all[FETCH];
    f->window_lines[1] = loaded.all[LINE];
    WL_TRY(count_side_waves(t, field, WL_STORES, &stored));
    f->window_store_lines[0] = stored.first[LINE];
    f->window_store_lines[1] = stored.all[LINE];
    f->store_again = waves_between_stores(t, field, &stored, &f->store_again_assumed);
    f->window_store_sectors[0] = f->store_again > 0 ? stored.first[SECTOR] : 0;
    f->window_store_sectors[1] = f->store_again > 0 ? stored.all[SECTOR] : 0;
    WL_TRY(count_together(t, field, loaded.first, stored.first));
    if (t->in->view->fields[field][WL_STORES].has_shape)
        return wl_window_stored(t, field);
    f->stored = stored.all[SECTOR];
    t->out->partly_unknown = t->out->partly_unknown || (f->stored > 0 && !f->loaded_too && !f->atomic);
    return WL_OK;
}

static wl_status count_two_waves(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    if (g->wave_blocks < g->blocks)
        wl_window_add(t->out, (double)g->wave_blocks, (double)g->blocks / (double)g->wave_blocks, 0);
    wl_window_add(t->out, (double)g->blocks, 1, 2);
    for (size_t i = 0; i < t->out->field_count; i++)
        WL_TRY(count_field_waves(t, i));
    return WL_OK;
}

wl_status wl_windows_count(const wl_traffic_input *input, wl_counter *counter, wl_traffic *out, wl_error *err)
{
    const tally t = {input, counter, out, err};
    if (input->cells && wl_runs_are_boxes(input->geometry))
        return count_cells(&t);
    if (input->view->guarded && !input->view->opaque && !wl_blocks_are_ordered(input->geometry))
        return wl_windows_count_guarded(&t);
    return input->view->opaque ? count_two_waves(&t) : count_runs(&t);
}
