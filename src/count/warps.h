/* warps.h - the L1 cost of all warps of a launch, access by access.
 *
 * The relative addresses of a warp's lanes are the same in every block: a *pattern*. Its sectors
 * and bank conflicts depend only on its alignment, and the histogram of alignments has a closed
 * form, so these totals are exact. The tag hash depends on whole line numbers, so tag conflicts are
 * the mean over an evenly spread sample of warps (all of them if they are few).
 *
 * Layer  count (uses footprint). Units: launch totals of sectors, wavefronts.
 * Oracle  tests/property/prop_warps.c enumerates every warp
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARPS_H
#define WL_COUNT_WARPS_H

#include "footprint/shape.h"
#include "count/atomics.h"
#include "count/instructions.h"
#include "count/swaps.h"
#include "count/warp_law.h"

/* Launch totals of one access. */
typedef struct wl_access_cost {
    double inst, sectors;
    double hit; /* data wavefronts if every line hits (or by the paper's rule) */
    /* tag wavefronts; data wavefronts if every line misses; loads with a tag hash only */
    double tag, cold;
    /* part of cold - hit that loads save because they repeat an address of an earlier loop step and
     * hit */
    double again;
    /* stores with a tag hash: instructions with a tag conflict; as tag and cold of loads */
    double split, stored_tag, stored_cold;
    double texture_sectors; /* that texture or surface requests need */
    /* stores: lines and L2 units written, and sectors that one instruction fills */
    double lines, units, full;
} wl_access_cost;

typedef struct wl_warps_options {
    int64_t samples; /* per instruction; -1: all warps; 0: the default */
} wl_warps_options;

/* Costs that are the mean of a sample. */
typedef struct wl_sampled_warps {
    double evaluated;    /* warp instructions at one address each */
    double instructions; /* executed by warps, that these represent; 0: nothing was sampled */
} wl_sampled_warps;

typedef struct wl_warps_result {
    wl_sampled_warps tags;       /* of tag conflicts */
    wl_sampled_warps wavefronts; /* of all wavefronts of traced accesses */
    bool blocks_sampled;         /* enumerated accesses: only a sample of blocks was evaluated */
    int64_t blocks_evaluated;
    int64_t warps_evaluated; /* warps sampled per block, where a schedule orders threads; 0: all */
    bool half_of_tags;       /* tag conflicts of each access come from half of the sampled warps */
    /* with sampled blocks: the largest relative standard error of instructions and sectors */
    double error;
    wl_atomics atomics; /* on global memory, all accesses together */
    wl_swaps swaps;     /* on shared memory, likewise */
    double constants;   /* bytes of constant memory that lanes read at addresses of their own */
    /* data wavefronts of the last block; 0: not evaluated, it is like the others */
    double last_block;
} wl_warps_result;

/* Memory reused across launches, with the patterns seen so far: one scratch per set of rules. The
 * arena is the caller's. */
typedef struct wl_warps_scratch {
    wl_arena *arena;
    struct wl_pattern_table *table;
    struct wl_warps_batch *batch;
} wl_warps_scratch;
void wl_warps_scratch_free(wl_warps_scratch *scratch);

/* `costs` has one entry per access of the kernel. */
wl_status wl_warps_measure(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                           const wl_instructions *instructions, const wl_l1_rules *rules,
                           const wl_warps_options *options, wl_warps_scratch *scratch, wl_access_cost *costs,
                           wl_warps_result *result, wl_error *err);

#endif /* WL_COUNT_WARPS_H */
