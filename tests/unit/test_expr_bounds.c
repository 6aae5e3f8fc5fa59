/* test_expr_bounds.c - kernel/expr.h and kernel/program.h: random trees against evaluation, bounds,
 * loop strides.
 * SPDX-License-Identifier: MIT */
#include "unit/expr_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"

/* ---- random trees ---- */

/* Without folding constants, so that trees have all operators. */
static const wl_expr *unfolded(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b)
{
    const wl_expr *e = wl_expr_new_like(arena, &(wl_expr){.op = op}, a, b);
    assert_non_null(e);
    return e;
}

static const wl_expr *random_tree(wl_arena *arena, uint64_t *seed, int depth)
{
    if (depth == 0 || check_random_in(seed, 0, 5) == 0) {
        wl_expr *e = WL_ARENA_NEW(arena, wl_expr, 1);
        assert_non_null(e);
        e->op = check_random_in(seed, 0, 2) ? WL_EXPR_VAR : WL_EXPR_CONST;
        e->var = (wl_var)check_random_in(seed, 0, WL_VAR_COUNT - 1);
        e->value = check_random_in(seed, -40, 40);
        return e;
    }
    wl_expr_op op = (wl_expr_op)check_random_in(seed, WL_EXPR_ADD, WL_EXPR_SELECT);
    if (check_random_in(seed, 0, 1)) /* half of them arithmetic */
        op = (wl_expr_op)check_random_in(seed, WL_EXPR_ADD, WL_EXPR_MAX);
    const wl_expr *a = random_tree(arena, seed, depth - 1), *b = random_tree(arena, seed, depth - 1);
    if (op == WL_EXPR_SELECT)
        b = unfolded(arena, WL_EXPR_EITHER, b, random_tree(arena, seed, depth - 1));
    return unfolded(arena, op, a, b);
}

/* Values lie inside the bounds, where there are any, and have the truth that is known. */
static void check_bounds(const char *name, const wl_expr *e, const wl_ranges *ranges, uint64_t *seed)
{
    wl_lane_values lanes;
    int64_t lo, hi, got;
    int truth = -1;
    random_lanes(ranges, seed, &lanes);
    const bool bounded = wl_expr_bounds(e, ranges, &lo, &hi);
    if (wl_expr_truth(e, ranges, &truth, NULL) != WL_OK)
        truth = -1;
    for (int i = 0; i < lanes.lanes; i++) {
        if (wl_expr_eval_lane(e, &lanes, i, &got, NULL) != WL_OK)
            continue;
        check_true(name, "value inside the bounds", !bounded || (got >= lo && got <= hi));
        check_true(name, "truth that is known", truth < 0 || truth == (got != 0));
    }
}

typedef struct visited {
    const char *name;
    const wl_expr *index, *when;
    const wl_lane_values *lanes;
    int64_t executions, taken;
} visited;

/* The lanes of one step are those that the condition lets through, each at its index. */
static wl_status check_visit(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    visited *v = context;
    int n = 0;
    (void)err;
    for (int i = 0; i < v->lanes->lanes; i++) {
        int64_t index = 0, holds = 1;
        if (v->when)
            check_true(v->name, "condition", wl_expr_eval_lane(v->when, v->lanes, i, &holds, NULL) == WL_OK);
        if (!holds)
            continue;
        check_true(v->name, "index", wl_expr_eval_lane(v->index, v->lanes, i, &index, NULL) == WL_OK);
        check_int(v->name, "lane", n < lanes ? which[n] : -1, i);
        check_int(v->name, "address", n < lanes ? addresses[n] : -1, index * 4 + 128);
        n++;
    }
    check_int(v->name, "lanes", lanes, n);
    v->executions++;
    v->taken += lanes;
    return WL_OK;
}

static int64_t failing_lanes;

/* Lanes of one block: they differ by cell and thread alone. */
static void join_blocks(wl_lane_values *lanes)
{
    for (int v = WL_VAR_BLOCK_X; v < WL_VAR_COUNT; v++)
        for (int i = 1; i < lanes->lanes; i++)
            lanes->at[v][i] = lanes->at[v][0];
}

/* A program gives what plain evaluation gives, at every step, and fails only where that fails. */
static void check_program(const char *name, const wl_expr *index, const wl_expr *when, wl_arena *arena,
                          const wl_ranges *ranges, uint64_t *seed)
{
    wl_field field = {.name = "A", .base_bytes = 128};
    wl_access access = {.width_bytes = 4, .unit_bytes = 4, .index = index, .when = when, .text = "A"};
    const wl_kernel kernel = {.fields = &field,
                              .field_count = 1,
                              .accesses = &access,
                              .access_count = 1,
                              .loop_count = 3,
                              .loop_extent = {3, 2, 4}};
    wl_program program;
    wl_lane_values lanes;
    random_lanes(ranges, seed, &lanes);
    lanes.lanes = (int)check_random_in(seed, 1, WL_LANES_MAX);
    if (check_random_in(seed, 0, 2) == 0)
        access.when = NULL;
    const bool one_block = check_random_in(seed, 0, 1) == 1;
    if (one_block)
        join_blocks(&lanes);
    visited v = {name, index, access.when, &lanes, 0, 0};
    wl_error err = {0};
    assert_int_equal(wl_program_make(&kernel, &access, arena, &program, &err), WL_OK);
    program.one_block = one_block;
    if (wl_program_run(&program, &lanes, check_visit, &v, &err) == WL_OK)
        return;
    /* some lane fails at the step the program stopped at */
    int failures = 0;
    for (int i = 0; i < lanes.lanes; i++) {
        int64_t got = 0, holds = 1;
        wl_status status = access.when ? wl_expr_eval_lane(access.when, &lanes, i, &holds, NULL) : WL_OK;
        if (status == WL_OK && holds)
            status = wl_expr_eval_lane(index, &lanes, i, &got, NULL);
        failures += status != WL_OK || llabs(got) > (int64_t)1 << 57;
    }
    check_true(name, "a lane fails where the program does", failures > 0);
    failing_lanes += failures;
}

static void test_random_trees(void **state)
{
    (void)state;
    int64_t affine_trees = 0, errors = 0;
    for (uint64_t tree = 0; tree < 20000; tree++) {
        uint64_t seed = tree;
        wl_arena arena = {0};
        wl_ranges ranges = expr_ranges();
        for (int v = 0; v < WL_VAR_FORM_COUNT; v++) { /* halos: ranges that do not start at 0 */
            ranges.lo[v] = check_random_in(&seed, -20, 20);
            ranges.hi[v] = ranges.lo[v] + check_random_in(&seed, 0, 40);
        }
        const wl_expr *e = random_tree(&arena, &seed, 5);
        char name[32];
        (void)snprintf(name, sizeof name, "tree of seed %d", (int)tree);
        wl_form form;
        wl_error err = {0};
        bool affine = false;
        const wl_status status = wl_expr_form(e, &ranges, &affine, &form, &err);
        errors += status != WL_OK;
        affine_trees += status == WL_OK && affine;
        check_form(name, e, &ranges, &seed);
        check_bounds(name, e, &ranges, &seed);
        check_program(name, e, random_tree(&arena, &seed, 3), &arena, &ranges, &seed);
        uint32_t vars = 0;
        for (int v = 0; status == WL_OK && affine && v < WL_VAR_FORM_COUNT; v++)
            vars |= form.k[v] ? 1u << v : 0;
        if (status == WL_OK && affine)
            check_int(name, "variables of the form that the tree does not name", vars & ~wl_expr_vars(e), 0);
        /* a division by a constant zero fails in every lane as well */
        if (status == WL_E_INPUT) {
            wl_lane_values lanes;
            int64_t got[WL_LANES_MAX];
            random_lanes(&ranges, &seed, &lanes);
            check_true(name, "evaluation fails where the form does", wl_expr_eval(e, &lanes, got, &err) != WL_OK);
        }
        wl_arena_free(&arena);
    }
    check_true("random trees", "many are affine", affine_trees > 2000);
    check_true("random trees", "some divide by zero", errors > 100);
    check_true("random trees", "some lanes fail", failing_lanes > 1000);
    check_done();
}

/* ---- bounds and loop strides ---- */

/* x 0..319, y 0..31, z 0..1, i 0..15, k 0..4. */
static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool known;
        int64_t lo, hi;
    } cases[] = {
        {"7", true, 7, 7},
        {"x", true, 0, 319},
        {"x + 2*y - 3*z", true, -3, 381},
        {"(x - 10)*(y - 5)", true, -1545, 8034},
        {"(x - 10)/4", true, -3, 77},
        {"(x - 10)/(z + 1)", true, -10, 309},
        {"x/(y + 2)", true, 0, 159},
        {"x/(y - 1)", false, 0, 0},
        {"x%8", true, 0, 7},
        {"x%1000", true, 0, 319},
        {"(x - 1)%8", true, 0, 7},
        {"x%(y + 1)", true, 0, 31},
        {"x%y", false, 0, 0},
        {"min(x, 5)", true, 0, 5},
        {"min(x + 7, y)", true, 0, 31},
        {"max(x, 5)", true, 5, 319},
        {"max(x - 400, y - 40)", true, -40, -9},
        {"threadIdx.x + blockIdx.y*blockDim.x", true, 0, 31 + 7 * 32},
        {"i*16 + k", true, 0, 244},
        {"x*1152921504606846975", false, 0, 0},
    };
    const wl_ranges ranges = expr_ranges();
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        int64_t lo = 0, hi = 0;
        check_ok(cases[n].text, expr_parse(cases[n].text, &arena, &e, &err), &err);
        const bool known = e && wl_expr_bounds(e, &ranges, &lo, &hi);
        check_int(cases[n].text, "known", known, cases[n].known);
        if (known && cases[n].known) {
            check_int(cases[n].text, "low", lo, cases[n].lo);
            check_int(cases[n].text, "high", hi, cases[n].hi);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

static void test_loop_strides(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool even;
        int64_t strides[3];
    } cases[] = {
        {"x*y", true, {0, 0, 0}},
        {"i", true, {1, 0, 0}},
        {"x/3 + 5*i - k", true, {5, 0, -1}},
        {"3*(x%7 - 2*(j + i))", true, {-6, -6, 0}},
        {"(i - j)*n", true, {640, -640, 0}},
        {"i - i", true, {0, 0, 0}},
        {"i*x", false, {0, 0, 0}},
        {"i*i", false, {0, 0, 0}},
        {"i/2", false, {0, 0, 0}},
        {"(x + i)%8", false, {0, 0, 0}},
        {"min(i, 3)", false, {0, 0, 0}},
        {"x + max(i, j)", false, {0, 0, 0}},
    };
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        int64_t strides[3] = {0};
        check_ok(cases[n].text, expr_parse(cases[n].text, &arena, &e, &err), &err);
        check_int(cases[n].text, "even", e && wl_expr_loop_strides(e, strides), cases[n].even);
        for (int l = 0; l < 3 && cases[n].even; l++)
            check_int(cases[n].text, "stride", strides[l], cases[n].strides[l]);
        wl_arena_free(&arena);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_loop_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
