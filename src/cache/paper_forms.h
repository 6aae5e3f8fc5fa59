/* paper_forms.h - the formulas of "Column based iteration", as they are printed, by equation.
 *
 * They are approximations: docs/schedule.md, "Closed forms", says of each where it is exact, where
 * it is a bound, and where it is neither. closed_forms.h has exact ones.
 *
 * Layer  cache (uses base). Units: elements and lines; bytes where it is said.
 * Oracle  tests/unit/test_paper_forms.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_PAPER_FORMS_H
#define WL_CACHE_PAPER_FORMS_H

#include <stdint.h>

#include "cache/closed_forms.h"

/* A stencil of width x height (S_w, S_h) over an input of as many cells (I_w, I_h), in lines of
 * `line` elements (L). */
typedef struct wl_paper_stencil {
    int64_t width, height, input_width, input_height, line;
} wl_paper_stencil;

/* (3.2) lines of cache with which linear order fetches each row once. */
int64_t wl_paper_naive_needs(const wl_paper_stencil *s);
/* Below (3.2): lines that linear order fetches, with a cache that is too small and one that is
 * not. */
int64_t wl_paper_naive_most(const wl_paper_stencil *s);
int64_t wl_paper_naive_fetches(const wl_paper_stencil *s);
/* Section 3.3.1: lines that a warp of so many threads uses, within one row, and across two. */
int64_t wl_paper_warp_lines(const wl_paper_stencil *s, int64_t threads, int64_t rows);
/* (3.3) lines of cache for tiles of tile x tile; (3.4) the largest tile for a cache, perhaps below
 * 1; (3.5) lines that tiles fetch, at most. */
int64_t wl_paper_tile_needs(const wl_paper_stencil *s, int64_t tile);
double wl_paper_tile_size(const wl_paper_stencil *s, int64_t cache_lines);
int64_t wl_paper_tile_fetches(const wl_paper_stencil *s, int64_t tile);

/* Section 4.3: bytes of cache for columns of this width, `unit` bytes per element and so many
 * active threads; its asymptote; the width that solves the latter, perhaps below 1. (4.8): lines
 * that columns fetch, at most. */
double wl_paper_column_bytes(const wl_paper_stencil *s, double unit, double width, double threads);
double wl_paper_column_asymptote(const wl_paper_stencil *s, double unit, double width, double threads);
double wl_paper_column_width(const wl_paper_stencil *s, double unit, double bytes, double threads);
int64_t wl_paper_column_fetches(const wl_paper_stencil *s, int64_t width);

/* C = A B, where C has width x height elements and A has rows of `depth` (D). More lines than
 * (3.6): the lines of B are reused by the next task, and (3.7) are fetched. Otherwise (3.8). More
 * than (3.9): they are reused by the next row, and (3.10) are fetched. */
int64_t wl_paper_product_needs(const wl_product *p);         /* (3.6) */
int64_t wl_paper_product_row_fetches(const wl_product *p);   /* (3.7) */
int64_t wl_paper_product_most(const wl_product *p);          /* (3.8) */
int64_t wl_paper_product_all_needs(const wl_product *p);     /* (3.9) */
int64_t wl_paper_product_least_fetches(const wl_product *p); /* (3.10) */

/* Section 4.4: lines of cache for columns of this width; bytes by the asymptote; the width that
 * solves it. */
int64_t wl_paper_product_column_needs(const wl_product *p, int64_t width);
double wl_paper_product_column_bytes(const wl_product *p, double unit, double width);
double wl_paper_product_column_width(const wl_product *p, double unit, double bytes);

#endif /* WL_CACHE_PAPER_FORMS_H */
