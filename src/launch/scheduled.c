/* scheduled.c - see scheduled.h. SPDX-License-Identifier: MIT */
#include "launch/scheduled.h"

#include <string.h>

#include "base/fail.h"
#include "schedule/order_boxes.h"

/* ---- threads ---- */

static wl_status refuse(const wl_geometry *g, wl_error *err, const char *why)
{
    char text[WL_SCHEDULE_TEXT_MAX];
    wl_schedule_print(&g->schedule, text);
    return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "%s orders threads, %s", text, why);
}

#define WARP_WIDEST 64 /* lanes of a warp, on any device */

/* Thread t of the launch has to be defined, and to have one cell. */
static wl_status check_ordered(const wl_kernel *k, const wl_launch *launch, const wl_geometry *g, wl_error *err)
{
    if (k->dims == 0)
        return refuse(g, err, "and needs their domain; this kernel has none");
    if (k->threads[0])
        return refuse(g, err, "but this kernel's threads are not the cells of its domain");
    if (g->block[1] > 1 || g->block[2] > 1)
        return refuse(g, err, "so a block is a row of them: give --block 256, say, or swizzle:G, which orders blocks");
    if (launch->grid[1] > 1 || launch->grid[2] > 1)
        return refuse(g, err, "so the grid is a row of blocks: leave --grid out, or give one extent");
    if (g->fold[0] * g->fold[1] * g->fold[2] > 1)
        return refuse(g, err, "and gives each one cell: they cannot be folded");
    return WL_OK;
}

/* The box of cells that each block has, if all have one: a part of a row of a tile, or rows of a
 * tile, as many in every tile. Backwards rows of a zigzag have the same cells per warp if they are
 * whole warps. */
static bool make_boxes(const wl_kernel *k, wl_geometry *g)
{
    const wl_order *o = &g->order;
    const int64_t n = g->threads, wide = wl_min(n, o->tile[0]), high = n / wide;
    const bool starts_later = k->first[0] > 0 || k->first[1] > 0 || k->first[2] > 0;
    const bool curve = g->schedule.kind == WL_SCHEDULE_HILBERT || g->schedule.kind == WL_SCHEDULE_MORTON;
    const bool backwards = g->schedule.kind == WL_SCHEDULE_ZIGZAG && o->tile[0] % WARP_WIDEST != 0;
    if (curve || backwards || starts_later || wl_kernel_names_launch(k) || o->width % o->tile[0] ||
        o->rows % o->tile[1] || o->tile[0] % wide || n % wide || o->tile[1] % high || o->extent[1] % high)
        return false;
    g->boxed = true;
    g->block[0] = wide;
    g->block[1] = high;
    return true;
}

wl_status wl_scheduled_launch(const wl_kernel *kernel, const wl_launch *launch, wl_geometry *g, wl_launch *out,
                              wl_error *err)
{
    g->schedule = launch->schedule;
    *out = *launch;
    if (!wl_threads_are_ordered(g))
        return WL_OK;
    WL_TRY(wl_order_make(&g->schedule, kernel->domain, &g->order, err));
    WL_TRY(check_ordered(kernel, launch, g, err));
    const bool whole = out->grid[0] == 0 || out->grid[0] == wl_ceil_div(g->order.cells, g->threads);
    if (whole && make_boxes(kernel, g)) {
        memset(out->grid, 0, sizeof out->grid);
        return WL_OK;
    }
    if (out->grid[0] == 0)
        out->grid[0] = wl_ceil_div(g->order.cells, g->threads);
    for (int d = 1; d < 3; d++)
        out->grid[d] = out->grid[d] ? out->grid[d] : 1;
    return WL_OK;
}

static wl_status finish_ordered(wl_geometry *g, wl_error *err)
{
    const bool starts_later = g->first[0] > 0 || g->first[1] > 0 || g->first[2] > 0;
    /* set_grid has checked the product */
    g->positions = wl_min(g->grid[0] * g->threads, g->order.cells);
    if (g->positions == g->order.cells)
        return WL_OK;
    if (starts_later)
        return refuse(g, err, "and this grid covers a part of a domain that does not start at cell 0");
    g->items = g->positions;
    return WL_OK;
}

wl_geometry wl_scheduled_busy(const wl_geometry *geometry)
{
    wl_geometry g = *geometry;
    g.blocks = g.grid[0] = wl_ceil_div(g.positions, g.threads);
    g.wave_blocks = wl_min(g.wave_blocks, g.blocks);
    return g;
}

wl_geometry wl_scheduled_cells(const wl_geometry *geometry)
{
    wl_geometry g = *geometry;
    for (int d = 0; d < 3; d++) {
        g.block[d] = g.fold[d] = 1;
        g.grid[d] = g.grid_dim[d] = g.order.extent[d];
        g.start[d] = 0;
    }
    g.threads = 1;
    g.blocks = g.order.cells;
    g.wave_blocks = wl_min(geometry->wave_blocks * geometry->threads, g.blocks);
    g.boxed = true;
    return g;
}

typedef struct visitor {
    const wl_geometry *geometry;
    wl_cells_visit visit;
    void *context;
} visitor;

/* Threads of cells before the start of the domain are idle. */
static bool visit_busy(void *context, const wl_cell_box *box)
{
    const visitor *v = context;
    wl_box3 cells;
    for (int d = 0; d < 3; d++) {
        cells.lo[d] = wl_max(box->lo[d], v->geometry->first[d]);
        cells.hi[d] = box->hi[d];
        if (cells.lo[d] >= cells.hi[d])
            return true;
    }
    return v->visit(v->context, &cells);
}

bool wl_scheduled_visit(const wl_geometry *g, int64_t first, int64_t last, wl_cells_visit visit, void *context)
{
    visitor v = {g, visit, context};
    const int64_t end = wl_min(last, g->positions); /* later threads are idle */
    return first >= end || wl_order_visit_boxes(&g->order, first, end, visit_busy, &v);
}

/* Extends a box by one that adjoins it with the same sides. */
static bool join(wl_box3 *box, const wl_box3 *by)
{
    int along = -1, differ = 0;
    for (int d = 0; d < 3; d++)
        if (box->lo[d] != by->lo[d] || box->hi[d] != by->hi[d]) {
            along = d;
            differ++;
        }
    if (differ != 1 || (box->hi[along] != by->lo[along] && by->hi[along] != box->lo[along]))
        return false;
    box->lo[along] = wl_min(box->lo[along], by->lo[along]);
    box->hi[along] = wl_max(box->hi[along], by->hi[along]);
    return true;
}

/* Along a curve, squares follow each other that make a larger one. */
static bool add_joined(void *context, const wl_box3 *cells)
{
    wl_block_set *set = context;
    wl_box3 box = *cells;
    while (set->count > 0 && join(&box, &set->boxes[set->count - 1]))
        set->count--;
    if (set->count == WL_BLOCK_BOXES_MAX)
        return false;
    set->boxes[set->count++] = box;
    return true;
}

bool wl_scheduled_boxes(const wl_geometry *g, int64_t first, int64_t last, wl_block_set *out)
{
    out->count = 0;
    return wl_scheduled_visit(g, first, last, add_joined, out);
}

/* ---- blocks ---- */

static wl_status finish_swizzled(wl_geometry *g, wl_error *err)
{
    WL_TRY(wl_order_make(&g->schedule, g->grid, &g->order, err));
    const int64_t idle_rows = g->first[1] / (g->block[1] * g->fold[1]);
    if (idle_rows % g->schedule.width != 0) /* the groups of the other blocks would not be whole */
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "the first %lld rows of blocks are idle; a swizzle is supported where they are whole groups",
                       (long long)idle_rows);
    return WL_OK;
}

/* The order of boxes follows from that of their cells. */
static void finish_boxed(wl_geometry *g)
{
    wl_order *o = &g->order;
    o->kind = WL_SCHEDULE_TILE;
    o->tile[0] /= g->block[0];
    o->tile[1] /= g->block[1];
    o->width /= g->block[0];
    o->rows /= g->block[1];
    o->cells = o->plane = o->width * o->rows;
    for (int d = 0; d < 3; d++)
        o->extent[d] = g->grid[d];
}

wl_status wl_scheduled_finish(wl_geometry *g, wl_error *err)
{
    if (g->boxed) {
        finish_boxed(g);
        return WL_OK;
    }
    if (wl_threads_are_ordered(g))
        return finish_ordered(g, err);
    return g->schedule.kind == WL_SCHEDULE_SWIZZLE ? finish_swizzled(g, err) : WL_OK;
}
