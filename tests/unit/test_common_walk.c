/* test_common_walk.c - model/common_walk.h: kernels whose warps walk through data of their own, or
 * of all.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <string.h>

#include "model/common_walk.h"

#define NEAR 1e-12

/* Blocks of 64 threads, two on each of 132 multiprocessors: 4 warps there, 528 in all. */
#define HEAD "name: walk\ndomain: [16896]\nfields: {a: {type: f32}, b: {type: f32}}\nregisters: 32\n"

static const struct {
    const char *name, *text;
    double fresh, together[2];
} cases[] = {
    {"one word for all, then the next", HEAD "loops: {j: 4096}\nloads: ['a[j]']\nstores: ['b[x]']\n", 0.125, {4, 528}},
    {"a sector after the other", HEAD "loops: {j: 4096}\nloads: ['a[8*j]']\nstores: ['b[x]']\n", 1, {4, 528}},
    {"four words of it in one step",
     HEAD "loops: {j: 4096, k: 4}\nloads: ['a[8*j + k]']\nstores: ['b[x]']\n",
     0.25,
     {4, 528}},
    {"four loads of a step",
     HEAD "loops: {j: 4096}\nloads: ['a[4*j]', 'a[4*j + 1]', 'a[4*j + 2]', 'a[4*j + 3]']\n"
          "stores: ['b[x]']\n",
     0.125,
     {4, 528}},
    {"lanes side by side",
     HEAD "loops: {j: 4096}\nloads: ['a[32*j + threadIdx.x%32]']\nstores: ['b[x]']\n",
     1,
     {4, 528}},
    {"each its own", HEAD "loops: {j: 64}\nloads: ['a[16896*j + x]']\nstores: ['b[x]']\n", 1, {1, 1}},
    {"each block its own", HEAD "loops: {j: 64}\nloads: ['a[64*blockIdx.x + 8*j]']\nstores: ['b[x]']\n", 1, {2, 2}},
    {"no loop", HEAD "loads: ['a[threadIdx.x]']\nstores: ['b[x]']\n", 0, {0, 0}},
    {"a loop that does not lead it on",
     HEAD "loops: {j: 64}\nloads: ['a[x]', 'b[x + j]']\nstores: ['b[x]']\n",
     0,
     {0, 0}},
};

static void walks(void **state)
{
    const wl_device *device = *state;
    wl_l1_rules rules;
    wl_l1_rules_make(device, &rules);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *name = cases[i].name;
        static const wl_access_cost cost[8] = {{.inst = 1}, {.inst = 1}, {.inst = 1}, {.inst = 1},
                                               {.inst = 1}, {.inst = 1}, {.inst = 1}, {.inst = 1}};
        const wl_launch launch = {.block = {64, 1, 1}, .shared_bytes = 100 * 1024};
        wl_kernel *kernel = NULL;
        wl_geometry geometry;
        wl_common_walk walk;
        wl_arena arena = {0};
        wl_error err = {0};
        check_ok(name, wl_kernel_parse(name, cases[i].text, strlen(cases[i].text), NULL, &kernel, &err), &err);
        check_ok(name, wl_geometry_make(kernel, device, &launch, &geometry, &err), &err);
        const wl_costs costs = {.kernel = kernel, .device = device, .rules = &rules, .access = cost};
        check_ok(name, wl_common_walk_find(&costs, &geometry, 0, &arena, &walk, &err), &err);
        check_near(name, "new to a warp", walk.fresh, cases[i].fresh, NEAR);
        check_near(name, "together on a multiprocessor", walk.together[0], cases[i].together[0], NEAR);
        check_near(name, "together on the GPU", walk.together[1], cases[i].together[1], NEAR);
        wl_arena_free(&arena);
        wl_kernel_free(kernel);
    }
    check_done();
}

static int setup(void **state)
{
    wl_error err = {0};
    return wl_device_builtin("h200", (wl_device **)state, &err) == WL_OK ? 0 : -1;
}

static int teardown(void **state)
{
    wl_device_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(walks)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
