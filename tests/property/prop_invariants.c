/* prop_invariants.c - no prediction contradicts what must hold (metrics/invariants.h), on kernels
 * of every kind and on every device, also as small machines that small launches fill many times.
 *
 * WL_SEED sets the first seed and WL_ITERATIONS the number of cases; WL_LIST=1 lists every case
 * that breaks a rule, with the rules and without stopping. SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the shared headers hold more than one test needs */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "effort.h"
#include "property/wild_kernel.h"
#include "warpline/predict.h"

#define MACHINES 128
#define RENDERED 16 /* one prediction of so many is written as JSON, too */

static struct {
    uint64_t seed, iterations; /* 0 iterations: the usual number */
    bool list;
    int64_t predicted, refused, unknown, opaque;
} run;

static random_case input; /* large, so not on the stack */
static struct {
    wl_device *device;
    char text[160];
} machines[MACHINES];
static size_t machine; /* the current one */

static void print_case(uint64_t seed, const wl_prediction *p, const wl_error *err)
{
    const wl_launch *l = &input.launch;
    print_error("WL_SEED=%llu WL_ITERATIONS=1, block %lldx%lldx%lld fold %lldx%lldx%lld grid %lldx%lldx%lld on %s\n%s",
                (unsigned long long)seed, (long long)l->block[0], (long long)l->block[1], (long long)l->block[2],
                (long long)l->fold[0], (long long)l->fold[1], (long long)l->fold[2], (long long)l->grid[0],
                (long long)l->grid[1], (long long)l->grid[2], machines[machine].text, input.yaml);
    if (err)
        print_error("%s: %s\n", wl_status_name(err->code), err->message);
    for (size_t i = 0; p && wl_prediction_warning(p, i); i++)
        if (strstr(wl_prediction_warning(p, i), "cannot be"))
            print_error("  %s\n", wl_prediction_warning(p, i));
}

static void set_number(wl_device *device, const char *key, int64_t value)
{
    char assignment[80];
    wl_error err = {0};
    (void)snprintf(assignment, sizeof assignment, "%s=%lld", key, (long long)value);
    if (wl_device_set(device, assignment, &err) != WL_OK)
        fail_msg("%s: %s", assignment, err.message);
}

/* Machine number `which`: every other one is an h200, whose volumes follow the measured laws. Some
 * are as built in; the others have few multiprocessors, a small L2, and fetches of another size. */
static void make_machine(size_t which, random_source *r)
{
    const size_t kinds = wl_device_builtin_count();
    const char *name = which % 2 ? "h200" : wl_device_builtin_name(which / 2 % kinds);
    wl_error err = {0};
    if (wl_device_builtin(name, &machines[which].device, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    char *text = machines[which].text;
    const size_t room = sizeof machines[which].text;
    (void)snprintf(text, room, "%s", name);
    if (which / 2 < kinds)
        return;
    const int64_t sms = random_in(r, 1, 6), blocks = random_in(r, 1, 3), l2 = 4096 << random_in(r, 0, 13),
                  fetch = 32 << random_in(r, 0, 2);
    set_number(machines[which].device, "sm_count", sms);
    set_number(machines[which].device, "max_blocks_per_sm", blocks);
    set_number(machines[which].device, "l2_size", l2);
    set_number(machines[which].device, "dram_fetch", fetch);
    (void)snprintf(text, room,
                   "%s --with sm_count=%lld --with max_blocks_per_sm=%lld --with l2_size=%lldB --with dram_fetch=%lldB",
                   name, (long long)sms, (long long)blocks, (long long)l2, (long long)fetch);
}

static int make_machines(void **state)
{
    (void)state;
    random_source r = random_start(0);
    for (size_t i = 0; i < MACHINES; i++)
        make_machine(i, &r);
    return 0;
}

static int free_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < MACHINES; i++)
        wl_device_free(machines[i].device);
    return 0;
}

/* A number that is not finite would not be found by the checks of the library if they were
 * wrong. */
static bool all_finite(const wl_prediction *p)
{
    double value = wl_prediction_time(p);
    bool finite = isfinite(value) && value >= 0;
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        if (wl_prediction_metric(p, (wl_metric)m, &value))
            finite = finite && isfinite(value) && value >= 0;
    for (int b = 0; b < WL_BOUND_COUNT; b++)
        if (wl_prediction_bound(p, (wl_bound_id)b, &value))
            finite = finite && isfinite(value) && value >= 0;
    return finite;
}

/* Every other case by the best model, the others by each of them in turn. */
static wl_model_id model_of(uint64_t seed)
{
    return seed % 2 ? WL_MODEL_BEST : (wl_model_id)(seed / 2 % WL_MODEL_COUNT);
}

static void look_at(uint64_t seed, const wl_kernel *kernel, const wl_device *device, wl_prediction *p)
{
    const wl_predict_options options = {.model = model_of(seed)};
    wl_predictor *predictor = NULL;
    char *text = NULL;
    double dram = 0;
    wl_error err = {0};
    wl_status status = wl_predictor_new(kernel, device, &predictor, &err);
    if (status == WL_OK)
        status = wl_predict(predictor, &input.launch, &options, p, &err);
    if (status == WL_E_INPUT || status == WL_E_LIMIT || status == WL_E_RANGE) {
        run.refused++; /* a launch or an address that the device or the method does not take */
    } else if (status != WL_OK) {
        print_case(seed, NULL, &err);
        fail_msg("no prediction");
    } else {
        run.predicted++;
        run.unknown += !wl_prediction_metric(p, WL_METRIC_dram_load_bytes, &dram);
        if (seed % RENDERED == 0)
            status = wl_prediction_render(p, kernel, device, WL_FORMAT_JSON_LINE, &text, &err);
        const bool right = wl_prediction_clamped(p) == 0 && all_finite(p) && status == WL_OK;
        if (!right)
            print_case(seed, p, status == WL_OK ? NULL : &err);
        if (!right && !run.list)
            fail_msg("%d values cannot be", wl_prediction_clamped(p));
    }
    free(text);
    wl_predictor_free(predictor);
}

static void no_value_contradicts_another(void **state)
{
    (void)state;
    wl_prediction *p = NULL;
    wl_error err = {0};
    assert_int_equal(wl_prediction_new(&p, &err), WL_OK);
    const uint64_t cases = run.iterations ? run.iterations : effort_cases(40000);
    for (uint64_t i = 0; i < cases; i++) {
        const uint64_t seed = run.seed + i;
        random_source r = random_start(~seed);
        wl_kernel *kernel = NULL;
        machine = (size_t)random_in(&r, 0, MACHINES - 1);
        if (seed % 4 == 0)
            random_case_make(seed, &input);
        else
            wild_case_make(seed, &input);
        if (wl_kernel_parse("wild.yaml", input.yaml, input.length, NULL, &kernel, &err) != WL_OK) {
            print_case(seed, NULL, &err);
            fail_msg("a case does not parse");
        }
        look_at(seed, kernel, machines[machine].device, p);
        wl_kernel_free(kernel);
    }
    wl_prediction_free(p);
    if (getenv("WL_STATISTICS"))
        print_message("%lld predicted, %lld refused, %lld without memory volumes\n", (long long)run.predicted,
                      (long long)run.refused, (long long)run.unknown);
    assert_true(run.iterations || run.predicted > (int64_t)cases / 2);
}

static uint64_t number_from(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

int main(void)
{
    run.seed = number_from("WL_SEED");
    run.iterations = number_from("WL_ITERATIONS");
    run.list = getenv("WL_LIST") != NULL;
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_value_contradicts_another)};
    return cmocka_run_group_tests(tests, make_machines, free_machines);
}
