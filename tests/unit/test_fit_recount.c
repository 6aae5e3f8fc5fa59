/* test_fit_recount.c - what a fit predicts from kept counts is what a prediction counts afresh, for
 * every number that it fits: no count depends on one of them. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_internal.h"
#include "fit/numbers.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

static const double factors[] = {0.1, 10};

typedef struct subject {
    const char *name, *text; /* NULL: a built-in kernel, or from PTX */
    const char *entry;       /* NULL: not from PTX */
    wl_launch launch;
} subject;

/* C = A B, one thread per element: blocks of several waves walk through the same rows and columns.
 * The data of 3072 x 3072, 113 MB, leave the L2; those of 512 x 512, 3 MB, stay. */
#define PRODUCT(n)                                                                                                     \
    "name: product\nparams: {n: " #n "}\ndomain: [n, n]\nfields:\n  a: {type: f32, extent: [\"n*n\"]}\n"               \
    "  b: {type: f32, extent: [\"n*n\"]}\n  c: {type: f32, extent: [\"n*n\"]}\nloops: {i: n}\n"                        \
    "loads: [\"a[y*n + i]\", \"b[i*n + x]\"]\nstores: [\"c[y*n + x]\"]\nflops: \"2*n\"\n"

static const subject subjects[] = {
    {"product", PRODUCT(3072), NULL, {.block = {16, 16, 1}, .registers = 32}},
    {"small product", PRODUCT(512), NULL, {.block = {16, 16, 1}, .registers = 32}},
    {"star3d_r4", NULL, NULL, {.block = {32, 4, 2}, .registers = 32}},
    {"lbm_d3q19", NULL, NULL, {.block = {24, 3, 2}, .registers = 48}},
    {"transposed", NULL, "k_transposed", {.block = {128, 1, 1}, .grid = {4096, 1, 1}, .registers = 32}},
};

/* A loop whose stores take several wavefronts each. */
static const char transposed[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k_transposed(.param .u64 a, .param .u64 b)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>; .reg .f32 %f<3>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\ncvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3;\n"
    "mul.wide.u32 %rd5, %r4, 1028; add.u64 %rd6, %rd2, %rd5;\nmov.u32 %r5, 0;\n"
    "LOOP:\nld.global.f32 %f1, [%rd4]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd6], %f2;\nbar.sync 0;\n"
    "add.u64 %rd4, %rd4, 2097152; add.u64 %rd6, %rd6, 4;\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20;\n"
    "@%p1 bra LOOP;\nret;\n}\n";

static wl_device *device_of(void)
{
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    return device;
}

static wl_kernel *kernel_of(const subject *s, wl_ptx **ptx)
{
    static const char *const args[] = {"buf:64MiB", "buf:1GiB"};
    const wl_ptx_options options = {.entry = s->entry, .args = args, .arg_count = 2, .launch = s->launch};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    if (s->entry) {
        check_ok(s->name, wl_ptx_parse("transposed.ptx", transposed, strlen(transposed), ptx, &err), &err);
        check_ok(s->name, wl_kernel_from_ptx(*ptx, &options, &kernel, &err), &err);
    } else {
        size_t length = s->text ? strlen(s->text) : 0;
        const char *text = s->text ? s->text : wl_kernel_builtin_text(s->name, &length);
        check_ok(s->name, wl_kernel_parse(s->name, text, length, NULL, &kernel, &err), &err);
    }
    return kernel;
}

static void predict_afresh(const subject *s, const wl_kernel *kernel, const wl_device *device, wl_prediction *out)
{
    const wl_predict_options options = {.model = WL_MODEL_TURNOVER};
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    check_ok(s->name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(s->name, wl_predict(predictor, &s->launch, &options, out, &err), &err);
    wl_predictor_free(predictor);
}

static void compare(const subject *s, wl_counted *counted, const wl_kernel *kernel, const wl_device *device,
                    const char *what)
{
    static const wl_metric metrics[] = {WL_METRIC_l1_wavefronts, WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes,
                                        WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes};
    static wl_prediction kept, fresh;
    wl_error err = {0};
    char name[160];
    check_ok(what, wl_counted_predict(counted, device, WL_MODEL_TURNOVER, &kept, &err), &err);
    predict_afresh(s, kernel, device, &fresh);
    for (size_t i = 0; i < COUNT_OF(metrics); i++) {
        (void)snprintf(name, sizeof name, "%s, %s", what, wl_metric_name(metrics[i]));
        check_near(s->name, name, kept.metrics[metrics[i]].value, fresh.metrics[metrics[i]].value, 1e-9);
    }
    (void)snprintf(name, sizeof name, "%s, time", what);
    check_near(s->name, name, kept.model.time_s, fresh.model.time_s, 1e-9);
}

static bool is_share(const wl_fit_spec *spec)
{
    return spec->key == WL_DEVICE_store_combine || spec->key == WL_DEVICE_store_combine_warps ||
           spec->key == WL_DEVICE_l2_merge || (spec->key == WL_DEVICE_l1_reload_curve && spec->index == 0);
}

static void counts_hold_for_all_fitted_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(subjects); i++) {
        const subject *s = &subjects[i];
        wl_device *device = device_of();
        wl_ptx *ptx = NULL;
        wl_kernel *kernel = kernel_of(s, &ptx);
        wl_predictor *predictor = NULL;
        wl_counted *counted = NULL;
        wl_error err = {0};
        static wl_prediction before;
        check_ok(s->name, wl_predictor_new(kernel, device, &predictor, &err), &err);
        /* a predictor that has met the launch keeps counts of its own */
        check_ok(s->name, wl_predict(predictor, &s->launch, NULL, &before, &err), &err);
        check_ok(s->name, wl_counted_make(predictor, &s->launch, NULL, &counted, &err), &err);
        compare(s, counted, kernel, device, "the device's own");
        for (size_t n = 0; n < wl_fit_spec_count; n++)
            for (size_t f = 0; f < COUNT_OF(factors); f++) {
                const wl_fit_spec *spec = &wl_fit_specs[n];
                const wl_device_entry own = device->entries[spec->key];
                double *value = &device->entries[spec->key].values[spec->index];
                char what[120];
                if (own.count <= spec->index)
                    continue;
                *value *= factors[f];
                if (wl_device_keys[spec->key].dimension == WL_DIM_BYTES)
                    *value = round(*value);
                if (is_share(spec))
                    *value = fmin(*value, 1);
                (void)snprintf(what, sizeof what, "%s x %g", wl_device_key_name(spec->key), factors[f]);
                compare(s, counted, kernel, device, what);
                device->entries[spec->key] = own;
            }
        wl_counted_free(counted);
        wl_predictor_free(predictor);
        wl_kernel_free(kernel);
        wl_ptx_free(ptx);
        wl_device_free(device);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_hold_for_all_fitted_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
