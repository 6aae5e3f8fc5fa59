/* launch_cases.h - random launches of random kernels on random devices, small enough to enumerate:
 * what prop_warps.c and prop_block_sums.c share.
 *
 * WL_SEED sets the first seed and WL_ITERATIONS the number of random cases per test;
 * WL_STATISTICS=1 prints what was compared. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PROPERTY_LAUNCH_CASES_H
#define WL_TESTS_PROPERTY_LAUNCH_CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the shared headers hold more than one test needs */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "count/view.h"
#include "property/random_kernel.h"
#include "property/trial.h"

#define DEVICES_MAX 32
#define PAIRS_MAX 2048       /* accesses times folded cells */
#define REFERENCES_MAX 60000 /* of a case; larger ones are cut */

static struct {
    uint64_t seed, iterations; /* 0 iterations: each test's own number */
    wl_device *devices[DEVICES_MAX];
    size_t device_count;
    int64_t cases, too_large;
    bool guards;    /* accesses get affine conditions */
    bool quotients; /* thread indices are divided */
} run;

static trial current; /* large, so not on the stack */
static addresses listed;
static wl_counter counter;

static uint64_t iterations(uint64_t usual) { return run.iterations ? run.iterations : effort_cases(usual); }

static int64_t fold_cells(const trial *t)
{
    return t->input.launch.fold[0] * t->input.launch.fold[1] * t->input.launch.fold[2];
}

static const wl_device *random_device(random_source *r)
{
    const char *wanted = random_chance(r, 45) ? "h200" : random_chance(r, 55) ? "a100-40gb" : "";
    for (size_t i = 0; i < run.device_count; i++)
        if (strcmp(wl_device_name(run.devices[i]), wanted) == 0)
            return run.devices[i];
    return run.devices[random_in(r, 0, (int64_t)run.device_count - 1)];
}

/* Deeper folds and fuller blocks than the shared generator draws. */
static void random_variation(random_source *r, wl_launch *l)
{
    static const int64_t folds[][3] = {{4, 1, 1}, {1, 4, 1}, {1, 1, 4}, {2, 2, 2},
                                       {8, 1, 1}, {1, 2, 8}, {5, 3, 1}, {1, 1, 64}};
    static const int64_t shapes[][3] = {{64, 2, 1}, {128, 1, 1}, {16, 16, 1}, {8, 8, 8}, {33, 3, 1}, {1, 32, 1},
                                        {1, 1, 32}, {48, 2, 2},  {32, 32, 1}, {8, 6, 2}, {4, 12, 2}, {2, 3, 16}};
    if (random_chance(r, 20))
        memcpy(l->fold, RANDOM_OF(r, folds), sizeof l->fold);
    if (random_chance(r, 25))
        memcpy(l->block, RANDOM_OF(r, shapes), sizeof l->block);
}

/* Cells of the launch times accesses times loop steps. */
static int64_t references(const trial *t)
{
    int64_t n = (int64_t)t->kernel->access_count * fold_cells(t);
    for (int d = 0; d < 3; d++)
        n *= t->grid[d] * t->input.launch.block[d];
    for (int i = 0; i < t->kernel->loop_count; i++)
        n *= t->kernel->loop_extent[i];
    return n;
}

/* False when it is too large to enumerate. Origins move by a random amount, so that all columns of
 * the hash are used.
 */
static bool start_case(uint64_t seed, random_source *r, const wl_device **device)
{
    trial_end(&current);
    current.seed = seed;
    random_case_make(seed, &current.input);
    if (run.quotients)
        random_quotients(seed, &current.input);
    if (run.guards)
        random_guards(seed, &current.input);
    *r = random_start(~seed);
    *device = random_device(r);
    random_variation(r, &current.input.launch);
    random_grid_reaches(&current.input);
    trial_load(&current, *device, random_chance(r, 50) ? 0 : random_in(r, -((int64_t)1 << 31), (int64_t)1 << 31));
    run.cases++;
    const bool small = references(&current) <= REFERENCES_MAX &&
                       (int64_t)current.kernel->access_count * fold_cells(&current) <= PAIRS_MAX;
    run.too_large += !small;
    return small;
}

/* Blocks that have nothing to do cost nothing: with them or without. */
static wl_geometry some_geometry(const trial *t) { return t->seed % 2 ? wl_geometry_busy(&t->geometry) : t->geometry; }

/* As wl_predict makes it. */
static wl_view make_view(const trial *t, wl_arena *arena)
{
    wl_view view;
    wl_error err = {0};
    if (wl_view_make(t->kernel, wl_view_is_fixed(t->kernel) ? NULL : &t->geometry, arena, &view, &err) != WL_OK)
        trial_fail(t, &err);
    return view;
}

/* Every reference of threads first <= n < last of one block. */
static void enumerate_threads(const trial *t, const group *g, int64_t n, int64_t first, int64_t last)
{
    const int64_t block[3] = {n % t->grid[0], n / t->grid[0] % t->grid[1], n / t->grid[0] / t->grid[1]};
    int64_t variables[WL_VAR_COUNT];
    listed.count = 0;
    for (int64_t thread = first; thread < last; thread++)
        for (int64_t cell = 0; cell < fold_cells(t); cell++)
            if (set_cell(t, block, thread, cell, variables))
                run_cell(t, g, variables, &listed);
    if (listed.count)
        qsort(listed.starts, listed.count, sizeof *listed.starts, compare_references);
}

static int start_run(void **state)
{
    (void)state;
    wl_error err = {0};
    const char *seed = getenv("WL_SEED"), *count = getenv("WL_ITERATIONS");
    run.seed = seed ? strtoull(seed, NULL, 10) : 1;
    run.iterations = count ? strtoull(count, NULL, 10) : 0;
    counter.row_budget = WL_ROW_BUDGET;
    for (size_t i = 0; i < wl_device_builtin_count() && i < DEVICES_MAX; i++)
        if (wl_device_builtin(wl_device_builtin_name(i), &run.devices[run.device_count++], &err) != WL_OK)
            return -1;
    return 0;
}

static void end_run(void)
{
    trial_end(&current); /* a failed test leaves it behind */
    for (size_t i = 0; i < run.device_count; i++)
        wl_device_free(run.devices[i]);
    wl_counter_free(&counter);
    free(listed.starts);
}

#endif /* WL_TESTS_PROPERTY_LAUNCH_CASES_H */
