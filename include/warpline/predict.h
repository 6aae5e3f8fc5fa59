/* predict.h - the prediction: metrics, what limits the kernel, how long it takes, and what had to
 * be assumed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PREDICT_H
#define WL_PREDICT_H

#include "warpline/device.h"
#include "warpline/kernel.h"
#include "warpline/launch.h"
#include "warpline/metrics.h"
#include "warpline/mix.h"

typedef enum wl_bound_id {
#define WL_BOUND(id, name, meaning, ...) WL_BOUND_##id,
#include "warpline/bounds.def"
    WL_BOUND_COUNT
} wl_bound_id;
WL_API const char *wl_bound_name(wl_bound_id bound);
WL_API const char *wl_bound_meaning(wl_bound_id bound);
/* The metrics a bound follows from, the leading one at index 0; false beyond the last. */
WL_API bool wl_bound_metric(wl_bound_id bound, size_t index, wl_metric *metric);

typedef enum wl_model_id {
#define WL_MODEL(id, name, meaning) WL_MODEL_##id,
#include "warpline/models.def"
    WL_MODEL_COUNT
} wl_model_id;
WL_API const char *wl_model_name(wl_model_id model);
WL_API bool wl_model_find(const char *name, wl_model_id *model);

/* ---- what a prediction says ---- */

/* The results of one launch. Tables (*.def) grow at their end, so programs built against an older
 * library still work. A value that is not known is not given: false (or NULL), and *value is left
 * alone. All values are launch totals. */
typedef struct wl_prediction wl_prediction;
WL_FALLIBLE wl_prediction_new(wl_prediction **out, wl_error *err);
WL_API void wl_prediction_free(wl_prediction *prediction);

/* The launch with everything filled in, and what the device makes of it. */
WL_API const wl_launch *wl_prediction_launch(const wl_prediction *prediction);
WL_API const wl_occupancy *wl_prediction_occupancy(const wl_prediction *prediction);
WL_API int64_t wl_prediction_items(const wl_prediction *prediction); /* units of work: */
/* "LUP" or "cell", see wl_kernel_unit */
WL_API const char *wl_prediction_unit(const wl_prediction *prediction);
WL_API int64_t wl_prediction_blocks(const wl_prediction *prediction);
WL_API int64_t wl_prediction_wave_blocks(const wl_prediction *prediction); /* resident at once */

WL_API bool wl_prediction_metric(const wl_prediction *prediction, wl_metric metric, double *value);
/* Part number `index` of a metric by name, NULL beyond the last; the parts of a metric add up to
 * it. */
WL_API const char *wl_prediction_part(const wl_prediction *prediction, wl_metric metric, size_t index, double *value);
/* Warp and thread instructions of a class; false when the kernel does not say what its instructions
 * are. */
WL_API bool wl_prediction_instructions(const wl_prediction *prediction, wl_inst_class of, double *warp, double *thread);

/* that made the time: never WL_MODEL_BEST */
WL_API wl_model_id wl_prediction_model(const wl_prediction *prediction);
/* Seconds: the duration of the kernel, as profilers show it; and by how much longer it takes
 * between two events of the host. */
WL_API double wl_prediction_time(const wl_prediction *prediction);
WL_API double wl_prediction_launch_gap(const wl_prediction *prediction);
/* What the L2 holds when a launch starts: what an earlier equal launch has left there, or nothing,
 * as Nsight Compute sees to it. */
typedef enum wl_caches { WL_CACHES_WARM, WL_CACHES_COLD } wl_caches;
WL_API const char *wl_caches_name(wl_caches caches); /* "warm", "cold" */
WL_API wl_caches wl_caches_of(const char *name);     /* warm for other names, and for NULL */
/* How long each resource alone would take; the largest bound, and the one after it. */
WL_API bool wl_prediction_bound(const wl_prediction *prediction, wl_bound_id bound, double *seconds);
WL_API wl_bound_id wl_prediction_limiter(const wl_prediction *prediction);
WL_API wl_bound_id wl_prediction_next_limiter(const wl_prediction *prediction);

/* The reuse of one wave from the blocks that ran before it, one row per direction. */
typedef struct wl_reuse {
    bool exists;             /* some earlier block lies in that direction              */
    double overlap_bytes;    /* of one wave's loads, not counting nearer directions    */
    double oversubscription; /* volume that must be held / room in the L2              */
    double hit_rate;
} wl_reuse;
/* x, y, z: 0, 1, 2 */
WL_API const wl_reuse *wl_prediction_reuse(const wl_prediction *prediction, int direction);
/* Of loads that a block repeats: what they touch over the room in the L1, and the share that
 * misses. */
WL_API double wl_prediction_l1_oversubscription(const wl_prediction *prediction);
WL_API double wl_prediction_l1_miss_rate(const wl_prediction *prediction);

/* Everything that was assumed, sampled or is unknown; NULL beyond the last. */
WL_API const char *wl_prediction_warning(const wl_prediction *prediction, size_t index);
/* Do threads access memory outside of all buffers? The warnings say which. */
WL_API bool wl_prediction_is_outside(const wl_prediction *prediction);
/* How many impossible values were clamped: a fault of the model, named in the warnings. */
WL_API int wl_prediction_clamped(const wl_prediction *prediction);
/* Where blocks were sampled: load and store instructions and sectors are within this, relatively (3
 * sigma). */
WL_API bool wl_prediction_sampled_error(const wl_prediction *prediction, double *error);

/* The following are borrowed from the predictor: valid until its next prediction. */

/* The kernel as it is for this launch: its fields and accesses are those the shares are of. */
WL_API const wl_kernel *wl_prediction_kernel(const wl_prediction *prediction);
/* What a field, or an access, contributes to the volumes. NULL for accesses unless asked for. */
typedef struct wl_share {
    double inst, l1_wavefronts, l1_sectors, l2_load_bytes, l2_store_bytes, dram_load_bytes, dram_store_bytes;
} wl_share;
WL_API const wl_share *wl_prediction_field_share(const wl_prediction *prediction, size_t field);
WL_API const wl_share *wl_prediction_access_share(const wl_prediction *prediction, size_t access);
/* Instructions by source line, most executed first; NULL beyond the last, and where they were not
 * asked for or no source lines are known. */
WL_API const wl_line_mix *wl_prediction_line(const wl_prediction *prediction, size_t index);

/* ---- how it is made ---- */

typedef struct wl_predict_options {
    /* attribute volumes to accesses: a granule counts for the first access to it */
    bool per_access;
    /* count instructions by emulation also where a closed form does: predication, divergence */
    bool emulate;
    bool per_line;   /* and by source line */
    bool confidence; /* render what the error on this device is known or believed to be: trust.h */
    bool stacks;     /* where the cycles go, by part and by interval of a warp's life: report.h */
    /* WL_E_UNSUPPORTED, input "--incomplete", where the kernel has gaps (wl_kernel_gap) */
    bool complete;
    bool outside; /* predict launches that access memory outside of buffers; else WL_E_BOUNDS */
    wl_model_id model;
    wl_caches caches;
    /* Volumes and wavefronts to make the time of, by metric, in the place of those counted; NAN:
     * as counted. NULL: all as counted. What other metrics say, and waits, stay as they are. */
    const double *measured;
    /* warp instructions evaluated for the tag hash; 0: the default; -1: all of them */
    int64_t l1_samples;
    /* Volumes from simulated caches, without a fitted curve: addresses to evaluate, at most; -1:
     * the default; 0: from laws or curves. WL_E_UNSUPPORTED: the addresses cannot be enumerated. */
    int64_t simulate;
} wl_predict_options;

/* A predictor holds what does not depend on the launch, and the scratch memory. It borrows kernel
 * and device, which must outlive it. One predictor per thread. */
typedef struct wl_predictor wl_predictor;
WL_FALLIBLE wl_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err);
WL_API void wl_predictor_free(wl_predictor *predictor);

/* Fills *out for one launch. options may be NULL. WL_E_INPUT: the launch is out of the device's
 * range; WL_E_RANGE: an address leaves 2^60; WL_E_LIMIT: too much to enumerate. */
WL_FALLIBLE wl_predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                       wl_prediction *out, wl_error *err);

/* The counts behind a prediction, kept: other numbers of the same device can be tried without
 * counting again. Outlives kernel and predictor. WL_E_UNSUPPORTED: volumes come from curves, not
 * from laws, or cannot be counted. */
typedef struct wl_counted wl_counted;
WL_FALLIBLE wl_counted_make(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                            wl_counted **out, wl_error *err);
/* No shares, and no warnings about what was assumed. One thread at a time; WL_E_NOMEM. */
WL_FALLIBLE wl_counted_predict(wl_counted *counted, const wl_device *device, wl_model_id model, wl_prediction *out,
                               wl_error *err);
WL_API void wl_counted_free(wl_counted *counted);

/* Forms of results. A prediction as text, which the caller frees. JSON: schema warpline.predict/2,
 * an array of one (report.h writes several); JSON_LINE: warpline.prediction/2, that one alone; CSV:
 * a header and one line. */
typedef enum wl_format {
    WL_FORMAT_TEXT,
    WL_FORMAT_JSON,
    WL_FORMAT_JSON_LINE,
    WL_FORMAT_CSV,
    WL_FORMAT_SVG,
    /* TEXT with bytes of wl_text_mark in it, for programs that show it in their own way */
    WL_FORMAT_MARKED
} wl_format;

typedef enum wl_text_mark {
    WL_MARK_END = 1,  /* of the part of a line that began last */
    WL_MARK_HEADLINE, /* what it is about */
    WL_MARK_LIMITER,  /* the bound that limits */
    WL_MARK_BEST,     /* of several launches */
    WL_MARK_FAILURE,  /* of a check */
    /* first in a line that may be broken between words. The byte after it, less ' ': by how many
     * columns what is broken off is set in */
    WL_MARK_LINE,
    WL_MARK_NOTE, /* the same of a line that says what was assumed: no result */
    /* a part of a table begins or ends that can be left out where there are few columns */
    WL_MARK_WIDE,
    /* like LINE, for a row of a table: broken only where a terminal is too narrow for it. (9 and 10
     * are a tab and the end of a line.) */
    WL_MARK_ROW = 11
} wl_text_mark;

WL_FALLIBLE wl_prediction_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                                 wl_format format, char **out, wl_error *err);

/* Several launches of one kernel side by side, with a bar for the parts of the memory volume: TEXT
 * or MARKED. */
WL_FALLIBLE wl_predictions_table(const wl_prediction *const *predictions, size_t count, const wl_kernel *kernel,
                                 const wl_device *device, wl_format format, char **out, wl_error *err);
/* The same for several devices, one for each prediction: times are compared with those on the first
 * of them. */
WL_FALLIBLE wl_predictions_by_device(const wl_prediction *const *predictions, const wl_device *const *devices,
                                     size_t count, const wl_kernel *kernel, wl_format format, char **text,
                                     wl_error *err);

#endif /* WL_PREDICT_H */
