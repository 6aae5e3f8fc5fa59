/* prop_what_if.c - every primary number of every built-in device, changed: better hardware is never
 * slower, and the number that limits a kernel acts in proportion.
 *
 * Six kernels: a stream, a stencil that reuses the L2, a matrix product that reuses the L1, a
 * gather, one that floating point limits and one that latency limits. WL_STATISTICS=1 prints the
 * slowdowns that are tolerated. SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "warpline/warpline.h"

#define KERNELS 6

enum { TRIAD, STAR, PRODUCT, GATHER, FLOATS, CHAIN };

static const struct {
    const char *name, *text; /* built in where there is no text */
    int64_t block[3];
} kernels[KERNELS] = {
    [TRIAD] = {"triad", NULL, {256, 1, 1}},
    [STAR] = {"star3d_r4", NULL, {64, 4, 1}},
    [PRODUCT] = {"matmul", NULL, {32, 8, 1}},
    [GATHER] = {"gather", NULL, {256, 1, 1}},
    [FLOATS] = {"floats",
                "name: floats\nparams: {n: 33554432}\ndomain: [n]\nfields:\n  s: {type: f32}\n  d: {type: f32}\n"
                "loads: [\"s[x]\"]\nstores: [\"d[x]\"]\nflops: 4096\nfp_results: 2048\n"
                "mix: {fp32: 2048, load: 1, store: 1, int: 6}\n",
                {256, 1, 1}},
    /* one warp on each of few multiprocessors, each load waits for memory */
    [CHAIN] = {"chain",
               "name: chain\nparams: {n: 1024}\ndomain: [n]\nfields:\n  s: {type: f64}\n  d: {type: f64}\n"
               "loops: {h: 256}\nloads: [\"s[x + 65536*h]\"]\nstores: [\"d[x]\"]\nflops: 256\n",
               {32, 1, 1}},
};

/* How a number becomes better; what is not listed here is neither: it describes how a GPU is built
 * (widths of lines, banks, limits of launches). */
static const struct {
    const char *key;
    double factor;
} better[] = {
    {"sm_count", 2},
    {"clock", 2},
    {"max_threads_per_sm", 2},
    {"max_blocks_per_sm", 2},
    {"registers_per_sm", 2},
    {"shared_per_sm", 2},
    {"l1_size", 2},
    {"l1_wavefront_rate", 2},
    {"l1_latency", 0.5},
    {"l2_size", 2},
    {"l2_bandwidth", 2},
    {"l2_latency", 0.5},
    {"dram_bandwidth", 2},
    {"dram_bandwidth_peak", 2},
    {"dram_latency", 0.5},
    {"launch_overhead", 0.5},
    {"launch_latency", 0.5},
    {"host_bandwidth", 2},
    {"fp64_rate", 2},
    {"fp32_rate", 2},
    {"fp16_rate", 2},
    {"int32_rate", 2},
    {"sfu_rate", 2},
    {"issue_rate", 2},
    {"tensor_f16_rate", 2},
    {"tensor_tf32_rate", 2},
    {"tensor_i8_rate", 2},
    {"tensor_f64_rate", 2},
    {"fp32_latency", 0.5},
    {"int32_latency", 0.5},
    {"fp64_latency", 0.5},
    {"sfu_latency", 0.5},
    {"shared_latency", 0.5},
    {"barrier_latency", 0.5},
    {"tensor_latency", 0.5},
    {"branch_latency", 0.5},
    {"memory_cache", 2},
    {"memory_cache_bandwidth", 2},
};

static wl_kernel *kernel_of(int which)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    size_t length = 0;
    const char *text = kernels[which].text ? kernels[which].text : wl_kernel_builtin_text(kernels[which].name, &length);
    assert_non_null(text);
    if (wl_kernel_parse(kernels[which].name, text, strlen(text), NULL, &kernel, &err) != WL_OK)
        fail_msg("%s: %s", kernels[which].name, err.message);
    return kernel;
}

/* Seconds; NAN: the launch does not fit the device. */
static double time_of(const wl_kernel *kernel, int which, const char *name, const char *assignment)
{
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    double time = NAN;
    wl_launch launch = {.block = {kernels[which].block[0], kernels[which].block[1], kernels[which].block[2]}};
    wl_status status = wl_device_builtin(name, &device, &err);
    if (status == WL_OK && assignment)
        status = wl_device_set(device, assignment, &err);
    if (status == WL_OK)
        status = wl_predictor_new(kernel, device, &predictor, &err);
    if (status == WL_OK)
        status = wl_prediction_new(&p, &err);
    if (status == WL_OK)
        status = wl_predict(predictor, &launch, NULL, p, &err);
    if (status == WL_OK)
        time = wl_prediction_time(p);
    else if (status != WL_E_UNSUPPORTED)
        fail_msg("%s on %s with %s: %s", kernels[which].name, name, assignment ? assignment : "nothing", err.message);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_device_free(device);
    return time;
}

static bool value_of(const char *name, const char *key, double *value)
{
    wl_device *device = NULL;
    wl_error err = {0};
    bool has = false;
    if (wl_device_builtin(name, &device, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (strcmp(wl_device_key_name((wl_device_key)k), key) == 0)
            has = wl_device_get(device, (wl_device_key)k, value);
    wl_device_free(device);
    return has;
}

/* Other devices for each kernel where the effort is quick. */
static bool is_tried(size_t device, int which) { return effort_is_full() || (device + (size_t)which) % 21 == 0; }

/* More threads on the device share the same caches, so a launch may miss more often: that is real,
 * and small. Replays are random draws. */
#define SLOWER 1.01

static void better_is_never_slower(void **state)
{
    (void)state;
    const bool print = getenv("WL_STATISTICS") != NULL;
    int worse = 0, tried = 0;
    for (int which = 0; which < KERNELS; which++) {
        wl_kernel *kernel = kernel_of(which);
        for (size_t d = 0; d < wl_device_builtin_count(); d++) {
            const char *name = wl_device_builtin_name(d);
            if (!is_tried(d, which))
                continue;
            const double before = time_of(kernel, which, name, NULL);
            for (size_t i = 0; i < sizeof better / sizeof better[0]; i++) {
                char assignment[96];
                double value;
                if (!value_of(name, better[i].key, &value))
                    continue;
                snprintf(assignment, sizeof assignment, "%s=%.17g", better[i].key, value * better[i].factor);
                const double after = time_of(kernel, which, name, assignment);
                tried++;
                if (print && after > before * 1.0001)
                    printf("%s on %s, %s: %.4f\n", kernels[which].name, name, assignment, after / before);
                if (after <= before * SLOWER)
                    continue;
                print_error("%s on %s takes %.4g times as long with %s\n", kernels[which].name, name, after / before,
                            assignment);
                worse++;
            }
        }
        wl_kernel_free(kernel);
    }
    if (print)
        printf("%d what-ifs\n", tried);
    assert_true(tried > (effort_is_full() ? 4500 : 170));
    assert_int_equal(worse, 0);
}

/* Is the launch limited by this bound? */
static bool is_limited(const wl_kernel *kernel, int which, const char *device, const char *bound)
{
    wl_device *d = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    const wl_launch launch = {.block = {kernels[which].block[0], kernels[which].block[1], kernels[which].block[2]}};
    const bool predicted =
        wl_device_builtin(device, &d, &err) == WL_OK && wl_predictor_new(kernel, d, &predictor, &err) == WL_OK &&
        wl_prediction_new(&p, &err) == WL_OK && wl_predict(predictor, &launch, NULL, p, &err) == WL_OK;
    const bool limited = predicted && strcmp(wl_bound_name(wl_prediction_limiter(p)), bound) == 0;
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_device_free(d);
    return limited;
}

/* The number that limits a kernel acts in proportion. */
static void limits_act_in_proportion(void **state)
{
    (void)state;
    static const struct {
        int kernel;
        const char *limit, *key;
        double factor, least, most; /* of the time */
    } cases[] = {
        {TRIAD, "dram", "dram_bandwidth", 0.5, 1.85, 2}, {TRIAD, "dram", "dram_bandwidth_peak", 0.5, 1.85, 2},
        {FLOATS, "fp", "sm_count", 2, 0.48, 0.55},       {FLOATS, "fp", "clock", 2, 0.48, 0.55},
        {FLOATS, "fp", "fp32_rate", 0.5, 1.8, 2},
    };
    int wrong = 0;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        wl_kernel *kernel = kernel_of(cases[c].kernel);
        int limited = 0;
        for (size_t d = 0; d < wl_device_builtin_count(); d++) {
            const char *name = wl_device_builtin_name(d);
            char assignment[96];
            double value;
            if (!is_limited(kernel, cases[c].kernel, name, cases[c].limit) || !value_of(name, cases[c].key, &value))
                continue;
            limited++;
            snprintf(assignment, sizeof assignment, "%s=%.17g", cases[c].key, value * cases[c].factor);
            const double ratio =
                time_of(kernel, cases[c].kernel, name, assignment) / time_of(kernel, cases[c].kernel, name, NULL);
            if (ratio >= cases[c].least && ratio <= cases[c].most)
                continue;
            print_error("%s on %s takes %.4g times as long with %s\n", kernels[cases[c].kernel].name, name, ratio,
                        assignment);
            wrong++;
        }
        if (limited < 5) {
            print_error("%s is limited by %s on %d devices only\n", kernels[cases[c].kernel].name, cases[c].limit,
                        limited);
            wrong++;
        }
        wl_kernel_free(kernel);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(better_is_never_slower),
                                       cmocka_unit_test(limits_act_in_proportion)};
    return cmocka_run_group_tests_name("what_if", tests, NULL, NULL);
}
