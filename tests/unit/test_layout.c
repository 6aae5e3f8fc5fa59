/* test_layout.c - input/layout.c: the same kernel with other rows and origins.
 * SPDX-License-Identifier: MIT */
/* clang-format off */ /* the tables read better in rows */
#include "unit/checks.h"

#include <stdio.h>

#include "base/ckd.h"
#include "kernel/kernel_internal.h"
#include "warpline/warpline.h"

static wl_kernel *parsed(const char *name, const char *text)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok(name, wl_kernel_parse(name, text, strlen(text), NULL, &kernel, &err), &err);
    return kernel;
}

static wl_kernel *varied(const char *name, const wl_kernel *kernel, wl_layout layout)
{
    wl_kernel *variant = NULL;
    wl_error err = {0};
    check_ok(name, wl_kernel_with_layout(kernel, &layout, &variant, &err), &err);
    return variant;
}

static const struct {
    const char *name, *field, *access;
    wl_layout layout; /* multiple of rows, padding, multiple of the origin */
    bool rows;
    int dims;
    int64_t strides[4], origin;
} cases[] = {
    {"nothing changes", "{type: f64, extent: [640, 512, 512], halo: 4}", "f[x,y,z]", {0, 0, 0}, true, 3, {1, 672, 349440}, 1400464},
    {"a sector more", "{type: f64, extent: [640, 512, 512], halo: 4}", "f[x,y,z]", {0, 32, 0}, true, 3, {1, 676, 676 * 520}, 16 + 4 * 676 + 4 * 676 * 520},
    {"no padding", "{type: f64, extent: [640, 512, 512], halo: 4}", "f[x,y,z]", {1, 0, 0}, true, 3, {1, 660, 660 * 520}, 16 + 4 * 660 + 4 * 660 * 520},
    {"rows of whole sectors", "{type: f64, extent: [642, 512, 512], halo: 4}", "f[x,y,z]", {32, 0, 0}, true, 3, {1, 664, 664 * 520}, 16 + 4 * 664 + 4 * 664 * 520},
    {"the padding comes after the rounding", "{type: f32, extent: [100, 64], halo: 1}", "f[x,y]", {128, 4, 0}, true, 2, {1, 161}, 32 + 161},
    {"stated rows only grow", "{type: f64, strides: [1, 642, 330630], origin: 331273}", "f[x,y,z]", {128, 0, 0}, true, 3, {1, 656, 656 * 515}, 656 * 516 + 1},
    {"stated rows, also where they would fit", "{type: f64, strides: [1, 640]}", "f[x,y]", {1, 0, 0}, true, 2, {1, 640}, 0},
    {"padding behind a population stays", "{type: f64, strides: [1, 288, 74304, 19170688], origin: 74608}", "f[x,y,z,3]", {0, 128, 0}, true, 4, {1, 304, 304 * 258, 304 * 66564 + 256}, 16 + 304 + 304 * 258},
    {"an origin before the base", "{type: f32, strides: [1, 100], origin: -3}", "f[x,y]", {0, 4, 0}, true, 2, {1, 101}, 97 - 101},
    {"a stride down the rows", "{type: f32, strides: [1, 100, -1000], origin: 50000}", "f[x,y,z]", {0, 8, 0}, true, 3, {1, 102, -1020}, 51000},
    {"structures: components stay inside a row", "{type: f32, strides: [3, 300, 1]}", "f[x,y,2]", {128, 0, 0}, true, 3, {3, 320, 1}, 0},
    {"vectors count as elements", "{type: f32, vector: 4, strides: [1, 61], origin: 61}", "f[x,y]", {128, 0, 0}, true, 2, {1, 64}, 64},
    {"the origin moves up", "{type: f64, strides: [1, 642], origin: 643}", "f[x,y]", {0, 0, 128}, true, 2, {1, 642}, 656},
    {"an aligned origin stays", "{type: f64, strides: [1, 640], origin: 656}", "f[x,y]", {0, 0, 128}, true, 2, {1, 640}, 656},
    {"a base 8 bytes off", "{type: f32, strides: [1, 640], alignment: 8}", "f[x,y]", {0, 0, 32}, true, 2, {1, 640}, 6},
    {"rows first, then the origin", "{type: f64, strides: [1, 642], origin: 643}", "f[x,y]", {128, 0, 128}, true, 2, {1, 656}, 672},
    /* fields without rows */
    {"one dimension", "{type: f32, extent: [64], halo: 3, origin: 3}", "f[x]", {128, 64, 32}, false, 1, {1}, 8},
    {"bare", "{type: f32, origin: 5}", "f[3*x]", {128, 64, 64}, false, 0, {0}, 16},
    {"by element index", "{type: f32, strides: [1, 100]}", "f[y*100 + x]", {128, 64, 0}, false, 2, {1, 100}, 0},
    {"by element index, with a function", "{type: f32, strides: [1, 100]}", "f[min(x, y)]", {128, 64, 0}, false, 2, {1, 100}, 0},
    {"a function in a subscript", "{type: f32, strides: [1, 100]}", "f[min(x, 7), max(y, 1)]", {0, 16, 0}, true, 2, {1, 104}, 0},
    {"columns first", "{type: f32, strides: [100, 1]}", "f[x,y]", {128, 64, 0}, false, 2, {100, 1}, 0},
    {"shared memory", "{type: f32, strides: [1, 33], origin: 1, memory: shared}", "f[x,y]", {128, 64, 128}, false, 2, {1, 33}, 1},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *name = cases[i].name;
        char text[512];
        (void)snprintf(text, sizeof text, "name: k\ndomain: [64, 64, 64]\nfields:\n  f: %s\nloads: ['%s']\n", cases[i].field, cases[i].access);
        wl_kernel *kernel = parsed(name, text);
        wl_kernel *variant = kernel ? varied(name, kernel, cases[i].layout) : NULL;
        if (variant) {
            int64_t strides[WL_FIELD_DIMS_MAX], origin = 0;
            check_int(name, "dimensions", wl_kernel_field_layout(variant, 0, strides, &origin), cases[i].dims);
            for (int d = 0; d < cases[i].dims; d++)
                check_int(name, "stride", strides[d], cases[i].strides[d]);
            check_int(name, "origin", origin, cases[i].origin);
            check_int(name, "rows", wl_kernel_field_has_rows(kernel, 0), cases[i].rows);
        }
        wl_kernel_free(variant);
        wl_kernel_free(kernel);
    }
    check_done();
}

/* The variant lives on its own, keeps the params that were set, and its accesses follow the
 * rows. */
static void test_sets_are_kept(void **state)
{
    (void)state;
    char text[] = "name: k\nparams: {n: 100, m: 7}\ndomain: [n, n]\nfields:\n  f: {type: f64, strides: [1, n]}\nupdate: 'f[0,0] = f[1,2]'\n";
    char set[] = "n=200";
    const char *sets[] = {set};
    wl_kernel *kernel = NULL, *variant = NULL, *again = NULL;
    wl_error err = {0};
    check_ok("parse", wl_kernel_parse("k.yaml", text, strlen(text), &(wl_kernel_options){sets, 1}, &kernel, &err), &err);
    memset(text, '?', sizeof text - 1); /* the kernel keeps copies */
    memset(set, '?', sizeof set - 1);
    variant = varied("variant", kernel, (wl_layout){.row_padding = 64});
    wl_kernel_free(kernel);
    assert_non_null(variant);
    again = varied("the variant's own", variant, (wl_layout){.row_padding = 16});
    check_int("variant", "row", variant->fields[0].strides[1], 208);
    check_int("a variant's variant starts from the text", "row", again->fields[0].strides[1], 202);
    int64_t index[WL_LANES_MAX] = {0};
    const wl_lane_values lanes = {.lanes = 1};
    check_ok("index", wl_expr_eval(variant->accesses[0].index, &lanes, index, &err), &err);
    check_int("access f[1,2]", "index", index[0], 1 + 2 * 208);
    wl_kernel_free(again);
    wl_kernel_free(variant);
    check_done();
}

static void test_assignment(void **state)
{
    (void)state;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok("one line", wl_kernel_from_update("d[0,0] = s[1,0] + s[-1,0]", "100x50", "f32", &kernel, &err), &err);
    wl_kernel *variant = varied("one line", kernel, (wl_layout){.row_multiple = 32, .row_padding = 32});
    check_int("one line", "d", variant->fields[0].strides[1], 112);
    check_int("one line", "s: 32 before, 100, 1 after, in sectors, and one more", variant->fields[1].strides[1], 136 + 8);
    wl_kernel_free(variant);
    wl_kernel_free(kernel);
    check_done();
}

static void test_limits(void **state)
{
    (void)state;
    static const struct { wl_layout layout; expected_error want; } bad[] = {
        {{-1, 0, 0}, {WL_E_INPUT, "0 to 2^40", 0, 0}},
        {{0, -8, 0}, {WL_E_INPUT, "0 to 2^40", 0, 0}},
        {{0, 0, -8}, {WL_E_INPUT, "0 to 2^40", 0, 0}},
        {{0, (int64_t)1 << 41, 0}, {WL_E_INPUT, "0 to 2^40", 0, 0}},
        {{0, (int64_t)1 << 40, 0}, {WL_E_RANGE, "field 'f' is larger than 2^60 bytes in this layout", 4, 3}},
    };
    wl_kernel *kernel = parsed("large", "name: k\ndomain: [64, 64]\nfields:\n  f: {type: i8, strides: [1, 64, 67108864]}\nloads: ['f[x,y,0]']\n");
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_kernel *variant = NULL;
        wl_error err = {0};
        check_error("layout", wl_kernel_with_layout(kernel, &bad[i].layout, &variant, &err), &err, &bad[i].want);
    }
    wl_kernel_free(kernel);
    check_done();
}

/* The built-in examples: which of them go with blocks of their own. */
static void test_needs_its_block(void **state)
{
    (void)state;
    static const struct { const char *name; bool needs; } all[] = {
        {"star3d_r4", false}, {"transpose", false}, {"triad", false}, {"transpose_tiled", true},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        size_t length = 0;
        wl_kernel *kernel = parsed(all[i].name, wl_kernel_builtin_text(all[i].name, &length));
        check_int(all[i].name, "needs its block", wl_kernel_needs_its_block(kernel), all[i].needs);
        wl_kernel_free(kernel);
    }
    wl_kernel *kernel = parsed("blockDim", "name: k\nfields: {f: {type: f32}}\nloads: ['f[blockDim.x*x]']\n");
    check_true("blockDim", "needs its block", wl_kernel_needs_its_block(kernel));
    wl_kernel_free(kernel);
    kernel = parsed("loop", "name: k\nloops: {i: 4}\nfields: {f: {type: f32}}\nloads: ['f[4*x + i]']\n");
    check_true("loop", "any block will do", !wl_kernel_needs_its_block(kernel));
    wl_kernel_free(kernel);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_sets_are_kept),
                                       cmocka_unit_test(test_assignment), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_needs_its_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
