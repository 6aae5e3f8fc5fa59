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

wl_status wl_scheduled_launch(const wl_kernel *kernel, const wl_launch *launch, wl_geometry *g, wl_launch *out,
                              wl_error *err)
{
    g->schedule = launch->schedule;
    *out = *launch;
    if (!wl_threads_are_ordered(g))
        return WL_OK;
    WL_TRY(wl_order_make(&g->schedule, kernel->domain, &g->order, err));
    WL_TRY(check_ordered(kernel, launch, g, err));
    if (out->grid[0] == 0)
        out->grid[0] = wl_ceil_div(g->order.cells, g->threads);
    for (int d = 1; d < 3; d++)
        out->grid[d] = out->grid[d] ? out->grid[d] : 1;
    return WL_OK;
}

static wl_status finish_ordered(wl_geometry *g, wl_error *err)
{
    const bool starts_later = g->first[0] > 0 || g->first[1] > 0 || g->first[2] > 0;
    g->positions = wl_min(g->grid[0] * g->threads, g->order.cells); /* set_grid has checked the product */
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

wl_status wl_scheduled_finish(wl_geometry *g, wl_error *err)
{
    if (wl_threads_are_ordered(g))
        return finish_ordered(g, err);
    return g->schedule.kind == WL_SCHEDULE_SWIZZLE ? finish_swizzled(g, err) : WL_OK;
}

void wl_swizzled_block(const wl_geometry *g, int64_t n, int64_t block[3])
{
    wl_order_cell(&g->order, n, block);
    for (int d = 0; d < 3; d++)
        block[d] += g->start[d];
}

void wl_swizzled_interval(const wl_geometry *g, int64_t first, int64_t last, wl_block_set *out)
{
    wl_cell_box boxes[WL_ORDER_BOXES_MAX];
    out->count = wl_order_boxes(&g->order, first, last, boxes);
    WL_ASSERT(out->count <= WL_BLOCK_BOXES_MAX);
    for (int i = 0; i < out->count; i++) {
        memcpy(out->boxes[i].lo, boxes[i].lo, sizeof boxes[i].lo);
        memcpy(out->boxes[i].hi, boxes[i].hi, sizeof boxes[i].hi);
    }
}
