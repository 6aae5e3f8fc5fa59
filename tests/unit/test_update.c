/* test_update.c - input/update.h: what an assignment loads, stores and computes.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "input/update.h"

/* The names every case may use: fields of one and two dimensions, scalars, a param. */
static wl_status read_update(const char *text, wl_arena *arena, wl_update *out, wl_error *err)
{
    static const wl_param params[] = {{.name = "nx", .value = 640}, {.name = "zero", .value = 0}};
    static const char *const scalars[] = {"alpha", "omega"};
    const wl_scope scope = {.params = params, .param_count = 2};
    const wl_field fields[] = {
        {.name = "A", .type = WL_TYPE_F64, .vector = 1, .dims = 1},
        {.name = "B", .type = WL_TYPE_F64, .vector = 1, .dims = 1},
        {.name = "grid", .type = WL_TYPE_F64, .vector = 1, .dims = 2},
    };
    return wl_update_read(text, &scope, scalars, 2, fields, 3, arena, out, err);
}

static void count(const wl_update *update, int64_t *loads, int64_t *stores)
{
    *loads = *stores = 0;
    for (size_t i = 0; i < update->access_count; i++)
        *(update->accesses[i].store ? stores : loads) += 1;
}

static const struct {
    const char *name, *text;
    int64_t flops, loads, stores;
} cases[] = {
    {"copy", "A[0] = B[0]", 0, 1, 1},
    {"constant", "A[0] = 7", 0, 0, 1},
    {"scalar", "A[0] = alpha", 0, 0, 1},
    {"param", "A[0] = nx", 0, 0, 1},
    {"sum", "A[0] = B[0] + B[1]", 1, 2, 1},
    {"triad", "A[0] = alpha * B[0] + A[0]", 2, 2, 1},
    {"difference", "A[0] = B[0] - B[1]", 1, 2, 1},
    {"quotient", "A[0] = B[0] / B[1]", 1, 2, 1},
    {"five-point star", "grid[0,0] = 0.2*(grid[0,0] + grid[1,0] + grid[-1,0] + grid[0,1] + grid[0,-1])", 5, 5, 1},
    /* one value, computed once */
    {"the same sum twice", "A[0] = (B[0]+B[1]) * (B[0]+B[1])", 2, 2, 1},
    {"a+b and b+a are one", "A[0] = (B[0]+B[1]) * (B[1]+B[0])", 2, 2, 1},
    {"a*b and b*a are one", "A[0] = B[0]*B[1] + B[1]*B[0]", 2, 2, 1},
    {"a-b and b-a are two", "A[0] = (B[0]-B[1]) * (B[1]-B[0])", 3, 2, 1},
    {"a/b and b/a are two", "A[0] = B[0]/B[1] + B[1]/B[0]", 3, 2, 1},
    {"through temporaries", "p = B[0]+B[1]; q = B[1]+B[0]; A[0] = p*q", 2, 2, 1},
    {"in two stores", "A[0] = B[0]+B[1]; A[1] = B[0]+B[1]", 1, 2, 2},
    {"the same load twice", "A[0] = B[0] + B[0]", 1, 1, 1},
    {"the same offset written differently", "A[0] = B[2-1] + B[1]", 1, 1, 1},
    {"a + (-b) and a - b are one", "A[0] = (B[0] + -B[1]) * (B[0] - B[1])", 2, 2, 1},
    {"-a + b and b - a are one", "A[0] = (-B[0] + B[1]) * (B[1] - B[0])", 2, 2, 1},
    {"the same call twice", "A[0] = sqrt(B[0]) * sqrt(B[0])", 2, 1, 1},
    {"calls of different functions", "A[0] = sin(B[0]) * cos(B[0])", 3, 1, 1},
    /* what costs nothing */
    {"times one", "A[0] = B[0] * 1", 0, 1, 1},
    {"one times", "A[0] = 1.0 * B[0]", 0, 1, 1},
    {"over one", "A[0] = B[0] / 1", 0, 1, 1},
    {"one over", "A[0] = 1 / B[0]", 1, 1, 1},
    {"plus zero", "A[0] = B[0] + 0", 0, 1, 1},
    {"zero plus", "A[0] = 0.0 + B[0]", 0, 1, 1},
    {"minus zero", "A[0] = B[0] - zero", 0, 1, 1},
    {"a sign", "A[0] = -B[0]", 0, 1, 1},
    {"two signs", "A[0] = - -B[0]", 0, 1, 1},
    {"plus sign", "A[0] = +B[0]", 0, 1, 1},
    {"a sign in a product", "A[0] = -B[0] * B[1]", 1, 2, 1},
    {"absolute value", "A[0] = abs(B[0])", 0, 1, 1},
    {"parentheses", "A[0] = ((B[0]))", 0, 1, 1},
    /* constants are computed by the compiler */
    {"constants in front", "A[0] = 2 * 3 * B[0]", 1, 1, 1},
    {"quotient of constants", "A[0] = 1/9 * B[0]", 1, 1, 1},
    {"constants through temporaries", "w = 1/3; v = w*w; A[0] = v * B[0]", 1, 1, 1},
    {"constants that become one", "A[0] = (3 - 2) * B[0]", 0, 1, 1},
    {"params are constants", "A[0] = (nx/2 - 319) * B[0]", 0, 1, 1},
    {"scalars are not", "A[0] = alpha * omega * B[0]", 2, 1, 1},
    {"scalars are loaded once", "A[0] = alpha*B[0] + alpha*B[0]", 2, 1, 1},
    {"float literal of C", "A[0] = 0.5f * B[0]", 1, 1, 1},
    {"exponent", "A[0] = 1e-3 * B[0]", 1, 1, 1},
    {"point in front", "A[0] = .5 * B[0]", 1, 1, 1},
    /* functions */
    {"min", "A[0] = min(B[0], B[1])", 1, 2, 1},
    {"fused multiply-add", "A[0] = fma(B[0], B[1], B[2])", 2, 3, 1},
    {"reciprocal square root", "A[0] = rsqrt(B[0]*B[0] + 1)", 3, 1, 1},
    {"blank before the parenthesis", "A[0] = sqrt (B[0])", 1, 1, 1},
    {"call over several lines", "A[0] = min(B[0],\n  B[1]\n)", 1, 2, 1},
    {"subscripts over several lines", "A[0] = grid[0,\n  1]", 0, 1, 1},
    {"call of a constant", "A[0] = sqrt(2) * B[0]", 1, 1, 1},
    {"call of a constant that is one", "A[0] = max(min(3, 2), 0) * 0.5 * B[0]", 0, 1, 1},
    {"fused multiply-add of constants", "A[0] = fma(2, 3, -5) * B[0]", 0, 1, 1},
    {"nested calls", "A[0] = max(abs(B[0]), pow(B[1], 2))", 2, 2, 1},
    /* what no store needs */
    {"dead temporary", "t = B[0] + B[1]; A[0] = B[2]", 0, 1, 1},
    {"dead chain", "t = B[0]*2; u = t + B[1]; A[0] = 1", 0, 0, 1},
    {"half dead", "t = B[0]*2; u = t + B[1]; A[0] = t", 1, 1, 1},
    {"temporary assigned again", "t = B[0]; t = t + B[1]; A[0] = t", 1, 2, 1},
    {"old value of a temporary is dead", "t = B[0]*B[1]; t = B[2]; A[0] = t", 0, 1, 1},
    {"store overwritten", "A[0] = B[0] + B[1]; A[0] = B[2]", 0, 1, 1},
    /* what was stored is still in a register */
    {"reading back", "A[0] = B[0]; A[1] = A[0] + 1", 1, 1, 2},
    {"reading back elsewhere", "A[0] = B[0]; A[1] = A[2]", 0, 2, 2},
    {"load, then store", "A[0] = A[0] + 1", 1, 1, 1},
    {"load, store, load", "A[0] = A[0] + 1; A[1] = A[0] + 1", 2, 1, 2},
    {"update in place, twice", "A[0] = A[0] + 1; A[0] = A[0] * 2", 2, 1, 1},
    /* layout of the text */
    {"lines", "t = B[0]\n\n  A[0] = t + 1\n", 1, 1, 1},
    {"comments", "# first\nA[0] = B[0] # = B[1]\n# last", 0, 1, 1},
    {"semicolons", ";; A[0] = B[0];; A[1] = 1 ;", 0, 1, 2},
    {"line break in parentheses", "A[0] = (B[0]\n + B[1]\n) * 2", 2, 2, 1},
    {"windows line ends", "t = B[0]\r\nA[0] = t\r\n", 0, 1, 1},
    {"temporary hides a param", "nx = B[0]; A[0] = nx * 2", 1, 1, 1},
    {"offset from a param", "A[0] = B[nx/2 - 1] + B[319]", 1, 1, 1},
};

static void test_costs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_arena arena = {0};
        wl_update update = {0};
        wl_error err = {0};
        int64_t loads, stores;
        const wl_status status = read_update(cases[i].text, &arena, &update, &err);
        check_ok(cases[i].name, status, &err);
        if (status == WL_OK) {
            count(&update, &loads, &stores);
            check_int(cases[i].name, "flops", update.flops, cases[i].flops);
            check_int(cases[i].name, "loads", loads, cases[i].loads);
            check_int(cases[i].name, "stores", stores, cases[i].stores);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

/* Accesses come in program order, with offset, text and place. */
static void test_order(void **state)
{
    static const char text[] = "t = grid[1,-2]\nA[0] = t + B[ 2 ]; A[3] = B[2]\n";
    static const struct {
        const char *text;
        bool store;
        size_t field;
        int64_t offset[2];
        int32_t line, col;
    } want[] = {
        {"grid[1,-2]", false, 2, {1, -2}, 1, 5},
        {"B[ 2 ]", false, 1, {2, 0}, 2, 12},
        {"A[0]", true, 0, {0, 0}, 2, 1},
        {"A[3]", true, 0, {3, 0}, 2, 20},
    };
    (void)state;
    wl_arena arena = {0};
    wl_update update = {0};
    wl_error err = {0};
    check_ok("order", read_update(text, &arena, &update, &err), &err);
    check_int("order", "accesses", (int64_t)update.access_count, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want) && i < update.access_count; i++) {
        const wl_relative *a = &update.accesses[i];
        check_text(want[i].text, "text", a->text, want[i].text);
        check_int(want[i].text, "store", a->store, want[i].store);
        check_int(want[i].text, "field", (int64_t)a->field, (int64_t)want[i].field);
        for (int d = 0; d < 2; d++)
            check_int(want[i].text, "offset", a->offset[d], want[i].offset[d]);
        check_int(want[i].text, "line", a->loc.line, want[i].line);
        check_int(want[i].text, "column", a->loc.col, want[i].col);
        check_int(want[i].text, "length", a->loc.len, (int64_t)strlen(want[i].text));
    }
    wl_arena_free(&arena);
    check_done();
}

/* ---- the kernels that are shipped ---- */

/* the flops of the two LBM kernels were counted by a second program (247 and 204) */
static const struct {
    const char *name;
    double flops;
    int64_t loads, stores;
} shipped[] = {
    {"blur3x3", 9, 9, 1},       {"box3d_27pt", 27, 27, 1},    {"lbm_d3q15_pf", 247, 22, 15},
    {"lbm_d3q19", 204, 19, 19}, {"matmul", 2048, 2, 1},       {"star2d_4pt", 4, 4, 1},
    {"star2d_5pt", 5, 5, 1},    {"star3d_7pt", 7, 7, 1},      {"star3d_r4", 25, 25, 1},
    {"transpose", 0, 1, 1},     {"triad", 2, 2, 1},           {"vec3", 9, 3, 3},
    {"gather", 4, 2, 1},        {"transpose_tiled", 0, 2, 2},
};

static void test_shipped(void **state)
{
    (void)state;
    check_int("kernels", "number", (int64_t)wl_kernel_builtin_count(), COUNT_OF(shipped));
    for (size_t i = 0; i < COUNT_OF(shipped); i++) {
        size_t length = 0;
        const char *text = wl_kernel_builtin_text(shipped[i].name, &length);
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        if (!text)
            fail_msg("no kernel is called %s", shipped[i].name);
        check_ok(shipped[i].name, wl_kernel_parse(shipped[i].name, text, length, NULL, &kernel, &err), &err);
        if (!kernel)
            continue;
        int64_t loads = 0, stores = 0;
        double flops = NAN;
        for (size_t a = 0; a < wl_kernel_access_count(kernel); a++)
            *(wl_kernel_access_is_store(kernel, a) ? &stores : &loads) += 1;
        check_text(shipped[i].name, "name", wl_kernel_name(kernel), shipped[i].name);
        check_true(shipped[i].name, "flops are known", wl_kernel_flops(kernel, &flops));
        check_near(shipped[i].name, "flops", flops, shipped[i].flops, 0);
        check_int(shipped[i].name, "loads", loads, shipped[i].loads);
        check_int(shipped[i].name, "stores", stores, shipped[i].stores);
        wl_kernel_free(kernel);
    }
    check_done();
}

/* ---- errors ---- */

static const struct {
    const char *name, *text;
    expected_error want;
} bad[] = {
    {"empty", "", {WL_E_INPUT, "the update assigns to no field", 1, 1}},
    {"comment alone", "# nothing\n", {WL_E_INPUT, "the update assigns to no field", 1, 1}},
    {"temporary alone", "t = B[0]", {WL_E_INPUT, "the update assigns to no field", 1, 1}},
    {"undeclared field, stored", "C[0] = B[0]", {WL_E_INPUT, "no field is declared as 'C'", 1, 1}},
    {"undeclared field, loaded", "A[0] = C[0]", {WL_E_INPUT, "no field is declared as 'C'", 1, 8}},
    {"field misspelt", "A[0] = gird[0,0]", {WL_E_INPUT, "no field is declared as 'gird'; did you mean 'grid'?", 1, 8}},
    {"unknown name", "A[0] = beta", {WL_E_INPUT, "unknown name 'beta'", 1, 8}},
    {"scalar misspelt", "A[0] = aplha * 2", {WL_E_INPUT, "unknown name 'aplha'; did you mean 'alpha'?", 1, 8}},
    {"temporary read before it is assigned", "A[0] = t1; t1 = 2", {WL_E_INPUT, "unknown name 't1'", 1, 8}},
    {"field without subscripts, loaded", "A[0] = B", {WL_E_INPUT, "field 'B' needs its subscripts", 1, 8}},
    {"field without subscripts, stored", "A = B[0]", {WL_E_INPUT, "field 'A' needs its subscripts", 1, 1}},
    {"too few subscripts", "A[0] = grid[0]", {WL_E_INPUT, "field 'grid' takes 2 subscripts, not 1", 1, 14}},
    {"too many subscripts", "A[0] = B[0,1]", {WL_E_INPUT, "field 'B' takes 1 subscripts, not more", 1, 12}},
    {"too many subscripts, stored", "A[0,1] = 1", {WL_E_INPUT, "field 'A' takes 1 subscripts, not more", 1, 5}},
    {"no subscripts", "A[] = 1", {WL_E_INPUT, "expected a whole number, a name or '(', not ']'", 1, 3}},
    {"a coordinate as an offset",
     "A[x] = 1",
     {WL_E_INPUT, "a subscript in an update is an offset from the cell", 1, 3}},
    {"a temporary as an offset", "t = 1; A[t] = 1", {WL_E_INPUT, "unknown name 't'", 1, 10}},
    {"half an offset", "A[0] = B[0.5]", {WL_E_INPUT, "expected a whole number, a name or '(', not '0.5'", 1, 10}},
    {"division by zero", "A[0] = B[0] / 0", {WL_E_INPUT, "division by zero", 1, 13}},
    {"division by a zero param", "A[0] = B[0] / zero", {WL_E_INPUT, "division by zero", 1, 13}},
    {"division of constants by zero", "A[0] = 1 / (2 - 2)", {WL_E_INPUT, "division by zero", 1, 10}},
    {"division by zero in an offset", "A[1/0] = 1", {WL_E_INPUT, "division by zero", 1, 4}},
    {"constant overflows", "A[0] = 1e300 * 1e300 * B[0]", {WL_E_RANGE, "the constant overflows", 1, 14}},
    {"literal overflows", "A[0] = 1e999", {WL_E_INPUT, "not a number", 1, 8}},
    {"offset beyond 2^60", "A[1152921504606846976] = 1", {WL_E_RANGE, "the number is too large", 1, 3}},
    {"bracket left open", "A[0 = 1", {WL_E_INPUT, "expected ']', not '='", 1, 5}},
    {"parenthesis left open", "A[0] = (B[0] + 1", {WL_E_INPUT, "expected ')', but the text ends here", 1, 17}},
    {"parenthesis too many",
     "A[0] = B[0])",
     {WL_E_INPUT, "expected an operator or the end of the assignment, not ')'", 1, 12}},
    {"two values",
     "A[0] = B[0] B[1]",
     {WL_E_INPUT, "expected an operator or the end of the assignment, not 'B'", 1, 13}},
    {"no value", "A[0] =", {WL_E_INPUT, "expected a number, a name or '(', but the text ends here", 1, 7}},
    {"value in the next line", "A[0] =\nB[0]", {WL_E_INPUT, "but the text ends here", 1, 7}},
    {"no equals sign", "A[0] + 1", {WL_E_INPUT, "expected '=', not '+'", 1, 6}},
    {"equality", "A[0] == 1", {WL_E_INPUT, "expected '=', not '=='", 1, 6}},
    {"number on the left", "3 = A[0]", {WL_E_INPUT, "expected a field or a name to assign to, not '3'", 1, 1}},
    {"operator missing its operand", "A[0] = B[0] +", {WL_E_INPUT, "but the text ends here", 1, 14}},
    {"remainder", "A[0] = B[0] % 2", {WL_E_INPUT, "'%' is not an operator here", 1, 13}},
    {"power", "A[0] = B[0] ^ 2", {WL_E_INPUT, "'^' is not an operator here", 1, 13}},
    {"a character of another alphabet", "A[0] = \xc3\xa4", {WL_E_INPUT, "unexpected character (code 195)", 1, 8}},
    {"hexadecimal", "A[0] = 0x10", {WL_E_INPUT, "not a number", 1, 8}},
    {"too many arguments", "A[0] = sqrt(B[0], 2)", {WL_E_INPUT, "sqrt takes 1 argument, not 2", 1, 8}},
    {"too few arguments", "A[0] = fma(B[0], 2)", {WL_E_INPUT, "fma takes 3 arguments, not 2", 1, 8}},
    {"unknown function", "A[0] = sqr(B[0])", {WL_E_INPUT, "unknown function 'sqr'; did you mean 'sqrt'?", 1, 8}},
    {"scalar called", "A[0] = alpha(B[0])", {WL_E_INPUT, "unknown function 'alpha'", 1, 8}},
    {"root of a negative constant", "A[0] = sqrt(-1)", {WL_E_INPUT, "sqrt of this constant is not a number", 1, 8}},
    {"no arguments", "A[0] = sqrt()", {WL_E_INPUT, "expected a number, a name or '(', not ')'", 1, 13}},
    {"call left open", "A[0] = sqrt(B[0]", {WL_E_INPUT, "expected ')', but the text ends here", 1, 17}},
    {"later line", "t = B[0]\n  A[0] = t +* 2\n", {WL_E_INPUT, "expected a number, a name or '(', not '*'", 2, 13}},
    {"behind a semicolon", "t = B[0]; A[0] = q", {WL_E_INPUT, "unknown name 'q'", 1, 18}},
    {"inside broken parentheses", "A[0] = (B[0]\n  + ?)", {WL_E_INPUT, "unexpected character '?'", 2, 5}},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_arena arena = {0};
        wl_update update = {0};
        wl_error err = {0};
        check_error(bad[i].name, read_update(bad[i].text, &arena, &update, &err), &err, &bad[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

/* Whatever is repeated without end ends in a message. */
static void test_limits(void **state)
{
    enum { TEXT = 1 << 21 };
    static const struct {
        const char *name, *head, *repeated, *tail; /* %d in the repeated part is its number */
        int repeat;
        wl_status want;
    } limits[] = {
        {"150 parentheses", "A[0]=", "(", "1", 150, WL_E_INPUT}, /* too few closed, not too deep */
        {"300 parentheses", "A[0]=", "(", "1", 300, WL_E_LIMIT},
        {"300 signs", "A[0]=", "-", "1", 300, WL_E_LIMIT},
        {"300 calls", "A[0]=", "sin(", "1", 300, WL_E_LIMIT},
        {"4095 loads and a store", "A[0]=0", "+B[%d]", "", 4095, WL_OK},
        {"4096 loads and a store", "A[0]=0", "+B[%d]", "", 4096, WL_E_LIMIT},
        {"4096 temporaries", "", "t%d=1;", "A[0]=t7", 4096, WL_OK},
        {"4097 temporaries", "", "t%d=1;", "A[0]=t7", 4097, WL_E_LIMIT},
        {"70000 operations", "t=B[0];", "t=t*B[0];", "A[0]=t", 70000, WL_E_LIMIT},
        {"70000 equal operations", "t=B[0];", "u=t*B[0];", "A[0]=u", 70000, WL_OK},
    };
    (void)state;
    char *text = malloc(TEXT);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        size_t used = (size_t)snprintf(text, TEXT, "%s", limits[i].head);
        const char *mark = strstr(limits[i].repeated, "%d");
        for (int k = 0; k < limits[i].repeat; k++) {
            const int before = mark ? (int)(mark - limits[i].repeated) : (int)strlen(limits[i].repeated);
            used += (size_t)snprintf(text + used, TEXT - used, "%.*s", before, limits[i].repeated);
            if (mark)
                used += (size_t)snprintf(text + used, TEXT - used, "%d%s", k, mark + 2);
        }
        used += (size_t)snprintf(text + used, TEXT - used, "%s", limits[i].tail);
        assert_true(used < TEXT);
        wl_arena arena = {0};
        wl_update update = {0};
        wl_error err = {0};
        check_int(limits[i].name, "status", read_update(text, &arena, &update, &err), limits[i].want);
        check_int(limits[i].name, "code of the error", err.code, limits[i].want);
        wl_arena_free(&arena);
    }
    free(text);
    check_done();
}

/* ---- fields of a text that declares none ---- */

static void test_fields(void **state)
{
    static const struct {
        const char *name, *text;
        size_t count;
        struct {
            const char *name;
            int dims;
            int64_t reach[3];
        } fields[3];
        expected_error want;
    } texts[] = {
        {"one field", "a[0] = a[1]", 1, {{"a", 1, {1}}}, {WL_OK, "", 0, 0}},
        {"reach is the farthest",
         "d[0,0] = s[1,0] + s[-3,2] + s[2,-1]",
         2,
         {{"d", 2, {0, 0}}, {"s", 2, {3, 2}}},
         {WL_OK, "", 0, 0}},
        {"several assignments",
         "t = a[1]; b[0] = t\nc[0] = 2*t",
         3,
         {{"a", 1, {1}}, {"b", 1, {0}}, {"c", 1, {0}}},
         {WL_OK, "", 0, 0}},
        {"functions are no fields", "a[0] = min(b[0], sqrt(2))", 2, {{"a", 1, {0}}, {"b", 1, {0}}}, {WL_OK, "", 0, 0}},
        {"computed offsets", "a[2*3 - 1] = 1", 1, {{"a", 1, {5}}}, {WL_OK, "", 0, 0}},
        {"semicolon in front", "; a[0] = 1", 1, {{"a", 1, {0}}}, {WL_OK, "", 0, 0}},
        {"subscripts over several lines",
         "a[0,\n2] = 1\nb[0,0] = 2",
         2,
         {{"a", 2, {0, 2}}, {"b", 2, {0, 0}}},
         {WL_OK, "", 0, 0}},
        {"no fields", "t = 1", 0, {{0}}, {WL_OK, "", 0, 0}},
        {"subscripts differ", "a[0] = a[0,1]", 0, {{0}}, {WL_E_INPUT, "field 'a' has 1 subscripts elsewhere", 1, 8}},
        {"a name as an offset", "a[n] = 1", 0, {{0}}, {WL_E_INPUT, "unknown name 'n'", 1, 3}},
        {"a coordinate as an offset",
         "a[0] = b[x+1]",
         0,
         {{0}},
         {WL_E_INPUT, "a subscript in an update is an offset from the cell", 1, 10}},
        {"seven subscripts", "a[0,0,0,0,0,0,0] = 1", 0, {{0}}, {WL_E_INPUT, "more than 6 subscripts", 1, 15}},
        {"four fields", "a[0] = b[0] + c[0] + d[0]", 0, {{0}}, {WL_E_LIMIT, "more than 3 fields", 1, 22}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        wl_arena arena = {0};
        wl_update_field fields[3];
        size_t n = 0;
        wl_error err = {0};
        const wl_status status = wl_update_fields(texts[i].text, &arena, fields, 3, &n, &err);
        check_error(texts[i].name, status, &err, &texts[i].want);
        if (status == WL_OK) {
            check_int(texts[i].name, "fields", (int64_t)n, (int64_t)texts[i].count);
            for (size_t f = 0; f < n && f < texts[i].count; f++) {
                check_text(texts[i].name, "field", fields[f].name, texts[i].fields[f].name);
                check_int(texts[i].name, "dimensions", fields[f].dims, texts[i].fields[f].dims);
                for (int d = 0; d < fields[f].dims && d < 3; d++)
                    check_int(texts[i].name, "reach", fields[f].reach[d], texts[i].fields[f].reach[d]);
            }
        }
        wl_arena_free(&arena);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),  cmocka_unit_test(test_order),  cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_limits), cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
