/* traffic_laws.h - from exact counts (traffic.h) to volumes, by the laws measured on real devices.
 *
 *   l1   distinct sectors of each block; what is requested again and misses, by the lines of the resident blocks
 *        against the L1; misses of several multiprocessors that meet on the way to the L2; write combining.
 *   l2   data found again one row or layer of blocks later, in an L2 of partitions that each keep a copy of what their
 *        multiprocessors read; sectors written in part; dirty data that stays behind.
 *
 * Layer  laws. Maths  docs/model.md, "Measured laws". SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_TRAFFIC_LAWS_H
#define WL_LAWS_TRAFFIC_LAWS_H

#include "count/traffic.h"
#include "laws/volumes.h"

typedef struct wl_laws {
    double reload[3];       /* l1_reload_curve */
    double merge, share[2]; /* l2_merge, l1_block_share */
    double combine_lines, combine[2], combine_warps[2];
    double partitions, room, steepness, partial_room, dirty[2];
    double field_share, field_steepness; /* l1_field_share, l1_field_steepness */
    double own_steps;                    /* l1_own_steps: for the counts (traffic.h) */
} wl_laws;

/* The numbers of a device; false when it lacks those the laws cannot do without. */
bool wl_laws_read(const wl_device *device, wl_laws *out);

/* Fill the L1 and the L2 side of the volumes; the second needs the first, and windows that are known. */
void wl_laws_l1(const wl_traffic *traffic, const wl_laws *laws, wl_volumes *out);
void wl_laws_l2(const wl_traffic *traffic, const wl_laws *laws, wl_volumes *out);

#endif /* WL_LAWS_TRAFFIC_LAWS_H */
