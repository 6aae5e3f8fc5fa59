/* block_order.c - blocks that are launched tile by tile: their places, and runs of them as boxes.
 * SPDX-License-Identifier: MIT */
#include "launch/scheduled.h"

void wl_ordered_block(const wl_geometry *g, int64_t n, int64_t block[3])
{
    wl_order_cell(&g->order, n, block);
    for (int d = 0; d < 3; d++)
        block[d] += g->start[d];
}

/* ---- runs of blocks ---- */

/* What is being cut into boxes: blocks of plane z, whose rows may lie in several layers of the grid. */
typedef struct cutter {
    wl_block_set *set;
    const wl_order *order;
    int64_t z;
} cutter;

static void add_rows(const cutter *c, int64_t x0, int64_t x1, int64_t y0, int64_t y1, int64_t z0, int64_t z1)
{
    if (x0 < x1 && y0 < y1 && z0 < z1)
        c->set->boxes[c->set->count++] = (wl_box3){{x0, y0, z0}, {x1, y1, z1}};
}

/* Rows count through all layers where threads are ordered, and within a layer where blocks are. */
static void add_box(const cutter *c, int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    const int64_t high = c->order->extent[1], z0 = y0 / high, z1 = y1 / high;
    if (c->order->plane < c->order->cells || z0 == z1 || c->order->extent[2] <= 1) {
        add_rows(c, x0, x1, y0 - z0 * high, y1 - z0 * high, c->z + z0, c->z + z0 + 1);
        return;
    }
    const bool cut = y0 % high != 0;
    if (cut)
        add_rows(c, x0, x1, y0 % high, high, z0, z0 + 1);
    add_rows(c, x0, x1, 0, high, z0 + cut, z1);
    add_rows(c, x0, x1, 0, y1 % high, z1, z1 + 1);
}

/* Blocks first <= n < last of the tile of wide x high blocks at (x, y). */
static void add_tile_part(const cutter *c, int64_t x, int64_t y, int64_t wide, int64_t first, int64_t last)
{
    const int64_t y0 = first / wide, y1 = last / wide, x0 = first % wide, x1 = last % wide;
    if (y0 == y1) {
        add_box(c, x + x0, x + x1, y + y0, y + y0 + 1);
        return;
    }
    if (x0 != 0)
        add_box(c, x + x0, x + wide, y + y0, y + y0 + 1);
    add_box(c, x, x + wide, y + y0 + (x0 != 0), y + y1);
    add_box(c, x, x + x1, y + y1, y + y1 + 1);
}

/* Blocks first <= n < last of the band of tiles that starts with row y and has `high` rows. */
static void add_band_part(const cutter *c, int64_t y, int64_t high, int64_t first, int64_t last)
{
    const wl_order *o = c->order;
    const int64_t tile = o->tile[0] * high, t0 = first / tile, t1 = last / tile, x0 = t0 * o->tile[0],
                  x1 = t1 * o->tile[0];
    const int64_t wide0 = wl_min(o->tile[0], o->width - x0), wide1 = wl_min(o->tile[0], o->width - x1);
    if (t0 == t1) {
        add_tile_part(c, x0, y, wide0, first % tile, last % tile);
        return;
    }
    const bool cut = first % tile != 0;
    if (cut)
        add_tile_part(c, x0, y, wide0, first % tile, wide0 * high);
    add_box(c, cut ? x0 + wide0 : x0, x1, y, y + high);
    if (last % tile != 0)
        add_tile_part(c, x1, y, wide1, 0, last % tile);
}

/* Blocks first <= n < last of a plane. */
static void add_plane_part(const cutter *c, int64_t first, int64_t last)
{
    const wl_order *o = c->order;
    const int64_t band = o->tile[1] * o->width, b0 = first / band, b1 = last / band, y0 = b0 * o->tile[1],
                  y1 = b1 * o->tile[1];
    const int64_t high0 = wl_min(o->tile[1], o->rows - y0), high1 = wl_min(o->tile[1], o->rows - y1);
    if (b0 == b1) {
        add_band_part(c, y0, high0, first % band, last % band);
        return;
    }
    const bool cut = first % band != 0;
    if (cut)
        add_band_part(c, y0, high0, first % band, high0 * o->width);
    add_box(c, 0, o->width, cut ? y0 + high0 : y0, y1);
    if (last % band != 0)
        add_band_part(c, y1, high1, 0, last % band);
}

void wl_ordered_interval(const wl_geometry *g, int64_t first, int64_t last, wl_block_set *out)
{
    const wl_order *o = &g->order;
    const int64_t z0 = first / o->plane, z1 = last / o->plane;
    cutter c = {out, o, z0};
    if (z0 == z1) {
        add_plane_part(&c, first % o->plane, last % o->plane);
        return;
    }
    const bool cut = first % o->plane != 0;
    if (cut)
        add_plane_part(&c, first % o->plane, o->plane);
    if (o->plane == o->cells) { /* one plane, to its end: all layers */
        if (!cut)
            add_rows(&c, 0, o->width, 0, o->extent[1], 0, wl_max(1, o->extent[2]));
        return;
    }
    add_rows(&c, 0, o->width, 0, o->rows, z0 + cut, z1);
    c.z = z1;
    if (last % o->plane != 0)
        add_plane_part(&c, 0, last % o->plane);
}

/* ---- whole ones ---- */

static int add_run(wl_block_run *runs, int n, int64_t blocks, int next, int64_t all)
{
    if (blocks >= all)
        return n;
    n -= n > 0 && runs[n - 1].blocks == blocks; /* the same blocks, but more is known of what comes next */
    runs[n] = (wl_block_run){blocks, next};
    return n + 1;
}

int wl_ordered_runs(const wl_geometry *g, wl_block_run runs[WL_BLOCK_RUNS_MAX])
{
    const wl_order *o = &g->order;
    const int64_t wide = o->tile[0], high = o->tile[1], layer = o->extent[1];
    int n = 0;
    if (high > 1)
        n = add_run(runs, n, wide, 1, g->blocks);
    if (o->plane == o->cells && high > layer) /* a column through several layers */
        n = add_run(runs, n, wide * layer, 2, g->blocks);
    if (wide < o->width)
        n = add_run(runs, n, wide * high, 0, g->blocks);
    if (high < o->rows)
        n = add_run(runs, n, high * o->width, o->plane == o->cells && high % layer == 0 ? 2 : 1, g->blocks);
    return o->plane < o->cells && n < WL_BLOCK_RUNS_MAX ? add_run(runs, n, o->plane, 2, g->blocks) : n;
}
