/* test_at_launch.c - kernels that depend on the launch: made anew for each, predicted as if they
 * had been given.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

static int made; /* kernels */

/* One more load for every 32 threads in x. */
static wl_status make_for(void *context, const wl_launch *launch, wl_kernel **out, wl_error *err)
{
    static const char *const notes[] = {"made for the launch"};
    char text[400], loads[200] = "";
    (void)context;
    for (int64_t i = 0; i * 32 < launch->block[0]; i++)
        (void)snprintf(loads + strlen(loads), sizeof loads - strlen(loads), "%s\"a[x+%lld]\"", i ? ", " : "",
                       (long long)(100000 * i));
    (void)snprintf(text, sizeof text,
                   "name: k\ndomain: [65536]\nfields: {a: {type: f32}, b: {type: f32}}\nloads: [%s]\n"
                   "stores: [\"b[x]\"]\nflops: 1\n",
                   loads);
    wl_status status = wl_kernel_parse("k", text, strlen(text), NULL, out, err);
    if (status == WL_OK) {
        (*out)->source.at_launch = make_for; /* not asked again */
        (*out)->notes = (const char **)(void *)notes;
        (*out)->note_count = 1;
        made++;
    }
    return status;
}

static wl_kernel *kernel_for(int64_t block)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    const wl_launch launch = {.block = {block, 1, 1}};
    check_ok("kernel", make_for(NULL, &launch, &kernel, &err), &err);
    return kernel;
}

static void launches_get_their_kernel(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    static wl_prediction p, q;
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    wl_kernel *kernel = kernel_for(32);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    made = 0;
    for (int64_t block = 32; block <= 128; block += 32) {
        wl_predictor *plain = NULL;
        wl_kernel *same = kernel_for(block);
        const wl_launch launch = {.block = {block, 1, 1}, .registers = 32};
        const wl_predict_options options = {.per_access = true};
        same->source.at_launch = NULL;
        check_ok("predictor", wl_predictor_new(same, device, &plain, &err), &err);
        check_ok("predict", wl_predict(predictor, &launch, &options, &p, &err), &err);
        check_ok("predict", wl_predict(plain, &launch, &options, &q, &err), &err);
        check_int("kernel", "accesses", (int64_t)wl_kernel_access_count(p.kernel), block / 32 + 1);
        for (int m = 0; m < WL_METRIC_COUNT; m++)
            check_near("kernel", wl_metric_name((wl_metric)m), p.metrics[m].value, q.metrics[m].value, 0);
        check_near("kernel", "time", p.model.time_s, q.model.time_s, 0);
        check_text("kernel", "note", p.warnings[p.warning_count - 1], "made for the launch");
        char *text = NULL;
        check_ok("render", wl_prediction_render(&p, kernel, device, WL_FORMAT_JSON, &text, &err), &err);
        check_true("render", "last access", strstr(text, "b[x]") != NULL);
        free(text);
        wl_predictor_free(plain);
        wl_kernel_free(same);
    }
    check_int("kernel", "made", made, 8); /* and as many to compare with */
    wl_predictor_free(predictor);
    wl_device_free(device);
    wl_kernel_free(kernel);
    check_done();
}

static void counts_outlive_it(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    wl_counted *counted = NULL;
    static wl_prediction p, q;
    const wl_launch launch = {.block = {64, 1, 1}, .registers = 32};
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    wl_kernel *kernel = kernel_for(32);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("counted", wl_counted_make(predictor, &launch, NULL, &counted, &err), &err);
    check_ok("predict", wl_predict(predictor, &launch, NULL, &p, &err), &err);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    check_ok("predict", wl_counted_predict(counted, device, WL_MODEL_BEST, &q, &err), &err);
    check_near("counted", "time", q.model.time_s, p.model.time_s, 0);
    wl_counted_free(counted);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches_get_their_kernel),
                                       cmocka_unit_test(counts_outlive_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
