/* geometry.h - a launch with everything filled in, and sets of its blocks.
 *
 * Blocks that are consecutive in launch order (x fastest, then y, then z) form at most five boxes:
 * the end of a row, full rows, full planes, full rows, the start of a row. Blocks that are launched
 * tile by tile form at most seven: rows of a tile, full tiles, full bands of tiles, and back; each
 * is cut where it spans layers.
 *
 * A schedule of threads makes block and grid one-dimensional: thread t of the launch works on the
 * cell at position t of the order, and threads from `positions` on are idle. Where the cells of
 * each block are a box (tiles and columns that divide the domain and a block, or are multiples of
 * it), block and grid are those of the boxes, and only the order of blocks differs from a linear
 * launch.
 *
 * Layer  launch (uses base, device, schedule, kernel). Units: blocks, threads, cells.
 * Oracle  tests/unit/test_geometry.c, tests/unit/test_scheduled_launch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_GEOMETRY_H
#define WL_LAUNCH_GEOMETRY_H

#include "base/ckd.h"
#include "kernel/kernel_internal.h"
#include "schedule/order.h"
#include "warpline/launch.h"

/* Blocks of a grid in x, y and z: the limits of CUDA's launches, on every GPU. */
#define WL_GRID_MOST                                                                                                   \
    {                                                                                                                  \
        INT32_MAX, UINT16_MAX, UINT16_MAX                                                                              \
    }
#define WL_FOLD_MAX 64 /* cells one thread computes, all dimensions together */

typedef struct wl_geometry {
    int64_t block[3], fold[3], grid[3];
    int64_t start[3];    /* first block of the grid: 0, unless leading idle blocks are left out */
    int64_t grid_dim[3]; /* gridDim: the grid as launched */
    int64_t cells[3];    /* end of the domain that the grid covers; threads beyond it are idle */
    int64_t first[3];    /* start of the domain; threads before it are idle */
    int64_t threads;     /* per block */
    int64_t blocks;      /* of the grid */
    int64_t items;       /* cells inside the domain */
    wl_schedule schedule;
    /* unless it is linear: of the domain's cells, or of the blocks as launched */
    wl_order order;
    /* threads are ordered so that the cells of a block are a box: only blocks have an order */
    bool boxed;
    int64_t positions; /* of threads that are ordered: those that work on a cell of the domain */
    int64_t registers, shared_bytes;
    bool registers_assumed;
    wl_occupancy occupancy;
    int64_t wave_blocks; /* resident at once on the device (one wave), at most `blocks` */
} wl_geometry;

typedef struct wl_box3 {
    int64_t lo[3], hi[3]; /* half open */
} wl_box3;

/* Of one block, or cell. */
static inline wl_box3 wl_box_at(const int64_t at[3])
{
    return (wl_box3){{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
}

#define WL_BLOCK_BOXES_MAX 21
typedef struct wl_block_set {
    int count;
    wl_box3 boxes[WL_BLOCK_BOXES_MAX];
} wl_block_set;

/* Must the cell of every thread be computed separately? */
static inline bool wl_threads_are_ordered(const wl_geometry *g)
{
    return g->schedule.kind != WL_SCHEDULE_LINEAR && g->schedule.kind != WL_SCHEDULE_SWIZZLE && !g->boxed;
}

/* Do threads follow an order in which every cell of the domain has a thread? */
static inline bool wl_threads_visit_all(const wl_geometry *g)
{
    return wl_threads_are_ordered(g) && g->positions == g->order.cells;
}

/* Are the cells of a run of threads a few boxes? */
static inline bool wl_runs_are_boxes(const wl_geometry *g)
{
    return g->order.kind != WL_SCHEDULE_HILBERT && g->order.kind != WL_SCHEDULE_MORTON;
}

/* Are blocks launched in another order than row by row? */
static inline bool wl_blocks_are_ordered(const wl_geometry *g)
{
    return g->schedule.kind == WL_SCHEDULE_SWIZZLE || g->boxed;
}

/* Block and grid as they were launched: blocks that are boxes of cells are rows of threads
 * there. */
static inline void wl_geometry_launched(const wl_geometry *g, int64_t block[3], int64_t grid[3])
{
    for (int d = 0; d < 3; d++) {
        block[d] = !g->boxed ? g->block[d] : d == 0 ? g->threads : 1;
        grid[d] = !g->boxed ? g->grid_dim[d] : d == 0 ? g->blocks : 1;
    }
}

/* Blocks that follow each other and are whole rows, layers, tiles or bands of tiles. */
typedef struct wl_block_run {
    int64_t blocks;
    int next; /* dimension in which the next one lies */
} wl_block_run;
#define WL_BLOCK_RUNS_MAX 4
/* From the smallest to the largest; returns how many. The launch itself is none. */
int wl_block_runs(const wl_geometry *geometry, wl_block_run runs[WL_BLOCK_RUNS_MAX]);

/* Block number n of the grid, row by row, whatever the order in which blocks are launched. */
void wl_block_placed(const wl_geometry *geometry, int64_t n, int64_t block[3]);

/* WL_E_INPUT: block, grid or fold exceeds the device's limits, a block does not fit on a
 * multiprocessor, or the grid ends before the first cell of the domain. WL_E_UNSUPPORTED: the
 * schedule has no meaning for such blocks, grids, foldings or kernels. */
wl_status wl_geometry_make(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch, wl_geometry *out,
                           wl_error *err);

/* The same launch without the blocks that lie outside the domain. */
wl_geometry wl_geometry_busy(const wl_geometry *geometry);

/* The coordinates of block number n of the grid, in launch order. */
void wl_block_at(const wl_geometry *geometry, int64_t n, int64_t block[3]);

/* Blocks first <= n < last in launch order. */
void wl_block_interval(const wl_geometry *geometry, int64_t first, int64_t last, wl_block_set *out);

/* The cells of a box of blocks, clipped to the domain; may be empty at the edge of a given grid. */
static inline wl_box3 wl_block_cells(const wl_geometry *g, const wl_box3 *blocks)
{
    wl_box3 cells;
    for (int d = 0; d < 3; d++) {
        const int64_t per_block = g->block[d] * g->fold[d];
        cells.lo[d] = wl_min(wl_max(blocks->lo[d] * per_block, g->first[d]), g->cells[d]);
        cells.hi[d] = wl_max(wl_min(blocks->hi[d] * per_block, g->cells[d]), cells.lo[d]);
    }
    return cells;
}

/* Blocks that the domain's edges cut in the same way. Per dimension: inner blocks, the last one,
 * and the first one if the domain does not start with a block. */
typedef struct wl_block_class {
    int64_t first[3], count[3]; /* block coordinates */
    /* cells of each block inside the domain's end, from its first thread on */
    int64_t cells[3];
    int64_t skip[3]; /* leading cells of these that lie before the domain */
    bool whole;      /* no cell is cut off */
} wl_block_class;

#define WL_BLOCK_CLASSES_MAX 27
/* Returns how many there are. Blocks without a cell belong to no class. */
int wl_block_classes(const wl_geometry *geometry, wl_block_class classes[WL_BLOCK_CLASSES_MAX]);
/* The same for tiles of blocks, which count from the first block of the grid; `first` and `count`
 * are tiles. Not for threads that are ordered. */
int wl_tile_classes(const wl_geometry *geometry, const int64_t tile[3], wl_block_class classes[WL_BLOCK_CLASSES_MAX]);

/* Values of the names a condition may use. */
void wl_launch_values(const wl_kernel *kernel, int64_t warp_size, const wl_launch *launch,
                      int64_t values[WL_WHERE_NAMES]);

/* Ranges of all coordinates over the launch, for expressions. */
void wl_geometry_ranges(const wl_geometry *geometry, const wl_kernel *kernel, wl_ranges *out);

#endif /* WL_LAUNCH_GEOMETRY_H */
