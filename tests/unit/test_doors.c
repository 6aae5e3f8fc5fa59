/* test_doors.c - one expression language: the same text has the same value as an address or size,
 * as a condition, as an argument, as a constant of PTX and in an update, and what is wrong with it
 * is found at the same place.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "input/expr_parse.h"
#include "input/update.h"
#include "kernel/where.h"
#include "ptx/read/constant.h"
#include "warpline/launch.h"

typedef wl_status (*door)(const char *text, int64_t *value, wl_error *err);

static wl_status as_size(const char *text, int64_t *value, wl_error *err)
{
    static const wl_scope nothing = {0};
    wl_arena arena = {0};
    const wl_status status = wl_expr_constant(text, &nothing, &arena, value, err);
    wl_arena_free(&arena);
    return status;
}

static wl_status as_condition(const char *text, int64_t *value, wl_error *err)
{
    static const int64_t names[WL_WHERE_NAMES] = {0};
    wl_arena arena = {0};
    const wl_where *where = NULL;
    wl_status status = wl_where_parse(text, NULL, 0, &arena, &where, err);
    if (status == WL_OK)
        status = wl_where_value(where, names, value, err);
    wl_arena_free(&arena);
    return status;
}

static wl_status as_argument(const char *text, int64_t *value, wl_error *err)
{
    static const int64_t nowhere[3] = {0};
    return wl_number_evaluate(text, NULL, 0, nowhere, value, err);
}

static wl_status as_ptx(const char *text, int64_t *value, wl_error *err)
{
    wl_lexer lexer;
    wl_ptx_constant constant = {0};
    wl_status status = wl_ptx_lexer_start(&lexer, text, strlen(text), err);
    if (status == WL_OK)
        status = wl_ptx_read_constant(&lexer, &constant);
    if (status == WL_OK && lexer.token.kind != WL_TOKEN_END)
        status = wl_lexer_unexpected(&lexer, "an operator or the end");
    *value = (int64_t)constant.integer;
    return status;
}

static const struct {
    const char *name;
    door read;
} doors[] = {{"size", as_size}, {"condition", as_condition}, {"argument", as_argument}, {"PTX", as_ptx}};

/* Flops of a product with text - value + 1: none where that is one. */
static void check_update(const char *text, int64_t value)
{
    static const wl_scope nothing = {0};
    static const wl_field fields[] = {{.name = "A", .dims = 1}, {.name = "B", .dims = 1}};
    char whole[640];
    wl_arena arena = {0};
    wl_update update = {0};
    wl_error err = {0};
    snprintf(whole, sizeof whole, "A[0] = B[0] * (%s - (%lld) + 1)", text, (long long)value);
    check_ok(whole, wl_update_read(whole, &nothing, NULL, 0, fields, 2, &arena, &update, &err), &err);
    check_int(whole, "flops", update.flops, 0);
    snprintf(whole, sizeof whole, "A[0] = B[%s]", text);
    check_ok(whole, wl_update_read(whole, &nothing, NULL, 0, fields, 2, &arena, &update, &err), &err);
    check_int(whole, "offset", update.access_count > 1 ? update.accesses[0].offset[0] : 0, value);
    wl_arena_free(&arena);
}

/* ---- random expressions, with their values ---- */

typedef struct writer {
    uint64_t seed;
    char *end;
    bool impossible; /* divides by zero */
    bool rounds;     /* divides negative numbers: PTX rounds the other way */
    bool sums_only;  /* + - * and parentheses, as updates have */
} writer;

static int64_t apply(writer *w, const char *op, int64_t a, int64_t b)
{
    switch (op[0]) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '<': return op[1] ? a <= b : a < b;
    case '>': return op[1] ? a >= b : a > b;
    case '=': return a == b;
    case '!': return a != b;
    case '&': return a && b;
    case '|': return a || b;
    default: break;
    }
    w->impossible = w->impossible || b == 0;
    w->rounds = w->rounds || a < 0 || b < 0;
    if (w->impossible)
        return 0;
    const int64_t quotient = (int64_t)floor((double)a / (double)b);
    return op[0] == '/' ? quotient : a - b * quotient;
}

/* Every operation in parentheses: what they bind is another test's question. */
static int64_t write_random(writer *w, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    const int64_t kind = depth > 4 ? 0 : check_random_in(&w->seed, 0, 9);
    if (kind <= 1) {
        const int64_t number = check_random_in(&w->seed, 1, 40);
        w->end += sprintf(w->end, "%lld", (long long)number);
        return number;
    }
    if (kind == 2) {
        const bool minus = w->sums_only || check_random_in(&w->seed, 0, 1);
        w->end += sprintf(w->end, minus ? "-" : "!");
        const int64_t value = write_random(w, 5);
        return minus ? -value : !value;
    }
    const char *op = operators[check_random_in(&w->seed, 0, w->sums_only ? 2 : (int64_t)COUNT_OF(operators) - 1)];
    *w->end++ = '(';
    const int64_t a = write_random(w, depth + 1);
    w->end += sprintf(w->end, " %s ", op);
    const int64_t b = write_random(w, depth + 1);
    *w->end++ = ')';
    *w->end = '\0';
    return apply(w, op, a, b);
}

static void test_same_value(void **state)
{
    (void)state;
    int same = 0;
    for (int i = 0; i < 4000; i++) {
        char text[512];
        writer w = {.seed = 20261115 + (uint64_t)i * 7919, .end = text, .sums_only = i % 4 == 0};
        const int64_t want = write_random(&w, 0);
        if (w.impossible)
            continue;
        for (size_t d = 0; d < COUNT_OF(doors); d++) {
            int64_t value = 0;
            wl_error err = {0};
            if (doors[d].read == as_ptx && w.rounds)
                continue;
            check_ok(text, doors[d].read(text, &value, &err), &err);
            check_int(text, doors[d].name, value, want);
            same++;
        }
        if (w.sums_only)
            check_update(text, want);
    }
    check_true("random expressions", "most have a value", same > 8000);
    check_done();
}

/* C's precedence, without parentheses, wherever there are such operators. */
static void test_same_precedence(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
        bool bits; /* which conditions do not have */
    } cases[] = {
        {"2 + 3 * 4", 14, false}, {"20 - 5 - 3", 12, false},     {"100 / 5 / 2", 10, false}, {"17 % 10 % 4", 3, false},
        {"1 + 1 < 3", 1, false},  {"1 < 2 && 0 || 1", 1, false}, {"0 && 0 || 1", 1, false},  {"1 || 0 && 0", 1, false},
        {"!0 + 1", 2, false},     {"2 - -3", 5, false},          {"- 2 * 3", -6, false},     {"1 | 2 ^ 3 & 2", 1, true},
        {"1 << 2 + 1", 8, true},  {"1 << 2 < 5", 1, true},       {"5 & 3 == 3", 1, true},    {"~1 & 6", 6, true},
        {"1 < 2 == 1", 1, true},  {"3 > 2 > 1", 0, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t d = 0; d < COUNT_OF(doors); d++) {
            int64_t value = -99;
            wl_error err = {0};
            const bool refused = cases[i].bits && (doors[d].read == as_condition || doors[d].read == as_argument);
            const wl_status status = doors[d].read(cases[i].text, &value, &err);
            check_int(cases[i].text, doors[d].name, status, refused ? WL_E_INPUT : WL_OK);
            if (!refused)
                check_int(cases[i].text, doors[d].name, value, cases[i].value);
        }
    check_done();
}

static void test_same_place(void **state)
{
    static const struct {
        const char *text, *message;
        int32_t column;
    } wrong[] = {
        {"", "expected", 1},
        {"1 +", "expected", 4},
        {"1 + )", "expected", 5},
        {"(1", "expected ')'", 3},
        {"(1 2)", "expected ')', not '2'", 4},
        {"1 2", "expected an operator", 3},
        {"1 && && 1", "not '&&'", 6},
        {"*1", "not '*'", 1},
        {"4 / (2 - 2)", "division by zero", 3},
        {"1 + 4 % 0", "division by zero", 7},
        {"1 $", "$", 3},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        for (size_t d = 0; d < COUNT_OF(doors); d++) {
            int64_t value = 0;
            wl_error err = {0};
            check_int(wrong[i].text, doors[d].name, doors[d].read(wrong[i].text, &value, &err), WL_E_INPUT);
            check_int(wrong[i].text, doors[d].name, err.loc.col, wrong[i].column);
            if (!strstr(err.message, wrong[i].message))
                check_text(wrong[i].text, doors[d].name, err.message, wrong[i].message);
        }
    check_done();
}

/* What differs, and has to: the numbers of kernel files and launches end at 2^60 and divide
 * rounding down; those of PTX have 64 bits, wrap around and divide towards 0, and literals may be
 * unsigned. */
static void test_arithmetic(void **state)
{
    static const struct {
        const char *text;
        wl_status status;
        int64_t checked, ptx;
    } cases[] = {
        {"-7 / 2", WL_OK, -4, -3},
        {"-7 % 2", WL_OK, 1, -1},
        {"7 % -3", WL_OK, -2, 1},
        {"1152921504606846975 + 1", WL_E_RANGE, 0, (int64_t)1 << 60},
        {"1073741824 * 1073741824", WL_E_RANGE, 0, (int64_t)1 << 60},
        {"1152921504606846975 * 16 + 15", WL_E_RANGE, 0, -1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t d = 0; d < COUNT_OF(doors); d++) {
            int64_t value = 0;
            wl_error err = {0};
            const bool ptx = doors[d].read == as_ptx;
            const wl_status status = doors[d].read(cases[i].text, &value, &err);
            check_int(cases[i].text, doors[d].name, status, ptx ? WL_OK : cases[i].status);
            if (status == WL_OK)
                check_int(cases[i].text, doors[d].name, value, ptx ? cases[i].ptx : cases[i].checked);
        }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_value),
        cmocka_unit_test(test_same_precedence),
        cmocka_unit_test(test_same_place),
        cmocka_unit_test(test_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
