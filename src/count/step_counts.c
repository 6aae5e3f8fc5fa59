/* step_counts.c - see step_counts.h. SPDX-License-Identifier: MIT */
#include "count/step_counts.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/expr_difference.h"
#include "kernel/program.h"
#include "count/block_sum.h"
#include "count/loop_runs.h"

typedef struct steps {
    const wl_traffic_input *in;
    wl_counter *counter;
    wl_traffic *out;
    int warp_size;
    wl_arena *arena;
    wl_error *err;
} steps;

/* Distinct sectors and lines of blocks, and sectors of warps, of all runs of a length together. */
typedef struct run_sums {
    double sectors, lines, warp_sectors;
} run_sums;

static wl_status sum_runs(const steps *t, const wl_view *view, size_t field, bool warps_too, run_sums *out)
{
    wl_block_sum block, warp = {0};
    const wl_block_sum_input in = {.view = view,
                                   .counter = t->counter,
                                   .geometry = t->in->geometry,
                                   .field = field,
                                   .side = WL_LOADS,
                                   .granule_count = 2,
                                   .granules = {(int64_t)t->out->sector, (int64_t)t->out->line}};
    WL_TRY(warps_too ? wl_block_and_warp_sums(&in, &in, t->warp_size, &block, &warp, t->err)
                     : wl_block_sum_make(&in, &block, t->err));
    *out = (run_sums){block.granules[0], block.granules[1], warp.granules[0]};
    return WL_OK;
}

/* Runs with such extents of the loops around an access. */
static double runs_around(const wl_view *view, const wl_bound *bound)
{
    return wl_access_steps(view->kernel, bound->access) / wl_access_steps_of(bound->access, view->steps);
}

/* The shape of chosen loads of a field, as far as all its loads have one. */
static wl_status shape_loads(const steps *t, const wl_field_side *all, wl_field_side *out)
{
    wl_error ignored = {0};
    if (!all->has_shape)
        return WL_OK;
    const wl_status status = wl_shape_make(out->accesses, out->count, t->in->geometry, t->arena, &out->shape, &ignored);
    if (status == WL_E_NOMEM)
        return wl_fail_memory(t->err);
    out->has_shape = status == WL_OK && wl_tile_sum_can(&out->shape);
    for (size_t a = 0; a < out->count; a++)
        out->uneven = !out->has_shape && (out->uneven || out->accesses[a]->conditional);
    return WL_OK;
}

/* A view whose field has a list of loads of its own, empty at first. */
static wl_status view_of_some(const steps *t, const wl_view *all, size_t field, wl_view *out, wl_field_side **side)
{
    wl_field_side(*fields)[WL_SIDE_COUNT] = wl_arena_alloc(t->arena, field + 1, sizeof *fields);
    const wl_bound **chosen = WL_ARENA_NEW(t->arena, const wl_bound *, all->fields[field][WL_LOADS].count);
    if (!fields || !chosen)
        return wl_fail_memory(t->err);
    memcpy(fields, all->fields, (field + 1) * sizeof *fields);
    *side = &fields[field][WL_LOADS];
    (*side)->accesses = chosen;
    (*side)->count = 0;
    *out = *all;
    out->fields = fields;
    return WL_OK;
}

/* The loads of a field that are in at least so many runs. */
static wl_status choose_loads(const steps *t, const wl_view *view, const wl_field_side *all, double least,
                              wl_field_side *out)
{
    out->count = 0;
    for (size_t a = 0; a < all->count; a++)
        if (runs_around(view, all->accesses[a]) >= least)
            out->accesses[out->count++] = all->accesses[a];
    return shape_loads(t, all, out);
}

/* A field whose accesses are in different loops, for instance after peeling: an access outside a
 * loop is not part of every run of it. Accesses that are in most runs come first; what the next
 * ones touch in addition is counted once per run of theirs. */
static wl_status sum_unlike(const steps *t, const wl_view *all, size_t field, bool warps_too, run_sums *out)
{
    const wl_field_side *side = &all->fields[field][WL_LOADS];
    wl_field_side *chosen = NULL;
    wl_view view;
    run_sums before = {0};
    WL_TRY(view_of_some(t, all, field, &view, &chosen));
    *out = (run_sums){0};
    for (double runs = INFINITY; chosen->count < side->count;) {
        run_sums now = {0};
        double next = 0;
        for (size_t a = 0; a < side->count; a++) {
            const double own = runs_around(&view, side->accesses[a]);
            next = own < runs ? fmax(next, own) : next;
        }
        runs = next;
        WL_TRY(choose_loads(t, &view, side, runs, chosen));
        WL_TRY(sum_runs(t, &view, field, warps_too, &now));
        out->sectors += runs * fmax(0, now.sectors - before.sectors);
        out->lines += runs * fmax(0, now.lines - before.lines);
        out->warp_sectors += runs * fmax(0, now.warp_sectors - before.warp_sectors);
        before = now;
    }
    return WL_OK;
}

/* The most runs that any load of a field is in; `alike`: all loads are in as many. */
static double most_runs(const wl_view *view, size_t field, bool *alike)
{
    const wl_field_side *side = &view->fields[field][WL_LOADS];
    double most = 1, least = INFINITY;
    for (size_t a = 0; a < side->count; a++) {
        const double runs = runs_around(view, side->accesses[a]);
        most = fmax(most, runs);
        least = fmin(least, runs);
    }
    *alike = least >= most;
    return most;
}

/* All runs of a field's loads; *runs: how many. */
static wl_status sum_field(const steps *t, const wl_view *view, size_t field, bool warps_too, run_sums *out,
                           double *runs)
{
    bool alike = true;
    *runs = most_runs(view, field, &alike);
    if (!alike)
        return sum_unlike(t, view, field, warps_too, out);
    WL_TRY(sum_runs(t, view, field, warps_too, out));
    *out = (run_sums){out->sectors * *runs, out->lines * *runs, out->warp_sectors * *runs};
    return WL_OK;
}

/* ---- peeled trips ---- */

#define NOT_PEELED INT64_MIN

/* The address of b minus that of a, if it is affine. */
static bool find_apart(const wl_bound *a, const wl_bound *b, wl_form *out)
{
    const bool known[] = {a->affine || a->linear, b->affine || b->linear};
    if (!known[0] && !known[1])
        return !a->access->traced && !b->access->traced && a->access->unit_bytes == b->access->unit_bytes &&
               wl_expr_difference(a->access->index, b->access->index, out);
    bool fits = known[0] && known[1] && wl_add(b->form.c, -a->form.c, &out->c);
    for (int v = 0; v < WL_VAR_FORM_COUNT && fits; v++)
        fits = wl_add(b->form.k[v], -a->form.k[v], &out->k[v]);
    return fits;
}

/* The trip of `loop` that is written as load b: its address is that of load a, which is in the
 * loop, in a trip before its first or after its last one, and perhaps some way on. */
static int64_t trip_outside(const wl_bound *a, const wl_bound *b, int loop, int64_t extent)
{
    wl_form apart;
    const int var = WL_VAR_LOOP_0 + loop;
    if (!(a->loops >> loop & 1) || !find_apart(a, b, &apart) || apart.k[var] == 0)
        return NOT_PEELED;
    for (int v = 0; v < WL_VAR_LOOP_0; v++)
        if (apart.k[v] != 0)
            return NOT_PEELED;
    const int64_t growth = -apart.k[var],
                  trip = growth > 0 ? wl_floor_div(apart.c, growth) : wl_floor_div(-apart.c, -growth);
    return trip >= 0 && trip < extent ? NOT_PEELED : trip;
}

/* Trips of an outer loop with conditions of their own, for instance at the edge of a tile, are
 * recovered as loads outside this loop. They run one after the other, not side by side: each is a
 * run of its own. */
static int64_t peeled_run(const steps *t, const wl_field_side *side, const wl_bound *b,
                          const int64_t extents[WL_LOOPS_MAX])
{
    const wl_kernel *kernel = t->in->view->kernel;
    for (int l = 0; l < kernel->loop_count; l++) {
        if (b->loops >> l & 1 || extents[l] == kernel->loop_extent[l])
            continue;
        for (size_t a = 0; a < side->count; a++) {
            const int64_t trip = trip_outside(side->accesses[a], b, l, kernel->loop_extent[l]);
            if (trip != NOT_PEELED)
                return wl_floor_div(trip, extents[l]);
        }
    }
    return NOT_PEELED;
}

/* The run with the lowest number above `before` among the loads of a field. */
static int64_t next_run(const int64_t *run_of, size_t count, int64_t before)
{
    int64_t next = INT64_MAX;
    for (size_t a = 0; a < count; a++)
        next = run_of[a] > before ? wl_min(next, run_of[a]) : next;
    return next;
}

/* The loads of each peeled run by themselves, and the others together. */
static wl_status sum_apart(const steps *t, const wl_view *all, size_t field, bool warps_too, run_sums *out,
                           double *runs)
{
    const wl_field_side *side = &all->fields[field][WL_LOADS];
    int64_t *run_of = WL_ARENA_NEW(t->arena, int64_t, side->count);
    wl_field_side *chosen = NULL;
    wl_view view;
    if (!run_of)
        return wl_fail_memory(t->err);
    for (size_t a = 0; a < side->count; a++)
        run_of[a] = peeled_run(t, side, side->accesses[a], all->steps);
    if (next_run(run_of, side->count, NOT_PEELED) == INT64_MAX)
        return sum_field(t, all, field, warps_too, out, runs);
    WL_TRY(view_of_some(t, all, field, &view, &chosen));
    *out = (run_sums){0};
    *runs = 0;
    for (int64_t run = NOT_PEELED; run != INT64_MAX; run = next_run(run_of, side->count, run)) {
        run_sums sums;
        double part = 0;
        chosen->count = 0;
        for (size_t a = 0; a < side->count; a++)
            if (run_of[a] == run)
                chosen->accesses[chosen->count++] = side->accesses[a];
        WL_TRY(shape_loads(t, side, chosen));
        WL_TRY(sum_field(t, &view, field, warps_too, &sums, &part));
        *out = (run_sums){out->sectors + sums.sectors, out->lines + sums.lines, out->warp_sectors + sums.warp_sectors};
        *runs += part;
    }
    return WL_OK;
}

/* Counts one run length: the footprints of loops with these extents. */
static wl_status count_steps(const steps *t, int n, const int64_t extents[WL_LOOPS_MAX])
{
    wl_view view = *t->in->view;
    view.steps = extents;
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        run_sums sums;
        bool alike = true;
        double runs = 0;
        const bool warps_too = extents[0] * extents[1] * extents[2] <= WL_UNROLLED;
        if (!f->stores.loaded_too) {
            f->loads.step_runs[n] = most_runs(&view, i, &alike);
            continue;
        }
        WL_TRY(sum_apart(t, &view, i, warps_too, &sums, &runs));
        f->loads.step_runs[n] = runs;
        f->loads.step_sectors[n] = sums.sectors;
        t->out->step_lines[n] += sums.lines / runs / t->out->blocks;
        t->out->step_distinct[n] +=
            wl_loop_runs_beside(t->in->view, i, WL_LOADS) ? 0 : sums.sectors / runs / t->out->blocks;
        if (warps_too)
            f->loads.step_warp_sectors[n] = sums.warp_sectors;
    }
    return WL_OK;
}

#define STEPS_AT_ONCE 4 /* of a long loop, in an unrolled copy */

/* Compilers unroll so many trips of a loop, if the registers of a thread hold the results of all
 * their loads. */
static bool registers_hold(const steps *t, double trips)
{
    const wl_kernel *k = t->in->view->kernel;
    double words = 0;
    for (size_t i = 0; i < k->access_count && trips > 1; i++) {
        const wl_access *a = &k->accesses[i];
        if (!a->store && !k->fields[a->field].shared)
            words += fmin(trips, wl_access_steps(k, a)) * ceil((double)a->width_bytes / WL_REGISTER_BYTES);
    }
    return words <= (double)t->in->geometry->registers;
}

wl_status wl_steps_count(const wl_traffic_input *input, wl_counter *counter, int warp_size, wl_arena *arena,
                         wl_traffic *out, wl_error *err)
{
    const steps of = {input, counter, out, warp_size, arena, err}, *t = &of;
    wl_traffic *o = out;
    int64_t extents[WL_STEPS_MAX][WL_LOOPS_MAX];
    o->step_count = wl_loop_runs_choose(t->in->view->kernel, extents);
    for (int n = 0; n < o->step_count; n++) {
        o->step_share[n] = 1;
        for (int l = 0; l < t->in->view->kernel->loop_count; l++)
            o->step_share[n] *= (double)extents[n][l] / (double)t->in->view->kernel->loop_extent[l];
    }
    for (int n = 0; n + 1 < o->step_count; n++)
        WL_TRY(count_steps(t, n, extents[n]));
    const int last = o->step_count - 1; /* all steps: already known */
    const double trips = (double)(extents[last][0] * extents[last][1] * extents[last][2]);
    const bool unrolled = trips <= WL_UNROLLED && registers_hold(t, trips);
    o->waits_each_step = !registers_hold(t, fmin(STEPS_AT_ONCE, trips));
    for (size_t i = 0; i < o->field_count; i++) {
        wl_field_traffic *f = &o->fields[i];
        f->loads.step_sectors[last] = f->loads.block_sectors;
        f->loads.step_runs[last] = 1;
        if (unrolled)
            f->loads.step_warp_sectors[last] = f->loads.warp_sectors;
        o->step_lines[last] += f->loads.block_lines / o->blocks;
        o->step_distinct[last] +=
            wl_loop_runs_beside(t->in->view, i, WL_LOADS) ? 0 : f->loads.block_sectors / o->blocks;
        /* samples must not contradict each other: longer runs never have more distinct sectors */
        for (int n = 0; n <= last; n++)
            f->loads.step_sectors[n] = fmin(fmax(f->loads.step_sectors[n], f->loads.block_sectors),
                                            n ? f->loads.step_sectors[n - 1] : f->loads.requested);
    }
    return WL_OK;
}
