/* test_trust.c - what the numbers of a device say about a ranking, and what stands in for them.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>

#include "warpline/trust.h"
#include "model/trust_level.h"

static void set(wl_device *device, const char *assignment)
{
    wl_error err = {0};
    check_ok(assignment, wl_device_set(device, assignment, &err), &err);
}

static wl_trust trust_of(const wl_device *device, wl_model_id model)
{
    wl_trust t;
    wl_error err = {0};
    check_ok(wl_device_name(device), wl_trust_of(device, model, &t, &err), &err);
    return t;
}

static void test_levels(void **state)
{
    (void)state;
    for (size_t i = 1; i < WL_TRUST_LEVELS; i++)
        check_true("levels", "ascend", wl_trust_level(i) > wl_trust_level(i - 1) && wl_trust_level(i) < 1);
    check_near("levels", "first", wl_trust_level(0), 0.3, 0);
    check_near("levels", "last", wl_trust_level(WL_TRUST_LEVELS - 1), 0.95, 0);
    check_done();
}

static void test_numbers(void **state)
{
    (void)state;
    wl_device *device = given_device("a100-40gb");
    set(device, "rank_ratio=[1,1.5,2]");
    set(device, "rank_error=1.25");
    const wl_trust t = trust_of(device, WL_MODEL_TURNOVER);
    check_int("levels", "count", (int64_t)t.level_count, 3);
    check_near("error", "is a logarithm", t.error, log(1.25), 1e-15);
    check_int("own numbers", "assumed", t.assumed, false);
    check_text("own numbers", "basis", t.basis, "a100-40gb: set by the user");
    static const struct {
        double probability, ratio; /* 0: not known */
    } ratios[] = {{0, 1},    {0.1, 1}, {0.3, 1},   {0.31, 1.5}, {0.4, 1.5}, {0.1 + 0.2 + 0.1, 1.5},
                  {0.45, 2}, {0.5, 2}, {0.501, 0}, {0.95, 0},   {1, 0},     {NAN, 0}};
    for (size_t i = 0; i < COUNT_OF(ratios); i++) {
        double ratio = 0;
        check_int("ratio", "known", wl_trust_ratio(&t, ratios[i].probability, &ratio), ratios[i].ratio > 0);
        check_near("ratio", "value", ratio, ratios[i].ratio, 0);
    }
    static const struct {
        double ratio, probability;
    } probabilities[] = {{0.5, 0},   {1, 0.3}, {1.25, 0.3}, {1.4999, 0.3},   {1.5, 0.4},
                         {1.9, 0.4}, {2, 0.5}, {1000, 0.5}, {INFINITY, 0.5}, {NAN, 0}};
    for (size_t i = 0; i < COUNT_OF(probabilities); i++)
        check_near("probability", "value", wl_trust_probability(&t, probabilities[i].ratio),
                   probabilities[i].probability, 0);
    wl_device_free(device);
    check_done();
}

/* A wider set never has the smaller probability, and a ratio gives back the level it was asked
 * for. */
static void test_there_and_back(void **state)
{
    (void)state;
    static const wl_model_id models[] = {WL_MODEL_TURNOVER, WL_MODEL_LIMITER};
    wl_device *device = given_device("h200");
    for (size_t m = 0; m < COUNT_OF(models); m++) {
        const wl_trust t = trust_of(device, models[m]);
        for (size_t i = 0; i < t.level_count; i++) {
            double ratio = 0;
            check_true("level", "is known", wl_trust_ratio(&t, wl_trust_level(i), &ratio));
            check_true("level", "is reached", wl_trust_probability(&t, ratio) >= wl_trust_level(i));
            check_true("level", "needs all of it", i == 0 || ratio >= t.ratio[i - 1]);
        }
    }
    wl_device_free(device);
    check_done();
}

static void test_models_of_the_h200(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    const wl_trust best = trust_of(device, WL_MODEL_BEST), turnover = trust_of(device, WL_MODEL_TURNOVER),
                   limiter = trust_of(device, WL_MODEL_LIMITER);
    check_true("best", "is turnover", best.error == turnover.error && best.ratio[5] == turnover.ratio[5]);
    check_true("turnover", "errs less", turnover.error > 0 && turnover.error < limiter.error);
    check_true("turnover", "is measured", !best.assumed && !turnover.assumed);
    check_true("limiter", "is as on other GPUs", limiter.assumed);
    check_true("basis", "says how many",
               strncmp(turnover.basis, "h200: ", 6) == 0 && strstr(turnover.basis, " searches over ") != NULL &&
                   strchr(turnover.basis, ';') == NULL);
    wl_device_free(device);
    check_done();
}

/* What was measured with the limiter model on the H200, whose searches are those behind what is
 * believed of other GPUs. */
static const double limiter_ratios[] = {1, 1, 1.001, 1.005, 1.137, 1.338, 1.366}, limiter_error = 1.251;

/* Every other device gets what is believed of every GPU: wider than was measured, and it says
 * so. */
static void test_believed(void **state)
{
    (void)state;
    wl_device *h200 = given_device("h200");
    const wl_trust want = trust_of(h200, WL_MODEL_LIMITER);
    const double wider = want.error / log(limiter_error);
    check_near("believed", "tie", want.error, log(1.33), 1e-12);
    check_int("believed", "levels", (int64_t)want.level_count, COUNT_OF(limiter_ratios));
    for (size_t i = 0; i < COUNT_OF(limiter_ratios); i++)
        check_near("believed", "ratio", want.ratio[i], pow(limiter_ratios[i], wider), 1e-5);
    for (size_t i = 0; i < wl_device_builtin_count(); i++) {
        const char *name = wl_device_builtin_name(i);
        wl_device *device = given_device(name);
        for (int m = WL_MODEL_BEST; m < WL_MODEL_COUNT; m++) {
            const bool measured = !wl_device_inherited_from(device, WL_DEVICE_rank_ratio);
            if (measured && (m == WL_MODEL_BEST || m == WL_MODEL_TURNOVER))
                continue;
            const wl_trust t = trust_of(device, (wl_model_id)m);
            check_int(name, "assumed", t.assumed, true);
            check_true(name, "says so", strncmp(t.basis, "assumed: h200, limiter model, ", 30) == 0);
            check_true(name, "says that it is wider", strstr(t.basis, ", wider on other GPUs") != NULL);
            check_near(name, "tie", t.error, want.error, 0);
            check_int(name, "levels", (int64_t)t.level_count, (int64_t)want.level_count);
            for (size_t l = 0; l < want.level_count; l++)
                check_near(name, "ratio", t.ratio[l], want.ratio[l], 0);
        }
        wl_device_free(device);
    }
    /* half of the numbers is none */
    wl_device *half = given_device("gtx970");
    set(half, "rank_ratio=[1.5]");
    check_true("half", "is assumed", trust_of(half, WL_MODEL_TURNOVER).assumed);
    check_near("half", "ratio", trust_of(half, WL_MODEL_TURNOVER).ratio[0], want.ratio[0], 0);
    wl_device_free(half);
    wl_device_free(h200);
    check_done();
}

/* A device with an error of its own, but no contests: not narrower than the borrowed one, and as
 * wide as its own. */
static void test_own_error(void **state)
{
    static const struct {
        const char *error;
        double tie; /* 0: as believed of every GPU */
    } cases[] = {{"[0.1]", 0}, {"[0.1, 0.2]", 0}, {"[0.2, 0.4]", 1.4}, {"[0.6]", 1.6}};
    size_t length = 0;
    const char *text = wl_device_builtin_text("gtx970", &length);
    wl_device *h200 = given_device("h200");
    const wl_trust believed = trust_of(h200, WL_MODEL_LIMITER);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *longer = test_malloc(length + 128);
        const int n = snprintf(longer, length + 128, "%s\ntime_error: {value: %s, unit: 1, source: mine}\n", text,
                               cases[i].error);
        wl_device *device = NULL;
        wl_error err = {0};
        check_ok(cases[i].error, wl_device_parse("file", longer, (size_t)n, &device, &err), &err);
        const wl_trust t = trust_of(device, WL_MODEL_TURNOVER);
        check_near(cases[i].error, "tie", t.error, cases[i].tie > 0 ? log(cases[i].tie) : believed.error, 1e-12);
        for (size_t l = 0; l < believed.level_count; l++)
            check_near(cases[i].error, "ratio", t.ratio[l], pow(believed.ratio[l], t.error / believed.error), 1e-12);
        check_int(cases[i].error, "says so", strstr(t.basis, ", wider on this GPU") != NULL, cases[i].tie > 0);
        wl_device_free(device);
        test_free(longer);
    }
    wl_device_free(h200);
    check_done();
}

/* Numbers that a file itself calls assumed. */
static void test_assumed_in_the_file(void **state)
{
    (void)state;
    static const char more[] = "\nrank_ratio: {value: [1.5], unit: 1, source: \"assumed: as my other GPU; x\"}\n"
                               "rank_error: {value: 1.5, unit: 1, source: \"assumed: as my other GPU\"}\n";
    size_t length = 0;
    const char *text = wl_device_builtin_text("a40", &length);
    char *longer = test_malloc(length + sizeof more);
    memcpy(longer, text, length);
    memcpy(longer + length, more, sizeof more);
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("file", wl_device_parse("file", longer, length + sizeof more - 1, &device, &err), &err);
    const wl_trust t = trust_of(device, WL_MODEL_TURNOVER);
    check_int("file", "assumed", t.assumed, true);
    check_text("file", "basis", t.basis, "a40: assumed: as my other GPU");
    check_near("file", "ratio", t.ratio[0], 1.5, 0);
    wl_device_free(device);
    test_free(longer);
    check_done();
}

static void test_nonsense(void **state)
{
    (void)state;
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"rank_ratio=[1,0.99]", "rank_ratio must be at least 1"},
        {"rank_ratio=[1.2,1.1]", "rank_ratio must not descend"},
        {"rank_ratio=[1,1,1,1,1,1,1,1,1]", "rank_ratio has more values than there are levels"},
        {"rank_ratio=[0]", "rank_ratio must be at least 1"},
        {"rank_error=0.5", "rank_error must be at least 1"},
        {"rank_error=0", "rank_error must be at least 1"},
        {"rank_error_limiter=2",
         "rank_error_limiter is no longer a key, as errors are those of the default time model"},
        {"rank_error=nan", "rank_error needs a number"},
    };
    wl_device *device = given_device("h200");
    const wl_trust before = trust_of(device, WL_MODEL_TURNOVER);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_error err = {0};
        check_int(cases[i].assignment, "status", wl_device_set(device, cases[i].assignment, &err), WL_E_INPUT);
        check_true(cases[i].assignment, "is explained", strstr(err.message, cases[i].message) != NULL);
    }
    const wl_trust after = trust_of(device, WL_MODEL_TURNOVER);
    check_true("refusals", "change nothing", before.error == after.error && before.ratio[7] == after.ratio[7]);
    set(device, "rank_ratio=[1,1,1]"); /* equal ones are fine */
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_models_of_the_h200),
        cmocka_unit_test(test_believed),       cmocka_unit_test(test_assumed_in_the_file),
        cmocka_unit_test(test_own_error),      cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
