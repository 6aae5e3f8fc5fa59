/* local.h - memory that belongs to threads (the stack): what its loads and stores cost.
 *
 * Word w of lane l lies at w * 128 + 4 l of its warp's region, so the words of a warp that are one apart share a line.
 * Places are given to resident threads, and later ones find them in the caches: nothing of it is compulsory. Stores are
 * written through to the L2, each instruction's sectors; loads find what their warp stored in the L1 as far as the
 * regions of the resident warps fit there, then in the L2.
 *
 * Layer  metrics (uses launch). Maths  docs/model.md, "Local memory". SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_LOCAL_H
#define WL_METRICS_LOCAL_H

#include "launch/geometry.h"
#include "metrics/volumes.h"
#include "metrics/warp_law.h"

/* Launch totals of loads [0] and stores [1]; all 0 where no thread has local memory. */
typedef struct wl_local {
    double inst[2], wavefronts[2];
    double sectors[2], units[2]; /* distinct in each instruction; units of the L2 */
    double full, lines;          /* of stores: sectors one instruction fills, and lines */
    double resident_bytes;       /* lines that all resident warps touch */
} wl_local;

wl_status wl_local_count(const wl_kernel *kernel, const wl_geometry *launched, const wl_l1_rules *rules, wl_local *out,
                         wl_error *err);

/* Adds to the volumes and requests of the fields. */
void wl_local_volumes(const wl_local *local, const wl_geometry *launched, const wl_device *device, wl_volumes *out);

#endif /* WL_METRICS_LOCAL_H */
