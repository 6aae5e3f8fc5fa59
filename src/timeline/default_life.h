/* default_life.h - the life of a warp whose instructions are unknown: a documented default.
 *
 * Loads are grouped into phases whose waits overlap. A phase waits for its slowest load: for DRAM,
 * for the L2 or for the L1. Between phases each instruction waits for the one before; stores come
 * last.
 *
 * Layer  timeline (uses base). Units: cycles; of one warp.
 * Maths  docs/model.md, "Interval models". Oracle: tests/unit/test_default_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_TIMELINE_DEFAULT_LIFE_H
#define WL_TIMELINE_DEFAULT_LIFE_H

#include "timeline/life_interval.h"

/* What a warp does. */
typedef struct wl_warp_work {
    double instructions;
    double phases, loads_per_phase;
    double fresh;         /* phases that load data for the first time */
    double requested;     /* requests of its loads, */
    double reads, misses; /* of these, the ones that miss the L1, and the L2, too */
    double writes;        /* requests of its stores */
    double barriers;
} wl_warp_work;

/* How long it waits, from a load to the use of its result, by the level that holds the data. */
typedef struct wl_warp_waits {
    double issue; /* of one instruction */
    /* until an instruction that needs the result can issue: instruction_wait; 0: unknown */
    double next;
    double level[3]; /* L1, L2, DRAM; ascending */
    double barrier;
} wl_warp_waits;

/* between instructions, phases that wait for DRAM, L2 and L1, barriers, the end */
#define WL_DEFAULT_INTERVALS 6
typedef struct wl_default_life {
    wl_life_interval list[WL_DEFAULT_INTERVALS];
    size_t count;
    /* phases with a load; of these, those that wait for L2 or DRAM; those that wait for DRAM */
    double phases, missing, dram;
} wl_default_life;

void wl_default_life_make(const wl_warp_work *work, const wl_warp_waits *waits, wl_default_life *out);

#endif /* WL_TIMELINE_DEFAULT_LIFE_H */
