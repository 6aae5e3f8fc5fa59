/* life_interval.h - the life of a warp as intervals: instructions that issue, then a stall.
 *
 * A warp issues in order. It stalls when an instruction needs a value that is not there yet. What
 * it issues up to that stall, and the stall, is an interval. Trips of a loop that are alike are one
 * interval with a number of times.
 *
 * Layer  timeline (uses base). Units: cycles and issue slots of one warp; requests of one warp.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TIMELINE_LIFE_INTERVAL_H
#define WL_TIMELINE_LIFE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* What a stall waits for. */
typedef enum wl_stall {
    WL_STALL_NONE,       /* the last interval of a warp: nothing follows */
    WL_STALL_DEPENDENCE, /* arithmetic */
    WL_STALL_SHARED,     /* shared memory, shuffles */
    WL_STALL_MEMORY,     /* a load from global or local memory, or an atomic that returns a value */
    WL_STALL_BARRIER,
    WL_STALL_COUNT
} wl_stall;

typedef struct wl_life_interval {
    double times;        /* how often the warp passes it */
    double instructions; /* issue slots */
    double stall;        /* cycles, if no other warp were there */
    wl_stall cause;
    /* of a memory stall: the cycles that wait for L1, L2 and DRAM; they add up to the stall */
    double level[3];
    /* requests of loads that miss the L1 and are in flight during its stall, or arrive before it
     * ends */
    double reads;
    double misses; /* of these, the ones that miss the L2, too */
    double writes; /* requests of its stores: they pass the L1 */
    int op;        /* the operation that stalls; -1: none */
    int from;      /* the one it waits for; only of one that stalls */
} wl_life_interval;

/* Warps that behave alike, by one of them. */
typedef struct wl_life_profile {
    double warps; /* of the launch, that it stands for */
    const wl_life_interval *list;
    size_t count;
    double atomics; /* share of its cycles from its first atomic in global memory to its last */
} wl_life_profile;

#endif /* WL_TIMELINE_LIFE_INTERVAL_H */
