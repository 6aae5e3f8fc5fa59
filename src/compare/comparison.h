/* comparison.h - a comparison and its groups, for the writers of reports.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COMPARE_COMPARISON_H
#define WL_COMPARE_COMPARISON_H

#include "warpline/compare.h"

/* The values compared: every metric, the time, and that of each model where all are asked for. */
enum {
    WL_VALUE_TIME = WL_METRIC_COUNT,
    WL_VALUE_OF_MODELS,
    WL_VALUE_COUNT = WL_VALUE_OF_MODELS + (int)WL_MODEL_COUNT,
    WL_TIMES = WL_VALUE_COUNT - WL_VALUE_TIME
};
static inline bool wl_value_is_time(int value) { return value >= WL_VALUE_TIME; }

typedef struct wl_compared_row {
    wl_compared is;
    int64_t block[3], fold[3], grid[3]; /* as predicted */
    bool measured_known[WL_VALUE_COUNT], predicted_known[WL_VALUE_COUNT];
    double measured[WL_VALUE_COUNT], predicted[WL_VALUE_COUNT];
    size_t group, family_group; /* set once groups are made */
} wl_compared_row;

typedef struct wl_compared_group {
    char *name;
    size_t first, rows; /* its first row; how many */
    wl_agreement values[WL_VALUE_COUNT];
    /* by time: best measured time / measured time of the launch predicted best; 0: not known */
    double pick[WL_TIMES];
} wl_compared_group;

/* What was left out, and why. */
typedef struct wl_skipped {
    const char *table; /* borrowed */
    int32_t line;      /* of the first; 0: no particular line */
    size_t count;
    char *reason;
} wl_skipped;

struct wl_comparison {
    const char *source, *device, *title; /* borrowed */
    double min_time_s;
    bool wants_some, wanted[WL_VALUE_COUNT];
    wl_compared_row *rows;
    size_t row_count, row_capacity;
    wl_compared_group *groups, *families;
    size_t group_count, family_count;
    wl_skipped *skips;
    size_t skip_count, skip_capacity;
};

const wl_compared *wl_comparison_row(const wl_comparison *comparison, size_t index);
const char *wl_compared_name(int value);
const char *wl_compared_unit(int value);
/* False: there is no relative error, since a value is unknown or the measured one is 0. */
bool wl_compared_error(const wl_compared_row *row, int value, double *error);
/* Is this value of this row part of the statistics? */
bool wl_comparison_counts(const wl_comparison *comparison, const wl_compared_row *row, int value);
/* Groups rows that compute the same, whatever the launch; without statistics. */
wl_status wl_comparison_group_problems(wl_comparison *comparison, wl_error *err);
void wl_comparison_free_groups(wl_comparison *comparison);

#endif /* WL_COMPARE_COMPARISON_H */
