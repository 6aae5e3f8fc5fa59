/* test_check.c - warpline/check.h: budgets as text, their values, and verdicts.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "judge/findings.h"

static const struct {
    const char *text, *name;
    double limit;
} budgets[] = {
    {"time=1.5ms", "time", 1.5e-3},
    {"time<=1.5ms", "time", 1.5e-3},
    {"time=2s", "time", 2},
    {"time=250us", "time", 250e-6},
    {"time=3 ns", "time", 3e-9},
    {"time/item=9e-12s", "time/item", 9e-12},
    {"dram_load_bytes=2.1GB", "dram_load_bytes", 2.1e9},
    {"dram_load_bytes<=2KiB", "dram_load_bytes", 2048},
    {"dram_load_bytes<=2KB", "dram_load_bytes", 2000},
    {"dram_load_bytes<=2kB", "dram_load_bytes", 2000},
    {"dram_store_bytes=0", "dram_store_bytes", 0},
    {"l2_load_bytes/item=40B", "l2_load_bytes/item", 40},
    {"flops/item<=25", "flops/item", 25},
    {"l1_alloc_bytes=128KiB", "l1_alloc_bytes", 131072},
    {"tlb_pages=20", "tlb_pages", 20},
    {"occupancy>=0.5", "occupancy", 0.5},
    {"occupancy>=50%", "occupancy", 0.5},
    {"occupancy>=1", "occupancy", 1},
    {"items_per_s>=1e11", "items_per_s", 1e11},
    {"items_per_s>=100 1/ns", "items_per_s", 1e11},
};

static void test_budgets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(budgets); i++) {
        wl_budget budget;
        wl_error err = {0};
        char name[64];
        check_ok(budgets[i].text, wl_budget_parse(budgets[i].text, &budget, &err), &err);
        wl_subject_name(budget.subject, name, sizeof name);
        check_text(budgets[i].text, "name", name, budgets[i].name);
        check_near(budgets[i].text, "limit", budget.limit, budgets[i].limit, 1e-15);
    }
    check_done();
}

/* Every metric can be limited under its own name, and per item exactly when it is a total. */
static void test_every_metric(void **state)
{
    (void)state;
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        const wl_metric m = (wl_metric)i;
        const char *name = wl_metric_name(m);
        char text[64];
        wl_budget budget;
        wl_error err = {0};
        (void)snprintf(text, sizeof text, "%s<=7", name);
        check_ok(name, wl_budget_parse(text, &budget, &err), &err);
        check_int(name, "metric", (int)budget.subject.metric, i);
        (void)snprintf(text, sizeof text, "%s/item=7", name);
        check_int(name, "per item", wl_budget_parse(text, &budget, NULL) == WL_OK,
                  wl_metric_scope(m) == WL_SCOPE_LAUNCH);
    }
    check_done();
}

static const struct {
    const char *text;
    expected_error want;
} malformed[] = {
    {"", {WL_E_INPUT, "a budget is", 1, 1}},
    {"time", {WL_E_INPUT, "a budget is", 1, 5}},
    {"=1ms", {WL_E_INPUT, "a budget is", 1, 1}},
    {"time<1ms", {WL_E_INPUT, "a budget is", 1, 5}},
    {"time>1ms", {WL_E_INPUT, "a budget is", 1, 5}},
    {"time=", {WL_E_INPUT, "a limit is a number, with one of the units s ms us ns", 1, 6}},
    {"time==1ms", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"time=nan", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"time=inf", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"time=1e400", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"time=-1ms", {WL_E_INPUT, "not negative", 1, 6}},
    {"time=1GB", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"time=1KB", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"time=50%", {WL_E_INPUT, "a limit is a number", 1, 6}},
    {"flops=5B", {WL_E_INPUT, "a limit is a number", 1, 7}},
    {"dram_load_bytes<=3ms", {WL_E_INPUT, "B kB MB GB KiB MiB GiB", 1, 18}},
    {"time>=1ms", {WL_E_INPUT, "less is better", 1, 5}},
    {"dram_load_bytes>=1", {WL_E_INPUT, "less is better", 1, 16}},
    {"occupancy=0.5", {WL_E_INPUT, "more is better", 1, 10}},
    {"occupancy<=0.5", {WL_E_INPUT, "more is better", 1, 10}},
    {"items_per_s=1e9", {WL_E_INPUT, "more is better", 1, 12}},
    {"occupancy>=1.5", {WL_E_INPUT, "no occupancy is above 1", 1, 12}},
    {"occupancy>=150%", {WL_E_INPUT, "no occupancy is above 1", 1, 12}},
    {"occupancy/item>=0.5", {WL_E_INPUT, "no value per item", 1, 1}},
    {"l1_alloc_bytes/item=5", {WL_E_INPUT, "no value per item", 1, 1}},
    {"dram_load_byte=5", {WL_E_INPUT, "did you mean 'dram_load_bytes'?", 1, 1}},
    {"tim=5ms", {WL_E_INPUT, "did you mean 'time'?", 1, 1}},
    {"zebra=5", {WL_E_INPUT, "no metric is called 'zebra'", 1, 1}},
    {"/item=5", {WL_E_INPUT, "no metric is called", 1, 1}},
    {"time=0000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
     {WL_E_INPUT, "no number is that long", 1, 6}},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed); i++) {
        wl_budget budget;
        wl_error err = {0};
        check_error(malformed[i].text, wl_budget_parse(malformed[i].text, &budget, &err), &err, &malformed[i].want);
    }
    check_done();
}

static void test_tolerance(void **state)
{
    static const struct {
        const char *text;
        double value; /* below 0: refused */
    } cases[] = {{"2%", 0.02}, {"0.02", 0.02}, {"0", 0},       {"0%", 0},   {"150%", 1.5}, {"0.5%", 0.005},
                 {"", -1},     {"%", -1},      {"2", -1},      {"1", -1},   {"-1%", -1},   {"nan", -1},
                 {"two%", -1}, {"2%%", -1},    {"1e400%", -1}, {"2 %", -1}, {"inf", -1}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = -7;
        const bool ok = wl_tolerance_parse(cases[i].text, &value, NULL) == WL_OK;
        check_int(cases[i].text, "accepted", ok, cases[i].value >= 0);
        if (ok)
            check_near(cases[i].text, "tolerance", value, cases[i].value, 1e-15);
    }
    check_done();
}

static wl_prediction example(void)
{
    wl_prediction p = {.items = 1000, .occupancy = {.warps_per_sm = 16}};
    p.metrics[WL_METRIC_dram_load_bytes] = (wl_value){.known = true, .value = 8000};
    p.metrics[WL_METRIC_flops] = (wl_value){.known = true, .value = 0};
    p.model.time_s = 1e-3;
    p.model.items_per_s = 1e6;
    return p;
}

static const struct {
    const char *text;
    wl_verdict verdict;
    bool change_known;
    double change;
} verdicts[] = {
    {"time=1ms", WL_VERDICT_OK, true, 0},
    {"time=0.9999ms", WL_VERDICT_FAIL, true, 1 / 0.9999 - 1},
    {"time=2ms", WL_VERDICT_OK, true, -0.5},
    {"time/item=1us", WL_VERDICT_OK, true, 0},
    {"time/item=0.5us", WL_VERDICT_FAIL, true, 1},
    {"dram_load_bytes=8kB", WL_VERDICT_OK, true, 0},
    {"dram_load_bytes=7999", WL_VERDICT_FAIL, true, 8000 / 7999.0 - 1},
    {"dram_load_bytes/item=8", WL_VERDICT_OK, true, 0},
    {"dram_load_bytes/item=4", WL_VERDICT_FAIL, true, 1},
    {"dram_load_bytes=0", WL_VERDICT_FAIL, false, 0},
    {"flops=0", WL_VERDICT_OK, true, 0},
    {"dram_store_bytes=8kB", WL_VERDICT_UNKNOWN, false, 0},
    {"occupancy>=0.25", WL_VERDICT_OK, true, 0},
    {"occupancy>=0.2", WL_VERDICT_OK, true, 0.25},
    {"occupancy>=0.5", WL_VERDICT_FAIL, true, -0.5},
    {"items_per_s>=1e6", WL_VERDICT_OK, true, 0},
    {"items_per_s>=2e6", WL_VERDICT_FAIL, true, -0.5},
};

/* The H200 holds 64 warps per multiprocessor. */
static void test_verdicts(void **state)
{
    (void)state;
    wl_device *device = NULL;
    const wl_prediction p = example();
    wl_error err = {0};
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
        wl_budget budget = {0};
        check_ok(verdicts[i].text, wl_budget_parse(verdicts[i].text, &budget, &err), &err);
        const wl_finding f = wl_find_by_budget(&budget, &p, device);
        check_text(verdicts[i].text, "verdict", wl_verdict_name(f.verdict), wl_verdict_name(verdicts[i].verdict));
        check_int(verdicts[i].text, "fails", wl_verdict_fails(f.verdict),
                  verdicts[i].verdict == WL_VERDICT_FAIL || verdicts[i].verdict == WL_VERDICT_UNKNOWN);
        check_int(verdicts[i].text, "change known", f.change_known, verdicts[i].change_known);
        if (f.change_known)
            check_true(verdicts[i].text, "change", fabs(f.change - verdicts[i].change) < 1e-12);
    }
    wl_device_free(device);
    check_done();
}

static const wl_finding *finding_of(const wl_finding *all, size_t count, wl_metric metric)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].subject.kind == WL_SUBJECT_METRIC && all[i].subject.metric == metric)
            return &all[i];
    return NULL;
}

static void test_baseline(void **state)
{
    static const struct {
        const char *name;
        double factor, tolerance;
        wl_verdict verdict;
    } cases[] = {{"same", 1, 0, WL_VERDICT_OK},
                 {"rounding", 1 + 1e-14, 0, WL_VERDICT_OK},
                 {"rounding down", 1 - 1e-14, 0, WL_VERDICT_OK},
                 {"a little worse", 1.009, 0.01, WL_VERDICT_OK},
                 {"worse", 1.011, 0.01, WL_VERDICT_FAIL},
                 {"worse without tolerance", 1 + 1e-9, 0, WL_VERDICT_FAIL},
                 {"a little better", 0.995, 0.01, WL_VERDICT_OK},
                 {"better", 0.98, 0.01, WL_VERDICT_BETTER},
                 {"much worse", 2, 0.5, WL_VERDICT_FAIL}};
    (void)state;
    const wl_prediction baseline = example();
    wl_finding all[WL_METRIC_COUNT + 1];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_prediction now = example();
        now.model.time_s *= cases[i].factor;
        now.metrics[WL_METRIC_dram_load_bytes].value *= cases[i].factor;
        const size_t count = wl_find_by_baseline(&now, &baseline, cases[i].tolerance, all, COUNT_OF(all));
        check_int(cases[i].name, "findings", (int64_t)count, 3);
        check_int(cases[i].name, "time first", all[0].subject.kind, WL_SUBJECT_TIME);
        check_text(cases[i].name, "time", wl_verdict_name(all[0].verdict), wl_verdict_name(cases[i].verdict));
        const wl_finding *loads = finding_of(all, count, WL_METRIC_dram_load_bytes);
        check_true(cases[i].name, "loads are there", loads != NULL);
        if (loads)
            check_text(cases[i].name, "loads", wl_verdict_name(loads->verdict), wl_verdict_name(cases[i].verdict));
    }
    check_done();
}

/* What one side alone knows is listed, and does not fail. From 0 everything is worse. */
static void test_one_sided(void **state)
{
    (void)state;
    const wl_prediction baseline = example();
    wl_prediction now = example();
    wl_finding all[WL_METRIC_COUNT + 1];
    now.metrics[WL_METRIC_dram_load_bytes].known = false;
    now.metrics[WL_METRIC_tlb_pages] = (wl_value){.known = true, .value = 3};
    now.metrics[WL_METRIC_flops].value = 1;
    const size_t count = wl_find_by_baseline(&now, &baseline, 0.01, all, COUNT_OF(all));
    check_int("one-sided", "findings", (int64_t)count, 4);
    const wl_finding *gone = finding_of(all, count, WL_METRIC_dram_load_bytes);
    const wl_finding *fresh = finding_of(all, count, WL_METRIC_tlb_pages);
    const wl_finding *flops = finding_of(all, count, WL_METRIC_flops);
    check_true("one-sided", "all are there", gone && fresh && flops);
    if (gone && fresh && flops) {
        check_int("gone", "verdict", gone->verdict, WL_VERDICT_GONE);
        check_true("gone", "does not fail", !wl_verdict_fails(gone->verdict));
        check_int("new", "verdict", fresh->verdict, WL_VERDICT_NEW);
        check_true("new", "does not fail", !wl_verdict_fails(fresh->verdict));
        check_int("from 0", "verdict", flops->verdict, WL_VERDICT_FAIL);
        check_true("from 0", "has no change", !flops->change_known);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budgets),   cmocka_unit_test(test_every_metric), cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_tolerance), cmocka_unit_test(test_verdicts),     cmocka_unit_test(test_baseline),
        cmocka_unit_test(test_one_sided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
