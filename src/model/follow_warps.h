/* follow_warps.h - how long the warps of a launch wait, from their instructions, the cache level
 * that serves their loads, and the latencies of the device.
 *
 * What does not depend on fitted numbers is computed once and kept while a fit tries numbers.
 *
 * Layer  model (uses timeline, count, laws, metrics). Units: cycles of one warp; requests are
 * sectors. Maths docs/model.md, "The life of a warp". Oracle: tests/unit/test_follow_warps.c,
 * test_fit_lives.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_FOLLOW_WARPS_H
#define WL_MODEL_FOLLOW_WARPS_H

#include "laws/volumes.h"
#include "metrics/counts.h"
#include "model/common_walk.h"
#include "timeline/profile.h"

/* The accesses of warps to a field; launch totals of loads and of stores. */
typedef struct wl_field_accesses {
    double inst[2], sectors[2];
    double tags;    /* tag wavefronts of loads; 0: not known */
    double in_walk; /* loads per step of the loop that advances their addresses; 0: no loop does */
    double in_trip; /* loads per iteration of the machine code, which may be unrolled */
    bool traced;    /* addresses depend on data */
    double passes;  /* through the cache of constants */
    wl_common_walk walk;
} wl_field_accesses;

/* Warps and their accesses, without any latency. */
typedef struct wl_followed {
    const wl_lives *lives; /* NULL: no warp is followed */
    const wl_field_accesses *fields;
    size_t field_count;
    double sector;             /* bytes */
    double in_line, tag_banks; /* sectors; lines that a tag wavefront can serve */
    double warps;              /* of the launch; 0: the lives are those of this launch */
    double block_warps;
    /* of an access, in the L1; in addition, times l1_store_split */
    double wavefronts, split;
    /* rounds of a loop of compare-and-swap: of an execution, and those lost to other warps */
    double swap_rounds, swap_lost;
    double constants; /* bytes of constants that lanes read at addresses of their own */
} wl_followed;

/* The warps of the launch, if the kernel has an instruction stream. Borrows from the kernel. */
wl_status wl_follow_find(const wl_costs *costs, const wl_geometry *launched, const wl_warps_result *warps,
                         wl_arena *arena, wl_followed *out, wl_error *err);

/* What their instructions wait for. `fields` has one entry per field; the waits borrow it. */
void wl_follow_waits(const wl_followed *followed, const wl_device *device, const wl_volumes *volumes,
                     wl_field_waits *fields, wl_waits *out);

/* Are both equal, so that warps wait equally long? */
bool wl_follow_same(const wl_waits *a, const wl_waits *b);

/* Sets the lives of the counts, at most WL_REPRESENTATIVES, and the wait of a block. */
wl_status wl_follow_warps(const wl_followed *followed, const wl_waits *waits, wl_arena *arena, wl_counts *out,
                          wl_error *err);

#endif /* WL_MODEL_FOLLOW_WARPS_H */
