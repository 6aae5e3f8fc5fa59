/* counts.h - everything a prediction counts before any fitted number comes in.
 *
 * A fit counts each launch once and evaluates the laws as often as it likes (predict.h, wl_counted).
 * Layer  metrics (uses footprint, launch). SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_COUNTS_H
#define WL_METRICS_COUNTS_H

#include "metrics/executed.h"
#include "metrics/l1_law.h"
#include "metrics/local.h"
#include "metrics/thread.h"
#include "metrics/traffic.h"

typedef struct wl_counts {
    const wl_kernel *kernel;
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

#endif /* WL_METRICS_COUNTS_H */
