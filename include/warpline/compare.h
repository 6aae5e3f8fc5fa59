/* compare.h - how far predictions are from measurements, and which kernel a measured row is a launch of.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COMPARE_H
#define WL_COMPARE_H

#include "warpline/measure.h"

/* Both above or equal to 0. */
typedef struct wl_pair {
    double measured, predicted;
} wl_pair;

/* predicted / measured - 1; 0 when both are 0. False when only the measured value is 0: there is no such number. */
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
WL_API WL_NODISCARD wl_status wl_agreement_compute(const wl_pair *pairs, size_t count, wl_agreement *out,
                                                   wl_error *err);

/* Of pairs that are times: the best measured time over the measured time of the launch predicted to be best. 1: the
 * prediction picks the best launch. Of several predicted equally fast, the slowest counts. False when there is no pair
 * or a time is 0. */
WL_API bool wl_best_pick(const wl_pair *times, size_t count, double *efficiency);

/* A contest: launches of one kernel with the same params that differ in block or fold, all measured. It tells how far
 * a ranking by predicted times can be trusted (docs/model.md). */
#define WL_CONTEST_LEAST 6 /* launches; fewer are no contest */
typedef struct wl_contest {
    const char *family;   /* borrowed; its contests are alike, and weigh as much as those of any other together */
    const wl_pair *times; /* of its launches; borrowed */
    size_t launches;
    double ratio;  /* predicted time of the launch measured fastest over the shortest predicted time: 1 or more. Of
                      several measured equally fast, the one predicted fastest counts: to find one of them is enough */
    double error;  /* mean |deviation| of ln(predicted / measured) from its mean */
    double weight; /* one over the family's contests: set by wl_contests_prepare */
} wl_contest;

/* Fills *out but for family and weight. False when there are fewer than WL_CONTEST_LEAST launches, or a time is 0. */
WL_API bool wl_contest_judge(const wl_pair *times, size_t count, wl_contest *out);

/* Sets the weights and sorts by ratio, as the functions below want it. The number of families. */
WL_API size_t wl_contests_prepare(wl_contest *contests, size_t count);
/* The ratio within which the fastest launch of a contest of a family not seen is predicted with at least this
 * probability: each of F families has the mass 1 / (F + 1), the family to come the rest. `without`: a family left out,
 * or NULL. False when F / (F + 1) does not reach the probability. */
WL_API bool wl_contests_ratio(const wl_contest *contests, size_t count, const char *without, double probability,
                              double *ratio);
/* The share of contests whose fastest launch is within the ratio that the other families give, families weighing
 * alike. False when the other families do not reach the probability. */
WL_API bool wl_contests_coverage(const wl_contest *contests, size_t count, double probability, double *coverage);
/* Means over the contests, families weighing alike; 0 for no contests: of the error, and of the share of launches
 * predicted within `ratio` of the shortest predicted time, which is what there is to measure. */
WL_API double wl_contests_error(const wl_contest *contests, size_t count);
WL_API double wl_contests_within(const wl_contest *contests, size_t count, double ratio);

/* ---- launches on both sides ---- */

/* The values compared: every metric, and the time. */
enum { WL_VALUE_TIME = WL_METRIC_COUNT, WL_VALUE_COUNT };
WL_API const char *wl_compared_name(int value);
WL_API const char *wl_compared_unit(int value);

/* Texts are borrowed. */
typedef struct wl_compared {
    const char *table, *family;
    const char *kernel;      /* with ... */
    const char *const *sets; /* ... these params: what is computed, but for the row's own params */
    size_t set_count;
    const wl_measurement *measurement;
    int64_t block[3], fold[3], grid[3]; /* as predicted */
    bool measured_known[WL_VALUE_COUNT], predicted_known[WL_VALUE_COUNT];
    double measured[WL_VALUE_COUNT], predicted[WL_VALUE_COUNT];
    size_t group, family_group; /* numbers, once there are groups */
} wl_compared;
/* False when there is no error: a side is unknown, or the measured value is 0. */
WL_API bool wl_compared_error(const wl_compared *row, int value, double *error);

typedef struct wl_compared_group {
    char *name;
    size_t first, rows; /* its first row; how many */
    wl_agreement values[WL_VALUE_COUNT];
    bool pick_known;
    double pick; /* measured best over measured time of the predicted best */
} wl_compared_group;

/* What was left out, and why. Equal reasons are counted. */
typedef struct wl_skipped {
    const char *table; /* borrowed */
    int32_t line;      /* of the first; 0: none in particular */
    size_t count;
    char *reason;
} wl_skipped;

/* All-zero but for what is shown and min_time_s to begin with. */
typedef struct wl_comparison {
    const char *source, *device, *title; /* of the rows' kernels; the device and its title */
    double min_time_s;                   /* times measured shorter have no part in the statistics */
    wl_compared *rows;
    size_t row_count, row_capacity;
    wl_compared_group *groups, *families;
    size_t group_count, family_count;
    wl_skipped *skips;
    size_t skip_count, skip_capacity;
} wl_comparison;
WL_API WL_NODISCARD wl_status wl_comparison_add(wl_comparison *comparison, const wl_compared *row, wl_error *err);
WL_API WL_NODISCARD wl_status wl_comparison_skip(wl_comparison *comparison, const char *table, int32_t line,
                                                 size_t count, const char *reason, wl_error *err);
/* Is this value of this row part of the statistics? */
WL_API bool wl_comparison_counts(const wl_comparison *comparison, const wl_compared *row, int value);
/* Fills groups and families: by "family", "variant", "params" or "all". */
WL_API WL_NODISCARD wl_status wl_comparison_group(wl_comparison *comparison, const char *by, wl_error *err);
/* Fills groups with rows that compute the same, whatever the launch; no statistics. */
WL_API WL_NODISCARD wl_status wl_comparison_group_problems(wl_comparison *comparison, wl_error *err);
WL_API void wl_comparison_free(wl_comparison *comparison);

/* The contests among groups of problems, with these predicted times of the rows (0: not known). Those whose fastest
 * launch was measured shorter than min_time_s are left out. Contests borrow from the rest. */
typedef struct wl_contest_list {
    wl_contest *contests;
    size_t count;
    wl_pair *times;
} wl_contest_list;
WL_API WL_NODISCARD wl_status wl_comparison_contests(const wl_comparison *comparison, const double *times,
                                                     double min_time_s, wl_contest_list *out, wl_error *err);
WL_API void wl_contest_list_free(wl_contest_list *list);

/* ---- maps ---- */

/* Which kernel belongs to which rows: a YAML list of
 *   {family: star7, variant: "*_b32", kernel: star7_f32.yaml, set: {a: 1}, fold: [1, 2, 1]}
 * Only `kernel` is required, or `skip`, the reason why such rows have none; family and variant are patterns of * and ?. */
typedef struct wl_map_entry {
    const char *family, *variant; /* NULL: any */
    const char *kernel, *skip;    /* one of them */
    const char *const *sets;               /* "a=1" */
    size_t set_count;
    int64_t fold[3]; /* 0: not given */
} wl_map_entry;

typedef struct wl_map wl_map;
/* WL_E_INPUT: malformed text, unknown key, no entries. */
WL_API WL_NODISCARD wl_status wl_map_parse(const char *input, const char *text, size_t length, wl_map **out,
                                           wl_error *err);
WL_API void wl_map_free(wl_map *map);
/* The first entry that matches, or NULL. Families and variants are patterns, as fnmatch(3) knows them. */
WL_API const wl_map_entry *wl_map_find(const wl_map *map, const char *family, const char *variant);

/* The folding a variant's name tells: "r4_fy2_fz1_b64" is {1,2,1}; 1 where it says nothing. */
WL_API void wl_variant_fold(const char *variant, int64_t fold[3]);

#endif /* WL_COMPARE_H */
