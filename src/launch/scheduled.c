/* scheduled.c - see scheduled.h. SPDX-License-Identifier: MIT */
#include "launch/scheduled.h"

#include "base/fail.h"

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

static void add_box(wl_block_set *set, int64_t x0, int64_t x1, int64_t y0, int64_t y1, int64_t z0, int64_t z1)
{
    if (x0 < x1 && y0 < y1 && z0 < z1)
        set->boxes[set->count++] = (wl_box3){{x0, y0, z0}, {x1, y1, z1}};
}

/* Adds blocks first <= n < last of the group that starts with row `top` and has `high` rows. */
static void add_columns(wl_block_set *set, int64_t z, int64_t top, int64_t high, int64_t first, int64_t last)
{
    const int64_t x0 = first / high, x1 = last / high, y0 = top + first % high, y1 = top + last % high;
    if (x0 == x1) {
        add_box(set, x0, x0 + 1, y0, y1, z, z + 1);
        return;
    }
    if (y0 > top)
        add_box(set, x0, x0 + 1, y0, top + high, z, z + 1);
    add_box(set, x0 + (y0 > top), x1, top, top + high, z, z + 1);
    add_box(set, x1, x1 + 1, top, y1, z, z + 1);
}

/* Adds blocks first <= n < last of plane z. */
static void add_groups(wl_block_set *set, const wl_order *o, int64_t z, int64_t first, int64_t last)
{
    const int64_t rows = o->tile[1], group = rows * o->width;
    int64_t from = first / group;
    if (first % group != 0) {
        const int64_t top = from * rows, high = wl_min(rows, o->rows - top), end = from * group + high * o->width;
        add_columns(set, z, top, high, first % group, wl_min(last, end) - from * group);
        if (last <= end)
            return;
        from++;
    }
    if (last == o->plane) {
        add_box(set, 0, o->width, from * rows, o->rows, z, z + 1);
        return;
    }
    const int64_t to = last / group, top = to * rows;
    add_box(set, 0, o->width, from * rows, top, z, z + 1);
    add_columns(set, z, top, wl_min(rows, o->rows - top), 0, last % group);
}

void wl_swizzled_interval(const wl_geometry *g, int64_t first, int64_t last, wl_block_set *out)
{
    const wl_order *o = &g->order;
    const int64_t z0 = first / o->plane, z1 = last / o->plane;
    if (z0 == z1) {
        add_groups(out, o, z0, first % o->plane, last % o->plane);
        return;
    }
    const bool cut = first % o->plane != 0;
    if (cut)
        add_groups(out, o, z0, first % o->plane, o->plane);
    add_box(out, 0, o->width, 0, o->rows, z0 + cut, z1);
    if (last % o->plane != 0)
        add_groups(out, o, z1, 0, last % o->plane);
}
