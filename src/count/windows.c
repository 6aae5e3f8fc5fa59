/* windows.c - see windows.h. SPDX-License-Identifier: MIT */
#include "count/windows.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"

typedef struct tally {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_traffic *out;
    wl_error *err;
} tally;

static wl_status distinct(const tally *t, size_t field, wl_side side, const wl_region *region, double granule,
                          double *count)
{
    wl_count c;
    WL_TRY(wl_view_count(t->in->view, t->counter, field, side, region, (int64_t)granule, false, &c, t->err));
    *count = (double)c.touched;
    return WL_OK;
}

static void add_window(wl_traffic *o, double blocks, double repeats, int direction)
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

/* How many of them the launch has: one at least, also where a block is larger than the domain. */
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
    const int64_t row = g->grid[0], layer = row * g->grid[1];
    const double layers = repeats(g, 2), rows = repeats(g, 1);
    const bool one_wave = g->blocks <= g->wave_blocks; /* all blocks are resident at once: no earlier window */
    if (g->grid[1] > 1 && !one_wave)
        add_window(o, (double)row, rows * layers, 1);
    if (g->grid[2] > 1 && !one_wave)
        add_window(o, (double)layer, layers, 2);
    if (o->window_count == 0) /* one dimension: everything farther back than a wave */
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
                : t->out->window_direction[w] == 1 ? middle(g, 2) * layer + middle(g, 1) * row
                                                   : middle(g, 2) * layer;
    return wl_view_run(t->in->view, t->in->geometry, start, start + n);
}

static wl_status count_window(const tally *t, int w)
{
    const wl_region region = window_region(t, w);
    const int64_t granules[2] = {(int64_t)t->out->fetch, (int64_t)t->out->l2_line};
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        double loaded[2];
        WL_TRY(wl_view_counts(t->in->view, t->counter, i, WL_LOADS, &region, granules, 2, loaded, t->err));
        f->window_units[w] = loaded[0];
        f->window_lines[w] = loaded[1];
        WL_TRY(distinct(t, i, WL_STORES, &region, t->out->l2_line, &f->window_store_lines[w]));
    }
    return WL_OK;
}

#define SETTLED 1.002 /* windows that load at most this times the volume of the launch share almost nothing */

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
        f->wave_lines = both[0];
        f->wave_pages = both[1];
    }
    return WL_OK;
}

/* What the launch stores, and which sectors it leaves partially written. */
static wl_status count_stored(const tally *t, size_t field)
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

static wl_status count_runs(const tally *t)
{
    choose_windows(t);
    WL_TRY(count_windows(t));
    WL_TRY(count_wave(t));
    for (size_t i = 0; i < t->out->field_count; i++)
        WL_TRY(count_stored(t, i));
    return WL_OK;
}

/* ---- two waves, for accesses that are enumerated ---- */

enum { SECTOR, FETCH, LINE, PAGE, GRANULES };

/* Runs of blocks to enumerate: as long as a wave, or as long as tracing them is affordable. Where
 * blocks do unequal work, in several places. */
#define PLACES 3
#define EQUAL 1.25    /* blocks are alike if the longest take at most this times the mean */
#define MOST_MORE 8.0 /* a run that differs by more from the launch says little about it */

typedef struct runs {
    int64_t length, start[PLACES];
    int places;
    bool whole; /* the launch can be enumerated, too */
} runs;

static bool blocks_differ(const wl_population *p)
{
    double blocks = 0, all = 0;
    for (int k = 0; k < p->kind_count; k++) {
        blocks += p->kinds[k].blocks;
        all += p->kinds[k].blocks * p->kinds[k].instructions;
    }
    return p->kind_count > 1 && p->kinds[0].instructions * blocks > EQUAL * all;
}

static runs choose_runs(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const wl_population *p = t->in->view->kernel->source.population;
    runs r = {.length = g->wave_blocks, .places = 1};
    if (p) {
        r.whole = p->run >= g->blocks;
        const int64_t shorter = wl_min(r.length, p->run / (2 * PLACES));
        r.places = blocks_differ(p) && shorter > 0 && g->blocks >= 2 * PLACES * shorter ? PLACES : 1;
        r.length = wl_max(1, wl_min(r.length, p->run / (2 * r.places)));
    }
    const int64_t both = wl_min(2 * r.length, g->blocks);
    for (int i = 0; i < r.places; i++) /* in the middle of equal parts of the launch */
        r.start[i] = r.places == 1 ? (g->blocks - both) / 2
                                   : (int64_t)((double)g->blocks * (2 * i + 1) / (2 * r.places)) - both / 2;
    return r;
}

/* How much more, or less, the blocks of the launch access than those of the runs, on average. */
static wl_status compare_runs(const tally *t, size_t field, wl_side side, const runs *r, double *more)
{
    const wl_geometry *g = t->in->geometry;
    const wl_kernel *kernel = t->in->view->kernel;
    const wl_field_side *s = &t->in->view->fields[field][side];
    const wl_population *p = kernel->source.population;
    double here = 0, mean = 0;
    int64_t blocks = 0;
    if (!p || s->count == 0)
        return WL_OK;
    for (size_t i = 0; i < s->count; i++) {
        const size_t number = (size_t)(s->accesses[i]->access - kernel->accesses);
        if (p->lanes[number] < 0) /* evaluated accesses differ little */
            return WL_OK;
        mean += p->lanes[number];
    }
    for (int i = 0; i < r->places; i++) {
        const int64_t end = wl_min(r->start[i] + 2 * r->length, g->blocks);
        for (int64_t b = r->start[i]; b < end; b++, blocks++)
            WL_TRY(wl_traced_lanes(t->in->view, g, field, side, b, &here, t->err));
    }
    if (here > 0 && mean > 0)
        *more = fmin(fmax(mean * (double)blocks / here, 1 / MOST_MORE), MOST_MORE);
    return WL_OK;
}

/* Distinct granules of one side of a field in one run, and in two; the second is added to the first.
 * Means over places. */
static wl_status count_two_runs(const tally *t, size_t field, wl_side side, const runs *r, double first[GRANULES],
                                double both[GRANULES])
{
    const wl_geometry *g = t->in->geometry;
    const int64_t granules[GRANULES] = {(int64_t)t->out->sector, (int64_t)t->out->fetch, (int64_t)t->out->l2_line,
                                        t->in->page_bytes};
    double more = 1;
    for (int k = 0; k < GRANULES; k++)
        first[k] = both[k] = 0;
    for (int i = 0; i < r->places; i++) {
        const int64_t middle = r->start[i] + r->length, end = wl_min(r->start[i] + 2 * r->length, g->blocks);
        const wl_region one = wl_view_run(t->in->view, g, r->start[i], middle);
        wl_region second = wl_view_run(t->in->view, g, middle, wl_max(middle, end));
        double here[GRANULES], there[GRANULES], together[GRANULES];
        if (r->places > 1) /* the second may do more than the first */
            WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &second, granules, GRANULES, there, t->err));
        WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &one, granules, GRANULES, here, t->err));
        memcpy(together, here, sizeof together);
        second.onto_last = true;
        if (second.blocks.count > 0)
            WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &second, granules, GRANULES, together, t->err));
        for (int k = 0; k < GRANULES; k++) {
            first[k] += (r->places > 1 ? (here[k] + there[k]) / 2 : here[k]) / r->places;
            both[k] += together[k] / r->places;
        }
    }
    if (!r->whole)
        WL_TRY(compare_runs(t, field, side, r, &more));
    for (int k = 0; k < GRANULES; k++) {
        first[k] *= more;
        both[k] *= more;
    }
    return WL_OK;
}

/* The same for a side with a closed form: waves in the middle of the launch. */
static wl_status count_two_waves(const tally *t, size_t field, wl_side side, double first[GRANULES],
                                 double both[GRANULES])
{
    const wl_geometry *g = t->in->geometry;
    const int64_t granules[GRANULES] = {(int64_t)t->out->sector, (int64_t)t->out->fetch, (int64_t)t->out->l2_line,
                                        t->in->page_bytes};
    const int64_t wave = g->wave_blocks, blocks = wl_min(2 * wave, g->blocks), start = (g->blocks - blocks) / 2;
    const wl_region one = wl_view_run(t->in->view, g, start, start + wave),
                    two = wl_view_run(t->in->view, g, start, start + blocks);
    WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &one, granules, GRANULES, first, t->err));
    return wl_view_counts(t->in->view, t->counter, field, side, &two, granules, GRANULES, both, t->err);
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

/* Extrapolates what the second run adds to the first to n runs, bounded by the range of addresses. With
 * random addresses each run hits more data that was touched before. */
static double grown(const tally *t, size_t field, wl_side side, double granule, double n, double first, double both)
{
    const double ratio = first > 0 ? (both - first) / first : 1;
    if (n <= 2)
        return both; /* that is all there is */
    double all = first + (n - 1) * (both - first);
    if (ratio < 1 && t->in->view->fields[field][side].random)
        all = first * (1 - pow(ratio, n)) / (1 - ratio);
    return fmin(all, fmax(both, wl_windows_most(t->in, field, side, granule)));
}

/* Distinct granules of one wave, and of the launch. */
static wl_status count_side(const tally *t, size_t field, wl_side side, const runs *r, double wave[GRANULES],
                            double launch[GRANULES])
{
    const wl_geometry *g = t->in->geometry;
    const wl_traffic *o = t->out;
    const int64_t granules[GRANULES] = {(int64_t)o->sector, (int64_t)o->fetch, (int64_t)o->l2_line, t->in->page_bytes};
    const bool closed = t->in->view->fields[field][side].has_shape;
    const double length = closed ? o->wave_blocks : (double)r->length;
    double first[GRANULES], both[GRANULES];
    if (closed)
        WL_TRY(count_two_waves(t, field, side, first, both));
    else
        WL_TRY(count_two_runs(t, field, side, r, first, both));
    for (int k = 0; k < GRANULES; k++) {
        const double granule = (double)granules[k];
        wave[k] = length == o->wave_blocks ? first[k]
                                           : grown(t, field, side, granule, o->wave_blocks / length, first[k], both[k]);
        launch[k] = grown(t, field, side, granule, o->blocks / length, first[k], both[k]);
    }
    if (!closed && !r->whole)
        return WL_OK;
    const wl_region all = wl_view_run(t->in->view, g, 0, g->blocks);
    wl_error limit = {0};
    double exact[GRANULES];
    const wl_status status =
        wl_view_counts(t->in->view, t->counter, field, side, &all, granules, GRANULES - closed, exact, &limit);
    if (status == WL_OK)
        memcpy(launch, exact, LINE * sizeof *launch + sizeof *launch);
    if (status == WL_OK || (status == WL_E_LIMIT && closed))
        return WL_OK;
    return wl_fail(t->err, status, limit.loc, "%s", limit.message);
}

/* Lines and pages that one wave touches, loads and stores together. Where enumerating both sides at
 * once costs too much, the sum of the two is an upper bound. */
static wl_status count_together(const tally *t, size_t field, const runs *r, const double loaded[GRANULES],
                                const double stored[GRANULES])
{
    const wl_geometry *g = t->in->geometry;
    const wl_field_side *sides = t->in->view->fields[field];
    const int64_t granules[2] = {(int64_t)t->out->l2_line, t->in->page_bytes};
    const int64_t start = (g->blocks - wl_min(2 * g->wave_blocks, g->blocks)) / 2;
    const wl_region wave = wl_view_run(t->in->view, g, start, start + g->wave_blocks);
    double both[2] = {loaded[LINE] + stored[LINE], loaded[PAGE] + stored[PAGE]};
    const bool whole_wave = r->length == g->wave_blocks && r->places == 1;
    const bool countable =
        sides[WL_BOTH].has_shape || (whole_wave && wl_view_can_enumerate(t->in->view, field, WL_BOTH, &wave));
    if (sides[WL_LOADS].count > 0 && sides[WL_STORES].count > 0 && countable)
        WL_TRY(wl_view_counts(t->in->view, t->counter, field, WL_BOTH, &wave, granules, 2, both, t->err));
    t->out->fields[field].wave_lines = both[0];
    t->out->fields[field].wave_pages = both[1];
    return WL_OK;
}

static wl_status count_field(const tally *t, size_t field, const runs *r)
{
    wl_field_traffic *f = &t->out->fields[field];
    double loaded[GRANULES], stored[GRANULES], launch[GRANULES];
    WL_TRY(count_side(t, field, WL_LOADS, r, loaded, launch));
    f->wave_sectors = loaded[SECTOR];
    f->window_units[0] = loaded[FETCH];
    f->window_lines[0] = loaded[LINE];
    f->window_units[1] = launch[FETCH];
    f->window_lines[1] = launch[LINE];
    WL_TRY(count_side(t, field, WL_STORES, r, stored, launch));
    f->window_store_lines[0] = stored[LINE];
    f->window_store_lines[1] = launch[LINE];
    WL_TRY(count_together(t, field, r, loaded, stored));
    if (t->in->view->fields[field][WL_STORES].has_shape)
        return count_stored(t, field);
    f->stored = launch[SECTOR];
    t->out->partly_unknown = t->out->partly_unknown || (f->stored > 0 && !f->loaded_too && !f->atomic);
    return WL_OK;
}

static wl_status count_waves(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const runs r = choose_runs(t);
    if (g->wave_blocks < g->blocks)
        add_window(t->out, (double)g->wave_blocks, (double)g->blocks / (double)g->wave_blocks, 0);
    add_window(t->out, (double)g->blocks, 1, 2);
    for (size_t i = 0; i < t->out->field_count; i++)
        WL_TRY(count_field(t, i, &r));
    return WL_OK;
}

wl_status wl_windows_count(const wl_traffic_input *input, wl_counter *counter, wl_traffic *out, wl_error *err)
{
    const tally t = {input, counter, out, err};
    return input->view->opaque ? count_waves(&t) : count_runs(&t);
}
