/* predictor.h - what predictions of one kernel on one device share, and their scratch memory.
 *
 * Cached across launches: the shapes of fields, a thread's instructions per folding, warp patterns,
 * counts of regions, and the counts of earlier launches (kept_counts.h). The key of each entry is
 * everything it depends on, so no prediction depends on earlier ones.
 *
 * Layer  predict (uses everything up to metrics). Oracle: tests/unit/test_kept.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PREDICTOR_H
#define WL_PREDICTOR_H

#include "base/arena.h"
#include "count/instructions.h"
#include "count/view.h"
#include "count/warps.h"
#include "kept_counts.h"
#include "kernel/work_unit.h"
#include "laws/l1_law.h"
#include "laws/thread.h"
#include "laws/traffic_laws.h"
#include "metrics/counts.h"
#include "warpline/predict.h"

/* If no access depends on the launch, the instructions of a thread depend on the folding alone:
 * cached for some foldings. */
#define WL_FOLDINGS_KEPT 16
typedef struct wl_kept_instructions {
    int64_t fold[3]; /* 0: empty */
    wl_arena arena;
    wl_instructions instructions;
} wl_kept_instructions;

struct wl_predictor {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_work_unit work_unit; /* of the kernel */
    wl_l1_rules rules;
    wl_l1_numbers l1;
    wl_estimates estimates;
    bool has_laws; /* the device has the numbers of the measured laws */
    wl_laws laws;
    int64_t page_bytes;
    wl_arena fixed_arena, launch_arena; /* for what outlives a launch, and for what does not */
    bool has_fixed_view;
    wl_view fixed_view;
    wl_kept_instructions foldings[WL_FOLDINGS_KEPT];
    size_t next_folding; /* to be replaced next */
    wl_kept_counts launches;
    wl_error outside; /* of the latest launch: some thread accesses memory outside of a buffer */
    bool any_room;    /* counts are made for a fit: see wl_traffic_input */
    wl_counter counter;
    wl_warps_scratch warps;
    wl_access_cost *costs;
    wl_share *field_shares, *access_shares;
    bool *replayed; /* by field */
    /* If the kernel depends on the launch: the kernel at the latest launch, and its predictor. */
    wl_launch launch;
    wl_kernel *own_kernel;
    wl_predictor *own;
    /* If its index arithmetic is a schedule: the predictor of the kernel over the cells of that. */
    wl_predictor *columns;
    wl_schedule schedule; /* of such a predictor: what launches without one have */
    /* Launches that would be replayed get the time that they take at least, whatever the replay
     * gives, and no more (wl_time_has_least). */
    bool least_times;
};

/* The predictor for this launch: itself, unless the kernel depends on the launch, or computes a
 * schedule itself. */
wl_status wl_predictor_at(wl_predictor *predictor, const wl_launch *launch, wl_predictor **out, wl_error *err);

/* The kernel as the counting stages see it. */
wl_status wl_predictor_view(wl_predictor *predictor, const wl_geometry *launched, const wl_view **out, wl_error *err);

/* The memory instructions of a thread. */
wl_status wl_predictor_instructions(wl_predictor *predictor, const wl_view *view, const wl_geometry *geometry,
                                    wl_instructions *out, wl_error *err);

#endif /* WL_PREDICTOR_H */
