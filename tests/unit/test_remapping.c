/* test_remapping.c - count/remapping.h: instructions of finding a cell, against machine code.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "count/remapping.h"

#define DIVISION 20.0 /* division_instructions of share/costs/sm_90.yaml */
#define ERROR_MOST 8.0

/* The function of 'warpline emit' in a kernel that copies a cell, compiled by nvcc 13 for sm_90,
 * less the same kernel with a grid of its dimensions. Hilbert and Morton have branches: they were
 * emulated. */
static const struct {
    const char *name;
    wl_schedule schedule;
    int dims;
    int64_t domain[3];
    double want;
} measured[] = {
    {"linear", {WL_SCHEDULE_LINEAR, 0, 0}, 2, {4096, 4096, 1}, 0},
    {"column as wide as the row", {WL_SCHEDULE_COLUMN, 4096, 0}, 2, {4096, 4096, 1}, 15},
    {"column as wide as the row, 3-D", {WL_SCHEDULE_COLUMN, 512, 0}, 3, {512, 512, 512}, 32},
    {"column", {WL_SCHEDULE_COLUMN, 32, 0}, 2, {4096, 4096, 1}, 40},
    {"column, 3-D", {WL_SCHEDULE_COLUMN, 32, 0}, 3, {512, 512, 512}, 58},
    {"zigzag", {WL_SCHEDULE_ZIGZAG, 48, 0}, 2, {4096, 4096, 1}, 46},
    {"tile", {WL_SCHEDULE_TILE, 32, 8}, 2, {4096, 4096, 1}, 67},
    {"tile, 3-D", {WL_SCHEDULE_TILE, 32, 8}, 3, {512, 512, 512}, 84},
    {"swizzle", {WL_SCHEDULE_SWIZZLE, 8, 0}, 2, {4096, 4096, 1}, 48},
    {"morton, 256", {WL_SCHEDULE_MORTON, 0, 0}, 2, {256, 256, 1}, 301},
    {"morton, 4096", {WL_SCHEDULE_MORTON, 0, 0}, 2, {4096, 4096, 1}, 433},
    {"hilbert, 256", {WL_SCHEDULE_HILBERT, 0, 0}, 2, {256, 256, 1}, 505},
    {"hilbert, 4096", {WL_SCHEDULE_HILBERT, 0, 0}, 2, {4096, 4096, 1}, 721},
};

static void close_to_machine_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(measured); i++) {
        wl_kernel kernel = {.name = "copy", .dims = measured[i].dims};
        memcpy(kernel.domain, measured[i].domain, sizeof kernel.domain);
        const wl_geometry g = {.schedule = measured[i].schedule};
        const double got = wl_remapping_instructions(&kernel, &g, DIVISION);
        if (got < measured[i].want - ERROR_MOST || got > measured[i].want + ERROR_MOST)
            fail_msg("%s: %g instructions, machine code has %g", measured[i].name, got, measured[i].want);
    }
}

/* A launch of 100 threads in blocks of 64: 4 warps, of which all have work. */
static void every_thread_with_work(void **state)
{
    (void)state;
    const wl_geometry g = {.block = {64, 1, 1},
                           .fold = {1, 1, 1},
                           .grid = {2, 1, 1},
                           .grid_dim = {2, 1, 1},
                           .cells = {100, 1, 1},
                           .threads = 64,
                           .blocks = 2,
                           .items = 100};
    wl_executed unknown = {0}, plain = {.known = true, .warp = 10}, mixed = {.known = true, .by_class = true};
    wl_remapping_add(&g, 32, 40, &unknown);
    wl_remapping_add(&g, 32, 40, &plain);
    wl_remapping_add(&g, 32, 40, &mixed);
    check_near("unknown", "warp", unknown.warp, 0, 0);
    check_near("plain", "warp", plain.warp, 170, 0);
    check_near("plain", "thread", plain.thread, 4000, 0);
    check_near("plain", "int", plain.mix.warp[WL_INST_int], 0, 0);
    check_near("mixed", "warp", mixed.mix.warp[WL_INST_int], 160, 0);
    check_near("mixed", "thread", mixed.mix.thread[WL_INST_int], 4000, 0);
    check_near("mixed", "on", mixed.mix.thread_on, 4000, 0);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_to_machine_code),
        cmocka_unit_test(every_thread_with_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
