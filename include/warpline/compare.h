/* compare.h - how far predictions are from measurements, and which kernel a measured row is a
 * launch of.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COMPARE_H
#define WL_COMPARE_H

#include "warpline/measure.h"
#include "warpline/predict.h"

/* Both above or equal to 0. */
typedef struct wl_pair {
    double measured, predicted;
} wl_pair;

/* predicted / measured - 1; 0 when both are 0. False when only the measured value is 0: there is no
 * such number. */
WL_API bool wl_pair_error(wl_pair pair, double *error);
/* The same count, but for the rounding of a conversion. */
WL_API bool wl_pair_exact(wl_pair pair);

typedef struct wl_agreement {
    size_t count;             /* pairs with an error                                              */
    size_t left_out;          /* pairs without: measured 0, predicted not                         */
    size_t exact;             /* of `count`                                                       */
    double mean, median, max; /* of |error|                                                       */
    double bias;              /* mean of the signed errors                                        */
    bool tau_known;           /* at least two different values on either side                     */
    double tau;               /* Kendall's tau-b of all pairs: 1 same order, 0 none, -1 reversed  */
} wl_agreement;

/* WL_E_NOMEM only. All zero for no pairs. */
WL_FALLIBLE wl_agreement_compute(const wl_pair *pairs, size_t count, wl_agreement *out, wl_error *err);

/* Of times: the best measured one over that of the launch predicted to be best. Of several
 * predicted equally fast, the slowest counts. False when there is no pair or a time is 0. */
WL_API bool wl_best_pick(const wl_pair *times, size_t count, double *efficiency);

/* The predicted time as this one was measured: with the launch gap, unless a profiler measured. */
WL_API double wl_time_as_measured(const wl_prediction *prediction, const wl_measurement *measurement);

/* ---- launches on both sides ---- */

/* One launch. Texts are borrowed, and stay so in a comparison. */
typedef struct wl_compared {
    const char *table, *family;
    const char *kernel, *const *sets; /* what is computed, but for the row's own params: "a=1" */
    size_t set_count;
    const wl_measurement *measurement;
} wl_compared;

/* Rows, what was left out of them, and groups with their statistics (report.h shows them). `source`
 * says whose rows they are, `title` describes the device; times measured shorter than min_time_s
 * have no part in the statistics. */
typedef struct wl_comparison wl_comparison;
WL_FALLIBLE wl_comparison_new(const char *source, const char *device, const char *title, double min_time_s,
                              wl_comparison **out, wl_error *err);
WL_API void wl_comparison_free(wl_comparison *comparison);
/* Which values to compare: metrics by name, and "time"; all unless some are wanted. False: no such
 * value. */
WL_API bool wl_comparison_want(wl_comparison *comparison, const char *value);
/* Copies what is wanted of both sides. */
WL_FALLIBLE wl_comparison_add(wl_comparison *comparison, const wl_compared *row, const wl_prediction *prediction,
                              wl_error *err);
/* The time of the last row by another model, as it was measured. */
WL_API void wl_comparison_add_time(wl_comparison *comparison, wl_model_id model, double time_s);
WL_API size_t wl_comparison_count(const wl_comparison *comparison);
/* Something left out, at this line (0: none in particular). Equal reasons are counted. */
WL_FALLIBLE wl_comparison_skip(wl_comparison *comparison, const char *table, int32_t line, size_t count,
                               const char *reason, wl_error *err);
/* By "family", "variant", "params" or "all". */
WL_FALLIBLE wl_comparison_group(wl_comparison *comparison, const char *by, wl_error *err);

/* ---- maps ---- */
/* Which kernel belongs to which rows: a YAML list of
 *   {family: star7, variant: "*_b32", kernel: star7_f32.yaml, set: {a: 1}, fold: [1, 2, 1]}
 * Only `kernel` is required, or `skip`, the reason why such rows have none; family and variant are
 * patterns of * and ?. Of kernels in PTX also `entry`, `block`, `grid` (which launches), `args`,
 * `constants`, `dynamic_shared` (ptx.h). */
typedef struct wl_map_entry {
    const char *family, *variant, *entry; /* NULL: any */
    const char *kernel, *skip;            /* one of them, or neither */
    /* "column:{col}", {..} being params; NULL: linear */
    const char *schedule;
    const char *const *sets, *const *args, *const *constants; /* "a=1" */
    size_t set_count, arg_count, constant_count;
    int64_t fold[3], block[3], grid[3], dynamic_shared; /* 0: not given */
} wl_map_entry;
typedef struct wl_map wl_map;
/* WL_E_INPUT: malformed text, unknown key, no entries. */
WL_FALLIBLE wl_map_parse(const char *input, const char *text, size_t length, wl_map **out, wl_error *err);
WL_API void wl_map_free(wl_map *map);
WL_API const wl_map_entry *wl_map_at(const wl_map *map, size_t index); /* NULL: there are fewer */
/* Whether an entry is for a row. Families and variants are patterns, as fnmatch(3) knows them. */
WL_API bool wl_map_entry_fits(const wl_map_entry *entry, const wl_measurement *row);
/* the first that is, or NULL */
WL_API const wl_map_entry *wl_map_find(const wl_map *map, const wl_measurement *row);
/* The folding a variant's name tells: "r4_fy2_fz1_b64" is {1,2,1}; 1 where it says nothing. */
WL_API void wl_variant_fold(const char *variant, int64_t fold[3]);

#endif /* WL_COMPARE_H */
