/* order_boxes.h - the cells at consecutive positions as a few boxes: what a wave of a scheduled
 * launch covers, for closed forms.
 *
 * In the tile where the positions begin they cover a part of a row and full rows; then come full
 * tiles, full bands of tiles, and then the same in reverse. On a curve they cover squares, at most
 * three of a size at either end, less what lies outside of the domain. Boxes of rows that fold
 * several planes into one axis are cut into parts of planes and full planes.
 *
 * Layer   schedule (uses base). Oracle: tests/property/prop_schedule.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_SCHEDULE_ORDER_BOXES_H
#define WL_SCHEDULE_ORDER_BOXES_H

#include "schedule/order.h"

typedef struct wl_cell_box {
    int64_t lo[3], hi[3]; /* half open */
} wl_cell_box;

/* 7 boxes over two axes, each cut into 3 where it folds planes; 7 for swizzled blocks */
#define WL_ORDER_BOXES_MAX 21

/* The cells at positions first <= p < last, as disjoint boxes; returns how many. -1: the order
 * follows a curve. */
int wl_order_boxes(const wl_order *order, int64_t first, int64_t last, wl_cell_box boxes[WL_ORDER_BOXES_MAX]);

/* The same for every order, box by box: up to a few hundred for a curve. Stops, and returns false,
 * when `visit` returns false. */
typedef bool (*wl_box_visit)(void *context, const wl_cell_box *box);
bool wl_order_visit_boxes(const wl_order *order, int64_t first, int64_t last, wl_box_visit visit, void *context);

#endif /* WL_SCHEDULE_ORDER_BOXES_H */
