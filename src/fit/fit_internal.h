/* fit_internal.h - the steps of a fit and their results.
 *
 * Layer  fit. Units: base units of the keys; relative errors. Oracle: tests/unit/test_fit.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_FIT_INTERNAL_H
#define WL_FIT_INTERNAL_H

#include "compare/contest.h"
#include "warpline/fit.h"
#include "warpline/trust.h"

/* One measured launch with its counts. */
typedef struct wl_fit_case {
    wl_counted *counted;
    const wl_measurement *measured;
    const char *family; /* every family has the same weight */
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
const char *wl_fit_target_name(wl_fit_target target);
bool wl_fit_target_find(const char *name, wl_fit_target *target);

/* One fitted number. */
typedef struct wl_fit_number {
    wl_fit_target target;
    wl_device_key key;
    size_t index; /* in a list */
    double start, fitted;
    /* standard deviation of ln(fitted), from the residuals; 0: not determined by the data */
    double deviation;
} wl_fit_number;
#define WL_FIT_NUMBERS_MAX 40

typedef struct wl_number_options {
    bool targets[WL_FIT_TARGET_COUNT]; /* which to fit; none: all */
    const char *const *numbers;        /* names of keys that are fitted; others stay */
    size_t number_count;               /* 0: all */
    const char *without;               /* a family to leave out; NULL: none */
    double min_time_s;                 /* shorter launches are ignored when fitting the time */
} wl_number_options;

typedef struct wl_fit_result {
    size_t number_count;
    wl_fit_number numbers[WL_FIT_NUMBERS_MAX];
    size_t used[WL_FIT_TARGET_COUNT]; /* launches that took part */
    /* mean |relative error| over families, with the device's own values */
    double before[WL_FIT_TARGET_COUNT];
    double after[WL_FIT_TARGET_COUNT];
} wl_fit_result;

/* Changes the device's numbers. WL_E_INPUT: too few launches for a target's numbers.
 * WL_E_UNSUPPORTED: the device file has no measured laws. */
wl_status wl_fit_numbers(wl_device *device, const wl_fit_case *cases, size_t count, const wl_number_options *options,
                         wl_fit_result *out, wl_error *err);

/* The predicted and the measured value of a target. False if unknown or ignored by the fit: times
 * below min_time_s, DRAM volumes below the size of the L2. */
bool wl_fit_pair(wl_fit_target target, const wl_device *device, const wl_prediction *prediction,
                 const wl_measurement *measured, double min_time_s, double *predicted, double *value);

/* How well a device's numbers predict the launches of one family, per target. */
typedef struct wl_fit_score {
    size_t count[WL_FIT_TARGET_COUNT];
    /* means of |error| and error, relative */
    double error[WL_FIT_TARGET_COUNT], bias[WL_FIT_TARGET_COUNT];
} wl_fit_score;
wl_status wl_fit_judge(const wl_device *device, const wl_fit_case *cases, size_t count, const char *family,
                       double min_time_s, wl_fit_score *out, wl_error *err);

/* A device file's text with new values for the fitted keys and with the assumed values it lacks;
 * everything else stays. `origin` says what they were fitted to ("h200_fit.csv, 2026-11-15"). *out
 * is allocated with malloc. */
wl_status wl_fit_write_numbers(const char *text, size_t length, const wl_device *device, const wl_fit_result *result,
                               const char *origin, char **out, wl_error *err);

/* How far rankings by one time model can be trusted, per level of trust.h. */
typedef struct wl_ranking_fit {
    wl_model_id model; /* turnover or limiter */
    size_t contests, families, launches;
    size_t smallest, largest;       /* launches of a contest */
    double error;                   /* a factor: rank_error */
    size_t level_count;             /* levels that so many families can support */
    double ratio[WL_TRUST_LEVELS];  /* rank_ratio; rounded up to the four digits of a file */
    double within[WL_TRUST_LEVELS]; /* share of a contest's launches within the ratio */
    size_t covered_count;           /* levels that one family fewer can support */
    /* how often the fastest launches of a family are within the ratio from the other families */
    double coverage[WL_TRUST_LEVELS];
} wl_ranking_fit;

/* Do devices have the numbers of rankings by this model (rank_ratio, rank_error)? Those of others
 * are only shown, for comparison. */
static inline bool wl_ranking_is_kept(wl_model_id model) { return model == WL_MODEL_TURNOVER; }

/* Computes how far contests let us trust a model and stores that in the device, if it is kept;
 * sorts the contests. WL_E_INPUT: no contest. */
wl_status wl_fit_ranking(wl_device *device, wl_model_id model, wl_contest *contests, size_t count, wl_ranking_fit *out,
                         wl_error *err);

/* Like wl_fit_write_numbers, for the numbers of rankings. */
wl_status wl_fit_write_rankings(const char *text, size_t length, const wl_device *device,
                                const wl_ranking_fit *rankings, size_t count, const char *origin, char **out,
                                wl_error *err);

/* The text with the device's values for the keys that have a source; "": these entries alone. */
wl_status wl_fit_write_keys(const char *text, size_t length, const wl_device *device,
                            const char *const sources[WL_DEVICE_KEY_COUNT], char **out, wl_error *err);

/* A whole fit. */
struct wl_fit {
    wl_fit_options options;
    bool targets[WL_FIT_TARGET_COUNT]; /* which to fit; none: all */
    wl_device *device;                 /* with the fitted numbers */
    wl_fit_case *cases;
    size_t count;
    const char **families;
    size_t family_count;
    /* per family: the device's own numbers, fitted, fitted without it */
    wl_fit_score *before, *after, *left_out;
    wl_fit_result result;
    wl_ranking_fit rankings[WL_RANKED_MODELS];
    wl_contest_list contests[WL_RANKED_MODELS]; /* of each ranking */
    size_t ranking_count;                       /* models that can predict the launches */
};

#endif /* WL_FIT_INTERNAL_H */
