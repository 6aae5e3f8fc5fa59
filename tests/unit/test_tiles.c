/* test_tiles.c - footprints of many accesses a few cells apart, and of tiles that are parts of a
 * larger group (footprint/count.c): counts are those of every address, and the latter need no visit
 * of each row.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <inttypes.h>
#include <stdio.h>

#include "count/view.h"

#define TILE_X 32
#define TILE_Y 8
#define GRID 4
#define WIDTH 4 /* bytes */
#define BYTES (1 << 22)
#define TEXT_MAX 40000

/* Addresses in elements, as sums of products with thread and block numbers; each further access is
 * `apart` elements from the one before. */
static const struct {
    const char *name;
    int64_t thread_x, thread_y, block_x, block_y, apart;
    int accesses;
    wl_count_method method; /* at most */
} cases[] = {
    {"quarters of a group", 128, 1, 4096, 32, 8, 4, WL_COUNT_CLOSED_FORM},
    {"two of four quarters", 128, 1, 4096, 32, 16, 2, WL_COUNT_CLOSED_FORM},
    {"quarters of a group, backwards", 128, 1, 4096, 32, -8, 4, WL_COUNT_CLOSED_FORM},
    {"rows that overlap", 1024, 1, 32768, 8, 37, 300, WL_COUNT_ROWS},
    {"rows of which some join", 1024, 1, 32768, 8, 9, 300, WL_COUNT_ROWS},
    {"rows with whole granules between", 512, 1, 16384, 8, 1900, 300, WL_COUNT_ROWS},
};

static wl_kernel *make_kernel(size_t i)
{
    static char text[TEXT_MAX];
    int at = snprintf(text, sizeof text, "name: t\ndomain: [%d, %d]\nfields:\n  a: {type: f32}\nloads:\n",
                      TILE_X * GRID, TILE_Y * GRID);
    for (int k = 0; k < cases[i].accesses; k++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - \"a[%" PRId64 "*threadIdx.x + %" PRId64 "*threadIdx.y + %" PRId64 "*blockIdx.x + %" PRId64
                       "*blockIdx.y + %" PRId64 "]\"\n",
                       cases[i].thread_x, cases[i].thread_y, cases[i].block_x, cases[i].block_y,
                       1000 + k * cases[i].apart);
    (void)snprintf(text + at, sizeof text - (size_t)at, "flops: 0\n");
    return given_kernel(text);
}

/* Granules of the blocks first <= n < last, every address for itself. */
static int64_t count_all(size_t i, int first, int last, int64_t granule)
{
    static bool seen[BYTES];
    int64_t count = 0;
    memset(seen, 0, sizeof seen);
    for (int b = first; b < last; b++)
        for (int y = 0; y < TILE_Y; y++)
            for (int x = 0; x < TILE_X; x++)
                for (int k = 0; k < cases[i].accesses; k++) {
                    const int64_t at = cases[i].thread_x * x + cases[i].thread_y * y + cases[i].block_x * (b % GRID) +
                                       cases[i].block_y * (b / GRID) + 1000 + k * cases[i].apart;
                    const int64_t number = at * WIDTH / granule;
                    assert_true(at >= 0 && number < BYTES);
                    count += !seen[number];
                    seen[number] = true;
                }
    return count;
}

static void tiles_are_counted_exactly(void **state)
{
    static const int64_t granules[] = {4, 32, 64, 128, 4096};
    static const int runs[][2] = {{0, 1}, {0, 4}, {1, 7}, {2, 16}, {0, 16}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_kernel *kernel = make_kernel(i);
        wl_device *device = given_device("h200");
        wl_geometry geometry;
        wl_view view;
        wl_arena arena = {0};
        wl_error err = {0};
        const wl_launch launch = {.block = {TILE_X, TILE_Y, 1}};
        check_ok(cases[i].name, wl_geometry_make(kernel, device, &launch, &geometry, &err), &err);
        check_ok(cases[i].name, wl_view_make(kernel, &geometry, &arena, &view, &err), &err);
        for (size_t r = 0; r < COUNT_OF(runs); r++)
            for (size_t k = 0; k < COUNT_OF(granules); k++) {
                wl_counter counter = {.row_budget = WL_ROW_BUDGET};
                const wl_region region = wl_view_run(&view, &geometry, runs[r][0], runs[r][1]);
                wl_count got;
                check_ok(cases[i].name,
                         wl_view_count(&view, &counter, 0, WL_LOADS, &region, granules[k], false, &got, &err), &err);
                check_int(cases[i].name, "granules", got.touched, count_all(i, runs[r][0], runs[r][1], granules[k]));
                check_true(cases[i].name, "method", counter.method <= cases[i].method);
                wl_counter_free(&counter);
            }
        wl_arena_free(&arena);
        wl_device_free(device);
        wl_kernel_free(kernel);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_counted_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
