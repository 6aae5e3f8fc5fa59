/* step_counts.c - see step_counts.h. SPDX-License-Identifier: MIT */
#include "count/step_counts.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
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

/* The loads of a field that are in at least so many runs. */
static wl_status choose_loads(const steps *t, const wl_view *view, const wl_field_side *all, double least,
                              wl_field_side *out)
{
    wl_error ignored = {0};
    out->count = 0;
    for (size_t a = 0; a < all->count; a++)
        if (runs_around(view, all->accesses[a]) >= least)
            out->accesses[out->count++] = all->accesses[a];
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

/* A field whose accesses are in different loops, for instance after peeling: an access outside a
 * loop is not part of every run of it. Accesses that are in most runs come first; what the next
 * ones touch in addition is counted once per run of theirs. */
static wl_status sum_unlike(const steps *t, const wl_view *all, size_t field, bool warps_too, run_sums *out)
{
    const wl_field_side *side = &all->fields[field][WL_LOADS];
    wl_field_side(*fields)[WL_SIDE_COUNT] = wl_arena_alloc(t->arena, field + 1, sizeof *fields);
    const wl_bound **chosen = WL_ARENA_NEW(t->arena, const wl_bound *, side->count);
    wl_view view = *all;
    run_sums before = {0};
    if (!fields || !chosen)
        return wl_fail_memory(t->err);
    memcpy(fields, all->fields, (field + 1) * sizeof *fields);
    fields[field][WL_LOADS].accesses = chosen;
    fields[field][WL_LOADS].count = 0;
    view.fields = fields;
    *out = (run_sums){0};
    for (double runs = INFINITY; fields[field][WL_LOADS].count < side->count;) {
        run_sums now = {0};
        double next = 0;
        for (size_t a = 0; a < side->count; a++) {
            const double own = runs_around(&view, side->accesses[a]);
            next = own < runs ? fmax(next, own) : next;
        }
        runs = next;
        WL_TRY(choose_loads(t, &view, side, runs, &fields[field][WL_LOADS]));
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

/* Counts one run length: the footprints of loops with these extents. */
static wl_status count_steps(const steps *t, int n, const int64_t extents[WL_LOOPS_MAX])
{
    wl_view view = *t->in->view;
    view.steps = extents;
    for (size_t i = 0; i < t->out->field_count; i++) {
        wl_field_traffic *f = &t->out->fields[i];
        run_sums sums;
        bool alike = true;
        const double runs = most_runs(&view, i, &alike);
        const bool warps_too = extents[0] * extents[1] * extents[2] <= t->in->own_steps;
        f->step_runs[n] = runs;
        if (!f->loaded_too)
            continue;
        WL_TRY(alike ? sum_runs(t, &view, i, warps_too, &sums) : sum_unlike(t, &view, i, warps_too, &sums));
        if (alike)
            sums = (run_sums){sums.sectors * runs, sums.lines * runs, sums.warp_sectors * runs};
        f->step_sectors[n] = sums.sectors;
        t->out->step_lines[n] += sums.lines / runs / t->out->blocks;
        t->out->step_distinct[n] +=
            wl_loop_runs_beside(t->in->view, i, WL_LOADS) ? 0 : sums.sectors / runs / t->out->blocks;
        if (warps_too)
            f->step_warp_sectors[n] = sums.warp_sectors;
    }
    return WL_OK;
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
    for (size_t i = 0; i < o->field_count; i++) {
        wl_field_traffic *f = &o->fields[i];
        f->step_sectors[last] = f->block_sectors;
        f->step_runs[last] = 1;
        if (extents[last][0] * extents[last][1] * extents[last][2] <= t->in->own_steps)
            f->step_warp_sectors[last] = f->warp_sectors;
        o->step_lines[last] += f->block_lines / o->blocks;
        o->step_distinct[last] += wl_loop_runs_beside(t->in->view, i, WL_LOADS) ? 0 : f->block_sectors / o->blocks;
        /* samples must not contradict each other: longer runs never have more distinct sectors */
        for (int n = 0; n <= last; n++)
            f->step_sectors[n] =
                fmin(fmax(f->step_sectors[n], f->block_sectors), n ? f->step_sectors[n - 1] : f->requested);
    }
    return WL_OK;
}
