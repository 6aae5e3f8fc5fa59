/* warps_guarded.c - warps of accesses with an affine address under an affine condition: the lanes
 * of one block of each kind (block_kinds.h) are evaluated, and its patterns are placed at the
 * addresses of all blocks of that kind; see warps_internal.h.
 * Layer  count. SPDX-License-Identifier: MIT */
#include "count/warps_internal.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/block_kinds.h"
#include "count/pattern_table.h"
#include "count/spread.h"
#include "footprint/residues.h"
#include "kernel/program.h"
#include "launch/lanes.h"

/* executions evaluated for the tag hash, all accesses of a batch together */
#define SAMPLED_TAGS 512
#define SAMPLES_LEAST 64 /* at least, for each access */

#define BATCH_MAX 64 /* accesses measured together */

/* Earlier warps: warps that the condition and the domain's edge cut alike have the same active
 * lanes. */
#define SEEN_MAX 512 /* a power of two */
typedef struct seen_warp {
    wl_signature of;     /* both 0: empty */
    wl_pattern *pattern; /* NULL: no lane is active */
    int64_t start;       /* from thread 0 to the first lane */
} seen_warp;

/* All warps of one pattern, by the alignment of their first lane without the constant of the
 * access. */
#define PLACED_MAX 32
typedef struct placed_pattern {
    wl_pattern *pattern;
    int64_t weight[WL_PERIOD_MAX];
} placed_pattern;

/* Accesses that differ by a constant only, and the blocks and loop steps of one kind. */
typedef struct guarded {
    const wl_warps_measurer *m;
    size_t access[BATCH_MAX];
    int access_count;
    const wl_bound *bound; /* of the first */
    wl_linear linear;
    const wl_representative *kind;
    /* of loops that the address names and the condition does not; else 1 */
    int64_t extent[WL_LOOPS_MAX];
    int64_t executions; /* of each warp: blocks and steps of the kind */
    /* addresses relative to the first block and step, modulo the period */
    wl_residues shifts;
    seen_warp *seen;        /* SEEN_MAX */
    placed_pattern *placed; /* PLACED_MAX */
    int placed_count;
    int64_t every; /* executions per one that is evaluated for the tag hash */
    int64_t until; /* executions until the next one that is evaluated */
    int64_t evaluated, warp_executions;
    wl_tag_total tags[BATCH_MAX]; /* sums over the evaluated executions */
} guarded;

/* Bytes from one block or loop step to the next: three dimensions, then loops. */
static int64_t stride(const guarded *g, int i)
{
    return i < 3 ? wl_block_stride(&g->linear, g->m->context.geometry, i) : g->linear.stride[WL_AXIS_LOOP + i - 3];
}

/* How many there are in a box. */
static int64_t extent(const guarded *g, const wl_tiles *t, int i)
{
    return i < 3 ? t->count[i] : t->steps[i - 3] * g->extent[i - 3];
}

static int64_t executions_in(const guarded *g, const wl_tiles *t)
{
    int64_t n = 1;
    for (int i = 0; i < 3 + WL_LOOPS_MAX; i++)
        n *= extent(g, t, i);
    return n;
}

/* From the first block and step of the kind to those of a box. */
static int64_t distance_to(const guarded *g, const wl_tiles *t)
{
    int64_t bytes = 0;
    for (int d = 0; d < 3; d++)
        bytes += (t->first[d] - g->kind->boxes[0].first[d]) * stride(g, d);
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        bytes += (t->first_step[l] - g->kind->boxes[0].first_step[l]) * stride(g, 3 + l);
    return bytes;
}

static void place_kind(guarded *g)
{
    const int64_t period = g->m->context.period;
    int64_t strides[3 + WL_LOOPS_MAX];
    for (int i = 0; i < 3 + WL_LOOPS_MAX; i++)
        strides[i] = stride(g, i);
    /* at most 256 classes: always fits */
    (void)wl_residues_start(0, period, strides, 3 + WL_LOOPS_MAX, &g->shifts);
    g->shifts.weight[0] = 0;
    g->executions = 0;
    for (size_t b = 0; b < g->kind->box_count; b++) {
        wl_residues here, next;
        (void)wl_residues_start(0, period, strides, 3 + WL_LOOPS_MAX, &here);
        for (int i = 0; i < 3 + WL_LOOPS_MAX; i++) {
            wl_residues_move(&here, strides[i], 0, extent(g, &g->kind->boxes[b], i), &next);
            wl_residues_copy(&next, &here);
        }
        wl_residues_add(&here, distance_to(g, &g->kind->boxes[b]), &g->shifts);
        g->executions += executions_in(g, &g->kind->boxes[b]);
    }
}

/* ---- the lanes of a warp ---- */

/* One folded cell of the threads of the first block, at the first step. */
typedef struct folded {
    const guarded *g;
    const wl_guard *guard;
    int64_t block[3], fold[3];
    int64_t lo[3], hi[3]; /* threads whose cell is inside the domain */
    int64_t stride[3];    /* from thread to thread */
    int64_t base;         /* address of thread 0, without the constant of the access */
} folded;

/* If no access depends on the folded cell, a thread executes it when any of its cells is inside the
 * domain. */
static void start_fold(const guarded *g, const int64_t block[3], const int64_t fold[3], folded *out)
{
    const wl_geometry *geometry = g->m->context.geometry;
    const wl_form *f = &g->bound->form;
    *out = (folded){.g = g, .guard = g->bound->guard};
    for (int d = 0; d < 3; d++) {
        const int64_t cells = geometry->fold[d], first = block[d] * geometry->block[d] * cells;
        const bool any = fold[d] == WL_FOLD_ANY;
        out->block[d] = block[d];
        out->fold[d] = any ? 0 : fold[d];
        out->lo[d] = wl_max(0, wl_ceil_div(geometry->first[d] - first - (any ? cells - 1 : fold[d]), cells));
        out->hi[d] = wl_min(geometry->block[d], wl_ceil_div(geometry->cells[d] - first - out->fold[d], cells));
        out->stride[d] = f->k[WL_VAR_X + d] * cells + f->k[WL_VAR_THREAD_X + d];
        out->base += f->k[WL_VAR_X + d] * (first + out->fold[d]) + f->k[WL_VAR_BLOCK_X + d] * block[d];
    }
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        out->base += f->k[WL_VAR_LOOP_0 + l] * g->kind->boxes[0].first_step[l];
}

/* The coordinates of threads lo .. hi. */
static void coordinates(const folded *f, const int64_t lo[3], const int64_t hi[3], wl_axis_box *out)
{
    const wl_geometry *geometry = f->g->m->context.geometry;
    for (int d = 0; d < 3; d++) {
        const bool split = f->guard->split[d];
        const int64_t first = f->block[d] * geometry->block[d], cells = geometry->fold[d];
        out->lo[WL_AXIS_CELL + d] = split ? 0 : (first + lo[d]) * cells + f->fold[d];
        out->hi[WL_AXIS_CELL + d] = 1 + (split ? 0 : (first + hi[d]) * cells + f->fold[d]);
        out->lo[WL_AXIS_BLOCK + d] = split ? f->block[d] : 0;
        out->lo[WL_AXIS_THREAD + d] = split ? lo[d] : 0;
        out->hi[WL_AXIS_THREAD + d] = 1 + (split ? hi[d] : 0);
        out->lo[WL_AXIS_FOLD + d] = split ? f->fold[d] : 0;
        out->hi[WL_AXIS_BLOCK + d] = out->lo[WL_AXIS_BLOCK + d] + 1;
        out->hi[WL_AXIS_FOLD + d] = out->lo[WL_AXIS_FOLD + d] + 1;
    }
    for (int l = 0; l < WL_LOOPS_MAX; l++) {
        out->lo[WL_AXIS_LOOP + l] = f->g->kind->boxes[0].first_step[l];
        out->hi[WL_AXIS_LOOP + l] = out->lo[WL_AXIS_LOOP + l] + 1;
    }
}

static bool thread_holds(const folded *f, const int64_t index[3])
{
    wl_axis_box at;
    coordinates(f, index, index, &at);
    return wl_guard_holds(f->guard, at.lo);
}

/* The active lanes of a warp, and the distance of the first from thread 0. False: none. `truth` is
 * the condition over the whole warp: 0, 1, or -1 if lanes differ. */
static bool arrange(const folded *f, int64_t first, int64_t last, int truth, wl_arrangement *out, int64_t *origin)
{
    const wl_geometry *geometry = f->g->m->context.geometry;
    int64_t index[3];
    out->lanes = 0;
    wl_thread_index(geometry, first, index);
    for (int64_t t = first; t <= last; t++) {
        bool takes_part = true;
        for (int d = 0; d < 3; d++)
            takes_part = takes_part && index[d] >= f->lo[d] && index[d] < f->hi[d];
        if (takes_part && (truth > 0 || thread_holds(f, index))) {
            const int64_t at = index[0] * f->stride[0] + index[1] * f->stride[1] + index[2] * f->stride[2];
            if (out->lanes == 0)
                *origin = at;
            out->lane[out->lanes] = (uint8_t)(t - first);
            out->relative[out->lanes++] = at - *origin;
        }
        if (++index[0] == geometry->block[0]) {
            index[0] = 0;
            if (++index[1] == geometry->block[1]) {
                index[1] = 0;
                index[2]++;
            }
        }
    }
    return out->lanes > 0;
}

/* The pattern of a warp, and the address of its first lane. NULL with WL_OK: no lane is active. */
static wl_status find_pattern(const folded *f, int64_t first, int64_t last, wl_pattern **out, int64_t *origin)
{
    const wl_warps_measurer *m = f->g->m;
    int64_t lo[3], hi[3], start = 0;
    wl_axis_box box;
    wl_signature s = wl_signature_start((uint64_t)first);
    wl_thread_box(m->context.geometry, first, last, lo, hi);
    coordinates(f, lo, hi, &box);
    const int truth = wl_signature_mix_guard(&s, f->guard, &box);
    *out = NULL;
    if (truth == 0)
        return WL_OK;
    for (int d = 0; d < 3; d++) {
        wl_signature_mix(&s, (uint64_t)wl_max(lo[d], f->lo[d]));
        wl_signature_mix(&s, (uint64_t)wl_min(hi[d] + 1, f->hi[d]));
    }
    seen_warp *seen = &f->g->seen[s.a & (SEEN_MAX - 1)];
    if (seen->of.a != s.a || seen->of.b != s.b) {
        wl_arrangement lanes = {.width = f->g->bound->access->width_bytes};
        *seen = (seen_warp){.of = s};
        if (arrange(f, first, last, truth, &lanes, &start)) {
            seen->pattern = wl_pattern_table_get(m->context.table, m->context.rules, &lanes);
            if (!seen->pattern)
                return wl_fail_memory(m->err);
        }
        seen->start = start;
    }
    *out = seen->pattern;
    *origin = f->base + seen->start;
    return WL_OK;
}

/* ---- one warp ---- */

/* The i-th execution of a warp in a fixed order, or of an evenly spread sample, relative to the
 * first. */
static int64_t execution(const guarded *g, int64_t i, bool spread)
{
    int64_t n = spread ? wl_spread_below((uint64_t)i, WL_SPREAD_DIMENSIONS - 1, g->executions) : i;
    size_t b = 0;
    while (n >= executions_in(g, &g->kind->boxes[b]))
        n -= executions_in(g, &g->kind->boxes[b++]);
    int64_t bytes = distance_to(g, &g->kind->boxes[b]);
    for (int k = 0; k < 3 + WL_LOOPS_MAX; k++) {
        bytes += n % extent(g, &g->kind->boxes[b], k) * stride(g, k);
        n /= extent(g, &g->kind->boxes[b], k);
    }
    return bytes;
}

/* Evaluates the tag hash for every so many executions, spread over the blocks and steps. */
static void sample_tags(guarded *g, wl_pattern *p, int64_t origin)
{
    const wl_warps_measurer *m = g->m;
    g->warp_executions += g->executions;
    for (; g->until < g->executions; g->until += g->every, g->evaluated++) {
        const int64_t at = origin + (g->every == 1 ? execution(g, g->until, false) : execution(g, g->evaluated, true));
        for (int i = 0; i < g->access_count; i++) {
            if (is_shared(m, g->access[i]))
                continue;
            const wl_tag_cost t = wl_pattern_tag_cost(&m->context, p, at + m->bounds[g->access[i]].form.c);
            g->tags[i].tag += t.tag;
            g->tags[i].cold += t.cold;
            g->tags[i].split += t.tag > 1;
        }
    }
    g->until -= g->executions;
}

/* Adds what was gathered to one access. */
static void add_placed(const guarded *g, size_t access)
{
    const wl_warps_measurer *m = g->m;
    const wl_l1_rules *rules = m->context.rules;
    wl_access_cost *cost = &m->costs[access];
    const bool shared = is_shared(m, access), store = m->bounds[access].access->store;
    for (int k = 0; k < g->placed_count; k++) {
        wl_pattern *p = g->placed[k].pattern;
        for (int64_t i = 0; i < m->context.period; i++) {
            const double weight = (double)g->placed[k].weight[i];
            const int64_t at = wl_floor_mod(i + m->bounds[access].form.c, m->context.period);
            if (weight == 0)
                continue;
            cost->inst += weight;
            cost->hit += weight * (shared ? wl_pattern_shared(rules, p, at, !store) : wl_pattern_hit(rules, p, at));
            if (shared)
                continue;
            cost->sectors += weight * wl_pattern_sectors(rules, p, at);
            if (store)
                add_written(cost, wl_pattern_written(rules, p, at), weight);
        }
    }
}

static void add_all_placed(guarded *g)
{
    for (int i = 0; i < g->access_count; i++)
        add_placed(g, g->access[i]);
    g->placed_count = 0;
}

static void place_warp(guarded *g, wl_pattern *p, int64_t origin)
{
    int k = 0;
    while (k < g->placed_count && g->placed[k].pattern != p)
        k++;
    if (k == PLACED_MAX) {
        add_all_placed(g);
        k = 0;
    }
    if (k == g->placed_count) {
        memset(&g->placed[k], 0, sizeof g->placed[k]);
        g->placed[g->placed_count++].pattern = p;
    }
    for (int i = 0; i < g->shifts.count; i++)
        g->placed[k].weight[wl_floor_mod(origin + wl_residue(&g->shifts, i), g->m->context.period)] +=
            g->shifts.weight[i];
    if (g->m->context.rules->has_hash)
        sample_tags(g, p, origin);
}

/* ---- all warps ---- */

static wl_status measure_fold(guarded *g, const int64_t block[3], const int64_t fold[3])
{
    const wl_warps_measurer *m = g->m;
    const int64_t threads = m->context.geometry->threads, warp_size = m->context.rules->warp_size;
    int64_t origin = 0;
    folded f;
    start_fold(g, block, fold, &f);
    for (int64_t first = 0; first < threads; first += warp_size) {
        wl_pattern *p = NULL;
        WL_TRY(find_pattern(&f, first, wl_min(first + warp_size, threads) - 1, &p, &origin));
        if (p)
            place_warp(g, p, origin);
    }
    return WL_OK;
}

static wl_status measure_kind(guarded *g)
{
    const wl_geometry *geometry = g->m->context.geometry;
    int64_t f[3], lo[3], hi[3];
    wl_folds_named(geometry, wl_access_vars(g->bound->access), g->m->kernel->guarded_cells, lo, hi);
    place_kind(g);
    for (f[2] = lo[2]; f[2] < hi[2]; f[2]++)
        for (f[1] = lo[1]; f[1] < hi[1]; f[1]++)
            for (f[0] = lo[0]; f[0] < hi[0]; f[0]++)
                WL_TRY(measure_fold(g, g->kind->block, f));
    return WL_OK;
}

/* How many executions to evaluate for the tag hash: all if few. */
static void choose_samples(guarded *g, const wl_block_kinds *kinds)
{
    const wl_warps_measurer *m = g->m;
    const wl_geometry *geometry = m->context.geometry;
    int64_t lo[3], hi[3], most = wl_ceil_div(geometry->threads, m->context.rules->warp_size), all = 0;
    const int64_t wanted = m->samples > 0 ? m->samples : wl_max(SAMPLES_LEAST, SAMPLED_TAGS / g->access_count);
    wl_folds_named(geometry, wl_access_vars(g->bound->access), g->m->kernel->guarded_cells, lo, hi);
    for (int d = 0; d < 3; d++)
        most *= hi[d] - lo[d];
    for (size_t k = 0; k < kinds->count; k++)
        for (size_t b = 0; b < kinds->list[k].box_count; b++)
            all += executions_in(g, &kinds->list[k].boxes[b]);
    g->every = m->samples < 0 ? 1 : wl_max(1, all / wanted * most);
    g->until = 0;
}

static void add_all_tags(guarded *g)
{
    const double evaluated = (double)g->evaluated, executions = (double)g->warp_executions;
    for (int i = 0; i < g->access_count && g->evaluated > 0; i++) {
        add_tag_total(&g->m->costs[g->access[i]], g->tags[i], executions / evaluated,
                      g->m->bounds[g->access[i]].access->store);
        if (g->every > 1 && !is_shared(g->m, g->access[i]))
            add_sampled(&g->m->result->tags, evaluated, executions);
    }
}

static wl_status measure_batch(guarded *g, wl_arena *arena)
{
    const wl_kernel *kernel = g->m->kernel;
    const wl_guard *guard = g->bound->guard;
    const uint32_t vars = wl_access_vars(g->bound->access);
    wl_block_kinds kinds;
    wl_cut_input in = {.geometry = g->m->context.geometry, .tile = {1, 1, 1}, .guards = &guard, .guard_count = 1};
    for (int l = 0; l < WL_LOOPS_MAX; l++) {
        const bool named = l < kernel->loop_count && vars >> (WL_VAR_LOOP_0 + l) & 1;
        const bool outer = named && guard->loops >> l & 1;
        in.steps[l] = named ? kernel->loop_extent[l] : 1;
        in.outer |= (uint32_t)outer << l;
        g->extent[l] = named && !outer ? kernel->loop_extent[l] : 1;
    }
    WL_TRY(wl_kinds_by_cuts(&in, arena, &kinds, g->m->err));
    choose_samples(g, &kinds);
    for (size_t k = 0; k < kinds.count; k++) {
        g->kind = kinds.list + k;
        WL_TRY(measure_kind(g));
    }
    add_all_placed(g);
    add_all_tags(g);
    return WL_OK;
}

/* Do two accesses differ by a constant only? Then their lanes form the same patterns. */
static bool alike_but_for_offset(const wl_bound *a, const wl_bound *b)
{
    return a->guard == b->guard && a->access->width_bytes == b->access->width_bytes &&
           wl_access_vars(a->access) == wl_access_vars(b->access) &&
           memcmp(a->form.k, b->form.k, sizeof a->form.k) == 0;
}

wl_status wl_warps_measure_guarded(const wl_warps_measurer *m, wl_arena *scratch)
{
    wl_arena arena = {0};
    wl_status status = WL_OK;
    bool *done = WL_ARENA_NEW(scratch, bool, m->kernel->access_count), any = false;
    for (size_t a = 0; a < m->kernel->access_count; a++)
        any = any || is_guarded(m, a);
    seen_warp *seen = any ? WL_ARENA_NEW(scratch, seen_warp, SEEN_MAX) : NULL;
    placed_pattern *placed = any ? WL_ARENA_NEW(scratch, placed_pattern, PLACED_MAX) : NULL;
    if (!any)
        return WL_OK;
    if (!done || !seen || !placed)
        return wl_fail_memory(m->err);
    for (size_t a = 0; a < m->kernel->access_count && status == WL_OK; a++) {
        guarded g = {.m = m, .bound = &m->bounds[a], .seen = seen, .placed = placed};
        if (!is_guarded(m, a) || done[a])
            continue;
        for (size_t b = a; b < m->kernel->access_count && g.access_count < BATCH_MAX; b++)
            if (is_guarded(m, b) && !done[b] && alike_but_for_offset(&m->bounds[a], &m->bounds[b])) {
                g.access[g.access_count++] = b;
                done[b] = true;
            }
        wl_linear_make(g.bound, m->context.geometry, &g.linear);
        memset(seen, 0, SEEN_MAX * sizeof *seen);
        status = measure_batch(&g, &arena);
        wl_arena_reset(&arena);
    }
    wl_arena_free(&arena);
    return status;
}
