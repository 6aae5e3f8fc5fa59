/* test_where.c - kernel/where.h: conditions on a launch, parsed and evaluated.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "base/ckd.h"
#include "kernel/where.h"

static const char *const names[WL_WHERE_NAMES] = {
    "block.x", "block.y", "block.z",  "fold.x",   "fold.y",   "fold.z",  "tile.x", "tile.y", "tile.z",   "grid.x",
    "grid.y",  "grid.z",  "domain.x", "domain.y", "domain.z", "threads", "warps",  "cells",  "registers"};

/* Every name has a value of its own: 101, 102, ..; registers are not known. */
static void test_values(int64_t values[WL_WHERE_NAMES])
{
    for (int i = 0; i < WL_WHERE_NAMES; i++)
        values[i] = 101 + i;
    values[WL_WHERE_REGISTERS] = 0;
}

static wl_status evaluate(const char *text, bool *holds, wl_error *err)
{
    int64_t values[WL_WHERE_NAMES];
    wl_arena arena = {0};
    const wl_where *where = NULL;
    test_values(values);
    wl_status status = wl_where_parse(text, NULL, 0, &arena, &where, err);
    if (status == WL_OK) {
        check_text(text, "text", wl_where_text(where), text);
        check_true(text, "the text is a copy", wl_where_text(where) != text);
        status = wl_where_holds(where, values, holds, err);
    }
    wl_arena_free(&arena);
    return status;
}

static void test_every_name(void **state)
{
    (void)state;
    for (int i = 0; i < WL_WHERE_NAMES; i++) {
        char text[64];
        bool holds = false;
        wl_error err = {0};
        const int64_t value = i == WL_WHERE_REGISTERS ? 0 : 101 + i;
        snprintf(text, sizeof text, "%s == %lld", names[i], (long long)value);
        check_ok(text, evaluate(text, &holds, &err), &err);
        check_true(text, "condition", holds);
    }
    check_done();
}

/* Both sides are computed; they must be the same number. */
static const struct {
    const char *text;
    int64_t value;
} numbers[] = {
    {"0", 0},
    {"1152921504606846975", WL_ADDRESS_LIMIT - 1},
    {"-1152921504606846975", 1 - WL_ADDRESS_LIMIT},
    /* precedence and associativity */
    {"2 + 3 * 4", 14},
    {"2 * 3 + 4", 10},
    {"(2 + 3) * 4", 20},
    {"20 - 5 - 3", 12},
    {"20 - (5 - 3)", 18},
    {"100 / 5 / 2", 10},
    {"100 / 5 * 2", 40},
    {"2 * 100 / 5", 40},
    {"17 % 10 % 4", 3},
    {"2 + 17 % 10 * 2", 16},
    {"-3 + 5", 2},
    {"2 - -3", 5},
    {"--3", 3},
    {"-(2 + 3)", -5},
    {"-2 * 3", -6},
    {"5--3", 8},
    {"1 + (2 < 3)", 2},
    {"(1 < 2) + (3 < 4)", 2},
    {"!0 + 1", 2},
    {"!5", 0},
    {"!!5", 1},
    {"!-1", 0},
    /* division rounds down, the remainder has the divisor's sign */
    {"7 / 2", 3},
    {"-7 / 2", -4},
    {"7 / -2", -4},
    {"-7 / -2", 3},
    {"7 % 3", 1},
    {"-7 % 3", 2},
    {"7 % -3", -2},
    {"-7 % -3", -1},
    {"6 % -3", 0},
    /* min and max */
    {"min(3, 5)", 3},
    {"max(3, 5)", 5},
    {"min(-3, 2) * 2", -6},
    {"max(min(1, 2), min(4, 3))", 3},
    {"min(1 + 1, 2 * 3)", 2},
    {"max ( 1 , 2 )", 2},
    {"min(1 < 2, 2)", 1},
    {"max(1 || 0, 0 && 1)", 1},
    /* names inside */
    {"block.x + 1", 102},
    {"threads*cells", 116 * 118},
    {"tile.x/10", 10},
    {"registers", 0},
    {" \t7\n", 7},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        char text[128];
        bool holds = false;
        wl_error err = {0};
        snprintf(text, sizeof text, "(%s) == %lld", numbers[i].text, (long long)numbers[i].value);
        check_ok(text, evaluate(text, &holds, &err), &err);
        check_true(text, "condition", holds);
        snprintf(text, sizeof text, "(%s) != %lld", numbers[i].text, (long long)numbers[i].value);
        check_ok(text, evaluate(text, &holds, &err), &err);
        check_true(text, "the opposite", !holds);
    }
    check_done();
}

static const struct {
    const char *text;
    bool holds;
} conditions[] = {
    {"1", true},
    {"0", false},
    {"-1", true},
    {"2 < 3", true},
    {"3 < 3", false},
    {"3 <= 3", true},
    {"4 <= 3", false},
    {"3 > 2", true},
    {"3 > 3", false},
    {"3 >= 3", true},
    {"2 >= 3", false},
    {"3 == 3", true},
    {"3 != 3", false},
    {"3<=3&&4>=4", true},
    {"1 + 1 == 2", true},
    {"2 == 1 + 1", true},
    {"2 < 1 + 2", true},
    {"!1 == 0", true},
    {"!(1 == 0)", true},
    {"5 && 7", true},
    {"5 && 0", false},
    {"0 || 7", true},
    {"0 || 0", false},
    {"1 || 0 && 0", true},
    {"(1 || 0) && 0", false},
    {"0 && 0 || 1", true},
    {"0 && (0 || 1)", false},
    {"1 && 1 && 0", false},
    {"0 || 0 || 3", true},
    {"1 == 1 && 2 == 2 || 1 == 2", true},
    {"1 < 2 && 2 < 3 && 3 < 4", true},
    {"(5 && 7) == 1", true},
    {"(5 || 7) == 1", true},
    {"(0 || 7) == 1", true},
    {"(0 && 7) == 0", true},
    {"(1 < 2) < 2", true},
    /* where the left side decides, the right one is not looked at */
    {"registers == 0 || 65536 / registers >= 100", true},
    {"registers > 0 && 65536 / registers >= 100", false},
    {"1 || 1 / 0", true},
    {"0 && 1 % 0", false},
    {"0 && 1 / 0 || 1", true},
    {"(1 || 1 / 0) && 0", false},
    {"0 && 1152921504606846975 * 2 || block.x == 101", true},
    {"1 || (0 && 1 / 0) || 1 / 0", true},
};

static void test_conditions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(conditions); i++) {
        bool holds = !conditions[i].holds;
        wl_error err = {0};
        check_ok(conditions[i].text, evaluate(conditions[i].text, &holds, &err), &err);
        check_int(conditions[i].text, "holds", holds, conditions[i].holds);
    }
    check_done();
}

static const struct {
    const char *text;
    expected_error want;
} wrong[] = {
    {"", {WL_E_INPUT, "the condition ends here", 1, 1}},
    {"   ", {WL_E_INPUT, "the condition ends here", 1, 1}},
    {"1 +", {WL_E_INPUT, "the condition ends here", 1, 4}},
    {"1 + )", {WL_E_INPUT, "expected a whole number, a name or '(', not ')'", 1, 5}},
    {"(1", {WL_E_INPUT, "expected ')'", 1, 3}},
    {"(1 2)", {WL_E_INPUT, "expected ')'", 1, 4}},
    {"1)", {WL_E_INPUT, "an operator or the end", 1, 2}},
    {"1 2", {WL_E_INPUT, "an operator or the end", 1, 3}},
    {"block.x = 32", {WL_E_INPUT, "use == to compare", 1, 9}},
    {"1 & 1", {WL_E_INPUT, "'&' is not an operator here", 1, 3}},
    {"1 | 1", {WL_E_INPUT, "'|' is not an operator here", 1, 3}},
    {"1 && && 1", {WL_E_INPUT, "a whole number, a name or '('", 1, 6}},
    {"*1", {WL_E_INPUT, "a whole number, a name or '('", 1, 1}},
    {"1 < 2 < 3", {WL_E_INPUT, "comparisons do not chain", 1, 7}},
    {"1 == 2 != 3", {WL_E_INPUT, "comparisons do not chain", 1, 8}},
    {"1 + 1 < 2 * 2 >= 3", {WL_E_INPUT, "comparisons do not chain", 1, 15}},
    {"1 && 1 < 2 < 3", {WL_E_INPUT, "comparisons do not chain", 1, 12}},
    {"1 || 1 && 2 < 3 == 4", {WL_E_INPUT, "comparisons do not chain", 1, 17}},
    {"min(1)", {WL_E_INPUT, "expected ','", 1, 6}},
    {"min(1, 2, 3)", {WL_E_INPUT, "expected ')'", 1, 9}},
    {"min 1, 2", {WL_E_INPUT, "expected '('", 1, 5}},
    {"max(", {WL_E_INPUT, "the condition ends here", 1, 5}},
    {"block.w > 1", {WL_E_INPUT, "block.w", 1, 1}},
    {"1 < blok.x", {WL_E_INPUT, "block.x", 1, 5}},
    {"block == 1", {WL_E_INPUT, "'block'", 1, 1}},
    {"minimum(1, 2)", {WL_E_INPUT, "minimum", 1, 1}},
    {"block.x.y", {WL_E_INPUT, "block.x.y", 1, 1}},
    {"Threads", {WL_E_INPUT, "Threads", 1, 1}},
    {"1.5", {WL_E_INPUT, "expected a whole number, a name or '(', not '1.5'", 1, 1}},
    {"1152921504606846976", {WL_E_RANGE, "the number is too large", 1, 1}},
    {"1 + 99999999999999999999", {WL_E_RANGE, "the number is too large", 1, 5}},
    /* found when it is evaluated */
    {"1 / 0", {WL_E_INPUT, "division by zero", 1, 3}},
    {"1 + 4 % (2 - 2)", {WL_E_INPUT, "division by zero", 1, 7}},
    {"threads / registers > 2", {WL_E_INPUT, "division by zero", 1, 9}},
    {"1152921504606846975 + 1", {WL_E_RANGE, "leaves the range +-2^60", 1, 21}},
    {"-1152921504606846975 - 1", {WL_E_RANGE, "leaves the range +-2^60", 1, 22}},
    {"1073741824 * 1073741824", {WL_E_RANGE, "leaves the range +-2^60", 1, 12}},
    {"1 && 1152921504606846975 * 2", {WL_E_RANGE, "leaves the range +-2^60", 1, 26}},
    {"0 || 1 / 0", {WL_E_INPUT, "division by zero", 1, 8}},
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        bool holds = false;
        wl_error err = {0};
        check_error(wrong[i].text, evaluate(wrong[i].text, &holds, &err), &err, &wrong[i].want);
    }
    check_done();
}

/* `count` times the same piece, between a head and a tail. */
static void repeat(char *text, const char *piece, int count, const char *middle, const char *tail)
{
    text[0] = '\0';
    char *end = text;
    for (int i = 0; i < count; i++)
        end += sprintf(end, "%s", piece);
    end += sprintf(end, "%s", middle);
    for (int i = 0; i < count && *tail; i++)
        end += sprintf(end, "%s", tail);
}

/* Nesting and length have bounds, on both sides of which the answer is what it should be. */
static void test_bounds(void **state)
{
    static const struct {
        const char *name, *piece;
        int count;
        const char *middle, *tail, *complaint; /* NULL: holds */
    } cases[] = {
        {"63 parentheses", "(", 63, "1", ")", NULL},
        {"64 parentheses", "(", 64, "1", ")", "nested too deeply"},
        {"100000 parentheses", "(", 100000, "1", ")", "nested too deeply"},
        {"62 signs", "!", 62, "1", "", NULL},
        {"64 signs", "-", 64, "1", "", "nested too deeply"},
        {"100000 signs", "!", 100000, "1", "", "nested too deeply"},
        {"63 calls", "min(1,", 63, "1", ")", NULL},
        {"64 calls", "min(1,", 64, "1", ")", "nested too deeply"},
        {"513 numbers", "1+", 512, "1", "", NULL},
        {"514 numbers", "1+", 513, "1", "", "too long"},
        {"100000 numbers", "1+", 100000, "1", "", "too long"},
        {"513 conditions", "1&&", 512, "1", "", NULL},
        {"514 conditions", "1&&", 513, "1", "", "too long"},
    };
    static char text[700000];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool holds = false;
        wl_error err = {0};
        repeat(text, cases[i].piece, cases[i].count, cases[i].middle, cases[i].tail);
        const wl_status status = evaluate(text, &holds, &err);
        check_int(cases[i].name, "status", status, cases[i].complaint ? WL_E_INPUT : WL_OK);
        check_int(cases[i].name, "holds", holds, !cases[i].complaint);
        if (cases[i].complaint)
            check_true(cases[i].name, cases[i].complaint, strstr(err.message, cases[i].complaint) != NULL);
    }
    check_done();
}

/* Random conditions against a reader of their own, which computes while it reads. */
typedef struct reader {
    const char *at;
    bool failed;
} reader;

static int64_t read_sum(reader *r);

static int64_t read_operand(reader *r)
{
    if (*r->at == '(') {
        r->at++;
        const int64_t v = read_sum(r);
        r->at++;
        return v;
    }
    if (*r->at == '-') {
        r->at++;
        return -read_operand(r);
    }
    return *r->at++ - '0';
}

static int64_t read_product(reader *r)
{
    int64_t v = read_operand(r);
    while (*r->at == '*' || *r->at == '/' || *r->at == '%') {
        const char c = *r->at++;
        const int64_t w = read_operand(r);
        if (c != '*' && w == 0)
            r->failed = true;
        if (r->failed)
            continue;
        const int64_t down = c == '*' ? 0 : (int64_t)floor((double)v / (double)w);
        v = c == '*' ? v * w : c == '/' ? down : v - down * w;
    }
    return v;
}

static int64_t read_sum(reader *r)
{
    int64_t v = read_product(r);
    while (*r->at == '+' || *r->at == '-') {
        const char c = *r->at++;
        const int64_t w = read_product(r);
        v = c == '+' ? v + w : v - w;
    }
    return v;
}

static void write_random(uint64_t *seed, int depth, char **end)
{
    const int64_t kind = depth > 3 ? 0 : check_random_in(seed, 0, 7);
    if (kind <= 2) {
        *(*end)++ = (char)('0' + check_random_in(seed, 0, 9));
    } else if (kind == 3) {
        *(*end)++ = '-';
        write_random(seed, 4, end);
    } else if (kind == 4) {
        *(*end)++ = '(';
        write_random(seed, depth + 1, end);
        *(*end)++ = ')';
    } else {
        write_random(seed, depth + 1, end);
        *(*end)++ = "+-*/%"[check_random_in(seed, 0, 4)];
        write_random(seed, depth + 1, end);
    }
}

static void test_random(void **state)
{
    uint64_t seed = 20261115;
    int evaluated = 0;
    (void)state;
    for (int i = 0; i < 5000; i++) {
        char text[512], whole[600], *end = text;
        write_random(&seed, 0, &end);
        *end = '\0';
        reader r = {.at = text};
        const int64_t want = read_sum(&r);
        bool holds = false;
        wl_error err = {0};
        snprintf(whole, sizeof whole, "%s == %lld", text, (long long)want);
        const wl_status status = evaluate(whole, &holds, &err);
        check_int(whole, "status", status, r.failed ? WL_E_INPUT : WL_OK);
        check_int(whole, "holds", holds, !r.failed);
        evaluated += !r.failed;
    }
    check_true("random conditions", "most can be evaluated", evaluated > 2500);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name), cmocka_unit_test(test_numbers), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_wrong),      cmocka_unit_test(test_bounds),  cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
