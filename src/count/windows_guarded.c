/* windows_guarded.c - windows of launches whose blocks differ by affine conditions: a row or layer
 * in the middle does not represent all, so all are summed in closed form (alike.h); see windows.h.
 * Layer  count. SPDX-License-Identifier: MIT */
#include "count/windows_internal.h"

#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/block_sum.h"

#define WAVES_SAMPLED 4 /* waves differ: a few, evenly spread, represent all */

/* What all windows of one length touch, summed over them. */
typedef struct window_sums {
    /* the root of the sum of their squared lines; fields are assumed to be busy in the same
     * windows */
    double root;
    double lines;
} window_sums;

static wl_status sum_windows(const wl_window_tally *t, size_t field, wl_side side, const int64_t tile[3],
                             const int64_t *granules, int n, window_sums *all, double *sums)
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

/* Fills one window: the mean over the windows that are busy. Their number is the one of equally
 * busy windows with the same sum and the same sum of squares. */
static wl_status count_window(const wl_window_tally *t, int w, const int64_t tile[3])
{
    wl_traffic *o = t->out;
    const int64_t granules[2] = {(int64_t)o->fetch, (int64_t)o->l2_line}, line = (int64_t)o->l2_line;
    window_sums all = {0};
    for (size_t i = 0; i < o->field_count; i++) {
        wl_field_traffic *f = &o->fields[i];
        double loaded[2];
        WL_TRY(sum_windows(t, i, WL_LOADS, tile, granules, 2, &all, loaded));
        WL_TRY(sum_windows(t, i, WL_STORES, tile, &line, 1, &all, &f->window_store_lines[w]));
        f->window_units[w] = loaded[0];
        f->window_lines[w] = loaded[1];
    }
    const double busy = all.root > 0 ? fmax(1, all.lines / all.root * (all.lines / all.root)) : 1;
    o->window_repeats[w] = busy;
    o->window_blocks[w] = o->blocks / busy;
    for (size_t i = 0; i < o->field_count; i++) {
        o->fields[i].window_units[w] /= busy;
        o->fields[i].window_lines[w] /= busy;
        o->fields[i].window_store_lines[w] /= busy;
    }
    return WL_OK;
}

static wl_status add_window(const wl_window_tally *t, int64_t x, int64_t y, int64_t z, int direction)
{
    wl_window_add(t->out, 0, 1, direction);
    return count_window(t, t->out->window_count - 1, (const int64_t[3]){x, y, z});
}

/* windows that load at most this times the volume of the launch share almost nothing */
#define SETTLED 1.002

static bool settles_all(const wl_traffic *o, int w, double all)
{
    double here = 0;
    for (size_t i = 0; i < o->field_count; i++)
        here += o->fields[i].window_units[w] * o->window_repeats[w];
    return here <= SETTLED * all;
}

static wl_status count_windows(const wl_window_tally *t)
{
    const wl_geometry *g = t->in->geometry;
    wl_traffic *o = t->out;
    const bool one_wave = g->blocks <= g->wave_blocks;
    double all = 0;
    WL_TRY(add_window(t, g->grid[0], g->grid[1], g->grid[2], 2)); /* the launch, for comparison */
    for (size_t i = 0; i < o->field_count; i++)
        all += o->fields[i].window_units[0];
    o->window_count = 0;
    if (g->grid[1] > 1 && !one_wave)
        WL_TRY(add_window(t, g->grid[0], 1, 1, 1));
    if (g->grid[2] > 1 && !one_wave)
        WL_TRY(add_window(t, g->grid[0], g->grid[1], 1, 2));
    if (o->window_count == 0)
        for (int64_t n = g->wave_blocks; n < g->blocks && o->window_count < WL_WINDOWS_MAX - 1; n *= 2) {
            WL_TRY(add_window(t, n, 1, 1, 0));
            if (settles_all(o, o->window_count - 1, all))
                break;
        }
    return add_window(t, g->grid[0], g->grid[1], g->grid[2], 2);
}

/* ---- waves ---- */

/* Counts of one wave, or of its rest. */
typedef struct wave_counts {
    double sectors, lines, pages;
} wave_counts;

static wl_status count_wave(const wl_window_tally *t, int64_t start, wave_counts *fields, double *lines)
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
 * pages that over busy ones. */
static void add_wave(const wl_window_tally *t, const wave_counts *fields, double lines, double share)
{
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        f->wave_sectors += share * fields[i].sectors;
        f->wave_lines += share * lines * fields[i].lines;
        f->wave_pages += share * lines * fields[i].pages;
    }
}

/* Does anything happen in blocks first <= n < last? */
static wl_status is_busy(const wl_window_tally *t, int64_t first, int64_t last, bool *busy)
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
static wl_status find_busy_wave(const wl_window_tally *t, int64_t *start)
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
static wl_status bound_sectors(const wl_window_tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const wl_region launch = wl_view_run(t->in->view, g, 0, g->blocks);
    const int64_t sector = (int64_t)t->out->sector;
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        double all = 0;
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_LOADS, &launch, &sector, 1, &all, t->err));
        f->wave_sectors = fmax(f->wave_sectors, all * t->out->wave_blocks / t->out->blocks);
        f->launch_sectors = all;
    }
    return WL_OK;
}

static wl_status count_waves(const wl_window_tally *t, wave_counts *fields)
{
    const wl_geometry *g = t->in->geometry;
    const int64_t spare = g->blocks - g->wave_blocks, n = wl_min(WAVES_SAMPLED, wl_ceil_div(g->blocks, g->wave_blocks));
    double lines = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        WL_TRY(count_wave(t, (2 * i + 1) * spare / (2 * n), fields, &lines));
        add_wave(t, fields, lines, 1 / (double)n);
        sum += lines / (double)n;
    }
    if (sum <= 0) {
        int64_t start = 0;
        const double share = (double)g->wave_blocks / (double)g->blocks;
        WL_TRY(find_busy_wave(t, &start));
        WL_TRY(count_wave(t, start, fields, &lines));
        add_wave(t, fields, lines, share);
        sum = lines * share;
    }
    for (size_t i = 0; i < t->out->field_count && sum > 0; i++) {
        t->out->fields[i].wave_lines /= sum;
        t->out->fields[i].wave_pages /= sum;
    }
    return bound_sectors(t);
}

wl_status wl_windows_count_guarded(const wl_window_tally *t)
{
    wl_arena arena = {0};
    wave_counts *fields = WL_ARENA_NEW(&arena, wave_counts, t->out->field_count);
    wl_status status = fields ? count_windows(t) : wl_fail_memory(t->err);
    if (status == WL_OK)
        status = count_waves(t, fields);
    wl_arena_free(&arena);
    for (size_t i = 0; i < t->out->field_count && status == WL_OK; i++)
        status = wl_window_stored(t, i);
    return status;
}
