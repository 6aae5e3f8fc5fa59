/* windows_traced.c - windows of traced accesses: of as many blocks as the kernel's population
 * allows.
 * Layer  count. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/windows_internal.h"

#define GRANULES WL_WINDOW_GRANULES
typedef wl_window_tally tally;

/* Runs of blocks to enumerate: as long as a wave, or as long as tracing them is affordable. Where
 * blocks do unequal work, in several places. */
#define PLACES 3
/* a run that differs from the launch by a larger factor does not represent it */
#define MOST_MORE 8.0

typedef struct runs {
    int64_t length, start[PLACES];
    int places;
    bool whole; /* the launch can be enumerated, too */
} runs;

static runs choose_runs(const tally *t)
{
    const wl_geometry *g = t->in->geometry;
    const wl_population *p = t->in->view->kernel->source.population;
    runs r = {.length = g->wave_blocks, .places = 1};
    if (p) {
        r.whole = p->run >= g->blocks;
        const int64_t shorter = wl_min(r.length, p->run / (2 * PLACES));
        r.places =
            wl_kinds_differ(p->kinds, p->kind_count) && shorter > 0 && g->blocks >= 2 * PLACES * shorter ? PLACES : 1;
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

/* Distinct granules of one side of a field in one run, and in two; the second is added to the
 * first. Means over places. */
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
        wl_region one = wl_view_run(t->in->view, g, r->start[i], middle);
        wl_region second = wl_view_run(t->in->view, g, middle, wl_max(middle, end));
        double here[GRANULES], there[GRANULES], together[GRANULES];
        one.recorded = true;
        if (r->places > 1) /* the second run may access more than the first */
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

/* Where a run lies that is half a launch away from the first; -1: there is no such run. */
static int64_t far_start(const wl_geometry *g, const runs *r)
{
    const int64_t half = g->blocks / 2, away = r->start[0] >= half ? r->start[0] - half : r->start[0] + half;
    const int64_t start = wl_max(0, wl_min(away, g->blocks - r->length));
    return llabs(start - r->start[0]) >= r->length ? start : -1;
}

/* Distinct granules of one run together with another half a launch away: neighbours may share data
 * that no others do. */
static wl_status count_far(const tally *t, size_t field, wl_side side, const runs *r, double first[GRANULES],
                           double far[GRANULES])
{
    const wl_geometry *g = t->in->geometry;
    const int64_t granules[GRANULES] = {(int64_t)t->out->sector, (int64_t)t->out->fetch, (int64_t)t->out->l2_line,
                                        t->in->page_bytes};
    const int64_t start = far_start(g, r);
    wl_region one = wl_view_run(t->in->view, g, r->start[0], r->start[0] + r->length);
    wl_region other = wl_view_run(t->in->view, g, start, start + r->length);
    one.recorded = true;
    WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &other, granules, GRANULES, far, t->err));
    WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &one, granules, GRANULES, first, t->err));
    for (int k = 0; k < GRANULES; k++)
        first[k] = (first[k] + far[k]) / 2;
    other.onto_last = true;
    return wl_view_counts(t->in->view, t->counter, field, side, &other, granules, GRANULES, far, t->err);
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

/* Extrapolates what the second run adds to the first to n runs, bounded by the range of addresses
 * and by the set that runs far apart share. */
static double grown(const tally *t, size_t field, wl_side side, double granule, double n, double first, double both,
                    const common_set *common)
{
    if (n <= 2)
        return both; /* two runs are the whole launch */
    double all = first + (n - 1) * (both - first);
    if (common->size < INFINITY) {
        const double once = fmin(1, common->drawn / common->size);
        all = first / common->drawn * common->size * (1 - pow(1 - once, 1 + (n - 1) * common->local));
    }
    return fmin(fmax(all, both), fmax(both, wl_windows_most(t->in, field, side, granule)));
}

bool wl_window_is_traced(const wl_window_tally *t, size_t field, wl_side side)
{
    const wl_field_side *s = &t->in->view->fields[field][side];
    bool traced = false;
    for (size_t i = 0; i < s->count; i++)
        traced = traced || s->accesses[i]->access->traced;
    return traced && !s->has_shape && t->in->view->kernel->source.population;
}

wl_status wl_window_traced(const wl_window_tally *t, size_t field, wl_side side, wl_window_waves *out)
{
    const wl_geometry *g = t->in->geometry;
    const wl_traffic *o = t->out;
    const int64_t granules[GRANULES] = {(int64_t)o->sector, (int64_t)o->fetch, (int64_t)o->l2_line, t->in->page_bytes};
    const runs r = choose_runs(t);
    double first[GRANULES], both[GRANULES], alone[GRANULES] = {0}, far[GRANULES] = {0};
    const bool shared = !r.whole && t->in->view->fields[field][side].random && far_start(g, &r) >= 0;
    if (shared)
        WL_TRY(count_far(t, field, side, &r, alone, far));
    WL_TRY(count_two_runs(t, field, side, &r, first, both));
    for (int k = 0; k < GRANULES; k++) {
        const common_set set = shared ? find_common(alone[k], far[k], first[k], both[k]) : (common_set){INFINITY, 0, 1};
        const double granule = (double)granules[k], length = (double)r.length;
        const bool wave = r.length == g->wave_blocks;
        out->first[k] =
            wave ? first[k] : grown(t, field, side, granule, o->wave_blocks / length, first[k], both[k], &set);
        out->both[k] =
            wave ? both[k] : grown(t, field, side, granule, 2 * o->wave_blocks / length, first[k], both[k], &set);
        out->all[k] = grown(t, field, side, granule, o->blocks / length, first[k], both[k], &set);
    }
    if (!r.whole)
        return WL_OK;
    const wl_region all = wl_view_run(t->in->view, g, 0, g->blocks);
    WL_TRY(wl_view_counts(t->in->view, t->counter, field, side, &all, granules, GRANULES, out->all, t->err));
    for (int k = 0; k < GRANULES; k++) { /* exact counts bound the means over places */
        out->both[k] = 2 * g->wave_blocks >= g->blocks ? out->all[k] : fmin(out->both[k], out->all[k]);
        out->first[k] = g->wave_blocks >= g->blocks ? out->all[k] : fmin(out->first[k], out->both[k]);
    }
    return WL_OK;
}
