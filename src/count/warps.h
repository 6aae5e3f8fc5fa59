/* warps.h - what all warps of a launch cost in the L1, access by access.
 *
 * Lanes of a warp lie at fixed distances from each other, whatever block the warp belongs to: a *pattern*. Sectors and
 * bank conflicts of a pattern depend only on its alignment, and how many warps have which alignment is a histogram in
 * closed form; so these totals are exact for the launch. The tag hash looks at whole line numbers, so its cost is the
 * mean over a sample of warps, spread evenly (all of them where they are few).
 *
 * Layer   count (uses footprint). Oracle: tests/property/prop_warps.c enumerates every warp.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARPS_H
#define WL_COUNT_WARPS_H

#include "footprint/shape.h"
#include "count/atomics.h"
#include "count/instructions.h"
#include "count/warp_law.h"

/* Launch totals of one access. */
typedef struct wl_access_cost {
    double inst, sectors;
    double hit;                /* data wavefronts, every line present (or by the paper's rule) */
    double tag, cold;          /* tag wavefronts; data wavefronts, every line absent; loads with a hash only */
    double split;              /* stores with a hash: instructions of which two lines share a tag bank */
    double lines, units, full; /* stores: lines and L2 units written, and sectors that one instruction fills */
} wl_access_cost;

typedef struct wl_warps_options {
    int64_t samples; /* per instruction; -1: all warps; 0: the default */
} wl_warps_options;

typedef struct wl_warps_result {
    bool tag_sampled;    /* tag costs come from a sample        */
    bool blocks_sampled; /* opaque accesses: only some blocks were evaluated */
    int64_t blocks_evaluated;
    wl_atomics atomics; /* on global memory, all accesses together */
    double last_block;  /* data wavefronts of the launch's last block; 0: not looked at, it is like the others */
} wl_warps_result;

/* Memory reused from launch to launch, with the patterns met so far: one scratch serves one set of rules. arena is the
 * caller's. */
typedef struct wl_warps_scratch {
    wl_arena *arena;
    struct wl_pattern_table *table;
    struct wl_warps_batch *batch;
} wl_warps_scratch;
void wl_warps_scratch_free(wl_warps_scratch *scratch);

/* costs has one entry per access of the kernel. */
wl_status wl_warps_measure(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                           const wl_instructions *instructions, const wl_l1_rules *rules,
                           const wl_warps_options *options, wl_warps_scratch *scratch, wl_access_cost *costs,
                           wl_warps_result *result, wl_error *err);

#endif /* WL_COUNT_WARPS_H */
