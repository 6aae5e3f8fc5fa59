/* inquiry.h - the launch whose causes are sought: what is known about it, and what-if predictions.
 *
 * A what-if predicts another launch, or a variant: a copy of the kernel with some accesses, fields
 * or answers of its source changed.
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
    const wl_kernel *given;  /* the caller's */
    const wl_kernel *kernel; /* the kernel at this launch */
    const wl_device *device;
    wl_predict_options options;
    wl_launch launch;
    bool block_is_free; /* other block shapes compute the same */
    bool can_vary;      /* variants of the kernel can be predicted */
    wl_prediction now;
    wl_geometry geometry;
    wl_ranges ranges;            /* of coordinates, at this launch */
    const wl_access_cost *costs; /* one per access */
    /* active lanes of a warp: fewer than its size if the block is smaller */
    double lanes;
    const wl_lives *lives; /* NULL: no instruction stream */
    wl_arena *arena;       /* for texts that outlive the inquiry */
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

/* A copy whose fields and accesses may be changed; the inquiry owns it. */
wl_status wl_variant_make(wl_inquiry *inquiry, wl_kernel **out, wl_error *err);

/* Predicts, and replaces *best if the result is faster. Skips what cannot be predicted; fails only
 * with WL_E_NOMEM. The time is scaled to the work items of the original launch. */
wl_status wl_try_launch(wl_inquiry *inquiry, const wl_launch *launch, wl_tried *best, bool *better, wl_error *err);
wl_status wl_try_variant(wl_inquiry *inquiry, const wl_kernel *variant, const wl_launch *launch, wl_tried *best,
                         bool *better, wl_error *err);

/* The same for a variant whose work items each do the work of so many. */
wl_status wl_try_wide(wl_inquiry *inquiry, const wl_kernel *variant, const wl_launch *launch, double items,
                      wl_tried *best, bool *better, wl_error *err);

/* ---- naming causes ---- */

#define WL_NO_ACCESS SIZE_MAX
/* Adds a cause if what was tried gains enough. */
wl_status wl_blame(wl_inquiry *inquiry, wl_cause_id id, size_t access, const wl_tried *tried, const char *text,
                   const char *change, wl_error *err);
/* The same where an operation of the kernel, not an access, shows the place; NULL: none does. */
wl_status wl_blame_op(wl_inquiry *inquiry, wl_cause_id id, const wl_op *op, const wl_tried *tried, const char *text,
                      const char *change, wl_error *err);
/* Adds a cause for which nothing can be predicted. */
wl_status wl_suspect(wl_inquiry *inquiry, wl_cause_id id, size_t access, const char *text, wl_error *err);

/* ---- one function per cause: a file and its functions ---- */

wl_status wl_cause_sectors(wl_inquiry *inquiry, wl_error *err); /* cause_layout.c */
wl_status wl_cause_banks(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_divergence(wl_inquiry *inquiry, wl_error *err); /* cause_code.c */
wl_status wl_cause_local(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_swaps(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_registers(wl_inquiry *inquiry, wl_error *err); /* cause_launch.c */
wl_status wl_cause_shared(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_block(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_waves(wl_inquiry *inquiry, wl_error *err);
wl_status wl_cause_table(wl_inquiry *inquiry, wl_error *err);  /* cause_table.c */
wl_status wl_cause_vector(wl_inquiry *inquiry, wl_error *err); /* cause_vector.c */
wl_status wl_cause_time(wl_inquiry *inquiry, wl_error *err);   /* cause_time.c: several */

#endif /* WL_CAUSES_INQUIRY_H */
