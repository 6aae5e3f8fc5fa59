/* test_sampling.c - samples of blocks: the stated error against sums that are known.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>

#include "count/sampling.h"

/* A sample of all blocks has no error, whatever they do. */
static void all_blocks_have_no_error(void **state)
{
    wl_arena arena = {0};
    wl_sample s;
    wl_error err = {0};
    double added[7] = {1, 0, 9, 4, 4, 0, 2};
    (void)state;
    assert_int_equal(wl_sample_evenly(7, 7, &arena, &s, &err), WL_OK);
    assert_true(wl_sample_is_all(&s));
    assert_true(wl_sample_error(&s, added) == 0);
    wl_arena_free(&arena);
}

/* Of 1000 blocks a quarter does something. */
static void error_holds_for_even_samples(void **state)
{
    wl_arena arena = {0};
    wl_sample s;
    wl_error err = {0};
    double added[64], sum = 0;
    (void)state;
    assert_int_equal(wl_sample_evenly(64, 1000, &arena, &s, &err), WL_OK);
    for (int i = 0; i < 64; i++) {
        added[i] = s.number[i] % 4 == 1 ? wl_sample_weight(&s, i) : 0;
        sum += added[i];
    }
    const double error = wl_sample_error(&s, added);
    assert_true(error > 10 && error < 100);
    assert_true(fabs(sum - 250) < 3 * error);
    wl_arena_free(&arena);
}

/* Blocks that are alike do not prove that all are. */
static void others_may_be_rare(void **state)
{
    wl_arena arena = {0};
    wl_sample s;
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_sample_evenly(4, 100, &arena, &s, &err), WL_OK);
    assert_true(fabs(wl_sample_rare(&s) - sqrt(0.96) / 4) < 1e-12);
    assert_int_equal(wl_sample_evenly(100, 100, &arena, &s, &err), WL_OK);
    assert_true(wl_sample_rare(&s) == 0);
    wl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_blocks_have_no_error),
        cmocka_unit_test(error_holds_for_even_samples),
        cmocka_unit_test(others_may_be_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
