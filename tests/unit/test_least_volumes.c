/* test_least_volumes.c - the least volume of kernels whose accesses are enumerated, against what
 * their text says they touch. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "count/view.h"
#include "laws/least_volumes.h"
#include "warpline/warpline.h"

static void least_of(const char *text, const wl_launch *launch, double bytes[2])
{
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_error err = {0};
    wl_geometry geometry;
    wl_view view;
    wl_arena arena = {0};
    wl_counter counter = {.row_budget = WL_ROW_BUDGET};
    assert_int_equal(wl_device_builtin("a100-40gb", &device, &err), WL_OK);
    check_ok("kernel", wl_kernel_parse("k.yaml", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok("launch", wl_geometry_make(kernel, device, launch, &geometry, &err), &err);
    check_ok("view", wl_view_make(kernel, &geometry, &arena, &view, &err), &err);
    const wl_traffic_input input = {.view = &view, .geometry = &geometry, .device = device, .page_bytes = 2 << 20};
    check_ok("volumes", wl_least_volumes(&input, &counter, bytes, &err), &err);
    wl_counter_free(&counter);
    wl_arena_free(&arena);
    wl_kernel_free(kernel);
    wl_device_free(device);
}

/* The estimate may miss the truth by some below and, but for sampling and rounding to granules, not
 * above. */
static void test_least(void **state)
{
    (void)state;
    static const struct {
        const char *name, *loads, *stores;
        double load, store, share; /* bytes; how much of them must be found */
    } cases[] = {
        {"rows of their own", "a[blockIdx.x*4096 + ((threadIdx.x + 128*i) ^ 1)]", "b[x ^ 1]", 1024 * 16384.0,
         1024 * 128 * 4.0, 1},
        {"one table for all", "a[(threadIdx.x + 128*i) ^ 1]", "b[x ^ 1]", 16384, 1024 * 128 * 4.0, 1},
        {"rows that overlap by half", "a[blockIdx.x*2048 + ((threadIdx.x + 128*i) ^ 1)]", "b[x ^ 1]", 1025 * 8192.0,
         1024 * 128 * 4.0, 0.9},
        {"half of a row in common", "a[(i < 16)*(blockIdx.x + 1)*4096 + ((threadIdx.x + 128*i) ^ 1)]", "b[x ^ 1]",
         1024 * 8192.0 + 8192, 1024 * 128 * 4.0, 0.001},
        {"a small range", "a[random(x + i, 5000)]", "b[random(x, 64)]", 20000, 256, 0.9},
        {"a closed form", "a[x]", "b[x ^ 1]", 1024 * 128 * 4.0, 1024 * 128 * 4.0, 1},
        {"only some rows are stored", "a[x]", "b[x] if x % 256 < 128", 1024 * 128 * 4.0, 512 * 128 * 4.0, 0.5},
    };
    const wl_launch launch = {.block = {128, 1, 1}, .fold = {1, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[512];
        double bytes[2];
        (void)snprintf(text, sizeof text,
                       "name: k\ndomain: [131072]\nfields: {a: {type: f32}, b: {type: f32}}\nloops: {i: 32}\n"
                       "loads: [\"%s\"]\nstores: [\"%s\"]\n",
                       cases[i].loads, cases[i].stores);
        least_of(text, &launch, bytes);
        check_true(cases[i].name, "loads: not more", bytes[0] <= 1.01 * cases[i].load + 64);
        check_true(cases[i].name, "loads: not much less", bytes[0] >= cases[i].share * cases[i].load);
        check_true(cases[i].name, "stores: not more", bytes[1] <= 1.01 * cases[i].store + 64);
        check_true(cases[i].name, "stores: not much less", bytes[1] >= cases[i].share * cases[i].store);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
