/* test_relayout.c - causes/relayout.c against elements that are moved one by one.
 * SPDX-License-Identifier: MIT */
/* clang-format off */ /* the tables read better in rows */
#include "unit/given.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "causes/relayout.h"

#define HEAD "name: k\nregisters: 16\nfields: {a: {type: f32}, b: {type: f32}}\n"

/* Elements of `b` in rows; where it cannot be done, rows are 0. */
static const struct {
    const char *name, *rest;
    int64_t row, pad, rows;
    int64_t stride; /* from lane to lane, afterwards */
} cases[] = {
    {"structs", "domain: [64]\nloads: ['b[4*x]', 'b[4*x + 3]']\nstores: ['a[x]']\n", 4, 0, 64, 1},
    {"neighbouring structs", "domain: [64]\nloads: ['b[4*x - 4]', 'b[4*x + 5]']\nstores: ['a[x]']\n", 4, 0, 66, 1},
    {"columns", "domain: [16, 24]\nloads: ['b[32*x + y]', 'b[32*x + y + 7]']\nstores: ['a[x]']\n", 32, 0, 16, 1},
    {"columns before the first", "domain: [16, 24]\nloads: ['b[32*x + y - 1]']\nstores: ['a[x]']\n", 32, 0, 16, 1},
    {"padded", "domain: [16, 24]\nloads: ['b[32*x + y]']\nstores: ['a[x]']\n", 32, 1, 16, 33},
    {"rows that run into the next", "domain: [16, 40]\nloads: ['b[32*x + y]']\nstores: ['a[x]']\n", 32, 0, 0, 0},
    {"not affine", "domain: [16]\nloads: ['b[4*random(x, 64)]']\nstores: ['a[x]']\n", 4, 0, 0, 0},
};

static int64_t value_of(const wl_expr *index, int64_t x, int64_t y)
{
    int64_t at[WL_VAR_COUNT] = {[WL_VAR_X] = x, [WL_VAR_Y] = y}, value = 0;
    wl_error err = {0};
    check_ok("index", wl_expr_value(index, at, 1, &value, &err), &err);
    return value;
}

/* Elements that were the same are the same, others are others, and lanes are so far apart. */
static void check_elements(size_t i, const wl_kernel *from, const wl_kernel *to)
{
    int64_t was[2048], is[2048];
    size_t n = 0;
    for (size_t a = 0; a < from->access_count; a++) {
        if (from->accesses[a].store)
            continue;
        for (int64_t y = 0; y < from->domain[1]; y++) {
            for (int64_t x = 0; x < from->domain[0]; x++, n++) {
                was[n] = value_of(from->accesses[a].index, x, y);
                is[n] = value_of(to->accesses[a].index, x, y);
                check_true(cases[i].name, "stride", x == 0 || is[n] - is[n - 1] == cases[i].stride);
            }
        }
    }
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < p; q++)
            if ((was[p] == was[q]) != (is[p] == is[q]))
                fail_msg("%s: elements %lld and %lld became %lld and %lld", cases[i].name, (long long)was[p],
                         (long long)was[q], (long long)is[p], (long long)is[q]);
}

static void check_case(size_t i, const wl_device *device)
{
    char text[400];
    (void)snprintf(text, sizeof text, HEAD "%s", cases[i].rest);
    wl_kernel *kernel = given_kernel(text), *variant = NULL;
    wl_inquiry *q = calloc(1, sizeof *q);
    wl_error err = {0};
    int64_t rows = -1;
    bool done = true;
    assert_non_null(q);
    q->kernel = q->given = kernel;
    check_ok(cases[i].name, wl_geometry_make(kernel, device, &(wl_launch){.block = {8}}, &q->geometry, &err), &err);
    wl_geometry_ranges(&q->geometry, kernel, &q->ranges);
    check_ok(cases[i].name, wl_variant_make(q, &variant, &err), &err);
    const wl_relayout how = {.field = 1, .row = cases[i].row, .pad = cases[i].pad, .aligned = 32};
    check_ok(cases[i].name, wl_relay_out(q, &how, variant, &rows, &done, &err), &err);
    check_int(cases[i].name, "rows", rows, cases[i].rows);
    check_int(cases[i].name, "done", done, cases[i].rows > 0);
    if (done)
        check_elements(i, kernel, variant);
    wl_arena_free(&q->scratch);
    free(q);
    wl_kernel_free(kernel);
}

static void test_cases(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(i, device);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
