/* waiting.h - how long the blocks of a launch wait, from the lives of their warps.
 *
 * A block stays resident until its longest warp ends. For blocks of several kinds, the mean is
 * taken.
 *
 * Layer  timeline (uses base, device). Units: cycles of a block that is alone on its
 * multiprocessor. Maths docs/model.md, "The life of a warp". Oracle: tests/unit/test_timeline.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_TIMELINE_WAITING_H
#define WL_TIMELINE_WAITING_H

#include "timeline/profile.h"

/* The longest warp of the followed block of a kind. */
typedef struct wl_kind_life {
    double issue;  /* cycles in which it issues */
    double length; /* its cycles, as a share of those of a mean block */
} wl_kind_life;

#define WL_KIND_LIVES_MAX 8 /* kinds of blocks that are followed */

typedef struct wl_waiting {
    bool known;
    /* from its accesses: the instructions of its warps are not known */
    bool assumed;
    double cycles;                          /* from its first instruction to its last */
    double stall[WL_STALL_COUNT], level[3]; /* the cycles by cause; those of memory by level */
    double issue;                           /* and those in which its longest warp issues */
    /* parts of its stalls in which other warps of its scheduler issue, and in which their requests
     * are served */
    double covered[2];
    double barriers, loads; /* barriers that it passes; how often it waits for memory */
    double code;            /* different machine instructions of its longest warp */
    double atomics;         /* share of the cycles from its first atomic to its last */
    wl_asking asking;       /* of the warp that asks another block */
    bool copies;            /* it waits for asynchronous copies */
    double fetches;         /* how often it waits for DRAM, one time after the other */
    /* share of its waits in which its warps do not wait for one another, unless they meet at
     * barriers */
    double apart;
    wl_kind_life kinds[WL_KIND_LIVES_MAX];
    int kind_count; /* 0: its blocks are not followed by kind */
} wl_waiting;

/* `profiles` has one entry for each life. */
wl_status wl_waiting_find(const wl_lives *lives, const wl_waits *waits, wl_arena *arena, wl_life_profile *profiles,
                          wl_waiting *out, wl_error *err);

#endif /* WL_TIMELINE_WAITING_H */
