/* block_sum.c - see block_sum.h. SPDX-License-Identifier: MIT */
#include "count/block_sum.h"

#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/residues.h"
#include "count/block_kinds.h"
#include "count/spread.h"

#define GUARDS_MAX 64 /* different conditions of one side of a field */
/* positions of tiles with several sets of strides; beyond, tiles are sampled */
#define KINDS_MAX 256
#define SAMPLED_TILES 64 /* sampled of a box where tiles differ in more than alignment */
#define OPAQUE_BLOCKS 16 /* enumerated thread by thread */
/* addresses evaluated where blocks differ by a condition */
#define UNEVEN_BUDGET ((double)(1 << 19))
#define SAMPLED_WARPS 64                  /* sampled where warps are not boxes, or are enumerated */
#define ORDERED_WARPS 32                  /* sampled where a schedule orders threads */
#define TRACED_WARPS 256                  /* sampled for traced accesses, one per block */
#define SPREAD_WARPS 24                   /* evenly spread over whole blocks, so fewer are needed */
#define SAMPLE_BUDGET ((double)(1 << 22)) /* addresses evaluated for one sample */
#define SAMPLE_LEAST 2                    /* regions, whatever they cost */
/* from so many counts on, one sweep for all is cheaper, although it is not cached */
#define FEW_COUNTS 3

typedef struct summer {
    const wl_block_sum_input *in;
    wl_block_sum *sum;
    wl_error *err;
    const wl_shape *shape; /* of a side that is not enumerated */
    int64_t tile[3];
    bool each; /* every tile is counted by itself: the sum of squares is wanted */
    /* index of the current granule: shapes are counted one granule size after the other */
    int at;
} summer;

/* ---- kinds that cuts tell apart ---- */

static void add_count(const summer *s, double weight, const wl_count *c)
{
    s->sum->granules[s->at] += weight * (double)c->touched;
    s->sum->squares[s->at] += weight * (double)c->touched * (double)c->touched;
    if (s->in->want_covered && s->at == 0)
        s->sum->covered += weight * (double)wl_max(0, c->covered);
}

/* The tile whose first block this is. */
static wl_region tile_at(const summer *s, const int64_t block[3])
{
    const wl_geometry *g = s->in->geometry;
    const wl_view *v = s->in->view;
    wl_region r = {.geometry = g, .kernel = v->kernel, .steps = v->steps, .blocks = {.count = 1}};
    for (int d = 0; d < 3; d++) {
        r.blocks.boxes[0].lo[d] = block[d];
        r.blocks.boxes[0].hi[d] = wl_min(block[d] + s->tile[d], g->start[d] + g->grid[d]);
    }
    return r;
}

static int64_t tile_stride(const summer *s, int linear, int d)
{
    return s->tile[d] * wl_block_stride(&s->shape->linears[linear], s->in->geometry, d);
}

/* Do all sets of strides move alike from tile to tile along d? Otherwise their overlap changes from
 * tile to tile. */
static bool moves_alike(const summer *s, int d)
{
    for (int l = 1; l < s->shape->linear_count; l++)
        if (tile_stride(s, l, d) != tile_stride(s, 0, d))
            return false;
    return true;
}

/* Counts tiles at many distances in one sweep if that is cheaper than one by one, because most of
 * these counts are not cached. */
static wl_status add_together(const summer *s, wl_laid *laid, const wl_residues *moves, bool *added)
{
    const bool covered = s->in->want_covered && s->at == 0;
    int missing = 0;
    wl_count c;
    *added = false;
    for (int i = 0; i < moves->count && missing < FEW_COUNTS; i++)
        missing += moves->weight[i] &&
                   !wl_laid_is_kept(s->in->counter, laid, wl_residue(moves, i), s->in->granules[s->at], covered);
    if (missing < FEW_COUNTS)
        return WL_OK;
    WL_TRY(wl_laid_sum(s->in->counter, laid, moves, s->in->granules[s->at], covered, added, &c, s->err));
    if (*added)
        add_count(s, 1, &c);
    return WL_OK;
}

/* The alignments of a box of tiles, relative to its first. False: too many. */
static bool align_box(const wl_tiles *box, const int64_t strides[3], int64_t granule, wl_residues *out)
{
    wl_residues next;
    if (!wl_residues_start(0, granule, strides, 3, out))
        return false;
    wl_residues_spread(out, strides[0], 0, box->count[0]);
    for (int d = 1; d < 3; d++)
        if (box->count[d] > 1) {
            wl_residues_move(out, strides[d], 0, box->count[d], &next);
            wl_residues_copy(&next, out);
        }
    return true;
}

/* The same for all tiles of a kind. */
static bool align_kind(const wl_representative *kind, const int64_t strides[3], int64_t granule, wl_residues *out)
{
    wl_residues here;
    if (!align_box(kind->boxes, strides, granule, out))
        return false;
    for (size_t i = 1; i < kind->box_count; i++) {
        int64_t distance = 0;
        for (int d = 0; d < 3; d++)
            distance += (kind->boxes[i].first[d] - kind->boxes[0].first[d]) * strides[d];
        (void)align_box(&kind->boxes[i], strides, granule, &here);
        wl_residues_add(&here, distance, out);
    }
    return true;
}

/* Tiles whose addresses all move alike: only their alignment differs. `laid` is the first. */
static wl_status sum_by_alignment(const summer *s, const wl_representative *kind, wl_laid *laid)
{
    const int64_t granule = s->in->granules[s->at],
                  strides[3] = {tile_stride(s, 0, 0), tile_stride(s, 0, 1), tile_stride(s, 0, 2)};
    wl_residues all;
    bool added = false;
    if (!align_kind(kind, strides, granule, &all))
        return WL_E_UNSUPPORTED;
    if (!s->each)
        WL_TRY(add_together(s, laid, &all, &added));
    for (int i = 0; i < all.count && !added; i++) {
        wl_count c;
        if (all.weight[i] == 0)
            continue;
        WL_TRY(wl_laid_count(s->in->counter, laid, wl_residue(&all, i), granule, s->in->want_covered && s->at == 0, &c,
                             s->err));
        add_count(s, (double)all.weight[i], &c);
    }
    return WL_OK;
}

/* A box of tiles whose addresses do not all move alike: where they do, the coordinate matters only
 * modulo the period of their alignment. */
static wl_status sum_by_position(const summer *s, const wl_tiles *t)
{
    const int64_t granule = s->in->granules[s->at], *start = s->in->geometry->start;
    int64_t period[3], kinds = 1;
    for (int d = 0; d < 3; d++) {
        period[d] = t->count[d];
        if (moves_alike(s, d))
            period[d] = wl_min(period[d], granule / wl_gcd(granule, tile_stride(s, 0, d)));
        kinds *= wl_min(period[d], KINDS_MAX + 1);
    }
    const bool sample = kinds > KINDS_MAX;
    const int64_t n = sample ? SAMPLED_TILES : kinds, *extent = sample ? t->count : period;
    const int64_t tiles = t->count[0] * t->count[1] * t->count[2];
    s->sum->sampled = wl_smaller_sample(s->sum->sampled, sample ? n : 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = sample ? wl_sample_block(i, n, tiles) : i;
        const int64_t at[3] = {number % extent[0], number / extent[0] % extent[1], number / extent[0] / extent[1]};
        int64_t block[3];
        double weight = sample ? (double)tiles / (double)n : 1;
        wl_count c;
        for (int d = 0; d < 3; d++) {
            weight *= sample ? 1 : (double)((t->count[d] - at[d] - 1) / period[d] + 1);
            block[d] = start[d] + (t->first[d] + at[d]) * s->tile[d];
        }
        const wl_region region = tile_at(s, block);
        WL_TRY(
            wl_shape_count(s->in->counter, s->shape, &region, granule, s->in->want_covered && s->at == 0, &c, s->err));
        add_count(s, weight, &c);
    }
    return WL_OK;
}

static wl_status sum_kind(summer *s, const wl_representative *kind)
{
    const wl_region first = tile_at(s, kind->block);
    bool alike = moves_alike(s, 0) && moves_alike(s, 1) && moves_alike(s, 2);
    wl_laid laid;
    if (alike)
        wl_shape_lay(s->in->counter, s->shape, &first, &laid);
    for (s->at = 0; s->at < s->in->granule_count; s->at++) {
        const wl_status status = alike ? sum_by_alignment(s, kind, &laid) : WL_E_UNSUPPORTED;
        if (status != WL_E_UNSUPPORTED) {
            WL_TRY(status);
            continue;
        }
        alike = false; /* as at every larger granule */
        for (size_t i = 0; i < kind->box_count; i++)
            WL_TRY(sum_by_position(s, &kind->boxes[i]));
    }
    return WL_OK;
}

/* The different conditions of a shape; false: too many. */
static bool list_guards(const wl_shape *shape, const wl_guard *guards[GUARDS_MAX], int *count, bool *anywhere)
{
    *count = 0;
    *anywhere = false;
    for (int p = 0; p < shape->patch_count; p++) {
        *anywhere = *anywhere || !shape->patches[p].guard;
        if (!wl_guards_add(shape->patches[p].guard, guards, count, GUARDS_MAX))
            return false;
    }
    return true;
}

bool wl_tile_sum_can(const wl_shape *shape)
{
    const wl_guard *guards[GUARDS_MAX];
    int count;
    bool anywhere;
    return list_guards(shape, guards, &count, &anywhere);
}

static wl_status sum_kinds(summer *s, const wl_block_kinds *kinds)
{
    for (size_t k = 0; k < kinds->count; k++)
        WL_TRY(sum_kind(s, &kinds->list[k]));
    return WL_OK;
}

static wl_status sum_tiles(summer *s)
{
    const wl_guard *guards[GUARDS_MAX];
    const wl_kernel *kernel = s->in->view->kernel;
    wl_cut_input in = {.geometry = s->in->geometry, .guards = guards};
    wl_arena arena = {0};
    wl_block_kinds kinds;
    if (!s->shape->guarded) {
        wl_edge_kinds room;
        wl_kinds_by_edges(in.geometry, s->tile, &room, &kinds);
        return sum_kinds(s, &kinds);
    }
    if (!list_guards(s->shape, guards, &in.guard_count, &in.anywhere))
        return wl_fail(s->err, WL_E_LIMIT, WL_NOWHERE, "a field has accesses under more than %d conditions",
                       GUARDS_MAX);
    for (int d = 0; d < 3; d++)
        in.tile[d] = s->tile[d];
    for (int l = 0; l < kernel->loop_count; l++)
        in.steps[l] = s->in->view->steps ? s->in->view->steps[l] : kernel->loop_extent[l];
    wl_status status = wl_kinds_by_cuts(&in, &arena, &kinds, s->err);
    if (status == WL_OK)
        status = sum_kinds(s, &kinds);
    wl_arena_free(&arena);
    return status;
}

wl_status wl_tile_sum_make(const wl_block_sum_input *input, const int64_t tile[3], wl_block_sum *out, wl_error *err)
{
    const wl_field_side *f = &input->view->fields[input->field][input->side];
    summer s = {
        .in = input, .sum = out, .err = err, .shape = &f->shape, .tile = {tile[0], tile[1], tile[2]}, .each = true};
    *out = (wl_block_sum){0};
    return f->count > 0 ? sum_tiles(&s) : WL_OK;
}

/* ---- blocks that are enumerated ---- */

/* Counts the threads of a region, at all granules at once. */
static wl_status add_threads(const summer *s, double weight, const wl_region *region)
{
    const wl_block_sum_input *in = s->in;
    int64_t touched[WL_GRANULES_MAX], covered = 0;
    WL_TRY(wl_view_enumerate(in->view, in->counter, in->field, in->side, region, in->granules, in->granule_count,
                             touched, in->want_covered ? &covered : NULL, s->err));
    s->sum->covered += weight * (double)wl_max(0, covered);
    for (int i = 0; i < in->granule_count; i++)
        s->sum->granules[i] += weight * (double)touched[i];
    return WL_OK;
}

/* How many such regions to evaluate: `most`, or fewer where each is expensive. */
static int64_t sample_size(const summer *s, const wl_region *region, int64_t most)
{
    const double affordable = SAMPLE_BUDGET / wl_view_addresses(s->in->view, s->in->field, s->in->side, region);
    return affordable >= (double)most ? most : wl_min(most, wl_max(SAMPLE_LEAST, (int64_t)affordable));
}

static bool is_traced(const summer *s)
{
    const wl_field_side *f = &s->in->view->fields[s->in->field][s->in->side];
    for (size_t i = 0; i < f->count; i++)
        if (f->accesses[i]->access->traced)
            return true;
    return false;
}

static wl_region any_block(const summer *s) { return tile_at(s, (const int64_t[3]){0, 0, 0}); }

/* Blocks that differ by position: a sample from each part of the launch, or all. */
static wl_status choose_uneven(const summer *s, wl_arena *arena, wl_block_kinds *out)
{
    const wl_geometry *g = s->in->geometry;
    const wl_region any = any_block(s);
    const double each = wl_view_addresses(s->in->view, s->in->field, s->in->side, &any);
    const int64_t least = wl_max(SAMPLE_LEAST, wl_min(OPAQUE_BLOCKS, (int64_t)(SAMPLE_BUDGET / each)));
    const int64_t n = wl_min(g->blocks, wl_max(least, (int64_t)(UNEVEN_BUDGET / each)));
    s->sum->sampled = n < g->blocks ? n : 0;
    return wl_kinds_by_place(g, n, arena, out, s->err);
}

/* The blocks to enumerate; with traced accesses, those that represent the kinds of blocks. */
static wl_status choose_blocks(const summer *s, wl_arena *arena, wl_block_kinds *out)
{
    const wl_geometry *g = s->in->geometry;
    const wl_population *p = is_traced(s) ? s->in->view->kernel->source.population : NULL;
    const wl_region any = any_block(s);
    if (s->in->view->fields[s->in->field][s->in->side].uneven && !is_traced(s))
        return choose_uneven(s, arena, out);
    WL_TRY(
        wl_kinds_traced(p, g, sample_size(s, &any, p ? p->run : wl_min(OPAQUE_BLOCKS, g->blocks)), arena, out, s->err));
    s->sum->sampled = wl_kinds_are_exact(out) ? 0 : (int64_t)out->count;
    return WL_OK;
}

static wl_status sum_enumerated(const summer *s)
{
    const bool uneven = s->in->view->fields[s->in->field][s->in->side].uneven && !is_traced(s);
    wl_arena arena = {0};
    wl_block_kinds kinds;
    wl_status status = choose_blocks(s, &arena, &kinds);
    for (size_t i = 0; status == WL_OK && i < kinds.count; i++) {
        wl_region region = tile_at(s, kinds.list[i].block);
        region.thread_count = uneven ? s->in->geometry->threads : 0;
        status = add_threads(s, kinds.list[i].blocks, &region);
    }
    wl_arena_free(&arena);
    return status;
}

static summer summer_of_blocks(const wl_block_sum_input *input, wl_block_sum *out, wl_error *err)
{
    const wl_shape *shape = &input->view->fields[input->field][input->side].shape;
    *out = (wl_block_sum){0};
    return (summer){.in = input, .sum = out, .err = err, .shape = shape, .tile = {1, 1, 1}, .each = shape->guarded};
}

wl_status wl_block_sum_make(const wl_block_sum_input *input, wl_block_sum *out, wl_error *err)
{
    const wl_field_side *f = &input->view->fields[input->field][input->side];
    summer s = summer_of_blocks(input, out, err);
    return f->count == 0 ? WL_OK : f->has_shape ? sum_tiles(&s) : sum_enumerated(&s);
}

/* ---- warps ---- */

/* If warps are boxes of threads side by side: the launch with blocks of one warp each. */
static bool launch_of_warps(const wl_geometry *g, int64_t warp_size, wl_geometry *out)
{
    int64_t left = warp_size;
    *out = *g;
    for (int d = 0; d < 3; d++) {
        const int64_t extent = wl_min(g->block[d], left);
        if (g->block[d] % extent != 0 || left % extent != 0)
            return false;
        out->block[d] = extent;
        left /= extent;
    }
    out->threads = out->block[0] * out->block[1] * out->block[2];
    *out = wl_geometry_busy(out);
    return true;
}

/* Does an address depend on the position of a thread in its block? */
static bool looks_at_blocks(const wl_shape *shape)
{
    for (int l = 0; l < shape->linear_count; l++)
        if (shape->linears[l].split[0] || shape->linears[l].split[1] || shape->linears[l].split[2])
            return true;
    return false;
}

/* Threads as if each were a block: of the launch, and of one block. */
typedef struct thread_grid {
    wl_geometry launch, block;
} thread_grid;

static void make_thread_grid(const wl_geometry *g, thread_grid *out)
{
    out->launch = *g;
    out->block = (wl_geometry){.grid = {g->block[0], g->block[1], g->block[2]}, .blocks = g->threads};
    for (int d = 0; d < 3; d++)
        out->launch.block[d] = 1;
}

/* The threads of one warp of a block as boxes. */
static void boxes_of_warp(const thread_grid *threads, const int64_t block[3], int64_t first, int64_t count,
                          wl_region *out)
{
    const wl_geometry *inside = &threads->block;
    out->geometry = &threads->launch;
    wl_block_interval(inside, first, wl_min(first + count, inside->blocks), &out->blocks);
    for (int i = 0; i < out->blocks.count; i++)
        for (int d = 0; d < 3; d++) {
            out->blocks.boxes[i].lo[d] += block[d] * inside->grid[d];
            out->blocks.boxes[i].hi[d] += block[d] * inside->grid[d];
        }
}

/* Counts one warp in closed form. *added is false, with nothing added, if there is none; `failure`
 * is scratch. */
static wl_status add_boxes(const summer *s, double weight, const wl_shape *shape, const wl_region *boxes, bool *added,
                           wl_error *failure)
{
    wl_count c[WL_GRANULES_MAX];
    wl_laid laid;
    *added = false;
    wl_shape_lay(s->in->counter, shape, boxes, &laid);
    for (int i = 0; i < s->in->granule_count; i++) {
        const bool covered = s->in->want_covered && i == 0;
        const wl_status status = wl_laid_count(s->in->counter, &laid, 0, s->in->granules[i], covered, &c[i], failure);
        if (status == WL_E_NOMEM)
            return wl_fail_memory(s->err);
        if (status != WL_OK || (covered && c[i].covered < 0))
            return WL_OK;
    }
    for (int i = 0; i < s->in->granule_count; i++)
        s->sum->granules[i] += weight * (double)c[i].touched;
    if (s->in->want_covered)
        s->sum->covered += weight * (double)c[0].covered;
    *added = true;
    return WL_OK;
}

/* What warps are counted with: in closed form where cells alone decide, else thread by thread. */
typedef struct warp_counter {
    const wl_shape *shape; /* NULL: there is no closed form */
    thread_grid threads;
    wl_region boxes, thread_by_thread;
    wl_error failure; /* scratch */
} warp_counter;

static void make_warp_counter(const summer *s, warp_counter *out)
{
    const wl_field_side *f = &s->in->view->fields[s->in->field][s->in->side];
    out->shape = f->has_shape && !looks_at_blocks(&f->shape) ? &f->shape : NULL;
    out->boxes = out->thread_by_thread = any_block(s);
    out->failure = (wl_error){0};
    make_thread_grid(s->in->geometry, &out->threads);
}

static wl_status add_warp(const summer *s, warp_counter *c, double weight, const int64_t block[3], int64_t first,
                          int64_t count)
{
    bool added = false;
    if (c->shape) {
        boxes_of_warp(&c->threads, block, first, count, &c->boxes);
        WL_TRY(add_boxes(s, weight, c->shape, &c->boxes, &added, &c->failure));
    }
    if (added)
        return WL_OK;
    c->thread_by_thread.blocks.boxes[0] = wl_box_at(block);
    c->thread_by_thread.first_thread = first;
    c->thread_by_thread.thread_count = count;
    return add_threads(s, weight, &c->thread_by_thread);
}

/* The warps of blocks that differ by position or, of kernels with traced accesses, one warp of each
 * block that represents a kind. */
static wl_status sum_warps_of_blocks(const summer *s, int warp_size)
{
    const wl_geometry *g = s->in->geometry;
    const wl_population *p = is_traced(s) ? s->in->view->kernel->source.population : NULL;
    const int64_t per_block = wl_ceil_div(g->threads, warp_size);
    wl_arena arena = {0};
    wl_block_kinds kinds;
    warp_counter c;
    make_warp_counter(s, &c);
    wl_status status = p ? wl_kinds_traced(p, g, wl_min(p->run, TRACED_WARPS), &arena, &kinds, s->err)
                         : choose_uneven(s, &arena, &kinds);
    if (p && status == WL_OK)
        s->sum->sampled = wl_max(1, (int64_t)kinds.count);
    for (size_t i = 0; status == WL_OK && i < kinds.count; i++) {
        const wl_representative *k = &kinds.list[i];
        const int64_t only = p ? wl_spread_below(i, 0, per_block) : 0;
        for (int64_t w = only; status == WL_OK && w < (p ? only + 1 : per_block); w++)
            status = add_warp(s, &c, k->blocks * (p ? (double)per_block : 1), k->block, w * warp_size, warp_size);
    }
    wl_arena_free(&arena);
    return status;
}

/* The i-th of n sampled warps, spread evenly over the warps of a block and over the launch. Returns
 * how many warps it represents; warps at the domain's edge count in proportion to their cells. */
static double spread_warp(const wl_geometry *g, int64_t per_block, int64_t i, int64_t n, int64_t block[3],
                          int64_t *warp)
{
    double weight = (double)per_block / (double)n;
    for (int d = 0; d < 3; d++) {
        const int64_t extent = g->block[d] * g->fold[d], whole = wl_divide(g->cells[d], extent);
        const int64_t start = wl_min(wl_divide(g->first[d] + extent - 1, extent), wl_max(0, whole - 1));
        block[d] = start + wl_spread_below((uint64_t)i, d, wl_max(1, whole - start));
        weight *= fmax(1, (double)(g->cells[d] - g->first[d]) / (double)extent);
    }
    *warp = wl_divide((2 * i + 1) * per_block, 2 * n);
    return weight;
}

static wl_status sum_sampled_warps(const summer *s, int warp_size)
{
    const wl_geometry *g = s->in->geometry;
    const int64_t per_block = wl_ceil_div(g->threads, warp_size), warps = g->blocks * per_block;
    wl_region any = any_block(s);
    warp_counter c;
    make_warp_counter(s, &c);
    any.thread_count = warp_size;
    const bool spread = c.shape && !s->in->want_covered && warps > SAMPLED_WARPS;
    const int64_t most = wl_threads_are_ordered(g) ? ORDERED_WARPS : SAMPLED_WARPS;
    const int64_t n = spread ? SPREAD_WARPS : sample_size(s, &any, wl_min(most, warps));
    s->sum->sampled = n < warps ? n : 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = wl_sample_block(i, n, warps);
        double weight = (double)warps / (double)n;
        int64_t block[3], warp = number % per_block;
        if (spread)
            weight = spread_warp(g, per_block, i, n, block, &warp);
        else
            wl_block_at(g, number / per_block, block);
        WL_TRY(add_warp(s, &c, weight, block, warp * warp_size, warp_size));
    }
    return WL_OK;
}

wl_status wl_warp_sum_make(const wl_block_sum_input *input, int warp_size, wl_block_sum *out, wl_error *err)
{
    const wl_field_side *f = &input->view->fields[input->field][input->side];
    wl_geometry warps;
    *out = (wl_block_sum){0};
    if (f->count == 0)
        return WL_OK;
    if (f->has_shape && !looks_at_blocks(&f->shape) && launch_of_warps(input->geometry, warp_size, &warps)) {
        wl_block_sum_input in = *input;
        in.geometry = &warps;
        return wl_block_sum_make(&in, out, err);
    }
    const summer s = summer_of_blocks(input, out, err);
    const wl_count_method method = input->counter->method;
    const bool of_blocks = f->uneven || f->shape.guarded || (input->view->kernel->source.population && is_traced(&s));
    const wl_status status = of_blocks ? sum_warps_of_blocks(&s, warp_size) : sum_sampled_warps(&s, warp_size);
    input->counter->method = method; /* restored: this sample is not how the volumes were counted */
    return status;
}

/* ---- blocks and their warps at once ---- */

/* The granules of a block are those of its warps. */
static wl_status add_block_of_warps(const summer *s, double weight, const wl_granules *all)
{
    const wl_block_sum_input *in = s->in;
    for (int i = 0; i < in->granule_count; i++) {
        const int64_t base = in->want_covered ? 1 : in->granules[0];
        s->sum->granules[i] += weight * (double)wl_granules_of(all, base, in->granules[i]);
    }
    if (in->want_covered)
        s->sum->covered += weight * (double)wl_granules_full(all, in->granules[0]);
    return WL_OK;
}

static wl_status sum_both(const summer *blocks, const summer *warps, int warp_size, wl_granules *all)
{
    const wl_geometry *g = blocks->in->geometry;
    wl_arena arena = {0};
    wl_block_kinds kinds;
    wl_status status = choose_uneven(blocks, &arena, &kinds);
    warps->sum->sampled = blocks->sum->sampled;
    for (size_t i = 0; status == WL_OK && i < kinds.count; i++) {
        const double weight = kinds.list[i].blocks;
        wl_region region = tile_at(blocks, kinds.list[i].block);
        region.thread_count = warp_size;
        region.recorded = true;
        wl_granules_clear(all);
        for (; region.first_thread < g->threads && status == WL_OK; region.first_thread += warp_size) {
            status = add_threads(warps, weight, &region);
            if (status == WL_OK && !wl_granules_add_moved(all, &blocks->in->counter->granules, 0))
                status = wl_granules_fail(all, blocks->err);
        }
        if (status == WL_OK)
            status = add_block_of_warps(blocks, weight, all);
    }
    wl_arena_free(&arena);
    return status;
}

wl_status wl_block_and_warp_sums(const wl_block_sum_input *blocks, const wl_block_sum_input *warps, int warp_size,
                                 wl_block_sum *block, wl_block_sum *warp, wl_error *err)
{
    const wl_field_side *f = &blocks->view->fields[blocks->field][blocks->side];
    const summer of_blocks = summer_of_blocks(blocks, block, err), of_warps = summer_of_blocks(warps, warp, err);
    const wl_region any = any_block(&of_blocks);
    if (f->count == 0 || f->has_shape || !f->uneven || is_traced(&of_blocks) ||
        !wl_view_can_enumerate(blocks->view, blocks->field, blocks->side, &any)) {
        WL_TRY(wl_block_sum_make(blocks, block, err));
        return wl_warp_sum_make(warps, warp_size, warp, err);
    }
    wl_granules all = {0};
    const wl_status status = sum_both(&of_blocks, &of_warps, warp_size, &all);
    wl_granules_free(&all);
    return status;
}
