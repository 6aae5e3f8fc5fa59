/* reach.h - the granules that an access can touch at all. Once a set has every one of them, further
 * threads and loop steps add nothing, and their addresses need no evaluation: random(x + k, 1000)
 * has touched all 1000 elements long before a loop of 450000 trips ends. The set is the same.
 *
 * Layer  footprint (uses base, kernel, launch). Units: granules.
 * Oracle  tests/unit/test_reach.c evaluates every step
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_REACH_H
#define WL_FOOTPRINT_REACH_H

#include "footprint/count.h"

typedef struct wl_reach {
    const wl_region *region;
    const wl_bound *bound;
    int shift;
    bool is_found;       /* the granules are known; they are looked for once it is worthwhile */
    int64_t first, last; /* granules, inclusive */
    int64_t left;        /* addresses to evaluate before the set is checked; INT64_MAX: never */
    int64_t step;        /* ... and before the next check: twice as many each time */
    bool full;           /* the set has them all */
} wl_reach;

/* Granules of 2^shift bytes that the access can touch. It is never full if its addresses have no
 * known bounds, or if evaluating one of them might fail: that must be reported. */
wl_reach wl_reach_of(const wl_region *region, const wl_bound *bound, int shift);

/* Called after so many more addresses of the access have been added to the set. */
void wl_reach_check(wl_reach *reach, const wl_granules *set);
static inline bool wl_reach_is_full(wl_reach *reach, const wl_granules *set, int addresses)
{
    reach->left -= addresses;
    if (reach->left <= 0)
        wl_reach_check(reach, set);
    return reach->full;
}

#endif /* WL_FOOTPRINT_REACH_H */
