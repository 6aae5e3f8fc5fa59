/* residues.c - see residues.h. SPDX-License-Identifier: MIT */
#include "footprint/residues.h"

#include "base/ckd.h"

bool wl_residues_start(int64_t base, int64_t granule, const int64_t *strides, int n, wl_residues *out)
{
    uint64_t bits = (uint64_t)granule; /* the largest power of two that divides all of them is their lowest set bit */
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

void wl_residues_convolve(const wl_residues *in, int64_t stride, int64_t from, int64_t n, wl_residues *out)
{
    const int64_t moved = wl_floor_mod(stride, in->granule);
    out->granule = in->granule;
    out->first = in->first;
    out->step = in->step;
    out->count = in->count;
    const int count = in->count;
    const int turn = (int)(moved / in->step);
    const int start = (int)(turn * wl_floor_mod(from, count) % count);
    memset(out->weight, 0, (size_t)count * sizeof *out->weight);
    const int64_t period = turn ? count / wl_gcd(turn, count) : 1;
    const int64_t times = n / period, rest = n % period;
    int at = start;
    for (int64_t t = 0; t < period && (times > 0 || t < rest); t++) {
        const int64_t repeats = times + (t < rest);
        for (int i = 0; i < count - at; i++)
            out->weight[at + i] += repeats * in->weight[i];
        for (int i = count - at; i < count; i++)
            out->weight[at + i - count] += repeats * in->weight[i];
        at = (at + turn) % count;
    }
}

void wl_residues_add(const wl_residues *in, int64_t distance, wl_residues *out)
{
    const int shift = wl_log2(out->step);
    const uint64_t mask = (uint64_t)out->granule - 1;
    uint64_t at = (uint64_t)in->first + (uint64_t)distance - (uint64_t)out->first;
    for (int i = 0; i < in->count; i++, at += (uint64_t)in->step)
        out->weight[(at & mask) >> shift] += in->weight[i];
}
