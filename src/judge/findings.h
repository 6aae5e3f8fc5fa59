/* findings.h - the quantities that a check judges, and what it finds.
 *
 * Layer  judge. Units: base units. Oracle: tests/unit/test_check.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_JUDGE_FINDINGS_H
#define WL_JUDGE_FINDINGS_H

#include "base/units.h"
#include "metrics/prediction.h"
#include "warpline/check.h"

typedef enum wl_subject_kind {
    WL_SUBJECT_METRIC,
    WL_SUBJECT_TIME,       /* "time", seconds */
    WL_SUBJECT_OCCUPANCY,  /* "occupancy", resident warps / the most that can be resident */
    WL_SUBJECT_ITEMS_PER_S /* "items_per_s", units of work per second */
} wl_subject_kind;

typedef struct wl_subject {
    wl_subject_kind kind;
    wl_metric metric; /* WL_SUBJECT_METRIC only */
    bool per_item;    /* divided by the units of work */
} wl_subject;

/* "dram_load_bytes/item" */
void wl_subject_name(wl_subject subject, char *text, size_t size);
/* "bytes", "s", "1", "1/s": the unit of wl_subject_value. */
const char *wl_subject_unit(wl_subject subject);
/* Is a larger value better? */
bool wl_subject_is_gain(wl_subject subject);
/* The value in base units; false if unknown. */
bool wl_subject_value(wl_subject subject, const wl_prediction *prediction, const wl_device *device, double *value);
/* The value with a suitable unit: "1.5 ms". */
wl_short wl_subject_value_text(wl_subject subject, double value);

typedef struct wl_budget {
    wl_subject subject;
    double limit; /* the most; the least if more is better. Never negative */
} wl_budget;

/* Reads "time=1.5ms", "dram_load_bytes/item<=40B", "occupancy>=0.5" or "occupancy>=50%". A bare
 * number is in base units. WL_E_INPUT, with the column: no such quantity (and the nearest one), a
 * malformed or negative number, a unit of another quantity, a limit in the wrong direction. */
wl_status wl_budget_parse(const char *text, wl_budget *out, wl_error *err);

/* "2%" or "0.02"; a bare number of 1 and more is refused, since it could mean either. */
wl_status wl_tolerance_parse(const char *text, double *tolerance, wl_error *err);

typedef enum wl_verdict {
    WL_VERDICT_OK,
    WL_VERDICT_BETTER,  /* than the baseline, by more than the tolerance */
    WL_VERDICT_FAIL,    /* over the budget, or worse than the baseline by more than the tolerance */
    WL_VERDICT_UNKNOWN, /* a budget on an unknown value: fails */
    WL_VERDICT_GONE,    /* known in the baseline only: not compared */
    WL_VERDICT_NEW      /* known in this prediction only: not compared */
} wl_verdict;
/* "ok", "better", "fail", "unknown", "gone", "new" */
const char *wl_verdict_name(wl_verdict verdict);
/* Does the check fail because of it? */
bool wl_verdict_fails(wl_verdict verdict);

/* One line of a check. */
typedef struct wl_finding {
    wl_subject subject;
    bool from_baseline; /* `limit` is the baseline's value, not a budget */
    bool predicted_known, limit_known, change_known;
    double predicted, limit;
    double change; /* predicted / limit - 1 */
    wl_verdict verdict;
} wl_finding;

wl_finding wl_find_by_budget(const wl_budget *budget, const wl_prediction *prediction, const wl_device *device);

/* The time, then every metric known on either side. Fills at most `capacity` findings and returns
 * how many there are. */
size_t wl_find_by_baseline(const wl_prediction *prediction, const wl_prediction *baseline, double tolerance,
                           wl_finding *findings, size_t capacity);

typedef struct wl_checked {
    wl_launch launch;
    char *device;              /* its name */
    const wl_stored *baseline; /* of this launch; NULL: none */
    wl_finding *findings;
    size_t finding_count;
} wl_checked;

struct wl_check {
    wl_budget *budgets;
    size_t budget_count;
    double tolerance;
    wl_checked *launches;
    size_t launch_count;
    size_t total, failed, better, not_compared; /* findings */
    /* launches of the baseline that the options exclude */
    size_t left_out;
};

#endif /* WL_JUDGE_FINDINGS_H */
