/* test_limiter.c - the model limiter by hand: bounds of the multiprocessor with the most blocks,
 * the launch, and the published form beside it. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "unit/ptx_fixture.h"

#include "device/device_internal.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

#define SMS 108.0
#define CLOCK 1.41e9

/* 8 warps of a block of 256: a load and a store of one wavefront each, 40 instructions, 24
 * multiply-adds. */
static const char scale[] = "name: scale\n"
                            "domain: [n]\n"
                            "params: {n: 256}\n"
                            "fields: {a: {type: f32}, b: {type: f32}}\n"
                            "loads: [\"a[x]\"]\n"
                            "stores: [\"b[x]\"]\n"
                            "instructions: 40\n"
                            "flops: 48\n"
                            "fp_results: 24\n"
                            "registers: 32\n";

static wl_device *device_with(const char *name, const char *const *with, size_t count)
{
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok(name, wl_device_builtin(name, &device, &err), &err);
    for (size_t i = 0; i < count; i++)
        check_ok(with[i], wl_device_set(device, with[i], &err), &err);
    return device;
}

static wl_prediction predict(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                             const wl_predict_options *how)
{
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    wl_prediction p;
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("predict", wl_predict(predictor, launch, how, &p, &err), &err);
    check_done();
    wl_predictor_free(predictor);
    return p;
}

static wl_prediction predict_scale(int64_t blocks, const wl_device *device, wl_model_id model)
{
    char set[32];
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    snprintf(set, sizeof set, "n=%lld", (long long)(256 * blocks));
    const char *const sets[] = {set};
    check_ok(set, wl_kernel_parse("scale", scale, strlen(scale), &(wl_kernel_options){sets, 1}, &kernel, &err), &err);
    const wl_launch launch = {.block = {256, 1, 1}};
    const wl_prediction p = predict(kernel, device, &launch, &(wl_predict_options){.model = model});
    wl_kernel_free(kernel);
    return p;
}

static bool warns(const wl_prediction *p, const char *text)
{
    for (int i = 0; i < p->warning_count; i++)
        if (strstr(p->warnings[i], text))
            return true;
    return false;
}

/* The last two only where memory shall not matter. */
static const char *const numbers[] = {
    "block_rate=none",     "l1_warp_extra=none",    "l1_store_split=none",    "l1_thread_index_wavefronts=none",
    "launch_duration=2us", "l2_bandwidth=1000TB/s", "dram_bandwidth=1000TB/s"};

static void the_busiest_multiprocessor_counts(void **state)
{
    (void)state;
    static const struct {
        int64_t blocks;
        double most; /* of one multiprocessor */
    } cases[] = {{1, 1}, {107, 1}, {108, 1}, {109, 2}, {1080, 10}, {1081, 11}};
    wl_device *device = device_with("a100-40gb", numbers, COUNT_OF(numbers));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char name[32];
        snprintf(name, sizeof name, "%d blocks", (int)cases[i].blocks);
        const wl_prediction p = predict_scale(cases[i].blocks, device, WL_MODEL_LIMITER);
        const double block = cases[i].most / CLOCK, *bound = p.model.bound_s;
        check_near(name, "issue", bound[WL_BOUND_ISSUE], 8 * 40 / 4.0 * block, 1e-12);
        check_near(name, "tags", bound[WL_BOUND_TAG], 8 * block, 1e-12);
        check_near(name, "fp", bound[WL_BOUND_FP], 256 * 24 / 64.0 * block, 1e-12);
        check_near(name, "launch", bound[WL_BOUND_LAUNCH], 2e-6, 1e-12);
        check_near(name, "time", p.model.time_s, 2e-6 + bound[WL_BOUND_FP], 1e-12);
        check_text(name, "limiter", wl_bound_name(p.model.limiter), "launch");
        check_int(name, "a note on idle ones", warns(&p, "multiprocessors have no block"), cases[i].blocks < 108);
        check_true(name, "a note on the launch", warns(&p, "2 us of the time are the launch itself (launch_duration)"));
    }
    wl_device_free(device);
    check_done();
}

/* Ernst et al. 2022, section 2: four resources, spread evenly; nothing else. */
static void the_published_form_stays(void **state)
{
    (void)state;
    wl_device *device = device_with("a100-40gb", numbers, COUNT_OF(numbers) - 2);
    const wl_prediction p = predict_scale(1, device, WL_MODEL_FOUR_LIMITERS);
    const double moved = p.metrics[WL_METRIC_dram_load_bytes].value + p.metrics[WL_METRIC_dram_store_bytes].value;
    double largest = 0, bandwidth = 0;
    check_true("a100-40gb", "bandwidth", wl_device_get(device, WL_DEVICE_dram_bandwidth, &bandwidth));
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        const bool published = i == WL_BOUND_FP || i == WL_BOUND_L1 || i == WL_BOUND_L2 || i == WL_BOUND_DRAM;
        check_int(wl_bound_name((wl_bound_id)i), "is a bound", p.model.bound_known[i], published);
        largest = fmax(largest, p.model.bound_s[i]);
    }
    check_near("fp", "bound", p.model.bound_s[WL_BOUND_FP], 256 * 24 / 64.0 / (SMS * CLOCK), 1e-12);
    check_near("l1", "bound", p.model.bound_s[WL_BOUND_L1], 16 / (SMS * CLOCK), 1e-12);
    check_near("dram", "bound", p.model.bound_s[WL_BOUND_DRAM], moved / bandwidth, 1e-12);
    check_near("time", "largest", p.model.time_s, largest, 0);
    wl_device_free(device);
    check_done();
}

/* A small launch costs what a launch costs, on every device; where that is assumed, the output says
 * so. */
static void a_launch_is_not_free(void **state)
{
    (void)state;
    for (size_t i = 0; wl_device_builtin_name(i); i++) {
        const char *name = wl_device_builtin_name(i);
        wl_device *device = device_with(name, NULL, 0);
        const wl_prediction p = predict_scale(1, device, WL_MODEL_LIMITER);
        double launch = 0, back_to_back = 0, alone = 0;
        wl_source_kind kind;
        const bool assumed = wl_source_kind_of(device, WL_DEVICE_launch_duration, &kind) && kind == WL_SOURCE_ASSUMED;
        check_true(name, "has a launch_duration", wl_device_get(device, WL_DEVICE_launch_duration, &launch));
        check_true(name, "and a launch_overhead", wl_device_get(device, WL_DEVICE_launch_overhead, &back_to_back));
        (void)wl_device_get(device, WL_DEVICE_launch_latency, &alone);
        check_true(name, "time", p.model.time_s > launch);
        check_near(name, "between events", p.model.time_s + wl_prediction_launch_gap(&p),
                   p.model.time_s - launch + back_to_back + alone, 1e-12);
        check_true(name, "microseconds", strcmp(name, "pascal-sim") == 0 || launch > 0.4e-6);
        check_int(name, "a note", warns(&p, "launch_duration, assumed"), assumed && launch > 0);
        wl_device_free(device);
    }
    check_done();
}

/* Which pipe converts depends on the generation. Eight conversions of 32-bit integers, four from 64
 * bits, four special functions; cycles of a warp on the busiest pipe. */
static void pipes_of_generations(void **state)
{
    (void)state;
    static const char text[] = "name: converts\n"
                               "domain: [256*100000]\n"
                               "fields: {a: {type: f32}}\n"
                               "loads: [\"a[0*x]\"]\n"
                               "mix: {fp32: 1, int: 9, special: 8, load: 1}\n"
                               "integer_pipe: 8\n"
                               "conversions: {int: 8, wide: 4}\n"
                               "products: {narrow: 1, wide: 0.5}\n"
                               "flops: 1\n"
                               "registers: 32\n";
    static const struct {
        const char *device;
        double arithmetic, integer;
    } cases[] = {
        {"gtx970", 32, 0},    /* wide ones at 4 per cycle */
        {"v100", 32, 0},      /* all on the pipe of special functions, 16 per cycle */
        {"t4", 64, 0},        /* wide ones at 2 per cycle */
        {"a100-40gb", 32, 0}, /* as on the V100 */
        /* wide ones at 2 per cycle; the integer pipe converts integers, 64 per cycle */
        {"a40", 64, 4},
        {"l40", 64, 4},
        {"h200", 16, 4}, /* wide ones with the special functions again */
    };
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok("converts", wl_kernel_parse("converts", text, strlen(text), NULL, &kernel, &err), &err);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_device *device = device_with(cases[i].device, NULL, 0);
        const wl_launch launch = {.block = {256, 1, 1}};
        const wl_prediction p = predict(kernel, device, &launch, &(wl_predict_options){.model = WL_MODEL_LIMITER});
        double sms = 0, clock = 0;
        (void)wl_device_get(device, WL_DEVICE_sm_count, &sms);
        (void)wl_device_get(device, WL_DEVICE_clock, &clock);
        const double warps = 8 * ceil(100000 / sms) / clock;
        check_near(cases[i].device, "arithmetic", p.model.bound_s[WL_BOUND_FP], cases[i].arithmetic * warps, 1e-12);
        check_near(cases[i].device, "integer", p.model.bound_s[WL_BOUND_INTEGER], cases[i].integer * warps, 1e-12);
        check_near(cases[i].device, "products", p.mix.multiplies[WL_MULTIPLY_NARROW], 8e5, 1e-9);
        check_near(cases[i].device, "wide ones", p.mix.multiplies[WL_MULTIPLY_WIDE], 4e5, 1e-9);
        wl_device_free(device);
    }
    wl_kernel_free(kernel);
    check_done();
}

/* A quotient and a root are special functions: 16 lanes a cycle, where a sum takes half a cycle. */
static void functions_of_updates_take_time(void **state)
{
    (void)state;
    static const char text[] = "name: roots\n"
                               "domain: [256*108]\n"
                               "fields: {a: {type: f32, extent: [256*108]}, b: {type: f32, extent: [256*108]}}\n"
                               "update: \"b[0] = sqrt(a[0]) + 1/a[0] + abs(a[0])\"\n"
                               "registers: 32\n";
    wl_device *device = device_with("a100-40gb", numbers, COUNT_OF(numbers));
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok("roots", wl_kernel_parse("roots", text, strlen(text), NULL, &kernel, &err), &err);
    const wl_launch launch = {.block = {256, 1, 1}};
    const wl_prediction p = predict(kernel, device, &launch, &(wl_predict_options){.model = WL_MODEL_LIMITER});
    check_near("roots", "fp", p.model.bound_s[WL_BOUND_FP], 2 * 256 / 16.0 / CLOCK, 1e-12);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

static const char eight[] = PTX_HEAD
    ".visible .entry k(.param .u64 out)\n{\n.reg .f32 %f<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f64 %fd<2>;\n"
    "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
    "add.s64 %rd1, %rd1, %rd2;\nld.global.f32 %f1, [%rd1];\n"
    "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
    "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
    "fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f1, %f1, %f1, %f1;\n"
    "cvt.rn.f32.s32 %f2, %r1;\nadd.f32 %f1, %f1, %f2;\ncvt.f64.f32 %fd1, %f1;\ncvt.rn.f32.f64 %f1, %fd1;\n"
    "st.global.f32 [%rd1], %f1;\nret;\n}\n";

/* Flops of an emulated kernel are counted from its instructions; they bound the time as stated ones
 * do. */
static void emulated_kernels_have_an_fp_bound(void **state)
{
    (void)state;
    const char *const args[] = {"buf:1024"};
    const wl_ptx_options options = {
        .args = args, .arg_count = 1, .launch = {.block = {256, 1, 1}, .grid = {1080, 1, 1}, .registers = 32}};
    wl_device *device = device_with("a100-40gb", numbers, COUNT_OF(numbers));
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok("parse", wl_ptx_parse("k.ptx", eight, strlen(eight), &ptx, &err), &err);
    check_ok("kernel", wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
    for (int emulate = 0; emulate < 2; emulate++) {
        const char *name = emulate ? "emulated" : "recovered";
        const wl_prediction p = predict(kernel, device, &options.launch, &(wl_predict_options){.emulate = emulate});
        check_near(name, "conversions", p.mix.converts[WL_CONVERT_INT], 1080 * 8, 1e-9);
        check_near(name, "wide ones", p.mix.converts[WL_CONVERT_WIDE], 2 * 1080 * 8, 1e-9);
        check_near(name, "wide products", p.mix.multiplies[WL_MULTIPLY_WIDE], 1080 * 8, 1e-9);
        check_near(name, "narrow ones", p.mix.multiplies[WL_MULTIPLY_NARROW], 0, 0);
        /* nine results take 4.5 cycles of a warp, three conversions 6 */
        check_near(name, "fp", p.model.bound_s[WL_BOUND_FP], 10 * 8 * 3 * 32 / 16.0 / CLOCK, 1e-9);
    }
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_multiprocessor_counts),
        cmocka_unit_test(the_published_form_stays),
        cmocka_unit_test(a_launch_is_not_free),
        cmocka_unit_test(emulated_kernels_have_an_fp_bound),
        cmocka_unit_test(pipes_of_generations),
        cmocka_unit_test(functions_of_updates_take_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
