/* common_walk.h - loops in which warps load the same data at the same time.
 *
 * The leading warp waits for each new sector. The others find the sector in the L1 or in flight,
 * and wait as long: none can overtake the leading one. So each warp waits as if it were alone,
 * whatever the hit rate.
 *
 * Layer  model (uses kernel, launch, metrics). Units: sectors, warps. Oracle:
 * tests/unit/test_common_walk.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_COMMON_WALK_H
#define WL_MODEL_COMMON_WALK_H

#include "metrics/counts.h"

typedef struct wl_common_walk {
    /* the share of the sectors loaded in a warp's loops that the warp has not loaded before */
    double fresh;
    /* warps that load the same at the same time: on a multiprocessor, on the GPU; 0: no loop */
    double together[2];
} wl_common_walk;

/* Does a loop move the address of a load? */
bool wl_access_walks(const wl_costs *costs, size_t access);

/* For the loads of a field. Addresses that depend on data are left out. */
wl_status wl_common_walk_find(const wl_costs *costs, const wl_geometry *geometry, size_t field, wl_arena *scratch,
                              wl_common_walk *out, wl_error *err);

#endif /* WL_MODEL_COMMON_WALK_H */
