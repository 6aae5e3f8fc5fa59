/* life_interval.h - the life of a warp as intervals: instructions that issue, then a stall.
 *
 * A warp issues in order. It stalls when an instruction needs a value that is not there yet. The
 * instructions up to that stall and the stall form an interval. Equal trips of a loop are one
 * interval, with the number of times.
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
    WL_STALL_FETCH, /* the next instruction; of no interval */
    WL_STALL_COUNT
} wl_stall;

typedef struct wl_life_interval {
    double times;        /* how often the warp executes it */
    double instructions; /* issue slots */
    double stall;        /* cycles, for a warp that is alone */
    wl_stall cause;
    /* of a memory stall: the cycles that wait for L1, L2 and DRAM; they add up to the stall */
    double level[3];
    /* requests of loads that miss the L1 and are in flight during the stall, or arrive before the
     * interval ends */
    double reads;
    double misses;  /* of these, the ones that miss the L2, too */
    double writes;  /* requests of its stores, which write through the L1 */
    int op;         /* the operation that stalls; -1: none */
    int from;       /* the one it waits for; only of one that stalls */
    double atomics; /* in global memory */
} wl_life_interval;

/* How a warp waits for what another block tells it. */
typedef struct wl_asking {
    double times;   /* how often it does, */
    double cycles;  /* from asking until it has told the next block, if the answer is there, */
    double latency; /* and of these those until the answer comes */
} wl_asking;

/* One warp that represents warps that behave alike. */
typedef struct wl_life_profile {
    double warps; /* of the launch, that it stands for */
    const wl_life_interval *list;
    size_t count;
    double atomics; /* share of its cycles from its first atomic in global memory to its last */
    wl_asking asking;
    double code;  /* its different machine instructions */
    double fetch; /* cycles of waiting for code of loops that no instruction cache holds */
} wl_life_profile;

#endif /* WL_TIMELINE_LIFE_INTERVAL_H */
