/* test_paper.c - the numbers the papers print, from whole predictions. */
#include <stdio.h>

#include "unit/checks.h"

#include "metrics/layer_condition.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

typedef struct setup {
    wl_device *device;
    wl_kernel *kernel;
    wl_predictor *predictor;
} setup;

static setup open_setup(const char *kernel_name, const char *device_name, const char *const *sets, size_t set_count,
                        const char *const *with, size_t with_count)
{
    setup s = {0};
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel_name, &length);
    assert_non_null(text);
    check_ok(kernel_name, wl_device_builtin(device_name, &s.device, &err), &err);
    check_ok("the paper's curves", wl_device_set(s.device, "l1_reload_curve=none", &err), &err);
    for (size_t i = 0; i < with_count; i++)
        check_ok(with[i], wl_device_set(s.device, with[i], &err), &err);
    check_ok(kernel_name,
             wl_kernel_parse(kernel_name, text, length, &(wl_kernel_options){sets, set_count}, &s.kernel, &err), &err);
    check_ok(kernel_name, wl_predictor_new(s.kernel, s.device, &s.predictor, &err), &err);
    check_done();
    return s;
}

static void close_setup(setup *s)
{
    wl_predictor_free(s->predictor);
    wl_kernel_free(s->kernel);
    wl_device_free(s->device);
}

static wl_prediction predict(const setup *s, int64_t bx, int64_t by, int64_t bz)
{
    wl_error err = {0};
    wl_prediction p;
    const wl_launch launch = {.block = {bx, by, bz}, .registers = 32};
    check_ok("predict", wl_predict(s->predictor, &launch, NULL, &p, &err), &err);
    check_done();
    return p;
}

static double per_item(const wl_prediction *p, wl_metric metric) { return p->metrics[metric].value / (double)p->items; }

/* Ernst et al. 2022, section 5.7: without reuse between layers, a wave of depth d loads (d + 8) / d
 * values per update.
 */
static void depth_of_the_wave_sets_the_volume(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t block[3];
        double bytes;
    } cases[] = {
        {"depth 1", {512, 2, 1}, 72}, {"depth 2", {256, 2, 2}, 40},  {"depth 4", {256, 1, 4}, 24},
        {"depth 8", {128, 1, 8}, 16}, {"depth 32", {32, 1, 32}, 10},
    };
    const char *const sets[] = {"nx=2048", "ny=2048", "nz=512"};
    /* a step at five times the L2: rows, which are nearer, always hit, layers never do; nothing is
     * evicted inside a wave */
    const char *const with[] = {"l2_reuse_curve=[1,1e15,7]", "l2_miss_curve=[0,1,1]"};
    setup s = open_setup("star3d_r4", "a100-40gb", sets, 3, with, 2);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_prediction p = predict(&s, cases[i].block[0], cases[i].block[1], cases[i].block[2]);
        check_near(cases[i].name, "bytes per update", per_item(&p, WL_METRIC_dram_load_bytes), cases[i].bytes, 0.01);
    }
    close_setup(&s);
    check_done();
}

static void enough_cache_loads_everything_once(void **state)
{
    (void)state;
    static const int64_t blocks[][3] = {{512, 2, 1}, {256, 1, 4}, {32, 4, 2}, {16, 2, 32}};
    const char *const with[] = {"l2_size=1024GiB"};
    /* large, so that the halo weighs little */
    const char *const sets[] = {"nx=2048", "ny=2048", "nz=2048"};
    setup s = open_setup("star3d_r4", "a100-40gb", sets, 3, with, 1);
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        const wl_prediction p = predict(&s, blocks[i][0], blocks[i][1], blocks[i][2]);
        check_near("enough cache", "bytes per update", per_item(&p, WL_METRIC_dram_load_bytes), 8, 0.015);
        check_near("enough cache", "stored bytes per update", per_item(&p, WL_METRIC_dram_store_bytes), 8, 0);
    }
    close_setup(&s);
    check_done();
}

static void lattice_boltzmann_streams_its_populations(void **state)
{
    (void)state;
    setup s = open_setup("lbm_d3q15_pf", "a100-40gb", NULL, 0, NULL, 0);
    const wl_prediction p = predict(&s, 256, 1, 2);
    /* 15 populations of 8 bytes; only the unaligned ends of rows and the first and last layers add
     * to the loads */
    check_near("f", "DRAM loads per update", p.fields[0].dram_load_bytes / (double)p.items, 120, 0.03);
    check_near("g", "DRAM stores per update", p.fields[1].dram_store_bytes / (double)p.items, 120, 0);
    check_near("g", "L2 stores per update", p.fields[1].l2_store_bytes / (double)p.items, 120, 0);
    close_setup(&s);
    check_done();
}

static void sequential_layer_condition_flips_at_381(void **state)
{
    (void)state;
    for (int n = 380; n <= 383; n++) {
        char x[16], y[16];
        snprintf(x, sizeof x, "nx=%d", n);
        snprintf(y, sizeof y, "ny=%d", n);
        const char *const sets[] = {x, y};
        setup s = open_setup("star3d_r4", "a100-40gb", sets, 2, NULL, 0);
        wl_layer_condition c;
        wl_error err = {0};
        check_ok(x, wl_layer_condition_check(s.kernel, s.device, &c, &err), &err);
        check_int(x, "layers", c.layers, 9);
        check_true(x, n <= 381 ? "the condition" : "its failing", c.holds == (n <= 381));
        close_setup(&s);
    }
    check_done();
}

/* The roofline slides: triad 2 flops and 24 bytes, 7-point stencil 7 flops and 16 bytes, blur 8
 * bytes per pixel. */
static void roofline_examples(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        int64_t block[3];
        double flops, bytes, intensity;
    } cases[] = {
        {"triad", {256, 1, 1}, 2, 24, 0.083},
        {"star3d_7pt", {64, 4, 2}, 7, 16, 0.44},
        {"blur3x3", {32, 8, 1}, 9, 8, 1.125},
    };
    const char *const with[] = {"l2_size=64GiB"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        setup s = open_setup(cases[i].kernel, "a100-40gb", NULL, 0, with, 1);
        const wl_prediction p = predict(&s, cases[i].block[0], cases[i].block[1], cases[i].block[2]);
        const double bytes = per_item(&p, WL_METRIC_dram_load_bytes) + per_item(&p, WL_METRIC_dram_store_bytes);
        check_near(cases[i].kernel, "flops per item", per_item(&p, WL_METRIC_flops), cases[i].flops, 0);
        check_near(cases[i].kernel, "bytes per item", bytes, cases[i].bytes, 0.02);
        check_near(cases[i].kernel, "flops per byte", per_item(&p, WL_METRIC_flops) / bytes, cases[i].intensity, 0.03);
        check_int(cases[i].kernel, "limiter", p.model.limiter, WL_BOUND_DRAM);
        close_setup(&s);
    }
    check_done();
}

/* 16777216 pixels of 8 bytes: 0.699 ms at 192 GB/s, 0.973 ms at the 138 GB/s of a copy. */
static void blur_on_a_gtx_970(void **state)
{
    (void)state;
    static const struct {
        const char *with;
        double ms;
    } cases[] = {{"dram_bandwidth=192GB/s", 0.699}, {"dram_bandwidth=138GB/s", 0.973}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const with[] = {cases[i].with, "l2_size=64GiB"};
        setup s = open_setup("blur3x3", "gtx970", NULL, 0, with, 2);
        const wl_prediction p = predict(&s, 128, 1, 1);
        check_near(cases[i].with, "DRAM bound in ms", 1e3 * p.model.bound_s[WL_BOUND_DRAM], cases[i].ms, 0.01);
        close_setup(&s);
    }
    check_done();
}

static void no_flops_is_no_compute_bound(void **state)
{
    (void)state;
    setup s = open_setup("transpose", "a100-40gb", NULL, 0, NULL, 0);
    const wl_prediction p = predict(&s, 32, 8, 1);
    check_true("transpose", "no fp bound", !p.model.bound_known[WL_BOUND_FP]);
    check_true("transpose", "a time above 0", p.model.time_s > 0 && p.model.items_per_s > 0);
    close_setup(&s);
    check_done();
}

/* Section 5.6 on the A100: deep and wide blocks load least, tall ones most; 5.8: (16,2,32) is a
 * better choice than (8,8,8). */
static void deep_blocks_load_least(void **state)
{
    (void)state;
    setup s = open_setup("star3d_r4", "a100-40gb", NULL, 0, NULL, 0);
    const wl_prediction deep = predict(&s, 32, 1, 32), flat = predict(&s, 32, 32, 1), tall = predict(&s, 2, 512, 1);
    const wl_prediction best = predict(&s, 16, 2, 32), cube = predict(&s, 8, 8, 8), square = predict(&s, 32, 32, 1);
    const wl_metric dram = WL_METRIC_dram_load_bytes;
    check_true("32x1x32", "less than 32x32x1", per_item(&deep, dram) < per_item(&flat, dram));
    check_true("32x32x1", "less than 2x512x1", per_item(&flat, dram) < per_item(&tall, dram));
    check_int("32x1x32", "limiter is the L2", deep.model.limiter, WL_BOUND_L2);
    check_int("32x32x1", "limiter is memory", flat.model.limiter, WL_BOUND_DRAM);
    check_true("16x2x32", "faster than 8x8x8", best.model.time_s < cube.model.time_s);
    check_true("16x2x32", "faster than 32x32x1", best.model.time_s < square.model.time_s);
    check_int("2x512x1", "limiter is the L1", tall.model.limiter, WL_BOUND_L1);
    close_setup(&s);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_of_the_wave_sets_the_volume),
        cmocka_unit_test(enough_cache_loads_everything_once),
        cmocka_unit_test(lattice_boltzmann_streams_its_populations),
        cmocka_unit_test(sequential_layer_condition_flips_at_381),
        cmocka_unit_test(roofline_examples),
        cmocka_unit_test(blur_on_a_gtx_970),
        cmocka_unit_test(no_flops_is_no_compute_bound),
        cmocka_unit_test(deep_blocks_load_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
