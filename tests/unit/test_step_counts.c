/* test_step_counts.c - count/step_counts.h: loads outside of a loop, or in another one, are no part
 * of its every run.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/prediction.h"
#include "warpline/warpline.h"

/* Every thread walks along a row of its own, longer than what a warp is sure to find again. */
#define HEAD                                                                                                           \
    "name: walk\ndomain: [65536]\nfields: {a: {type: f32, extent: [8388608]}, out: {type: f32, extent: [65536]}}\n"    \
    "stores: [\"out[x]\"]\n"
#define WALK "\"a[64*x + r]\""
#define WALKED (65536. * 64 * 4) /* bytes, each once */

static double l2_loads(const char *name, const char *loops, const char *loads)
{
    const wl_launch launch = {.block = {128, 1, 1}, .registers = 32};
    char text[1024];
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    static wl_prediction p;
    double bytes = 0;
    snprintf(text, sizeof text, HEAD "loops: %s\nloads: [%s]\n", loops, loads);
    check_ok(name, wl_device_builtin("rtx2080ti", &device, &err), &err);
    check_ok(name, wl_kernel_parse("test", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok(name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(name, wl_predict(predictor, &launch, NULL, &p, &err), &err);
    bytes = p.metrics[WL_METRIC_l2_load_bytes].value;
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return bytes;
}

static const struct {
    const char *name, *loops, *loads;
    double besides; /* bytes that the loads besides the walk touch */
} rows[] = {
    {"a load before the loop", "{r: 64}", WALK ", \"a[x + 4194304]\"", 65536. * 4},
    {"peeled trips", "{r: 64}", WALK ", \"a[x + 4194304]\", \"a[x + 5000000]\", \"a[x + 6000000]\"", 3 * 65536. * 4},
    {"another loop", "{r: 64, q: 4}", WALK ", \"a[x + 4194304 + 65536*q]\"", 4 * 65536. * 4},
    {"the same under a condition", "{r: 64}", WALK ", \"a[x + 4194304] if x % 3 != 5\"", 65536. * 4},
};

static void only_their_own_comes_on_top(void **state)
{
    (void)state;
    const double walk = l2_loads("walk", "{r: 64}", WALK);
    check_true("walk", "loads again", walk > 2 * WALKED);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double more = l2_loads(rows[i].name, rows[i].loops, rows[i].loads) - walk;
        check_true(rows[i].name, "at least their own", more >= 0.9 * rows[i].besides);
        check_true(rows[i].name, "hardly more", more <= 1.5 * rows[i].besides);
    }
    check_done();
}

/* Eight trips along rows of 16 elements, one row after the other: each sector is reused within its
 * row. */
#define ROW_AT(start) "\"a[16*x + " start " + r]\""
#define TRIPS_2_TO_5 ROW_AT("2097152") ", " ROW_AT("3145728") ", " ROW_AT("4194304") ", " ROW_AT("5242880")

static void peeled_trips_come_one_after_the_other(void **state)
{
    (void)state;
    const double loop = l2_loads("loop", "{i: 8, r: 16}", ROW_AT("1048576*i"));
    const double last = l2_loads("last", "{i: 2, r: 16}",
                                 ROW_AT("1048576*i") ", " TRIPS_2_TO_5 ", " ROW_AT("6291456") ", " ROW_AT("7340032"));
    const double first =
        l2_loads("first", "{i: 2, r: 16}",
                 ROW_AT("6291456 + 1048576*i") ", " TRIPS_2_TO_5 ", " ROW_AT("0") ", " ROW_AT("1048576"));
    check_true("last", "as in the loop", fabs(last - loop) < 0.02 * loop);
    check_true("first", "as in the loop", fabs(first - loop) < 0.02 * loop);
    check_done();
}

/* The same with places that are not affine, two trips in the loop and two after it. */
#define ODD_ROW_AT(start) "\"a[16*x + x % 3 + " start " + r]\""

static void so_do_those_at_places_that_are_not_affine(void **state)
{
    (void)state;
    const double loop = l2_loads("loop", "{i: 4, r: 14}", ODD_ROW_AT("1048576*i"));
    const double last = l2_loads("last", "{i: 2, r: 14}",
                                 ODD_ROW_AT("1048576*i") ", " ODD_ROW_AT("2097152") ", " ODD_ROW_AT("3145728"));
    check_true("last", "as in the loop", fabs(last - loop) < 0.02 * loop);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_their_own_comes_on_top),
                                       cmocka_unit_test(peeled_trips_come_one_after_the_other),
                                       cmocka_unit_test(so_do_those_at_places_that_are_not_affine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
