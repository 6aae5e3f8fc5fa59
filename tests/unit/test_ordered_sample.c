/* test_ordered_sample.c - count/warps_ordered.h: what a sample of the warps of an order costs,
 * against all of them.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <math.h>
#include <string.h>

#include "warpline/predict.h"
#include "warpline/schedule.h"

static const char *const sizes[][3] = {{"nx=1003", "ny=701", ""}, {"nx=250", "ny=130", "nz=20"}};
static const struct {
    const char *kernel;
    int size;
} stencils[] = {{"star2d_5pt", 0}, {"star3d_7pt", 1}, {"star3d_r4", 1}};
static const char *const orders[] = {"column:31", "column:48", "zigzag:31", "zigzag:32",
                                     "tile:31x7", "tile:24x5", "hilbert",   "morton"};

/* The most that sampled metrics may differ on average; sectors cost less to look at. */
static const struct {
    const char *name;
    wl_metric metric;
    double most;
} metrics[] = {{"l1_sectors_ld", WL_METRIC_l1_sectors_ld, 0.005},
               {"l1_sectors_st", WL_METRIC_l1_sectors_st, 0.005},
               {"l1_wavefronts", WL_METRIC_l1_wavefronts, 0.012},
               {"l1_tag_wavefronts", WL_METRIC_l1_tag_wavefronts, 0.025}};

static bool has_note(const wl_prediction *p, const char *part)
{
    for (size_t i = 0; wl_prediction_warning(p, i); i++)
        if (strstr(wl_prediction_warning(p, i), part))
            return true;
    return false;
}

static wl_prediction *predict(wl_predictor *predictor, const wl_launch *launch, int64_t samples)
{
    const wl_predict_options options = {.l1_samples = samples};
    wl_prediction *p = NULL;
    wl_error err = {0};
    check_ok("new", wl_prediction_new(&p, &err), &err);
    check_ok("predict", wl_predict(predictor, launch, &options, p, &err), &err);
    return p;
}

/* Adds the relative differences of all orders of one stencil. */
static void add_differences(const wl_device *device, size_t stencil, double sum[COUNT_OF(metrics)])
{
    size_t length = 0;
    const char *name = stencils[stencil].kernel, *text = wl_kernel_builtin_text(name, &length);
    const char *const *sets = sizes[stencils[stencil].size];
    const wl_kernel_options options = {.sets = sets, .set_count = sets[2][0] ? 3 : 2};
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    check_ok(name, wl_kernel_parse(name, text, length, &options, &kernel, &err), &err);
    check_ok(name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    for (size_t o = 0; o < COUNT_OF(orders); o++) {
        wl_launch launch = {.block = {256}};
        check_ok(orders[o], wl_schedule_parse(orders[o], &launch.schedule, &err), &err);
        wl_prediction *some = predict(predictor, &launch, 0), *all = predict(predictor, &launch, -1);
        check_true(orders[o], "says what comes from a half",
                   has_note(some, "tag conflicts of each access from half of these warps") &&
                       !has_note(all, "half of"));
        for (size_t m = 0; m < COUNT_OF(metrics); m++) {
            double sampled = 0, exact = 0;
            check_true(orders[o], metrics[m].name,
                       wl_prediction_metric(some, metrics[m].metric, &sampled) &&
                           wl_prediction_metric(all, metrics[m].metric, &exact) && exact > 0);
            sum[m] += fabs(sampled / exact - 1);
        }
        wl_prediction_free(some);
        wl_prediction_free(all);
    }
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
}

static void samples_are_near_all_warps(void **state)
{
    double sum[COUNT_OF(metrics)] = {0};
    wl_device *device = given_device("h200");
    (void)state;
    for (size_t s = 0; s < COUNT_OF(stencils); s++)
        add_differences(device, s, sum);
    for (size_t m = 0; m < COUNT_OF(metrics); m++) {
        const double mean = sum[m] / (double)(COUNT_OF(stencils) * COUNT_OF(orders));
        print_message("%s: %.2f %% on average\n", metrics[m].name, 100 * mean);
        check_true(metrics[m].name, "is near", mean <= metrics[m].most);
    }
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_near_all_warps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
