/* test_trace.c - the settings of the paper's figures (tables 3.1 and 3.2): which cache is enough,
 * and what happens with less; orders; what cannot be traced. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cache/closed_forms.h"
#include "cache/trace_internal.h"
#include "report/common/trace_report.h"

static const int64_t domain[3] = {16, 16, 1};

static wl_trace *trace_of(const char *example, const char *order, int64_t lines)
{
    wl_trace_options options = {.lines = lines, .line_bytes = 16};
    wl_trace *trace = NULL;
    wl_error err = {0};
    assert_int_equal(wl_schedule_parse(order, &options.schedule, &err), WL_OK);
    assert_int_equal(wl_trace_example(example, domain, &options, &trace, &err), WL_OK);
    return trace;
}

/* Fetched lines of tables 3.1 and 3.2, and what is the least. */
static void test_figures(void **state)
{
    static const struct {
        const char *figure, *example, *order;
        int64_t lines, fetches, least;
    } rows[] = {
        {"3.1 and 3.2b: too small", "stencil", "linear", 24, 316, 64},
        {"one line less than is enough", "stencil", "linear", 26, 292, 64},
        {"3.2a: 7 rows of 4 lines but one", "stencil", "linear", 27, 64, 64},
        {"eq. 3.2 asks for 42", "stencil", "linear", 42, 64, 64},
        {"column of 8, table 3.1", "stencil", "column:8", 24, 96, 64},
        {"4.4: each column fetches its lines once", "stencil", "column:4", 24, 160, 64},
        {"3.3: rows of B are fetched again", "matmul", "linear", 32, 64 + 16 * 64, 128},
        {"column of 8, table 3.2", "matmul", "column:8", 32, 2 * 64 + 2 * 16 * 16 * 2, 128},
        {"4.6: every line of B once, A per column", "matmul", "column:4", 32, 4 * 64 + 64, 128},
        {"eq. 3.9 asks for 68, and 72 it takes", "matmul", "linear", 72, 128, 128},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wl_trace *t = trace_of(rows[i].example, rows[i].order, rows[i].lines);
        const wl_trace_counts c = wl_trace_count(t);
        if (c.fetches != rows[i].fetches || c.least != rows[i].least)
            fail_msg("figure %s: %lld fetched, at least %lld", rows[i].figure, (long long)c.fetches,
                     (long long)c.least);
        assert_true(t->closed_form.exact ? t->closed_form.lines == c.fetches : t->closed_form.lines >= c.fetches);
        assert_int_equal(c.tasks, 256);
        assert_int_equal(c.simulated, 256);
        assert_true(c.fetches - c.evictions <= rows[i].lines);
        wl_trace_free(t);
    }
}

/* Every order has the same uses and the same least. */
static void test_orders(void **state)
{
    static const char *const orders[] = {"linear", "column:3", "zigzag:5", "tile:4x4", "hilbert", "morton"};
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        wl_trace *t = trace_of("stencil:3x5", orders[i], 16);
        const wl_trace_counts c = wl_trace_count(t);
        assert_int_equal(c.uses, 22 * 74); /* lines of a row times rows, of all tasks */
        assert_int_equal(c.least, 64);
        assert_true(c.fetches >= c.least);
        wl_trace_free(t);
    }
}

/* Cells of the diagram: fetched once, used, in the cache afterwards, evicted. */
static void test_grid(void **state)
{
    wl_trace *t = trace_of("stencil:1x1", "linear", 2);
    wl_trace_grid g;
    wl_error err = {0};
    (void)state;
    /* 64 lines of 4 tasks each through a cache of two */
    assert_int_equal(wl_trace_grid_make(t, 100, 1000, &g, &err), WL_OK);
    assert_int_equal(g.rows, 64);
    assert_int_equal(g.columns, 256);
    for (int64_t row = 0; row < 62; row++)
        for (int64_t c = 0; c < 256; c++) {
            const int64_t at = c - 4 * row;
            const wl_cell expected = at == 0             ? WL_CELL_FETCHED
                                     : at > 0 && at < 4  ? WL_CELL_USED
                                     : at >= 4 && at < 8 ? WL_CELL_CACHED
                                     : at == 8           ? WL_CELL_EVICTED
                                                         : WL_CELL_ABSENT;
            assert_int_equal(g.cells[row * 256 + c], expected);
        }
    wl_trace_grid_free(&g);
    /* two tasks a column, four lines a row: the strongest wins */
    assert_int_equal(wl_trace_grid_make(t, 16, 128, &g, &err), WL_OK);
    assert_int_equal(g.rows, 16);
    assert_int_equal(g.cells[0], WL_CELL_FETCHED);
    assert_int_equal(g.cells[1], WL_CELL_USED);
    wl_trace_grid_free(&g);
    wl_trace_free(t);
}

/* A window begins with what is in the cache. */
static void test_window(void **state)
{
    const wl_trace_options options = {.lines = 2, .line_bytes = 16, .first = 8, .count = 8};
    wl_trace *t = NULL;
    wl_trace_grid g;
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_trace_example("stencil:1x1", domain, &options, &t, &err), WL_OK);
    assert_int_equal(t->line_count, 4); /* lines 0 and 1 of before, 2 and 3 */
    assert_int_equal(wl_trace_grid_make(t, 100, 1000, &g, &err), WL_OK);
    assert_int_equal(g.cells[0 * 8 + 0], WL_CELL_EVICTED);
    assert_int_equal(g.cells[1 * 8 + 0], WL_CELL_CACHED);
    assert_int_equal(g.cells[1 * 8 + 3], WL_CELL_CACHED);
    assert_int_equal(g.cells[1 * 8 + 4], WL_CELL_EVICTED);
    assert_int_equal(g.cells[2 * 8 + 0], WL_CELL_FETCHED);
    assert_int_equal(g.cells[3 * 8 + 4], WL_CELL_FETCHED);
    assert_int_equal(wl_trace_count(t).fetches, 64);
    wl_trace_grid_free(&g);
    wl_trace_free(t);
}

static void test_refused(void **state)
{
    static const struct {
        const char *example;
        wl_trace_options options;
        wl_status status;
    } rows[] = {
        {"heat", {.lines = 8, .line_bytes = 16}, WL_E_INPUT},
        {"stencil:4x4", {.lines = 8, .line_bytes = 16}, WL_E_INPUT},
        {"stencil:3", {.lines = 8, .line_bytes = 16}, WL_E_INPUT},
        {"matmul:0", {.lines = 8, .line_bytes = 16}, WL_E_INPUT},
        {"matmul", {.lines = 8, .line_bytes = 6}, WL_E_INPUT},
        {"matmul", {.lines = 0, .line_bytes = 16}, WL_E_INPUT},
        {"matmul", {.lines = 8, .line_bytes = 16, .ways = 3}, WL_E_INPUT},
        {"matmul", {.lines = 8, .line_bytes = 16, .policy = "fifo"}, WL_E_INPUT},
        {"matmul", {.lines = 8, .line_bytes = 16, .first = 256}, WL_E_INPUT},
        {"matmul",
         {.lines = 8, .line_bytes = 16, .schedule = {.kind = WL_SCHEDULE_SWIZZLE, .width = 4}},
         WL_E_UNSUPPORTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wl_trace *t = NULL;
        wl_error err = {0};
        assert_int_equal(wl_trace_example(rows[i].example, domain, &rows[i].options, &t, &err), rows[i].status);
        assert_null(t);
        assert_true(err.message[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_figures), cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_grid), cmocka_unit_test(test_window),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
