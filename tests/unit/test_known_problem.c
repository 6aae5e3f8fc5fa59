/* test_known_problem.c - cache/known_problem.h: which kernels are stencils and products.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "unit/checks.h"
#include "unit/given.h"

#include "cache/known_problem.h"

#define FIELDS "fields: {a: {type: f64, strides: [1, 300], origin: 900}, b: {type: f64, strides: [1, 300]}}\n"

static const struct {
    const char *name, *text;
    wl_known want;
} cases[] = {
    {"star",
     "name: k\ndomain: [256, 128]\n" FIELDS "update: b[0,0] = a[-1,0] + a[1,0] + a[0,-1] + a[0,1]\n",
     {WL_KNOWN_STENCIL, 256, 128, {3, 3}, 0, 8}},
    {"to one side",
     "name: k\ndomain: [256, 128]\n" FIELDS "update: b[0,0] = a[0,0] + a[3,0] + a[0,-1]\n",
     {WL_KNOWN_STENCIL, 256, 128, {4, 2}, 0, 8}},
    {"loops",
     "name: k\ndomain: [256, 128]\nfields: {a: {type: f32}, b: {type: f32}}\nloops: {i: 5, j: 7}\n"
     "loads: [\"a[(y + i)*300 + x + j]\"]\nstores: [\"b[y*300 + x]\"]\n",
     {WL_KNOWN_STENCIL, 256, 128, {7, 5}, 0, 4}},
    {"product",
     "name: k\ndomain: [256, 128]\nfields: {a: {type: f32}, b: {type: f32}, c: {type: f32}}\nloops: {k: 64}\n"
     "loads: [\"a[y*64 + k]\", \"b[k*256 + x]\"]\nstores: [\"c[y*256 + x]\"]\n",
     {WL_KNOWN_PRODUCT, 256, 128, {0, 0}, 64, 4}},
    {"a copy", "name: k\ndomain: [256, 128]\n" FIELDS "update: b[0,0] = a[0,0]\n", {.kind = WL_KNOWN_NONE}},
    {"two fields",
     "name: k\ndomain: [256, 128]\n" FIELDS "update: b[0,0] = a[1,0] + a[0,0] * b[0,0]\n",
     {.kind = WL_KNOWN_NONE}},
    {"transposed",
     "name: k\ndomain: [256, 128]\nfields: {a: {type: f32}, b: {type: f32}}\n"
     "loads: [\"a[x*128 + y]\", \"a[x*128 + y + 1]\"]\nstores: [\"b[y*256 + x]\"]\n",
     {.kind = WL_KNOWN_NONE}},
    {"a transposed product",
     "name: k\ndomain: [256, 128]\nfields: {a: {type: f32}, b: {type: f32}, c: {type: f32}}\nloops: {k: 64}\n"
     "loads: [\"a[y*64 + k]\", \"b[x*64 + k]\"]\nstores: [\"c[y*256 + x]\"]\n",
     {.kind = WL_KNOWN_NONE}},
    {"three dimensions",
     "name: k\ndomain: [32, 32, 32]\nfields: {a: {type: f64, extent: [32, 32, 32], halo: 1}, "
     "b: {type: f64, extent: [32, 32, 32]}}\nupdate: b[0,0,0] = a[-1,0,0] + a[1,0,0]\n",
     {.kind = WL_KNOWN_NONE}},
    {"threads by name",
     "name: k\ndomain: [256, 128]\nfields: {a: {type: f32}, b: {type: f32}}\n"
     "loads: [\"a[y*300 + x]\", \"a[y*300 + x + threadIdx.x]\"]\nstores: [\"b[y*256 + x]\"]\n",
     {.kind = WL_KNOWN_NONE}},
};

static void problems_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_kernel *kernel = given_kernel(cases[i].text);
        const wl_known got = wl_known_of(kernel), *want = &cases[i].want;
        check_int(cases[i].name, "kind", got.kind, want->kind);
        check_int(cases[i].name, "width", got.width, want->width);
        check_int(cases[i].name, "height", got.height, want->height);
        check_int(cases[i].name, "box x", got.box[0], want->box[0]);
        check_int(cases[i].name, "box y", got.box[1], want->box[1]);
        check_int(cases[i].name, "depth", got.depth, want->depth);
        check_int(cases[i].name, "element", got.element_bytes, want->element_bytes);
        wl_kernel_free(kernel);
    }
    check_done();
}

/* In lines of 128 bytes. */
static void forms_are_those_of_the_problem(void **state)
{
    (void)state;
    const wl_known star = cases[0].want, product = cases[3].want;
    const wl_stencil stencil = {256, 128, {1, 1}, 16};
    const wl_product plain = {256, 128, 64, 32};
    const wl_paper_stencil paper = {3, 3, 256, 128, 16};
    const wl_product paper_product = {256, 128, 64, 32};
    const wl_tile column = {32, 128};
    check_int("star", "needs", wl_known_needs(&star, 128, column), wl_stencil_needs(&stencil, column));
    check_int("star", "fetches", wl_known_fetches(&star, 128, column, 20).lines,
              wl_stencil_fetches(&stencil, column, 20).lines);
    check_int("star", "least", wl_known_least(&star, 128), wl_stencil_least(&stencil));
    check_near("star", "width", wl_known_width(&star, 128, 16384, 256), wl_paper_column_width(&paper, 8, 16384, 256),
               0);
    check_int("product", "needs", wl_known_needs(&product, 128, column), wl_product_needs(&plain, column));
    check_int("product", "fetches", wl_known_fetches(&product, 128, column, 20).lines,
              wl_product_fetches(&plain, column, 20).lines);
    check_int("product", "least", wl_known_least(&product, 128), wl_product_least(&plain));
    check_near("product", "width", wl_known_width(&product, 128, 16384, 256),
               wl_paper_product_column_width(&paper_product, 4, 16384), 0);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_are_recognised),
        cmocka_unit_test(forms_are_those_of_the_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
