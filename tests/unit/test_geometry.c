/* test_geometry.c - launch/geometry.h and launch/lanes.h: grids, sets of blocks, lanes.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "device/device_internal.h"
#include "launch/geometry.h"
#include "launch/lanes.h"

static wl_device *builtin(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    const wl_status status = wl_device_builtin(name, &device, &err);
    if (status != WL_OK)
        fail_msg("%s: %s", name, err.message);
    return device;
}

/* A kernel over the domain (dims 0: none), with what it states about its resources. */
static wl_kernel kernel_over(int dims, const int64_t domain[3], int64_t registers, int64_t shared_bytes)
{
    wl_kernel k = {.name = "test",
                   .dims = dims,
                   .registers = registers,
                   .has_registers = registers > 0,
                   .shared_bytes = shared_bytes};
    for (int d = 0; d < 3; d++)
        k.domain[d] = d < dims ? domain[d] : 1;
    return k;
}

/* ---- from a launch to its geometry ---- */

static const struct {
    const char *name;
    int dims;
    int64_t domain[3];
    wl_launch launch;
    int64_t grid[3], cells[3], threads, blocks, items, wave_blocks;
} launches[] = {
    /* on the V100: 80 multiprocessors */
    {"exact", 3, {640, 512, 512}, {.block = {32, 4, 2}}, {20, 128, 256}, {640, 512, 512}, 256, 655360, 167772160, 640},
    {"one more",
     3,
     {641, 512, 512},
     {.block = {32, 4, 2}},
     {21, 128, 256},
     {641, 512, 512},
     256,
     688128,
     168034304,
     640},
    {"one less",
     3,
     {639, 512, 512},
     {.block = {32, 4, 2}},
     {20, 128, 256},
     {639, 512, 512},
     256,
     655360,
     167510016,
     640},
    {"folded",
     3,
     {640, 512, 512},
     {.block = {32, 4, 2}, .fold = {2, 1, 4}},
     {10, 128, 64},
     {640, 512, 512},
     256,
     81920,
     167772160,
     640},
    {"fold that does not divide", 1, {1000}, {.block = {32}, .fold = {3}}, {11, 1, 1}, {1000, 1, 1}, 32, 11, 1000, 11},
    {"nothing given", 2, {10, 5}, {.block = {0}}, {10, 5, 1}, {10, 5, 1}, 1, 50, 50, 50},
    {"block larger than the domain", 2, {10, 5}, {.block = {64, 8}}, {1, 1, 1}, {10, 5, 1}, 512, 1, 50, 1},
    {"a grid beyond the domain", 1, {100}, {.block = {32}, .grid = {10}}, {10, 1, 1}, {100, 1, 1}, 32, 10, 100, 10},
    {"a grid within the domain", 1, {100}, {.block = {32}, .grid = {2}}, {2, 1, 1}, {64, 1, 1}, 32, 2, 64, 2},
    {"part of a grid given",
     2,
     {100, 100},
     {.block = {32, 4}, .grid = {0, 3}},
     {4, 3, 1},
     {100, 12, 1},
     128,
     12,
     1200,
     12},
    {"no domain", 0, {0}, {.block = {32, 2}, .grid = {7, 3}}, {7, 3, 1}, {224, 6, 1}, 64, 21, 1344, 21},
    {"no domain, folded", 0, {0}, {.block = {32}, .grid = {7}, .fold = {4}}, {7, 1, 1}, {896, 1, 1}, 32, 7, 896, 7},
    {"wave limited by registers",
     1,
     {1 << 20},
     {.block = {256}, .registers = 64},
     {4096, 1, 1},
     {1 << 20, 1, 1},
     256,
     4096,
     1 << 20,
     320},
    {"wave limited by shared memory",
     1,
     {1 << 20},
     {.block = {256}, .shared_bytes = 40960},
     {4096, 1, 1},
     {1 << 20, 1, 1},
     256,
     4096,
     1 << 20,
     160},
};

static void test_launches(void **state)
{
    (void)state;
    wl_device *device = builtin("v100");
    for (size_t i = 0; i < COUNT_OF(launches); i++) {
        const wl_kernel kernel = kernel_over(launches[i].dims, launches[i].domain, 0, 0);
        wl_geometry g;
        wl_error err = {0};
        const wl_status status = wl_geometry_make(&kernel, device, &launches[i].launch, &g, &err);
        check_ok(launches[i].name, status, &err);
        if (status != WL_OK)
            continue;
        for (int d = 0; d < 3; d++) {
            check_int(launches[i].name, "grid", g.grid[d], launches[i].grid[d]);
            check_int(launches[i].name, "cells", g.cells[d], launches[i].cells[d]);
            check_int(launches[i].name, "fold", g.fold[d], launches[i].launch.fold[d] ? launches[i].launch.fold[d] : 1);
        }
        check_int(launches[i].name, "threads", g.threads, launches[i].threads);
        check_int(launches[i].name, "blocks", g.blocks, launches[i].blocks);
        check_int(launches[i].name, "items", g.items, launches[i].items);
        check_int(launches[i].name, "blocks of a wave", g.wave_blocks, launches[i].wave_blocks);
        /* all blocks together work on all cells, and on nothing else */
        const wl_box3 all = {{0, 0, 0}, {g.grid[0], g.grid[1], g.grid[2]}}, cells = wl_block_cells(&g, &all);
        for (int d = 0; d < 3; d++) {
            check_int(launches[i].name, "first cell", cells.lo[d], 0);
            check_int(launches[i].name, "last cell", cells.hi[d], g.cells[d]);
        }
    }
    wl_device_free(device);
    check_done();
}

static void test_resources(void **state)
{
    static const struct {
        const char *name;
        int64_t kernel_registers, kernel_shared, launch_registers, launch_shared;
        int64_t registers, shared_bytes;
        bool assumed;
    } cases[] = {
        {"nobody says", 0, 0, 0, 0, 32, 0, true},
        {"the kernel says", 40, 512, 0, 0, 40, 512, false},
        {"the launch says", 0, 0, 48, 1024, 48, 1024, false},
        {"the launch wins", 40, 512, 48, 1024, 48, 1024, false},
    };
    static const int64_t domain[3] = {1000, 1, 1};
    (void)state;
    wl_device *device = builtin("v100");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_kernel kernel = kernel_over(1, domain, cases[i].kernel_registers, cases[i].kernel_shared);
        const wl_launch launch = {
            .block = {64}, .registers = cases[i].launch_registers, .shared_bytes = cases[i].launch_shared};
        wl_geometry g;
        wl_error err = {0};
        check_ok(cases[i].name, wl_geometry_make(&kernel, device, &launch, &g, &err), &err);
        check_int(cases[i].name, "registers", g.registers, cases[i].registers);
        check_int(cases[i].name, "registers are assumed", g.registers_assumed, cases[i].assumed);
        check_int(cases[i].name, "shared memory", g.shared_bytes, cases[i].shared_bytes);
    }
    wl_device_free(device);
    check_done();
}

static const struct {
    const char *name;
    int dims;
    int64_t domain[3];
    wl_launch launch;
    expected_error want;
} bad[] = {
    {"block of 2000",
     1,
     {4000},
     {.block = {2000}},
     {WL_E_INPUT, "a block's extent in x is 1 to 1024 on this device (not 2000)", 0, 0}},
    {"block of 2048 in two dimensions",
     2,
     {64, 64},
     {.block = {64, 32}},
     {WL_E_INPUT, "a block has at most 1024 threads on this device (64x32x1 is more)", 0, 0}},
    {"block of z = 65",
     3,
     {64, 64, 64},
     {.block = {1, 1, 65}},
     {WL_E_INPUT, "a block's extent in z is 1 to 64 on this device (not 65)", 0, 0}},
    {"negative block",
     1,
     {64},
     {.block = {32, -1}},
     {WL_E_INPUT, "a block's extent in y is 1 to 1024 on this device (not -1)", 0, 0}},
    {"enormous block", 1, {64}, {.block = {1, INT64_MAX}}, {WL_E_INPUT, "a block's extent in y is 1 to 1024", 0, 0}},
    {"fold of 65",
     1,
     {64},
     {.block = {32}, .fold = {65}},
     {WL_E_INPUT, "a thread folds 1 to 64 cells (not 65x1x1)", 0, 0}},
    {"fold of 16x8",
     2,
     {64, 64},
     {.block = {32}, .fold = {16, 8}},
     {WL_E_INPUT, "a thread folds 1 to 64 cells (not 16x8x1)", 0, 0}},
    {"negative fold",
     1,
     {64},
     {.block = {32}, .fold = {1, 1, -2}},
     {WL_E_INPUT, "a thread folds 1 to 64 cells (not 1x1x-2)", 0, 0}},
    {"grid too large in y",
     2,
     {64, 100000},
     {.block = {64, 1}},
     {WL_E_INPUT, "a grid's extent in y is at most 65535 blocks on this device (not 100000)", 0, 0}},
    {"grid too large in x",
     1,
     {(int64_t)1 << 40},
     {.block = {32}},
     {WL_E_INPUT, "a grid's extent in x is at most 2147483647 blocks on this device (not 34359738368)", 0, 0}},
    {"given grid too large in z",
     1,
     {64},
     {.block = {32}, .grid = {1, 1, 65536}},
     {WL_E_INPUT, "a grid's extent in z is at most 65535 blocks", 0, 0}},
    {"negative grid", 1, {64}, {.block = {32}, .grid = {1, -1}}, {WL_E_INPUT, "a grid's extents are positive", 0, 0}},
    {"no domain and no grid", 0, {0}, {.block = {32}}, {WL_E_INPUT, "the kernel has no domain: give the grid", 0, 0}},
    {"more than 2^60 cells",
     0,
     {0},
     {.block = {1024}, .grid = {2147483647, 65535, 65535}},
     {WL_E_RANGE, "the grid has more than 2^60 cells", 0, 0}},
    {"does not fit: registers",
     1,
     {64},
     {.block = {1024}, .registers = 65},
     {WL_E_INPUT,
      "not even one block fits on a multiprocessor: 1024 threads with 65 registers each and 0 bytes of shared memory "
      "(limit: registers)",
      0, 0}},
    {"does not fit: shared memory",
     1,
     {64},
     {.block = {32}, .shared_bytes = 98305},
     {WL_E_INPUT, "98305 bytes of shared memory (limit: shared)", 0, 0}},
    {"negative registers",
     1,
     {64},
     {.block = {32}, .registers = -1},
     {WL_E_INPUT, "a thread uses 1 to 255 registers on this device (not -1)", 0, 0}},
};

static void test_bad_launches(void **state)
{
    (void)state;
    wl_device *device = builtin("v100");
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const wl_kernel kernel = kernel_over(bad[i].dims, bad[i].domain, 0, 0);
        wl_geometry g;
        wl_error err = {0};
        check_error(bad[i].name, wl_geometry_make(&kernel, device, &bad[i].launch, &g, &err), &err, &bad[i].want);
    }
    wl_device_free(device);
    check_done();
}

/* The largest grid has more cells than fit. */
static void test_enormous_grid(void **state)
{
    static const int64_t nothing[3] = {0};
    (void)state;
    wl_device *device = builtin("v100");
    const wl_kernel kernel = kernel_over(0, nothing, 0, 0);
    const wl_launch launch = {.block = {1024}, .grid = {INT32_MAX, UINT16_MAX, UINT16_MAX}};
    wl_geometry g;
    wl_error err = {0};
    const expected_error want = {WL_E_RANGE, "the grid has more than 2^60 cells", 0, 0};
    check_error("the largest grid", wl_geometry_make(&kernel, device, &launch, &g, &err), &err, &want);
    wl_device_free(device);
    check_done();
}

/* ---- sets of blocks ---- */

static wl_geometry grid_of(int64_t x, int64_t y, int64_t z)
{
    return (wl_geometry){
        .grid = {x, y, z}, .blocks = x * y * z, .block = {1, 1, 1}, .fold = {1, 1, 1}, .cells = {x, y, z}};
}

static const struct {
    const char *name;
    int64_t first, last;
    int count;
    wl_box3 boxes[WL_BLOCK_BOXES_MAX];
} intervals[] = {
    /* of a grid of 4x3x5: a row is 4 blocks, a plane 12 */
    {"nothing", 5, 5, 0, {{{0}, {0}}}},
    {"one block", 5, 6, 1, {{{1, 1, 0}, {2, 2, 1}}}},
    {"all", 0, 60, 1, {{{0, 0, 0}, {4, 3, 5}}}},
    {"part of a row", 13, 15, 1, {{{1, 0, 1}, {3, 1, 2}}}},
    {"a full row", 4, 8, 1, {{{0, 1, 0}, {4, 2, 1}}}},
    {"the end of a row", 6, 8, 1, {{{2, 1, 0}, {4, 2, 1}}}},
    {"from row to row", 3, 5, 2, {{{3, 0, 0}, {4, 1, 1}}, {{0, 1, 0}, {1, 2, 1}}}},
    {"three parts of a plane", 1, 10, 3, {{{1, 0, 0}, {4, 1, 1}}, {{0, 1, 0}, {4, 2, 1}}, {{0, 2, 0}, {2, 3, 1}}}},
    {"full planes", 12, 36, 1, {{{0, 0, 1}, {4, 3, 3}}}},
    {"from plane to plane", 11, 13, 2, {{{3, 2, 0}, {4, 3, 1}}, {{0, 0, 1}, {1, 1, 2}}}},
    {"five boxes",
     5,
     55,
     5,
     {{{1, 1, 0}, {4, 2, 1}},
      {{0, 2, 0}, {4, 3, 1}},
      {{0, 0, 1}, {4, 3, 4}},
      {{0, 0, 4}, {4, 1, 5}},
      {{0, 1, 4}, {3, 2, 5}}}},
};

static void test_intervals(void **state)
{
    (void)state;
    const wl_geometry g = grid_of(4, 3, 5);
    for (size_t i = 0; i < COUNT_OF(intervals); i++) {
        wl_block_set set;
        wl_block_interval(&g, intervals[i].first, intervals[i].last, &set);
        check_int(intervals[i].name, "boxes", set.count, intervals[i].count);
        for (int b = 0; b < set.count && b < intervals[i].count; b++) {
            for (int d = 0; d < 3; d++) {
                check_int(intervals[i].name, "from", set.boxes[b].lo[d], intervals[i].boxes[b].lo[d]);
                check_int(intervals[i].name, "to", set.boxes[b].hi[d], intervals[i].boxes[b].hi[d]);
            }
        }
    }
    check_done();
}

/* Random grids and intervals: at most five boxes, disjoint, and exactly the blocks of the
 * interval. */
static void test_random_intervals(void **state)
{
    enum { BLOCKS_MAX = 12 * 12 * 12 };
    static unsigned char seen[BLOCKS_MAX];
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t seed = i;
        const int64_t nx = check_random_in(&seed, 1, 12), ny = check_random_in(&seed, 1, 12);
        const wl_geometry g = grid_of(nx, ny, check_random_in(&seed, 1, 12));
        const int64_t a = check_random_in(&seed, 0, g.blocks), b = check_random_in(&seed, 0, g.blocks);
        const int64_t first = a < b ? a : b, last = a < b ? b : a;
        char name[96];
        wl_block_set set;
        (void)snprintf(name, sizeof name, "seed %d: blocks %d..%d of %dx%dx%d", (int)i, (int)first, (int)last,
                       (int)g.grid[0], (int)g.grid[1], (int)g.grid[2]);
        wl_block_interval(&g, first, last, &set);
        check_true(name, "at most five boxes", set.count <= WL_BLOCK_BOXES_MAX);
        memset(seen, 0, (size_t)g.blocks);
        int64_t total = 0;
        for (int k = 0; k < set.count; k++) {
            const wl_box3 *box = &set.boxes[k];
            for (int d = 0; d < 3; d++)
                check_true(name, "box inside the grid and not empty",
                           box->lo[d] >= 0 && box->lo[d] < box->hi[d] && box->hi[d] <= g.grid[d]);
            for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
                for (int64_t y = box->lo[1]; y < box->hi[1]; y++)
                    for (int64_t x = box->lo[0]; x < box->hi[0]; x++, total++)
                        seen[(z * g.grid[1] + y) * g.grid[0] + x]++;
        }
        int64_t wrong = 0;
        for (int64_t n = 0; n < g.blocks; n++)
            wrong += seen[n] != (n >= first && n < last);
        check_int(name, "blocks in no box or in several or outside the interval", wrong, 0);
        check_int(name, "blocks", total, last - first);
    }
    check_done();
}

/* Grids too large to visit: the boxes' volumes add up. */
static void test_large_intervals(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 2000; i++) {
        const int64_t nx = check_random_in(&seed, 1, 2147483647), ny = check_random_in(&seed, 1, 65535);
        const wl_geometry g = grid_of(nx, ny, check_random_in(&seed, 1, 8000));
        const int64_t first = check_random_in(&seed, 0, g.blocks), last = check_random_in(&seed, first, g.blocks);
        wl_block_set set;
        wl_block_interval(&g, first, last, &set);
        int64_t total = 0;
        for (int k = 0; k < set.count; k++) {
            int64_t volume = 1;
            for (int d = 0; d < 3; d++)
                volume *= set.boxes[k].hi[d] - set.boxes[k].lo[d];
            total += volume;
        }
        check_int("large grid", "blocks", total, last - first);
    }
    check_done();
}

/* ---- cells ---- */

static void test_edge_cells(void **state)
{
    static const struct {
        const char *name;
        wl_box3 blocks, cells;
    } cases[] = {
        /* a domain of 100x10x3 in blocks of 32x4x2, folded 1x2x1: a grid of 4x2x2 */
        {"inner block", {{1, 0, 0}, {2, 1, 1}}, {{32, 0, 0}, {64, 8, 2}}},
        {"edge in x", {{3, 0, 0}, {4, 1, 1}}, {{96, 0, 0}, {100, 8, 2}}},
        {"edge in y", {{0, 1, 0}, {1, 2, 1}}, {{0, 8, 0}, {32, 10, 2}}},
        {"edge in z", {{0, 0, 1}, {1, 1, 2}}, {{0, 0, 2}, {32, 8, 3}}},
        {"corner", {{3, 1, 1}, {4, 2, 2}}, {{96, 8, 2}, {100, 10, 3}}},
        {"two blocks up to the edge", {{2, 0, 0}, {4, 2, 1}}, {{64, 0, 0}, {100, 10, 2}}},
        {"beyond the domain: empty", {{4, 0, 0}, {6, 1, 1}}, {{100, 0, 0}, {100, 8, 2}}},
    };
    static const int64_t domain[3] = {100, 10, 3};
    (void)state;
    wl_device *device = builtin("v100");
    const wl_kernel kernel = kernel_over(3, domain, 0, 0);
    const wl_launch launch = {.block = {32, 4, 2}, .fold = {1, 2, 1}, .grid = {6, 2, 2}};
    wl_geometry g;
    wl_error err = {0};
    assert_int_equal(wl_geometry_make(&kernel, device, &launch, &g, &err), WL_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_box3 cells = wl_block_cells(&g, &cases[i].blocks);
        for (int d = 0; d < 3; d++) {
            check_int(cases[i].name, "from", cells.lo[d], cases[i].cells.lo[d]);
            check_int(cases[i].name, "to", cells.hi[d], cases[i].cells.hi[d]);
        }
    }
    wl_device_free(device);
    check_done();
}

/* Every cell of the domain is worked on by exactly one lane of one warp in one fold. */
static void test_lanes(void **state)
{
    static const struct {
        const char *name;
        int64_t domain[3], block[3], fold[3];
        int warp_size;
        int64_t first[3];
    } cases[] = {
        {"exact", {64, 8, 2}, {32, 2, 1}, {1, 1, 1}, 32, {0, 0, 0}},
        {"edges", {50, 7, 3}, {32, 2, 2}, {1, 1, 1}, 32, {0, 0, 0}},
        {"warps across rows", {50, 7, 3}, {12, 5, 1}, {1, 1, 1}, 32, {0, 0, 0}},
        {"warps of 64", {50, 7, 3}, {24, 4, 2}, {1, 1, 1}, 64, {0, 0, 0}},
        {"folded", {50, 7, 3}, {8, 4, 1}, {3, 2, 2}, 32, {0, 0, 0}},
        {"a part of a warp", {50, 7, 3}, {5, 3, 1}, {2, 1, 1}, 32, {0, 0, 0}},
        {"a border", {50, 7, 3}, {32, 2, 2}, {1, 1, 1}, 32, {1, 1, 1}},
        {"blocks before the first cell", {50, 7, 3}, {8, 2, 1}, {1, 1, 1}, 32, {17, 3, 2}},
        {"folded, and a border", {50, 7, 3}, {8, 4, 1}, {3, 2, 2}, 32, {4, 1, 1}},
        {"one cell", {50, 7, 3}, {8, 4, 1}, {3, 2, 2}, 32, {49, 6, 2}},
    };
    enum { CELLS_MAX = 64 * 8 * 3 };
    static int seen[CELLS_MAX];
    (void)state;
    wl_device *device = builtin("v100");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_kernel kernel = kernel_over(3, cases[i].domain, 0, 0);
        wl_launch launch = {0};
        memcpy(kernel.first, cases[i].first, sizeof kernel.first);
        memcpy(launch.block, cases[i].block, sizeof launch.block);
        memcpy(launch.fold, cases[i].fold, sizeof launch.fold);
        wl_geometry g;
        wl_error err = {0};
        check_ok(cases[i].name, wl_geometry_make(&kernel, device, &launch, &g, &err), &err);
        memset(seen, 0, sizeof seen);
        for (int64_t block = 0; block < g.blocks; block++) {
            wl_warp_id warp = {
                .block = {block % g.grid[0], block / g.grid[0] % g.grid[1], block / g.grid[0] / g.grid[1]}};
            for (warp.first_thread = 0; warp.first_thread < g.threads; warp.first_thread += cases[i].warp_size) {
                for (int64_t f = 0; f < g.fold[0] * g.fold[1] * g.fold[2]; f++) {
                    const int64_t fold[3] = {f % g.fold[0], f / g.fold[0] % g.fold[1], f / g.fold[0] / g.fold[1]};
                    static wl_lane_values values;
                    uint8_t lane[WL_LANES_MAX];
                    const int n = wl_lanes_fill(&g, &warp, cases[i].warp_size, fold, &values, lane);
                    check_int(cases[i].name, "lanes", values.lanes, n);
                    for (int l = 0; l < n; l++) {
                        int64_t cell[3], thread[3];
                        for (int d = 0; d < 3; d++) {
                            cell[d] = values.at[WL_VAR_X + d][l];
                            thread[d] = values.at[WL_VAR_THREAD_X + d][l];
                            check_int(cases[i].name, "cell", cell[d],
                                      (warp.block[d] * g.block[d] + thread[d]) * g.fold[d] + fold[d]);
                            check_int(cases[i].name, "blockIdx", values.at[WL_VAR_BLOCK_X + d][l], warp.block[d]);
                            check_int(cases[i].name, "blockDim", values.at[WL_VAR_BLOCKDIM_X + d][l], g.block[d]);
                            check_int(cases[i].name, "gridDim", values.at[WL_VAR_GRIDDIM_X + d][l], g.grid[d]);
                        }
                        check_int(cases[i].name, "lane", lane[l],
                                  thread[0] + g.block[0] * (thread[1] + g.block[1] * thread[2]) - warp.first_thread);
                        seen[(cell[2] * g.cells[1] + cell[1]) * g.cells[0] + cell[0]]++;
                    }
                }
            }
        }
        int64_t wrong = 0, inside = 0;
        for (int64_t c = 0; c < g.cells[0] * g.cells[1] * g.cells[2]; c++) {
            const int64_t cell[3] = {c % g.cells[0], c / g.cells[0] % g.cells[1], c / g.cells[0] / g.cells[1]};
            const bool works = cell[0] >= kernel.first[0] && cell[1] >= kernel.first[1] && cell[2] >= kernel.first[2];
            wrong += seen[c] != works;
            inside += works;
        }
        check_int(cases[i].name, "cells not worked on exactly once", wrong, 0);
        check_int(cases[i].name, "items", g.items, inside);
    }
    wl_device_free(device);
    check_done();
}

/* Lanes that have any of their folded cells inside. */
static void test_any_fold(void **state)
{
    const wl_geometry g = {.block = {4, 2, 1},
                           .fold = {3, 1, 1},
                           .grid = {2, 1, 1},
                           .grid_dim = {2, 1, 1},
                           .cells = {20, 2, 1},
                           .first = {4, 1, 0},
                           .threads = 8,
                           .blocks = 2};
    const int64_t any[3] = {WL_FOLD_ANY, WL_FOLD_ANY, WL_FOLD_ANY};
    static wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    (void)state;
    /* y = 1 only; threads of x have cells 0-2, 3-5, 6-8, 9-11 and 12-14, 15-17, 18-20, 21-23 */
    static const uint8_t lanes[2][3] = {{5, 6, 7}, {4, 5, 6}};
    static const int64_t cells[2][3] = {{4, 6, 9}, {12, 15, 18}};
    for (int64_t b = 0; b < 2; b++) {
        check_int("any", "lanes", wl_lanes_fill(&g, &(wl_warp_id){{b, 0, 0}, 0}, 32, any, &values, lane), 3);
        for (int i = 0; i < 3; i++) {
            check_int("any", "lane", lane[i], lanes[b][i]);
            check_int("any", "cell", values.at[WL_VAR_X][i], cells[b][i]);
        }
    }
    check_done();
}

/* What the classes say of every block is what its cells say; blocks without cells are in none. */
static void test_classes(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        wl_geometry g = {.threads = 1, .blocks = 1};
        for (int d = 0; d < 3; d++) {
            g.block[d] = check_random_in(&seed, 1, 4);
            g.fold[d] = check_random_in(&seed, 1, 3);
            g.grid[d] = check_random_in(&seed, 1, 5);
            g.cells[d] = check_random_in(&seed, 1, g.grid[d] * g.block[d] * g.fold[d]);
            g.first[d] = trial % 2 ? check_random_in(&seed, 0, g.cells[d] - 1) : 0;
            g.blocks *= g.grid[d];
        }
        wl_block_class classes[WL_BLOCK_CLASSES_MAX];
        const int count = wl_block_classes(&g, classes);
        const wl_geometry busy = wl_geometry_busy(&g);
        int64_t with_cells = 0;
        for (int64_t n = 0; n < g.blocks; n++) {
            wl_box3 one;
            wl_block_at(&g, n, one.lo);
            for (int d = 0; d < 3; d++)
                one.hi[d] = one.lo[d] + 1;
            const wl_box3 cells = wl_block_cells(&g, &one);
            const bool empty = cells.lo[0] == cells.hi[0] || cells.lo[1] == cells.hi[1] || cells.lo[2] == cells.hi[2];
            int found = 0;
            for (int c = 0; c < count; c++) {
                bool inside = true, same = true, whole = true;
                for (int d = 0; d < 3; d++) {
                    const int64_t extent = g.block[d] * g.fold[d], start = one.lo[d] * extent;
                    inside = inside && one.lo[d] >= classes[c].first[d] &&
                             one.lo[d] < classes[c].first[d] + classes[c].count[d];
                    same =
                        same && cells.lo[d] - start == classes[c].skip[d] && cells.hi[d] - start == classes[c].cells[d];
                    whole = whole && cells.hi[d] - cells.lo[d] == extent;
                }
                found += inside;
                check_true("classes", "cells of a block", !inside || (same && whole == classes[c].whole));
            }
            check_int("classes", "that a block is in", found, !empty);
            with_cells += !empty;
        }
        check_int("classes", "busy blocks", busy.blocks, with_cells);
        wl_block_set all;
        wl_block_interval(&busy, 0, busy.blocks, &all);
        check_int("classes", "boxes of busy blocks", all.count, 1);
        for (int d = 0; d < 3; d++) {
            check_int("classes", "first busy block", all.boxes[0].lo[d], g.first[d] / (g.block[d] * g.fold[d]));
            check_int("classes", "busy grid", all.boxes[0].hi[d] - all.boxes[0].lo[d], busy.grid[d]);
        }
    }
    check_done();
}

static void test_ranges(void **state)
{
    static const int64_t domain[3] = {100, 10, 3};
    (void)state;
    wl_device *device = builtin("v100");
    wl_kernel kernel = kernel_over(3, domain, 0, 0);
    kernel.loop_count = 2;
    kernel.loop_extent[0] = 16;
    kernel.loop_extent[1] = 1;
    const wl_launch launch = {.block = {32, 4, 2}};
    wl_geometry g;
    wl_ranges r;
    wl_error err = {0};
    assert_int_equal(wl_geometry_make(&kernel, device, &launch, &g, &err), WL_OK);
    wl_geometry_ranges(&g, &kernel, &r);
    static const struct {
        const char *name;
        wl_var var;
        int64_t lo, hi;
    } want[] = {
        {"x", WL_VAR_X, 0, 99},
        {"y", WL_VAR_Y, 0, 9},
        {"z", WL_VAR_Z, 0, 2},
        {"threadIdx.x", WL_VAR_THREAD_X, 0, 31},
        {"threadIdx.y", WL_VAR_THREAD_Y, 0, 3},
        {"threadIdx.z", WL_VAR_THREAD_Z, 0, 1},
        {"blockIdx.x", WL_VAR_BLOCK_X, 0, 3},
        {"blockIdx.y", WL_VAR_BLOCK_Y, 0, 2},
        {"blockIdx.z", WL_VAR_BLOCK_Z, 0, 1},
        {"blockDim.x", WL_VAR_BLOCKDIM_X, 32, 32},
        {"blockDim.z", WL_VAR_BLOCKDIM_Z, 2, 2},
        {"gridDim.x", WL_VAR_GRIDDIM_X, 4, 4},
        {"gridDim.z", WL_VAR_GRIDDIM_Z, 2, 2},
        {"first loop", WL_VAR_LOOP_0, 0, 15},
        {"second loop", WL_VAR_LOOP_1, 0, 0},
        {"no third loop", WL_VAR_LOOP_2, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        check_int(want[i].name, "from", r.lo[want[i].var], want[i].lo);
        check_int(want[i].name, "to", r.hi[want[i].var], want[i].hi);
    }
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_bad_launches),    cmocka_unit_test(test_enormous_grid),
        cmocka_unit_test(test_intervals),       cmocka_unit_test(test_random_intervals),
        cmocka_unit_test(test_large_intervals), cmocka_unit_test(test_edge_cells),
        cmocka_unit_test(test_lanes),           cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_any_fold),        cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
