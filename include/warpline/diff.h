/* diff.h - two predictions side by side, and why one is slower: which bound, which metric behind
 * it, which part of that.
 *
 * The two may be of different devices, kernels or sizes; where they do not do the same amount of
 * work, everything is compared per unit of work (wl_kernel_unit). SPDX-License-Identifier: MIT */
#ifndef WL_DIFF_H
#define WL_DIFF_H

#include "warpline/predict.h"

/* Times closer than this count as equal: no model is more accurate. */
#define WL_DIFF_EQUAL 0.05

typedef struct wl_diff_side {
    const wl_prediction *prediction;
    const char *kernel, *device;
} wl_diff_side;

typedef struct wl_diff wl_diff;
/* Borrows what the sides point to. */
WL_FALLIBLE wl_diff_new(wl_diff_side a, wl_diff_side b, wl_diff **out, wl_error *err);
WL_API void wl_diff_free(wl_diff *diff);

WL_API double wl_diff_speedup(const wl_diff *diff); /* work per second of b over that of a */
WL_API bool wl_diff_equal(const wl_diff *diff);     /* within WL_DIFF_EQUAL */
WL_API bool wl_diff_same_work(const wl_diff *diff); /* as many units of work */
/* Metrics known on either side, those behind the bounds that limit first; false beyond the last. */
WL_API bool wl_diff_metric(const wl_diff *diff, size_t index, wl_metric *metric);
/* One sentence or two each; NULL beyond the last. */
WL_API const char *wl_diff_reason(const wl_diff *diff, size_t index);

/* TEXT for people, JSON of the schema warpline.diff/1 (JSON_LINE on one line); WL_E_UNSUPPORTED for
 * CSV. *out is allocated with malloc. */
WL_FALLIBLE wl_diff_render(const wl_diff *diff, wl_format format, char **out, wl_error *err);

#endif /* WL_DIFF_H */
