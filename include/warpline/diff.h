/* diff.h - two predictions side by side, and why one is slower: which bound, which metric behind it, which part of
 * that.
 *
 * The two may be of different devices, kernels or sizes; where they do not do the same number of updates, everything is
 * compared per update. SPDX-License-Identifier: MIT */
#ifndef WL_DIFF_H
#define WL_DIFF_H

#include "warpline/predict.h"

/* Times closer than this are as good as equal: no model is better. */
#define WL_DIFF_EQUAL 0.05

typedef struct wl_diff_side {
    const wl_prediction *prediction;
    const char *kernel, *device;
} wl_diff_side;

/* What a difference in time comes from. */
typedef struct wl_cause {
    bool bound_known; /* a bound tells a good part of the difference                                     */
    bool limits;      /* ... and it is the one that limits the slower side                               */
    wl_bound_id bound;
    double share;      /* of the difference in time: the difference of this bound; may be above 1         */
    bool metric_known; /* a metric behind the bound differs, the same way and by a good part of it           */
    wl_metric metric;
    double metric_share;        /* of the bound's difference: the metric's, as a share of what the bound follows from */
    const char *part, *against; /* parts that moved most, with the metric and the other way; NULL: none   */
} wl_cause;

typedef struct wl_diff wl_diff;
/* Borrows what the sides point to. */
WL_API WL_NODISCARD wl_status wl_diff_new(wl_diff_side a, wl_diff_side b, wl_diff **out, wl_error *err);
WL_API void wl_diff_free(wl_diff *diff);

WL_API double wl_diff_speedup(const wl_diff *diff); /* updates per second of b over those of a */
WL_API bool wl_diff_b_faster(const wl_diff *diff);
WL_API bool wl_diff_equal(const wl_diff *diff);     /* within WL_DIFF_EQUAL */
WL_API bool wl_diff_same_work(const wl_diff *diff); /* as many updates */
WL_API const wl_cause *wl_diff_cause(const wl_diff *diff);
/* Metrics known on either side, those behind the bounds that limit first; false beyond the last. */
WL_API bool wl_diff_metric(const wl_diff *diff, size_t index, wl_metric *metric);
/* One sentence or two each; NULL beyond the last. */
WL_API const char *wl_diff_reason(const wl_diff *diff, size_t index);

/* Why `slow` takes longer per update than `fast`. */
WL_API wl_cause wl_cause_find(const wl_prediction *slow, const wl_prediction *fast);

/* TEXT for people, JSON of the schema warpline.diff/1 (JSON_LINE on one line); WL_E_UNSUPPORTED for CSV. *out is
 * allocated with malloc. */
WL_API WL_NODISCARD wl_status wl_diff_render(const wl_diff *diff, wl_format format, char **out, wl_error *err);

#endif /* WL_DIFF_H */
