/* advise.h - which changes to one launch of a kernel help most, as the models predict.
 *
 * Every change is tried alone against the launch given. Then the best one is kept and the others
 * are tried on top of it, until no further change helps.
 * SPDX-License-Identifier: MIT */
#ifndef WL_ADVISE_H
#define WL_ADVISE_H

#include "warpline/cause.h"
#include "warpline/predict.h"
#include "warpline/trust.h"

/* What can be changed. */
typedef enum wl_change {
#define WL_CHANGE(id, name, caveat) WL_CHANGE_##id,
#include "warpline/changes.def"
    WL_CHANGE_COUNT
} wl_change;
WL_API const char *wl_change_name(wl_change change);
/* What such a change takes for granted: one clause, no full stop. */
WL_API const char *wl_change_caveat(wl_change change);

/* What moved, as the user would see it: a metric per work item, or a number of the launch
 * ("warps_per_sm", "blocks").
 */
typedef struct wl_moved {
    const char *name; /* NULL: nothing worth naming */
    const char *unit; /* "bytes"; "" for a plain number */
    bool per_item;
    double before, after;
} wl_moved;

typedef struct wl_advice {
    uint32_t changes; /* 1u << wl_change; several in a combination                 */
    wl_launch launch; /* to start instead, with everything filled in but the grid  */
    wl_layout layout; /* for wl_kernel_with_layout; all-zero: as it is             */
    double time_s;
    double gain; /* 1 - time_s / the time of the launch given                 */
    wl_bound_id limiter, next;
    int64_t blocks_per_sm;
    wl_moved moved;
} wl_advice;

typedef struct wl_advise_options {
    wl_predict_options predict;
    int threads; /* of the searches over blocks; 0: what OpenMP takes by default */
} wl_advise_options;

/* Would trying changes take seconds? */
WL_API bool wl_prediction_is_costly(const wl_prediction *prediction);

/* The launch given and what is better than it. */
typedef struct wl_advised wl_advised;

/* options may be NULL. Fails as wl_predict does for the launch given; changes that cannot be
 * predicted are left out. */
WL_FALLIBLE wl_advise(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                      const wl_advise_options *options, wl_advised **out, wl_error *err);
WL_API void wl_advised_free(wl_advised *advised);

/* The launch as it is; without shares and lines. */
WL_API const wl_prediction *wl_advised_given(const wl_advised *advised);
/* How far the model that made the times can be trusted; changes that gain less than the least gain
 * are not listed: they are within the model's error. */
WL_API const wl_trust *wl_advised_trust(const wl_advised *advised);
WL_API double wl_advised_least_gain(const wl_advised *advised);
/* Pieces of advice, most helpful first; NULL beyond the last. */
WL_API const wl_advice *wl_advised_advice(const wl_advised *advised, size_t index);
/* Several changes together, where they gain more than any alone; else NULL. */
WL_API const wl_advice *wl_advised_combination(const wl_advised *advised);
/* What slows the launch down, sorted by the gain without it; then causes without a what-if. NULL
 * beyond the last. */
WL_API const wl_cause *wl_advised_cause(const wl_advised *advised, size_t index);
/* Accesses have to be evaluated one by one: other devices would take long, too. */
WL_API bool wl_advised_costly(const wl_advised *advised);
/* What was not tried, and why; NULL beyond the last. */
WL_API const char *wl_advised_note(const wl_advised *advised, size_t index);

/* ---- other devices ---- */

typedef struct wl_elsewhere {
    const char *name; /* of the device; devices[0]'s lives as long as the device given */
    bool fits;        /* the launch can be started there */
    double time_s;    /* of the launch given, where it fits */
    wl_bound_id limiter;
    /* the fastest launch of the same folding; the launch given where blocks are left alone, or
     * where the accesses have no closed form and a search would take too long */
    wl_launch best;
    double best_s;
} wl_elsewhere;

/* The launch on `device` (devices[0]) and on the built-in devices of other names, fastest best
 * launch first; *count is how many were filled. One model for all, in
 * *model: the one options asks for, else the default of `device`. Devices on which nothing fits, or
 * without the model's numbers, are left out. */
WL_FALLIBLE wl_advise_devices(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                              const wl_advise_options *options, wl_elsewhere *devices, size_t capacity, size_t *count,
                              wl_model_id *model, wl_error *err);

/* ---- which schedule suits a launch ---- */

typedef struct wl_choice_options {
    wl_predict_options predict;
    /* to try, 1u << wl_schedule_kind each; 0: all */
    unsigned orders;
    /* of columns, zigzags and tiles, groups of a swizzle; NULL: some that are often good */
    const int64_t *widths;
    size_t width_count;
} wl_choice_options;

/* The launch in linear order, then others of as many threads. options may be NULL. Fails as
 * wl_predict does for the launch given; others that cannot be predicted are left out with a note.
 * WL_E_UNSUPPORTED: no schedule applies to the launch. */
typedef struct wl_choice wl_choice;
WL_FALLIBLE wl_choose_schedule(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                               const wl_choice_options *options, wl_choice **out, wl_error *err);
WL_API void wl_choice_free(wl_choice *choice);
/* NULL beyond the last */
WL_API const wl_prediction *wl_choice_at(const wl_choice *choice, size_t index);
/* 0, the launch given: no other gains more than the error of the model */
WL_API size_t wl_choice_best(const wl_choice *choice);

#endif /* WL_ADVISE_H */
