/* closed_forms.h - how many cache lines tasks fetch, without visiting each task: a stencil and a
 * matrix product, in linear, column and tiled order, through a fully associative LRU cache.
 *
 * A line that is used again is still there if fewer distinct lines than the cache has were used in
 * between (its reuse distance). Between two rows of tasks these are the lines of whole rows, so the
 * distance follows from where the line lies, and the sum has few different terms.
 *
 * The problems are those of tasks.h: a task uses each of its lines once, rows of arrays start at
 * line boundaries, stencils end at the edge of the domain.
 *
 * Layer  cache (uses base). Units: elements, lines. Maths: docs/schedule.md, "Closed forms".
 * Oracle  tests/property/prop_closed_forms.c, the simulator
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CLOSED_FORMS_H
#define WL_CACHE_CLOSED_FORMS_H

#include <stdbool.h>
#include <stdint.h>

/* Each of width x height tasks reads the box of reach[d] cells around its own in dimension d. */
typedef struct wl_stencil {
    int64_t width, height;
    int64_t reach[2]; /* to either side: 3 for a stencil of 7 */
    int64_t line;     /* elements of a line */
} wl_stencil;

/* Each of width x height tasks reads a row of A and a column of B, both of `depth` elements. */
typedef struct wl_product {
    int64_t width, height, depth;
    int64_t line;
} wl_product;

/* Tasks go tile by tile, and row by row within each. Linear order: one tile. Columns: tiles as high
 * as the domain. */
typedef struct wl_tile {
    int64_t width, height;
} wl_tile;

typedef struct wl_fetches {
    int64_t lines; /* fetched */
    bool exact;    /* false: an upper bound */
} wl_fetches;

/* Lines that any cache must fetch: every line once. */
int64_t wl_stencil_least(const wl_stencil *stencil);
int64_t wl_product_least(const wl_product *product);

wl_fetches wl_stencil_fetches(const wl_stencil *stencil, wl_tile tile, int64_t cache_lines);
wl_fetches wl_product_fetches(const wl_product *product, wl_tile tile, int64_t cache_lines);

/* The smallest cache with which a tile fetches each of its lines only once. */
int64_t wl_stencil_needs(const wl_stencil *stencil, wl_tile tile);
int64_t wl_product_needs(const wl_product *product, wl_tile tile);

#endif /* WL_CACHE_CLOSED_FORMS_H */
