/* test_scheduled_launch.c - launch/scheduled.h: grids, lanes and sets of blocks under a schedule.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include "launch/geometry.h"
#include "launch/lanes.h"
#include "property/random_source.h"
#include "warpline/predict.h"

static wl_kernel kernel_over(int dims, int64_t x, int64_t y, int64_t z)
{
    return (wl_kernel){.name = "test", .dims = dims, .domain = {x, y, z}};
}

#define COLUMN(w)                                                                                                      \
    {                                                                                                                  \
        WL_SCHEDULE_COLUMN, w, 0                                                                                       \
    }
#define SWIZZLE(g)                                                                                                     \
    {                                                                                                                  \
        WL_SCHEDULE_SWIZZLE, g, 0                                                                                      \
    }

/* ---- grids ---- */

static const struct {
    const char *name;
    wl_launch launch;
    int64_t grid[3], blocks, items, positions;
} good[] = {
    /* over 100 x 30 x 7 = 21000 cells */
    {"column", {.block = {256}, .schedule = COLUMN(32)}, {83, 1, 1}, 83, 21000, 21000},
    {"tile", {.block = {32}, .schedule = {WL_SCHEDULE_TILE, 8, 4}}, {657, 1, 1}, 657, 21000, 21000},
    {"wider than a row", {.block = {256}, .schedule = COLUMN(4096)}, {83, 1, 1}, 83, 21000, 21000},
    {"a given grid", {.block = {256}, .grid = {10}, .schedule = COLUMN(32)}, {10, 1, 1}, 10, 2560, 2560},
    {"a grid beyond", {.block = {256}, .grid = {99, 1, 1}, .schedule = COLUMN(32)}, {99, 1, 1}, 99, 21000, 21000},
    {"swizzle", {.block = {32, 4}, .schedule = SWIZZLE(3)}, {4, 8, 7}, 224, 21000, 0},
    {"swizzle, folded", {.block = {32, 4}, .fold = {1, 2, 7}, .schedule = SWIZZLE(3)}, {4, 4, 1}, 16, 21000, 0},
};

static void grids_follow_from_schedules(void **state)
{
    (void)state;
    wl_device *device = given_device("v100");
    const wl_kernel kernel = kernel_over(3, 100, 30, 7);
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        wl_geometry g;
        wl_error err = {0};
        check_ok(good[i].name, wl_geometry_make(&kernel, device, &good[i].launch, &g, &err), &err);
        for (int d = 0; d < 3; d++)
            check_int(good[i].name, "grid", g.grid[d], good[i].grid[d]);
        check_int(good[i].name, "blocks", g.blocks, good[i].blocks);
        check_int(good[i].name, "items", g.items, good[i].items);
        check_int(good[i].name, "positions", g.positions, good[i].positions);
    }
    wl_device_free(device);
    check_done();
}

static const struct {
    const char *name;
    int dims;
    wl_launch launch;
    int64_t first;
    expected_error want;
} bad[] = {
    {"a block of two dimensions",
     2,
     {.block = {32, 8}, .schedule = COLUMN(32)},
     0,
     {WL_E_UNSUPPORTED, "column:32 orders threads, so a block is a row of them: give --block 256", 0, 0}},
    {"a block of depth",
     3,
     {.block = {32, 1, 8}, .schedule = {WL_SCHEDULE_HILBERT, 0, 0}},
     0,
     {WL_E_UNSUPPORTED, "hilbert orders threads, so a block is a row of them", 0, 0}},
    {"folded",
     2,
     {.block = {256}, .fold = {1, 4}, .schedule = COLUMN(32)},
     0,
     {WL_E_UNSUPPORTED, "column:32 orders threads, and gives each one cell: they cannot be folded", 0, 0}},
    {"a grid of two dimensions",
     2,
     {.block = {256}, .grid = {2, 2}, .schedule = COLUMN(32)},
     0,
     {WL_E_UNSUPPORTED, "column:32 orders threads, so the grid is a row of blocks", 0, 0}},
    {"no domain",
     0,
     {.block = {256}, .grid = {4}, .schedule = COLUMN(32)},
     0,
     {WL_E_UNSUPPORTED, "column:32 orders threads, and needs their domain; this kernel has none", 0, 0}},
    {"a negative grid",
     2,
     {.block = {256}, .grid = {-4}, .schedule = COLUMN(32)},
     0,
     {WL_E_INPUT, "a grid's extents are positive", 0, 0}},
    {"width 0",
     2,
     {.block = {256}, .schedule = COLUMN(0)},
     0,
     {WL_E_INPUT, "the widths and heights of a schedule are 1 or more", 0, 0}},
    {"swizzle of 0",
     2,
     {.block = {32, 8}, .schedule = SWIZZLE(0)},
     0,
     {WL_E_INPUT, "the widths and heights of a schedule are 1 or more", 0, 0}},
    {"part of a domain that starts later",
     2,
     {.block = {256}, .grid = {3}, .schedule = COLUMN(32)},
     5,
     {WL_E_UNSUPPORTED, "this grid covers a part of a domain that does not start at cell 0", 0, 0}},
    {"idle rows of blocks",
     2,
     {.block = {32, 2}, .schedule = SWIZZLE(4)},
     5,
     {WL_E_UNSUPPORTED, "the first 2 rows of blocks are idle", 0, 0}},
};

static void launches_without_meaning_are_refused(void **state)
{
    (void)state;
    wl_device *device = given_device("v100");
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_kernel kernel = kernel_over(bad[i].dims, 100, 30, 7);
        kernel.first[1] = bad[i].first;
        wl_geometry g;
        wl_error err = {0};
        check_error(bad[i].name, wl_geometry_make(&kernel, device, &bad[i].launch, &g, &err), &err, &bad[i].want);
    }
    wl_device_free(device);
    check_done();
}

static void conditions_see_the_grid_of_a_schedule(void **state)
{
    (void)state;
    const wl_kernel kernel = kernel_over(3, 100, 30, 7);
    int64_t values[WL_WHERE_NAMES];
    wl_launch_values(&kernel, 32, &good[0].launch, values);
    check_int("column", "grid.x", values[WL_WHERE_GRID], 83);
    check_int("column", "grid.y", values[WL_WHERE_GRID + 1], 1);
    check_done();
}

/* ---- lanes ---- */

/* The warps of a launch visit the cells of the order one after the other, but for those before the
 * domain. */
static void check_lanes(const wl_geometry *launched, const char *name)
{
    const wl_geometry g = wl_geometry_busy(launched);
    static const int64_t fold[3] = {0};
    int64_t next = 0, items = 0;
    for (int64_t n = 0; n < g.blocks; n++)
        for (int64_t t = 0; t < g.threads; t += 32) {
            wl_warp_id warp = {.first_thread = t};
            wl_lane_values values;
            uint8_t lane[WL_LANES_MAX];
            wl_block_at(&g, n, warp.block);
            const int lanes = wl_lanes_fill(&g, &warp, 32, fold, &values, lane);
            const int64_t start = n * g.threads + t;
            for (int i = 0; i < lanes; i++, items++) {
                int64_t cell[3];
                const int64_t position = start + lane[i];
                check_true(name, "lanes in order", position >= next);
                next = position + 1;
                wl_order_cell(&g.order, position, cell);
                for (int d = 0; d < 3; d++) {
                    check_int(name, "cell", values.at[WL_VAR_X + d][i], cell[d]);
                    check_true(name, "inside the domain", cell[d] >= g.first[d]);
                }
                check_int(name, "thread", values.at[WL_VAR_THREAD_X][i], t + lane[i]);
                check_int(name, "block", values.at[WL_VAR_BLOCK_X][i], n);
            }
        }
    check_int(name, "cells of all lanes", items, g.items);
}

static void lanes_visit_the_order(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        wl_launch launch;
        int64_t first[3];
    } cases[] = {
        {"column", {.block = {100}, .schedule = COLUMN(7)}, {0}},
        {"hilbert", {.block = {64}, .schedule = {WL_SCHEDULE_HILBERT, 0, 0}}, {0}},
        {"tile, part", {.block = {64}, .grid = {5}, .schedule = {WL_SCHEDULE_TILE, 5, 3}}, {0}},
        {"zigzag, too many", {.block = {96}, .grid = {50}, .schedule = {WL_SCHEDULE_ZIGZAG, 9, 0}}, {0}},
        {"column behind a margin", {.block = {100}, .schedule = COLUMN(7)}, {2, 3, 1}},
    };
    wl_device *device = given_device("v100");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_kernel kernel = kernel_over(3, 23, 19, 5);
        memcpy(kernel.first, cases[i].first, sizeof kernel.first);
        wl_geometry g;
        wl_error err = {0};
        check_ok(cases[i].name, wl_geometry_make(&kernel, device, &cases[i].launch, &g, &err), &err);
        check_lanes(&g, cases[i].name);
    }
    wl_device_free(device);
    check_done();
}

/* ---- swizzled blocks ---- */

static bool is_in(const wl_block_set *set, const int64_t block[3])
{
    int times = 0;
    for (int i = 0; i < set->count; i++) {
        bool inside = true;
        for (int d = 0; d < 3; d++)
            inside = inside && block[d] >= set->boxes[i].lo[d] && block[d] < set->boxes[i].hi[d];
        times += inside;
    }
    return times == 1;
}

static int64_t volume(const wl_block_set *set)
{
    int64_t blocks = 0;
    for (int i = 0; i < set->count; i++)
        blocks += (set->boxes[i].hi[0] - set->boxes[i].lo[0]) * (set->boxes[i].hi[1] - set->boxes[i].lo[1]) *
                  (set->boxes[i].hi[2] - set->boxes[i].lo[2]);
    return blocks;
}

/* A random interval of blocks is its boxes; returns how many these are. */
static int check_interval(const wl_geometry *g, random_source *r)
{
    const int64_t first = random_in(r, 0, g->blocks), last = random_in(r, first, g->blocks);
    wl_block_set set;
    wl_block_interval(g, first, last, &set);
    if (volume(&set) != last - first)
        fail_msg("blocks %lld..%lld: %lld", (long long)first, (long long)last, (long long)volume(&set));
    for (int64_t n = first; n < last; n++) {
        int64_t block[3];
        wl_block_at(g, n, block);
        if (!is_in(&set, block))
            fail_msg("block %lld of %lld..%lld is not in one box", (long long)n, (long long)first, (long long)last);
    }
    return set.count;
}

static void swizzled_intervals_are_their_blocks(void **state)
{
    (void)state;
    random_source r = random_start(7);
    int most = 0;
    wl_device *device = given_device("v100");
    for (int i = 0; i < 20000; i++) {
        int64_t e[3], group = random_in(&r, 1, 9);
        for (int d = 0; d < 3; d++)
            e[d] = random_in(&r, 1, 8);
        wl_kernel kernel = kernel_over(3, e[0], e[1], e[2]);
        kernel.first[0] = random_in(&r, 0, e[0] - 1); /* leading idle blocks */
        kernel.first[1] = random_in(&r, 0, e[1] - 1) / group * group;
        const wl_launch launch = {.block = {1}, .schedule = SWIZZLE(group)};
        wl_geometry g;
        wl_error err = {0};
        if (wl_geometry_make(&kernel, device, &launch, &g, &err) != WL_OK)
            fail_msg("%s", err.message);
        g = wl_geometry_busy(&g);
        const int count = check_interval(&g, &r);
        most = count > most ? count : most;
    }
    wl_device_free(device);
    assert_int_equal(most, 7);
}

/* ---- threads whose blocks are boxes of cells ---- */

/* Thread t of block n works on the cell at position n * threads + t, whether blocks are boxes or
 * not. */
static void check_cells(const wl_geometry *g, const wl_order *order)
{
    for (int64_t n = 0; n < g->blocks; n++) {
        wl_warp_id warp = {.first_thread = 0};
        wl_lane_values values;
        uint8_t lane[WL_LANES_MAX];
        wl_block_at(g, n, warp.block);
        const int lanes = wl_lanes_fill(g, &warp, WL_LANES_MAX, (const int64_t[3]){0}, &values, lane);
        for (int l = 0; l < lanes; l++) {
            int64_t cell[3];
            wl_order_cell(order, n * g->threads + l, cell);
            for (int d = 0; d < 3; d++)
                if (values.at[WL_VAR_X + d][l] != cell[d])
                    fail_msg("block %lld, lane %d, dimension %d: %lld, not %lld", (long long)n, l, d,
                             (long long)values.at[WL_VAR_X + d][l], (long long)cell[d]);
        }
    }
}

static void boxes_are_the_cells_of_their_threads(void **state)
{
    (void)state;
    random_source r = random_start(11);
    int most = 0, boxed = 0;
    wl_device *device = given_device("v100");
    for (int i = 0; i < 20000; i++) {
        const int64_t wide = (int64_t)1 << random_in(&r, 0, 4), high = (int64_t)1 << random_in(&r, 0, 3);
        const int64_t threads = (int64_t)1 << random_in(&r, 0, 5);
        const wl_kernel kernel = kernel_over(3, wide * random_in(&r, 1, 4), random_in(&r, 1, 12), random_in(&r, 1, 4));
        const bool column = random_in(&r, 0, 1);
        const wl_launch launch = {
            .block = {threads}, .schedule = {column ? WL_SCHEDULE_COLUMN : WL_SCHEDULE_TILE, wide, column ? 0 : high}};
        wl_geometry g;
        wl_order order;
        wl_error err = {0};
        if (wl_geometry_make(&kernel, device, &launch, &g, &err) != WL_OK ||
            wl_order_make(&launch.schedule, kernel.domain, &order, &err) != WL_OK)
            fail_msg("%s", err.message);
        boxed += g.boxed;
        check_cells(&g, &order);
        const int count = check_interval(&g, &r);
        most = count > most ? count : most;
    }
    wl_device_free(device);
    assert_true(boxed > 4000 && boxed < 16000);
    assert_in_range(most, 9, WL_BLOCK_BOXES_MAX);
}

/* Without idle blocks launch order is the mapping itself; with them, the same order without
 * these. */
static void idle_blocks_leave_the_order_alone(void **state)
{
    (void)state;
    wl_device *device = given_device("v100");
    wl_kernel kernel = kernel_over(2, 7, 11, 1);
    kernel.first[1] = 4;
    const wl_launch launch = {.block = {1}, .grid = {9, 13}, .schedule = SWIZZLE(4)};
    wl_geometry g, busy;
    wl_error err = {0};
    check_ok("swizzle", wl_geometry_make(&kernel, device, &launch, &g, &err), &err);
    busy = wl_geometry_busy(&g);
    int64_t n = 0, all[3], some[3];
    for (int64_t i = 0; i < g.blocks; i++) {
        wl_block_at(&g, i, all);
        if (all[0] >= 7 || all[1] < 4 || all[1] >= 11)
            continue;
        wl_block_at(&busy, n++, some);
        check_int("swizzle", "x", some[0], all[0]);
        check_int("swizzle", "y", some[1], all[1]);
    }
    check_int("swizzle", "busy blocks", busy.blocks, n);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_follow_from_schedules),           cmocka_unit_test(launches_without_meaning_are_refused),
        cmocka_unit_test(conditions_see_the_grid_of_a_schedule), cmocka_unit_test(lanes_visit_the_order),
        cmocka_unit_test(swizzled_intervals_are_their_blocks),   cmocka_unit_test(boxes_are_the_cells_of_their_threads),
        cmocka_unit_test(idle_blocks_leave_the_order_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
