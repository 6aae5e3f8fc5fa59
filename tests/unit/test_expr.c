/* test_expr.c - kernel/expr.h and input/expr_parse.h: affine forms against evaluation. SPDX-License-Identifier: MIT */
#include "unit/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "input/expr_parse.h"
#include "kernel/program.h"

/* The launch of all tests: blocks of 32x4x2, a grid of 10x8x1, three loops of different length. */
static wl_ranges test_ranges(void)
{
    static const int64_t block[3] = {32, 4, 2}, grid[3] = {10, 8, 1}, loops[3] = {16, 1, 5};
    wl_ranges r = {0};
    for (int d = 0; d < 3; d++) {
        r.hi[WL_VAR_X + d] = block[d] * grid[d] - 1;
        r.hi[WL_VAR_THREAD_X + d] = block[d] - 1;
        r.hi[WL_VAR_BLOCK_X + d] = grid[d] - 1;
        r.hi[WL_VAR_LOOP_0 + d] = loops[d] - 1;
        r.lo[WL_VAR_BLOCKDIM_X + d] = r.hi[WL_VAR_BLOCKDIM_X + d] = block[d];
        r.lo[WL_VAR_GRIDDIM_X + d] = r.hi[WL_VAR_GRIDDIM_X + d] = grid[d];
    }
    return r;
}

static wl_status parse(const char *text, wl_arena *arena, const wl_expr **out, wl_error *err)
{
    static const wl_param params[] = {{.name = "n", .value = 640}, {.name = "zero", .value = 0}};
    static const char *const loops[] = {"i", "j", "k"};
    const wl_scope scope = {.params = params, .param_count = 2, .loops = loops, .loop_count = 3, .coordinates = true};
    wl_lexer lexer;
    wl_status status = wl_lexer_start(&lexer, text, false, err);
    if (status == WL_OK)
        status = wl_expr_read(&lexer, &scope, arena, out);
    if (status == WL_OK && lexer.token.kind != WL_TOKEN_END)
        status = wl_lexer_unexpected(&lexer, "the end");
    return status;
}

/* Lanes with random values inside the ranges; the first two are their ends. */
static void random_lanes(const wl_ranges *ranges, uint64_t *seed, wl_lane_values *values)
{
    values->lanes = WL_LANES_MAX;
    for (int v = 0; v < WL_VAR_COUNT; v++) {
        for (int i = 0; i < values->lanes; i++)
            values->at[v][i] = check_random_in(seed, ranges->lo[v], ranges->hi[v]);
        values->at[v][0] = ranges->lo[v];
        values->at[v][1] = ranges->hi[v];
    }
}

static int64_t form_value(const wl_form *form, const wl_lane_values *values, int lane)
{
    int64_t sum = form->c;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        sum += form->k[v] * values->at[v][lane];
    return sum;
}

/* A form must give what evaluation gives, in every lane, and stay inside its bounds. */
static void check_form(const char *name, const wl_expr *e, const wl_ranges *ranges, uint64_t *seed)
{
    wl_lane_values values;
    wl_form form;
    wl_error err = {0};
    bool affine = false;
    int64_t got[WL_LANES_MAX], lo, hi;
    random_lanes(ranges, seed, &values);
    if (wl_expr_form(e, ranges, &affine, &form, &err) != WL_OK || !affine ||
        wl_expr_eval(e, &values, got, &err) != WL_OK)
        return;
    const bool bounded = wl_form_bounds(&form, ranges, &lo, &hi);
    for (int i = 0; i < values.lanes; i++) {
        check_int(name, "form against evaluation", form_value(&form, &values, i), got[i]);
        check_true(name, "value inside the form's bounds", !bounded || (got[i] >= lo && got[i] <= hi));
    }
}

/* ---- table ---- */

#define NO false
#define YES true

static const struct {
    const char *text;
    bool affine;
    int64_t c, kx, ky, kthread, kblock, ki; /* of x, y, threadIdx.x, blockIdx.x, i */
} forms[] = {
    {"7", YES, 7, 0, 0, 0, 0, 0},
    {"n", YES, 640, 0, 0, 0, 0, 0},
    {"x", YES, 0, 1, 0, 0, 0, 0},
    {"-x", YES, 0, -1, 0, 0, 0, 0},
    {"--x", YES, 0, 1, 0, 0, 0, 0},
    {"3*x + 1", YES, 1, 3, 0, 0, 0, 0},
    {"1 + x*3", YES, 1, 3, 0, 0, 0, 0},
    {"y*n + x", YES, 0, 1, 640, 0, 0, 0},
    {"x - x", YES, 0, 0, 0, 0, 0, 0},
    {"2 - (x - 3)*4", YES, 14, -4, 0, 0, 0, 0},
    {"threadIdx.x + blockIdx.x*blockDim.x", YES, 0, 0, 0, 1, 32, 0},
    {"(gridDim.x - 1) * blockDim.x", YES, 288, 0, 0, 0, 0, 0},
    {"i*n + x", YES, 0, 1, 0, 0, 0, 640},
    {"j + x", YES, 0, 1, 0, 0, 0, 0},          /* j runs over 0 alone */
    {"blockIdx.z + x", YES, 0, 1, 0, 0, 0, 0}, /* so does blockIdx.z */
    {"x*y", NO, 0, 0, 0, 0, 0, 0},
    {"x*j", YES, 0, 0, 0, 0, 0, 0},
    {"x/x", NO, 0, 0, 0, 0, 0, 0},
    /* precedence and association */
    {"2 + 3 * 4 - 5", YES, 9, 0, 0, 0, 0, 0},
    {"20 - 5 - 3", YES, 12, 0, 0, 0, 0, 0},
    {"100 / 10 / 2", YES, 5, 0, 0, 0, 0, 0},
    {"100 / (10 / 2)", YES, 20, 0, 0, 0, 0, 0},
    {"7 % 4 * 2", YES, 6, 0, 0, 0, 0, 0},
    {"-2 * 3", YES, -6, 0, 0, 0, 0, 0},
    /* division rounds down, the remainder has the divisor's sign */
    {"7 / 2", YES, 3, 0, 0, 0, 0, 0},
    {"-7 / 2", YES, -4, 0, 0, 0, 0, 0},
    {"7 / -2", YES, -4, 0, 0, 0, 0, 0},
    {"-7 / -2", YES, 3, 0, 0, 0, 0, 0},
    {"7 % 3", YES, 1, 0, 0, 0, 0, 0},
    {"-7 % 3", YES, 2, 0, 0, 0, 0, 0},
    {"7 % -3", YES, -2, 0, 0, 0, 0, 0},
    {"-7 % -3", YES, -1, 0, 0, 0, 0, 0},
    {"-6 % 3", YES, 0, 0, 0, 0, 0, 0},
    /* division that the coefficients decide */
    {"(4*x + 7) / 2", YES, 3, 2, 0, 0, 0, 0},
    {"(4*x - 7) / 2", YES, -4, 2, 0, 0, 0, 0},
    {"(4*x + 7) % 4", YES, 3, 0, 0, 0, 0, 0},
    {"(4*x - 7) % 4", YES, 1, 0, 0, 0, 0, 0},
    {"x / 1", YES, 0, 1, 0, 0, 0, 0},
    {"x % 1", YES, 0, 0, 0, 0, 0, 0},
    {"x / 2", NO, 0, 0, 0, 0, 0, 0},
    {"x % 32", NO, 0, 0, 0, 0, 0, 0},
    {"x / -1", NO, 0, 0, 0, 0, 0, 0}, /* affine, but not worth a case of its own */
    /* division that the ranges decide: x is 0..319, threadIdx.x is 0..31 */
    {"x / 320", YES, 0, 0, 0, 0, 0, 0},
    {"x % 320", YES, 0, 1, 0, 0, 0, 0},
    {"x / 319", NO, 0, 0, 0, 0, 0, 0},
    {"(x - 320) / 320", YES, -1, 0, 0, 0, 0, 0},
    {"(x - 320) % 320", YES, 0, 1, 0, 0, 0, 0},
    {"threadIdx.x / 32", YES, 0, 0, 0, 0, 0, 0},
    {"threadIdx.x % blockDim.x", YES, 0, 0, 0, 1, 0, 0},
    {"(threadIdx.x + 32*i) % 32", NO, 0, 0, 0, 0, 0, 0}, /* true, but seen by neither rule */
    {"x % n", YES, 0, 1, 0, 0, 0, 0},
    /* the smaller and the larger, where the ranges decide */
    {"min(x, 319)", YES, 0, 1, 0, 0, 0, 0},
    {"min(x, 318)", NO, 0, 0, 0, 0, 0, 0},
    {"max(x, 0)", YES, 0, 1, 0, 0, 0, 0},
    {"max(x, 1)", NO, 0, 0, 0, 0, 0, 0},
    {"max(x, 320)", YES, 320, 0, 0, 0, 0, 0},
    {"min(x + 1, x)", YES, 0, 1, 0, 0, 0, 0},
    {"max(x + 1, x)", YES, 1, 1, 0, 0, 0, 0},
    {"max(min(x, n - 1), 0)", YES, 0, 1, 0, 0, 0, 0},
    {"min(3, 1, 2)", YES, 1, 0, 0, 0, 0, 0},
    {"max(3, 1, 7, 2)", YES, 7, 0, 0, 0, 0, 0},
    {"min(x, y)", NO, 0, 0, 0, 0, 0, 0},
    {"min(x, x) * 2", YES, 0, 2, 0, 0, 0, 0},
    /* comparisons, where the ranges decide */
    {"x < 320", YES, 1, 0, 0, 0, 0, 0},
    {"x < 319", NO, 0, 0, 0, 0, 0, 0},
    {"x <= 319", YES, 1, 0, 0, 0, 0, 0},
    {"x > 319", YES, 0, 0, 0, 0, 0, 0},
    {"x >= 0", YES, 1, 0, 0, 0, 0, 0},
    {"x == 320", YES, 0, 0, 0, 0, 0, 0},
    {"x == 0", NO, 0, 0, 0, 0, 0, 0},
    {"x != -1", YES, 1, 0, 0, 0, 0, 0},
    {"x + 1 > x", YES, 1, 0, 0, 0, 0, 0},
    {"x*y >= 0", YES, 1, 0, 0, 0, 0, 0}, /* not affine, but bounded */
    {"x % 32 < 32", YES, 1, 0, 0, 0, 0, 0},
    {"3 < 2", YES, 0, 0, 0, 0, 0, 0},
    {"(x < 320) * x + 4", YES, 4, 1, 0, 0, 0, 0},
    /* logic: either side may decide */
    {"x < 5 && x < 0", YES, 0, 0, 0, 0, 0, 0},
    {"x < 0 && x < 5", YES, 0, 0, 0, 0, 0, 0},
    {"x >= 0 && y >= 0", YES, 1, 0, 0, 0, 0, 0},
    {"x < 5 || x >= 0", YES, 1, 0, 0, 0, 0, 0},
    {"x < 5 && y < 5", NO, 0, 0, 0, 0, 0, 0},
    {"x + 1 && 7", YES, 1, 0, 0, 0, 0, 0},
    {"!(x < 0)", YES, 1, 0, 0, 0, 0, 0},
    {"!5", YES, 0, 0, 0, 0, 0, 0},
    {"!!5 + !0", YES, 2, 0, 0, 0, 0, 0},
    {"x < 0 && x / zero", YES, 0, 0, 0, 0, 0, 0}, /* never looked at */
    {"x < 5 && x / zero", NO, 0, 0, 0, 0, 0, 0},
    /* bits */
    {"13 & 6", YES, 4, 0, 0, 0, 0, 0},
    {"13 | 6", YES, 15, 0, 0, 0, 0, 0},
    {"13 ^ 6", YES, 11, 0, 0, 0, 0, 0},
    {"-1 & 6", YES, 6, 0, 0, 0, 0, 0},
    {"-8 | 3", YES, -5, 0, 0, 0, 0, 0},
    {"~x", YES, -1, -1, 0, 0, 0, 0},
    {"~5", YES, -6, 0, 0, 0, 0, 0},
    {"x & 511", YES, 0, 1, 0, 0, 0, 0},
    {"x & 31", NO, 0, 0, 0, 0, 0, 0},
    {"threadIdx.x & 31", YES, 0, 0, 0, 1, 0, 0},
    {"31 & threadIdx.x", YES, 0, 0, 0, 1, 0, 0},
    {"threadIdx.x & -32", YES, 0, 0, 0, 0, 0, 0},
    {"(4*x + 7) & 3", YES, 3, 0, 0, 0, 0, 0},
    {"(4*x + 7) & -4", YES, 4, 4, 0, 0, 0, 0},
    {"x & 0", YES, 0, 0, 0, 0, 0, 0},
    {"4*x | 3", YES, 3, 4, 0, 0, 0, 0},
    {"blockIdx.x << 5 | threadIdx.x", YES, 0, 0, 0, 1, 32, 0},
    {"threadIdx.x ^ 32*y", YES, 0, 0, 32, 1, 0, 0},
    {"4*x | 4", NO, 0, 0, 0, 0, 0, 0},
    {"x << 3", YES, 0, 8, 0, 0, 0, 0},
    {"4*x >> 1", YES, 0, 2, 0, 0, 0, 0},
    {"threadIdx.x >> 5", YES, 0, 0, 0, 0, 0, 0},
    {"x >> 1", NO, 0, 0, 0, 0, 0, 0},
    {"-7 >> 1", YES, -4, 0, 0, 0, 0, 0},
    {"1 << 59", YES, (int64_t)1 << 59, 0, 0, 0, 0, 0},
    {"5 >> 62", YES, 0, 0, 0, 0, 0, 0},
    /* a choice */
    {"select(x < 320, x, y)", YES, 0, 1, 0, 0, 0, 0},
    {"select(x < 0, x*y, 2*y)", YES, 0, 0, 2, 0, 0, 0},
    {"select(x < 5, x, y)", NO, 0, 0, 0, 0, 0, 0},
    {"select(1, 2, 3)", YES, 2, 0, 0, 0, 0, 0},
    {"select(0, x/0 - x/0, 3)", YES, 3, 0, 0, 0, 0, 0},
    /* precedence as in C */
    {"1 | 2 ^ 3 & 4", YES, 3, 0, 0, 0, 0, 0},
    {"1 + 2 << 3 - 1", YES, 12, 0, 0, 0, 0, 0},
    {"1 << 2 < 5 == 1", YES, 1, 0, 0, 0, 0, 0},
    {"0 && 1 || 1", YES, 1, 0, 0, 0, 0, 0},
    {"1 || 1 && 0", YES, 1, 0, 0, 0, 0, 0},
    {"6 & 3 == 3", YES, 0, 0, 0, 0, 0, 0},
    {"-1 < 0", YES, 1, 0, 0, 0, 0, 0},
};

static void test_forms(void **state)
{
    const wl_ranges ranges = test_ranges();
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        bool affine = false;
        wl_form form = {0};
        wl_status status = parse(forms[i].text, &arena, &e, &err);
        if (status == WL_OK)
            status = wl_expr_form(e, &ranges, &affine, &form, &err);
        check_ok(forms[i].text, status, &err);
        check_int(forms[i].text, "affine", affine, forms[i].affine);
        if (status == WL_OK && affine && forms[i].affine) {
            check_int(forms[i].text, "constant", form.c, forms[i].c);
            check_int(forms[i].text, "x", form.k[WL_VAR_X], forms[i].kx);
            check_int(forms[i].text, "y", form.k[WL_VAR_Y], forms[i].ky);
            check_int(forms[i].text, "threadIdx.x", form.k[WL_VAR_THREAD_X], forms[i].kthread);
            check_int(forms[i].text, "blockIdx.x", form.k[WL_VAR_BLOCK_X], forms[i].kblock);
            check_int(forms[i].text, "i", form.k[WL_VAR_LOOP_0], forms[i].ki);
            check_form(forms[i].text, e, &ranges, &seed);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

/* Evaluation on its own, also where no form exists: x = 5, y = -3 (a halo), threadIdx.x = 31. */
static const struct {
    const char *text;
    int64_t value;
} values[] = {
    {"x*y", -15},
    {"x/2", 2},
    {"y/2", -2},
    {"y%2", 1},
    {"y%-2", -1},
    {"y/-2", 1},
    {"x%3", 2},
    {"min(x,y)", -3},
    {"max(x,y,7)", 7},
    {"threadIdx.x/4%2", 1},
    {"-y", 3},
    {"(x+y)*(x-y)", 16},
    {"n/x", 128},
    {"blockDim.x", 32},
    {"x < y", 0},
    {"x > y", 1},
    {"y <= -3", 1},
    {"x >= 6", 0},
    {"x == 5", 1},
    {"x != 5", 0},
    {"x && y", 1},
    {"x && zero", 0},
    {"zero || y", 1},
    {"!y", 0},
    {"!zero", 1},
    {"x & 4", 4},
    {"y & 7", 5},
    {"x | y", -3},
    {"x ^ y", -8},
    {"~y", 2},
    {"x << 4", 80},
    {"y << 1", -6},
    {"y >> 1", -2},
    {"x >> 1", 2},
    {"select(x < y, x, y)", -3},
    {"select(x > y, x*y, n/(x-5))", -15},
    {"select(x > y, x, y/(x-5))", 5},
    {"x > y || x/(x-5)", 1},
    {"x < y && x/(x-5)", 0},
};

static void test_values(void **state)
{
    (void)state;
    wl_lane_values lanes = {.lanes = 2};
    lanes.at[WL_VAR_X][1] = 5;
    lanes.at[WL_VAR_Y][1] = -3;
    lanes.at[WL_VAR_THREAD_X][1] = 31;
    lanes.at[WL_VAR_BLOCKDIM_X][1] = 32;
    lanes.at[WL_VAR_X][0] = 1; /* keeps n/x possible in the lane that is not looked at */
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        int64_t got[WL_LANES_MAX] = {0};
        wl_status status = parse(values[i].text, &arena, &e, &err);
        if (status == WL_OK)
            status = wl_expr_eval(e, &lanes, got, &err);
        check_ok(values[i].text, status, &err);
        check_int(values[i].text, "value", got[1], values[i].value);
        wl_arena_free(&arena);
    }
    check_done();
}

/* ---- random trees ---- */

static const wl_expr *random_tree(wl_arena *arena, uint64_t *seed, int depth)
{
    wl_expr *e = WL_ARENA_NEW(arena, wl_expr, 1);
    assert_non_null(e);
    if (depth == 0 || check_random_in(seed, 0, 5) == 0) {
        e->op = check_random_in(seed, 0, 2) ? WL_EXPR_VAR : WL_EXPR_CONST;
        e->var = (wl_var)check_random_in(seed, 0, WL_VAR_COUNT - 1);
        e->value = check_random_in(seed, -40, 40);
        return e;
    }
    e->op = (wl_expr_op)check_random_in(seed, WL_EXPR_ADD, WL_EXPR_SELECT);
    if (check_random_in(seed, 0, 1)) /* half of them arithmetic */
        e->op = (wl_expr_op)check_random_in(seed, WL_EXPR_ADD, WL_EXPR_MAX);
    e->a = random_tree(arena, seed, depth - 1);
    e->b = random_tree(arena, seed, depth - 1);
    if (e->op == WL_EXPR_SELECT) {
        wl_expr *either = WL_ARENA_NEW(arena, wl_expr, 1);
        assert_non_null(either);
        *either = (wl_expr){.op = WL_EXPR_EITHER, .a = e->b, .b = random_tree(arena, seed, depth - 1)};
        e->b = either;
    }
    return e;
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
    visited v = {name, index, access.when, &lanes, 0, 0};
    wl_error err = {0};
    assert_int_equal(wl_program_make(&kernel, &access, arena, &program, &err), WL_OK);
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
        wl_ranges ranges = test_ranges();
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

/* ---- errors ---- */

#define TOP "1152921504606846975" /* 2^60 - 1 */

static const struct {
    const char *text;
    expected_error want;
} bad[] = {
    /* found while reading */
    {"", {WL_E_INPUT, "expected a whole number, a name or '(', but the text ends here", 1, 1}},
    {"1 +", {WL_E_INPUT, "but the text ends here", 1, 4}},
    {"1 + * 2", {WL_E_INPUT, "expected a whole number, a name or '(', not '*'", 1, 5}},
    {"(1 + 2", {WL_E_INPUT, "expected ')', but the text ends here", 1, 7}},
    {"1 + 2)", {WL_E_INPUT, "expected the end, not ')'", 1, 6}},
    {"1 2", {WL_E_INPUT, "expected the end, not '2'", 1, 3}},
    {"1.5", {WL_E_INPUT, "expected a whole number, a name or '(', not '1.5'", 1, 1}},
    {"1e3", {WL_E_INPUT, "expected a whole number, a name or '(', not '1e3'", 1, 1}},
    {"0x10", {WL_E_INPUT, "not a number", 1, 1}},
    {"3x", {WL_E_INPUT, "not a number", 1, 1}},
    {"x ? 1", {WL_E_INPUT, "unexpected character '?'", 1, 3}},
    {"x +\n  $", {WL_E_INPUT, "unexpected character '$'", 2, 3}},
    {"x + \x01", {WL_E_INPUT, "unexpected character (code 1)", 1, 5}},
    {"q1", {WL_E_INPUT, "unknown name 'q1'", 1, 1}},
    {"threadidx.x", {WL_E_INPUT, "unknown name 'threadidx.x'; did you mean 'threadIdx.x'?", 1, 1}},
    {"threadIdx", {WL_E_INPUT, "unknown name 'threadIdx'; did you mean 'threadIdx.x'?", 1, 1}},
    {"min(x)", {WL_E_INPUT, "expected ',' and a second argument, not ')'", 1, 6}},
    {"min x", {WL_E_INPUT, "expected '(', not 'x'", 1, 5}},
    {"max(x, y", {WL_E_INPUT, "expected ')', but the text ends here", 1, 9}},
    {"1152921504606846976", {WL_E_RANGE, "the number is too large (the limit is 2^60)", 1, 1}},
    {"99999999999999999999", {WL_E_RANGE, "the number is too large", 1, 1}},
    {"1 / 0", {WL_E_INPUT, "division by zero", 1, 3}},
    {"1 % zero", {WL_E_INPUT, "division by zero", 1, 3}},
    {"8 / (3 - 3)", {WL_E_INPUT, "division by zero", 1, 3}},
    {"1 << 63", {WL_E_INPUT, "a shift must be by 0 to 62", 1, 3}},
    {"1 >> -1", {WL_E_INPUT, "a shift must be by 0 to 62", 1, 3}},
    {"1 << 60", {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 3}},
    {"x <", {WL_E_INPUT, "but the text ends here", 1, 4}},
    {"x = 1", {WL_E_INPUT, "expected the end, not '='", 1, 3}},
    {"x === 1", {WL_E_INPUT, "expected a whole number, a name or '(', not '='", 1, 5}},
    {"x &&& 1", {WL_E_INPUT, "expected a whole number, a name or '(', not '&'", 1, 5}},
    {"select(x, 1)", {WL_E_INPUT, "expected ',', not ')'", 1, 12}},
    {"select(x, 1, 2, 3)", {WL_E_INPUT, "expected ')', not ','", 1, 15}},
    {"select x", {WL_E_INPUT, "expected '(', not 'x'", 1, 8}},
    {TOP " + 1", {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 21}},
    {"-" TOP " - 1", {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 22}},
    {"2 * " TOP, {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 3}},
    /* found once the launch is known */
    {"x / zero", {WL_E_INPUT, "division by zero", 1, 3}},
    {"x % (blockDim.x - 32)", {WL_E_INPUT, "division by zero", 1, 3}},
    {"x*y / zero", {WL_E_INPUT, "division by zero", 1, 5}},
    {"x << zero - 1", {WL_E_INPUT, "a shift must be by 0 to 62", 1, 3}},
    {"x >> 63", {WL_E_INPUT, "a shift must be by 0 to 62", 1, 3}},
    {"x >= 0 && x / zero", {WL_E_INPUT, "division by zero", 1, 13}},
    {"x << 60", {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 3}},
    {"x*2 + " TOP "*y*2", {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 28}},
    {"(x + " TOP ") + 1", {WL_E_RANGE, "the expression leaves the range +-2^60", 1, 27}},
};

static void test_errors(void **state)
{
    const wl_ranges ranges = test_ranges();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        bool affine;
        wl_form form;
        wl_status status = parse(bad[i].text, &arena, &e, &err);
        if (status == WL_OK)
            status = wl_expr_form(e, &ranges, &affine, &form, &err);
        check_error(bad[i].text, status, &err, &bad[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

/* Beyond 2^60 in a lane: evaluation says so, and a form's bounds do. */
static void test_overflow_in_lanes(void **state)
{
    const wl_ranges ranges = test_ranges();
    wl_arena arena = {0};
    const wl_expr *e = NULL;
    wl_error err = {0};
    wl_form form;
    bool affine = false;
    int64_t lo, hi, got[WL_LANES_MAX];
    (void)state;
    check_ok("parse", parse("x * 576460752303423488", &arena, &e, &err), &err); /* 2^59 */
    check_ok("form", wl_expr_form(e, &ranges, &affine, &form, &err), &err);
    check_true("form", "affine", affine);
    check_true("form", "bounds leave the range", !wl_form_bounds(&form, &ranges, &lo, &hi));
    wl_lane_values lanes = {.lanes = 2};
    lanes.at[WL_VAR_X][0] = 1;
    lanes.at[WL_VAR_X][1] = 1;
    check_ok("one times 2^59", wl_expr_eval(e, &lanes, got, &err), &err);
    lanes.at[WL_VAR_X][1] = 2;
    const expected_error want = {WL_E_RANGE, "leaves the range +-2^60", 1, 3};
    check_error("two times 2^59", wl_expr_eval(e, &lanes, got, &err), &err, &want);
    wl_arena_free(&arena);
    check_done();
}

/* Long and deep expressions end in a message, never in a full stack. */
static void test_limits(void **state)
{
    static const struct {
        const char *name, *open, *middle, *close;
        int repeat;
        wl_status want;
    } cases[] = {
        {"90 parentheses", "(", "x", ")", 90, WL_OK},       {"200 parentheses", "(", "x", ")", 200, WL_E_LIMIT},
        {"200 signs", "-", "x", "", 200, WL_E_LIMIT},       {"1900 terms", "x+", "x", "", 1900, WL_OK},
        {"3000 terms", "x+", "x", "", 3000, WL_E_LIMIT},    {"3000 constants", "1+", "1", "", 3000, WL_E_LIMIT},
        {"200 calls", "min(x,", "x", ")", 200, WL_E_LIMIT},
    };
    static char text[16384];
    const wl_ranges ranges = test_ranges();
    uint64_t seed = 9;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t used = 0;
        for (int k = 0; k < cases[i].repeat; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", cases[i].open);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", cases[i].middle);
        for (int k = 0; k < cases[i].repeat; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", cases[i].close);
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        const wl_status status = parse(text, &arena, &e, &err);
        check_int(cases[i].name, "status", status, cases[i].want);
        if (status == WL_OK)
            check_form(cases[i].name, e, &ranges, &seed);
        wl_arena_free(&arena);
    }
    check_done();
}

static void test_constants(void **state)
{
    static const wl_param params[] = {{.name = "nx", .value = 640}, {.name = "halo", .value = 4}};
    const wl_scope scope = {.params = params, .param_count = 2};
    static const struct {
        const char *text;
        int64_t value;
        expected_error want;
    } cases[] = {
        {"nx + 2*halo", 648, {WL_OK, "", 0, 0}},
        {"(nx + 15) / 16 * 16", 640, {WL_OK, "", 0, 0}},
        {" 7 ", 7, {WL_OK, "", 0, 0}},
        {"7 # seven", 7, {WL_OK, "", 0, 0}},
        {"nx nx", 0, {WL_E_INPUT, "expected an operator or the end, not 'nx'", 1, 4}},
        {"x", 0, {WL_E_INPUT, "unknown name 'x'", 1, 1}}, /* no coordinates here */
        {"ny", 0, {WL_E_INPUT, "unknown name 'ny'; did you mean 'nx'?", 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_arena arena = {0};
        wl_error err = {0};
        int64_t value = 0;
        const wl_status status = wl_expr_constant(cases[i].text, &scope, &arena, &value, &err);
        check_error(cases[i].text, status, &err, &cases[i].want);
        check_int(cases[i].text, "value", value, cases[i].value);
        wl_arena_free(&arena);
    }
    check_done();
}

static void test_vars(void **state)
{
    static const struct {
        const char *text;
        uint32_t vars;
    } cases[] = {
        {"7", 0},
        {"n + 3", 0},
        {"x + 3*z", 1u << WL_VAR_X | 1u << WL_VAR_Z},
        {"threadIdx.y % blockDim.y", 1u << WL_VAR_THREAD_Y | 1u << WL_VAR_BLOCKDIM_Y},
        {"min(i, k)", 1u << WL_VAR_LOOP_0 | 1u << WL_VAR_LOOP_2},
        {"gridDim.z + blockIdx.x", 1u << WL_VAR_GRIDDIM_Z | 1u << WL_VAR_BLOCK_X},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        const wl_status status = parse(cases[i].text, &arena, &e, &err);
        check_ok(cases[i].text, status, &err);
        if (status == WL_OK)
            check_int(cases[i].text, "variables", wl_expr_vars(e), cases[i].vars);
        wl_arena_free(&arena);
    }
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
    const wl_ranges ranges = test_ranges();
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        int64_t lo = 0, hi = 0;
        check_ok(cases[n].text, parse(cases[n].text, &arena, &e, &err), &err);
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
        check_ok(cases[n].text, parse(cases[n].text, &arena, &e, &err), &err);
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
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_overflow_in_lanes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_vars),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_loop_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
