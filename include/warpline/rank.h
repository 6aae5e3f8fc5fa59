/* rank.h - a space of launches, and the best of it.
 *
 * A space says which blocks, foldings and schedules to try; it knows neither kernel nor device. A
 * ranker is the space of one kernel on one device: its launches have numbers, 0 .. size - 1, in a
 * fixed order. One ranker per thread.
 * SPDX-License-Identifier: MIT */
#ifndef WL_RANK_H
#define WL_RANK_H

#include "warpline/predict.h"

/* ---- the space ---- */

typedef struct wl_space wl_space;

/* The default: blocks of powers of two and, in x, multiples of a warp; whole warps; no larger than
 * device and domain allow; foldings of 1 and 2 in y or z where a kernel can be folded. */
WL_FALLIBLE wl_space_new(wl_space **out, wl_error *err);
WL_API void wl_space_free(wl_space *space);

/* Changes one key, as a space file or the command line does:
 *   block.x block.y block.z   numbers: "16,32,64", "1..64", "32..1024:32" (steps of 32),
 *                             "1..1024:x2" (doubling)
 *   fold.x fold.y fold.z      likewise; all combinations
 *   fold                      shapes: "1x1x1,1x2x1"
 *   threads                   numbers a block's threads must be among: "256..1024"
 *   registers                 "40", or per folding "1x1x1:32,1x2x1:40"
 *   where                     a condition, "block.x * block.y <= 512 && fold.z == 1"; every further
 *                             one must hold, too
 *   grid                      a rule (launch.h), "cdiv(nx,block.x),ny"; without one it follows from
 *                             the domain
 *   schedule                  "linear,column:32,swizzle:8", with blocks and foldings they have a
 *                             meaning for; or "all"
 * WL_E_INPUT with the place inside `text` when it is malformed. */
WL_FALLIBLE wl_space_set(wl_space *space, const char *key, const char *text, wl_error *err);

/* Names that grid and conditions may use, to be given before them: "nx=640", and the params of a
 * kernel, which must outlive the space (NULL: none). Each kernel that is ranked gives its params
 * its own values. */
WL_FALLIBLE wl_space_names(wl_space *space, const wl_kernel *kernel, const char *const *sets, size_t count,
                           wl_error *err);

/* Reads a space file: a YAML map of the keys above. */
WL_FALLIBLE wl_space_read(wl_space *space, const char *input, const char *text, size_t length, wl_error *err);
/* Registers per folding from a file: a YAML map, "1x2x1: 40". */
WL_FALLIBLE wl_space_read_registers(wl_space *space, const char *input, const char *text, size_t length, wl_error *err);

/* These launches instead of blocks times foldings. They are copied. */
WL_FALLIBLE wl_space_list(wl_space *space, const wl_launch *launches, size_t count, wl_error *err);

/* ---- the space of one kernel on one device ---- */

/* What became of a launch. */
typedef enum wl_outcome {
#define WL_OUTCOME(id, cannot_run, text) WL_OUTCOME_##id,
#include "warpline/outcomes.def"
    WL_OUTCOME_COUNT
} wl_outcome;
#define WL_OUTCOME_ROOM 24 /* in results: further outcomes change no layout */
WL_API const char *wl_outcome_text(wl_outcome outcome);
/* Can the device not run it? (Otherwise it was left out by the space, or not predicted.) */
WL_API bool wl_outcome_cannot_run(wl_outcome outcome);

/* The metrics every record carries. */
typedef enum wl_rank_value {
    WL_RANK_l1_wavefronts,
    WL_RANK_l2_load_bytes,
    WL_RANK_l2_store_bytes,
    WL_RANK_dram_load_bytes,
    WL_RANK_dram_store_bytes,
    WL_RANK_VALUES
} wl_rank_value;
WL_API wl_metric wl_rank_metric(wl_rank_value value);

typedef struct wl_ranked {
    int64_t index; /* number of the launch in the space */
    double time_s;
    double values[WL_RANK_VALUES]; /* totals of the launch: wl_ranked_value */
    int32_t blocks_per_sm, warps_per_sm;
    uint8_t outcome, limiter, next; /* wl_outcome, wl_bound_id */
    uint8_t condition;              /* WL_OUTCOME_WHERE: which */
} wl_ranked;
/* False when it is not known. */
WL_API bool wl_ranked_value(const wl_ranked *record, wl_rank_value which, double *value);

typedef struct wl_rank_options {
    wl_predict_options predict;
    int threads; /* 0: what OpenMP takes by default */
    /* Called from the calling thread, some times a second; false stops the search and keeps what
     * was found. */
    bool (*progress)(void *user, int64_t done, int64_t total);
    /* All records, in the order of the space, those that were not predicted included; false
     * stops. */
    bool (*each)(void *user, const wl_ranked *records, size_t count);
    void *user;
} wl_rank_options;

typedef struct wl_ranker wl_ranker;
/* Borrows kernel and device; the space may be freed or changed afterwards. options may be NULL.
 * WL_E_UNSUPPORTED: neither kernel domain nor grid of the space; WL_E_INPUT: a condition or the
 * grid uses an unknown name. */
WL_FALLIBLE wl_ranker_new(const wl_kernel *kernel, const wl_device *device, const wl_space *space,
                          const wl_rank_options *options, wl_ranker **out, wl_error *err);
WL_API void wl_ranker_free(wl_ranker *ranker);
WL_API int64_t wl_ranker_size(const wl_ranker *ranker);
/* units of work of every launch; 0: they differ */
WL_API int64_t wl_ranker_items(const wl_ranker *ranker);
WL_API const wl_kernel *wl_ranker_kernel(const wl_ranker *ranker);
WL_API const wl_device *wl_ranker_device(const wl_ranker *ranker);
/* Launch number `index`, with registers where space or kernel state them, and the grid where the
 * space does. */
WL_API void wl_ranker_launch(const wl_ranker *ranker, int64_t index, wl_launch *out);
/* The launches of many records, with their grids also where these follow from the domain, and their
 * units of work (0: more than 2^60); either array may be NULL. */
WL_API void wl_ranker_launches(const wl_ranker *ranker, const wl_ranked *records, size_t count, wl_launch *launches,
                               int64_t *items);
/* The whole prediction of one launch. Its shares last until the next call. */
WL_FALLIBLE wl_ranker_predict(wl_ranker *ranker, int64_t index, wl_prediction *out, wl_error *err);
/* The conditions, as they were written; NULL beyond the last. */
WL_API const char *wl_ranker_condition(const wl_ranker *ranker, size_t index);

/* ---- the search ---- */

/* The best launches found so far, in an array of the caller's. */
typedef struct wl_ranking {
    wl_ranked *best; /* ascending time, then index, once finished */
    size_t capacity, count;
    /* launches by outcome, those the space left out beforehand included */
    int64_t outcomes[WL_OUTCOME_ROOM];
    /* WL_OUTCOME_WHERE by condition: the first that did not hold */
    int64_t conditions[64];
    bool stopped;
} wl_ranking;

/* Predicts the whole space and keeps the best `capacity` launches. Independent of the number of
 * threads. */
WL_FALLIBLE wl_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity, wl_ranking *out, wl_error *err);

/* The same in parts, to distribute the work: records first .. last - 1, then added in any order. */
WL_FALLIBLE wl_ranker_evaluate(wl_ranker *ranker, int64_t first, int64_t last, wl_ranked *records, wl_error *err);
WL_API void wl_ranking_start(const wl_ranker *ranker, wl_ranked *best, size_t capacity, wl_ranking *out);
WL_API void wl_ranking_add(wl_ranking *ranking, const wl_ranked *records, size_t count);
WL_API void wl_ranking_finish(wl_ranking *ranking);

#endif /* WL_RANK_H */
