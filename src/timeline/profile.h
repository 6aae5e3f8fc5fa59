/* profile.h - walks through the life of a warp with a scoreboard: intervals of issue and stall.
 *
 * An instruction issues one cycle after the one before it, or when the last register it reads is
 * ready. If it must wait, an interval ends. After a few trips, the trips of a loop are alike: the
 * first ones are simulated one by one, and the last two of these represent the others. In nested
 * loops, fewer trips are simulated if all would take too long, starting with the innermost loop.
 *
 * Layer  timeline (uses base). Units: cycles of one warp that is alone on its scheduler.
 * Maths  docs/model.md, "The life of a warp". Oracle: tests/unit/test_timeline.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_TIMELINE_PROFILE_H
#define WL_TIMELINE_PROFILE_H

#include "base/arena.h"
#include "timeline/life_interval.h"
#include "timeline/life.h"
#include "warpline/device.h"

/* The cache levels in which the accesses of a field find their data. */
typedef struct wl_field_waits {
    /* shares of warp instructions that wait for the L2, and of these, for DRAM */
    double l1_misses, l2_misses;
    /* Of the warp that leads all others through the same data: the loads of a trip of its loop, and
     * the sectors among them that come from the L2 and from DRAM, at equal distances. The first
     * load of such a sector waits for it, later ones hit the L1. 0 loads: no warp leads. */
    double trip, fresh[2];
    double reads, writes; /* requests of one warp instruction */
    double missed[2];     /* of the reads, shares that miss the L1, and both */
    double lines;         /* that a load of one warp instruction touches; of constants: addresses */
} wl_field_waits;

/* The number of warps per block for which barrier_latency and block_turnover are defined: calibrate
 * measures blocks of so many (calibrate/latency.cu, launch.cu). */
#define WL_USUAL_WARPS 8

/* Latencies, in cycles. */
typedef struct wl_waits {
    /* until a dependent instruction can issue; for loads see `level` */
    double result[WL_OP_KIND_COUNT];
    double remote[2];   /* a load from other blocks of the cluster; a barrier with them */
    double level[3];    /* of a load: L1, and what L2 and DRAM add */
    double bulk[2];     /* what a bulk copy takes longer than a load; its bytes per cycle */
    double swap;        /* an execution of a loop of compare-and-swap, with all its rounds */
    double constant[2]; /* of a load of constants: its first address, each further one */
    double line;        /* bytes */
    /* what the instruction caches hold, in instructions; cycles that one from the second, or from
     * the L2, waits */
    double code[4];
    /* cycles for which an instruction occupies its scheduler's pipe; of products: warp_rate */
    double pipe[WL_BUSY_COUNT];
    /* flops per cycle of a warp group that is alone */
    double product_rate[WL_TENSOR_KIND_COUNT];
    double warp_rate[WL_TENSOR_KIND_COUNT]; /* of products of one warp (mma), on its scheduler */
    /* what L2 and DRAM add for twice as many lines at once: a warp waits for the last */
    double spread[2];
    const wl_field_waits *fields;
    size_t field_count;
    double doublings; /* log2(warps of its block / warps for which the latencies were measured) */
    bool leads;       /* it is the first of all warps that walk through the same data */
    double others;    /* warps of its block on the same scheduler */
    double queued;    /* cycles of the L1 for a request of each of them, on all schedulers */
} wl_waits;
void wl_waits_read(const wl_device *device, wl_waits *out);

/* Scratch for the walks through the lives of one launch. */
typedef struct wl_walk_scratch {
    struct wl_ready *registers;
    int32_t *slots; /* by operation, and for the end, two each: which interval; 0: none yet */
    /* by operation, two each: shares of a load that wait for the L2, and for DRAM, as of its
     * issue */
    double *met;
    /* by field, two each: misses so far that loads outside loops should have had */
    double *due;
    double *loads; /* by field: so far, in the current trip */
    int32_t fields;
} wl_walk_scratch;
wl_status wl_walk_scratch_make(const wl_lives *lives, wl_arena *arena, wl_walk_scratch *out, wl_error *err);

/* The intervals of a life: for each operation those that wait for memory and those that wait for
 * something else, and one for its end. */
wl_status wl_life_walk(const wl_lives *lives, const wl_life *life, const wl_waits *waits, wl_walk_scratch *scratch,
                       wl_arena *arena, wl_life_profile *out, wl_error *err);

#endif /* WL_TIMELINE_PROFILE_H */
