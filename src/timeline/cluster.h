/* cluster.h - a few representative warps of many: the interval models evaluate only these.
 *
 * Lives are similar if they issue about as many instructions and take about as long. The longest is
 * kept by itself, because the launch ends with it. The others form clusters; the life nearest to
 * the mean represents a cluster, with the warps of all its lives. The result depends on the lives
 * alone.
 *
 * Layer  timeline (uses base). Units: instructions and cycles of one warp.
 * Maths  docs/model.md, "The life of a warp". Oracle: tests/unit/test_cluster.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_TIMELINE_CLUSTER_H
#define WL_TIMELINE_CLUSTER_H

#include "base/arena.h"
#include "timeline/life_interval.h"
#include "warpline/status.h"

#define WL_REPRESENTATIVES 8 /* enough to tell kinds of warps apart */

/* Leaves at most WL_REPRESENTATIVES lives, in their order; if there are no more, all stay. */
wl_status wl_life_cluster(wl_life_profile *list, size_t *count, wl_arena *arena, wl_error *err);

#endif /* WL_TIMELINE_CLUSTER_H */
