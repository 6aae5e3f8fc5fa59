/* check.h - budgets and baselines: does a predicted launch stay within its limits?
 *
 * A budget limits a metric, the time, or one of two values where more is better: occupancy and
 * items_per_s. A baseline is an earlier prediction; nothing may have become worse than a tolerance
 * allows. SPDX-License-Identifier: MIT */
#ifndef WL_CHECK_H
#define WL_CHECK_H

#include "warpline/predict.h"

/* A stored prediction, read back (report.h). Reuse, shares and warnings are not stored. */
typedef struct wl_stored {
    int32_t line; /* of the text, where it begins */
    const char *kernel, *device;
    const wl_prediction *prediction;
    const char *const *strange; /* metrics that this version does not have */
    size_t strange_count;
    bool incomplete; /* it leaves something out, or guesses it */
} wl_stored;

/* Launches of one kernel that are checked together. */
typedef struct wl_check wl_check;
WL_FALLIBLE wl_check_new(wl_check **out, wl_error *err);
WL_API void wl_check_free(wl_check *check);

/* One more budget: "time=1.5ms", "dram_load_bytes/item<=40B", "occupancy>=0.5" or "occupancy>=50%".
 * A bare number is in base units. WL_E_INPUT, with the column: no such quantity (and the nearest
 * one), a malformed or negative number, a unit that does not belong, a limit on the wrong side. */
WL_FALLIBLE wl_check_budget(wl_check *check, const char *text, wl_error *err);
/* How much worse than its baseline a value may be: "2%", or "0.02", below 1; 1 % if not given. */
WL_FALLIBLE wl_check_tolerance(wl_check *check, const char *text, wl_error *err);

/* Judges a launch by all budgets and by its baseline, if any, which is borrowed. WL_E_NOMEM
 * only. */
WL_FALLIBLE wl_check_add(wl_check *check, const wl_prediction *prediction, const wl_device *device,
                         const wl_stored *baseline, wl_error *err);
/* Counts a launch of the baseline that is left out of the check. */
WL_API void wl_check_leave_out(wl_check *check);
/* Values over their budget, worse than their baseline, or under a budget and not known. */
WL_API size_t wl_check_failed(const wl_check *check);

#endif /* WL_CHECK_H */
