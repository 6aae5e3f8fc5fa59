/* test_rank_schedules.c - search/schedules.h, and spaces whose launches have schedules.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "unit/checks.h"
#include "unit/given.h"

#include "search/ranker.h"
#include "search/schedules.h"
#include "warpline/rank.h"

static const char flat[] = "name: flat\ndomain: [100, 60]\n"
                           "fields: {a: {type: f64, extent: [100, 60], halo: 1}, b: {type: f64, extent: [100, 60]}}\n"
                           "update: b[0,0] = a[-1,0] + a[1,0] + a[0,-1] + a[0,1]\n";
static const char line[] = "name: line\ndomain: [4096]\n"
                           "fields: {a: {type: f32, extent: [4096]}, b: {type: f32, extent: [4096]}}\n"
                           "update: b[0] = a[0] * a[0]\n";

static wl_ranker *ranker_of(const wl_kernel *kernel, const wl_device *device, const char *schedules, int threads)
{
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    wl_error err = {0};
    const wl_rank_options options = {.threads = threads};
    if (wl_space_new(&space, &err) != WL_OK || wl_space_set(space, "block.x", "16,64,100", &err) != WL_OK ||
        wl_space_set(space, "block.y", "1,2", &err) != WL_OK || wl_space_set(space, "fold", "1x1,1x2", &err) != WL_OK ||
        (schedules && wl_space_set(space, "schedule", schedules, &err) != WL_OK) ||
        wl_ranker_new(kernel, device, space, &options, &ranker, &err) != WL_OK)
        fail_msg("%s", err.message);
    wl_space_free(space);
    return ranker;
}

/* ---- lists ---- */

static void lists_are_read(void **state)
{
    (void)state;
    wl_schedule_list list = {0};
    wl_error err = {0};
    check_ok("list", wl_schedules_parse("linear, column:32 ,swizzle:8,column:32", &list, &err), &err);
    check_int("list", "count", (int64_t)list.count, 3);
    check_int("list", "width", list.at[1].width, 32);
    check_error("name", wl_schedules_parse("linear,colum:3", &list, &err), &err,
                &(expected_error){WL_E_INPUT, "there is no schedule 'colum'", 1, 8});
    err = (wl_error){0};
    check_error("empty", wl_schedules_parse("linear,", &list, &err), &err,
                &(expected_error){WL_E_INPUT, "a schedule is linear", 1, 8});
    err = (wl_error){0};
    check_error("width", wl_schedules_parse("linear,column:0", &list, &err), &err,
                &(expected_error){WL_E_INPUT, "", 1, 15});
    check_done();
}

static void widths_are_below_the_row(void **state)
{
    (void)state;
    static const int64_t want[] = {4, 8, 16, 32, 48, 64, 96, 128, 256, 512, 1024, 2048};
    int64_t widths[WL_COLUMN_WIDTHS_MAX];
    check_int("4096", "count", (int64_t)wl_column_widths(4096, widths), COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++)
        check_int("4096", "width", widths[i], want[i]);
    check_int("48", "count", (int64_t)wl_column_widths(48, widths), 4);
    check_int("4", "count", (int64_t)wl_column_widths(4, widths), 0);
    check_done();
}

/* ---- spaces ---- */

static bool same_launch(const wl_launch *a, const wl_launch *b)
{
    return memcmp(a->block, b->block, sizeof a->block) == 0 && memcmp(a->fold, b->fold, sizeof a->fold) == 0 &&
           a->schedule.kind == b->schedule.kind && a->schedule.width == b->schedule.width;
}

/* Blocks of 16, 64 and 100 x 1 and 2, two foldings: column:32 goes with the three rows that are not
 * folded. */
static void meaningless_ones_are_not_there(void **state)
{
    (void)state;
    wl_kernel *kernel = given_kernel(flat);
    wl_device *device = given_device("v100");
    wl_ranker *plain = ranker_of(kernel, device, NULL, 1);
    wl_ranker *r = ranker_of(kernel, device, "linear,column:32,swizzle:8", 1);
    check_int("plain", "launches", wl_ranker_size(plain), 12);
    check_int("with schedules", "launches", wl_ranker_size(r), 12 + 12 + 3);
    for (int64_t i = 0; i < wl_ranker_size(r); i++) {
        wl_launch a, b;
        wl_ranker_launch(r, i, &a);
        check_true("column", "row", a.schedule.kind != WL_SCHEDULE_COLUMN || (a.block[1] == 1 && a.fold[1] == 1));
        for (int64_t j = 0; j < i; j++) {
            wl_ranker_launch(r, j, &b);
            check_true("launches", "differ", !same_launch(&a, &b));
        }
    }
    check_true("plain", "no schedules", !wl_ranker_has_schedules(plain));
    check_true("with schedules", "schedules", wl_ranker_has_schedules(r));
    wl_ranker_free(plain);
    wl_ranker_free(r);
    wl_device_free(device);
    wl_kernel_free(kernel);
    check_done();
}

static void check_record(const wl_kernel *kernel, const wl_device *device, const wl_ranker *r, const wl_ranked *record)
{
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_launch launch;
    wl_error err = {0};
    double l2 = 0;
    wl_ranker_launch(r, record->index, &launch);
    if (wl_predictor_new(kernel, device, &predictor, &err) != WL_OK || wl_prediction_new(&p, &err) != WL_OK ||
        wl_predict(predictor, &launch, NULL, p, &err) != WL_OK)
        fail_msg("%s", err.message);
    check_near("launch", "time", record->time_s, wl_prediction_time(p), 0);
    check_true("launch", "L2", wl_prediction_metric(p, WL_METRIC_l2_load_bytes, &l2));
    check_near("launch", "L2", record->values[WL_RANK_l2_load_bytes], l2, 0);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
}

/* Whatever was predicted before, and by how many threads, each record is that of its launch
 * alone. */
static void records_are_predictions(void **state)
{
    (void)state;
    static const char schedules[] = "linear,column:4,column:25,zigzag:9,tile:8x4,hilbert,swizzle:2,swizzle:8";
    wl_kernel *kernel = given_kernel(flat);
    wl_device *device = given_device("v100");
    for (int threads = 1; threads <= 3; threads += 2) {
        wl_ranker *r = ranker_of(kernel, device, schedules, threads);
        const int64_t n = wl_ranker_size(r);
        wl_ranked *records = calloc((size_t)n, sizeof *records);
        wl_error err = {0};
        int64_t predicted = 0;
        check_ok("space", wl_ranker_evaluate(r, 0, n, records, &err), &err);
        for (int64_t i = 0; i < n; i++)
            if (records[i].outcome == WL_OUTCOME_PREDICTED) {
                check_record(kernel, device, r, &records[i]);
                predicted++;
            }
        /* swizzled blocks of 100 have one column */
        check_int("space", "predicted", predicted, n - 8);
        free(records);
        wl_ranker_free(r);
    }
    wl_device_free(device);
    wl_kernel_free(kernel);
    check_done();
}

static int64_t outcomes(const char *text, const char *schedules, wl_outcome outcome)
{
    wl_kernel *kernel = given_kernel(text);
    wl_device *device = given_device("v100");
    wl_ranker *r = ranker_of(kernel, device, schedules, 1);
    wl_ranking ranking = {0};
    wl_error err = {0};
    check_ok(schedules, wl_rank(r, NULL, 0, &ranking, &err), &err);
    wl_ranker_free(r);
    wl_device_free(device);
    wl_kernel_free(kernel);
    return ranking.outcomes[outcome];
}

static void those_that_change_nothing_are_left_out(void **state)
{
    (void)state;
    check_int("as wide as the row", "same", outcomes(flat, "linear,column:100", WL_OUTCOME_SAME), 3);
    check_int("as wide as the row", "predicted", outcomes(flat, "linear,column:100", WL_OUTCOME_PREDICTED), 12);
    check_int("groups of one row", "same", outcomes(flat, "swizzle:1", WL_OUTCOME_SAME), 12);
    check_int("one dimension", "same", outcomes(line, "linear,column:8", WL_OUTCOME_SAME), 3);
    check_int("all of one dimension", "predicted", outcomes(line, "all", WL_OUTCOME_PREDICTED), 12);
    /* blocks of 100: one column */
    check_int("all", "same", outcomes(flat, "all", WL_OUTCOME_SAME), 16);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(widths_are_below_the_row),
        cmocka_unit_test(meaningless_ones_are_not_there),
        cmocka_unit_test(records_are_predictions),
        cmocka_unit_test(those_that_change_nothing_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
