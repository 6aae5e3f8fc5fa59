/* block_order.c - blocks that are launched tile by tile: their places, and runs of them as boxes.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "launch/scheduled.h"
#include "schedule/order_boxes.h"

void wl_ordered_block(const wl_geometry *g, int64_t n, int64_t block[3])
{
    wl_order_cell(&g->order, n, block);
    for (int d = 0; d < 3; d++)
        block[d] += g->start[d];
}

void wl_ordered_interval(const wl_geometry *g, int64_t first, int64_t last, wl_block_set *out)
{
    wl_cell_box boxes[WL_ORDER_BOXES_MAX];
    out->count = wl_order_boxes(&g->order, first, last, boxes);
    WL_ASSERT(out->count <= WL_BLOCK_BOXES_MAX);
    for (int i = 0; i < out->count; i++) {
        memcpy(out->boxes[i].lo, boxes[i].lo, sizeof boxes[i].lo);
        memcpy(out->boxes[i].hi, boxes[i].hi, sizeof boxes[i].hi);
    }
}

static int add_run(wl_block_run *runs, int n, int64_t blocks, int next, int64_t all)
{
    if (blocks >= all)
        return n;
    /* replaces a run of the same blocks, since this one has a better direction */
    n -= n > 0 && runs[n - 1].blocks == blocks;
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
