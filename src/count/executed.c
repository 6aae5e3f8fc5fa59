/* executed.c - see executed.h. SPDX-License-Identifier: MIT */
#include "count/executed.h"

#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"

/* Threads of a block with from <= index < to in every dimension. */
typedef struct thread_box {
    int64_t from[3], to[3];
} thread_box;

/* Warps of a block with a thread in a box, row by row: threads are numbered x fastest. Whole rows
 * of a plane follow each other, and so do whole planes. */
static int64_t warps_of(const wl_geometry *g, const thread_box *b, int warp_size)
{
    int64_t warps = 0, next = 0; /* the first warp not counted yet */
    int64_t length = b->to[0] - b->from[0], rows = b->to[1] - b->from[1], planes = b->to[2] - b->from[2];
    if (length == g->block[0]) {
        const bool whole = rows == g->block[1];
        length *= rows * (whole ? planes : 1);
        rows = wl_min(rows, 1);
        planes = whole ? wl_min(planes, 1) : planes;
    }
    for (int64_t z = b->from[2]; z < b->from[2] + planes; z++)
        for (int64_t y = b->from[1]; y < b->from[1] + rows && length > 0; y++) {
            const int64_t first = (z * g->block[1] + y) * g->block[0] + b->from[0];
            const int64_t from = wl_max(next, first / warp_size), to = (first + length - 1) / warp_size;
            warps += wl_max(0, to + 1 - from);
            next = wl_max(next, to + 1);
        }
    return warps;
}

/* Folded cells that belong to the same threads, along one dimension: an edge of the domain may cut
 * through a thread's cells. */
#define ALIKE_MAX 3
typedef struct alike {
    int64_t cells, from, to;
} alike;

static int find_alike(const wl_geometry *g, const wl_block_class *c, int d, alike out[ALIKE_MAX])
{
    const int64_t fold = g->fold[d], front = c->skip[d] % fold, back = c->cells[d] % fold;
    const int64_t ends[ALIKE_MAX] = {wl_min(front, back), wl_max(front, back), fold};
    int n = 0;
    int64_t cell = 0;
    for (int i = 0; i < ALIKE_MAX; cell = ends[i++]) {
        if (ends[i] > cell)
            out[n++] = (alike){ends[i] - cell, c->skip[d] / fold + (cell < front), c->cells[d] / fold + (cell < back)};
    }
    return n;
}

/* How often the warps of one block execute the work of a cell. */
static int64_t warp_cells_of(const wl_geometry *g, const wl_block_class *c, int warp_size)
{
    alike groups[3][ALIKE_MAX];
    int count[3];
    int64_t sum = 0;
    for (int d = 0; d < 3; d++)
        count[d] = find_alike(g, c, d, groups[d]);
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        const int which[3] = {i % count[0], i / count[0] % count[1], i / count[0] / count[1]};
        thread_box box;
        int64_t times = 1;
        for (int d = 0; d < 3; d++) {
            const alike *group = &groups[d][which[d]];
            box.from[d] = group->from;
            box.to[d] = group->to;
            times *= group->cells;
        }
        sum += times * warps_of(g, &box, warp_size);
    }
    return sum;
}

void wl_census_take(const wl_geometry *g, int warp_size, wl_census *out)
{
    wl_block_class classes[WL_BLOCK_CLASSES_MAX];
    const int count = wl_block_classes(g, classes);
    *out = (wl_census){.cells = (double)g->items};
    for (int i = 0; i < count; i++) {
        const wl_block_class *c = &classes[i];
        const double blocks = (double)c->count[0] * (double)c->count[1] * (double)c->count[2];
        thread_box used;
        double threads = 1;
        for (int d = 0; d < 3; d++) {
            used.from[d] = c->skip[d] / g->fold[d];
            used.to[d] = wl_ceil_div(c->cells[d], g->fold[d]);
            threads *= (double)(used.to[d] - used.from[d]);
        }
        out->warps += blocks * (double)warps_of(g, &used, warp_size);
        out->threads += blocks * threads;
        out->warp_cells += blocks * (double)warp_cells_of(g, c, warp_size);
    }
    out->idle_warps = (double)g->blocks * (double)wl_ceil_div(g->threads, warp_size) - out->warps;
    out->idle_threads = (double)g->blocks * (double)g->threads - out->threads;
}

/* Threads outside the domain that pass the first exit, because they are inside a larger box. */
static void count_stage(const wl_idle_stage *s, const wl_geometry *launched, int warp_size, const wl_census *domain,
                        wl_mix *out)
{
    wl_geometry box = *launched;
    wl_census inside;
    for (int d = 0; d < 3; d++) {
        const int64_t all = launched->grid[d] * launched->block[d] * launched->fold[d];
        box.cells[d] = s->end[d] ? wl_min(s->end[d], all) : all;
        box.first[d] = wl_min(s->first[d], box.cells[d] - 1);
    }
    wl_census_take(&box, warp_size, &inside);
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        out->warp[c] += s->mix[c] * fmax(0, inside.warps - domain->warps);
        out->thread[c] += s->mix[c] * fmax(0, inside.threads - domain->threads);
    }
}

static void count_classes(const wl_kernel *kernel, const wl_geometry *launched, int warp_size, const wl_census *census,
                          wl_mix *out)
{
    const double lanes =
        kernel->active_lanes > 0 ? kernel->active_lanes * warp_size * census->warp_cells : census->cells;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        out->warp[c] = kernel->mix[c] * census->warp_cells + kernel->idle_mix[c] * census->idle_warps;
        out->thread[c] = kernel->mix[c] * lanes + kernel->idle_mix[c] * census->idle_threads;
    }
    out->shuffles = kernel->shuffles * census->warp_cells;
    out->integer_pipe = kernel->integer_pipe * census->warp_cells;
    for (int c = 0; c < WL_CONVERT_COUNT; c++)
        out->converts[c] = kernel->converts[c] * census->warp_cells;
    for (int c = 0; c < WL_MULTIPLY_COUNT; c++)
        out->multiplies[c] = kernel->multiplies[c] * census->warp_cells;
    out->has_multiplies = kernel->has_multiplies;
    out->has_memory = kernel->has_memory;
    for (int op = 0; op < WL_MEMORY_COUNT; op++)
        out->memory[op] = kernel->memory[op] * census->warp_cells;
    out->idle_accesses = kernel->idle_accesses * census->warp_cells;
    for (int i = 0; i < kernel->idle_stage_count; i++)
        count_stage(&kernel->idle_stages[i], launched, warp_size, census, out);
    out->thread_on += wl_inst_total(out->thread);
}

/* Matrix instructions involve whole warps. */
static void count_tensors(const wl_kernel *kernel, double lanes, wl_mix *out)
{
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++) {
        out->tensor[k] = kernel->tensor[k] * lanes;
        out->tensor_groups[k] = kernel->tensor_groups[k] * lanes;
    }
}

/* A kernel file states flops and instructions, but not which instructions have which flops: known
 * only where all are products of 16-bit matrices by single warps. */
static void find_divisible(const wl_kernel *kernel, const wl_census *census, wl_mix *out)
{
    bool halves = true;
    out->divisible = kernel->divisible * census->warp_cells;
    out->divisible_flops = kernel->divisible_flops * census->warp_cells;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        halves = halves && kernel->tensor_groups[k] <= 0 && (k == WL_TENSOR_f16 || kernel->tensor[k] <= 0);
    if (out->divisible <= 0 && halves) {
        out->divisible = out->warp[WL_INST_tensor];
        out->divisible_flops = out->tensor[WL_TENSOR_f16];
    }
}

/* The instructions of the device; the mix has those of the architecture of the cost table. */
static void divide_tensors(double instruction_flops, wl_mix *mix)
{
    double *const warp = &mix->warp[WL_INST_tensor], *const thread = &mix->thread[WL_INST_tensor];
    if (!(instruction_flops > 0 && *warp > 0))
        return;
    const double more = fmax(0, mix->divisible_flops / instruction_flops - mix->divisible);
    mix->thread_on += *thread * more / *warp;
    *thread += *thread * more / *warp;
    *warp += more;
}

static void add_up(wl_executed *out)
{
    out->warp = out->thread = 0;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        out->warp += out->mix.warp[c];
        out->thread += out->mix.thread[c];
    }
}

wl_status wl_executed_count(const wl_kernel *kernel, const wl_geometry *launched, const wl_executor *by, bool emulate,
                            wl_executed *out, wl_error *err)
{
    const int warp_size = by->warp_size;
    const wl_source *source = &kernel->source;
    wl_census census;
    const bool countable = source->count_instructions != NULL;
    *out = (wl_executed){.known = countable || kernel->has_mix || kernel->instructions > 0,
                         .by_class = countable || kernel->has_mix};
    wl_census_take(launched, warp_size, &census);
    out->warps = census.warps;
    count_tensors(kernel, census.warp_cells * warp_size, &out->mix);
    if (!out->known)
        return WL_OK;
    if (countable && (emulate || !kernel->has_mix)) {
        int64_t block[3], grid[3];
        wl_geometry_launched(launched, block, grid);
        WL_TRY(source->count_instructions(source->context, block, grid, &out->mix, &out->lines, &out->line_count, err));
        divide_tensors(by->tensor_flops, &out->mix);
        add_up(out);
        return WL_OK;
    }
    if (kernel->has_mix) {
        count_classes(kernel, launched, warp_size, &census, &out->mix);
        find_divisible(kernel, &census, &out->mix);
        divide_tensors(by->tensor_flops, &out->mix);
        add_up(out);
        return WL_OK;
    }
    out->warp = kernel->instructions * census.warp_cells + kernel->idle_instructions * census.idle_warps;
    out->thread = kernel->instructions * census.cells + kernel->idle_instructions * census.idle_threads;
    return WL_OK;
}

void wl_executed_add_swaps(const wl_swaps *swaps, wl_executed *out)
{
    /* load, operation, swap, test, branch */
    static const wl_inst_class round[] = {WL_INST_shared, WL_INST_int, WL_INST_shared, WL_INST_int, WL_INST_control};
    const size_t length = sizeof round / sizeof round[0];
    const double rounds = swaps->rounds + swaps->lost;
    if (!out->known || rounds <= 0)
        return;
    out->warp += (double)length * rounds;
    out->thread += (double)length * swaps->lanes;
    for (size_t i = 0; i < length && out->by_class; i++) {
        out->mix.warp[round[i]] += rounds;
        out->mix.thread[round[i]] += swaps->lanes;
        out->mix.thread_on += swaps->lanes;
    }
}
