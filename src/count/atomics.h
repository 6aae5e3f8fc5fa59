/* atomics.h - what atomics on global memory cost, and how they crowd.
 *
 * Lanes of one instruction on different words of a line go together; lanes on the same word go one after another, and
 * every line goes alone: an instruction makes one *request* for each line, and *passes* as often as its most wanted
 * word there has lanes. The L2 then works sector by sector, and a line's turn comes again only after a while: what
 * counts is how many different lines there are, and how much of it all is on the busiest.
 *
 * Layer  count (uses base). Oracle: tests/unit/test_atomics.c. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_ATOMICS_H
#define WL_COUNT_ATOMICS_H

#include "base/arena.h"
#include "count/warp_law.h"

/* One instruction, or the sum of many. */
typedef struct wl_atomic_cost {
    double passes;  /* through the L1: of all lines together        */
    double sectors; /* the same sector by sector: what the L2 does  */
} wl_atomic_cost;

/* Launch totals, of those that were looked at and of those they stand for. */
typedef struct wl_atomics {
    double inst, passes, sectors;
    double lines;                    /* different ones, estimated where only some instructions were looked at */
    double hot_requests, hot_passes; /* of the busiest line */
} wl_atomics;

typedef struct wl_atomic_lines wl_atomic_lines; /* that have been met; in an arena */
wl_atomic_lines *wl_atomic_lines_new(wl_arena *arena);

/* One instruction on a field, which stands for `scale` of them. */
wl_atomic_cost wl_atomic_lines_add(wl_atomic_lines *lines, const wl_l1_rules *rules, size_t field,
                                   const wl_warp_access *access, double scale);
wl_atomics wl_atomic_lines_total(const wl_atomic_lines *lines);

#endif /* WL_COUNT_ATOMICS_H */
