/* inquiry.h - one launch under question: what is known of it, and predictions of what it could
 * be instead.
 *
 * A what-if is a prediction: of another launch, or of a variant, a kernel that shares everything
 * with the one at the launch but some accesses, fields or answers of its source.
 *
 * Layer  causes (uses predict). Oracle: tests/unit/test_causes.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CAUSES_INQUIRY_H
#define WL_CAUSES_INQUIRY_H

#include "count/warps.h"
#include "launch/geometry.h"
#include "metrics/prediction.h"
#include "warpline/cause.h"

#define WL_CAUSES_MAX 32

typedef struct wl_inquiry {
    const wl_kernel *given;  /* as the caller has it */
    const wl_kernel *kernel; /* at the launch */
    const wl_device *device;
    wl_predict_options options;
    wl_launch launch;
    bool block_is_free; /* another block computes the same */
    bool can_vary;      /* variants are predicted as the kernel is */
    wl_prediction now;
    wl_geometry geometry;
    wl_ranges ranges;            /* of coordinates, at this launch */
    const wl_access_cost *costs; /* one per access */
    double lanes;                /* of a warp that the block fills */
    const wl_lives *lives;       /* NULL: no instruction stream */
    wl_arena *arena;             /* for texts that outlive the inquiry */
    wl_arena scratch, traced;
    wl_cause causes[WL_CAUSES_MAX];
    size_t count;
} wl_inquiry;

/* ---- what-ifs ---- */

/* The best that was tried. */
typedef struct wl_tried {
    bool known;
    double time_s;
    wl_bound_id limiter;
} wl_tried;

/* A copy whose fields and accesses may be changed; it lives as long as the inquiry and is not
 * freed. */
wl_status wl_variant_make(wl_inquiry *inquiry, wl_kernel **out, wl_error *err);

/* Predicts; replaces *best if that is faster. What cannot be predicted is not tried; only
 * WL_E_NOMEM fails. The time is that of as many work items as the launch under question has. */
wl_status wl_try_launch(wl_inquiry *inquiry, const wl_launch *launch, wl_tried *best, bool *better, wl_error *err);
wl_status wl_try_variant(wl_inquiry *inquiry, const wl_kernel *variant, const wl_launch *launch, wl_tried *best,
                         bool *better, wl_error *err);

/* The same for a variant whose work item is the work of so many. */
wl_status wl_try_wide(wl_inquiry *inquiry, const wl_kernel *variant, const wl_launch *launch, double items,
                      wl_tried *best, bool *better, wl_error *err);

/* ---- naming causes ---- */

#define WL_NO_ACCESS SIZE_MAX
/* Adds a cause if what was tried gains enough. */
wl_status wl_blame(wl_inquiry *inquiry, wl_cause_id id, size_t access, const wl_tried *tried, const char *text,
                   const char *change, wl_error *err);
/* Adds a cause for which nothing can be predicted. */
wl_status wl_suspect(wl_inquiry *inquiry, wl_cause_id id, size_t access, const char *text, wl_error *err);

/* ---- one function per cause: a file and its functions ---- */

wl_status wl_cause_sectors(wl_inquiry *inquiry, wl_error *err); /* cause_layout.c */
wl_status wl_cause_banks(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_divergence(wl_inquiry *inquiry, wl_error *err); /* cause_code.c */
wl_status wl_cause_local(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_registers(wl_inquiry *inquiry, wl_error *err); /* cause_launch.c */
wl_status wl_cause_shared(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_block(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_waves(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_table(wl_inquiry *inquiry, wl_error *err);  /* cause_table.c */
wl_status wl_cause_vector(wl_inquiry *inquiry, wl_error *err); /* cause_vector.c */

#endif /* WL_CAUSES_INQUIRY_H */
