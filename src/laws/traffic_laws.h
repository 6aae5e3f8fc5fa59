/* traffic_laws.h - from exact counts (count/traffic.h) to volumes, by laws measured on real
 * devices.
 *
 *   l1   Compulsory: distinct sectors of each block. Capacity: reloads that miss, by the working
 *        set of the resident blocks against the L1. Merging of misses of several multiprocessors on
 *        their way to the L2. Write combining.
 *   l2   Reuse one row or layer of blocks later, in an L2 whose partitions each keep a copy of what
 *        their multiprocessors read. Partial writes. Dirty data that stays behind.
 *
 * Layer  laws. Units: bytes per launch.
 * Maths  docs/model.md, "Measured laws". Oracle: tests/unit/test_laws.c, test_laws_l2.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_TRAFFIC_LAWS_H
#define WL_LAWS_TRAFFIC_LAWS_H

#include "count/traffic.h"
#include "laws/volumes.h"

typedef struct wl_laws {
    double reload[3]; /* l1_reload_curve */
    double merge;     /* l2_merge */
    double combine[3], combine_warps[2];
    double partitions, room, steepness, partial_room, dirty[2], random_hits[2];
    double walk_merge[5]; /* l2_walk_merge */
    double merge_blocks;  /* l2_merge_blocks */
    double gpc_sms;       /* sm_count / gpcs */
    double memory_cache;  /* 0: none */
} wl_laws;

/* Reads the numbers of a device; false if it lacks required ones. Those of local memory are there
 * in any case. */
bool wl_laws_read(const wl_device *device, wl_laws *out);

/* The share of lines that are evicted from the L1 while the resident blocks touch so many times its
 * size. */
double wl_laws_l1_evicted(const wl_laws *laws, double oversubscription);

/* Fill the L1 and the L2 side of the volumes. The second needs the first, and known windows. */
void wl_laws_l1(const wl_traffic *traffic, const wl_laws *laws, wl_volumes *out);
void wl_laws_l2(const wl_traffic *traffic, const wl_laws *laws, wl_volumes *out);

/* Share of the lines of a partition that are evicted while so many bytes are read, by so many
 * blocks each, and stored. */
double wl_laws_evicted(const wl_laws *laws, double read, double readers, double stored, double writers);

/* Stored data that is still in the L2 when the launch ends, and so is not written during it. */
double wl_laws_dirty_rest(const wl_laws *laws, double written, double read);

#endif /* WL_LAWS_TRAFFIC_LAWS_H */
