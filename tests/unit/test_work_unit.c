/* test_work_unit.c - kernel/work_unit.h: LUP where neighbours meet, else cell.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "kernel/work_unit.h"
#include "warpline/kernel.h"

#define IN "fields:\n  a: {type: f32}\n  b: {type: f32}\n"

static const struct {
    const char *name, *text, *unit;
} kernels[] = {
    {"three points", "domain: [n]\n" IN "loads: [\"a[x]\", \"a[x+1]\", \"a[x-1]\"]\nstores: [\"b[x]\"]", "LUP"},
    {"rows by hand", "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\", \"a[(y+1)*n+x]\"]\nstores: [\"b[y*n+x]\"]", "LUP"},
    {"edges clamped", "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\", \"a[y*n+min(x+1,n-1)]\"]\nstores: [\"b[y*n+x]\"]",
     "LUP"},
    {"edges periodic", "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\", \"a[y*n+(x+1)%n]\"]\nstores: [\"b[y*n+x]\"]",
     "LUP"},
    {"filter in loops",
     "domain: [n, n]\n" IN "loops: {i: 3, j: 3}\nloads: [\"a[(y+i)*(n+2)+x+j]\"]\nstores: [\"b[y*n+x]\"]", "LUP"},
    {"other populations of neighbours, from a buffer",
     "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\", \"a[y*n+x-1+n*n]\", \"a[y*n+x+1+2*n*n]\"]\nstores: [\"b[y*n+x]\"]",
     "LUP"},
    {"neighbours written", "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\"]\nstores: [\"b[y*n+x]\", \"b[y*n+x+1+n*n]\"]",
     "LUP"},
    {"two arrays added", "domain: [n]\n" IN "loads: [\"a[x]\", \"b[x]\"]\nstores: [\"b[x]\"]", "cell"},
    {"arrays in one buffer", "domain: [n]\n" IN "loads: [\"a[x]\", \"a[x+n]\"]\nstores: [\"b[x]\"]", "cell"},
    {"planes in one buffer", "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\", \"a[y*n+x+n*n]\"]\nstores: [\"b[y*n+x]\"]",
     "cell"},
    {"structures", "domain: [n]\n" IN "loads: [\"a[3*x]\", \"a[3*x+1]\", \"a[3*x+2]\"]\nstores: [\"b[x]\"]", "cell"},
    {"structures in a loop", "domain: [n]\n" IN "loops: {k: 4}\nloads: [\"a[4*x+k]\"]\nstores: [\"b[x]\"]", "cell"},
    {"product", "domain: [n, n]\n" IN "loops: {i: n}\nloads: [\"a[y*n+i]\", \"b[i*n+x]\"]\nstores: [\"b[y*n+x]\"]",
     "cell"},
    {"small product", "domain: [n/64, n/64]\n" IN "loops: {i: 16}\nloads: [\"b[i*16+x]\"]\nstores: [\"a[y*16+x]\"]",
     "cell"},
    {"transpose", "domain: [n, n]\n" IN "loads: [\"a[y*n+x]\"]\nstores: [\"b[x*n+y]\"]", "cell"},
    {"shifted copy", "domain: [n]\n" IN "loads: [\"a[x+1]\"]\nstores: [\"b[x]\"]", "cell"},
    {"gather", "domain: [n]\n" IN "loops: {k: 4}\nloads: [\"a[random(x,n)*4+k]\"]\nstores: [\"b[x]\"]", "cell"},
    {"blocks sum up", "domain: [n]\n" IN "loads: [\"a[2*blockDim.x*blockIdx.x+threadIdx.x]\"]\nstores: [\"b[x]\"]",
     "cell"},
};

static void cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        char text[512];
        wl_kernel *k = NULL;
        wl_error err = {0};
        (void)snprintf(text, sizeof text, "name: k\nparams: {n: 1024}\n%s\n", kernels[i].text);
        if (wl_kernel_parse("k", text, strlen(text), NULL, &k, &err) != WL_OK)
            fail_msg("%s: %s", kernels[i].name, err.message);
        if (strcmp(wl_kernel_unit(k), kernels[i].unit) != 0)
            fail_msg("%s: %s, not %s", kernels[i].name, wl_kernel_unit(k), kernels[i].unit);
        wl_kernel_free(k);
    }
}

/* Every built-in kernel is one or the other; those that are no lattice are listed. */
static void builtin(void **state)
{
    static const char others[] = " gather matmul transpose transpose_tiled triad vec3 ";
    (void)state;
    for (size_t i = 0; i < wl_kernel_builtin_count(); i++) {
        const char *name = wl_kernel_builtin_name(i);
        char listed[64];
        size_t length = 0;
        const char *text = wl_kernel_builtin_text(name, &length);
        wl_kernel *k = NULL;
        wl_error err = {0};
        assert_int_equal(wl_kernel_parse(name, text, length, NULL, &k, &err), WL_OK);
        (void)snprintf(listed, sizeof listed, " %s ", name);
        if (strcmp(wl_kernel_unit(k), strstr(others, listed) ? "cell" : "LUP") != 0)
            fail_msg("%s: %s", name, wl_kernel_unit(k));
        wl_kernel_free(k);
    }
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(wl_work_unit_named("LUP"), WL_WORK_UPDATE);
    assert_int_equal(wl_work_unit_named("cell"), WL_WORK_CELL);
    assert_int_equal(wl_work_unit_named(""), WL_WORK_CELL);
    assert_string_equal(wl_work_unit_words(WL_WORK_UPDATE)->one, "update");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases), cmocka_unit_test(builtin), cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
