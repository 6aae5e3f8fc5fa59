/* test_expr.c - kernel/expr.h and input/expr_parse.h: expressions read, their affine forms and
 * values, and errors.
 * SPDX-License-Identifier: MIT */
#include "unit/expr_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"

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
    {"(threadIdx.x + 32*i) % 32", YES, 0, 0, 0, 1, 0, 0},
    {"(threadIdx.x + 64*y + 37) / 32", NO, 0, 0, 0, 0, 0, 0},
    {"(threadIdx.x + 64*y + 32) / 32", YES, 1, 0, 2, 0, 0, 0},
    {"(threadIdx.x + 64*y + 33 - 1) % 32", YES, 0, 0, 0, 1, 0, 0},
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
    const wl_ranges ranges = expr_ranges();
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        bool affine = false;
        wl_form form = {0};
        wl_status status = expr_parse(forms[i].text, &arena, &e, &err);
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
        wl_status status = expr_parse(values[i].text, &arena, &e, &err);
        if (status == WL_OK)
            status = wl_expr_eval(e, &lanes, got, &err);
        check_ok(values[i].text, status, &err);
        check_int(values[i].text, "value", got[1], values[i].value);
        wl_arena_free(&arena);
    }
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
    const wl_ranges ranges = expr_ranges();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_arena arena = {0};
        const wl_expr *e = NULL;
        wl_error err = {0};
        bool affine;
        wl_form form;
        wl_status status = expr_parse(bad[i].text, &arena, &e, &err);
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
    const wl_ranges ranges = expr_ranges();
    wl_arena arena = {0};
    const wl_expr *e = NULL;
    wl_error err = {0};
    wl_form form;
    bool affine = false;
    int64_t lo, hi, got[WL_LANES_MAX];
    (void)state;
    check_ok("parse", expr_parse("x * 576460752303423488", &arena, &e, &err), &err); /* 2^59 */
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
    const wl_ranges ranges = expr_ranges();
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
        const wl_status status = expr_parse(text, &arena, &e, &err);
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
        const wl_status status = expr_parse(cases[i].text, &arena, &e, &err);
        check_ok(cases[i].text, status, &err);
        if (status == WL_OK)
            check_int(cases[i].text, "variables", wl_expr_vars(e), cases[i].vars);
        wl_arena_free(&arena);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_overflow_in_lanes),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_constants),
        cmocka_unit_test(test_vars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
