/* block_sum.c - see block_sum.h. SPDX-License-Identifier: MIT */
#include "count/block_sum.h"

#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/residues.h"
#include "count/sampling.h"
#include "count/spread.h"

/* combined alignments of several strides; with more, blocks are sampled */
#define KINDS_MAX 256
#define SAMPLED_BLOCKS 64 /* sampled where blocks differ in more than alignment */
#define OPAQUE_BLOCKS 16  /* enumerated thread by thread */
/* addresses evaluated where blocks differ by a condition */
#define UNEVEN_BUDGET ((double)(1 << 19))
#define SAMPLED_WARPS 64                  /* sampled where warps are not boxes, or are enumerated */
#define ORDERED_WARPS 32                  /* sampled where a schedule orders threads */
#define TRACED_WARPS 256                  /* sampled for traced accesses, one per block */
#define SPREAD_WARPS 24                   /* evenly spread over whole blocks, so fewer are needed */
#define SAMPLE_BUDGET ((double)(1 << 25)) /* addresses evaluated for one sample */
#define SAMPLE_LEAST 2                    /* regions, whatever they cost */
/* from so many counts on, one sweep for all is cheaper, although it is not cached */
#define FEW_COUNTS 3

typedef struct summer {
    const wl_block_sum_input *in;
    wl_block_sum *sum;
    wl_error *err;
    /* index of the current granule: shapes are counted one granule size after the other */
    int at;
    int64_t period; /* granule size: blocks that differ by a multiple of it have equal alignment */
} summer;

/* Counts one block (or warp), moved by some bytes, that represents `weight` of them. */
static wl_status add_laid(const summer *s, double weight, wl_laid *laid, int64_t moved)
{
    const bool covered = s->in->want_covered && s->at == 0;
    wl_count c;
    WL_TRY(wl_laid_count(s->in->counter, laid, moved, s->period, covered, &c, s->err));
    s->sum->granules[s->at] += weight * (double)c.touched;
    if (covered)
        s->sum->covered += weight * (double)wl_max(0, c.covered);
    return WL_OK;
}

/* Counts blocks at many distances in one sweep if that is cheaper than one by one, because most of
 * these counts are not cached. */
static wl_status add_together(const summer *s, wl_laid *laid, const wl_residues *moves, bool *added)
{
    const bool covered = s->in->want_covered && s->at == 0;
    int missing = 0;
    wl_count c;
    *added = false;
    for (int i = 0; i < moves->count && missing < FEW_COUNTS; i++)
        missing += moves->weight[i] && !wl_laid_is_kept(s->in->counter, laid, wl_residue(moves, i), s->period, covered);
    if (missing < FEW_COUNTS)
        return WL_OK;
    WL_TRY(wl_laid_sum(s->in->counter, laid, moves, s->period, covered, added, &c, s->err));
    if (!*added)
        return WL_OK;
    s->sum->granules[s->at] += (double)c.touched;
    if (covered)
        s->sum->covered += (double)wl_max(0, c.covered);
    return WL_OK;
}

/* The same for enumerated accesses, at all granules at once. */
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

static wl_region one_block(const summer *s, const int64_t block[3])
{
    const wl_view *v = s->in->view;
    wl_region r = {.geometry = s->in->geometry, .kernel = v->kernel, .steps = v->steps, .blocks = {.count = 1}};
    r.blocks.boxes[0] = wl_box_at(block);
    return r;
}

/* One set of strides: moving a block moves all its addresses alike, so its alignment is one number.
 * `laid` is the first block of the class. */
static wl_status sum_by_alignment(const summer *s, wl_laid *laid, const wl_block_class *c)
{
    int64_t strides[3];
    for (int d = 0; d < 3; d++)
        strides[d] = wl_block_stride(&laid->shape->linears[0], s->in->geometry, d);
    wl_residues here, next;
    if (!wl_residues_start(0, s->period, strides, 3, &here))
        return WL_E_UNSUPPORTED;
    wl_residues_spread(&here, strides[0], 0, c->count[0]);
    for (int d = 1; d < 3; d++) {
        wl_residues_move(&here, strides[d], 0, c->count[d], &next);
        wl_residues_copy(&next, &here);
    }
    bool added = false;
    WL_TRY(add_together(s, laid, &here, &added));
    for (int i = 0; i < here.count && !added; i++)
        if (here.weight[i])
            WL_TRY(add_laid(s, (double)here.weight[i], laid, wl_residue(&here, i)));
    return WL_OK;
}

/* Do all sets of strides move alike from block to block along d? Otherwise their overlap changes
 * from block to block. */
static bool moves_alike(const summer *s, const wl_shape *shape, int d)
{
    for (int l = 1; l < shape->linear_count; l++)
        if (wl_block_stride(&shape->linears[l], s->in->geometry, d) !=
            wl_block_stride(&shape->linears[0], s->in->geometry, d))
            return false;
    return true;
}

/* Several sets of strides: along a dimension where they move alike, only the block coordinate
 * modulo their period matters. */
static wl_status sum_by_position(const summer *s, const wl_shape *shape, const wl_block_class *c)
{
    int64_t period[3] = {1, 1, 1}, kinds = 1;
    for (int d = 0; d < 3; d++) {
        period[d] = c->count[d];
        if (moves_alike(s, shape, d))
            period[d] = wl_min(period[d],
                               s->period / wl_gcd(s->period, wl_block_stride(&shape->linears[0], s->in->geometry, d)));
        kinds *= wl_min(period[d], KINDS_MAX + 1);
    }
    const bool sample = kinds > KINDS_MAX;
    const int64_t blocks = c->count[0] * c->count[1] * c->count[2], n = sample ? SAMPLED_BLOCKS : kinds;
    s->sum->sampled = wl_smaller_sample(s->sum->sampled, sample ? n : 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = sample ? wl_sample_block(i, n, blocks) : i;
        const int64_t *extent = sample ? c->count : period;
        const int64_t at[3] = {number % extent[0], number / extent[0] % extent[1], number / extent[0] / extent[1]};
        double weight = (double)blocks / (double)n;
        if (!sample) {
            weight = 1;
            for (int d = 0; d < 3; d++)
                weight *= (double)((c->count[d] - at[d] - 1) / period[d] + 1);
        }
        const int64_t block[3] = {c->first[0] + at[0], c->first[1] + at[1], c->first[2] + at[2]};
        const wl_region region = one_block(s, block);
        wl_laid laid;
        wl_shape_lay(s->in->counter, shape, &region, &laid);
        WL_TRY(add_laid(s, weight, &laid, 0));
    }
    return WL_OK;
}

/* How many such regions to evaluate: `most`, or fewer where each is expensive. */
static int64_t sample_size(const summer *s, const wl_region *region, int64_t most)
{
    const double affordable = SAMPLE_BUDGET / wl_view_addresses(s->in->view, s->in->field, s->in->side, region);
    return affordable >= (double)most ? most : wl_min(most, wl_max(SAMPLE_LEAST, (int64_t)affordable));
}

/* Blocks that differ by position: a sample from each part of the launch, or all. */
static wl_status choose_uneven(const summer *s, wl_arena *arena, wl_sample *out)
{
    const wl_geometry *g = s->in->geometry;
    const wl_region any = one_block(s, (const int64_t[3]){0, 0, 0});
    const double each = wl_view_addresses(s->in->view, s->in->field, s->in->side, &any);
    const int64_t n = wl_min(g->blocks, wl_max(OPAQUE_BLOCKS, (int64_t)(UNEVEN_BUDGET / each)));
    s->sum->sampled = n < g->blocks ? n : 0;
    return n < g->blocks ? wl_sample_by_place(g->grid, n, arena, out, s->err)
                         : wl_sample_evenly(n, n, arena, out, s->err);
}

/* Such blocks, as a whole. */
static wl_status sum_uneven_blocks(const summer *s)
{
    const wl_geometry *g = s->in->geometry;
    wl_arena arena = {0};
    wl_sample sample;
    wl_status status = choose_uneven(s, &arena, &sample);
    for (int64_t i = 0; status == WL_OK && i < sample.count; i++) {
        int64_t block[3];
        wl_block_placed(g, sample.number[i], block);
        wl_region region = one_block(s, block);
        region.thread_count = g->threads;
        status = add_threads(s, wl_sample_weight(&sample, i), &region);
    }
    wl_arena_free(&arena);
    return status;
}

static bool has_traced(const summer *s)
{
    const wl_field_side *f = &s->in->view->fields[s->in->field][s->in->side];
    for (size_t i = 0; i < f->count; i++)
        if (f->accesses[i]->access->traced)
            return true;
    return false;
}

/* The blocks to enumerate; with traced accesses, those that represent the kinds of blocks. */
static wl_status opaque_sample(const summer *s, wl_arena *arena, wl_sample *out)
{
    const wl_geometry *g = s->in->geometry;
    const wl_population *p = s->in->view->kernel->source.population;
    const wl_region any = one_block(s, (const int64_t[3]){0, 0, 0});
    if (p && has_traced(s))
        return wl_sample_traced(p, g, sample_size(s, &any, p->run), arena, out, s->err);
    return wl_sample_evenly(sample_size(s, &any, wl_min(OPAQUE_BLOCKS, g->blocks)), g->blocks, arena, out, s->err);
}

static wl_status sum_opaque(const summer *s)
{
    wl_arena arena = {0};
    wl_sample sample;
    if (s->in->view->fields[s->in->field][s->in->side].uneven && !has_traced(s))
        return sum_uneven_blocks(s);
    wl_status status = opaque_sample(s, &arena, &sample);
    s->sum->sampled = status == WL_OK && !wl_sample_is_all(&sample) ? sample.count : 0;
    for (int64_t i = 0; status == WL_OK && i < sample.count; i++) {
        int64_t block[3];
        wl_sample_block_at(&sample, s->in->geometry, i, block);
        const wl_region region = one_block(s, block);
        status = add_threads(s, wl_sample_weight(&sample, i), &region);
    }
    wl_arena_free(&arena);
    return status;
}

static wl_status sum_class(summer *s, const wl_shape *shape, const wl_block_class *c)
{
    const wl_region first = one_block(s, c->first);
    bool alike = shape->linear_count == 1; /* except for alignment */
    wl_laid laid;
    if (alike)
        wl_shape_lay(s->in->counter, shape, &first, &laid);
    for (s->at = 0; s->at < s->in->granule_count; s->at++) {
        s->period = s->in->granules[s->at];
        wl_status status = alike ? sum_by_alignment(s, &laid, c) : WL_E_UNSUPPORTED;
        if (status == WL_E_UNSUPPORTED) { /* as at every larger granule */
            alike = false;
            status = sum_by_position(s, shape, c);
        }
        WL_TRY(status);
    }
    return WL_OK;
}

wl_status wl_block_sum_make(const wl_block_sum_input *input, wl_block_sum *out, wl_error *err)
{
    const wl_field_side *f = &input->view->fields[input->field][input->side];
    summer s = {.in = input, .sum = out, .err = err};
    *out = (wl_block_sum){0};
    if (f->count == 0)
        return WL_OK;
    if (!f->has_shape)
        return sum_opaque(&s);
    if (f->shape.guarded)
        return wl_tile_sum_make(input, (const int64_t[3]){1, 1, 1}, out, err);
    wl_block_class classes[WL_BLOCK_CLASSES_MAX];
    const int n = wl_block_classes(input->geometry, classes);
    for (int i = 0; i < n; i++)
        WL_TRY(sum_class(&s, &f->shape, &classes[i]));
    return WL_OK;
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
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) every granule is
         * counted above, or we have returned */
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
    out->boxes = out->thread_by_thread = one_block(s, (const int64_t[3]){0, 0, 0});
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

/* The warps of blocks that differ by position. */
static wl_status sum_uneven_warps(const summer *s, int warp_size)
{
    const wl_geometry *g = s->in->geometry;
    wl_arena arena = {0};
    wl_sample sample;
    warp_counter c;
    make_warp_counter(s, &c);
    wl_status status = choose_uneven(s, &arena, &sample);
    for (int64_t i = 0; status == WL_OK && i < sample.count; i++) {
        int64_t block[3];
        wl_block_placed(g, sample.number[i], block);
        for (int64_t first = 0; first < g->threads && status == WL_OK; first += warp_size)
            status = add_warp(s, &c, wl_sample_weight(&sample, i), block, first, warp_size);
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

/* Warps of the blocks that represent the kinds of a kernel with traced accesses. */
static wl_status sum_traced_warps(const summer *s, int warp_size)
{
    const wl_geometry *g = s->in->geometry;
    const wl_population *p = s->in->view->kernel->source.population;
    const int64_t per_block = wl_ceil_div(g->threads, warp_size);
    wl_arena arena = {0};
    wl_sample sample;
    wl_status status = wl_sample_traced(p, g, wl_min(p->run, TRACED_WARPS), &arena, &sample, s->err);
    s->sum->sampled = status == WL_OK ? wl_max(1, sample.count) : 0;
    for (int64_t i = 0; status == WL_OK && i < sample.count; i++) {
        int64_t block[3];
        wl_sample_block_at(&sample, g, i, block);
        wl_region region = one_block(s, block);
        region.first_thread = wl_spread_below((uint64_t)i, 0, per_block) * warp_size;
        region.thread_count = warp_size;
        status = add_threads(s, wl_sample_weight(&sample, i) * (double)per_block, &region);
    }
    wl_arena_free(&arena);
    return status;
}

static wl_status sum_sampled_warps(const summer *s, int warp_size)
{
    const wl_geometry *g = s->in->geometry;
    const int64_t per_block = wl_ceil_div(g->threads, warp_size), warps = g->blocks * per_block;
    wl_region any = one_block(s, (const int64_t[3]){0, 0, 0});
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
    const summer s = {.in = input, .sum = out, .err = err};
    const wl_count_method method = input->counter->method;
    const bool traced = input->view->kernel->source.population && has_traced(&s);
    const wl_status status = traced                          ? sum_traced_warps(&s, warp_size)
                             : f->uneven || f->shape.guarded ? sum_uneven_warps(&s, warp_size)
                                                             : sum_sampled_warps(&s, warp_size);
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
    wl_sample sample;
    wl_status status = choose_uneven(blocks, &arena, &sample);
    warps->sum->sampled = blocks->sum->sampled;
    for (int64_t i = 0; status == WL_OK && i < sample.count; i++) {
        const double weight = wl_sample_weight(&sample, i);
        int64_t block[3];
        wl_block_placed(g, sample.number[i], block);
        wl_region region = one_block(blocks, block);
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
    const summer of_blocks = {.in = blocks, .sum = block, .err = err},
                 of_warps = {.in = warps, .sum = warp, .err = err};
    const wl_region any = one_block(&of_blocks, (const int64_t[3]){0, 0, 0});
    if (f->count == 0 || f->has_shape || !f->uneven || has_traced(&of_blocks) ||
        !wl_view_can_enumerate(blocks->view, blocks->field, blocks->side, &any)) {
        WL_TRY(wl_block_sum_make(blocks, block, err));
        return wl_warp_sum_make(warps, warp_size, warp, err);
    }
    *block = *warp = (wl_block_sum){0};
    wl_granules all = {0};
    const wl_status status = sum_both(&of_blocks, &of_warps, warp_size, &all);
    wl_granules_free(&all);
    return status;
}
