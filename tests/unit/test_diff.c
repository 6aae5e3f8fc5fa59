/* test_diff.c - warpline/diff.h: the cause of a difference, the order of metrics, the sentences;
 * and the table of bounds. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>

#include "judge/difference.h"
#include "warpline/diff.h"

static void set_metric(wl_prediction *p, wl_metric m, double value)
{
    p->metrics[m].known = true;
    p->metrics[m].value = value;
}

static void set_bound(wl_prediction *p, wl_bound_id bound, double seconds)
{
    p->model.bound_known[bound] = true;
    p->model.bound_s[bound] = seconds;
}

/* Limited by memory: 10 B loaded per update, 3 of them again; 5 B stored. */
static wl_prediction example(void)
{
    wl_prediction p = {.items = 1000, .blocks = 10, .waves = 2, .occupancy = {.blocks_per_sm = 4, .warps_per_sm = 32}};
    p.model = (wl_model_result){
        .id = WL_MODEL_LIMITER, .time_s = 10e-6, .items_per_s = 1e8, .limiter = WL_BOUND_DRAM, .next = WL_BOUND_L2};
    set_bound(&p, WL_BOUND_DRAM, 10e-6);
    set_bound(&p, WL_BOUND_L2, 6e-6);
    set_bound(&p, WL_BOUND_LATENCY, 2e-6);
    set_metric(&p, WL_METRIC_dram_load_bytes, 10000);
    set_metric(&p, WL_METRIC_dram_store_bytes, 5000);
    set_metric(&p, WL_METRIC_l2_load_bytes, 20000);
    set_metric(&p, WL_METRIC_flops, 1000);
    p.metrics[WL_METRIC_dram_load_bytes].part_count = 2;
    p.metrics[WL_METRIC_dram_load_bytes].parts[0] = (wl_part){"compulsory", 7000};
    p.metrics[WL_METRIC_dram_load_bytes].parts[1] = (wl_part){"capacity", 3000};
    return p;
}

/* The same without what is loaded again; the L2 limits now. */
static wl_prediction faster(void)
{
    wl_prediction p = example();
    p.model.time_s = 7e-6;
    p.model.items_per_s = 1000 / 7e-6;
    p.model.limiter = WL_BOUND_L2;
    p.model.next = WL_BOUND_DRAM;
    set_bound(&p, WL_BOUND_DRAM, 5.5e-6);
    set_metric(&p, WL_METRIC_dram_load_bytes, 7500);
    p.metrics[WL_METRIC_dram_load_bytes].parts[0].value = 7300;
    p.metrics[WL_METRIC_dram_load_bytes].parts[1].value = 200;
    return p;
}

static wl_diff diff_of(const wl_prediction *a, const wl_prediction *b)
{
    wl_error err = {0};
    wl_diff *d = NULL;
    check_ok("diff", wl_diff_new((wl_diff_side){a, "k", "d"}, (wl_diff_side){b, "k", "d"}, &d, &err), &err);
    const wl_diff copy = *d;
    wl_diff_free(d);
    return copy;
}

static bool says(const wl_diff *d, const char *fragment)
{
    for (int i = 0; i < d->reason_count; i++)
        if (strstr(d->reasons[i], fragment))
            return true;
    return false;
}

static void test_cause(void **state)
{
    (void)state;
    const wl_prediction slow = example(), fast = faster();
    const wl_diff_cause c = wl_diff_cause_find(&slow, &fast);
    check_true("cause", "is a bound", c.bound_known && c.limits);
    check_text("cause", "bound", wl_bound_name(c.bound), "dram");
    check_near("cause", "share of the time", c.share, 4.5 / 3, 1e-12);
    check_true("cause", "is a metric", c.metric_known);
    check_text("cause", "metric", wl_metric_name(c.metric), "dram_load_bytes");
    check_near("cause", "share of the bound", c.metric_share, 2.5 / 15 / 0.45, 1e-12);
    check_text("cause", "part", c.part, "capacity");
    check_text("cause", "against", c.against, NULL); /* 0.3 of 2.5 B is too little to tell */
    check_true("cause", "none the other way round", !wl_diff_cause_find(&fast, &slow).bound_known);
    check_done();
}

/* The limiter is the same on both sides: another bound makes the difference, or none does. */
static void test_other_bound(void **state)
{
    (void)state;
    const wl_prediction fast = example();
    wl_prediction slow = example();
    slow.model.time_s = 12e-6;
    set_bound(&slow, WL_BOUND_LATENCY, 4e-6);
    wl_diff_cause c = wl_diff_cause_find(&slow, &fast);
    check_true("latency", "is the cause", c.bound_known && !c.limits && !c.metric_known);
    check_text("latency", "bound", wl_bound_name(c.bound), "latency");
    wl_diff d = diff_of(&slow, &fast);
    check_true("latency", "is told", says(&d, "bound that differs most is latency") && says(&d, "number of waves"));
    set_bound(&slow, WL_BOUND_LATENCY, 2.1e-6);
    c = wl_diff_cause_find(&slow, &fast);
    check_true("no bound", "is the cause", !c.bound_known);
    d = diff_of(&slow, &fast);
    check_true("no bound", "is told", says(&d, "No single bound"));
    slow.model.own_cycles = 50; /* and with a model of blocks */
    wl_prediction other = fast;
    other.model.own_cycles = 10;
    d = diff_of(&slow, &other);
    check_true("waits", "are told", says(&d, "hide less of each other's latency"));
    check_done();
}

/* The bound grew, the volume did not. */
static void test_no_metric(void **state)
{
    (void)state;
    const wl_prediction fast = example();
    wl_prediction slow = example();
    slow.model.time_s = 15e-6;
    set_bound(&slow, WL_BOUND_DRAM, 15e-6);
    wl_diff d = diff_of(&slow, &fast);
    check_true("same volume", "has no metric", d.cause.bound_known && !d.cause.metric_known);
    check_true("same volume", "is told", says(&d, "hardly more of dram_load_bytes or dram_store_bytes"));
    slow.metrics[WL_METRIC_dram_load_bytes].known = slow.metrics[WL_METRIC_dram_store_bytes].known = false;
    d = diff_of(&slow, &fast);
    check_true("unknown volume", "is told", says(&d, "dram_load_bytes) is not known"));
    check_done();
}

static void test_sides(void **state)
{
    (void)state;
    const wl_prediction slow = example(), fast = faster();
    wl_diff d = diff_of(&slow, &fast);
    check_near("B faster", "speedup", d.speedup, 10.0 / 7, 1e-12);
    check_true("B faster", "is told", d.b_faster && !d.equal && says(&d, "A is limited by dram"));
    check_true("B faster", "metric", says(&d, "dram_load_bytes: 10 B per element in A, 7.5 B in B, 0.75 times"));
    check_true("B faster", "part", says(&d, "capacity (3 and 0.2)"));
    check_true("B faster", "next", says(&d, "B is limited by l2"));
    d = diff_of(&fast, &slow);
    check_near("A faster", "speedup", d.speedup, 0.7, 1e-12);
    check_true("A faster", "is told", !d.b_faster && says(&d, "B is limited by dram"));
    d = diff_of(&slow, &slow);
    check_true("same", "is told", d.equal && says(&d, "same time"));
    wl_prediction near = example();
    near.model.time_s *= 1.049;
    d = diff_of(&slow, &near);
    check_true("near", "is equal", d.equal && says(&d, "4.9 % is within the error"));
    near.model.time_s = slow.model.time_s * 1.051;
    d = diff_of(&slow, &near);
    check_true("not so near", "is not equal", !d.equal);
    check_done();
}

/* Twice the work in twice the time is the same speed, and nothing differs. */
static void test_per_update(void **state)
{
    (void)state;
    const wl_prediction one = example();
    wl_prediction two = example();
    two.items *= 2;
    two.model.time_s *= 2;
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        two.metrics[i].value *= 2;
    const wl_diff d = diff_of(&one, &two);
    check_near("twice", "speedup", d.speedup, 1, 1e-12);
    check_true("twice", "is equal", d.equal && !d.same_work);
    check_done();
}

static void test_order(void **state)
{
    static const char *const want[] = {"dram_load_bytes", "dram_store_bytes", "l2_load_bytes", "tlb_pages", "flops"};
    (void)state;
    wl_prediction slow = example();
    const wl_prediction fast = faster();
    /* known on one side alone: listed, but nothing is known to differ */
    set_metric(&slow, WL_METRIC_tlb_pages, 4);
    set_metric(&slow, WL_METRIC_flops, 1000);
    wl_prediction pages = fast;
    set_metric(&pages, WL_METRIC_tlb_pages, 2);
    const wl_diff d = diff_of(&slow, &pages);
    check_int("order", "metrics", (int64_t)d.metric_count, (int64_t)COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want) && i < d.metric_count; i++)
        check_text("order", want[i], wl_metric_name(d.metrics[i]), want[i]);
    check_int("one side", "metrics", (int64_t)diff_of(&slow, &fast).metric_count, (int64_t)COUNT_OF(want));
    check_done();
}

static void test_render(void **state)
{
    (void)state;
    const wl_prediction slow = example(), fast = faster();
    const wl_diff d = diff_of(&slow, &fast);
    char *text = NULL;
    wl_error err = {0};
    check_ok("text", wl_diff_render(&d, WL_FORMAT_TEXT, &text, &err), &err);
    check_true("text", "headline", text && strstr(text, "B is 1.43 times as fast: 10 us -> 7 us"));
    free(text);
    text = NULL;
    check_ok("json", wl_diff_render(&d, WL_FORMAT_JSON_LINE, &text, &err), &err);
    check_true("json", "schema", text && strstr(text, "\"schema\":\"warpline.diff/1\""));
    check_true("json", "one line", text && !strchr(text, '\n'));
    free(text);
    text = NULL;
    check_int("csv", "status", wl_diff_render(&d, WL_FORMAT_CSV, &text, &err), WL_E_UNSUPPORTED);
    check_done();
}

/* Each bound has a name of its own, and its metrics are totals of the launch, none twice. */
static void test_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        const wl_bound_id bound = (wl_bound_id)i;
        const char *name = wl_bound_name(bound);
        bool seen[WL_METRIC_COUNT] = {false};
        wl_metric m = WL_METRIC_COUNT;
        for (int k = 0; k < i; k++)
            check_true(name, "is unique", strcmp(name, wl_bound_name((wl_bound_id)k)) != 0);
        check_true(name, "has a meaning", wl_bound_meaning(bound)[0] != '\0');
        for (size_t k = 0; wl_bound_metric(bound, k, &m); k++) {
            check_true(name, "metric is new", !seen[m]);
            check_int(name, "scope", wl_metric_scope(m), WL_SCOPE_LAUNCH);
            seen[m] = true;
        }
        check_true(name, "ends", !wl_bound_metric(bound, 100, &m));
    }
    wl_metric lead = WL_METRIC_COUNT;
    check_true("dram", "has a metric", wl_bound_metric(WL_BOUND_DRAM, 0, &lead));
    check_int("dram", "leading metric", (int)lead, WL_METRIC_dram_load_bytes);
    check_true("latency", "has none", !wl_bound_metric(WL_BOUND_LATENCY, 0, &lead));
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cause),  cmocka_unit_test(test_other_bound), cmocka_unit_test(test_no_metric),
        cmocka_unit_test(test_sides),  cmocka_unit_test(test_per_update),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_render), cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
