/* predictor.h - what predictions of one kernel on one device have in common, and their scratch memory.
 *
 * Kept from launch to launch are the shapes of fields, a thread's instructions per folding, patterns of
 * warps and counts of regions. Each is found by everything it depends on, so no prediction depends on
 * those before it.
 * Layer  predict (uses everything up to metrics). SPDX-License-Identifier: MIT */
#ifndef WL_PREDICTOR_H
#define WL_PREDICTOR_H

#include "base/arena.h"
#include "count/instructions.h"
#include "count/view.h"
#include "count/warps.h"
#include "laws/l1_law.h"
#include "laws/thread.h"
#include "laws/traffic_laws.h"
#include "warpline/predict.h"

/* The instructions of a thread depend on the folding alone, where no access depends on the launch:
 * kept for some. */
#define WL_FOLDINGS_KEPT 16
typedef struct wl_kept_instructions {
    int64_t fold[3]; /* 0: none */
    wl_arena arena;
    wl_instructions instructions;
} wl_kept_instructions;

struct wl_predictor {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_l1_rules rules;
    wl_l1_numbers l1;
    wl_thread_numbers thread;
    bool has_laws; /* the measured ones */
    wl_laws laws;
    int64_t page_bytes;
    wl_arena fixed_arena, launch_arena; /* what outlives a launch, and what does not */
    bool has_fixed_view;
    wl_view fixed_view;
    wl_kept_instructions foldings[WL_FOLDINGS_KEPT];
    size_t next_folding; /* to be replaced */
    wl_counter counter;
    wl_warps_scratch warps;
    wl_access_cost *costs;
    wl_share *field_shares, *access_shares;
    /* Where the kernel depends on the launch: what it is for the latest one, and who predicts that. */
    wl_launch launch;
    wl_kernel *own_kernel;
    wl_predictor *own;
};

/* Who predicts this launch: the predictor itself, unless the kernel depends on the launch. */
wl_status wl_predictor_at(wl_predictor *predictor, const wl_launch *launch, wl_predictor **out, wl_error *err);

/* The kernel as the counting stages see it. */
wl_status wl_predictor_view(wl_predictor *predictor, const wl_geometry *launched, const wl_view **out, wl_error *err);

/* The memory instructions of a thread. */
wl_status wl_predictor_instructions(wl_predictor *predictor, const wl_view *view, const wl_geometry *geometry,
                                    wl_instructions *out, wl_error *err);

#endif /* WL_PREDICTOR_H */
