/* test_interval_time.c - model/interval_time.h: what the models take of a device and a launch, what
 * they say about it, and what happens where something is missing. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "metrics/prediction.h"
#include "model/interval_time.h"
#include "warpline/warpline.h"

#define NEAR 1e-12

static const wl_launch blocks_of_256 = {.block = {256, 1, 1}, .fold = {1, 1, 1}};

static wl_device *device_with(const char *name, const char *assignment)
{
    wl_device *device = NULL;
    wl_error err = {0};
    wl_status status = wl_device_builtin(name, &device, &err);
    if (status == WL_OK && assignment)
        status = wl_device_set(device, assignment, &err);
    check_ok(name, status, &err);
    return device;
}

static wl_prediction predict(const char *device_name, const char *set, const char *yaml, const wl_launch *launch,
                             wl_model_id model)
{
    wl_device *device = device_with(device_name, set);
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction p = {0};
    wl_error err = {0};
    const wl_predict_options options = {.model = model};
    size_t length = strlen(yaml);
    const char *text = strchr(yaml, '\n') ? yaml : wl_kernel_builtin_text(yaml, &length);
    wl_status status = wl_kernel_parse("test", text, length, NULL, &kernel, &err);
    if (status == WL_OK)
        status = wl_predictor_new(kernel, device, &predictor, &err);
    if (status == WL_OK)
        status = wl_predict(predictor, launch, &options, &p, &err);
    check_ok(yaml, status, &err);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return p;
}

static bool warns(const wl_prediction *p, const char *fragment)
{
    for (int i = 0; i < p->warning_count; i++)
        if (strstr(p->warnings[i], fragment))
            return true;
    return false;
}

static void numbers_of_a_device(void **state)
{
    (void)state;
    wl_device *device = device_with("pascal-sim", NULL);
    wl_interval_machine m;
    const char *missing = NULL;
    check_true("pascal-sim", "complete", wl_interval_machine_read(device, &m, &missing));
    check_near("pascal-sim", "SMs", m.sms, 28, 0);
    check_near("pascal-sim", "clock", m.clock, 1.4e9, NEAR);
    check_near("pascal-sim", "pools", m.pools, 4, 0);
    check_near("pascal-sim", "issue", m.issue, 2, 0);
    check_near("pascal-sim", "registers", m.mshrs, 128, 0);
    check_near("pascal-sim", "request", m.request, 128, 0);
    check_near("pascal-sim", "network", m.noc, 1050e9, NEAR);
    check_near("pascal-sim", "DRAM", m.dram, 480e9, NEAR);
    check_near("pascal-sim", "L2 latency", m.l2_latency, 120, 0);
    check_near("pascal-sim", "DRAM latency on top", m.dram_latency, 220, 0);
    check_int("pascal-sim", "order", m.order, WL_ORDER_ROUND_ROBIN);
    wl_device_free(device);
    device = device_with("h200", NULL);
    check_true("h200", "complete", wl_interval_machine_read(device, &m, &missing));
    double l2;
    check_true("h200", "L2", wl_device_get(device, WL_DEVICE_l2_bandwidth, &l2));
    check_near("h200", "network is the L2's", m.noc, l2, NEAR);
    check_near("h200", "requests are sectors", m.request, 32, 0);
    check_int("h200", "order", m.order, WL_ORDER_GREEDY);
    wl_device_free(device);
    device = device_with("mi210", NULL);
    check_true("mi210", "incomplete", !wl_interval_machine_read(device, &m, &missing));
    check_text("mi210", "missing", missing, "l1_mshr");
    wl_device_free(device);
    device = device_with("h200", "l2_bandwidth=none");
    check_true("no L2", "incomplete", !wl_interval_machine_read(device, &m, &missing));
    check_text("no L2", "missing", missing, "l2_bandwidth");
    wl_device_free(device);
    check_done();
}

static void every_model_has_a_name_and_a_time(void **state)
{
    (void)state;
    double before = 0;
    for (int i = WL_MODEL_GPUMECH; i <= WL_MODEL_MDM; i++) {
        const char *name = wl_model_name((wl_model_id)i);
        wl_model_id found = WL_MODEL_BEST;
        check_true(name, "found", wl_model_find(name, &found) && found == (wl_model_id)i);
        check_true(name, "an interval model", wl_contention_model_of((wl_model_id)i) != NULL);
        const wl_prediction p = predict("pascal-sim", NULL, "gather", &blocks_of_256, (wl_model_id)i);
        check_text(name, "made the time", wl_model_name(p.model.id), name);
        check_true(name, "positive", p.model.time_s > 0 && isfinite(p.model.time_s));
        check_near(name, "items", p.model.items_per_s, (double)p.items / p.model.time_s, NEAR);
        check_true(name, "states what it assumes", warns(&p, "the life of a warp is assumed"));
        if (i == WL_MODEL_GPUMECH || i == WL_MODEL_GPUMECH_PLUS || i == WL_MODEL_MDM) {
            check_true(name, "divergent loads: slower than the one before", p.model.time_s > before);
            before = p.model.time_s;
        }
    }
    check_true("limiter", "no interval model", wl_contention_model_of(WL_MODEL_LIMITER) == NULL);
    check_done();
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    const wl_prediction p = predict("mi210", NULL, "gather", &blocks_of_256, WL_MODEL_MDM);
    check_text("mi210", "model", wl_model_name(p.model.id), "limiter");
    check_true("mi210", "said", warns(&p, "the device file has no l1_mshr: no mdm model, the limiter model is used"));
    check_done();
}

/* A time below that of a resource is not hidden. */
static void too_little_time_is_said(void **state)
{
    (void)state;
    const wl_prediction p =
        predict("h200", NULL, "star3d_r4", &(wl_launch){.block = {32, 4, 2}, .fold = {1, 1, 1}}, WL_MODEL_GPUMECH);
    check_true("gpumech", "below L2", p.model.time_s < p.model.bound_s[WL_BOUND_L2]);
    check_true("gpumech", "said", warns(&p, "less time than the slowest resource alone takes"));
    check_done();
}

static void order_of_warps_counts(void **state)
{
    (void)state;
    const wl_prediction turns = predict("pascal-sim", NULL, "matmul", &blocks_of_256, WL_MODEL_MDM),
                        greedy = predict("pascal-sim", "scheduler_policy=2", "matmul", &blocks_of_256, WL_MODEL_MDM);
    check_true("policy", "matters", turns.model.time_s != greedy.model.time_s);
    check_done();
}

static void no_loads_one_warp(void **state)
{
    (void)state;
    static const char fill[] = "name: fill\ndomain: [65536]\nfields:\n  a: {type: f32}\n"
                               "stores: [\"a[x]\"]\nflops: 0\n";
    static const char one[] = "name: one\ndomain: [32]\nfields:\n  a: {type: f32}\n"
                              "loads: [\"a[x]\"]\nstores: [\"a[x]\"]\nflops: 1\n";
    for (int i = WL_MODEL_GPUMECH; i <= WL_MODEL_MDM; i++) {
        const char *name = wl_model_name((wl_model_id)i);
        wl_prediction p = predict("h200", NULL, fill, &blocks_of_256, (wl_model_id)i);
        check_true(name, "no loads", isfinite(p.model.time_s) && p.model.time_s > 0);
        p = predict("h200", NULL, one, &(wl_launch){.block = {32, 1, 1}, .fold = {1, 1, 1}}, (wl_model_id)i);
        /* nobody to wait for: the load, the instructions, the launch */
        const double launch = 0.4067 * 3.263e-6;
        check_true(name, "one warp", p.model.time_s > launch && p.model.time_s < launch + 1200 / 1.98e9);
    }
    check_done();
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *set, *fragment;
    } cases[] = {{"l1_mshr=0", "l1_mshr must be at least 1: without room for a miss no load would end"},
                 {"l1_mshr=1.5", "whole number"},
                 {"scheduler_policy=3", "scheduler_policy is 1 (round robin) or 2 (greedy)"},
                 {"l2_bandwidth=0GB/s", "positive"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_device *device = device_with("pascal-sim", NULL);
        wl_error err = {0};
        const wl_status status = wl_device_set(device, cases[i].set, &err);
        check_int(cases[i].set, "refused", status, WL_E_INPUT);
        check_true(cases[i].set, err.message, strstr(err.message, cases[i].fragment) != NULL);
        wl_device_free(device);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_device),     cmocka_unit_test(every_model_has_a_name_and_a_time),
        cmocka_unit_test(what_is_missing_is_said), cmocka_unit_test(too_little_time_is_said),
        cmocka_unit_test(order_of_warps_counts),   cmocka_unit_test(no_loads_one_warp),
        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
