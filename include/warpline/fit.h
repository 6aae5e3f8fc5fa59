/* fit.h - the numbers of a device that only measurements of kernels can give.
 *
 * Each target is a metric (or the time) and the numbers that decide it; targets are fitted one after the other, since
 * the time rests on the volumes. A fit starts from neutral values, which follow from the data sheet and the latencies
 * of the device, never from values that have seen the launches it is judged by. SPDX-License-Identifier: MIT */
#ifndef WL_FIT_H
#define WL_FIT_H

#include "warpline/compare.h"
#include "warpline/measure.h"
#include "warpline/trust.h"

/* One measured launch with its counts. */
typedef struct wl_fit_case {
    const wl_counted *counted;
    const wl_measurement *measured;
    const char *family; /* cases of one family weigh as much as those of any other */
} wl_fit_case;

typedef enum wl_fit_target {
    WL_FIT_L1_WAVEFRONTS,
    WL_FIT_L2_LOADS,
    WL_FIT_L2_STORES,
    WL_FIT_DRAM_LOADS,
    WL_FIT_DRAM_STORES,
    WL_FIT_TIME,
    WL_FIT_TARGET_COUNT
} wl_fit_target;
#define WL_FIT_TARGET_ROOM 16 /* in results: further targets change no layout */
WL_API const char *wl_fit_target_name(wl_fit_target target);
WL_API bool wl_fit_target_find(const char *name, wl_fit_target *target);

/* One number that was fitted. */
typedef struct wl_fit_number {
    wl_fit_target target;
    wl_device_key key;
    size_t index; /* in a list */
    double start, fitted;
    double deviation; /* of ln(fitted), estimated from the residuals; 0: not determined by the data */
} wl_fit_number;
#define WL_FIT_NUMBERS_MAX 40

typedef struct wl_fit_options {
    bool targets[WL_FIT_TARGET_ROOM]; /* which to fit; none: all */
    const char *without;               /* a family whose launches are left out; NULL: none */
    double min_time_s;                 /* launches measured shorter have no part in fitting the time */
} wl_fit_options;

typedef struct wl_fit_result {
    size_t number_count;
    wl_fit_number numbers[WL_FIT_NUMBERS_MAX];
    size_t used[WL_FIT_TARGET_ROOM];   /* launches that had a part */
    double before[WL_FIT_TARGET_ROOM]; /* mean |relative error| over families, with the values of the device */
    double after[WL_FIT_TARGET_ROOM];
} wl_fit_result;

/* Changes the device's numbers. WL_E_INPUT: too few launches for a target's numbers; WL_E_UNSUPPORTED: the device file
 * has no measured laws. */
WL_API WL_NODISCARD wl_status wl_fit(wl_device *device, const wl_fit_case *cases, size_t count,
                                     const wl_fit_options *options, wl_fit_result *out, wl_error *err);

/* The value a prediction and a measurement give for a target; false when it is not known or has no part in the fit:
 * times below min_time_s, memory volumes below the device's cache_remains. */
WL_API bool wl_fit_pair(wl_fit_target target, const wl_device *device, const wl_prediction *prediction,
                        const wl_measurement *measured, double min_time_s, double *predicted, double *value);

/* How well a device's numbers predict the launches of one family, target by target. */
typedef struct wl_fit_score {
    size_t count[WL_FIT_TARGET_COUNT];
    double error[WL_FIT_TARGET_COUNT], bias[WL_FIT_TARGET_COUNT]; /* means of |error| and error, relative */
} wl_fit_score;
WL_API wl_fit_score wl_fit_judge(const wl_device *device, const wl_fit_case *cases, size_t count, const char *family,
                                 double min_time_s);

/* A device file's text with new values for the fitted keys, everything else as it stands, and what was assumed because
 * the text lacks it; `origin` says what they were
 * fitted to ("h200_fit.csv, 2026-11-15"). *out is allocated with malloc. */
WL_API WL_NODISCARD wl_status wl_fit_write(const char *text, size_t length, const wl_device *device,
                                           const wl_fit_result *result, const char *origin, char **out, wl_error *err);

/* How far rankings by one time model can be trusted; per level of trust.h. */
typedef struct wl_ranking_fit {
    wl_model_id model; /* turnover or limiter */
    size_t contests, families, launches;
    size_t smallest, largest;         /* launches of a contest                                         */
    double error;                     /* a factor: rank_error                                          */
    size_t level_count;               /* levels that so many families can support                      */
    double ratio[WL_TRUST_LEVELS];    /* rank_ratio; rounded up to the four digits a file has          */
    double within[WL_TRUST_LEVELS];   /* share of a contest's launches within the ratio                */
    size_t covered_count;             /* levels that one family fewer can support                      */
    double coverage[WL_TRUST_LEVELS]; /* how often a family's fastest were within what the others give */
} wl_ranking_fit;

/* Measures what the contests say about a model and gives the device the numbers; sorts the contests.
 * WL_E_INPUT: there is no contest. */
WL_API WL_NODISCARD wl_status wl_fit_ranking(wl_device *device, wl_model_id model, wl_contest *contests, size_t count,
                                             wl_ranking_fit *out, wl_error *err);

/* As wl_fit_write, for the numbers of rankings. */
WL_API WL_NODISCARD wl_status wl_fit_write_rankings(const char *text, size_t length, const wl_device *device,
                                                    const wl_ranking_fit *rankings, size_t count, const char *origin,
                                                    char **out, wl_error *err);

#endif /* WL_FIT_H */
