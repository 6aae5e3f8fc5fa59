/* test_loop_runs.c - count/loop_runs.h: how far loops have gone in runs of growing length.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "count/loop_runs.h"
#include "kernel/kernel_internal.h"
#include "warpline/warpline.h"

#define HEAD "name: walk\ndomain: [256]\nfields:\n  a: {type: f32}\n  b: {type: f32}\n"

static const struct {
    const char *name, *loops, *loads;
    int count;
    int64_t extents[WL_STEPS_MAX][WL_LOOPS_MAX];
} rows[] = {
    {"one", "{i: 20}", "[\"a[x + 256*i]\"]", 4, {{1}, {4}, {16}, {20}}},
    {"a nest, the inner one first",
     "{i: 4, j: 16}",
     "[\"a[x + 256*i + 1024*j]\"]",
     4,
     {{1, 1}, {1, 4}, {1, 16}, {4, 16}}},
    {"a body of four planes beside single planes",
     "{i: 63, j: 254}",
     "[\"a[x + 1024*i]\", \"b[x + 256*j]\"]",
     5,
     {{1, 1}, {1, 4}, {4, 16}, {16, 64}, {63, 254}}},
    {"a nest beside a loop",
     "{i: 5, j: 34, k: 170}",
     "[\"a[x + 256*j + 0*i]\", \"b[k]\"]",
     5,
     {{1, 1, 1}, {1, 4, 4}, {1, 16, 16}, {2, 34, 64}, {5, 34, 170}}},
};

static void loops_go_on_beside_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[512];
        int64_t extents[WL_STEPS_MAX][WL_LOOPS_MAX];
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        snprintf(text, sizeof text, HEAD "loops: %s\nloads: %s\nstores: []\n", rows[i].loops, rows[i].loads);
        check_ok(rows[i].name, wl_kernel_parse("test", text, strlen(text), NULL, &kernel, &err), &err);
        const int count = kernel ? wl_loop_runs_choose(kernel, extents) : 0;
        check_int(rows[i].name, "lengths", count, rows[i].count);
        for (int n = 0; n < count && kernel; n++)
            for (int l = 0; l < kernel->loop_count; l++)
                check_int(rows[i].name, "extent", extents[n][l], rows[i].extents[n][l]);
        wl_kernel_free(kernel);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_go_on_beside_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
