/* test_past_l1.c - loads that leave the L1 alone, in kernel files: volumes that can be counted by
 * hand, by the laws and by simulation; the same again from kept counts.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "warpline/predict.h"

#define CELLS 262144 /* of the domain; an array has four bytes each: 1 MiB */
#define ARRAY (4.0 * CELLS)

static wl_device *device;

static int setup(void **state)
{
    wl_error err = {0};
    (void)state;
    return wl_device_builtin("h200", &device, &err) == WL_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    wl_device_free(device);
    return 0;
}

static wl_kernel *kernel_with(const char *loads)
{
    char text[512];
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    (void)snprintf(text, sizeof text,
                   "name: k\ndomain: [%d]\nregisters: 32\nloops: {r: 16}\nfields: {a: {type: f32}, b: {type: f32}}\n"
                   "loads: [%s]\nstores: ['b[x]']\n",
                   CELLS, loads);
    if (wl_kernel_parse("k.yaml", text, strlen(text), NULL, &kernel, &err) != WL_OK)
        fail_msg("%s: %s", loads, err.message);
    return kernel;
}

/* L2 loads of two predictions of the same launch, which must agree: counts are kept for the
 * second. */
static double loaded(const char *loads, int64_t simulate)
{
    const wl_predict_options options = {.simulate = simulate};
    const wl_launch launch = {.block = {256, 1, 1}};
    wl_kernel *kernel = kernel_with(loads);
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    double bytes[2] = {0}, dram = 0;
    assert_int_equal(wl_predictor_new(kernel, device, &predictor, &err), WL_OK);
    assert_int_equal(wl_prediction_new(&p, &err), WL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wl_predict(predictor, &launch, &options, p, &err), WL_OK);
        assert_int_equal(wl_prediction_clamped(p), 0);
        assert_true(wl_prediction_metric(p, WL_METRIC_l2_load_bytes, &bytes[i]));
        assert_true(wl_prediction_metric(p, WL_METRIC_dram_load_bytes, &dram));
    }
    assert_true(bytes[0] == bytes[1]);
    assert_true(dram <= bytes[0]);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    return bytes[0];
}

static void check(const char *loads, double arrays)
{
    const double laws = loaded(loads, 0) / ARRAY, simulated = loaded(loads, -1) / ARRAY;
    if (laws < 0.99 * arrays || laws > 1.01 * arrays)
        fail_msg("%s: %g arrays by the laws, not %g", loads, laws, arrays);
    if (simulated < 0.99 * arrays || simulated > 1.01 * arrays)
        fail_msg("%s: %g arrays simulated, not %g", loads, simulated, arrays);
}

static void loads_are_not_reused(void **state)
{
    (void)state;
    check("'a[x + 0*r]'", 1);
    check("'a[x + 0*r] from l2'", 16);
    check("'a[x + 0*r] from l2 if x % 64 < 32'", 8);
    check("'a[32*(x/32) + (x + r) % 32]'", 1);
    check("'a[32*(x/32) + (x + r) % 32] from l2'", 16);
}

/* Loads of one field, some past the L1. */
static void fields_may_be_mixed(void **state)
{
    (void)state;
    check("'a[x]', 'a[x] from l2'", 2);
    check("'a[x + 0*r]', 'a[x] from l2'", 2);
    check("'a[x]', 'a[x + 0*r] from l2'", 17);
    check("'a[x + 0*r]', 'a[x + 1048576] from l2'", 2);
}

/* Warps of a block that load the same lines at the same step: eight requests become two. */
static void requests_of_warps_merge(void **state)
{
    (void)state;
    const double bytes = loaded("'a[32*(x/256)*16 + x % 32 + 32*r] from l2'", 0);
    assert_true(bytes > 3.99 * ARRAY && bytes < 4.01 * ARRAY);
}

/* What passes the L1 evicts nothing there: 64 KiB of each block, loaded again and again. */
static void nothing_is_evicted(void **state)
{
    (void)state;
    const double alone = loaded("'a[1024*(x/256) + x % 256]'", 0),
                 beside = loaded("'a[1024*(x/256) + x % 256]', 'b[x + 262144*r] from l2'", 0);
    assert_true(beside > alone + 15.99 * ARRAY && beside < alone + 16.01 * ARRAY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_not_reused),
        cmocka_unit_test(fields_may_be_mixed),
        cmocka_unit_test(requests_of_warps_merge),
        cmocka_unit_test(nothing_is_evicted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
