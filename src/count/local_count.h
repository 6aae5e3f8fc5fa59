/* local_count.h - loads and stores of local memory (the stack of each thread).
 *
 * Local memory is interleaved, a word of every lane of the warp in turn: on NVIDIA GPUs word w of
 * lane l is at w * 128 + 4 l in the region of its warp, so equal words of a warp's lanes share a
 * line. laws/local_volumes.h computes how much of it misses the L1.
 *
 * Layer  count (uses launch). Units: launch totals of instructions, sectors, bytes.
 * Maths  docs/model.md, "Local memory". Oracle: tests/unit/test_local.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_LOCAL_COUNT_H
#define WL_COUNT_LOCAL_COUNT_H

#include "count/warp_law.h"
#include "launch/geometry.h"

/* Launch totals of loads [0] and stores [1]; all 0 without local memory. */
typedef struct wl_local {
    double inst[2], wavefronts[2];
    /* distinct per instruction; units in which the L2 serves requests */
    double sectors[2], units[2];
    double full, lines;    /* of stores: sectors that one instruction fills, and lines */
    double resident_bytes; /* lines that all resident warps touch: the working set */
} wl_local;

wl_status wl_local_count(const wl_kernel *kernel, const wl_geometry *launched, const wl_l1_rules *rules, wl_local *out,
                         wl_error *err);

#endif /* WL_COUNT_LOCAL_COUNT_H */
