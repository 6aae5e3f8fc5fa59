/* test_paper_forms.c - the formulas of the paper: their values at its own settings (tables 3.1 and
 * 3.2), and how they lie to the exact forms. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cache/closed_forms.h"
#include "cache/paper_forms.h"

static void assert_near(double value, double expected)
{
    assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

/* Table 3.1: 24 lines of 4 elements, a stencil of 7x7, 16x16 cells, columns of 8. */
static void test_stencil_values(void **state)
{
    const wl_paper_stencil s = {7, 7, 16, 16, 4};
    (void)state;
    assert_int_equal(wl_paper_naive_needs(&s), 42);
    assert_int_equal(wl_paper_naive_most(&s), 6 * 16 * 7);
    assert_int_equal(wl_paper_naive_fetches(&s), 6 * 16);
    assert_int_equal(wl_paper_tile_needs(&s, 8), 28);
    assert_near(wl_paper_tile_size(&s, 28), 9);
    assert_int_equal(wl_paper_tile_fetches(&s, 8), 2 * 4 * 2 * 15);
    assert_int_equal(wl_paper_column_fetches(&s, 8), 2 * 4 * 23);
    assert_int_equal(wl_paper_warp_lines(&s, 32, 1), 10 * 7);
    assert_int_equal(wl_paper_warp_lines(&s, 32, 2), 12 * 7);
    assert_near(wl_paper_column_bytes(&s, 4, 8, 20), 4.0 * 15 * (7 + 3));
    assert_near(wl_paper_column_asymptote(&s, 4, 8, 20), 4.0 * (20 + 7 * 15));
    assert_near(wl_paper_column_width(&s, 4, 4.0 * (20 + 7 * 15), 20), 8);
}

/* Table 3.2: 32 lines of 4 elements, 16x16. */
static void test_product_values(void **state)
{
    const wl_product p = {16, 16, 16, 4};
    (void)state;
    assert_int_equal(wl_paper_product_needs(&p), 20);
    assert_int_equal(wl_paper_product_row_fetches(&p), 64 + 16 * 256);
    assert_int_equal(wl_paper_product_most(&p), 20 * 256);
    assert_int_equal(wl_paper_product_all_needs(&p), 4 + 64);
    assert_int_equal(wl_paper_product_least_fetches(&p), 64 + 64);
    assert_int_equal(wl_paper_product_column_needs(&p, 4), 4 + 16);
    assert_near(wl_paper_product_column_bytes(&p, 4, 8), 512);
    assert_near(wl_paper_product_column_width(&p, 4, 512), 8);
}

/* What a sweep of problems says of a formula. */
typedef struct verdict {
    int equal, above, below;
} verdict;

static void compare(verdict *v, int64_t paper, int64_t exact)
{
    v->equal += paper == exact;
    v->above += paper > exact;
    v->below += paper < exact;
}

/* Linear order: (3.2) is always enough, and never the least. */
static void test_naive_is_a_bound(void **state)
{
    verdict needs = {0}, least = {0}, most = {0};
    (void)state;
    for (int64_t line = 1; line <= 8; line++)
        for (int64_t width = 2; width <= 40; width++)
            for (int64_t reach = 0; reach <= 4; reach++) {
                const wl_stencil s = {width, 24, {reach, reach}, line};
                const wl_paper_stencil p = {2 * reach + 1, 2 * reach + 1, width, 24, line};
                const wl_tile rows = {width, 24};
                const int64_t exact = wl_stencil_needs(&s, rows);
                compare(&needs, wl_paper_naive_needs(&p), exact);
                compare(&least, wl_paper_naive_fetches(&p), wl_stencil_least(&s));
                for (int64_t lines = exact / 2; lines < exact; lines++) {
                    const wl_fetches f = wl_stencil_fetches(&s, rows, lines);
                    if (f.exact)
                        compare(&most, wl_paper_naive_most(&p), f.lines);
                }
            }
    assert_int_equal(needs.below, 0);
    assert_int_equal(least.below, 0);
    assert_int_equal(most.below, 0);
    assert_true(needs.above > 0 && least.above > 0 && most.above > 0);
}

/* Columns and tiles are neither: a column of 8 cells that starts at a line has a neighbour of the
 * stencil in one more line on either side, which (t + S_w) / L does not count. */
static void test_columns_are_no_bound(void **state)
{
    const wl_stencil s = {64, 64, {1, 1}, 4};
    const wl_paper_stencil p = {3, 3, 64, 64, 4};
    const wl_tile column = {8, 64};
    (void)state;
    assert_int_equal(wl_paper_tile_needs(&p, 8), 9);
    assert_int_equal(wl_stencil_needs(&s, column), 3 * 4 - 1);
    const wl_fetches f = wl_stencil_fetches(&s, column, 12);
    assert_true(f.exact);
    /* 8 columns of 4 lines, but for the two at the edges; 64 rows */
    assert_int_equal(f.lines, (8 * 4 - 2) * 64);
    assert_int_equal(wl_paper_column_fetches(&p, 8), 8 * 3 * 67);
    assert_true(wl_paper_column_fetches(&p, 8) < f.lines);
}

/* (3.10) is exact; (3.7) forgets that a line of B serves as many tasks as it has elements; (3.8) is
 * exact. */
static void test_products(void **state)
{
    (void)state;
    for (int64_t line = 1; line <= 8; line++)
        for (int64_t width = 2; width <= 24; width += 3)
            for (int64_t depth = 2; depth <= 24; depth++) {
                const wl_product e = {width, 9, depth, line};
                const wl_product p = {width, 9, depth, line};
                const wl_tile rows = {width, 9};
                const int64_t a = (depth + line - 1) / line, b = (width + line - 1) / line;
                assert_int_equal(wl_paper_product_least_fetches(&p), wl_product_least(&e));
                const wl_fetches none = wl_product_fetches(&e, rows, wl_paper_product_needs(&p) - 1);
                assert_int_equal(none.lines, wl_paper_product_most(&p));
                const wl_fetches some = wl_product_fetches(&e, rows, wl_paper_product_needs(&p));
                assert_true(none.exact && some.exact);
                assert_true(some.lines <= a * 9 + depth * b * 9);
                assert_true(b < 3 || some.lines == a * 9 + depth * b * 9);
                assert_true(some.lines <= wl_paper_product_row_fetches(&p));
                /* (3.9) keeps one row of A; two are used between two uses of a line of B */
                assert_true(b < 3 || wl_product_needs(&e, rows) == depth * b + 2 * a);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stencil_values), cmocka_unit_test(test_product_values),
                                       cmocka_unit_test(test_naive_is_a_bound),
                                       cmocka_unit_test(test_columns_are_no_bound), cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
