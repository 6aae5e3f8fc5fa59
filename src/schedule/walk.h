/* walk.h - the cells of an order one after the other, without a division per cell: at least 100
 * million cells per second, so that an enumeration of addresses is limited by the addresses.
 *
 * Layer   schedule (uses base). Oracle: tests/property/prop_schedule.c (wl_order_cell)
 * SPDX-License-Identifier: MIT */
#ifndef WL_SCHEDULE_WALK_H
#define WL_SCHEDULE_WALK_H

#include "schedule/space_curve.h"
#include "schedule/order.h"

/* Neighbours in x that are visited one after the other: cell, and then x + step, x + 2 step, .. */
typedef struct wl_run {
    int64_t cell[3];
    int64_t count;
    int64_t step; /* 1 or -1 */
} wl_run;

typedef struct wl_walk {
    const wl_order *order;
    int64_t left; /* cells to come */
    /* tiles: the current one, and the position in it */
    int64_t plane, corner[2], size[2], at[2];
    int64_t y, z; /* of the current row */
    wl_curve_walk curve;
} wl_walk;

/* `count` cells from position `first` on; 0 <= first, first + count <= order->cells. */
void wl_walk_start(wl_walk *walk, const wl_order *order, int64_t first, int64_t count);
/* Passes `count` cells, if as many are left. */
void wl_walk_skip(wl_walk *walk, int64_t count);
/* The longest run from here on; false at the end. */
bool wl_walk_run(wl_walk *walk, wl_run *run);
/* Up to `count` cells; returns how many, fewer only at the end. */
int64_t wl_walk_fill(wl_walk *walk, int64_t count, int64_t *x, int64_t *y, int64_t *z);

/* Cells that follow each other: a run in x, or a square of a curve in one plane. Those of the same
 * kind and count are visited alike. */
typedef struct wl_figure {
    int64_t lo[3]; /* its lowest cell, which need not be the first */
    int64_t count;
    int kind;
} wl_figure;
/* The largest figure from here on, of at most `most` cells; at least one must be left. */
void wl_walk_figure(wl_walk *walk, int64_t most, wl_figure *figure);

#endif /* WL_SCHEDULE_WALK_H */
