/* warps_opaque.c - warps whose accesses have no closed form: evaluated lane by lane, or taken from
 * a trace; see warps_internal.h.
 * Layer  count. SPDX-License-Identifier: MIT */
#include "count/warps_internal.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "count/executed.h"
#include "count/block_kinds.h"
#include "count/warps_ordered.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define OPAQUE_BLOCKS 16         /* sampled at least, for accesses without a closed form, */
#define OPAQUE_LEAST 4           /* unless a single step of their loops takes so long: then this */
#define OPAQUE_LIMIT 268435456.0 /* lane evaluations; more are refused */
#define OPAQUE_BUDGET (1 << 21)  /* lane evaluations spent on accesses without a closed form */
/* the same where only the schedule of threads has no closed form: such blocks differ little */
#define ORDERED_BUDGET (1 << 18)
/* of a sampled block, one warp in so many is sampled: warps of one block differ less than those of
 * different blocks */
#define ORDERED_EVERY 4
/* the most warps to sample, for kernels with few accesses, too: finding a warp's cells costs as
 * much for one access as for many */
#define ORDERED_WARPS 192
#define ROUNDING 1e-9 /* smaller relative errors come from summing doubles */
/* steps between the samples of one block and the next: odd, so that all occur */
#define BLOCKS_APART 5

/* The cost of one execution by a warp. */
typedef struct plain_cost {
    int hit, sectors;
    wl_tag_cost tag;
} plain_cost;

/* An execution shortly before: loops may repeat it. */
typedef struct latest_warp {
    int lanes; /* 0: none yet */
    uint8_t which[WL_LANES_MAX];
    int64_t address[WL_LANES_MAX];
    plain_cost cost;
} latest_warp;

/* One execution of an access by one warp. */
typedef struct opaque_warp {
    const wl_warps_measurer *m;
    size_t access;
    const uint8_t *lane;
    double scale; /* executions it represents */
    /* executions it represents for wavefronts; 0: its wavefronts are not counted */
    double wavefronts;
    latest_warp *latest; /* of this warp; NULL: executions differ */
    int warp;            /* number in its block, of a traced access */
} opaque_warp;

static plain_cost cost_of(const wl_l1_rules *rules, const wl_warp_access *w)
{
    plain_cost c = {.hit = wl_warp_hit_wavefronts(rules, w), .sectors = wl_warp_sectors(rules, w)};
    if (rules->has_hash)
        c.tag = wl_warp_tag_cost(rules, w);
    return c;
}

/* Whole bank words from where it was, all lanes alike and in the same sectors: banks and tags are
 * asked the same, as in a loop along a few elements of each lane's own. */
static bool costs_the_same(const wl_l1_rules *r, const latest_warp *l, const int64_t *addresses, int lanes,
                           int64_t width)
{
    const int64_t distance = lanes > 0 ? addresses[0] - l->address[0] : 0;
    if (distance & (((int64_t)1 << r->data.bank_shift) - 1))
        return false;
    for (int i = 0; i < lanes; i++) {
        const int64_t from = l->address[i], to = addresses[i];
        if (to - from != distance || from >> r->sector_shift != to >> r->sector_shift ||
            (from + width - 1) >> r->sector_shift != (to + width - 1) >> r->sector_shift)
            return false;
    }
    return true;
}

/* The same, unless it is known from an execution before. */
static plain_cost plain_cost_of(const opaque_warp *o, const wl_warp_access *w, const int64_t *addresses,
                                const uint8_t *which, int lanes)
{
    latest_warp *l = o->latest;
    const size_t bytes = (size_t)lanes * sizeof *addresses;
    if (!l)
        return cost_of(o->m->context.rules, w);
    if (l->lanes == lanes && memcmp(l->which, which, (size_t)lanes) == 0 &&
        costs_the_same(o->m->context.rules, l, addresses, lanes, w->width))
        return l->cost;
    l->lanes = lanes;
    memcpy(l->address, addresses, bytes);
    memcpy(l->which, which, (size_t)lanes);
    l->cost = cost_of(o->m->context.rules, w);
    return l->cost;
}

/* Sectors that move between blocks of a cluster. Atomics send a sector and get one back; lanes that
 * change the same word do so one after another. */
static int remote_sectors(const wl_l1_rules *rules, const wl_warp_access *w, bool atomic)
{
    return atomic ? 2 * wl_warp_atomic_packets(rules, w) : wl_warp_sectors(rules, w);
}

/* Marks what lanes read. A variable has at most 64 KiB: what lies beyond is its last line. */
static void touch_constants(const wl_warps_measurer *m, size_t field, const wl_warp_access *w)
{
    for (int i = 0; i < w->count; i++) {
        const int64_t line = wl_max(0, wl_min(WL_CONSTANT_LINES - 1, w->address[i] / WL_CONSTANT_LINE));
        m->constants[field * WL_CONSTANT_LINES + (size_t)line] = 1;
    }
}

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
    if (!a->bulk && is_global_atomic(o->m, o->access)) {
        const wl_atomic_cost c = wl_atomic_lines_add(o->m->atomics, rules, a->field, a->atomic_kind, &w, o->scale);
        cost->hit += o->scale * c.passes;
        cost->sectors += o->scale * c.sectors;
        return WL_OK;
    }
    if (a->swaps && lanes > 0) {
        cost->hit += o->wavefronts * wl_swaps_add(o->m->swaps, rules, o->warp, &w);
        return WL_OK;
    }
    if (o->m->kernel->fields[a->field].constant) {
        const wl_constant_cost c = wl_warp_constant_cost(&w);
        /* vectors are read word by word */
        cost->hit += o->wavefronts * c.passes * a->width_bytes / a->unit_bytes;
        cost->lines += o->scale * c.lines;
        touch_constants(o->m, a->field, &w);
        return WL_OK;
    }
    if (is_shared(o->m, o->access)) {
        cost->hit += o->wavefronts * wl_warp_shared_wavefronts(rules, &w, !a->store);
        cost->sectors += a->remote ? o->scale * remote_sectors(rules, &w, a->atomic) : 0;
        return WL_OK;
    }
    const bool texture = is_texture(o->m, o->access);
    if (texture) {
        const wl_texture_cost c = wl_warp_texture_cost(rules, &w, a->request_lanes);
        cost->texture_sectors += o->scale * c.sectors;
        cost->hit += a->store || a->more ? 0 : o->wavefronts * c.wavefronts;
    }
    if (o->wavefronts > 0 && !a->bulk && (!texture || a->store)) {
        /* surface stores use the data stage like other stores */
        const plain_cost c = plain_cost_of(o, &w, addresses, which, lanes);
        cost->hit += o->wavefronts * c.hit;
        cost->sectors += o->scale * c.sectors;
        if (rules->has_hash)
            add_tag_total(cost, (wl_tag_total){c.tag.tag, c.tag.cold, c.tag.tag > 1}, o->wavefronts, a->store);
    } else {
        cost->sectors += o->scale * wl_warp_sectors(rules, &w);
    }
    if (a->store) {
        const wl_warp_written written = wl_warp_write(rules, &w);
        add_written(cost, &written, o->scale);
    }
    return WL_OK;
}

static wl_status measure_block(const wl_warps_measurer *m, wl_program *program, size_t access,
                               const wl_representative *of)
{
    const wl_geometry *g = m->context.geometry;
    const int64_t *block = of->block;
    const double scale = of->blocks;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    latest_warp latest = {.lanes = 0};
    opaque_warp one = {m, access, lane, scale, scale, &latest, 0};
    const int64_t extent = program->innermost < 0 ? 1 : m->kernel->loop_extent[program->innermost];
    const uint32_t vars = wl_access_vars(m->bounds[access].access);
    int64_t f[3], lo[3], hi[3];
    wl_folds_named(g, vars, m->kernel->guarded_cells, lo, hi);
    for (int64_t thread = 0; thread < g->threads; thread += m->context.rules->warp_size) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        if (program->advance > 1) { /* every warp samples other steps */
            program->first =
                (thread / m->context.rules->warp_size + block[0] * BLOCKS_APART) % wl_min(program->advance, extent);
            one.scale = scale * (double)extent / (double)wl_ceil_div(extent - program->first, program->advance);
            one.wavefronts = one.scale;
        }
        for (f[2] = lo[2]; f[2] < hi[2]; f[2]++)
            for (f[1] = lo[1]; f[1] < hi[1]; f[1]++)
                for (f[0] = lo[0]; f[0] < hi[0]; f[0]++)
                    if (wl_lanes_fill(g, &warp, m->context.rules->warp_size, f, &values, lane) > 0) {
                        latest.lanes = 0; /* `which` refers to these lanes */
                        WL_TRY(wl_program_run(program, &values, measure_warp, &one, m->err));
                    }
    }
    return WL_OK;
}

/* ---- the error of a sample ---- */

/* What each block of a sample adds to sums whose error is stated: of one access, or of all loads or
 * stores. */
typedef struct added {
    double *inst, *sectors;
} added;

static wl_status added_make(const wl_warps_measurer *m, size_t blocks, wl_arena *arena, added *out)
{
    out->inst = WL_ARENA_NEW(arena, double, blocks);
    out->sectors = WL_ARENA_NEW(arena, double, blocks);
    return out->inst && out->sectors ? WL_OK : wl_fail_memory(m->err);
}

/* Block i raised the costs of an access from `before` to what they are now. */
static void add_block(const wl_warps_measurer *m, size_t access, const wl_access_cost *before, size_t i, added *sums)
{
    sums->inst[i] += m->costs[access].inst - before->inst;
    sums->sectors[i] += m->costs[access].sectors - before->sectors;
}

/* Adds the part of one access. If the number of its executions is known, from which the sample was
 * off by a factor, only how many sectors each takes is uncertain. */
static void add_access(const wl_warps_measurer *m, size_t access, size_t blocks, const added *alone, double factor,
                       added sums[2])
{
    added *all = &sums[m->bounds[access].access->store];
    const wl_access_cost *cost = &m->costs[access];
    for (size_t i = 0; i < blocks; i++)
        if (factor == 0) {
            all->inst[i] += alone->inst[i];
            all->sectors[i] += alone->sectors[i];
        } else if (cost->inst > 0) {
            all->sectors[i] += factor * alone->sectors[i] - cost->sectors * factor * alone->inst[i] / cost->inst;
        }
}

static void allow_for(const wl_warps_measurer *m, double error)
{
    m->result->error = sqrt(m->result->error * m->result->error + error * error);
}

/* Largest relative error so far; errors of separate samples add up. */
static void state_error(const wl_warps_measurer *m, const wl_block_kinds *kinds, const added sums[2])
{
    double inst[2] = {0}, sectors[2] = {0};
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        inst[m->bounds[a].access->store] += m->costs[a].inst;
        sectors[m->bounds[a].access->store] += m->costs[a].sectors;
    }
    double largest = 0;
    for (int s = 0; s < 2; s++) {
        if (inst[s] > 0)
            largest = fmax(largest, wl_kinds_error(kinds, sums[s].inst) / inst[s]);
        if (sectors[s] > 0)
            largest = fmax(largest, wl_kinds_error(kinds, sums[s].sectors) / sectors[s]);
    }
    if (largest > ROUNDING)
        allow_for(m, largest);
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

/* The most blocks of a sample. If all accesses of ordered threads have patterns, only some warps of
 * each block are sampled, so blocks of few warps cost as much as larger ones. */
static int64_t most_blocks(const wl_warps_measurer *m, double budget, double per_block)
{
    const int64_t warps = wl_ceil_div(m->context.geometry->threads, m->context.rules->warp_size);
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_evaluated(m, a) && !wl_ordered_can(m, a))
            return (int64_t)(budget / per_block);
    return wl_min((int64_t)(budget / (per_block * fmax(1, ORDERED_EVERY / (double)warps))),
                  ORDERED_WARPS / wl_max(1, warps / ORDERED_EVERY));
}

static bool anything_conditional(const wl_warps_measurer *m)
{
    bool any = false;
    for (size_t a = 0; a < m->kernel->access_count; a++)
        any = any || (is_evaluated(m, a) && m->bounds[a].conditional);
    return any;
}

/* How many blocks to evaluate, and which share of their loop steps, within the budget. */
static wl_status opaque_blocks(const wl_warps_measurer *m, int64_t *blocks, int64_t *advance)
{
    const wl_geometry *g = m->context.geometry;
    const double per_block = opaque_work(m, 1), budget = wl_threads_are_ordered(g) ? ORDERED_BUDGET : OPAQUE_BUDGET;
    *blocks = per_block == 0 ? 0 : g->blocks;
    if (m->samples < 0 || per_block * (double)g->blocks <= budget)
        return WL_OK;
    const double one_step = opaque_work(m, INT64_MAX);
    const int64_t least = anything_conditional(m)
                              ? OPAQUE_BLOCKS /* or errors are large */
                              : wl_max(OPAQUE_LEAST, wl_min(OPAQUE_BLOCKS, (int64_t)(budget / one_step)));
    *blocks = wl_min(g->blocks, wl_max(least, most_blocks(m, budget, per_block)));
    /* odd: visits all alignments */
    *advance = wl_max(1, (int64_t)(per_block * (double)*blocks / budget)) | 1;
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
    out->one_block = true;
    out->advance = advance;
    return WL_OK;
}

/* The last block may be heavier than the others, and then it runs alone: a tail effect. */
static wl_status measure_last(const wl_warps_measurer *m, int64_t advance, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    wl_access_cost *costs = WL_ARENA_NEW(arena, wl_access_cost, m->kernel->access_count);
    wl_warps_measurer last = *m;
    wl_representative block = {.blocks = 1}, placed = block;
    wl_block_at(g, g->blocks - 1, block.block);
    wl_block_placed(g, g->blocks - 1, placed.block);
    wl_ordered_warps *ordered = wl_ordered_new(m, &placed, 1, 1, arena);
    if (!costs || !ordered)
        return wl_fail_memory(m->err);
    last.costs = costs;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        wl_program program;
        const wl_access_cost *c = &m->costs[a];
        const bool not_traced =
            is_traced(m, a) && m->kernel->source.population && m->kernel->source.population->long_blocks;
        /* like any other block */
        if (m->bounds[a].affine || is_global_atomic(m, a) || not_traced) {
            m->result->last_block += data_wavefronts(m, a, c) / (double)g->blocks;
            continue;
        }
        if (m->bounds[a].never)
            continue;
        if (wl_ordered_can(m, a)) {
            WL_TRY(wl_ordered_measure(ordered, &last, a, 1, NULL, NULL));
        } else {
            WL_TRY(make_program(m, a, advance, arena, &program));
            WL_TRY(measure_block(&last, &program, a, &block));
        }
        m->result->last_block += data_wavefronts(m, a, &costs[a]);
    }
    return WL_OK;
}

static void scale(wl_access_cost *cost, double factor)
{
    double *const parts[] = {&cost->inst,  &cost->sectors, &cost->hit,        &cost->tag,
                             &cost->cold,  &cost->split,   &cost->stored_tag, &cost->stored_cold,
                             &cost->lines, &cost->units,   &cost->full,       &cost->texture_sectors};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        *parts[i] *= factor;
}

/* The number of executions of an access without a condition is known, however few blocks were
 * sampled. Returns the factor by which the sample was off; 0: not known. */
static double set_executions(const wl_warps_measurer *m, size_t access, const wl_census *census)
{
    const wl_geometry *g = m->context.geometry;
    wl_access_cost *cost = &m->costs[access];
    if (g->fold[0] * g->fold[1] * g->fold[2] > 1 || m->bounds[access].conditional || cost->inst <= 0)
        return 0;
    const double exact = census->warps * wl_access_steps(m->kernel, m->bounds[access].access);
    const double factor = exact / cost->inst;
    scale(cost, factor);
    cost->inst = exact;
    return factor;
}

static wl_status measure_access(const wl_warps_measurer *m, const wl_block_kinds *kinds, size_t a, int64_t advance,
                                wl_arena *arena, added *sums)
{
    wl_program program;
    WL_TRY(make_program(m, a, advance, arena, &program));
    for (size_t i = 0; i < kinds->count; i++) {
        const wl_access_cost before = m->costs[a];
        WL_TRY(measure_block(m, &program, a, &kinds->list[i]));
        add_block(m, a, &before, i, sums);
    }
    return WL_OK;
}

/* Accesses with or without a condition, in the blocks of a sample. */
static wl_status measure_sample(const wl_warps_measurer *m, const wl_block_kinds *kinds, bool conditional,
                                int64_t advance, wl_arena *arena, added sums[2])
{
    const size_t n = kinds->count;
    wl_census census;
    added alone;
    wl_census_take(m->context.geometry, m->context.rules->warp_size, &census);
    WL_TRY(added_make(m, n, arena, &sums[0]));
    WL_TRY(added_make(m, n, arena, &sums[1]));
    WL_TRY(added_make(m, n, arena, &alone));
    wl_ordered_warps *ordered = wl_ordered_new(m, kinds->list, n, wl_kinds_are_exact(kinds) ? 1 : ORDERED_EVERY, arena);
    if (!ordered)
        return wl_fail_memory(m->err);
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        if (!is_evaluated(m, a) || m->bounds[a].conditional != conditional)
            continue;
        memset(alone.inst, 0, n * sizeof *alone.inst);
        memset(alone.sectors, 0, n * sizeof *alone.sectors);
        if (wl_ordered_can(m, a) && !conditional) {
            /* each warp's cells are found once for many accesses */
            WL_TRY(wl_ordered_measure(ordered, m, a, kinds->list[0].blocks, alone.inst, alone.sectors));
            m->result->warps_evaluated = wl_ordered_of_block(ordered);
            m->result->half_of_tags = wl_ordered_half_of_tags(ordered);
        } else {
            WL_TRY(measure_access(m, kinds, a, advance, arena, &alone));
        }
        add_access(m, a, n, &alone, set_executions(m, a, &census), sums);
    }
    return WL_OK;
}

/* Where a condition lets blocks differ by position, the blocks to evaluate are chosen by what a few
 * of them do. */
static wl_status choose_blocks(const wl_warps_measurer *m, int64_t n, bool conditional, int64_t advance,
                               wl_arena *arena, wl_block_kinds *out)
{
    const wl_geometry *g = m->context.geometry;
    wl_warps_measurer trial = *m;
    wl_warps_result ignored = {0};
    wl_block_kinds pilot;
    added sums[2];
    if (!conditional || n >= g->blocks)
        return wl_kinds_evenly(g, n, arena, out, m->err);
    trial.costs = WL_ARENA_NEW(arena, wl_access_cost, m->kernel->access_count);
    trial.result = &ignored;
    trial.atomics = m->atomics ? wl_atomic_lines_new(arena) : NULL;
    if (!trial.costs || (m->atomics && !trial.atomics))
        return wl_fail_memory(m->err);
    WL_TRY(wl_kinds_pilot(g, n, arena, &pilot, m->err));
    WL_TRY(measure_sample(&trial, &pilot, true, advance, arena, sums));
    for (size_t i = 0; i < pilot.count; i++)
        sums[0].inst[i] += sums[1].inst[i] + sums[0].sectors[i] + sums[1].sectors[i];
    return wl_kinds_refine(g, &pilot, sums[0].inst, n, arena, out, m->err);
}

static wl_status measure_evaluated(const wl_warps_measurer *m, int64_t n, int64_t advance, wl_arena *arena)
{
    bool any[2] = {false, false}; /* without, with a condition */
    for (size_t a = 0; a < m->kernel->access_count; a++)
        any[m->bounds[a].conditional] |= n > 0 && is_evaluated(m, a);
    for (int conditional = 0; conditional < 2; conditional++) {
        wl_block_kinds kinds;
        added sums[2];
        if (!any[conditional])
            continue;
        WL_TRY(choose_blocks(m, n, conditional, advance, arena, &kinds));
        WL_TRY(measure_sample(m, &kinds, conditional, advance, arena, sums));
        state_error(m, &kinds, sums);
        for (size_t a = 0; a < m->kernel->access_count && conditional; a++)
            if (is_evaluated(m, a) && m->bounds[a].conditional && m->costs[a].inst <= 0 && !wl_kinds_are_exact(&kinds))
                /* no sampled block executed it: others may */
                m->result->error = fmax(m->result->error, 1);
    }
    return WL_OK;
}

/* ---- traced accesses ---- */

/* executions of an access to global memory; if there are more, wavefronts are counted for a
 * sample */
#define WAVEFRONTS_OF 8192.0
#define WAVEFRONTS_EVERY 16 /* at least one in so many is counted */

/* Wavefronts are counted for one execution of an access in so many. Bank conflicts of shared memory
 * and requests of textures are always counted. */
static int64_t wavefront_stride(const wl_warps_measurer *m, const wl_block_kinds *kinds, size_t access)
{
    const wl_population *p = m->kernel->source.population;
    const double share = (double)kinds->count / (double)m->context.geometry->blocks;
    if (m->samples < 0 || !p || is_shared(m, access) || is_texture(m, access) || m->bounds[access].access->atomic)
        return 1;
    return (int64_t)fmin(fmax(1, floor(p->executed[access] * fmin(1, share) / WAVEFRONTS_OF)), WAVEFRONTS_EVERY);
}

#define COSTED_EACH 16.0 /* executions of an access whose cost is computed in any case */

/* The cost of one execution of an access in so many is computed, where the traced blocks have more
 * executions than the effort allows and the number of all is known. */
static int64_t cost_stride(const wl_warps_measurer *m, const wl_block_kinds *kinds, size_t access, double all)
{
    const wl_population *p = m->kernel->source.population;
    const wl_access *a = m->bounds[access].access;
    if (m->samples < 0 || !p || all <= p->costed || a->atomic || a->swaps || a->more ||
        (p->by_trace && p->by_trace[access]))
        return 1;
    const double here = p->executed[access] * fmin(1, (double)kinds->count / (double)m->context.geometry->blocks);
    return (int64_t)fmax(1, fmin(ceil(all / p->costed), floor(here / COSTED_EACH)));
}

/* Executions of traced accesses by the traced blocks. */
static double traced_executions(const wl_warps_measurer *m, const wl_block_kinds *kinds)
{
    const wl_population *p = m->kernel->source.population;
    double all = 0;
    for (size_t a = 0; a < m->kernel->access_count && p; a++)
        all += is_traced(m, a) ? fmax(0, p->executed[a]) : 0;
    return all * fmin(1, (double)kinds->count / (double)m->context.geometry->blocks);
}

/* The executions of an access whose wavefronts are counted. */
typedef struct wavefronts {
    int64_t costed_every; /* one execution in so many has its cost computed, at random, */
    uint64_t passed;      /* of these */
    int64_t every;        /* one execution in so many, at random, since warps repeat themselves */
    uint64_t seen;        /* executions, */
    int64_t taken;        /* and those of them whose wavefronts were counted */
    /* executions represented: all; those whose cost, and whose wavefronts were counted */
    double all, costed, counted;
} wavefronts;

static bool one_in(int64_t every, uint64_t *seen)
{
    return every == 1 || wl_hash_word((*seen)++) % (uint64_t)every == 0;
}

/* What one block does with all of them. */
static wl_status measure_trace(const wl_warps_measurer *m, const wl_representative *of, wavefronts *w)
{
    const double scale = of->blocks;
    const wl_source *source = &m->kernel->source;
    const int warp_size = m->context.rules->warp_size;
    const wl_block_trace *trace = NULL;
    uint8_t lane[WL_LANES_MAX], which[WL_LANES_MAX];
    int64_t address[WL_LANES_MAX];
    for (int i = 0; i < WL_LANES_MAX; i++)
        which[i] = (uint8_t)i;
    WL_TRY(source->trace_block(source->context, of->block, &trace, m->err));
    if (m->swaps)
        wl_swaps_begin(m->swaps, scale);
    for (size_t i = 0; i < trace->count; i++) {
        const wl_execution *e = &trace->executions[i];
        w[e->access].all += scale;
        if (!one_in(w[e->access].costed_every, &w[e->access].passed))
            continue;
        const bool counted = one_in(w[e->access].every, &w[e->access].seen);
        const opaque_warp one = {m, e->access, lane, scale, counted ? scale : 0, NULL, e->warp};
        w[e->access].costed += scale;
        w[e->access].counted += counted ? scale : 0;
        w[e->access].taken += counted;
        const int64_t base = m->kernel->fields[m->bounds[e->access].access->field].base_bytes;
        int n = 0;
        for (uint64_t left = e->lanes; left; left &= left - 1, n++) {
            lane[n] = (uint8_t)((e->warp * source->warp_size + __builtin_ctzll(left)) % warp_size);
            address[n] = wl_execution_address(e, n) + base;
        }
        WL_TRY(measure_warp((void *)(uintptr_t)&one, address, which, n, m->err));
    }
    if (m->swaps)
        wl_swaps_end(m->swaps, &m->result->swaps);
    return WL_OK;
}

static void scale_wavefronts(wl_access_cost *cost, double factor)
{
    cost->hit *= factor;
    cost->tag *= factor;
    cost->cold *= factor;
    cost->split *= factor;
    cost->stored_tag *= factor;
    cost->stored_cold *= factor;
}

static bool anything_traced(const wl_warps_measurer *m)
{
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_traced(m, a))
            return true;
    return false;
}

/* Executions come from the census, the cost of one from the traced blocks. Returns executions by
 * census / by traced blocks; 0: no census. */
static double set_counted(const wl_warps_measurer *m, size_t access)
{
    const wl_population *p = m->kernel->source.population;
    wl_access_cost *cost = &m->costs[access];
    if (!p || p->executed[access] < 0 || (p->by_trace && p->by_trace[access]))
        return 0;
    const double exact = p->executed[access], factor = cost->inst > 0 ? exact / cost->inst : 0;
    scale(cost, factor);
    cost->inst = exact;
    if (factor == 0) /* no traced block executed it: a sector each, at least */
        cost->sectors = is_shared(m, access) ? 0 : exact;
    return factor > 0 ? factor : 1;
}

/* Data-dependent accesses may differ in blocks that were not traced, even if all traced blocks are
 * alike. */
static void allow_for_others(const wl_warps_measurer *m, const wl_block_kinds *kinds)
{
    double traced[2] = {0}, all[2] = {0}, share = 0;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        const bool store = m->bounds[a].access->store;
        all[store] += m->costs[a].sectors;
        traced[store] += is_traced(m, a) ? m->costs[a].sectors : 0;
    }
    for (int s = 0; s < 2; s++)
        share = all[s] > 0 ? fmax(share, traced[s] / all[s]) : share;
    allow_for(m, share * wl_kinds_rare(kinds));
}

static wl_status measure_traced(const wl_warps_measurer *m, const wl_block_kinds *kinds, wl_arena *arena)
{
    const size_t accesses = m->kernel->access_count;
    const wl_population *p = m->kernel->source.population;
    const double all = traced_executions(m, kinds);
    double swaps = 0; /* executions */
    added *alone = WL_ARENA_NEW(arena, added, accesses), sums[2];
    wl_access_cost *before = WL_ARENA_NEW(arena, wl_access_cost, accesses);
    wavefronts *w = WL_ARENA_NEW(arena, wavefronts, accesses);
    if (!alone || !before || !w)
        return wl_fail_memory(m->err);
    WL_TRY(added_make(m, kinds->count, arena, &sums[0]));
    WL_TRY(added_make(m, kinds->count, arena, &sums[1]));
    for (size_t a = 0; a < accesses; a++) {
        w[a].costed_every = is_traced(m, a) ? cost_stride(m, kinds, a, all) : 1;
        /* of those whose cost is computed */
        w[a].every = is_traced(m, a) ? wl_max(1, wavefront_stride(m, kinds, a) / w[a].costed_every) : 1;
        if (is_traced(m, a))
            WL_TRY(added_make(m, kinds->count, arena, &alone[a]));
    }
    for (size_t i = 0; i < kinds->count; i++) {
        memcpy(before, m->costs, accesses * sizeof *before);
        WL_TRY(measure_trace(m, &kinds->list[i], w));
        for (size_t a = 0; a < accesses; a++)
            if (is_traced(m, a))
                add_block(m, a, &before[a], i, &alone[a]);
    }
    for (size_t a = 0; a < accesses; a++) {
        if (w[a].counted > 0)
            scale_wavefronts(&m->costs[a], w[a].costed / w[a].counted);
        if (w[a].counted > 0 && w[a].every * w[a].costed_every > 1)
            add_sampled(&m->result->wavefronts, (double)w[a].taken, w[a].all);
        if (is_traced(m, a))
            add_access(m, a, kinds->count, &alone[a], set_counted(m, a), sums);
        swaps += m->bounds[a].access->swaps ? m->costs[a].inst : 0;
    }
    wl_swaps_scale(&m->result->swaps, swaps);
    state_error(m, kinds, sums);
    allow_for_others(m, kinds);
    if (p && !p->complete)
        allow_for(m, p->error);
    return WL_OK;
}

wl_status wl_warps_measure_opaque(const wl_warps_measurer *m, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    int64_t evaluated = 0, advance = 1;
    wl_block_kinds traced = {0};
    WL_TRY(opaque_blocks(m, &evaluated, &advance));
    if (anything_traced(m))
        WL_TRY(wl_kinds_traced(m->samples < 0 ? NULL : m->kernel->source.population, g, INT64_MAX, arena, &traced,
                               m->err));
    const int64_t n_traced = (int64_t)traced.count;
    const int64_t n = evaluated == 0 || n_traced == 0 ? wl_max(evaluated, n_traced) : wl_min(evaluated, n_traced);
    m->result->blocks_sampled = (evaluated > 0 && evaluated < g->blocks) || !wl_kinds_are_exact(&traced);
    m->result->blocks_evaluated = n;
    WL_TRY(measure_evaluated(m, evaluated, advance, arena));
    if (traced.count > 0)
        WL_TRY(measure_traced(m, &traced, arena));
    return n > 0 ? measure_last(m, advance, arena) : WL_OK;
}
