/* view.h - a kernel as the counting stages need it: for each field its loads, its stores, and both
 * together.
 *
 * Layer  count (uses footprint).
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_VIEW_H
#define WL_COUNT_VIEW_H

#include "footprint/count.h"

typedef enum wl_side { WL_LOADS, WL_STORES, WL_BOTH, WL_SIDE_COUNT } wl_side;

typedef struct wl_field_side {
    size_t count; /* accesses; 0: none */
    const wl_bound **accesses;
    bool has_shape; /* else enumerated */
    bool random;    /* some addresses are random */
    bool uneven;    /* enumerated, under a condition: blocks differ by position */
    wl_shape shape;
} wl_field_side;

typedef struct wl_view {
    const wl_kernel *kernel;
    const int64_t *steps; /* extents of the kernel's loops; NULL: the full ones */
    wl_bound *bounds;     /* one per access */
    wl_field_side (*fields)[WL_SIDE_COUNT];
    bool opaque;  /* some field must be enumerated */
    bool uneven;  /* blocks differ by conditions where some field is enumerated */
    bool guarded; /* some access has an affine condition: blocks differ in what they touch */
    bool nearly;  /* conditions that nearly all threads meet were dropped */
} wl_view;

/* True if no access depends on the launch, so that one view serves all launches. */
bool wl_view_is_fixed(const wl_kernel *kernel);

/* geometry may be NULL for a fixed view. */
wl_status wl_view_make(const wl_kernel *kernel, const wl_geometry *geometry, wl_arena *arena, wl_view *out,
                       wl_error *err);

/* The same without the loads that leave the L1 alone. */
wl_status wl_view_of_l1(const wl_view *view, const wl_geometry *geometry, wl_arena *arena, wl_view *out, wl_error *err);

/* Is the address of this access unknown, or drawn at random? */
bool wl_view_is_random(const wl_view *view, size_t access);

/* Blocks first <= n < last in launch order, as a region. */
wl_region wl_view_run(const wl_view *view, const wl_geometry *geometry, int64_t first, int64_t last);

/* Distinct granules of one side of a field over a region. WL_E_LIMIT: too expensive. */
wl_status wl_view_count(const wl_view *view, wl_counter *counter, size_t field, wl_side side, const wl_region *region,
                        int64_t granule, bool want_covered, wl_count *out, wl_error *err);

/* The same at several granules, ascending; threads are evaluated once for all of them. */
#define WL_GRANULES_MAX 4
wl_status wl_view_counts(const wl_view *view, wl_counter *counter, size_t field, wl_side side, const wl_region *region,
                         const int64_t *granules, int n, double *touched, wl_error *err);

/* The same by threads, even where there is a closed form. covered may be NULL; else *covered is
 * that of the first granule. The side must have accesses. */
wl_status wl_view_enumerate(const wl_view *view, wl_counter *counter, size_t field, wl_side side,
                            const wl_region *region, const int64_t *granules, int n, int64_t *touched, int64_t *covered,
                            wl_error *err);

/* Addresses to evaluate for counting a side without a shape over a region. */
double wl_view_addresses(const wl_view *view, size_t field, wl_side side, const wl_region *region);

/* Adds the active lanes of the traced accesses of a side in block number n of the launch order. */
wl_status wl_traced_lanes(const wl_view *view, const wl_geometry *geometry, size_t field, wl_side side, int64_t n,
                          double *lanes, wl_error *err);

/* Can a side without a shape be enumerated over a region within the budget? */
bool wl_view_can_enumerate(const wl_view *view, size_t field, wl_side side, const wl_region *region);

#endif /* WL_COUNT_VIEW_H */
