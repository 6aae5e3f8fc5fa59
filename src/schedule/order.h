/* order.h - a schedule over a domain of given extents: which cell is visited at which position.
 *
 * All but the curves are tiles. Tiles are walked row by row, and so are the cells of each; those at
 * the right and lower edges are smaller. A column is a tile as high as the domain, a row of linear
 * order is a tile as wide as the domain; swizzle:G is a tile of 1 x G blocks. Threads see a domain
 * of two axes: all but x fold into the vertical one. Swizzled blocks stay within their plane of the
 * grid.
 *
 * Layer   schedule (uses base). Units: cells (swizzle: blocks); a position counts cells from 0.
 * Maths   docs/schedule.md
 * Oracle  tests/property/prop_schedule.c (all small domains; the equations of the paper)
 * SPDX-License-Identifier: MIT */
#ifndef WL_SCHEDULE_ORDER_H
#define WL_SCHEDULE_ORDER_H

#include "base/ckd.h"
#include "warpline/schedule.h"

typedef struct wl_order {
    wl_schedule_kind kind;
    int64_t extent[3];
    int64_t cells;
    int64_t width, rows; /* of the two axes */
    /* cells of both; fewer than `cells` where planes of a grid are kept apart */
    int64_t plane;
    int64_t tile[2]; /* at most width x rows */
    int levels;      /* of the curve's square, which is 2^levels cells wide */
} wl_order;

/* Extents of 0 count as 1. WL_E_INPUT: a width, height or extent below 0, or no such schedule;
 * WL_E_RANGE: more than 2^60 cells. */
wl_status wl_order_make(const wl_schedule *schedule, const int64_t extent[3], wl_order *out, wl_error *err);

bool wl_order_is_linear(const wl_order *order);

/* 0 <= position < order->cells; the cell lies inside the domain. */
void wl_order_cell(const wl_order *order, int64_t position, int64_t cell[3]);
int64_t wl_order_position(const wl_order *order, const int64_t cell[3]);

#endif /* WL_SCHEDULE_ORDER_H */
