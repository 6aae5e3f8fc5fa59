/* test_conditions.c - accesses under conditions: affine ones against domains of the same size and
 * against sums done by hand, others, which are sampled, against all blocks, with the error they
 * state.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "effort.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

typedef struct outcome {
    bool sampled;
    double error;
    double inst_ld, inst_st, sectors_ld, sectors_st, l2_ld, dram_ld;
} outcome;

static double value(const wl_prediction *p, wl_metric metric)
{
    double v = -1;
    (void)wl_prediction_metric(p, metric, &v);
    return v;
}

/* A copy of 4096 x 4096 numbers under a condition. */
static outcome predict(const char *device_name, const char *condition, int64_t nx, int64_t ny, wl_launch launch,
                       int64_t samples)
{
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    char text[600];
    const wl_predict_options options = {.l1_samples = samples};
    (void)snprintf(text, sizeof text,
                   "name: k\ndomain: [%d, %d]\nfields: {a: {type: f32, extent: [4096, 4096]}, b: {type: f32, extent: "
                   "[4096, 4096]}}\nloads: [\"a[x,y]%s%s\"]\nstores: [\"b[x,y]%s%s\"]\nflops: 0\nregisters: 32\n",
                   (int)nx, (int)ny, condition ? " if " : "", condition ? condition : "", condition ? " if " : "",
                   condition ? condition : "");
    check_ok(text, wl_device_builtin(device_name, &device, &err), &err);
    check_ok(text, wl_kernel_parse("k.yaml", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok(text, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(text, wl_prediction_new(&p, &err), &err);
    check_ok(text, wl_predict(predictor, &launch, &options, p, &err), &err);
    outcome o = {.inst_ld = value(p, WL_METRIC_inst_global_ld),
                 .inst_st = value(p, WL_METRIC_inst_global_st),
                 .sectors_ld = value(p, WL_METRIC_l1_sectors_ld),
                 .sectors_st = value(p, WL_METRIC_l1_sectors_st),
                 .l2_ld = value(p, WL_METRIC_l2_load_bytes),
                 .dram_ld = value(p, WL_METRIC_dram_load_bytes)};
    o.sampled = wl_prediction_sampled_error(p, &o.error);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return o;
}

/* A condition that leaves the first rows loads what a domain of these rows loads, wherever waves
 * lie. */
static void part_of_a_domain(void **state)
{
    static const char *const devices[] = {"h200", "a100-40gb"};
    static const struct {
        const char *condition;
        int64_t nx, ny;
    } parts[] = {{"y < 2048", 4096, 2048},
                 {"y < 1024", 4096, 1024},
                 {"!(y >= 1024)", 4096, 1024},
                 {"2*y + 1 < 17", 4096, 8},
                 {"x < 512 && y < 512", 512, 512},
                 {"y == 0", 4096, 1},
                 {"y < 100 && (y < 20 || y < 30)", 4096, 30},
                 {"blockIdx.y == 0", 4096, 8},
                 {"blockIdx.y*blockDim.y + threadIdx.y < 12", 4096, 12}};
    (void)state;
    for (size_t d = 0; d < COUNT_OF(devices); d++)
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            const wl_launch launch = {.block = {32, 8, 1}};
            const outcome got = predict(devices[d], parts[i].condition, 4096, 4096, launch, 0),
                          want = predict(devices[d], NULL, parts[i].nx, parts[i].ny, launch, 0);
            const double bytes = (double)(parts[i].nx * parts[i].ny) * 4;
            check_true(parts[i].condition, "not sampled", !got.sampled);
            check_near(parts[i].condition, "load instructions", got.inst_ld, want.inst_ld, 0);
            check_near(parts[i].condition, "store instructions", got.inst_st, want.inst_st, 0);
            check_near(parts[i].condition, "load sectors", got.sectors_ld, want.sectors_ld, 0);
            check_near(parts[i].condition, "store sectors", got.sectors_st, want.sectors_st, 0);
            check_near(parts[i].condition, "L2 loads", got.l2_ld, bytes, 1e-3);
            check_near(parts[i].condition, "DRAM loads", got.dram_ld, bytes, 1e-3);
        }
    check_done();
}

/* Conditions without a closed form: the sample against all blocks. */
static void the_stated_error_holds(void **state)
{
    static const struct {
        const char *condition;
        bool varies; /* from block to block */
    } conditions[] = {{"(x + y) % 2 == 0", false},
                      {"(x + y) % 7 < 3 && x*x + y*y < 4000000", true},
                      {"y > x*x/4096", true},
                      {"x*y < 100000", true},
                      {"random(x/32 + 128*y, 100) < 3", true},
                      {"(x/64 + y/8) % 5 == 0 || y % 1024 == 1", true}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(conditions); i += effort_is_full() ? 1 : 2) {
        const wl_launch launch = {.block = {64, 2, 1}};
        const char *name = conditions[i].condition;
        const outcome got = predict("h200", name, 1024, 2048, launch, 0),
                      want = predict("h200", name, 1024, 2048, launch, -1);
        check_true(name, "sampled", got.sampled && !want.sampled);
        check_true(name, "an error", conditions[i].varies ? got.error > 0 && got.error < 0.6 : got.error == 0);
        check_true(name, "load instructions", fabs(got.inst_ld - want.inst_ld) <= got.error * got.inst_ld);
        check_true(name, "store instructions", fabs(got.inst_st - want.inst_st) <= got.error * got.inst_st);
        check_true(name, "load sectors", fabs(got.sectors_ld - want.sectors_ld) <= got.error * got.sectors_ld);
        check_true(name, "store sectors", fabs(got.sectors_st - want.sectors_st) <= got.error * got.sectors_st);
    }
    check_done();
}

/* What no block of the sample does may still happen: the error says so. */
static void nothing_seen(void **state)
{
    (void)state;
    const outcome got = predict("h200", "x*x*3 + y*7 == 5000021", 4096, 4096, (wl_launch){.block = {256, 1, 1}}, 0);
    check_true("one thread", "unknown", got.sampled && (got.inst_ld > 0 || got.error >= 1));
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_of_a_domain),
        cmocka_unit_test(the_stated_error_holds),
        cmocka_unit_test(nothing_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
