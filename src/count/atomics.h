/* atomics.h - the cost and the contention of atomics on global memory.
 *
 * Lanes on different words of a line are served together, lanes on the same word one after another,
 * and every line on its own. So an instruction makes one *request* per line, with as many *passes*
 * as its most contended word there has lanes. The L2 then works sector by sector. A few
 * neighbouring lines, a *group*, are served by one slice of it, so the time depends on how evenly
 * groups are loaded, and on the requests of the busiest line. Sums of floating-point numbers wait
 * for one another if they go to the same word.
 *
 * Layer  count (uses base). Units: launch totals of requests, passes, sectors.
 * Oracle  tests/unit/test_atomics.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_ATOMICS_H
#define WL_COUNT_ATOMICS_H

#include "base/arena.h"
#include "count/warp_law.h"
#include "kernel/kernel_internal.h"

/* One instruction, or the sum of many. */
typedef struct wl_atomic_cost {
    double passes;  /* through the L1, summed over lines */
    double sectors; /* the same per sector: the work of the L2 */
    double more;    /* passes of the L2 beyond these: sectors that it passes twice */
} wl_atomic_cost;

/* Launch totals, extrapolated from the instructions that were evaluated. */
typedef struct wl_atomics {
    double inst, passes, sectors;
    double hot_requests;                 /* of the busiest line */
    double hot_sectors, squared_sectors; /* of the busiest group; summed over groups */
    double word_requests;                /* of a word of the line whose words are busiest */
    double hot_sums;                     /* that wait for one another, of the busiest line */
} wl_atomics;

typedef struct wl_atomic_lines wl_atomic_lines; /* lines seen so far; in an arena */
wl_atomic_lines *wl_atomic_lines_new(wl_arena *arena);

/* Adds one instruction on a field, which represents `scale` of them. */
wl_atomic_cost wl_atomic_lines_add(wl_atomic_lines *lines, const wl_l1_rules *rules, size_t field, wl_atomic_kind kind,
                                   const wl_warp_access *access, double scale);
wl_atomics wl_atomic_lines_total(const wl_atomic_lines *lines, const wl_l1_rules *rules);

#endif /* WL_COUNT_ATOMICS_H */
