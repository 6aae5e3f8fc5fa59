/* volumes.h - estimators of the data volumes between L1, L2 and memory.
 *
 * An estimator is a named step that fills the same result; the first whose numbers the device file holds is used and
 * shown in the output. So far there is one:
 *
 *   reuse-sets  (reuse_sets.c; Ernst et al. 2022, sections 4.3-4.5) works for every device. Exact counts are taken of
 * one wave in the middle of the launch, of the blocks one row and one layer of blocks before it, and of both together;
 * fitted curves of the device then say how much of the overlap is still in the L2.
 *
 * Layer   metrics (uses footprint, device)
 * Maths   docs/model.md
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_VOLUMES_H
#define WL_METRICS_VOLUMES_H

#include "metrics/view.h"
#include "metrics/warps.h"
#include "warpline/predict.h"

/* Launch totals in bytes, of one field or of all. */
typedef struct wl_volume {
    double l2_compulsory, l2_capacity, l2_store;
    double dram_compulsory, dram_reuse[3], dram_capacity, dram_partial, dram_store;
} wl_volume;

typedef struct wl_volumes {
    wl_volume *fields; /* one per field */
    wl_volume total;
    bool known; /* false: too much to enumerate; only the L1 side is known */
    bool sampled;
    bool partial_unknown; /* which sectors are written only in part could not be found out */
    double l1_alloc_bytes, l1_oversubscription, l1_miss_rate;
    double l2_alloc_bytes, waves;
    wl_reuse reuse[3];
    double pages;
} wl_volumes;

typedef struct wl_volumes_input {
    const wl_view *view;
    const wl_geometry *geometry;
    const wl_device *device;
    const wl_access_cost *costs; /* per access, of the same launch */
    int64_t page_bytes;
} wl_volumes_input;

typedef wl_status (*wl_volumes_estimate)(const wl_volumes_input *input, wl_counter *counter, wl_arena *scratch,
                                         wl_volumes *out, wl_error *err);

typedef struct wl_volumes_estimator {
    const char *name;
    bool (*applies)(const wl_device *device);
    wl_volumes_estimate estimate;
} wl_volumes_estimator;

/* The best one for a device. */
const wl_volumes_estimator *wl_volumes_choose(const wl_device *device);

/* The estimators, each in its own file. */
wl_status wl_reuse_sets_estimate(const wl_volumes_input *input, wl_counter *counter, wl_arena *scratch, wl_volumes *out,
                                 wl_error *err);

#endif /* WL_METRICS_VOLUMES_H */
