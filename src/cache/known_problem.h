/* known_problem.h - kernels that are a stencil or a matrix product, for which closed forms are
 * known.
 *
 * Layer  cache (uses base, kernel). Units: cells, elements; bytes where it is said.
 * Oracle  tests/unit/test_known_problem.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_KNOWN_PROBLEM_H
#define WL_CACHE_KNOWN_PROBLEM_H

#include "cache/closed_forms.h"
#include "cache/paper_forms.h"
#include "kernel/kernel_internal.h"

typedef enum wl_known_kind { WL_KNOWN_NONE, WL_KNOWN_STENCIL, WL_KNOWN_PRODUCT } wl_known_kind;

/* A domain of width x height tasks. A stencil reads one field, in a box of cells around (box: their
 * number in x and y); a product reads a row and a column, both of `depth`. */
typedef struct wl_known {
    wl_known_kind kind;
    int64_t width, height, box[2], depth;
    int64_t element_bytes;
} wl_known;

/* Kind NONE: another kernel, or a domain that does not have two dimensions. */
wl_known wl_known_of(const wl_kernel *kernel);

/* The same numbers for both, in lines of so many bytes: what a tile needs so that it fetches each
 * line once, what it fetches with so many lines of cache, and what no cache avoids. */
int64_t wl_known_needs(const wl_known *problem, int64_t line_bytes, wl_tile tile);
wl_fetches wl_known_fetches(const wl_known *problem, int64_t line_bytes, wl_tile tile, int64_t cache_lines);
int64_t wl_known_least(const wl_known *problem, int64_t line_bytes);
/* The width of columns that fits a cache of so many bytes, with so many active threads: sections
 * 4.3 and 4.4 of the paper. May be below 1, or above the row. */
double wl_known_width(const wl_known *problem, int64_t line_bytes, double cache_bytes, double threads);

#endif /* WL_CACHE_KNOWN_PROBLEM_H */
