/* fit.h - the numbers of a device that only measurements of kernels can give.
 *
 * Each target is a metric (or the time) and the numbers that decide it; targets are fitted one
 * after the other, since the time rests on the volumes. A fit starts from neutral values, which
 * follow from the data sheet and the latencies of the device, never from values fitted to the
 * launches by which it is judged. SPDX-License-Identifier: MIT */
#ifndef WL_FIT_H
#define WL_FIT_H

#include "warpline/compare.h"

/* Is there something to fit by this name: l1_wavefronts, l2_load_bytes, l2_store_bytes,
 * dram_load_bytes, dram_store_bytes, time? */
WL_API bool wl_fit_target_known(const char *name);
/* Is the device key of this name a number that fits find? */
WL_API bool wl_fit_number_known(const char *name);

typedef struct wl_fit_options {
    bool fits, ranks;           /* fit numbers; judge how far rankings can be trusted */
    const char *const *targets; /* which to fit; those that are not known are left out */
    size_t target_count;        /* 0: all */
    const char *const *numbers; /* which of their numbers to fit: device keys; others stay */
    size_t number_count;        /* 0: all */
    bool cross_validate;        /* fit also without each family in turn */
    double min_time_s;          /* launches measured shorter have no part in fitting the time */
    /* searches whose fastest launch was measured shorter are not used */
    double contest_time_s;
} wl_fit_options;

/* The models whose rankings are judged: turnover, limiter. */
#define WL_RANKED_MODELS 2
WL_API wl_model_id wl_ranked_model(int index);

/* What else is known about a row of the comparison. */
typedef struct wl_fit_row {
    wl_counted *counted; /* borrowed; NULL: cannot be counted */
    /* by each model, where not counted; 0: not known */
    double model_time[WL_RANKED_MODELS];
} wl_fit_row;

/* Fits to all rows and reports errors by family; families have equal weight. Borrows its arguments.
 * WL_E_INPUT: too few launches for a target's numbers, no contest; WL_E_UNSUPPORTED: no measured
 * laws. */
typedef struct wl_fit wl_fit;
WL_FALLIBLE wl_fit_run(const wl_device *device, wl_comparison *rows, const wl_fit_row *more,
                       const wl_fit_options *options, wl_fit **out, wl_error *err);
WL_API void wl_fit_free(wl_fit *fit);

/* A device file's text with the new values, everything else as it stands; `origin` says what they
 * were fitted to ("h200_fit.csv, 2026-11-15"). *out is allocated with malloc. */
WL_FALLIBLE wl_fit_write(const wl_fit *fit, const char *text, size_t length, const char *origin, char **out,
                         wl_error *err);

/* The published curves of misses, a exp(-b exp(-c O)) over the oversubscription O of a cache: of
 * what a block loads again (l1_curve), of what earlier blocks have loaded (l2_reuse_curve), of what
 * is stored again (l2_store_curve). Each launch gives a point: what could have hit, and how much of
 * it was measured to miss. */
typedef enum wl_miss_curve { WL_MISS_L1, WL_MISS_L2_REUSE, WL_MISS_L2_STORE, WL_MISS_CURVES } wl_miss_curve;
WL_API bool wl_miss_curve_find(const char *target, wl_miss_curve *out);
/* What-ifs of the device by which the launches are predicted; NULL beyond the last. */
WL_API const char *wl_miss_curve_with(wl_miss_curve curve, size_t index);
typedef struct wl_miss_fit wl_miss_fit;
/* Starts from the curve of the device, which stays borrowed. */
WL_FALLIBLE wl_miss_fit_new(wl_miss_curve curve, const wl_device *device, wl_miss_fit **out, wl_error *err);
WL_API void wl_miss_fit_free(wl_miss_fit *fit);
/* Takes the point of a launch, or counts why there is none. Texts of the row stay borrowed. */
WL_FALLIBLE wl_miss_fit_add(wl_miss_fit *fit, const wl_compared *row, const wl_prediction *prediction,
                            const wl_kernel *kernel, wl_error *err);
/* Families have equal weight. WL_E_INPUT: fewer points than numbers. */
WL_FALLIBLE wl_miss_fit_run(wl_miss_fit *fit, wl_error *err);
/* As wl_fit_write. */
WL_FALLIBLE wl_miss_fit_write(const wl_miss_fit *fit, const char *text, size_t length, const char *origin, char **out,
                              wl_error *err);

/* Curves that others have published of one GPU: latency and bandwidth over sizes, streams over
 * occupancy, short copies over block sizes (docs/manual.md, "Published curves"). */
typedef struct wl_curves wl_curves;
WL_FALLIBLE wl_curves_new(wl_curves **out, wl_error *err);
WL_API void wl_curves_free(wl_curves *curves);
/* Adds the rows of a CSV text whose device is `gpu`. WL_E_INPUT, with the place: no such table, a
 * malformed, truncated or contradictory row, no row of that device. */
WL_FALLIBLE wl_curves_add(wl_curves *curves, const char *input, const char *text, size_t length, const char *gpu,
                          wl_error *err);
/* A device file's text with the numbers that follow from the curves, and the entries of these
 * alone. What the text lacks it inherits, as before. */
WL_FALLIBLE wl_curves_fit(const wl_curves *curves, const wl_device *device, const char *text, size_t length,
                          char **file, char **found, wl_error *err);

#endif /* WL_FIT_H */
