/* predict.h - the prediction: metrics, what limits the kernel, how long it takes, and what had to be assumed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PREDICT_H
#define WL_PREDICT_H

#include "warpline/device.h"
#include "warpline/kernel.h"
#include "warpline/launch.h"
#include "warpline/metrics.h"
#include "warpline/mix.h"

/* A named share of a metric; the parts of a value add up to it. */
#define WL_PARTS_MAX 8
typedef struct wl_part {
    const char *name;
    double value;
} wl_part;

/* A value that is not known has known == false: never 0, never -1. */
typedef struct wl_value {
    bool known;
    double value;
    int part_count;
    wl_part parts[WL_PARTS_MAX];
} wl_value;

/* What one field, or one access, contributes to the volumes; all in launch totals. */
typedef struct wl_share {
    double inst, l1_wavefronts, l1_sectors, l2_load_bytes, l2_store_bytes, dram_load_bytes, dram_store_bytes;
} wl_share;

/* The reuse of one wave from the blocks that ran before it, one row per direction. */
typedef struct wl_reuse {
    bool exists;             /* some earlier block lies in that direction              */
    double overlap_bytes;    /* of one wave's loads, not counting nearer directions    */
    double oversubscription; /* volume that must be held / room in the L2              */
    double hit_rate;
} wl_reuse;

typedef enum wl_bound_id {
#define WL_BOUND(id, name, meaning, ...) WL_BOUND_##id,
#include "warpline/bounds.def"
    WL_BOUND_COUNT
} wl_bound_id;
WL_API const char *wl_bound_name(wl_bound_id bound);
WL_API const char *wl_bound_meaning(wl_bound_id bound);
/* The metrics a bound follows from, the leading one at index 0; false beyond the last. */
WL_API bool wl_bound_metric(wl_bound_id bound, size_t index, wl_metric *metric);

typedef struct wl_model_result {
    const char *name;
    double time_s, items_per_s;
    wl_bound_id limiter, next;      /* the largest bound and the one after it */
    double own_cycles, wait_cycles; /* of one block: turnover only */
    bool bound_known[WL_BOUND_COUNT];
    double bound_s[WL_BOUND_COUNT];
} wl_model_result;

#define WL_WARNINGS_MAX 32
#define WL_WARNING_LENGTH 240

typedef struct wl_prediction {
    wl_launch launch; /* with everything filled in */
    wl_occupancy occupancy;
    int64_t items; /* lattice updates */
    int64_t threads_per_block, blocks, wave_blocks;
    double waves;
    wl_value metrics[WL_METRIC_COUNT];
    bool has_mix; /* the kernel says what its instructions are */
    wl_mix mix;
    double l1_oversubscription, l1_miss_rate; /* of redundant loads */
    wl_reuse reuse[3];                        /* x, y, z */
    /* Which estimator gave what: "tag-hash", "bank-distance", "reuse-sets", ... */
    const char *l1_estimator, *volume_estimator, *count_method;
    wl_model_result model;
    int warning_count;
    char warnings[WL_WARNINGS_MAX][WL_WARNING_LENGTH];
    /* Borrowed from the predictor: valid until its next prediction. accesses is NULL unless asked for. All are NULL
     * where a prediction outlives the predictor that made it: of wl_counted_predict, of wl_advise. */
    const wl_kernel *kernel; /* as it is for this launch: fields and accesses are its own */
    const wl_share *fields;
    const wl_share *accesses;
    const wl_line_mix *lines; /* most executed first; NULL unless asked for, and where no source lines are known */
    size_t line_count;
} wl_prediction;

/* WL_MODEL_BEST: turnover where the device has its numbers, else limiter. */
typedef enum wl_model_id { WL_MODEL_BEST, WL_MODEL_LIMITER, WL_MODEL_TURNOVER } wl_model_id;
WL_API const char *wl_model_name(wl_model_id model);
WL_API bool wl_model_find(const char *name, wl_model_id *model);

typedef struct wl_predict_options {
    bool per_access; /* attribute volumes to accesses, in program order: the first to touch a granule pays */
    bool emulate;    /* count instructions by emulation also where a closed form does: predication, divergence */
    bool per_line;   /* and by source line */
    wl_model_id model;
    int64_t l1_samples; /* warp instructions evaluated for the tag hash; 0: the default; -1: all of them */
} wl_predict_options;

/* A predictor holds what does not depend on the launch, and the scratch memory. It borrows kernel and device, which
 * must outlive it. One predictor per thread. */
typedef struct wl_predictor wl_predictor;
WL_API WL_NODISCARD wl_status wl_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out,
                                               wl_error *err);
WL_API void wl_predictor_free(wl_predictor *predictor);

/* Fills *out for one launch. options may be NULL.
 * WL_E_INPUT: the launch is out of the device's range; WL_E_RANGE: an address leaves 2^60; WL_E_LIMIT: too much to
 * enumerate. */
WL_API WL_NODISCARD wl_status wl_predict(wl_predictor *predictor, const wl_launch *launch,
                                         const wl_predict_options *options, wl_prediction *out, wl_error *err);

/* The counts behind a prediction, kept: other numbers of the same device (fitted ones: `warpline fit`) can be tried
 * without counting again. Outlives kernel and predictor. WL_E_UNSUPPORTED: the device's volumes come from curves, not from laws,
 * or cannot be counted. */
typedef struct wl_counted wl_counted;
WL_API WL_NODISCARD wl_status wl_counted_make(wl_predictor *predictor, const wl_launch *launch,
                                              const wl_predict_options *options, wl_counted **out, wl_error *err);
/* No shares, and no warnings about what was assumed. */
WL_API void wl_counted_predict(const wl_counted *counted, const wl_device *device, wl_model_id model,
                               wl_prediction *out);
WL_API void wl_counted_free(wl_counted *counted);

/* The layer condition of a sequential sweep over the domain: the layers of the outermost dimension that loads must
 * find in the L2, against half of its room (the other half is the stores'). */
typedef struct wl_layer_condition {
    int64_t layers;      /* of the field that reaches farthest   */
    double needed_bytes; /* all fields' layers together          */
    double room_bytes;   /* half of l2_size / l2_partitions      */
    bool holds;
} wl_layer_condition;
/* WL_E_UNSUPPORTED when the kernel has no domain, or loads that are not affine. */
WL_API WL_NODISCARD wl_status wl_layer_condition_check(const wl_kernel *kernel, const wl_device *device,
                                                       wl_layer_condition *out, wl_error *err);

/* The prediction as text. *out is allocated with malloc and belongs to the caller. TEXT is for people, JSON follows the
 * schema warpline.predict/1 (JSON_LINE the same on one line), CSV is a header and one line. */
typedef enum wl_format { WL_FORMAT_TEXT, WL_FORMAT_JSON, WL_FORMAT_JSON_LINE, WL_FORMAT_CSV } wl_format;
WL_API WL_NODISCARD wl_status wl_prediction_render(const wl_prediction *prediction, const wl_kernel *kernel,
                                                   const wl_device *device, wl_format format, char **out,
                                                   wl_error *err);

/* Several launches of one kernel side by side, with a bar for the parts of the memory volume. */
WL_API WL_NODISCARD wl_status wl_predictions_table(const wl_prediction *predictions, size_t count,
                                                   const wl_kernel *kernel, const wl_device *device, char **out,
                                                   wl_error *err);

#endif /* WL_PREDICT_H */
