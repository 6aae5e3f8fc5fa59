/* show_counts.c - see show_counts.h. SPDX-License-Identifier: MIT */
#include "kernel/show_counts.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/apart_stores.h"
#include "kernel/item_mix.h"

#define BLOCK_WARPS_MAX 1024 /* of one thread each, at worst */

/* Blocks along one dimension that have the threads from <= index < to in the domain. */
typedef struct row_of_blocks {
    int64_t count, from, to;
} row_of_blocks;

/* The first block with a cell, the last one, and those between. */
static int find_rows(const wl_kernel *k, int d, row_of_blocks out[3])
{
    const int64_t size = k->source.block[d], all = size * k->source.grid[d];
    const int64_t end = d < k->dims ? wl_min(k->domain[d], all) : all, begin = wl_min(k->first[d], end);
    const int64_t first = begin / size, last = wl_max(begin, end - 1) / size;
    out[0] = (row_of_blocks){1, begin - first * size, wl_min(size, end - first * size)};
    out[1] = (row_of_blocks){1, 0, end - last * size};
    out[2] = (row_of_blocks){last - first - 1, 0, size};
    return end <= begin ? 0 : first == last ? 1 : 3;
}

/* Warps of one block with a thread in these rows. */
static double warps_of(const wl_kernel *k, const row_of_blocks *x, const row_of_blocks *y, const row_of_blocks *z)
{
    bool used[BLOCK_WARPS_MAX] = {false};
    double warps = 0;
    for (int64_t c = z->from; c < z->to; c++)
        for (int64_t b = y->from; b < y->to; b++)
            for (int64_t a = x->from; a < x->to; a++) {
                bool *warp = &used[((c * k->source.block[1] + b) * k->source.block[0] + a) / k->source.warp_size];
                warps += !*warp;
                *warp = true;
            }
    return warps;
}

/* Warps with a cell, and cells, of the launch that the kernel was made for. */
static void count_cells(const wl_kernel *k, double *warps, double *cells)
{
    row_of_blocks rows[3][3];
    int count[3];
    *warps = *cells = 0;
    for (int d = 0; d < 3; d++)
        count[d] = find_rows(k, d, rows[d]);
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        const row_of_blocks *x = &rows[0][i % count[0]], *y = &rows[1][i / count[0] % count[1]],
                            *z = &rows[2][i / count[0] / count[1]];
        const double blocks = (double)x->count * (double)y->count * (double)z->count;
        *warps += blocks * warps_of(k, x, y, z);
        *cells += blocks * (double)((x->to - x->from) * (y->to - y->from) * (z->to - z->from));
    }
}

static void add_shares(double *to, const double *from, int count, double of)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] / of;
}

/* What a work item executes on average. */
static void average(const wl_kernel *k, const wl_mix *mix, double warps, double cells, wl_item_mix *out)
{
    double fused = 0;
    for (int i = 0; i < WL_FLOAT_COUNT; i++)
        fused += mix->fma_of[i] / 2;
    *out = (wl_item_mix){.flops = mix->flops / cells,
                         .fp_results = (mix->flops - fused) / cells,
                         .shuffles = mix->shuffles / warps,
                         .integer_pipe = mix->integer_pipe / warps};
    add_shares(out->classes, mix->warp, WL_INST_CLASS_COUNT, warps);
    add_shares(out->converts, mix->converts, WL_CONVERT_COUNT, warps);
    add_shares(out->multiplies, mix->multiplies, WL_MULTIPLY_COUNT, warps);
    add_shares(out->tensor, mix->tensor, WL_TENSOR_KIND_COUNT, warps * k->source.warp_size);
    add_shares(out->tensor_groups, mix->tensor_groups, WL_TENSOR_KIND_COUNT, warps * k->source.warp_size);
}

/* Of the order of wl_memory_op. */
static const char *access_name(int op)
{
    static const char *const names[] = {"load", "store", "atomic", "shared_load", "shared_store", "shared_atomic"};
    return names[op];
}

/* Accesses that warps execute, per work item; local memory is not part of a kernel file. */
static void write_accesses(const double memory[WL_MEMORY_COUNT], double idle, double items, wl_buffer *out)
{
    double each[WL_MEMORY_LOCAL_LOAD];
    add_shares(each, memory, WL_MEMORY_LOCAL_LOAD, items);
    if (!wl_amounts_write("executed_accesses: {", access_name, each, WL_MEMORY_LOCAL_LOAD, out))
        return;
    if (idle > 0)
        wl_buffer_add(out, ", idle: %.15g", idle / items);
    wl_buffer_add(out, "}\n");
}

static wl_status write_averages(const wl_kernel *k, wl_buffer *out, wl_error *err)
{
    const wl_source *s = &k->source;
    const wl_line_mix *lines = NULL;
    size_t line_count = 0;
    wl_mix mix = {0};
    wl_item_mix item;
    double warps, cells, threads = 0, lanes = 0;
    count_cells(k, &warps, &cells);
    if (!(cells > 0))
        return WL_OK;
    WL_TRY(s->count_instructions(s->context, s->block, s->grid, &mix, &lines, &line_count, err));
    average(k, &mix, warps, cells, &item);
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        threads += mix.thread[c];
        lanes += mix.warp[c] * s->warp_size;
    }
    wl_item_flops_write(&item, out);
    wl_item_mix_write(&item, out);
    if (threads > 0)
        wl_buffer_add(out, "active_lanes: %.15g\n", threads / lanes);
    /* passes of the L1 without the address of a lane */
    write_accesses(mix.memory, mix.idle_accesses + mix.operands, warps, out);
    return WL_OK;
}

/* Shares of stores that are too late to combine, by field. */
static wl_status write_apart(const wl_kernel *k, wl_buffer *out, wl_error *err)
{
    wl_arena arena = {0};
    double *share = WL_ARENA_NEW(&arena, double, k->field_count + 1);
    const wl_status status = share ? wl_stores_apart(k, &arena, share, err) : wl_fail_memory(err);
    bool any = false;
    for (size_t f = 0; f < k->field_count && status == WL_OK; f++) {
        if (!(share[f] > 0) || k->fields[f].shared)
            continue;
        wl_buffer_add(out, "%s%s: %.15g", any ? ", " : "stores_apart: {", k->fields[f].name, share[f]);
        any = true;
    }
    if (any)
        wl_buffer_add(out, "}\n");
    wl_arena_free(&arena);
    return status;
}

wl_status wl_kernel_show_counts(const wl_kernel *kernel, wl_buffer *out, bool *averaged, wl_error *err)
{
    *averaged = false;
    if (!kernel->source.count_instructions)
        return WL_OK;
    wl_buffer_add(out, "thread_indices: %d\n", kernel->coordinate_reads);
    WL_TRY(write_apart(kernel, out, err));
    *averaged = !kernel->has_mix;
    if (*averaged)
        return write_averages(kernel, out, err);
    if (kernel->has_memory)
        write_accesses(kernel->memory, kernel->idle_accesses, 1, out);
    return WL_OK;
}
