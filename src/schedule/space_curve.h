/* space_curve.h - Hilbert's and Morton's curve over any rectangle.
 *
 * The curve runs through the smallest square of 2^n x 2^n cells around the domain; cells outside
 * the domain are left out. How many cells of a quadrant lie inside is a product of two lengths, so
 * a descent of n steps finds the cell of a position and the position of a cell, without a table.
 *
 * Layer   schedule (uses base). Oracle: tests/property/prop_schedule.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_SCHEDULE_SPACE_CURVE_H
#define WL_SCHEDULE_SPACE_CURVE_H

#include "schedule/order.h"

#define WL_CURVE_LEVELS_MAX 60

/* Levels of the square around width x rows cells. */
int wl_curve_levels(int64_t width, int64_t rows);

void wl_curve_cell(const wl_order *order, int64_t position, int64_t *x, int64_t *row);
int64_t wl_curve_position(const wl_order *order, int64_t x, int64_t row);

/* The cells of the curve one after the other: the squares the next cell lies in, from the largest
 * on to that of 2 x 2 cells. */
typedef struct wl_curve_walk {
    int depth; /* of the last square of the path */
    struct {
        int64_t x, row;
        uint8_t turn; /* orientation of the curve in the square */
        uint8_t next; /* quadrant to visit next */
    } path[WL_CURVE_LEVELS_MAX];
} wl_curve_walk;

/* The domain has more than one cell. */
void wl_curve_start(const wl_order *order, int64_t position, wl_curve_walk *walk);
/* There must be `count` more cells. */
void wl_curve_fill(const wl_order *order, wl_curve_walk *walk, int64_t count, int64_t *x, int64_t *row);

/* The largest square of the curve that comes next, with at most `most` cells, all of them inside
 * the domain and in the same plane of `height` rows. At least one cell must be left. */
typedef struct wl_curve_square {
    int64_t x, row; /* its lowest cell */
    int level;      /* it is 2^level cells wide */
    unsigned turn;  /* squares of the same width and turn are visited alike */
} wl_curve_square;
wl_curve_square wl_curve_next(const wl_order *order, wl_curve_walk *walk, int64_t most, int64_t height);

/* The cells at positions first <= p < last as disjoint rectangles lo <= (x, row) < hi: the largest
 * squares of the curve that they fill, as far as these lie inside the domain. Stops, and returns
 * false, when `visit` returns false. */
typedef bool (*wl_rectangle_visit)(void *context, const int64_t lo[2], const int64_t hi[2]);
bool wl_curve_rectangles(const wl_order *order, int64_t first, int64_t last, wl_rectangle_visit visit, void *context);

#endif /* WL_SCHEDULE_SPACE_CURVE_H */
