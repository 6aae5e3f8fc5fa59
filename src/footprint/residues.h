/* residues.h - a histogram of row alignments.
 *
 * Row addresses modulo the granule are first + i * step, i < count, with weight[i] rows each. count
 * * step is the granule, a power of two. So moving all rows by a multiple of a stride rotates the
 * weights, and an arithmetic progression of moves is a cyclic convolution.
 *
 * Layer  footprint (uses base). Units: bytes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_RESIDUES_H
#define WL_FOOTPRINT_RESIDUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WL_RESIDUES_MAX 256

typedef struct wl_residues {
    int64_t granule, first, step;
    int count;
    int64_t weight[WL_RESIDUES_MAX];
} wl_residues;

/* One row at `base`. False when the strides give more than WL_RESIDUES_MAX classes: then there is a
 * single class, and rows must be moved one step at a time. */
bool wl_residues_start(int64_t base, int64_t granule, const int64_t *strides, int n, wl_residues *out);

/* The one row of a new histogram becomes rows at stride * c for c = from .. from + n - 1. */
void wl_residues_spread(wl_residues *rows, int64_t stride, int64_t from, int64_t n);

/* As wl_residues_move, for several classes. */
void wl_residues_convolve(const wl_residues *in, int64_t stride, int64_t from, int64_t n, wl_residues *out);

/* Each row of `in` moved by stride * c for c = from .. from + n - 1. */
static inline void wl_residues_move(const wl_residues *in, int64_t stride, int64_t from, int64_t n, wl_residues *out)
{
    if (in->count > 1) {
        wl_residues_convolve(in, stride, from, n, out);
        return;
    }
    /* all moves are by whole granules, or n is 1; unsigned arithmetic wraps at a multiple of the
     * granule */
    out->granule = in->granule;
    out->step = in->step;
    out->count = 1;
    out->first = (int64_t)(((uint64_t)in->first + (uint64_t)stride * (uint64_t)from) & (uint64_t)(in->granule - 1));
    out->weight[0] = in->weight[0] * n;
}

/* Weights beyond `count` are not touched. */
static inline void wl_residues_copy(const wl_residues *in, wl_residues *out)
{
    memcpy(out, in, offsetof(wl_residues, weight) + (size_t)in->count * sizeof *in->weight);
}

/* Adds the rows of `in`, moved by `distance`, to `out`, whose classes must be at least as fine. */
void wl_residues_add(const wl_residues *in, int64_t distance, wl_residues *out);

static inline int64_t wl_residue(const wl_residues *r, int i) { return (r->first + i * r->step) & (r->granule - 1); }

#endif /* WL_FOOTPRINT_RESIDUES_H */
