/* warps_opaque.c - warps whose accesses have no closed form: evaluated lane by lane, or taken from a
 * trace; see warps_internal.h.
 * Layer  count. SPDX-License-Identifier: MIT */
#include "count/warps_internal.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/executed.h"
#include "count/spread.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define OPAQUE_BLOCKS 16         /* sampled at least, for accesses without a closed form */
#define OPAQUE_LIMIT 268435456.0 /* lane evaluations beyond which there is no answer */
#define OPAQUE_BUDGET (1 << 21)  /* lane evaluations spent on accesses without a closed form */
#define TRACED_BLOCKS 16         /* sampled at least, for traced accesses */

/* One execution of an access by one warp. */
typedef struct opaque_warp {
    const wl_warps_measurer *m;
    size_t access;
    const uint8_t *lane;
    double scale; /* executions it stands for */
} opaque_warp;

static wl_status measure_warp(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    const opaque_warp *o = context;
    const wl_access *a = o->m->bounds[o->access].access;
    const wl_l1_rules *rules = o->m->context.rules;
    wl_access_cost *cost = &o->m->costs[o->access];
    wl_warp_access w = {.count = lanes, .width = a->width_bytes};
    (void)err;
    memcpy(w.address, addresses, (size_t)lanes * sizeof *addresses);
    for (int i = 0; i < lanes; i++)
        w.lane[i] = o->lane[which[i]];
    cost->inst += a->more ? 0 : o->scale;
    if (is_global_atomic(o->m, o->access)) {
        const wl_atomic_cost c = wl_atomic_lines_add(o->m->atomics, rules, a->field, &w, o->scale);
        cost->hit += o->scale * c.passes;
        cost->sectors += o->scale * c.sectors;
        return WL_OK;
    }
    const bool texture = is_texture(o->m, o->access);
    if (texture) {
        const wl_texture_cost c = wl_warp_texture_cost(rules, &w, a->request_lanes);
        cost->texture_sectors += o->scale * c.sectors;
        cost->hit += a->store || a->more ? 0 : o->scale * c.wavefronts;
    }
    if (!texture || a->store) /* surfaces are stored through the data stage of other stores */
        cost->hit += o->scale * (is_shared_load(o->m, o->access) ? wl_warp_shared_wavefronts(rules, &w)
                                                                 : wl_warp_hit_wavefronts(rules, &w));
    if (is_shared(o->m, o->access))
        return WL_OK;
    cost->sectors += o->scale * wl_warp_sectors(rules, &w);
    if (rules->has_hash && (!texture || a->store)) {
        const wl_tag_cost t = wl_warp_tag_cost(rules, &w);
        add_tag_total(cost, (wl_tag_total){t.tag, t.cold, t.tag > 1}, o->scale, a->store);
    }
    if (a->store) {
        const wl_warp_written written = wl_warp_write(rules, &w);
        add_written(cost, &written, o->scale);
    }
    return WL_OK;
}

static wl_status measure_block(const wl_warps_measurer *m, wl_program *program, size_t access, const int64_t block[3],
                               double scale)
{
    const wl_geometry *g = m->context.geometry;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    opaque_warp one = {m, access, lane, scale};
    const int64_t extent = program->innermost < 0 ? 1 : m->kernel->loop_extent[program->innermost];
    const uint32_t vars = wl_access_vars(m->bounds[access].access);
    int64_t f[3], lo[3], hi[3];
    wl_folds_named(g, vars, lo, hi);
    for (int64_t thread = 0; thread < g->threads; thread += m->context.rules->warp_size) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        if (program->advance > 1) { /* every warp samples other steps */
            program->first = (thread / m->context.rules->warp_size + block[0] * 5) % wl_min(program->advance, extent);
            one.scale = scale * (double)extent / (double)wl_ceil_div(extent - program->first, program->advance);
        }
        for (f[2] = lo[2]; f[2] < hi[2]; f[2]++)
            for (f[1] = lo[1]; f[1] < hi[1]; f[1]++)
                for (f[0] = lo[0]; f[0] < hi[0]; f[0]++)
                    if (wl_lanes_fill(g, &warp, m->context.rules->warp_size, f, &values, lane) > 0)
                        WL_TRY(wl_program_run(program, &values, measure_warp, &one, m->err));
    }
    return WL_OK;
}

static bool is_traced(const wl_warps_measurer *m, size_t access)
{
    return m->bounds[access].access->traced && !m->bounds[access].never;
}

/* Lane evaluations per block if only every advance-th step of the innermost loops is evaluated. */
static double opaque_work(const wl_warps_measurer *m, int64_t advance)
{
    const wl_geometry *g = m->context.geometry;
    double work = 0;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        if (!is_evaluated(m, a))
            continue;
        const uint32_t vars = wl_access_vars(m->bounds[a].access);
        int64_t innermost = 1;
        for (int l = 0; l < m->kernel->loop_count; l++)
            if (vars & (1u << (WL_VAR_LOOP_0 + l)))
                innermost = m->kernel->loop_extent[l];
        work += (double)(g->threads * g->fold[0] * g->fold[1] * g->fold[2]) *
                wl_access_steps(m->kernel, m->bounds[a].access) / (double)wl_min(advance, innermost);
    }
    return work;
}

/* How many blocks to evaluate, and which share of their loop steps, within the budget. */
static wl_status opaque_blocks(const wl_warps_measurer *m, int64_t *blocks, int64_t *advance)
{
    const wl_geometry *g = m->context.geometry;
    const double per_block = opaque_work(m, 1);
    *blocks = per_block == 0 ? 0 : g->blocks;
    if (m->samples < 0 || per_block * (double)g->blocks <= OPAQUE_BUDGET)
        return WL_OK;
    *blocks = wl_min(g->blocks, wl_max(OPAQUE_BLOCKS, (int64_t)(OPAQUE_BUDGET / per_block)));
    *advance = wl_max(1, (int64_t)(per_block * (double)*blocks / OPAQUE_BUDGET)) | 1; /* odd: visits all alignments */
    if (opaque_work(m, *advance) * (double)*blocks > OPAQUE_LIMIT)
        return wl_fail(m->err, WL_E_LIMIT, WL_NOWHERE,
                       "accesses without a closed form make %.3g addresses per block: too many to evaluate", per_block);
    return WL_OK;
}

static double data_wavefronts(const wl_warps_measurer *m, size_t access, const wl_access_cost *cost)
{
    const bool by_banks =
        m->bounds[access].access->store || is_shared(m, access) || is_texture(m, access) || !m->context.rules->has_hash;
    return by_banks ? cost->hit : cost->cold;
}

static wl_status make_program(const wl_warps_measurer *m, size_t access, int64_t advance, wl_arena *arena,
                              wl_program *out)
{
    WL_TRY(wl_program_make(m->kernel, m->bounds[access].access, arena, out, m->err));
    if (!m->bounds[access].conditional)
        wl_program_always(out);
    out->advance = advance;
    return WL_OK;
}

/* The last block may be heavier than the others, and then it runs alone: a tail effect. */
static wl_status measure_last(const wl_warps_measurer *m, int64_t advance, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    wl_access_cost *costs = WL_ARENA_NEW(arena, wl_access_cost, m->kernel->access_count);
    wl_warps_measurer last = *m;
    int64_t block[3];
    if (!costs)
        return wl_fail_memory(m->err);
    last.costs = costs;
    wl_block_at(g, g->blocks - 1, block);
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        wl_program program;
        const wl_access_cost *c = &m->costs[a];
        if (m->bounds[a].affine || is_global_atomic(m, a)) { /* like any other block */
            m->result->last_block += data_wavefronts(m, a, c) / (double)g->blocks;
            continue;
        }
        if (m->bounds[a].never)
            continue;
        WL_TRY(make_program(m, a, advance, arena, &program));
        WL_TRY(measure_block(&last, &program, a, block, 1));
        m->result->last_block += data_wavefronts(m, a, &costs[a]);
    }
    return WL_OK;
}

static void scale(wl_access_cost *cost, double factor)
{
    double *const parts[] = {&cost->inst,  &cost->sectors, &cost->hit,   &cost->tag,  &cost->cold,
                             &cost->split, &cost->lines,   &cost->units, &cost->full, &cost->texture_sectors};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        *parts[i] *= factor;
}

/* The number of executions of an access without a condition is known, however few blocks were
 * sampled. */
static void set_executions(const wl_warps_measurer *m, size_t access, const wl_census *census)
{
    const wl_geometry *g = m->context.geometry;
    wl_access_cost *cost = &m->costs[access];
    if (g->fold[0] * g->fold[1] * g->fold[2] > 1 || m->bounds[access].conditional || cost->inst <= 0)
        return;
    const double exact = census->warps * wl_access_steps(m->kernel, m->bounds[access].access);
    scale(cost, exact / cost->inst);
    cost->inst = exact;
}

static wl_status measure_evaluated(const wl_warps_measurer *m, int64_t n, int64_t advance, wl_arena *arena)
{
    wl_census census;
    if (n == 0)
        return WL_OK;
    wl_census_take(m->context.geometry, m->context.rules->warp_size, &census);
    const wl_geometry *g = m->context.geometry;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        wl_program program;
        if (!is_evaluated(m, a))
            continue;
        WL_TRY(make_program(m, a, advance, arena, &program));
        for (int64_t i = 0; i < n; i++) {
            int64_t block[3];
            wl_block_at(g, wl_sample_block(i, n, g->blocks), block);
            WL_TRY(measure_block(m, &program, a, block, (double)g->blocks / (double)n));
        }
        set_executions(m, a, &census);
    }
    return WL_OK;
}

/* Block by block: one trace serves all accesses. */
static wl_status measure_traced(const wl_warps_measurer *m, int64_t n, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    if (n == 0)
        return WL_OK;
    wl_program *programs = WL_ARENA_NEW(arena, wl_program, m->kernel->access_count);
    if (!programs)
        return wl_fail_memory(m->err);
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_traced(m, a))
            WL_TRY(make_program(m, a, 1, arena, &programs[a]));
    for (int64_t i = 0; i < n; i++) {
        int64_t block[3];
        wl_block_at(g, wl_sample_block(i, n, g->blocks), block);
        for (size_t a = 0; a < m->kernel->access_count; a++)
            if (is_traced(m, a))
                WL_TRY(measure_block(m, &programs[a], a, block, (double)g->blocks / (double)n));
    }
    return WL_OK;
}

wl_status wl_warps_measure_opaque(const wl_warps_measurer *m, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    const int64_t affordable = wl_max(TRACED_BLOCKS, m->kernel->source.affordable_blocks);
    int64_t evaluated = 0, traced = 0, advance = 1;
    WL_TRY(opaque_blocks(m, &evaluated, &advance));
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_traced(m, a))
            traced = m->samples < 0 ? g->blocks : wl_min(g->blocks, affordable);
    const int64_t n = evaluated == 0 || traced == 0 ? wl_max(evaluated, traced) : wl_min(evaluated, traced);
    m->result->blocks_sampled = n > 0 && n < g->blocks;
    m->result->blocks_evaluated = n;
    WL_TRY(measure_evaluated(m, evaluated, advance, arena));
    WL_TRY(measure_traced(m, traced, arena));
    return n > 0 ? measure_last(m, advance, arena) : WL_OK;
}
