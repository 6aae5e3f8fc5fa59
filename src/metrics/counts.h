/* counts.h - everything a prediction counts before any fitted number enters.
 *
 * A fit counts each launch once and can evaluate the laws repeatedly (predict.h, wl_counted).
 *
 * Layer  metrics (uses count, laws). Units: launch totals.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_COUNTS_H
#define WL_METRICS_COUNTS_H

#include "count/executed.h"
#include "count/local_count.h"
#include "count/traffic.h"
#include "laws/l1_law.h"
#include "laws/thread.h"
#include "timeline/waiting.h"

/* What metrics and models take from the kernel itself. */
typedef struct wl_work {
    bool has_flops;
    double flops, fp_results; /* per cell */
    double barriers;          /* per thread */
    wl_type precision;
    bool has_instructions; /* counted from an instruction stream, their flops included */
    double specials;       /* per cell, of an update */
} wl_work;
wl_work wl_work_of(const wl_kernel *kernel);

typedef struct wl_counts {
    wl_work work;
    wl_geometry launched, busy; /* the launch, and the same without idle blocks */
    wl_l1_totals l1;
    double sectors[2], tag_wavefronts; /* loads, stores */
    double stored_lines;               /* requests of stores: the lines of each */
    double bulk_sectors;               /* of these: by bulk copies, which do not pass the L1 */
    double texture_sectors;            /* textures and surfaces */
    double remote_sectors[2];          /* of other blocks of a cluster: loads; stores and atomics */
    /* of loads from constant memory at addresses that differ by lane; and their lines */
    double constant_passes, constant_lines;
    bool has_hash;
    wl_thread thread;
    wl_executed executed; /* lines are the kernel's */
    /* of these: instructions with which a thread computes its cell under a schedule */
    double remapping;
    wl_local local;
    wl_warps_result warps;
    bool has_traffic;
    wl_traffic traffic; /* for the measured laws */
    wl_count_method method;
    const wl_life_profile *lives; /* the kinds of warps, borrowed; none: a time model assumes one */
    size_t life_count;
    wl_waiting waiting; /* of a block, from them */
    /* the same for the leading one of many warps that loop through the same data; not `known`: none
     * does */
    wl_waiting leading;
} wl_counts;

/* Inputs of the wavefront sums. */
typedef struct wl_costs {
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_l1_rules *rules;
    double store_split, store_tags; /* l1_store_split */
    const wl_access_cost *access;   /* one per access */
    double repeats;                 /* of l1_law.h; 0 before the volumes are known */
} wl_costs;

/* Wavefronts of one access, without local memory and thread-index reads. */
double wl_access_wavefronts(const wl_costs *costs, size_t access);

/* Fills l1, sectors and tag_wavefronts from those of the accesses; `thread` and `executed` must be
 * set. */
void wl_counts_add_up(const wl_costs *costs, wl_counts *counts);
/* After replays: what their hits save. */
void wl_counts_add_hits(const wl_costs *costs, wl_counts *counts);

#endif /* WL_METRICS_COUNTS_H */
