/* test_getters.c - a result says from outside what it holds inside; what is not known is not given.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>

#include "judge/difference.h"
#include "warpline/warpline.h"

typedef struct example {
    wl_device *device;
    wl_kernel *kernel;
    wl_predictor *predictor;
    wl_prediction *p;
} example;

static example predict(const char *device, const char *kernel, wl_launch launch)
{
    example e = {0};
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel, &length);
    const wl_predict_options options = {.per_access = true};
    check_ok(kernel, wl_device_builtin(device, &e.device, &err), &err);
    check_ok(kernel, wl_kernel_parse(kernel, text, length, NULL, &e.kernel, &err), &err);
    check_ok(kernel, wl_predictor_new(e.kernel, e.device, &e.predictor, &err), &err);
    check_ok(kernel, wl_prediction_new(&e.p, &err), &err);
    check_ok(kernel, wl_predict(e.predictor, &launch, &options, e.p, &err), &err);
    return e;
}

static void forget(example *e)
{
    wl_prediction_free(e->p);
    wl_predictor_free(e->predictor);
    wl_kernel_free(e->kernel);
    wl_device_free(e->device);
}

static const wl_launch launch = {.block = {64, 4, 2}, .registers = 32};

static void test_launch(void **state)
{
    (void)state;
    example e = predict("h200", "star3d_r4", launch);
    check_int("block", "x", wl_prediction_launch(e.p)->block[0], 64);
    check_int("grid", "x", wl_prediction_launch(e.p)->grid[0], 10);
    check_int("occupancy", "blocks", wl_prediction_occupancy(e.p)->blocks_per_sm, 4);
    check_int("items", "updates", wl_prediction_items(e.p), 640LL * 512 * 512);
    check_text("items", "unit", wl_prediction_unit(e.p), "LUP");
    check_int("blocks", "all", wl_prediction_blocks(e.p), 10LL * 128 * 256);
    check_int("blocks", "resident", wl_prediction_wave_blocks(e.p), 4 * 132);
    check_true("kernel", "the one given", wl_prediction_kernel(e.p) == e.kernel);
    forget(&e);
    check_done();
}

/* A closed form has no sampling error, a gather of many blocks states one. */
static void test_sampled(void **state)
{
    (void)state;
    double error = -1;
    example e = predict("h200", "star3d_r4", launch);
    check_true("closed form", "no error", !wl_prediction_sampled_error(e.p, &error) && error == -1);
    forget(&e);
    e = predict("h200", "gather", (wl_launch){.block = {256, 1, 1}, .registers = 16});
    check_true("gather", "an error", wl_prediction_sampled_error(e.p, &error) && error >= 0 && error < 0.01);
    forget(&e);
    check_done();
}

/* Every metric of a device with all numbers and of one without: known ones with parts that add up,
 * others left alone. */
static void test_metrics(void **state)
{
    static const char *const devices[] = {"h200", "v100"};
    (void)state;
    for (size_t d = 0; d < COUNT_OF(devices); d++) {
        example e = predict(devices[d], "star3d_r4", launch);
        size_t known = 0;
        for (int m = 0; m < WL_METRIC_COUNT; m++) {
            const wl_value *inside = &e.p->metrics[m];
            double value = -7, part = -7, sum = 0;
            const bool given = wl_prediction_metric(e.p, (wl_metric)m, &value);
            known += given;
            check_int(wl_metric_name((wl_metric)m), "known", given, inside->known);
            check_near(wl_metric_name((wl_metric)m), "value", value, given ? inside->value : -7, 0);
            for (size_t i = 0; wl_prediction_part(e.p, (wl_metric)m, i, &part); i++)
                sum += part;
            if (given && inside->part_count > 0)
                check_near(wl_metric_name((wl_metric)m), "sum of parts", sum, value, 1e-12);
            check_true(wl_metric_name((wl_metric)m), "no part beyond the last",
                       !wl_prediction_part(e.p, (wl_metric)m, (size_t)inside->part_count, &part));
        }
        check_true(devices[d], "some are known and some are not", known > 5 && known < WL_METRIC_COUNT);
        forget(&e);
    }
    check_done();
}

static void test_time(void **state)
{
    (void)state;
    example e = predict("h200", "star3d_r4", launch);
    double largest = 0, seconds = -7;
    check_int("model", "turnover", wl_prediction_model(e.p), WL_MODEL_TURNOVER);
    check_text("model", "name", wl_model_name(wl_prediction_model(e.p)), "turnover");
    for (int b = 0; b < WL_BOUND_COUNT; b++)
        if (wl_prediction_bound(e.p, (wl_bound_id)b, &seconds) && seconds > largest)
            largest = seconds;
    check_true("limiter", "has a bound", wl_prediction_bound(e.p, wl_prediction_limiter(e.p), &seconds));
    check_near("limiter", "is the largest", seconds, largest, 0);
    check_true("next", "has a bound", wl_prediction_bound(e.p, wl_prediction_next_limiter(e.p), &seconds));
    check_true("next", "is not larger", seconds <= largest);
    check_true("time", "no shorter than any bound", wl_prediction_time(e.p) >= largest);
    seconds = -7;
    check_true("tensor", "no such bound", !wl_prediction_bound(e.p, WL_BOUND_TENSOR, &seconds));
    check_near("tensor", "left alone", seconds, -7, 0);
    forget(&e);
    check_done();
}

static void test_reuse(void **state)
{
    (void)state;
    example e = predict("a100-40gb", "star3d_r4", launch);
    for (int d = 1; d < 3; d++) {
        const wl_reuse *r = wl_prediction_reuse(e.p, d);
        check_true("reuse", "blocks lie before", r->exists && r->overlap_bytes > 0);
        check_true("reuse", "a rate", r->hit_rate >= 0 && r->hit_rate <= 1);
    }
    check_near("L1", "oversubscription", wl_prediction_l1_oversubscription(e.p), e.p->l1_oversubscription, 0);
    check_near("L1", "miss rate", wl_prediction_l1_miss_rate(e.p), e.p->l1_miss_rate, 0);
    forget(&e);
    check_done();
}

static void test_shares(void **state)
{
    (void)state;
    example e = predict("h200", "star3d_r4", launch);
    double loaded = 0, fields = 0, accesses = 0;
    const wl_share *s;
    check_true("loads", "are known", wl_prediction_metric(e.p, WL_METRIC_dram_load_bytes, &loaded));
    for (size_t f = 0; (s = wl_prediction_field_share(e.p, f)); f++)
        fields += s->dram_load_bytes;
    for (size_t a = 0; (s = wl_prediction_access_share(e.p, a)); a++)
        accesses += s->dram_load_bytes;
    check_near("fields", "share out the loads", fields, loaded, 1e-12);
    check_near("accesses", "share out the loads", accesses, loaded, 1e-9);
    check_true("lines", "none", !wl_prediction_line(e.p, 0));
    forget(&e);
    check_done();
}

static void test_words(void **state)
{
    (void)state;
    example e = predict("v100", "star3d_r4", launch);
    double warp = -7, thread = -7;
    size_t count = 0;
    while (wl_prediction_warning(e.p, count))
        count++;
    check_int("warnings", "all", (int64_t)count, e.p->warning_count);
    check_true("warnings", "some", count > 0);
    check_true("mix", "not stated", !wl_prediction_instructions(e.p, WL_INST_int, &warp, &thread));
    check_near("mix", "left alone", warp + thread, -14, 0);
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        check_true(wl_inst_class_name((wl_inst_class)c), "has a meaning", wl_inst_class_meaning((wl_inst_class)c)[0]);
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        check_true(wl_tensor_kind_name((wl_tensor_kind)k), "has a meaning",
                   wl_tensor_kind_meaning((wl_tensor_kind)k)[0]);
    forget(&e);
    check_done();
}

static void test_instructions(void **state)
{
    static const char text[] = "name: k\nparams: {n: 65536}\ndomain: [n]\nfields: {a: {type: f32, extent: [n]}}\n"
                               "update: |\n  a[0] = 2*a[0]\nmix: {fp32: 3, load: 1, store: 1}\n"
                               "where: block.x % 32 == 0\n";
    (void)state;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    double warp = 0, thread = 0;
    check_ok("mix", wl_device_builtin("h200", &device, &err), &err);
    check_ok("mix", wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok("mix", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("mix", wl_prediction_new(&p, &err), &err);
    check_ok("mix", wl_predict(predictor, &(wl_launch){.block = {256, 1, 1}}, NULL, p, &err), &err);
    check_true("mix", "stated", wl_prediction_instructions(p, WL_INST_fp32, &warp, &thread));
    check_near("mix", "warp", warp, 3 * 65536 / 32, 0);
    check_near("mix", "thread", thread, 3 * 65536, 0);
    check_text("where", "as written", wl_kernel_condition(kernel, 0), "block.x % 32 == 0");
    check_true("where", "one", !wl_kernel_condition(kernel, 1));
    check_true("notes", "none", !wl_kernel_note(kernel, 0));
    check_true("access", "no atomic", !wl_kernel_access_is_atomic(kernel, 0));
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

static void test_diff(void **state)
{
    (void)state;
    example a = predict("h200", "star3d_r4", (wl_launch){.block = {128, 2, 1}, .registers = 32});
    example b = predict("h200", "star3d_r4", (wl_launch){.block = {32, 8, 1}, .fold = {1, 1, 2}, .registers = 32});
    wl_error err = {0};
    wl_diff *d = NULL;
    check_ok("diff", wl_diff_new((wl_diff_side){a.p, "k", "h200"}, (wl_diff_side){b.p, "k", "h200"}, &d, &err), &err);
    assert_non_null(d);
    check_near("diff", "speedup", wl_diff_speedup(d), wl_prediction_time(a.p) / wl_prediction_time(b.p), 1e-12);
    check_true("diff", "faster", wl_diff_speedup(d) > 1 && !wl_diff_equal(d) && wl_diff_same_work(d));
    check_true("diff", "has a cause", d->cause.bound_known);
    size_t metrics = 0, reasons = 0;
    wl_metric m = WL_METRIC_COUNT;
    while (wl_diff_metric(d, metrics, &m))
        metrics++;
    while (wl_diff_reason(d, reasons))
        reasons++;
    check_int("diff", "metrics", (int64_t)metrics, (int64_t)d->metric_count);
    check_true("diff", "reasons", reasons > 0);
    wl_diff_free(d);
    forget(&a);
    forget(&b);
    check_done();
}

/* A record's values; those of kernels whose volumes are not known are not given. */
static void test_ranked(void **state)
{
    (void)state;
    wl_ranked record = {.values = {1, 2, 3, (double)NAN, 5}};
    double value = -7;
    check_true("ranked", "known", wl_ranked_value(&record, WL_RANK_l2_load_bytes, &value));
    check_near("ranked", "value", value, 2, 0);
    check_true("ranked", "not known", !wl_ranked_value(&record, WL_RANK_dram_load_bytes, &value));
    check_near("ranked", "left alone", value, 2, 0);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch), cmocka_unit_test(test_sampled), cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_time),   cmocka_unit_test(test_reuse),   cmocka_unit_test(test_shares),
        cmocka_unit_test(test_words),  cmocka_unit_test(test_diff),    cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
