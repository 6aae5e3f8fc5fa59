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

#define WL_REASONS_MAX 4
#define WL_REASON_LENGTH 320

typedef struct wl_diff {
    wl_diff_side a, b;
    double speedup;       /* updates per second of b over those of a                    */
    bool b_faster, equal; /* equal: within WL_DIFF_EQUAL                                */
    bool same_work;       /* as many updates                                            */
    wl_cause cause;
    size_t metric_count; /* known on either side; those behind the bounds that limit stand first */
    wl_metric metrics[WL_METRIC_COUNT];
    int reason_count;
    char reasons[WL_REASONS_MAX][WL_REASON_LENGTH]; /* one sentence or two each */
} wl_diff;

/* Borrows what the sides point to. */
WL_API void wl_diff_compute(wl_diff_side a, wl_diff_side b, wl_diff *out);

/* Why `slow` takes longer per update than `fast`. */
WL_API wl_cause wl_cause_find(const wl_prediction *slow, const wl_prediction *fast);

/* The value of a part, 0 when there is none of that name. */
WL_API double wl_value_part(const wl_value *value, const char *name);

/* TEXT for people, JSON of the schema warpline.diff/1 (JSON_LINE on one line); WL_E_UNSUPPORTED for CSV. *out is
 * allocated with malloc. */
WL_API WL_NODISCARD wl_status wl_diff_render(const wl_diff *diff, wl_format format, char **out, wl_error *err);

#endif /* WL_DIFF_H */
