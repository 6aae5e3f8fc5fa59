/* counts.h - everything a prediction counts before any fitted number comes in.
 *
 * A fit counts each launch once and evaluates the laws as often as it likes (predict.h, wl_counted).
 * Layer  metrics (uses count, laws). SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_COUNTS_H
#define WL_METRICS_COUNTS_H

#include "count/executed.h"
#include "count/local_count.h"
#include "count/traffic.h"
#include "laws/l1_law.h"
#include "laws/thread.h"

/* What the kernel states about its work: all that metrics and models take from the kernel itself. */
typedef struct wl_work {
    bool has_flops;
    double flops, fp_results; /* per cell */
    double barriers;          /* per thread */
    wl_type precision;
    bool has_instructions; /* they are counted, and their flops with them */
} wl_work;
wl_work wl_work_of(const wl_kernel *kernel);

typedef struct wl_counts {
    wl_work work;
    wl_geometry launched, busy; /* the launch, and the same without blocks that have nothing to do */
    wl_l1_totals l1;
    double sectors[2], tag_wavefronts; /* loads, stores */
    bool has_hash;
    wl_thread thread;
    wl_executed executed; /* lines are the kernel's */
    wl_local local;
    wl_warps_result warps;
    bool has_traffic;
    wl_traffic traffic; /* for the measured laws */
    wl_count_method method;
} wl_counts;

/* What wavefronts are added up from. */
typedef struct wl_costs {
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_l1_rules *rules;
    double store_split;           /* of l1_law.h */
    const wl_access_cost *access; /* one per access */
} wl_costs;

/* Wavefronts of one access, those of local memory and of the thread index aside. */
double wl_access_wavefronts(const wl_costs *costs, size_t access);

/* Fills l1, sectors and tag_wavefronts of counts from those of accesses; thread and executed are known. */
void wl_counts_add_up(const wl_costs *costs, wl_counts *counts);

#endif /* WL_METRICS_COUNTS_H */
