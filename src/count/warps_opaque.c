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
#include "count/sampling.h"
#include "count/warps_ordered.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define OPAQUE_BLOCKS 16         /* sampled at least, for accesses without a closed form */
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
    if (is_shared(o->m, o->access)) {
        cost->hit += o->wavefronts * wl_warp_shared_wavefronts(rules, &w, !a->store);
        return WL_OK;
    }
    const bool texture = is_texture(o->m, o->access);
    if (texture) {
        const wl_texture_cost c = wl_warp_texture_cost(rules, &w, a->request_lanes);
        cost->texture_sectors += o->scale * c.sectors;
        cost->hit += a->store || a->more ? 0 : o->wavefronts * c.wavefronts;
    }
    if (o->wavefronts > 0 && (!texture || a->store)) {
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

static wl_status measure_block(const wl_warps_measurer *m, wl_program *program, size_t access, const int64_t block[3],
                               double scale)
{
    const wl_geometry *g = m->context.geometry;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    latest_warp latest = {.lanes = 0};
    opaque_warp one = {m, access, lane, scale, scale, &latest};
    const int64_t extent = program->innermost < 0 ? 1 : m->kernel->loop_extent[program->innermost];
    const uint32_t vars = wl_access_vars(m->bounds[access].access);
    int64_t f[3], lo[3], hi[3];
    wl_folds_named(g, vars, m->kernel->guarded_cells, lo, hi);
    for (int64_t thread = 0; thread < g->threads; thread += m->context.rules->warp_size) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        if (program->advance > 1) { /* every warp samples other steps */
            program->first = (thread / m->context.rules->warp_size + block[0] * 5) % wl_min(program->advance, extent);
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

/* What each block of a sample adds to the sums whose error is stated. */
typedef struct added {
    double *inst[2], *sectors[2]; /* loads, stores */
} added;

static wl_status added_make(const wl_warps_measurer *m, int64_t n, wl_arena *arena, added *out)
{
    for (int s = 0; s < 2; s++) {
        out->inst[s] = WL_ARENA_NEW(arena, double, n);
        out->sectors[s] = WL_ARENA_NEW(arena, double, n);
        if (!out->inst[s] || !out->sectors[s])
            return wl_fail_memory(m->err);
    }
    return WL_OK;
}

/* Block i raised the costs of an access from `before` to what they are now. */
static void add_block(const wl_warps_measurer *m, size_t access, const wl_access_cost *before, int64_t i, added *sums)
{
    const bool store = m->bounds[access].access->store;
    sums->inst[store][i] += m->costs[access].inst - before->inst;
    sums->sectors[store][i] += m->costs[access].sectors - before->sectors;
}

/* The number of executions is known: only how many sectors each takes is uncertain. */
static void add_ratios(const wl_warps_measurer *m, size_t access, int64_t n, const added *alone, double factor,
                       added *sums)
{
    const bool store = m->bounds[access].access->store;
    const wl_access_cost *cost = &m->costs[access];
    for (int64_t i = 0; i < n; i++)
        sums->sectors[store][i] +=
            factor * alone->sectors[store][i] - cost->sectors * factor * alone->inst[store][i] / cost->inst;
}

/* Largest relative error so far; errors of separate samples add up. */
static void state_error(const wl_warps_measurer *m, const wl_sample *sample, const added *sums)
{
    double inst[2] = {0}, sectors[2] = {0};
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        inst[m->bounds[a].access->store] += m->costs[a].inst;
        sectors[m->bounds[a].access->store] += m->costs[a].sectors;
    }
    double largest = 0;
    for (int s = 0; s < 2; s++) {
        if (inst[s] > 0)
            largest = fmax(largest, wl_sample_error(sample, sums->inst[s]) / inst[s]);
        if (sectors[s] > 0)
            largest = fmax(largest, wl_sample_error(sample, sums->sectors[s]) / sectors[s]);
    }
    if (largest > ROUNDING)
        m->result->error = sqrt(m->result->error * m->result->error + largest * largest);
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

/* How many blocks to evaluate, and which share of their loop steps, within the budget. */
static wl_status opaque_blocks(const wl_warps_measurer *m, int64_t *blocks, int64_t *advance)
{
    const wl_geometry *g = m->context.geometry;
    const double per_block = opaque_work(m, 1), budget = wl_threads_are_ordered(g) ? ORDERED_BUDGET : OPAQUE_BUDGET;
    *blocks = per_block == 0 ? 0 : g->blocks;
    if (m->samples < 0 || per_block * (double)g->blocks <= budget)
        return WL_OK;
    *blocks = wl_min(g->blocks, wl_max(OPAQUE_BLOCKS, most_blocks(m, budget, per_block)));
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
    int64_t block[3];
    if (!costs)
        return wl_fail_memory(m->err);
    last.costs = costs;
    wl_block_at(g, g->blocks - 1, block);
    const int64_t number = g->blocks - 1;
    wl_ordered_warps *ordered = wl_ordered_new(m, &number, 1, 1, arena);
    if (!ordered)
        return wl_fail_memory(m->err);
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        wl_program program;
        const wl_access_cost *c = &m->costs[a];
        if (m->bounds[a].affine || is_global_atomic(m, a)) { /* like any other block */
            m->result->last_block += data_wavefronts(m, a, c) / (double)g->blocks;
            continue;
        }
        if (m->bounds[a].never)
            continue;
        if (wl_ordered_can(m, a)) {
            WL_TRY(wl_ordered_measure(ordered, &last, a, 1, NULL, NULL));
        } else {
            WL_TRY(make_program(m, a, advance, arena, &program));
            WL_TRY(measure_block(&last, &program, a, block, 1));
        }
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

static wl_status measure_access(const wl_warps_measurer *m, const wl_sample *sample, size_t a, int64_t advance,
                                wl_arena *arena, added *sums)
{
    wl_program program;
    WL_TRY(make_program(m, a, advance, arena, &program));
    for (int64_t i = 0; i < sample->count; i++) {
        const wl_access_cost before = m->costs[a];
        int64_t block[3];
        wl_block_placed(m->context.geometry, sample->number[i], block);
        WL_TRY(measure_block(m, &program, a, block, wl_sample_weight(sample, i)));
        add_block(m, a, &before, i, sums);
    }
    return WL_OK;
}

static wl_status measure_unconditional(const wl_warps_measurer *m, int64_t n, int64_t advance, wl_arena *arena)
{
    wl_census census;
    wl_sample sample;
    added sums, alone;
    wl_census_take(m->context.geometry, m->context.rules->warp_size, &census);
    WL_TRY(wl_sample_evenly(n, m->context.geometry->blocks, arena, &sample, m->err));
    WL_TRY(added_make(m, n, arena, &sums));
    WL_TRY(added_make(m, n, arena, &alone));
    const int64_t every = wl_sample_is_all(&sample) ? 1 : ORDERED_EVERY;
    wl_ordered_warps *ordered = wl_ordered_new(m, sample.number, n, every, arena);
    if (!ordered)
        return wl_fail_memory(m->err);
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        const bool store = m->bounds[a].access->store;
        if (!is_evaluated(m, a) || m->bounds[a].conditional)
            continue;
        memset(alone.inst[store], 0, (size_t)n * sizeof(double));
        memset(alone.sectors[store], 0, (size_t)n * sizeof(double));
        if (wl_ordered_can(m, a)) { /* each warp's cells are found once for many accesses */
            WL_TRY(wl_ordered_measure(ordered, m, a, wl_sample_weight(&sample, 0), alone.inst[store],
                                      alone.sectors[store]));
            m->result->warps_evaluated = wl_ordered_of_block(ordered);
            m->result->half_of_tags = wl_ordered_half_of_tags(ordered);
        } else {
            WL_TRY(measure_access(m, &sample, a, advance, arena, &alone));
        }
        const double factor = set_executions(m, a, &census);
        if (factor > 0)
            add_ratios(m, a, n, &alone, factor, &sums);
        for (int64_t i = 0; i < n && factor == 0; i++) {
            sums.inst[store][i] += alone.inst[store][i];
            sums.sectors[store][i] += alone.sectors[store][i];
        }
    }
    state_error(m, &sample, &sums);
    return WL_OK;
}

/* Accesses under a condition: blocks differ by position. */
static wl_status measure_conditional(const wl_warps_measurer *m, const wl_sample *sample, int64_t advance,
                                     wl_arena *arena, added *sums)
{
    WL_TRY(added_make(m, sample->count, arena, sums));
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_evaluated(m, a) && m->bounds[a].conditional)
            WL_TRY(measure_access(m, sample, a, advance, arena, sums));
    return WL_OK;
}

/* Chooses the blocks to evaluate by what a few of them do. */
static wl_status choose_sample(const wl_warps_measurer *m, int64_t n, int64_t advance, wl_arena *arena, wl_sample *out)
{
    const wl_geometry *g = m->context.geometry;
    wl_warps_measurer trial = *m;
    wl_warps_result ignored = {0};
    wl_sample pilot;
    added sums;
    trial.costs = WL_ARENA_NEW(arena, wl_access_cost, m->kernel->access_count);
    trial.result = &ignored;
    trial.atomics = m->atomics ? wl_atomic_lines_new(arena) : NULL;
    if (!trial.costs || (m->atomics && !trial.atomics))
        return wl_fail_memory(m->err);
    WL_TRY(wl_sample_pilot(g->grid, n, arena, &pilot, m->err));
    WL_TRY(measure_conditional(&trial, &pilot, advance, arena, &sums));
    for (int64_t i = 0; i < pilot.count; i++)
        sums.inst[0][i] += sums.inst[1][i] + sums.sectors[0][i] + sums.sectors[1][i];
    return wl_sample_refine(g->grid, &pilot, sums.inst[0], n, arena, out, m->err);
}

static wl_status measure_evaluated(const wl_warps_measurer *m, int64_t n, int64_t advance, wl_arena *arena)
{
    const int64_t blocks = m->context.geometry->blocks;
    bool conditional = false, unconditional = false;
    wl_sample sample;
    added sums;
    for (size_t a = 0; a < m->kernel->access_count && n > 0; a++)
        if (is_evaluated(m, a))
            *(m->bounds[a].conditional ? &conditional : &unconditional) = true;
    if (unconditional)
        WL_TRY(measure_unconditional(m, n, advance, arena));
    if (!conditional)
        return WL_OK;
    WL_TRY(n < blocks ? choose_sample(m, n, advance, arena, &sample)
                      : wl_sample_evenly(n, blocks, arena, &sample, m->err));
    WL_TRY(measure_conditional(m, &sample, advance, arena, &sums));
    state_error(m, &sample, &sums);
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_evaluated(m, a) && m->bounds[a].conditional && m->costs[a].inst <= 0 && !wl_sample_is_all(&sample))
            /* no sampled block executed it: others may */
            m->result->error = fmax(m->result->error, 1);
    return WL_OK;
}

/* ---- traced accesses ---- */

/* executions of an access to global memory; if there are more, wavefronts are counted for a
 * sample */
#define WAVEFRONTS_OF 8192.0
#define WAVEFRONTS_EVERY 16 /* at least one in so many is counted */

/* Wavefronts are counted for one execution of an access in so many. Bank conflicts of shared memory
 * and requests of textures are always counted. */
static int64_t wavefront_stride(const wl_warps_measurer *m, const wl_sample *sample, size_t access)
{
    const wl_population *p = m->kernel->source.population;
    const double share = (double)sample->count / (double)m->context.geometry->blocks;
    if (m->samples < 0 || !p || is_shared(m, access) || is_texture(m, access) || m->bounds[access].access->atomic)
        return 1;
    return (int64_t)fmin(fmax(1, floor(p->executed[access] * fmin(1, share) / WAVEFRONTS_OF)), WAVEFRONTS_EVERY);
}

/* The executions of an access whose wavefronts are counted. */
typedef struct wavefronts {
    int64_t every;       /* one execution in so many, at random, since warps repeat themselves */
    uint64_t seen;       /* executions, */
    int64_t taken;       /* and those of them whose wavefronts were counted */
    double all, counted; /* executions represented: all, and those whose wavefronts were counted */
} wavefronts;

static bool chosen(wavefronts *w, size_t access)
{
    return w[access].every == 1 || wl_hash_word(w[access].seen++) % (uint64_t)w[access].every == 0;
}

/* What one block does with all of them. */
static wl_status measure_trace(const wl_warps_measurer *m, const int64_t block[3], double scale, wavefronts *w)
{
    const wl_source *source = &m->kernel->source;
    const int warp_size = m->context.rules->warp_size;
    const wl_block_trace *trace = NULL;
    uint8_t lane[WL_LANES_MAX], which[WL_LANES_MAX];
    int64_t address[WL_LANES_MAX];
    for (int i = 0; i < WL_LANES_MAX; i++)
        which[i] = (uint8_t)i;
    WL_TRY(source->trace_block(source->context, block, &trace, m->err));
    for (size_t i = 0; i < trace->count; i++) {
        const wl_execution *e = &trace->executions[i];
        const bool counted = chosen(w, e->access);
        const opaque_warp one = {m, e->access, lane, scale, counted ? scale : 0, NULL};
        w[e->access].all += scale;
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
    return WL_OK;
}

static void scale_wavefronts(wl_access_cost *cost, double factor)
{
    cost->hit *= factor;
    cost->tag *= factor;
    cost->cold *= factor;
    cost->split *= factor;
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
    if (!p || p->executed[access] < 0)
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
static void allow_for_others(const wl_warps_measurer *m, const wl_sample *sample)
{
    double traced[2] = {0}, all[2] = {0}, share = 0;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        const bool store = m->bounds[a].access->store;
        all[store] += m->costs[a].sectors;
        traced[store] += is_traced(m, a) ? m->costs[a].sectors : 0;
    }
    for (int s = 0; s < 2; s++)
        share = all[s] > 0 ? fmax(share, traced[s] / all[s]) : share;
    const double rare = share * wl_sample_rare(sample);
    m->result->error = sqrt(m->result->error * m->result->error + rare * rare);
}

/* Sets the number of executions, the cost of one, and the errors of both. */
static void finish_traced(const wl_warps_measurer *m, const wl_sample *sample, const added *alone, added *sums)
{
    const wl_population *p = m->kernel->source.population;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        if (!is_traced(m, a))
            continue;
        const double factor = set_counted(m, a);
        const bool store = m->bounds[a].access->store;
        if (factor > 0 && m->costs[a].inst > 0)
            add_ratios(m, a, sample->count, &alone[a], factor, sums);
        for (int64_t i = 0; i < sample->count && factor == 0; i++) {
            sums->inst[store][i] += alone[a].inst[store][i];
            sums->sectors[store][i] += alone[a].sectors[store][i];
        }
    }
    state_error(m, sample, sums);
    allow_for_others(m, sample);
    if (p && !p->complete)
        m->result->error = sqrt(m->result->error * m->result->error + p->error * p->error);
}

static wl_status measure_traced(const wl_warps_measurer *m, wl_sample *sample, wl_arena *arena)
{
    const size_t accesses = m->kernel->access_count;
    const int64_t n = sample->count;
    added *alone = WL_ARENA_NEW(arena, added, accesses), sums;
    wl_access_cost *before = WL_ARENA_NEW(arena, wl_access_cost, accesses);
    wavefronts *w = WL_ARENA_NEW(arena, wavefronts, accesses);
    if (!alone || !before || !w)
        return wl_fail_memory(m->err);
    WL_TRY(added_make(m, n, arena, &sums));
    for (size_t a = 0; a < accesses; a++) {
        w[a].every = is_traced(m, a) ? wavefront_stride(m, sample, a) : 1;
        if (is_traced(m, a))
            WL_TRY(added_make(m, n, arena, &alone[a]));
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t block[3];
        memcpy(before, m->costs, accesses * sizeof *before);
        wl_sample_block_at(sample, m->context.geometry, i, block);
        WL_TRY(measure_trace(m, block, wl_sample_weight(sample, i), w));
        for (size_t a = 0; a < accesses; a++)
            if (is_traced(m, a))
                add_block(m, a, &before[a], i, &alone[a]);
    }
    for (size_t a = 0; a < accesses; a++)
        if (w[a].counted > 0) {
            scale_wavefronts(&m->costs[a], w[a].all / w[a].counted);
            if (w[a].every > 1)
                add_sampled(&m->result->wavefronts, (double)w[a].taken, w[a].all);
        }
    finish_traced(m, sample, alone, &sums);
    return WL_OK;
}

wl_status wl_warps_measure_opaque(const wl_warps_measurer *m, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    int64_t evaluated = 0, advance = 1;
    wl_sample traced = {0};
    WL_TRY(opaque_blocks(m, &evaluated, &advance));
    if (anything_traced(m))
        WL_TRY(wl_sample_traced(m->samples < 0 ? NULL : m->kernel->source.population, g, INT64_MAX, arena, &traced,
                                m->err));
    const int64_t n =
        evaluated == 0 || traced.count == 0 ? wl_max(evaluated, traced.count) : wl_min(evaluated, traced.count);
    m->result->blocks_sampled = (evaluated > 0 && evaluated < g->blocks) || !wl_sample_is_all(&traced);
    m->result->blocks_evaluated = n;
    WL_TRY(measure_evaluated(m, evaluated, advance, arena));
    if (traced.count > 0)
        WL_TRY(measure_traced(m, &traced, arena));
    return n > 0 ? measure_last(m, advance, arena) : WL_OK;
}
