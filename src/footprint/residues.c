/* residues.c - see residues.h. SPDX-License-Identifier: MIT */
#include "footprint/residues.h"

#include "base/ckd.h"

bool wl_residues_start(int64_t base, int64_t granule, const int64_t *strides, int n, wl_residues *out)
{
    /* the largest power of two that divides all of them is their lowest set bit */
    uint64_t bits = (uint64_t)granule;
    for (int i = 0; i < n; i++)
        bits |= (uint64_t)strides[i];
    const int64_t step = (int64_t)(bits & -bits);
    const bool fits = granule >> wl_log2(step) <= WL_RESIDUES_MAX;
    out->granule = granule;
    out->first = base & (granule - 1);
    out->step = fits ? step : granule;
    out->count = (int)(granule >> wl_log2(out->step));
    memset(out->weight, 0, (size_t)out->count * sizeof *out->weight);
    out->weight[0] = 1;
    return fits;
}

/* Adds n weights to every `stride`-th of others. */
static void add_weights(const int64_t *restrict in, int n, int stride, int64_t *restrict out)
{
    if (stride == 1) /* usual, and done a few at a time */
        for (int i = 0; i < n; i++)
            out[i] += in[i];
    else
        for (int i = 0; i < n; i++)
            out[i * stride] += in[i];
}

/* Moves by `turn` classes lead from `first` through a cycle of classes. Each of them gets the
 * weights of the whole cycle `times` times, and once those of the last `rest` classes up to
 * itself. */
static void move_cycle(const wl_residues *in, unsigned first, unsigned turn, unsigned length, int64_t times,
                       unsigned rest, unsigned start, wl_residues *out)
{
    const unsigned mask = (unsigned)in->count - 1;
    int64_t all = 0, latest = 0;
    for (unsigned t = 0; t < length; t++)
        all += in->weight[(first + t * turn) & mask];
    if (all == 0 || rest == 0) { /* the same for every class */
        for (unsigned t = 0; t < length; t++)
            out->weight[(start + first + t * turn) & mask] = times * all;
        return;
    }
    for (unsigned t = 0; t < rest; t++)
        latest += in->weight[(first - t * turn) & mask];
    for (unsigned t = 0, at = first; t < length; t++) {
        out->weight[(start + at) & mask] = times * all + latest;
        at = (at + turn) & mask;
        latest += in->weight[at] - in->weight[(at - rest * turn) & mask];
    }
}

/* Steps of a stride through the classes: how far each goes, and how many there are until they come
 * back. */
typedef struct cycle {
    unsigned turn, cycles, length;
    unsigned start; /* the class of the first step */
} cycle;

static cycle cycle_of(const wl_residues *r, int64_t stride, int64_t from)
{
    cycle c; /* all of these are powers of two, except for the turn */
    c.turn = (unsigned)((stride & (r->granule - 1)) >> wl_log2(r->step));
    c.cycles = c.turn ? c.turn & -c.turn : (unsigned)r->count;
    c.length = (unsigned)r->count >> wl_log2(c.cycles);
    c.start = c.turn * (unsigned)(from & (r->count - 1)) & ((unsigned)r->count - 1);
    return c;
}

void wl_residues_spread(wl_residues *rows, int64_t stride, int64_t from, int64_t n)
{
    const cycle c = cycle_of(rows, stride, from);
    const unsigned mask = (unsigned)rows->count - 1, rest = (unsigned)n & (c.length - 1);
    const int64_t times = n >> wl_log2(c.length);
    if (rows->count == 1) {
        wl_residues moved;
        wl_residues_move(rows, stride, from, n, &moved);
        wl_residues_copy(&moved, rows);
        return;
    }
    rows->weight[0] = 0;
    for (unsigned t = 0; t < (times > 0 ? c.length : rest); t++)
        rows->weight[(c.start + t * c.turn) & mask] = times + (t < rest);
}

/* Moves all rows by so many classes. */
static void rotate(const wl_residues *in, unsigned classes, wl_residues *out)
{
    const size_t after = (size_t)in->count - classes;
    memcpy(out->weight + classes, in->weight, after * sizeof *in->weight);
    memcpy(out->weight, in->weight + after, classes * sizeof *in->weight);
}

void wl_residues_convolve(const wl_residues *in, int64_t stride, int64_t from, int64_t n, wl_residues *out)
{
    const cycle c = cycle_of(in, stride, from);
    out->granule = in->granule;
    out->first = in->first;
    out->step = in->step;
    out->count = in->count;
    if (n == 1) {
        rotate(in, c.start, out);
        return;
    }
    for (int i = 0; c.turn == 0 && i < in->count; i++) /* by whole granules */
        out->weight[i] = n * in->weight[i];
    for (unsigned first = 0; c.turn > 0 && first < c.cycles; first++)
        move_cycle(in, first, c.turn, c.length, n >> wl_log2(c.length), (unsigned)n & (c.length - 1), c.start, out);
}

void wl_residues_add(const wl_residues *in, int64_t distance, wl_residues *out)
{
    const int shift = wl_log2(out->step), stride = (int)(in->step >> shift), classes = out->count;
    const uint64_t moved = (uint64_t)in->first + (uint64_t)distance - (uint64_t)out->first;
    const int start = (int)((moved & ((uint64_t)out->granule - 1)) >> shift);
    /* one turn through the classes: from `start` to the last one, and on from the first */
    const int before = (int)wl_min(in->count, wl_ceil_div(classes - start, stride));
    WL_ASSERT(in->granule == out->granule && in->count * stride == classes);
    add_weights(in->weight, before, stride, out->weight + start);
    add_weights(in->weight + before, in->count - before, stride, out->weight + start + before * stride - classes);
}
