/* accuracy.h - what the parts of the accuracy report share.
 *
 * The report reads comparisons (`warpline compare --format json`), keeps their rows, and computes
 * every statistic from them, so that the report, the baseline and the regression test leave out the
 * same rows. SPDX-License-Identifier: MIT
 */
#ifndef WL_VALIDATE_ACCURACY_H
#define WL_VALIDATE_ACCURACY_H

#include <jansson.h>
#include <stdio.h>

#include "warpline/warpline.h"

#define MIN_TIME_S 20e-6          /* shorter launches have no part in statistics of time        */
#define MIN_DRAM_BYTES 48000000.0 /* smaller measured memory volumes are mostly noise of a launch */
#define TABLES_MAX 16
#define FAMILIES_MAX 128
#define NAME_LENGTH 96

/* The values the report is about; those up to TIME have statistics, the others are counts that
 * should be exact. */
typedef enum value_id {
    L1_WAVEFRONTS,
    L1_TAG_WAVEFRONTS,
    L2_LOADS,
    L2_STORES,
    DRAM_LOADS,
    DRAM_STORES,
    TIME,
    INST_LOADS,
    INST_STORES,
    SECTOR_LOADS,
    SECTOR_STORES,
    VALUES
} value_id;
#define JUDGED (TIME + 1)

/* As in the JSON of compare; short, for the heads of columns. */
const char *value_key(int value);
const char *value_label(int value);

/* One launch on both sides. Texts are borrowed from the JSON it came from. */
typedef struct row {
    const char *path, *table; /* of the table: as given, and without folder and suffix */
    const char *family, *variant, *params;
    int line;
    int64_t block[3], fold[3];
    bool known[VALUES]; /* on both sides */
    double measured[VALUES], predicted[VALUES];
    bool limiter_known;
    double limiter_s; /* what the model `limiter` predicts */
} row;

typedef struct skip {
    const char *table, *reason;
    size_t count;
} skip;

typedef struct family_rows {
    const char *table, *name;
    size_t rows;
} family_rows;

typedef struct rows {
    row *list;
    size_t count, capacity;
    skip *skips;
    size_t skip_count;
    family_rows families[FAMILIES_MAX]; /* by table, in the order of their first rows */
    size_t family_count;
    const char *tables[TABLES_MAX];
    size_t table_count;
    const char *device;
    json_t *roots[64];
    size_t root_count;
} rows;

/* rows.c. Both print what is wrong and return false. */
bool rows_read(rows *all, const char *path);
/* Takes the times of a comparison with `--model limiter`. */
bool rows_read_limiter(rows *all, const char *path);
void rows_free(rows *all);

/* Which rows; NULL: any. */
typedef struct selection {
    const char *table, *family, *variant;
} selection;
bool row_selected(const row *r, const selection *which);
/* Has this value of this row a part in statistics? */
bool row_counts(const row *r, int value);

/* stats.c */
typedef struct ranking {
    bool tau_known, pick_known, problems_known;
    /* of all launches together */
    double tau, pick;
    /* means and the least over problems of several launches */
    double problem_tau, problem_pick, worst_pick;
    size_t problems;
} ranking;

typedef struct statistics {
    size_t launches;
    wl_agreement values[JUDGED];
    ranking rank, limiter_rank;
    wl_agreement limiter; /* of the time */
    size_t exact_inst, exact_sectors;
} statistics;
/* False when memory runs out. */
bool statistics_make(const rows *all, const selection *which, statistics *out);

/* baseline.c */
bool baseline_write(const rows *all, const char *path);
/* The number of values that became worse, each with a line on standard output; -1 on an error. */
int baseline_check(const rows *all, const char *path, const char *const *without, size_t without_count);

/* markdown.c */
typedef struct report_options {
    const char *date, *fit, *explanations, *map, *plots;
    bool drawn; /* the plots are there */
} report_options;
bool report_write(const rows *all, const report_options *options, FILE *out);
/* bars.c: what is promised of a family; false: nothing. `least` for tau and pick. */
typedef struct bar {
    const char *family;
    double error[JUDGED]; /* 0: none */
    double tau, pick, exact;
    bool open; /* what is missed is worked on */
} bar;
const bar *bar_of(const char *name);
void report_bars(const rows *all, FILE *out);
bool report_left_out(const char *fit, FILE *out);

/* worst.c */
bool report_worst(const rows *all, const char *explanations, FILE *out);

/* plotdata.c: the .dat files that the scripts of validate/plots read. */
bool plotdata_write(const rows *all, const report_options *options);

/* again.c: predicts a row again, for what a comparison does not say. */
typedef struct again again;
again *again_open(const char *map, const char *device);
/* NULL when it cannot be; valid until the next call. */
const wl_prediction *again_predict(again *a, const row *r);
/* Output cells of the launch, 0: not known. */
double again_work(again *a, const row *r);
const wl_device *again_device(const again *a);
void again_close(again *a);

#endif /* WL_VALIDATE_ACCURACY_H */
