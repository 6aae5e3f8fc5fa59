/* compare_job.h - what compare and fit share: tables that are read, and their launches predicted.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_COMPARE_JOB_H
#define WL_CLI_COMPARE_JOB_H

#include "options.h"

/* The text of a kernel, and the kernel as it stands there. Rows and messages borrow names from
 * it. */
typedef struct kernel_source {
    char *path;
    const char *input, *text;
    size_t length;
    wl_kernel *plain;
} kernel_source;

typedef struct compared_unit compared_unit; /* compare_ptx.c: a PTX or CUDA file */
typedef struct compared_text compared_text; /* of a row: names, params as names in its arguments */

typedef struct comparison {
    const options *options;
    int64_t fold[3], registers; /* 0: as the table says */
    wl_model_id model;
    int64_t simulate; /* as in wl_predict_options */
    bool keep_counts; /* for a fit */
    bool all_models;  /* for a ranking: a row that cannot be counted is predicted by every model */
    bool emulate;     /* instructions are counted by execution, as rooflines want them */
    /* Told of every row with its prediction, if not NULL. */
    wl_status (*seen)(void *user, const wl_compared *row, const wl_prediction *prediction, const wl_kernel *kernel,
                      wl_error *err);
    void *seen_user;
    wl_device *device;
    wl_map *map, *arguments; /* arguments: --args */
    compared_unit *units;    /* those used last come first */
    int64_t units_opened;
    compared_text *params, *names;
    const char *tables[8];
    wl_table *parsed[8];
    size_t table_count;
    kernel_source *sources;
    size_t source_count;
    wl_comparison *found; /* NULL before comparison_load */
    double min_time_s;
    wl_fit_row *counted; /* as many as rows, when counts are kept; theirs are owned */
    size_t counted_capacity;
} comparison;

/* compare_load.c: reads map, device and tables, and predicts; prints what is wrong. The exit
 * code. */
int comparison_load(comparison *c);
/* What is left out, on stderr. The exit code. */
int comparison_print_skips(const comparison *c);
void comparison_free(comparison *c);

/* compare_predict.c: fills the rows from the tables. */
wl_status comparison_predict(comparison *c, wl_error *err);

/* The schedule of a row by the pattern of its entry: "column:{col}" with the row's params; a width
 * of 0 is the row of the domain. WL_E_INPUT: a param is missing, or what comes out is no
 * schedule. */
wl_status row_schedule(const char *pattern, const wl_measurement *row, const int64_t domain[3], wl_schedule *out,
                       wl_error *err);
bool names_param(const char *pattern, const char *name);

#endif /* WL_CLI_COMPARE_JOB_H */
