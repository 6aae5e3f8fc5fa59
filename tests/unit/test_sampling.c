/* test_sampling.c - samples of blocks: the stated error against sums that are known.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "count/block_kinds.h"
#include "warpline/warpline.h"

static wl_geometry row_of(int64_t blocks) { return (wl_geometry){.grid = {blocks, 1, 1}, .blocks = blocks}; }

/* A sample of all blocks has no error, whatever they do. */
static void all_blocks_have_no_error(void **state)
{
    wl_arena arena = {0};
    wl_block_kinds s;
    wl_error err = {0};
    const wl_geometry row = row_of(7);
    double added[7] = {1, 0, 9, 4, 4, 0, 2};
    (void)state;
    assert_int_equal(wl_kinds_evenly(&row, 7, &arena, &s, &err), WL_OK);
    assert_true(wl_kinds_are_exact(&s));
    assert_true(wl_kinds_error(&s, added) == 0);
    wl_arena_free(&arena);
}

/* Of 1000 blocks a quarter does something. */
static void error_holds_for_even_samples(void **state)
{
    wl_arena arena = {0};
    wl_block_kinds s;
    wl_error err = {0};
    const wl_geometry row = row_of(1000);
    double added[64], sum = 0;
    (void)state;
    assert_int_equal(wl_kinds_evenly(&row, 64, &arena, &s, &err), WL_OK);
    for (int i = 0; i < 64; i++) {
        added[i] = s.list[i].block[0] % 4 == 1 ? s.list[i].blocks : 0;
        sum += added[i];
    }
    const double error = wl_kinds_error(&s, added);
    assert_true(error > 10 && error < 100);
    assert_true(fabs(sum - 250) < 3 * error);
    wl_arena_free(&arena);
}

/* Blocks that are alike do not prove that all are. */
static void others_may_be_rare(void **state)
{
    wl_arena arena = {0};
    wl_block_kinds s;
    wl_error err = {0};
    const wl_geometry row = row_of(100);
    (void)state;
    assert_int_equal(wl_kinds_evenly(&row, 4, &arena, &s, &err), WL_OK);
    assert_true(fabs(wl_kinds_rare(&s) - sqrt(0.96) / 4) < 1e-12);
    assert_int_equal(wl_kinds_evenly(&row, 100, &arena, &s, &err), WL_OK);
    assert_true(wl_kinds_rare(&s) == 0);
    wl_arena_free(&arena);
}

/* Wavefronts of the tag stage of a 7-point stencil; samples -1: of all warps. */
static double tag_wavefronts(int nx, int ny, wl_launch launch, int64_t samples)
{
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    char text[600];
    double value = 0;
    const wl_predict_options options = {.l1_samples = samples};
    (void)snprintf(text, sizeof text,
                   "name: k\ndomain: [%d, %d, 64]\nfields: {a: {type: f32, strides: [1, %d, %d]}, b: {type: f32, "
                   "strides: [1, %d, %d]}}\nloads: [\"a[x,y,z]\", \"a[x-1,y,z]\", \"a[x+1,y,z]\", \"a[x,y-1,z]\", "
                   "\"a[x,y+1,z]\", \"a[x,y,z-1]\", \"a[x,y,z+1]\"]\nstores: [\"b[x,y,z]\"]\nflops: 6\n"
                   "registers: 32\n",
                   nx, ny, nx, nx * ny, nx, nx * ny);
    check_ok(text, wl_device_builtin("h200", &device, &err), &err);
    check_ok(text, wl_kernel_parse("k.yaml", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok(text, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(text, wl_prediction_new(&p, &err), &err);
    check_ok(text, wl_predict(predictor, &launch, &options, p, &err), &err);
    check_true(text, "is known", wl_prediction_metric(p, WL_METRIC_l1_tag_wavefronts, &value));
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return value;
}

/* Rows at powers of two: warps start in the same few places of a period of the hash. */
static void strides_do_not_alias(void **state)
{
    static const struct {
        int nx, ny;
        wl_launch launch;
    } rows[] = {
        {512, 128, {.block = {8, 16, 4}}},  {512, 128, {.block = {4, 8, 8}}},  {1024, 256, {.block = {8, 8, 8}}},
        {1024, 256, {.block = {4, 4, 16}}}, {4096, 64, {.block = {8, 16, 4}}}, {500, 100, {.block = {8, 16, 4}}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "%dx%d, block %dx%d", rows[i].nx, rows[i].ny, (int)rows[i].launch.block[0],
                       (int)rows[i].launch.block[1]);
        const double all = tag_wavefronts(rows[i].nx, rows[i].ny, rows[i].launch, -1);
        check_near(name, "tag wavefronts", tag_wavefronts(rows[i].nx, rows[i].ny, rows[i].launch, 0) / all, 1, 0.04);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_blocks_have_no_error),
        cmocka_unit_test(error_holds_for_even_samples),
        cmocka_unit_test(others_may_be_rare),
        cmocka_unit_test(strides_do_not_alias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
