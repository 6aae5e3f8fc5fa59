/* test_repeated_loads.c - loads that repeat the address of an earlier loop step: they hit, and pay
 * for banks alone.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"
#include "unit/read_file.h"

#include "metrics/prediction.h"
#include "warpline/warpline.h"

static wl_device *h200(void)
{
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    return device;
}

static wl_prediction predict(const char *name, const char *text, size_t length, const char *const *sets, size_t count,
                             const wl_device *device, int64_t block)
{
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    wl_prediction p;
    check_ok(name, wl_kernel_parse(name, text, length, &(wl_kernel_options){sets, count}, &kernel, &err), &err);
    check_ok(name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(name, wl_predict(predictor, &(wl_launch){.block = {block, 1, 1}}, NULL, &p, &err), &err);
    check_done();
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    return p;
}

/* Rows of validate/data/h200_micro.csv, family warm: a pattern read once, and nine times. */
static void measured_patterns_read_again(void **state)
{
    (void)state;
    static const struct {
        const char *sets[3];
        double once, nine_times; /* l1_wavefronts */
    } cases[] = {
        {{"stride=5", "wide=32", "pitch=0"}, 396, 1452},    {{"stride=17", "wide=32", "pitch=0"}, 792, 1848},
        {{"stride=33", "wide=32", "pitch=0"}, 1188, 2244},  {{"stride=8", "wide=32", "pitch=0"}, 1188, 9636},
        {{"stride=1", "wide=1", "pitch=160"}, 2244, 10692}, {{"stride=1", "wide=1", "pitch=5184"}, 3432, 20328},
        {{"stride=1", "wide=4", "pitch=160"}, 528, 2640}};
    size_t length = 0;
    char *text = read_file(SOURCE_DIR "/validate/kernels/warm.yaml", &length);
    wl_device *repeats = h200();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *sets[] = {cases[i].sets[0], cases[i].sets[1], cases[i].sets[2], "rounds=1"};
        wl_prediction p = predict(sets[0], text, length, sets, 4, repeats, 32);
        check_near(sets[0], "once", p.metrics[WL_METRIC_l1_wavefronts].value, cases[i].once, 1e-9);
        sets[3] = "rounds=9";
        p = predict(sets[0], text, length, sets, 4, repeats, 32);
        check_near(sets[0], "nine times", p.metrics[WL_METRIC_l1_wavefronts].value, cases[i].nine_times, 1e-6);
    }
    free(text);
    wl_device_free(repeats);
    check_done();
}

/* What the L1 loses between two passes is loaded as the first time; fields share the wavefronts. */
static void what_is_lost_costs_as_before(void **state)
{
    (void)state;
    static const char passes[] = "name: passes\n"
                                 "params: {rows: 1}\n"
                                 "domain: [132*1024]\n"
                                 "fields: {a: {type: f32}}\n"
                                 "loops: {r: 4, i: rows}\n"
                                 "loads: [\"a[blockIdx.x*33*1024*rows + threadIdx.x*33 + i*33*1024 + 0*r]\"]\n"
                                 "flops: 0\n"
                                 "registers: 32\n";
    wl_device *device = h200();
    double saved[2];
    for (int i = 0; i < 2; i++) {
        /* 132 KiB, and 2 MiB in an L1 of 248 KiB */
        const char *const sets[] = {i == 0 ? "rows=1" : "rows=16"};
        const wl_prediction p = predict(sets[0], passes, strlen(passes), sets, 1, device, 1024);
        /* a load that misses takes as many wavefronts as it has tag wavefronts: every lane is on a
         * line of its own */
        saved[i] = 1 - p.metrics[WL_METRIC_l1_wavefronts].value / p.metrics[WL_METRIC_l1_tag_wavefronts].value;
    }
    check_true("what fits", "saves most of three of four passes", saved[0] > 0.5);
    check_true("what does not", "saves nothing", saved[1] < 0.05);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_patterns_read_again),
        cmocka_unit_test(what_is_lost_costs_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
