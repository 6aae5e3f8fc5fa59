/* view.c - see view.h. SPDX-License-Identifier: MIT */
#include "count/view.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "count/block_sum.h"
#include "footprint/cell_rows.h"
#include "footprint/pieces.h"
#include "kernel/program.h"

bool wl_view_is_fixed(const wl_kernel *kernel) { return kernel->dims > 0 && !wl_kernel_names_launch(kernel); }

/* ---- affine conditions ---- */

/* boxes of one access; with more, threads of sampled blocks are evaluated */
#define GUARD_ROWS_MOST 131072.0

/* The condition of an access that is otherwise affine. */
static wl_status make_guard(wl_bound *bound, const wl_geometry *g, const wl_ranges *ranges, const wl_kept_guard **kept,
                            wl_arena *arena, wl_error *err)
{
    wl_guard guard;
    if (!bound->conditional || !bound->linear || !wl_guard_make(bound->access->when, g, ranges, &guard) ||
        guard.rows > GUARD_ROWS_MOST)
        return WL_OK;
    bound->guard = wl_guard_keep(kept, &guard, arena);
    return bound->guard ? WL_OK : wl_fail_memory(err);
}

static bool has_placed_pieces(const wl_bound *b)
{
    for (int i = 0; i < b->piece_count; i++)
        if (b->pieces[i].guard->placed)
            return true;
    return false;
}

/* ---- other conditions ---- */

#define ROUNDS 4            /* of WL_LANES_MAX threads each, evaluated for a condition */
#define DRAWS_OF_LANE 8     /* random numbers: one of each variable */
#define CELLS_LEAST 65536.0 /* smaller domains are enumerated */
#define LEFT_OUT_MOST 0.02  /* conditions that exclude fewer executions do not matter for volumes */

/* The share of threads for which a condition fails, estimated from a sample. */
static double share_left_out(const wl_kernel *k, const wl_access *a, const wl_geometry *g, const wl_ranges *ranges)
{
    wl_lane_values v = {.lanes = WL_LANES_MAX};
    int64_t holds[WL_LANES_MAX], left_out = 0;
    wl_error ignored = {0};
    for (int64_t round = 0; round < ROUNDS; round++) {
        for (int l = 0; l < WL_LANES_MAX; l++) {
            const int64_t key = (round * WL_LANES_MAX + l) * DRAWS_OF_LANE;
            for (int n = 0; n < WL_VAR_COUNT; n++)
                v.at[n][l] = ranges->lo[n];
            for (int d = 0; d < 3; d++) {
                const int64_t lo = ranges->lo[WL_VAR_X + d], hi = ranges->hi[WL_VAR_X + d];
                const int64_t cell = lo + wl_random_below(key + d, hi - lo + 1), thread = cell / g->fold[d];
                v.at[WL_VAR_X + d][l] = cell;
                v.at[WL_VAR_THREAD_X + d][l] = thread % g->block[d];
                v.at[WL_VAR_BLOCK_X + d][l] = thread / g->block[d];
            }
            for (int i = 0; i < k->loop_count; i++)
                v.at[WL_VAR_LOOP_0 + i][l] = wl_random_below(key + 4 + i, k->loop_extent[i]);
        }
        if (wl_expr_eval(a->when, &v, holds, &ignored) != WL_OK)
            return 1;
        for (int l = 0; l < WL_LANES_MAX; l++)
            left_out += holds[l] == 0;
    }
    return (double)left_out / (ROUNDS * WL_LANES_MAX);
}

/* Can a side be counted as if its conditions always held? */
static bool nearly_unconditional(const wl_view *v, const wl_field_side *s, const wl_geometry *g,
                                 const wl_ranges *ranges)
{
    double all = 0, left_out = 0;
    if ((double)g->cells[0] * (double)g->cells[1] * (double)g->cells[2] < CELLS_LEAST)
        return false;
    for (size_t i = 0; i < s->count; i++) {
        const wl_bound *b = s->accesses[i];
        const double steps = wl_access_steps(v->kernel, b->access);
        if (!b->affine && !b->linear)
            return false;
        all += steps;
        left_out += wl_bound_has_form(b) ? 0 : steps * share_left_out(v->kernel, b->access, g, ranges);
    }
    return left_out <= LEFT_OUT_MOST * all;
}

bool wl_view_is_random(const wl_view *v, size_t access)
{
    const wl_access *a = &v->kernel->accesses[access];
    return wl_expr_is_random(a->index) ||
           (v->kernel->fields[a->field].random && !wl_bound_has_form(&v->bounds[access]));
}

static wl_status make_side(wl_view *v, size_t field, wl_side side, const wl_geometry *g, const wl_ranges *ranges,
                           wl_arena *arena, wl_error *err)
{
    const wl_kernel *k = v->kernel;
    wl_field_side *s = &v->fields[field][side];
    bool affine = true;
    s->accesses = WL_ARENA_NEW(arena, const wl_bound *, k->access_count);
    if (!s->accesses)
        return wl_fail_memory(err);
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        if (v->bounds[i].never || k->fields[field].shared || a->field != field ||
            (side != WL_BOTH && a->store != (side == WL_STORES)))
            continue;
        s->accesses[s->count++] = &v->bounds[i];
        affine = affine && wl_bound_has_form(&v->bounds[i]);
        s->random = s->random || wl_view_is_random(v, i);
    }
    if (s->count == 0)
        return WL_OK;
    if (wl_threads_are_ordered(g))
        wl_cell_rows_sort(s->accesses, s->count); /* once for all counts */
    if (!affine) {
        affine = nearly_unconditional(v, s, g, ranges);
        v->nearly = v->nearly || affine;
    }
    if (affine) {
        wl_error ignored = {0};
        const wl_status status = wl_shape_make(s->accesses, s->count, g, arena, &s->shape, &ignored);
        if (status == WL_E_NOMEM)
            return wl_fail(err, status, WL_NOWHERE, "out of memory");
        s->has_shape = status == WL_OK && wl_tile_sum_can(&s->shape);
    }
    v->opaque = v->opaque || !s->has_shape;
    for (size_t i = 0; i < s->count; i++)
        s->uneven = s->uneven || (!s->has_shape && s->accesses[i]->conditional);
    v->uneven = v->uneven || s->uneven || s->shape.guarded;
    return WL_OK;
}

/* Gives ids to the shapes of a view that outlives launches. A side with all accesses of its field
 * equals both sides together. */
static void name_shapes(wl_view *v)
{
    int id = 1;
    for (size_t f = 0; f < v->kernel->field_count; f++)
        for (int side = 0; side < WL_SIDE_COUNT; side++, id++) {
            v->fields[f][side].shape.id = id;
            if (side == WL_BOTH && v->fields[f][WL_STORES].count == 0)
                v->fields[f][side].shape.id = v->fields[f][WL_LOADS].shape.id;
            if (side == WL_BOTH && v->fields[f][WL_LOADS].count == 0)
                v->fields[f][side].shape.id = v->fields[f][WL_STORES].shape.id;
        }
}

wl_status wl_view_make(const wl_kernel *kernel, const wl_geometry *geometry, wl_arena *arena, wl_view *out,
                       wl_error *err)
{
    wl_geometry any = {.block = {1, 1, 1}, .fold = {1, 1, 1}};
    for (int d = 0; d < 3; d++) {
        any.grid[d] = any.grid_dim[d] = any.cells[d] = kernel->domain[d];
        any.first[d] = kernel->first[d];
    }
    const wl_geometry *g = geometry ? geometry : &any;
    const wl_kept_guard *kept = NULL;
    wl_ranges ranges;
    wl_geometry_ranges(g, kernel, &ranges);
    *out = (wl_view){.kernel = kernel, .bounds = WL_ARENA_NEW(arena, wl_bound, kernel->access_count)};
    out->fields = wl_arena_alloc(arena, kernel->field_count, sizeof *out->fields);
    if (!out->bounds || !out->fields)
        return wl_fail_memory(err);
    for (size_t i = 0; i < kernel->access_count; i++) {
        WL_TRY(wl_bind(kernel, &kernel->accesses[i], g, &ranges, &out->bounds[i], err));
        if (wl_threads_are_ordered(g)) {
            /* the cells of a block do not form a box: threads are evaluated one by one */
            out->bounds[i].reordered = out->bounds[i].affine;
            out->bounds[i].of_cell = out->bounds[i].affine && out->bounds[i].loops == 0 &&
                                     !kernel->accesses[i].traced &&
                                     !wl_expr_depends_on_launch(kernel->accesses[i].index);
            out->bounds[i].affine = out->bounds[i].linear = false;
            continue;
        }
        WL_TRY(make_guard(&out->bounds[i], g, &ranges, &kept, arena, err));
        WL_TRY(wl_pieces_make(kernel, g, &ranges, &kept, arena, &out->bounds[i], err));
        out->guarded = out->guarded || out->bounds[i].guard || has_placed_pieces(&out->bounds[i]);
    }
    for (size_t f = 0; f < kernel->field_count; f++)
        for (int side = 0; side < WL_SIDE_COUNT; side++)
            WL_TRY(make_side(out, f, (wl_side)side, g, &ranges, arena, err));
    if (!geometry)
        name_shapes(out);
    return WL_OK;
}

wl_status wl_view_of_l1(const wl_view *view, const wl_geometry *g, wl_arena *arena, wl_view *out, wl_error *err)
{
    const wl_kernel *k = view->kernel;
    wl_ranges ranges;
    wl_geometry_ranges(g, k, &ranges);
    *out = *view;
    out->bounds = WL_ARENA_NEW(arena, wl_bound, k->access_count);
    out->fields = wl_arena_alloc(arena, k->field_count, sizeof *out->fields);
    if (!out->bounds || !out->fields)
        return wl_fail_memory(err);
    for (size_t i = 0; i < k->access_count; i++) {
        out->bounds[i] = view->bounds[i];
        out->bounds[i].never = view->bounds[i].never || k->accesses[i].bypasses_l1;
    }
    for (size_t f = 0; f < k->field_count; f++)
        for (int side = 0; side < WL_SIDE_COUNT; side++)
            WL_TRY(make_side(out, f, (wl_side)side, g, &ranges, arena, err));
    return WL_OK;
}

double wl_view_addresses(const wl_view *view, size_t field, wl_side side, const wl_region *region)
{
    const wl_field_side *s = &view->fields[field][side];
    const wl_geometry *g = region->geometry;
    double blocks = 0, steps = 0;
    for (int i = 0; i < region->blocks.count; i++) {
        const wl_box3 *b = &region->blocks.boxes[i];
        blocks += (double)(b->hi[0] - b->lo[0]) * (double)(b->hi[1] - b->lo[1]) * (double)(b->hi[2] - b->lo[2]);
    }
    for (size_t i = 0; i < s->count; i++)
        steps += wl_threads_steps(region, s->accesses[i]);
    const int64_t threads = region->thread_count ? region->thread_count : g->threads;
    return blocks * (double)(threads * g->fold[0] * g->fold[1] * g->fold[2]) * steps;
}

wl_region wl_view_run(const wl_view *view, const wl_geometry *geometry, int64_t first, int64_t last)
{
    wl_region r = {.geometry = geometry, .kernel = view->kernel, .steps = view->steps};
    wl_block_interval(geometry, first, last, &r.blocks);
    return r;
}

wl_status wl_traced_lanes(const wl_view *view, const wl_geometry *geometry, size_t field, wl_side side, int64_t n,
                          double *lanes, wl_error *err)
{
    const wl_field_side *s = &view->fields[field][side];
    const wl_source *source = &view->kernel->source;
    const wl_block_trace *trace = NULL;
    int64_t block[3];
    wl_block_at(geometry, n, block);
    WL_TRY(source->trace_block(source->context, block, &trace, err));
    for (size_t i = 0; i < s->count; i++) {
        const size_t a = (size_t)(s->accesses[i]->access - view->kernel->accesses);
        for (size_t e = trace->first[a]; e < trace->first[a + 1] && s->accesses[i]->access->traced; e++)
            *lanes += __builtin_popcountll(trace->executions[e].lanes);
    }
    return WL_OK;
}

bool wl_view_can_enumerate(const wl_view *view, size_t field, wl_side side, const wl_region *region)
{
    return wl_view_addresses(view, field, side, region) <= (double)WL_THREADS_BUDGET;
}

wl_status wl_view_enumerate(const wl_view *view, wl_counter *counter, size_t field, wl_side side,
                            const wl_region *region, const int64_t *granules, int n, int64_t *touched, int64_t *covered,
                            wl_error *err)
{
    const wl_field_side *s = &view->fields[field][side];
    wl_count c;
    if (!wl_view_can_enumerate(view, field, side, region))
        return wl_fail(err, WL_E_LIMIT, s->accesses[0]->access->loc, "too many addresses to evaluate one by one");
    if (!region->recorded && !region->onto_last &&
        wl_cell_rows_count(region, s->accesses, s->count, granules, n, touched, covered)) {
        counter->method = WL_COUNT_THREADS; /* rows are made of threads */
        return WL_OK;
    }
    WL_TRY(wl_threads_count(counter, s->accesses, s->count, region, granules[0], covered != NULL, &c, err));
    touched[0] = c.touched;
    for (int i = 1; i < n; i++) /* the finest granules are recorded already, or bytes */
        touched[i] = covered ? wl_granules_touched(&counter->granules, granules[i])
                             : wl_granules_of(&counter->granules, granules[0], granules[i]);
    if (covered)
        *covered = c.covered;
    return WL_OK;
}

wl_status wl_view_count(const wl_view *view, wl_counter *counter, size_t field, wl_side side, const wl_region *region,
                        int64_t granule, bool want_covered, wl_count *out, wl_error *err)
{
    const wl_field_side *s = &view->fields[field][side];
    *out = (wl_count){0, want_covered ? 0 : -1};
    if (s->count == 0 || region->blocks.count == 0)
        return WL_OK;
    if (s->has_shape && region->thread_count == 0)
        return wl_shape_count(counter, &s->shape, region, granule, want_covered, out, err);
    return wl_view_enumerate(view, counter, field, side, region, &granule, 1, &out->touched,
                             want_covered ? &out->covered : NULL, err);
}

wl_status wl_view_counts(const wl_view *view, wl_counter *counter, size_t field, wl_side side, const wl_region *region,
                         const int64_t *granules, int n, double *touched, wl_error *err)
{
    const wl_field_side *s = &view->fields[field][side];
    const bool any = s->count > 0 && region->blocks.count > 0;
    int64_t enumerated[WL_GRANULES_MAX] = {0};
    wl_laid laid;
    if (any && s->has_shape && region->thread_count == 0) {
        wl_shape_lay(counter, &s->shape, region, &laid);
        for (int i = 0; i < n; i++) {
            wl_count c;
            WL_TRY(wl_laid_count(counter, &laid, 0, granules[i], false, &c, err));
            touched[i] = (double)c.touched;
        }
        return WL_OK;
    }
    if (any)
        WL_TRY(wl_view_enumerate(view, counter, field, side, region, granules, n, enumerated, NULL, err));
    for (int i = 0; i < n; i++)
        touched[i] = (double)enumerated[i];
    return WL_OK;
}
