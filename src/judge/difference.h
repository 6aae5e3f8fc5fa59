/* difference.h - two predictions side by side.
 *
 * Layer  judge. Units: metrics.def, per unit of work for launch totals. Oracle:
 * tests/unit/test_diff.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_JUDGE_DIFFERENCE_H
#define WL_JUDGE_DIFFERENCE_H

#include "metrics/prediction.h"
#include "warpline/diff.h"

/* What a difference in time comes from. */
typedef struct wl_diff_cause {
    /* a bound explains a good part of the difference */
    bool bound_known;
    /* ... and it is the one that limits the slower side */
    bool limits;
    wl_bound_id bound;
    /* the difference of this bound / the difference in time; may be above 1 */
    double share;
    /* a metric behind the bound differs in the same direction, by a good part of the bound */
    bool metric_known;
    wl_metric metric;
    /* the share of the bound's difference that this metric explains */
    double metric_share;
    /* the parts of the metric that changed most: in its direction, and against it; NULL: none */
    const char *part, *against;
} wl_diff_cause;

#define WL_REASONS_MAX 4
#define WL_REASON_LENGTH 320

struct wl_diff {
    wl_diff_side a, b;
    double speedup;
    bool b_faster, equal, same_work;
    wl_diff_cause cause;
    size_t metric_count;
    wl_metric metrics[WL_METRIC_COUNT];
    int reason_count;
    char reasons[WL_REASONS_MAX][WL_REASON_LENGTH];
};

/* The unit of work of both: lattice updates if both kernels are lattices, else cells. */
const wl_unit_words *wl_diff_unit(const wl_diff *diff);

/* What the vendors of both devices call a multiprocessor: "SM", "CU" or "SM|CU". */
const char *wl_diff_sm_word(const wl_diff *diff);

/* Why `slow` takes longer per unit of work than `fast`. */
wl_diff_cause wl_diff_cause_find(const wl_prediction *slow, const wl_prediction *fast);

/* Launch totals per unit of work; other values unchanged. */
double wl_diff_rate(const wl_prediction *prediction, wl_metric metric, double value);

/* Part names of both sides, in order, without repetition; returns their number. */
size_t wl_diff_parts(const wl_value *a, const wl_value *b, const char *names[2 * WL_PARTS_MAX]);

/* Fills diff->reasons from the other members. */
void wl_diff_explain(wl_diff *diff);

#endif /* WL_JUDGE_DIFFERENCE_H */
