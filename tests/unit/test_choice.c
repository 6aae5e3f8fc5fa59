/* test_choice.c - wl_choose_schedule: which schedules are tried, and what is said of them.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "unit/checks.h"
#include "unit/given.h"

#include "report/common/choice_words.h"
#include "search/chosen.h"
#include "warpline/report.h"

static const char flat[] = "name: flat\ndomain: [256, 128]\n"
                           "fields: {a: {type: f64, extent: [256, 128], halo: 1}, b: {type: f64, extent: [256, 128]}}\n"
                           "update: b[0,0] = a[-1,0] + a[1,0] + a[0,-1] + a[0,1]\n";
static const char line[] = "name: line\ndomain: [4096]\n"
                           "fields: {a: {type: f32, extent: [4096]}, b: {type: f32, extent: [4096]}}\n"
                           "update: b[0] = a[0] * a[0]\n";
/* every row of b is read by every row of threads */
static const char product[] = "name: product\ndomain: [1024, 1024]\nloops: {k: 1024}\n"
                              "fields: {a: {type: f32}, b: {type: f32}, c: {type: f32}}\n"
                              "loads: [\"a[y*1024 + k]\", \"b[k*1024 + x]\"]\nstores: [\"c[y*1024 + x]\"]\n"
                              "flops: 2048\n";

static wl_choice *choice_of(const wl_kernel *kernel, const wl_device *device, wl_launch launch,
                            const wl_choice_options *options)
{
    wl_choice *choice = NULL;
    wl_error err = {0};
    if (wl_choose_schedule(kernel, device, &launch, options, &choice, &err) != WL_OK)
        fail_msg("%s", err.message);
    return choice;
}

static void names_of(const wl_choice *choice, const wl_kernel *kernel, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; wl_choice_at(choice, i); i++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? " " : "", wl_choice_name(choice, kernel, i).text);
    }
}

#define BIT(kind) (1u << WL_SCHEDULE_##kind)

static const struct {
    const char *name;
    wl_launch launch;
    unsigned orders;
    int64_t widths[2];
    size_t width_count;
    const char *want;
} tried[] = {
    {"columns",
     {.block = {64}},
     BIT(COLUMN),
     {0},
     0,
     "linear column:4 column:8 column:16 column:32 column:48 column:64 "
     "column:96 column:128"},
    {"zigzag asked for", {.block = {64}}, BIT(ZIGZAG), {32, 40}, 2, "linear zigzag:32 zigzag:40"},
    {"tiles", {.block = {64}}, BIT(TILE), {16}, 1, "linear tile:16x4 tile:16x16"},
    {"a block of two dimensions",
     {.block = {32, 4}},
     BIT(LINEAR) | BIT(SWIZZLE),
     {8},
     1,
     "linear linear 1-D swizzle:8"},
    {"as wide as the row", {.block = {64}}, BIT(COLUMN), {32, 256}, 2, "linear column:32"},
    {"folded threads", {.block = {32, 4}, .fold = {1, 2}}, BIT(COLUMN) | BIT(SWIZZLE), {8}, 1, "linear swizzle:8"},
};

static void lists_follow_from_options(void **state)
{
    (void)state;
    wl_device *device = given_device("v100");
    wl_kernel *kernel = given_kernel(flat);
    for (size_t i = 0; i < COUNT_OF(tried); i++) {
        const wl_choice_options options = {
            .orders = tried[i].orders, .widths = tried[i].widths, .width_count = tried[i].width_count};
        char names[1000];
        wl_choice *choice = choice_of(kernel, device, tried[i].launch, &options);
        names_of(choice, kernel, names, sizeof names);
        check_text(tried[i].name, "schedules", names, tried[i].want);
        wl_choice_free(choice);
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* Rows are what wl_predict says of their launches. */
static void rows_are_predictions(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    wl_kernel *kernel = given_kernel(flat);
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    wl_choice *choice = choice_of(kernel, device, (wl_launch){.block = {32, 4}}, NULL);
    if (wl_predictor_new(kernel, device, &predictor, &err) != WL_OK || wl_prediction_new(&p, &err) != WL_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; wl_choice_at(choice, i); i++) {
        wl_launch launch = *wl_prediction_launch(wl_choice_at(choice, i));
        memset(launch.grid, 0, sizeof launch.grid);
        check_ok("row", wl_predict(predictor, &launch, NULL, p, &err), &err);
        check_near("row", "time", wl_prediction_time(wl_choice_at(choice, i)), wl_prediction_time(p), 0);
    }
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_choice_free(choice);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* A product gains from columns; a stencil whose data fit the L1 does not. */
static void gains_are_told_from_nothing(void **state)
{
    (void)state;
    wl_device *device = given_device("v100");
    wl_kernel *good = given_kernel(product), *even = given_kernel(flat);
    char words[WL_CHOICE_WORDS][WL_CHOICE_LENGTH];
    wl_choice *gains = choice_of(good, device, (wl_launch){.block = {256}}, NULL);
    wl_choice *none = choice_of(even, device, (wl_launch){.block = {64}}, NULL);
    check_true("product", "gains", wl_choice_best(gains) > 0);
    check_true("product", "words", wl_choice_words(gains, good, words) == 4);
    check_true("product", "recommended", strncmp(words[0], "recommended: ", 13) == 0);
    check_true("product", "fewer loads", strstr(words[1], "L2-L1 loads: linear ") != NULL);
    check_int("stencil", "best", (int64_t)wl_choice_best(none), 0);
    check_true("stencil", "words", wl_choice_words(none, even, words) == 4);
    check_true("stencil", "no gain", strncmp(words[0], "no gain here: ", 14) == 0);
    check_true("stencil", "least", strstr(words[2], "already has the least") != NULL);
    wl_choice_free(gains);
    wl_choice_free(none);
    wl_kernel_free(good);
    wl_kernel_free(even);
    wl_device_free(device);
    check_done();
}

static void what_has_no_meaning_is_refused(void **state)
{
    (void)state;
    wl_device *device = given_device("v100");
    wl_kernel *kernel = given_kernel(line), *wide = given_kernel(flat);
    wl_choice *choice = NULL;
    wl_error err = {0};
    const wl_choice_options swizzle = {.orders = BIT(SWIZZLE)};
    check_error("one row", wl_choose_schedule(kernel, device, &(wl_launch){.block = {64}}, NULL, &choice, &err), &err,
                &(expected_error){WL_E_UNSUPPORTED, "the domain of line is one row", 0, 0});
    err = (wl_error){0};
    check_error("one column of blocks",
                wl_choose_schedule(wide, device, &(wl_launch){.block = {256}}, &swizzle, &choice, &err), &err,
                &(expected_error){WL_E_UNSUPPORTED, "no other order applies", 0, 0});
    err = (wl_error){0};
    check_error("too large a block",
                wl_choose_schedule(wide, device, &(wl_launch){.block = {2048}}, NULL, &choice, &err), &err,
                &(expected_error){WL_E_INPUT, "a block's extent in x is 1 to 1024", 0, 0});
    wl_kernel_free(kernel);
    wl_kernel_free(wide);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_follow_from_options),
        cmocka_unit_test(rows_are_predictions),
        cmocka_unit_test(gains_are_told_from_nothing),
        cmocka_unit_test(what_has_no_meaning_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
