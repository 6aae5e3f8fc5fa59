/* compare_job.h - shared by compare and fit: reads tables and predicts their launches.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_COMPARE_JOB_H
#define WL_CLI_COMPARE_JOB_H

#include "options.h"

/* The text of a kernel, and the kernel without changes. Rows and messages borrow names from it. */
typedef struct kernel_source {
    char *path;
    const char *input, *text;
    size_t length;
    wl_kernel *plain;
} kernel_source;

typedef struct compared_unit compared_unit; /* compare_ptx.c: a PTX or CUDA file */
/* texts of a row: names, and params as names in its arguments */
typedef struct compared_text compared_text;

typedef struct comparison {
    const options *options;
    int64_t fold[3], registers; /* 0: as in the table */
    wl_model_id model;
    int64_t simulate;                /* as in wl_predict_options */
    bool complete;                   /* the same */
    bool keep_counts;                /* for a fit */
    bool ranks;                      /* for a ranking: also rows that cannot be counted */
    bool every_model;                /* compares the times of all models */
    double by_model[WL_MODEL_COUNT]; /* of the row that is predicted; 0: not by this model */
    bool emulate;                    /* counts instructions by emulation, which rooflines need */
    /* Called for every row with its prediction, unless NULL. */
    wl_status (*seen)(void *user, const wl_compared *row, const wl_prediction *prediction, const wl_kernel *kernel,
                      wl_error *err);
    void *seen_user;
    wl_device *device;
    wl_map *map, *arguments; /* arguments: --args */
    compared_unit *units;    /* most recently used first */
    int64_t units_opened;
    compared_text *params, *names;
    const char *tables[8];
    wl_table *parsed[8];
    size_t table_count;
    kernel_source *sources;
    size_t source_count;
    wl_comparison *found; /* NULL before comparison_load */
    double min_time_s;
    wl_measurement *recorded; /* launches of a recording with times of their own */
    wl_fit_row *counted;      /* one per row, if counts are kept; owns the counts */
    size_t counted_capacity;
} comparison;

/* compare_load.c: reads map, device and tables, and predicts; prints what is wrong. The exit
 * code. */
int comparison_load(comparison *c);
/* --volumes measured: only times are compared. */
bool comparison_takes_volumes(const comparison *c);
/* Prints what is left out on stderr. Returns the exit code. */
int comparison_print_skips(const comparison *c);
void comparison_free(comparison *c);

/* compare_predict.c: fills the rows from the tables. */
wl_status comparison_predict(comparison *c, wl_error *err);

/* compare_recorded.c: the same from a recording, with the tables or with times of its own. */
wl_status comparison_recorded(comparison *c, wl_error *err);

/* The schedule of a row by the pattern of its entry: "column:{col}" with the row's params; width 0:
 * the whole row of the domain. WL_E_INPUT: a param is missing, or the result is not a schedule. */
wl_status row_schedule(const char *pattern, const wl_measurement *row, const int64_t domain[3], wl_schedule *out,
                       wl_error *err);
bool names_param(const char *pattern, const char *name);

#endif /* WL_CLI_COMPARE_JOB_H */
