/* geometry.c - see geometry.h. SPDX-License-Identifier: MIT */
#include "launch/geometry.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "launch/scheduled.h"

static wl_status check_block(const wl_device *d, wl_geometry *g, wl_error *err)
{
    int64_t most[3];
    wl_device_extents(d, WL_DEVICE_max_block, most);
    g->threads = 1;
    for (int i = 0; i < 3; i++) {
        if (g->block[i] < 1 || g->block[i] > most[i])
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a block's extent in %c is 1 to %lld on this device (not %lld)",
                           "xyz"[i], (long long)most[i], (long long)g -> block[i]);
        const int64_t most_threads = wl_most_threads(d);
        const bool fits = g->block[i] <= most_threads / g->threads;
        g->threads *= fits ? g->block[i] : 1;
        if (!fits)
            return wl_fail(
                err, WL_E_INPUT, WL_NOWHERE, "a block has at most %lld threads on this device (%lldx%lldx%lld is more)",
                (long long)most_threads, (long long)g->block[0], (long long)g->block[1], (long long)g->block[2]);
    }
    return WL_OK;
}

static wl_status check_fold(const wl_geometry *g, wl_error *err)
{
    int64_t cells = 1;
    for (int i = 0; i < 3; i++) {
        if (g->fold[i] < 1 || g->fold[i] > WL_FOLD_MAX || cells * g->fold[i] > WL_FOLD_MAX)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a thread folds 1 to %d cells (not %lldx%lldx%lld)",
                           WL_FOLD_MAX, (long long)g->fold[0], (long long)g->fold[1], (long long)g->fold[2]);
        cells *= g->fold[i];
    }
    return WL_OK;
}

static wl_status set_grid(const wl_kernel *k, const wl_launch *launch, wl_geometry *g, wl_error *err)
{
    static const int64_t most[3] = WL_GRID_MOST;
    g->blocks = g->items = 1;
    for (int i = 0; i < 3; i++) {
        const int64_t per_block = g->block[i] * g->fold[i];
        const int64_t needed = wl_ceil_div(wl_kernel_extent(k)[i], per_block);
        g->grid[i] = launch->grid[i] > 0 ? launch->grid[i] : needed;
        if (launch->grid[i] < 0 || (g->grid[i] == 0 && i == 0))
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%s",
                           launch->grid[i] < 0 ? "a grid's extents are positive"
                                               : "the kernel has no domain: give the grid");
        g->grid[i] = wl_max(g->grid[i], 1);
        if (g->grid[i] > most[i] && !g->boxed) /* boxes are of a launch that is a row of blocks */
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                           "a grid's extent in %c is at most %lld blocks on this device (not %lld)", "xyz"[i],
                           (long long)most[i], (long long)g -> grid[i]);
        g->grid_dim[i] = g->grid[i];
        const bool in_range = wl_mul(g->grid[i], per_block, &g->cells[i]);
        if (in_range && wl_threads_are_ordered(g))
            g->cells[i] = k->domain[i];
        else if (in_range && k->dims)
            g->cells[i] = wl_min(g->cells[i], k->domain[i]);
        g->first[i] = k->first[i];
        if (in_range && g->first[i] >= g->cells[i])
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                           "the grid ends at %c = %lld, before the first cell the kernel works on (%lld)", "xyz"[i],
                           (long long)(g->cells[i] - 1), (long long)g -> first[i]);
        if (!in_range || !wl_mul(g->blocks, g->grid[i], &g->blocks) ||
            !wl_mul(g->items, g->cells[i] - g->first[i], &g->items))
            return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "the grid has more than 2^60 cells");
    }
    if (g->boxed && g->blocks > most[0])
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                       "a grid's extent in x is at most %lld blocks on this device (not %lld)", (long long)most[0],
                       (long long)g->blocks);
    return WL_OK;
}

static wl_status set_occupancy(const wl_device *d, wl_geometry *g, wl_error *err)
{
    WL_TRY(wl_occupancy_compute(d, g->threads, g->registers, g->shared_bytes, &g->occupancy, err));
    if (g->occupancy.blocks_per_sm == 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                       "not even one block fits on a multiprocessor: %lld threads with %lld registers each and %lld "
                       "bytes of shared memory (limit: %s)",
                       (long long)g->threads, (long long)g->registers, (long long)g->shared_bytes,
                       wl_occupancy_limit_name(g->occupancy.limiter));
    g->wave_blocks = wl_min(g->blocks, g->occupancy.blocks_per_sm * wl_device_int(d, WL_DEVICE_sm_count));
    return WL_OK;
}

/* Names the part of the launch that an error is about. */
static wl_status blame(const char *part, wl_status status, wl_error *err)
{
    if (status != WL_OK)
        (void)wl_fail_in(err, part);
    return status;
}

wl_status wl_geometry_make(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch, wl_geometry *out,
                           wl_error *err)
{
    wl_geometry *g = out;
    *g = (wl_geometry){0};
    for (int i = 0; i < 3; i++) {
        g->block[i] = launch->block[i] ? launch->block[i] : 1;
        g->fold[i] = launch->fold[i] ? launch->fold[i] : 1;
    }
    WL_TRY(blame("--block", check_block(device, g, err), err));
    WL_TRY(blame("--fold", check_fold(g, err), err));
    const bool given = launch->grid[0] || launch->grid[1] || launch->grid[2];
    wl_launch flat;
    WL_TRY(blame("--schedule", wl_scheduled_launch(kernel, launch, g, &flat, err), err));
    WL_TRY(blame(given ? "--grid" : "--block", set_grid(kernel, &flat, g, err), err));
    WL_TRY(blame("--schedule", wl_scheduled_finish(g, err), err));
    g->registers = launch->registers ? launch->registers : kernel->registers;
    g->registers_assumed = g->registers == 0;
    if (g->registers_assumed)
        g->registers = WL_ASSUMED_REGISTERS;
    g->shared_bytes = launch->shared_bytes ? launch->shared_bytes : kernel->shared_bytes;
    return blame("--block", set_occupancy(device, g, err), err);
}

wl_geometry wl_geometry_busy(const wl_geometry *geometry)
{
    wl_geometry g = *geometry;
    if (wl_threads_are_ordered(geometry))
        return wl_scheduled_busy(geometry);
    g.blocks = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t per_block = g.block[d] * g.fold[d];
        g.start[d] = g.first[d] / per_block;
        g.grid[d] = wl_ceil_div(g.cells[d], per_block) - g.start[d];
        g.blocks *= g.grid[d];
    }
    g.wave_blocks = wl_min(g.wave_blocks, g.blocks);
    /* idle blocks in front are whole groups, so groups stay as they are */
    if (g.schedule.kind == WL_SCHEDULE_SWIZZLE)
        (void)wl_order_make(&g.schedule, g.grid, &g.order, NULL);
    return g;
}

void wl_block_placed(const wl_geometry *g, int64_t n, int64_t block[3])
{
    const int64_t row = wl_divide(n, g->grid[0]);
    block[0] = n - row * g->grid[0];
    block[2] = wl_divide(row, g->grid[1]);
    block[1] = row - block[2] * g->grid[1];
    for (int d = 0; d < 3; d++)
        block[d] += g->start[d];
}

void wl_block_at(const wl_geometry *g, int64_t n, int64_t block[3])
{
    if (wl_blocks_are_ordered(g))
        wl_ordered_block(g, n, block);
    else
        wl_block_placed(g, n, block);
}

static void add_box(wl_block_set *set, int64_t x0, int64_t x1, int64_t y0, int64_t y1, int64_t z0, int64_t z1)
{
    if (x0 < x1 && y0 < y1 && z0 < z1)
        set->boxes[set->count++] = (wl_box3){{x0, y0, z0}, {x1, y1, z1}};
}

/* Adds blocks first <= n < last of plane z. */
static void add_plane_part(wl_block_set *set, int64_t gx, int64_t z, int64_t first, int64_t last)
{
    const int64_t y0 = wl_divide(first, gx), y1 = wl_divide(last, gx), x0 = first - y0 * gx, x1 = last - y1 * gx;
    if (y0 == y1) {
        add_box(set, x0, x1, y0, y0 + 1, z, z + 1);
        return;
    }
    const int64_t full = y0 + (x0 != 0);
    if (x0 != 0)
        add_box(set, x0, gx, y0, y0 + 1, z, z + 1);
    add_box(set, 0, gx, full, y1, z, z + 1);
    add_box(set, 0, x1, y1, y1 + 1, z, z + 1);
}

/* Adds blocks first <= n < last of the grid, as if it started at 0. */
static void add_interval(wl_block_set *set, int64_t gx, int64_t gy, int64_t first, int64_t last)
{
    const int64_t plane = gx * gy, z0 = wl_divide(first, plane), z1 = wl_divide(last, plane);
    const int64_t from = first - z0 * plane, to = last - z1 * plane; /* of their planes */
    if (z0 == z1) {
        add_plane_part(set, gx, z0, from, to);
        return;
    }
    if (from != 0)
        add_plane_part(set, gx, z0, from, plane);
    add_box(set, 0, gx, 0, gy, z0 + (from != 0), z1);
    if (to != 0)
        add_plane_part(set, gx, z1, 0, to);
}

void wl_block_interval(const wl_geometry *g, int64_t first, int64_t last, wl_block_set *out)
{
    WL_ASSERT(first >= 0 && last <= g->blocks);
    out->count = 0;
    if (first < last && wl_blocks_are_ordered(g))
        wl_ordered_interval(g, first, last, out);
    else if (first < last)
        add_interval(out, g->grid[0], g->grid[1], first, last);
    for (int i = 0; i < out->count; i++)
        for (int d = 0; d < 3; d++) {
            out->boxes[i].lo[d] += g->start[d];
            out->boxes[i].hi[d] += g->start[d];
        }
}

int wl_block_runs(const wl_geometry *g, wl_block_run runs[WL_BLOCK_RUNS_MAX])
{
    if (wl_blocks_are_ordered(g))
        return wl_ordered_runs(g, runs);
    int n = 0;
    if (g->grid[1] > 1)
        runs[n++] = (wl_block_run){g->grid[0], 1};
    if (g->grid[2] > 1)
        runs[n++] = (wl_block_run){g->grid[0] * g->grid[1], 2};
    return n;
}

/* Blocks that the domain's edges cut in the same way, along one dimension. */
#define KINDS_MAX 3
typedef struct block_kind {
    int64_t first, count, cells, skip;
    bool whole;
} block_kind;

/* Finds inner blocks, the last one, the first one; returns how many of these kinds exist. */
static int find_kinds(int64_t per_block, int64_t first, int64_t cells, block_kind kinds[KINDS_MAX])
{
    const int64_t whole = cells / per_block, rest = cells % per_block;
    const int64_t start = first > 0 ? first / per_block : 0, skip = first - start * per_block;
    const int64_t inner = start + (skip > 0);
    const bool in_last = inner > whole; /* both edges cut the same block */
    int n = 0;
    if (inner < whole)
        kinds[n++] = (block_kind){inner, whole - inner, per_block, 0, true};
    if (rest > 0 && !in_last)
        kinds[n++] = (block_kind){whole, 1, rest, 0, false};
    if (skip > 0)
        kinds[n++] = (block_kind){start, 1, in_last ? rest : per_block, skip, false};
    return n;
}

/* All combinations of the kinds along each dimension. */
static int combine_kinds(block_kind kinds[3][KINDS_MAX], const int count[3], wl_block_class *classes)
{
    int n = 0;
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++)
            for (int x = 0; x < count[0]; x++) {
                const block_kind *kind[3] = {&kinds[0][x], &kinds[1][y], &kinds[2][z]};
                wl_block_class *c = &classes[n++];
                c->whole = kind[0]->whole && kind[1]->whole && kind[2]->whole;
                for (int d = 0; d < 3; d++) {
                    c->first[d] = kind[d]->first;
                    c->count[d] = kind[d]->count;
                    c->cells[d] = kind[d]->cells;
                    c->skip[d] = kind[d]->skip;
                }
            }
    return n;
}

int wl_block_classes(const wl_geometry *g, wl_block_class classes[WL_BLOCK_CLASSES_MAX])
{
    const bool row = wl_threads_are_ordered(g); /* of threads, whatever their cells */
    block_kind kinds[3][KINDS_MAX];
    int count[3];
    for (int d = 0; d < 3; d++)
        count[d] = find_kinds(g->block[d] * g->fold[d], row ? 0 : g->first[d],
                              !row     ? g->cells[d]
                              : d == 0 ? g->positions
                                       : 1,
                              kinds[d]);
    return combine_kinds(kinds, count, classes);
}

int wl_tile_classes(const wl_geometry *g, const int64_t tile[3], wl_block_class classes[WL_BLOCK_CLASSES_MAX])
{
    block_kind kinds[3][KINDS_MAX];
    int count[3];
    for (int d = 0; d < 3; d++) {
        const int64_t per_block = g->block[d] * g->fold[d], origin = g->start[d] * per_block;
        count[d] = find_kinds(tile[d] * per_block, g->first[d] - origin, g->cells[d] - origin, kinds[d]);
    }
    return combine_kinds(kinds, count, classes);
}

/* Saturates within the range of conditions: launches of a list are not validated yet. */
static int64_t bounded_product(int64_t a, int64_t b)
{
    int64_t product = WL_ADDRESS_LIMIT - 1;
    (void)wl_mul(a, b, &product);
    return product;
}

/* Cells along dimension d of the grid: threads that are ordered count all of them along x. */
static int64_t scheduled_extent(const wl_kernel *kernel, const wl_launch *launch, int d)
{
    const int64_t *domain = kernel->domain;
    if (launch->schedule.kind == WL_SCHEDULE_LINEAR || launch->schedule.kind == WL_SCHEDULE_SWIZZLE)
        return domain[d];
    return d == 0 ? bounded_product(bounded_product(domain[0], domain[1]), domain[2]) : 1;
}

void wl_launch_values(const wl_kernel *kernel, int64_t warp_size, const wl_launch *launch,
                      int64_t values[WL_WHERE_NAMES])
{
    values[WL_WHERE_THREADS] = values[WL_WHERE_CELLS] = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t block = bounded_product(wl_max(launch->block[d], 1), 1);
        const int64_t fold = bounded_product(wl_max(launch->fold[d], 1), 1), tile = bounded_product(block, fold);
        values[WL_WHERE_BLOCK + d] = block;
        values[WL_WHERE_FOLD + d] = fold;
        values[WL_WHERE_TILE + d] = tile;
        values[WL_WHERE_DOMAIN + d] = kernel->domain[d];
        values[WL_WHERE_GRID + d] = launch->grid[d] > 0 ? bounded_product(launch->grid[d], 1)
                                                        : wl_ceil_div(scheduled_extent(kernel, launch, d), tile);
        values[WL_WHERE_THREADS] = bounded_product(values[WL_WHERE_THREADS], block);
        values[WL_WHERE_CELLS] = bounded_product(values[WL_WHERE_CELLS], fold);
    }
    values[WL_WHERE_WARPS] = wl_ceil_div(values[WL_WHERE_THREADS], warp_size);
    const int64_t registers = launch->registers ? launch->registers : kernel->registers;
    values[WL_WHERE_REGISTERS] = bounded_product(wl_max(registers, 0), 1);
}

void wl_geometry_ranges(const wl_geometry *g, const wl_kernel *kernel, wl_ranges *out)
{
    *out = (wl_ranges){0};
    for (int d = 0; d < 3; d++) {
        out->lo[WL_VAR_X + d] = g->first[d];
        out->hi[WL_VAR_X + d] = g->cells[d] - 1;
        out->hi[WL_VAR_THREAD_X + d] = g->block[d] - 1;
        out->lo[WL_VAR_BLOCK_X + d] = g->start[d];
        out->hi[WL_VAR_BLOCK_X + d] = g->start[d] + g->grid[d] - 1;
        out->lo[WL_VAR_BLOCKDIM_X + d] = out->hi[WL_VAR_BLOCKDIM_X + d] = g->block[d];
        out->lo[WL_VAR_GRIDDIM_X + d] = out->hi[WL_VAR_GRIDDIM_X + d] = g->grid_dim[d];
    }
    for (int i = 0; i < kernel->loop_count; i++)
        out->hi[WL_VAR_LOOP_0 + i] = kernel->loop_extent[i] - 1;
}
