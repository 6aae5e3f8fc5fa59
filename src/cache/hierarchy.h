/* hierarchy.h - the caches of a device: an L1 per multiprocessor, an L2 of several partitions,
 * DRAM.
 *
 * An L1 is write-through. A multiprocessor reads and writes through its own partition of the L2; a
 * line is also in its home partition, which follows from its address. Stored data is dirty in the
 * home partition only, and is written to DRAM when that evicts it.
 *
 * Layer  cache. Units: lines and sectors; all levels have lines of one size.
 * Oracle  tests/property/prop_cache.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_HIERARCHY_H
#define WL_CACHE_HIERARCHY_H

#include "cache/cache.h"

typedef struct wl_hierarchy_shape {
    int64_t sms;
    wl_cache_shape l1; /* of one multiprocessor; not write_back */
    int64_t partitions;
    wl_cache_shape l2; /* of one partition */
    int dram_sectors;  /* that come from DRAM together: 1, 2, 4, .. */
    /* most requests of several multiprocessors that merge into one before the L2; 0, 1: no
     * coalescer */
    int64_t coalesced;
    int64_t gpcs; /* groups of multiprocessors with a coalescer each */
} wl_hierarchy_shape;

/* Sums over all caches of a level, and sectors that move between levels. */
typedef struct wl_hierarchy_counts {
    wl_cache_counts l1, l2;
    int64_t l2_to_l1, l1_to_l2;     /* loaded and stored */
    int64_t l2_hits;                /* of the loaded ones, hits in some partition */
    int64_t between_partitions;     /* of these, and of stores, those of another partition */
    int64_t dram_to_l2, l2_to_dram; /* loaded, stored; stored: what was evicted so far */
} wl_hierarchy_counts;

typedef struct wl_hierarchy wl_hierarchy;

/* WL_E_INPUT: as wl_cache_new, no multiprocessors, no partitions; WL_E_NOMEM. */
wl_status wl_hierarchy_new(const wl_hierarchy_shape *shape, wl_hierarchy **out, wl_error *err);
void wl_hierarchy_free(wl_hierarchy *hierarchy);

/* Begins the next time step: load requests of one step can merge. Before the first call, none
 * do. */
void wl_hierarchy_next_moment(wl_hierarchy *hierarchy);
/* From now on multiprocessors load at different times. */
void wl_hierarchy_drift_apart(wl_hierarchy *hierarchy);
/* As wl_cache_expect, of the caches that a multiprocessor reads through. */
void wl_hierarchy_expect(const wl_hierarchy *hierarchy, int64_t sm, uint64_t line);
void wl_hierarchy_load(wl_hierarchy *hierarchy, int64_t sm, const wl_request *request);
/* A load that leaves the L1 alone. */
void wl_hierarchy_load_past_l1(wl_hierarchy *hierarchy, int64_t sm, const wl_request *request);
void wl_hierarchy_store(wl_hierarchy *hierarchy, int64_t sm, const wl_request *request);
/* Writes all that is dirty to DRAM. */
void wl_hierarchy_clean(wl_hierarchy *hierarchy);
wl_hierarchy_counts wl_hierarchy_count(const wl_hierarchy *hierarchy);
/* The sectors that moved between levels so far. Cheap: it leaves out the sums over caches, and
 * l2_to_dram. */
const wl_hierarchy_counts *wl_hierarchy_moved(const wl_hierarchy *hierarchy);

/* The home partition of a line. */
int64_t wl_home_partition(uint64_t line, int64_t partitions);

#endif /* WL_CACHE_HIERARCHY_H */
