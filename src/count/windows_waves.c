/* windows_waves.c - windows of launches whose accesses are enumerated: a wave and the one after it,
 * in one place or several, and what they say about the launch. Of traced accesses, as many blocks
 * as the kernel's population allows take the place of a wave.
 * Layer  count. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/courses.h"
#include "count/windows_internal.h"
#include "launch/scheduled.h"

typedef wl_window_tally tally;

/* Distinct sectors, fetch units, L2 lines and pages of one side of a field: in one wave, in two, in
 * the launch. */
enum { SECTOR, FETCH, LINE, PAGE, GRANULES };
typedef struct side_waves {
    double first[GRANULES], both[GRANULES], all[GRANULES];
} side_waves;

/* What is counted: one side of a field. */
typedef struct counted {
    const tally *t;
    size_t field;
    wl_side side;
    const wl_field_side *accesses;
    int64_t granules[GRANULES];
    bool traced;
    const wl_field_course *course; /* of loads; NULL: not known */
} counted;

/* Pairs of runs of blocks, the second after the first: as long as a wave, or as long as tracing
 * them is affordable. Where blocks differ, in several places. */
#define PLACES 8
#define TRACED_PLACES 3
typedef struct runs {
    int64_t length, start[PLACES];
    int places;
    bool whole; /* the launch can be traced, too */
} runs;

/* addresses to enumerate at all places of one side of a field */
#define PLACES_BUDGET ((double)(1 << 21))
/* addresses; a launch with fewer is enumerated completely if blocks differ */
#define WHOLE_BUDGET ((double)(1 << 22))
/* traced runs that differ from the launch by a larger factor do not represent it */
#define MOST_MORE 8.0

/* Does a side have traced accesses, of a kernel with a population? */
static bool is_traced(const tally *t, size_t field, wl_side side)
{
    const wl_field_side *s = &t->in->view->fields[field][side];
    bool traced = false;
    for (size_t i = 0; i < s->count; i++)
        traced = traced || s->accesses[i]->access->traced;
    return traced && !s->has_shape && t->in->view->kernel->source.population;
}

/* Is only one pair of blocks traced? */
static bool has_long_blocks(const counted *c)
{
    return c->traced && c->t->in->view->kernel->source.population->long_blocks;
}

static wl_status count_run(const counted *c, const wl_region *run, double touched[GRANULES])
{
    return wl_view_counts(c->t->in->view, c->t->counter, c->field, c->side, run, c->granules, GRANULES, touched,
                          c->t->err);
}

/* ---- runs ---- */

/* How many places to sample: at most the number of disjoint pairs of waves, fewer if each is
 * expensive. */
static int64_t places_of(const counted *c, int64_t blocks)
{
    const tally *t = c->t;
    const wl_region some = wl_view_run(t->in->view, t->in->geometry, 0, blocks);
    if (blocks == t->in->geometry->blocks || !t->in->view->uneven)
        return 1;
    const int64_t most = wl_min(PLACES, wl_max(2, wl_ceil_div(t->in->geometry->blocks, blocks)));
    if (c->accesses->has_shape || c->accesses->count == 0)
        return most;
    const double addresses = wl_view_addresses(t->in->view, c->field, c->side, &some);
    return (int64_t)fmax(1, fmin((double)most, PLACES_BUDGET / addresses));
}

static runs choose_runs(const counted *c)
{
    const wl_geometry *g = c->t->in->geometry;
    const wl_population *p = c->t->in->view->kernel->source.population;
    runs r = {.length = g->wave_blocks, .places = 1};
    if (c->traced) {
        r.whole = p->run >= g->blocks;
        const int64_t shorter = wl_min(r.length, p->run / (2 * TRACED_PLACES));
        const bool several = shorter > 0 && g->blocks >= 2 * TRACED_PLACES * shorter;
        r.places = several && wl_kinds_differ(p->kinds, p->kind_count) ? TRACED_PLACES : 1;
        r.length = wl_max(1, wl_min(r.length, p->run / (2 * r.places)));
    }
    const int64_t both = wl_min(2 * r.length, g->blocks), spare = g->blocks - both;
    if (!c->traced)
        r.places = (int)places_of(c, both);
    if (has_long_blocks(c) && p->number) { /* from the block that is traced anyway */
        r.start[0] = wl_min(p->number[(p->count - 1) / 2], spare);
        return r;
    }
    for (int i = 0; i < r.places; i++) /* in the middle of equal parts of the launch */
        r.start[i] = c->traced && r.places > 1 ? (int64_t)((double)g->blocks * (2 * i + 1) / (2 * r.places)) - both / 2
                                               : (2 * i + 1) * spare / (2 * r.places);
    return r;
}

/* How much more, or less, the blocks of the launch access than those of the runs, on average. */
static wl_status compare_runs(const counted *c, const runs *r, double *more)
{
    const tally *t = c->t;
    const wl_geometry *g = t->in->geometry;
    const wl_kernel *kernel = t->in->view->kernel;
    const wl_field_side *s = c->accesses;
    const wl_population *p = kernel->source.population;
    double here = 0, mean = 0;
    int64_t blocks = 0;
    for (size_t i = 0; i < s->count; i++) {
        const size_t number = (size_t)(s->accesses[i]->access - kernel->accesses);
        if (p->lanes[number] < 0 || (p->by_trace && p->by_trace[number]))
            return WL_OK; /* evaluated accesses differ little; of others, no mean is known */
        mean += p->lanes[number];
    }
    for (int i = 0; i < r->places; i++) {
        const int64_t end = wl_min(r->start[i] + 2 * r->length, g->blocks);
        for (int64_t b = r->start[i]; b < end; b++, blocks++)
            WL_TRY(wl_traced_lanes(t->in->view, g, c->field, c->side, b, &here, t->err));
    }
    if (here > 0 && mean > 0)
        *more = fmin(fmax(mean * (double)blocks / here, 1 / MOST_MORE), MOST_MORE);
    return WL_OK;
}

/* Do all accesses of a side depend only on the cell of their thread, and does the launch visit all
 * cells? */
static bool is_of_cells(const counted *c)
{
    const wl_field_side *s = c->accesses;
    bool all = c->t->in->cells != NULL;
    for (size_t i = 0; i < s->count && all; i++)
        all = s->accesses[i]->of_cell;
    return all;
}

/* What blocks first <= n < last touch, in closed form if their cells are a few boxes. */
static wl_status count_cells_of(const counted *c, int64_t first, int64_t last, double touched[GRANULES], bool *done)
{
    const tally *t = c->t;
    const wl_geometry *g = t->in->geometry, cells = wl_scheduled_cells(g);
    wl_region region = {.geometry = &cells, .kernel = t->in->cells->kernel, .steps = t->in->cells->steps};
    wl_error limit = {0};
    *done = false;
    if (!wl_scheduled_boxes(g, first * g->threads, last * g->threads, &region.blocks))
        return WL_OK;
    const wl_status status =
        wl_view_counts(t->in->cells, t->counter, c->field, c->side, &region, c->granules, GRANULES, touched, &limit);
    if (status != WL_OK && status != WL_E_LIMIT)
        return wl_fail(t->err, status, limit.loc, "%s", limit.message);
    *done = status == WL_OK;
    return WL_OK;
}

/* Distinct granules of the run from block `start` on, and of it and the next; where they are
 * enumerated, the second is added to the first. */
static wl_status count_two(const counted *c, int64_t start, int64_t length, double first[GRANULES],
                           double both[GRANULES])
{
    const wl_geometry *g = c->t->in->geometry;
    const wl_view *v = c->t->in->view;
    const int64_t middle = start + length, end = wl_min(middle + length, g->blocks);
    bool done = is_of_cells(c);
    if (done)
        WL_TRY(count_cells_of(c, start, middle, first, &done));
    if (done)
        WL_TRY(count_cells_of(c, start, end, both, &done));
    if (done)
        return WL_OK;
    wl_region one = wl_view_run(v, g, start, middle), second = wl_view_run(v, g, middle, wl_max(middle, end));
    one.recorded = second.onto_last = true;
    WL_TRY(count_run(c, &one, first));
    if (c->accesses->has_shape) {
        const wl_region two = wl_view_run(v, g, start, end);
        return count_run(c, &two, both);
    }
    if (second.blocks.count > 0)
        return count_run(c, &second, both);
    memcpy(both, first, GRANULES * sizeof *both);
    return WL_OK;
}

/* Means over all places. */
static wl_status count_runs(const counted *c, const runs *r, double first[GRANULES], double both[GRANULES])
{
    const wl_geometry *g = c->t->in->geometry;
    double squares = 0, more = 1;
    memset(first, 0, GRANULES * sizeof *first);
    memset(both, 0, GRANULES * sizeof *both);
    for (int i = 0; i < r->places; i++) {
        const int64_t middle = r->start[i] + r->length, end = wl_min(middle + r->length, g->blocks);
        /* the second run may access more than the first */
        const bool in_turn = c->traced && r->places > 1;
        double here[GRANULES], next[GRANULES], together[GRANULES];
        if (in_turn) {
            const wl_region second = wl_view_run(c->t->in->view, g, middle, wl_max(middle, end));
            WL_TRY(count_run(c, &second, next));
        }
        WL_TRY(count_two(c, r->start[i], r->length, here, together));
        for (int k = 0; k < GRANULES; k++) {
            first[k] += (in_turn ? (here[k] + next[k]) / 2 : here[k]) / r->places;
            both[k] += together[k] / r->places;
        }
        squares += here[FETCH] * here[FETCH] / r->places;
    }
    if (c->traced && !r->whole)
        WL_TRY(compare_runs(c, r, &more));
    for (int k = 0; k < GRANULES; k++) {
        first[k] *= more;
        both[k] *= more;
    }
    if (!c->traced && r->places > 1 && !c->accesses->has_shape && squares > 0) {
        const double mean = first[FETCH], variance = fmax(0, squares - mean * mean);
        c->t->out->waves_sampled = 2 * (double)r->places;
        c->t->out->waves_error = fmax(c->t->out->waves_error, sqrt(variance / (double)(r->places - 1)) / mean);
    }
    return WL_OK;
}

/* ---- the launch ---- */

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

/* Where a run lies that is half a launch away from the first; -1: there is no such run. */
static int64_t far_start(const wl_geometry *g, const runs *r)
{
    const int64_t half = g->blocks / 2, away = r->start[0] >= half ? r->start[0] - half : r->start[0] + half;
    const int64_t start = wl_max(0, wl_min(away, g->blocks - r->length));
    return llabs(start - r->start[0]) >= r->length ? start : -1;
}

/* Distinct granules of one run together with another half a launch away: neighbours may share data
 * that no others do. */
static wl_status count_far(const counted *c, const runs *r, double first[GRANULES], double far[GRANULES])
{
    const tally *t = c->t;
    const wl_geometry *g = t->in->geometry;
    const int64_t start = far_start(g, r);
    wl_region one = wl_view_run(t->in->view, g, r->start[0], r->start[0] + r->length);
    wl_region other = wl_view_run(t->in->view, g, start, start + r->length);
    one.recorded = true;
    WL_TRY(count_run(c, &other, far));
    WL_TRY(count_run(c, &one, first));
    for (int k = 0; k < GRANULES; k++)
        first[k] = (first[k] + far[k]) / 2;
    other.onto_last = true;
    return count_run(c, &other, far);
}

/* What distant runs share: the size of a set from which each run draws `drawn` granules at random;
 * and, of the granules that a run adds to a distant run, the share that it adds to its
 * neighbour. */
typedef struct common_set {
    double size, drawn, local;
} common_set;

static common_set find_common(double alone, double far, double first, double both)
{
    common_set c = {INFINITY, alone, 1};
    if (far >= 2 * alone || alone <= 0)
        return c;
    c.size = alone * alone / (2 * alone - far);
    if (far > alone && first > 0)
        c.local = fmin(1, (both - first) / first * alone / (far - alone));
    return c;
}

/* Extrapolates what the second run adds to the first to so many blocks, bounded by the range of
 * addresses. With random addresses each run hits more data that was touched before; traced runs
 * show from which set they draw. */
static double grown(const counted *c, int k, double blocks, const runs *r, double first, double both,
                    const common_set *common)
{
    const double n = blocks / (double)r->length, ratio = first > 0 ? (both - first) / first : 1;
    const double counted_runs = fmin(2, (double)c->t->in->geometry->blocks / (double)r->length);
    if (n < counted_runs) /* a part of the second run */
        return first + (n - 1) / (counted_runs - 1) * (both - first);
    if (n <= 2)
        return both; /* two runs are the whole launch */
    double all = first + (n - 1) * (both - first);
    if (common->size < INFINITY) {
        const double once = fmin(1, common->drawn / common->size);
        all = first / common->drawn * common->size * (1 - pow(1 - once, 1 + (n - 1) * common->local));
    } else if ((!c->traced || has_long_blocks(c)) && ratio < 1 && c->accesses->random) {
        all = first * (1 - pow(ratio, n)) / (1 - ratio);
    }
    const double most = wl_windows_most(c->t->in, c->field, c->side, (double)c->granules[k]);
    return fmin(fmax(all, both), fmax(both, most));
}

/* In any order, a launch that visits all cells touches the same data. */
static wl_status count_all_cells(const counted *c, double all[GRANULES])
{
    const tally *t = c->t;
    const wl_geometry cells = wl_scheduled_cells(t->in->geometry);
    wl_region region = {.geometry = &cells, .kernel = t->in->cells->kernel, .steps = t->in->cells->steps};
    region.blocks.count = 1;
    memcpy(region.blocks.boxes[0].hi, cells.grid, sizeof cells.grid);
    return wl_view_counts(t->in->cells, t->counter, c->field, c->side, &region, c->granules, GRANULES, all, t->err);
}

/* The whole launch: counted in closed form, or by enumeration if that is cheap and blocks differ.
 * *done is false if it must be extrapolated. */
static wl_status count_launch(const counted *c, const runs *r, double all[GRANULES], bool *done)
{
    const tally *t = c->t;
    const wl_region launch = wl_view_run(t->in->view, t->in->geometry, 0, t->in->geometry->blocks);
    wl_error limit = {0};
    *done = true;
    if (c->traced && r->whole)
        return count_run(c, &launch, all);
    if (!c->traced && t->in->cells)
        return count_all_cells(c, all);
    const bool cheap =
        c->accesses->uneven && wl_view_addresses(t->in->view, c->field, c->side, &launch) <= WHOLE_BUDGET;
    wl_status status = WL_E_LIMIT;
    if (!c->traced && (c->accesses->has_shape || cheap))
        status =
            wl_view_counts(t->in->view, t->counter, c->field, c->side, &launch, c->granules, GRANULES, all, &limit);
    *done = status == WL_OK;
    return status == WL_E_NOMEM ? wl_fail_memory(t->err) : WL_OK;
}

/* Lines that the blocks of the launch load, each for itself, for a line that courses note. */
static double lines_per_note(const tally *t, size_t field, const wl_field_course *course)
{
    return t->out->fields[field].loads.block_lines * t->out->line / t->out->l2_line / course->own;
}

/* What courses say about one run and two: `first` and `both` are of shorter runs of blocks, whose
 * lines have as many sectors. */
static void use_course(const counted *c, double first[GRANULES], double both[GRANULES])
{
    const wl_geometry *g = c->t->in->geometry;
    const double runs_in_all = (double)g->blocks / (double)c->course->run,
                 lines = lines_per_note(c->t, c->field, c->course);
    const double one = c->course->together[WL_COURSE_RUN] * lines / runs_in_all,
                 two = c->course->together[WL_COURSE_RUN + 1] * lines / fmax(1, runs_in_all / 2);
    const double more[2] = {one / first[LINE], two / both[LINE]};
    for (int k = 0; k < PAGE; k++) {
        first[k] *= more[0];
        both[k] *= more[1];
    }
}

static wl_status count_side_waves(const tally *t, size_t field, wl_side side, const wl_field_course *courses,
                                  side_waves *out)
{
    const wl_geometry *g = t->in->geometry;
    const counted of = {t,
                        field,
                        side,
                        &t->in->view->fields[field][side],
                        {(int64_t)t->out->sector, (int64_t)t->out->fetch, (int64_t)t->out->l2_line, t->in->page_bytes},
                        is_traced(t, field, side),
                        side == WL_LOADS && courses[field].run > 0 ? &courses[field] : NULL},
                  *c = &of;
    runs r = choose_runs(c);
    double first[GRANULES], both[GRANULES], alone[GRANULES] = {0}, far[GRANULES] = {0};
    const bool shared = c->traced && !r.whole && !has_long_blocks(c) && c->accesses->random && far_start(g, &r) >= 0;
    bool done;
    if (shared)
        WL_TRY(count_far(c, &r, alone, far));
    WL_TRY(count_runs(c, &r, first, both));
    WL_TRY(count_launch(c, &r, out->all, &done));
    if (c->course && !r.whole && first[LINE] > 0 && both[LINE] > 0) {
        use_course(c, first, both);
        r.length = c->course->run;
        done = done || c->course->whole;
        for (int k = 0; k < PAGE && c->course->whole; k++)
            out->all[k] = c->course->distinct * lines_per_note(t, field, c->course) * first[k] / first[LINE];
    }
    for (int k = 0; k < GRANULES; k++) {
        const common_set set = shared ? find_common(alone[k], far[k], first[k], both[k]) : (common_set){INFINITY, 0, 1};
        const bool wave = r.length == g->wave_blocks;
        out->first[k] = wave ? first[k] : grown(c, k, t->out->wave_blocks, &r, first[k], both[k], &set);
        out->both[k] = wave ? both[k] : grown(c, k, 2 * t->out->wave_blocks, &r, first[k], both[k], &set);
        if (!done)
            out->all[k] = grown(c, k, t->out->blocks, &r, first[k], both[k], &set);
        if (!c->traced || !done)
            continue;
        /* exact counts bound the means over places */
        out->both[k] = 2 * g->wave_blocks >= g->blocks ? out->all[k] : fmin(out->both[k], out->all[k]);
        out->first[k] = g->wave_blocks >= g->blocks ? out->all[k] : fmin(out->first[k], out->both[k]);
    }
    return WL_OK;
}

/* ---- fields ---- */

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
    const bool countable = sides[WL_BOTH].has_shape ||
                           (!is_traced(t, field, WL_BOTH) && wl_view_can_enumerate(t->in->view, field, WL_BOTH, &wave));
    if (sides[WL_LOADS].count > 0 && sides[WL_STORES].count > 0 && countable)
        WL_TRY(wl_view_counts(t->in->view, t->counter, field, WL_BOTH, &wave, granules, 2, both, t->err));
    /* the counts of the sides may be means over several places */
    t->out->fields[field].wave_lines =
        fmin(fmax(both[0], fmax(loaded[LINE], stored[LINE])), loaded[LINE] + stored[LINE]);
    t->out->fields[field].wave_pages =
        fmin(fmax(both[1], fmax(loaded[PAGE], stored[PAGE])), loaded[PAGE] + stored[PAGE]);
    return WL_OK;
}

/* Waves after which other blocks store to the sectors of a block again, assuming one distance d for
 * all: a run of n waves misses the share d / n of these. If two waves show none, d is unknown, and
 * everything is assumed to be stored to once before anything is stored to again. 0: within a
 * wave. */
#define SEES_NOTHING 0.95

static double waves_between_stores(const tally *t, size_t field, const side_waves *stored, bool *assumed)
{
    const double waves = t->out->blocks / t->out->wave_blocks, all = stored->all[SECTOR];
    const double again = t->out->fields[field].stores.block - all, unseen = stored->both[SECTOR] * waves / 2 - all;
    if (waves <= 2 || again <= 0 || stored->first[SECTOR] <= 0)
        return 0;
    *assumed = unseen >= SEES_NOTHING * again;
    if (*assumed)
        return fmax(2, all / stored->first[SECTOR]);
    return unseen >= again / 2 ? 2 * unseen / again : 0;
}

/* Sections of a wave: what blocks load at the same time, as courses tell; other data is taken to be
 * touched once. */
static void fill_sections(const tally *t, size_t field, const wl_field_course *courses, const side_waves *loaded,
                          const side_waves *stored)
{
    wl_field_traffic *f = &t->out->fields[field];
    const wl_field_course *c = &courses[field];
    const double wave = c->timed ? c->together[WL_COURSE_RUN] : 0;
    for (int w = 0; w < t->out->window_count && t->out->window_blocks[w] < t->out->wave_blocks; w++) {
        const double part = t->out->window_blocks[w] / t->out->wave_blocks,
                     again = wave > 0 ? c->together[w] / wave : 1;
        f->windows.units[w] = loaded->first[FETCH] * part * again;
        f->windows.lines[w] = loaded->first[LINE] * part * again;
        f->windows.store_lines[w] = stored->first[LINE] * part;
    }
}

static wl_status count_field_waves(const tally *t, size_t field, const wl_field_course *courses)
{
    wl_field_traffic *f = &t->out->fields[field];
    const int launch = t->out->window_count - 1, wave = t->out->blocks > t->out->wave_blocks ? launch - 1 : launch;
    side_waves loaded, stored;
    WL_TRY(count_side_waves(t, field, WL_LOADS, courses, &loaded));
    f->loads.wave_sectors = loaded.first[SECTOR];
    f->loads.launch_sectors = loaded.all[SECTOR];
    f->windows.units[wave] = loaded.first[FETCH];
    f->windows.lines[wave] = loaded.first[LINE];
    f->windows.units[launch] = loaded.all[FETCH];
    f->windows.lines[launch] = loaded.all[LINE];
    WL_TRY(count_side_waves(t, field, WL_STORES, courses, &stored));
    f->windows.store_lines[wave] = stored.first[LINE];
    f->windows.store_lines[launch] = stored.all[LINE];
    f->stores.again = waves_between_stores(t, field, &stored, &f->stores.again_assumed);
    f->windows.store_sectors[wave] = f->stores.again > 0 ? stored.first[SECTOR] : 0;
    f->windows.store_sectors[launch] = f->stores.again > 0 ? stored.all[SECTOR] : 0;
    fill_sections(t, field, courses, &loaded, &stored);
    WL_TRY(count_together(t, field, loaded.first, stored.first));
    if (t->in->view->fields[field][WL_STORES].has_shape)
        return wl_window_stored(t, field);
    f->stores.sectors = stored.all[SECTOR];
    t->out->partly_unknown =
        t->out->partly_unknown || (f->stores.sectors > 0 && !f->stores.loaded_too && !f->stores.atomic);
    return WL_OK;
}

/* more than that of a wave's lines are loaded again in other sections */
#define NOTICED 0.01

/* Do blocks load lines in some section that they, or others, have loaded in an earlier one? */
static bool sections_matter(const wl_traffic *o, const wl_field_course *courses)
{
    double sections = 0, wave = 0;
    for (size_t i = 0; i < o->field_count; i++) {
        if (!courses[i].timed)
            continue;
        sections += courses[i].together[0];
        wave += courses[i].together[WL_COURSE_RUN];
    }
    return sections > (1 + NOTICED) * wave;
}

wl_status wl_windows_count_waves(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const double waves = (double)g->blocks / (double)g->wave_blocks;
    wl_field_course *courses = malloc((t->out->field_count + 1) * sizeof *courses);
    wl_status status = courses ? wl_courses_find(t->in, t->out, courses, t->err) : wl_fail_memory(t->err);
    if (status == WL_OK && sections_matter(t->out, courses))
        for (int parts = WL_COURSE_SECTIONS; parts > 1; parts /= 2)
            wl_window_add(t->out, (double)g->wave_blocks / parts, waves * parts, 0);
    if (g->wave_blocks < g->blocks)
        wl_window_add(t->out, (double)g->wave_blocks, waves, 0);
    wl_window_add(t->out, (double)g->blocks, 1, 2);
    for (size_t i = 0; i < t->out->field_count && status == WL_OK; i++)
        status = count_field_waves(t, i, courses);
    free(courses);
    return status;
}
