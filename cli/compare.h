/* compare.h - what the parts of 'warpline compare' share. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_COMPARE_H
#define WL_CLI_COMPARE_H

#include <stdio.h>

#include "options.h"
#include "plot.h"

/* The values compared: every metric, and the time. */
enum { VALUE_TIME = WL_METRIC_COUNT, VALUE_COUNT };

/* The models whose rankings are judged. */
enum { RANKED_MODELS = 2 };
extern const wl_model_id ranked_models[RANKED_MODELS];
const char *ranked_model_name(wl_model_id model);

const char *value_name(int value);
const char *value_unit(int value);

/* A launch on both sides. */
typedef struct compared_row {
    const char *table;
    const wl_measurement *m;
    wl_launch launch; /* as predicted */
    const char *family;
    size_t group, family_group;
    bool measured_known[VALUE_COUNT], predicted_known[VALUE_COUNT];
    double measured[VALUE_COUNT], predicted[VALUE_COUNT];
    wl_counted *counted;              /* when counts are kept */
    size_t source;                    /* its kernel: of the comparison's sources */
    const wl_map_entry *entry;        /* of the map; NULL: none */
    double model_time[RANKED_MODELS]; /* by each model, when asked for and not counted; 0: that model cannot say */
} compared_row;

typedef struct compared_group {
    char *name;
    const compared_row *first;
    size_t rows;
    wl_agreement values[VALUE_COUNT];
    bool pick_known;
    double pick; /* measured best over measured time of the predicted best */
} compared_group;

/* What was left out, and why. */
typedef struct skipped {
    const char *table;
    int32_t line; /* of the first; 0: none in particular */
    size_t count;
    char *reason;
} skipped;

/* The text of a kernel, and the kernel as it stands there. Rows and messages borrow names from it. */
typedef struct kernel_source {
    char *path;
    const char *input, *text;
    size_t length;
    wl_kernel *plain;
} kernel_source;

typedef struct comparison {
    const options *options;
    bool wanted[VALUE_COUNT];
    double min_time_s;
    int64_t fold[3], registers; /* 0: as the table says */
    wl_model_id model;
    bool keep_counts; /* for a fit */
    bool all_models;  /* for a ranking: a row that cannot be counted is predicted by every model */
    wl_device *device;
    wl_map *map;
    const char *tables[8];
    wl_table *parsed[8];
    size_t table_count;
    kernel_source *sources;
    size_t source_count;
    compared_row *rows;
    size_t row_count, row_capacity;
    compared_group *groups, *families;
    size_t group_count, family_count;
    skipped *skips;
    size_t skip_count, skip_capacity;
} comparison;

/* Is this value of this row part of the statistics? */
bool row_counts(const comparison *c, const compared_row *row, int value);
/* False when there is no error: a side is unknown, or the measured value is 0. */
bool row_error(const compared_row *row, int value, double *error);

void comparison_skip(comparison *c, const char *table, int32_t line, size_t count, const char *reason);

/* compare_load.c: reads map, device and tables, and predicts; prints what is wrong. The exit code. */
int comparison_load(comparison *c);
/* What is left out, on stderr. */
void comparison_print_skips(const comparison *c);
void comparison_free(comparison *c);
/* "20us" */
bool read_time(const char *text, double *seconds);

/* compare_predict.c: fills the rows from the tables. */
wl_status comparison_predict(comparison *c, wl_error *err);
/* compare_groups.c: fills groups and families from the rows. */
wl_status comparison_group(comparison *c, wl_error *err);
/* The same for groups alone, of rows that are launches of one kernel with the same params. */
wl_status comparison_group_problems(comparison *c, wl_error *err);
/* compare_contests.c: the contests among these groups. contests[0 .. count) borrow from the rest. */
typedef struct contest_list {
    wl_contest *contests;
    size_t count;
    wl_pair *times;
} contest_list;
/* Times predicted by ranked_models[model] with this device's numbers; contests whose fastest launch was measured
 * shorter than min_time_s are left out. */
wl_status comparison_contests(const comparison *c, const wl_device *device, int model, double min_time_s,
                              contest_list *out, wl_error *err);
void contest_list_free(contest_list *list);
/* compare_text.c, compare_json.c */
void comparison_text(const comparison *c, FILE *out);
void comparison_csv(const comparison *c, FILE *out);
wl_status comparison_json(const comparison *c, FILE *out, wl_error *err);
/* compare_plot.c: writes script and data, runs gnuplot; the exit code. */
int comparison_plot(const comparison *c);

#endif /* WL_CLI_COMPARE_H */
