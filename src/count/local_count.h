/* local_count.h - memory that belongs to threads (the stack): what its loads and stores cost.
 *
 * The words of a warp's lanes lie side by side (local_word, local_lanes): on NVIDIA's GPUs word w of lane l at
 * w * 128 + 4 l of its warp's region, so the words of a warp that are one apart share a line.
 * laws/local_volumes.h says how much of it leaves the L1.
 *
 * Layer  count (uses launch). Maths  docs/model.md, "Local memory". SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_LOCAL_COUNT_H
#define WL_COUNT_LOCAL_COUNT_H

#include "count/warp_law.h"
#include "launch/geometry.h"

/* Launch totals of loads [0] and stores [1]; all 0 where no thread has local memory. */
typedef struct wl_local {
    double inst[2], wavefronts[2];
    double sectors[2], units[2]; /* distinct in each instruction; units of the L2 */
    double full, lines;          /* of stores: sectors one instruction fills, and lines */
    double resident_bytes;       /* lines that all resident warps touch */
} wl_local;

wl_status wl_local_count(const wl_kernel *kernel, const wl_geometry *launched, const wl_l1_rules *rules, wl_local *out,
                         wl_error *err);

#endif /* WL_COUNT_LOCAL_COUNT_H */
