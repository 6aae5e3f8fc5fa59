/* prop_footprint.c - footprints of random kernels against enumeration and isl, the laws they obey,
 * and cases by hand.
 *
 * WL_SEED sets the first seed and WL_ITERATIONS the number of random cases per test; a failure
 * prints the seed that shows it alone. WL_STATISTICS=1 prints how the counts were obtained.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "property/hand_counts.h"
#include "property/isl_oracle.h"
#include "property/random_kernel.h"
#include "property/trial.h"

static const int64_t granules[] = {32, 64, 128, 4096};
#define GRANULE_COUNT (sizeof granules / sizeof granules[0])

static struct {
    uint64_t seed, iterations; /* 0 iterations: each test's own number */
    wl_device *device;
    isl_ctx *isl;
    int64_t closed_form, rows, too_many_strides, not_affine; /* counts by how they were made */
    int64_t isl_compared, isl_skipped;
    int64_t bounded, even; /* expressions with bounds; in loops that advance evenly */
} run;

static trial current; /* large, so not on the stack */
static addresses listed;
static wl_counter counter;

static uint64_t iterations(uint64_t usual) { return run.iterations ? run.iterations : effort_cases(usual); }

static void expect(const trial *t, const group *g, blocks b, int64_t granule, const char *what, int64_t expected,
                   int64_t got)
{
    if (expected == got)
        return;
    trial_print(t);
    print_error("field f%zu, %zu accesses, blocks %lld..%lld, granule %lld\n", g->field, g->count, (long long)b.first,
                (long long)b.last - 1, (long long)granule);
    fail_msg("%s: expected %lld, got %lld", what, (long long)expected, (long long)got);
}

static void expect_at_most(const trial *t, const group *g, blocks b, int64_t granule, const char *what, int64_t limit,
                           int64_t got)
{
    if (got > limit)
        expect(t, g, b, granule, what, limit, got);
}

static blocks random_blocks(random_source *r, int64_t count)
{
    if (random_chance(r, 30))
        return (blocks){0, count};
    const int64_t first = random_in(r, 0, count - 1);
    return (blocks){first, random_chance(r, 30) ? first + 1 : random_in(r, first, count)};
}

/* A field and its loads, its stores or both. */
static group random_group(random_source *r, const trial *t)
{
    const size_t field = (size_t)random_in(r, 0, (int64_t)t->kernel->field_count - 1);
    return trial_group(t, field, (int)random_in(r, 0, 2));
}

static int64_t block_count(const trial *t) { return t->grid[0] * t->grid[1] * t->grid[2]; }

/* ---- expressions ---- */

static void random_point(random_source *r, const trial *t, int64_t point[WL_VAR_COUNT])
{
    for (int v = 0; v < WL_VAR_COUNT; v++)
        point[v] = random_in(r, t->ranges.lo[v], t->ranges.hi[v]);
}

static int64_t form_at(const wl_form *f, const int64_t *point)
{
    int64_t value = f->c;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        value += f->k[v] * point[v];
    return value;
}

/* The library's evaluation at many points, the one here, and the form agree; the form's bounds are
 * its extremes. */
static void check_expression(random_source *r, const trial *t, const group *g, const wl_expr *e)
{
    wl_lane_values values = {.lanes = (int)random_in(r, 1, WL_LANES_MAX)};
    int64_t got[WL_LANES_MAX], point[WL_VAR_COUNT], lo = 0, hi = 0, low_corner[WL_VAR_COUNT], high_corner[WL_VAR_COUNT];
    const blocks none = {0, 0};
    wl_error err = {0};
    bool affine = false;
    wl_form form;
    if (wl_expr_form(e, &t->ranges, &affine, &form, &err) != WL_OK)
        trial_fail(t, &err);
    for (int i = 0; i < values.lanes; i++) {
        random_point(r, t, point);
        for (int v = 0; v < WL_VAR_COUNT; v++)
            values.at[v][i] = point[v];
    }
    if (wl_expr_eval(e, &values, got, &err) != WL_OK)
        trial_fail(t, &err);
    for (int i = 0; i < values.lanes; i++) {
        for (int v = 0; v < WL_VAR_COUNT; v++)
            point[v] = values.at[v][i];
        expect(t, g, none, 0, "wl_expr_eval", evaluate(e, point), got[i]);
        if (affine)
            expect(t, g, none, 0, "wl_expr_form", got[i], form_at(&form, point));
    }
    if (!affine)
        return;
    for (int v = 0; v < WL_VAR_COUNT; v++) {
        const bool up = v < WL_VAR_FORM_COUNT && form.k[v] > 0;
        low_corner[v] = up ? t->ranges.lo[v] : t->ranges.hi[v];
        high_corner[v] = up ? t->ranges.hi[v] : t->ranges.lo[v];
    }
    assert_true(wl_form_bounds(&form, &t->ranges, &lo, &hi));
    expect(t, g, none, 0, "wl_form_bounds, low", evaluate(e, low_corner), lo);
    expect(t, g, none, 0, "wl_form_bounds, high", evaluate(e, high_corner), hi);
}

static void expressions_agree_with_evaluation(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(4000); i++) {
        trial_start(&current, run.device, run.seed + i);
        random_source r = random_start(~(run.seed + i));
        for (size_t a = 0; a < current.kernel->access_count; a++) {
            const group g = trial_group(&current, current.kernel->accesses[a].field, 2);
            check_expression(&r, &current, &g, current.kernel->accesses[a].index);
        }
        trial_end(&current);
    }
}

/* ---- enumeration ---- */

static void check_group(const trial *t, const group *g, blocks b)
{
    enumerate(t, g, b, &listed);
    for (size_t i = 0; i < GRANULE_COUNT; i++) {
        const int64_t granule = granules[i];
        const wl_count expected = count_enumerated(&listed, granule);
        wl_count got = count_threads(t, &counter, g, b, granule);
        expect(t, g, b, granule, "wl_threads_count touched", expected.touched, got.touched);
        if (!g->affine) {
            run.not_affine++;
            continue;
        }
        counter.method = WL_COUNT_CLOSED_FORM;
        if (!count_shape(t, &counter, g, b, granule, false, &got)) {
            run.too_many_strides++;
            continue;
        }
        *(counter.method == WL_COUNT_CLOSED_FORM ? &run.closed_form : &run.rows) += 1;
        expect(t, g, b, granule, "wl_shape_count touched", expected.touched, got.touched);
        expect(t, g, b, granule, "wl_shape_count covered when not asked", -1, got.covered);
        (void)count_shape(t, &counter, g, b, granule, true, &got);
        expect(t, g, b, granule, "wl_shape_count touched with covered", expected.touched, got.touched);
        expect(t, g, b, granule, "wl_shape_count covered", expected.covered, got.covered);
    }
}

static void counts_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(4000); i++) {
        trial_start(&current, run.device, run.seed + i);
        random_source r = random_start(~(run.seed + i));
        const blocks b = random_blocks(&r, block_count(&current));
        for (size_t field = 0; field < current.kernel->field_count; field++) {
            const group g = trial_group(&current, field, (int)random_in(&r, 0, 2));
            if (g.count)
                check_group(&current, &g, b);
        }
        trial_end(&current);
    }
}

/* ---- isl ---- */

static void check_with_isl(isl_ctx *ctx, const trial *t, const group *g, blocks b, int64_t granule)
{
    static isl_text text;
    const wl_count threads = count_threads(t, &counter, g, b, granule);
    wl_count shape = {0};
    if (threads.touched > 20000)
        return;
    const int64_t expected = count_isl(ctx, t, g, b, granule, &text);
    if (expected < 0) {
        run.isl_skipped++;
        return;
    }
    run.isl_compared++;
    if (expected != threads.touched)
        print_error("isl, last access: %s\n", text.text);
    expect(t, g, b, granule, "wl_threads_count against isl", expected, threads.touched);
    if (!g->affine || !count_shape(t, &counter, g, b, granule, false, &shape))
        return;
    if (expected != shape.touched)
        print_error("isl, last access: %s\n", text.text);
    expect(t, g, b, granule, "wl_shape_count against isl", expected, shape.touched);
}

static void counts_agree_with_isl(void **state)
{
    (void)state;
    const int64_t before = run.isl_compared;
    for (uint64_t i = 0; i < iterations(400); i++) {
        trial_start(&current, run.device, run.seed + i);
        random_source r = random_start(~(run.seed + i));
        const group g = random_group(&r, &current);
        const blocks some = random_blocks(&r, block_count(&current));
        if (g.count)
            check_with_isl(run.isl, &current, &g, some, granules[random_in(&r, 0, GRANULE_COUNT - 1)]);
        trial_end(&current);
    }
    if (!run.iterations)
        /* a quota that skips everything would test nothing */
        assert_true(run.isl_compared - before >= (int64_t)iterations(200));
}

/* ---- laws ---- */

/* Closed form where there is one. */
static wl_count count_best(const trial *t, const group *g, blocks b, int64_t granule)
{
    wl_count count;
    if (g->affine && count_shape(t, &counter, g, b, granule, true, &count))
        return count;
    return count_threads(t, &counter, g, b, granule);
}

static void check_parts(random_source *r, const trial *t, const group *g, blocks b, int64_t granule)
{
    const int64_t whole = count_best(t, g, b, granule).touched, cut = random_in(r, b.first, b.last);
    const blocks low = {b.first, cut}, high = {cut, b.last};
    const int64_t low_count = count_best(t, g, low, granule).touched,
                  high_count = count_best(t, g, high, granule).touched;
    expect_at_most(t, g, b, granule, "union of two sets of blocks, against their sum", low_count + high_count, whole);
    expect_at_most(t, g, low, granule, "a part of the blocks, against all", whole, low_count);
    expect_at_most(t, g, high, granule, "a part of the blocks, against all", whole, high_count);
    int64_t sum = 0;
    for (size_t a = 0; a < g->count; a++) {
        const group one = {g->field, 1, g->members[a]->affine, {g->members[a]}};
        const int64_t alone = count_best(t, &one, b, granule).touched;
        expect_at_most(t, g, b, granule, "one access, against all", whole, alone);
        sum += alone;
    }
    expect_at_most(t, g, b, granule, "union of accesses, against their sum", sum, whole);
}

static void check_sizes(const trial *t, const group *g, blocks b)
{
    int64_t smaller = 0;
    for (size_t i = 0; i < GRANULE_COUNT; i++) {
        const wl_count count = count_best(t, g, b, granules[i]);
        expect_at_most(t, g, b, granules[i], "covered, against touched", count.touched, count.covered);
        if (i > 0) {
            const int64_t ratio = granules[i] / granules[i - 1];
            expect_at_most(t, g, b, granules[i], "larger granules, against smaller ones", smaller, count.touched);
            expect_at_most(t, g, b, granules[i], "smaller granules, against what larger ones hold",
                           ratio * count.touched, smaller);
        }
        smaller = count.touched;
    }
}

/* 4096 elements are whole granules for every element size. */
static void check_shift(random_source *r, trial *t, const group *g, int which, blocks b)
{
    wl_count before[GRANULE_COUNT];
    for (size_t i = 0; i < GRANULE_COUNT; i++)
        before[i] = count_best(t, g, b, granules[i]);
    trial_end(t);
    trial_load(t, run.device, 4096 * random_in(r, -3, 3));
    const group moved = trial_group(t, g->field, which);
    for (size_t i = 0; i < GRANULE_COUNT; i++) {
        const wl_count after = count_best(t, &moved, b, granules[i]);
        expect(t, &moved, b, granules[i], "touched after a shift by whole granules", before[i].touched, after.touched);
        expect(t, &moved, b, granules[i], "covered after a shift by whole granules", before[i].covered, after.covered);
    }
}

static void counts_obey_the_laws(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(3000); i++) {
        trial_start(&current, run.device, run.seed + i);
        random_source r = random_start(~(run.seed + i));
        const int which = (int)random_in(&r, 0, 2);
        const group g =
            trial_group(&current, (size_t)random_in(&r, 0, (int64_t)current.kernel->field_count - 1), which);
        const blocks b = random_blocks(&r, block_count(&current));
        if (g.count) {
            check_parts(&r, &current, &g, b, granules[random_in(&r, 0, GRANULE_COUNT - 1)]);
            check_sizes(&current, &g, b);
            check_shift(&r, &current, &g, which, b);
        }
        trial_end(&current);
    }
}

/* ---- what is enumerated ---- */

/* Bounds hold every value; where loops advance evenly, a step adds its stride and nothing else. */
static void check_ranges(random_source *r, const trial *t, const group *g, const wl_expr *e)
{
    const blocks none = {0, 0};
    int64_t lo = 0, hi = 0, strides[3] = {0}, point[WL_VAR_COUNT];
    const bool bounded = wl_expr_bounds(e, &t->ranges, &lo, &hi), evenly = wl_expr_loop_strides(e, strides);
    run.bounded += bounded;
    run.even += evenly && t->kernel->loop_count > 0;
    for (int i = 0; i < 40; i++) {
        random_point(r, t, point);
        for (int v = 0; v < WL_VAR_COUNT && i < 8; v++) /* and corners */
            point[v] = random_chance(r, 50) ? t->ranges.lo[v] : t->ranges.hi[v];
        const int64_t value = evaluate(e, point);
        if (bounded && (value < lo || value > hi))
            expect(t, g, none, 0, value < lo ? "wl_expr_bounds, low" : "wl_expr_bounds, high", value,
                   value < lo ? lo : hi);
        if (!evenly)
            continue;
        int64_t first[WL_VAR_COUNT], expected = value;
        memcpy(first, point, sizeof first);
        for (int l = 0; l < WL_LOOPS_MAX; l++) {
            expected -= strides[l] * point[WL_VAR_LOOP_0 + l];
            first[WL_VAR_LOOP_0 + l] = 0;
        }
        expect(t, g, none, 0, "wl_expr_loop_strides", evaluate(e, first), expected);
    }
}

static void bounds_and_strides_agree_with_evaluation(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(3000); i++) {
        trial_start(&current, run.device, run.seed + i);
        random_source r = random_start(~(run.seed + i));
        for (size_t a = 0; a < current.kernel->access_count; a++) {
            const group g = trial_group(&current, current.kernel->accesses[a].field, 2);
            check_ranges(&r, &current, &g, current.kernel->accesses[a].index);
        }
        trial_end(&current);
    }
    if (!run.iterations)
        assert_true(run.bounded > (int64_t)iterations(2000) && run.even > (int64_t)iterations(500));
}

/* Two runs of blocks, the second counted onto the first, at one granule and its multiples. */
static void check_onto(random_source *r, const trial *t, const group *g)
{
    const int64_t all = block_count(t), cut = random_in(r, 0, all);
    const blocks low = {0, cut}, high = {cut, all}, both = {0, all};
    const int64_t granule = (int64_t)1 << random_in(r, 0, 7);
    wl_region region = trial_region(t, high);
    wl_error err = {0};
    wl_count got = {0};
    (void)count_threads(t, &counter, g, low, granule);
    region.onto_last = true;
    if (wl_threads_count(&counter, g->members, g->count, &region, granule, false, &got, &err) != WL_OK)
        trial_fail(t, &err);
    enumerate(t, g, both, &listed);
    expect(t, g, both, granule, "two runs of blocks, one onto the other", count_enumerated(&listed, granule).touched,
           got.touched);
    for (int64_t unit = 1; unit <= 1 << 14; unit *= 2)
        expect(t, g, both, granule * unit, "wl_granules_touched", count_enumerated(&listed, granule * unit).touched,
               wl_granules_touched(&counter.granules, unit));
    region = trial_region(t, both);
    const int64_t sector = (int64_t)1 << random_in(r, 0, 13);
    if (wl_threads_count(&counter, g->members, g->count, &region, sector, true, &got, &err) != WL_OK)
        trial_fail(t, &err);
    expect(t, g, both, sector, "wl_threads_count covered", count_enumerated(&listed, sector).covered, got.covered);
    expect(t, g, both, sector, "wl_threads_count touched, with covered", count_enumerated(&listed, sector).touched,
           got.touched);
}

/* Some threads of one block. */
static void check_threads(random_source *r, const trial *t, const group *g)
{
    const int64_t n = random_in(r, 0, block_count(t) - 1), threads = t->geometry.threads;
    const int64_t block[3] = {n % t->grid[0], n / t->grid[0] % t->grid[1], n / t->grid[0] / t->grid[1]};
    const wl_launch *l = &t->input.launch;
    wl_region region = trial_region(t, (blocks){n, n + 1});
    wl_error err = {0};
    wl_count got = {0};
    int64_t variables[WL_VAR_COUNT];
    region.first_thread = random_in(r, 0, threads - 1);
    region.thread_count = random_in(r, 1, 100);
    listed.count = 0;
    for (int64_t i = region.first_thread; i < region.first_thread + region.thread_count && i < threads; i++)
        for (int64_t cell = 0; cell < l->fold[0] * l->fold[1] * l->fold[2]; cell++)
            if (set_cell(t, block, i, cell, variables))
                run_cell(t, g, variables, &listed);
    if (listed.count)
        qsort(listed.starts, listed.count, sizeof *listed.starts, compare_references);
    if (wl_threads_count(&counter, g->members, g->count, &region, 32, false, &got, &err) != WL_OK)
        trial_fail(t, &err);
    expect(t, g, (blocks){n, n + 1}, 32, "some threads of a block", count_enumerated(&listed, 32).touched, got.touched);
}

static void threads_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(1500); i++) {
        trial_start(&current, run.device, run.seed + i);
        random_source r = random_start(~(run.seed + i));
        const group g = random_group(&r, &current);
        if (g.count) {
            check_onto(&r, &current, &g);
            check_threads(&r, &current, &g);
        }
        trial_end(&current);
    }
}

/* Loops that advance evenly around an index that is not affine: starts are moved, not evaluated. */
static void even_loops_agree_with_enumeration(void **state)
{
    (void)state;
    static const char *const bent[] = {"(3*x + y)/2", "x%7*16 + y", "max(x, 5)*y", "x*y", "(x*x)%64"};
    for (uint64_t i = 0; i < iterations(400); i++) {
        trial *t = &current;
        random_source r = random_start(run.seed + i);
        trial_end(t);
        *t = (trial){.seed = run.seed + i};
        const long long a = random_in(&r, -70, 70), b = random_in(&r, -9, 9), c = random_in(&r, -4, 4);
        const long long ni = random_in(&r, 1, 5), nj = random_in(&r, 1, 5), nk = random_in(&r, 1, 4);
        const char *type = random_chance(&r, 50) ? "f32" : "f64";
        random_put(&t->input,
                   "name: even\nparams: {shift: 0}\ndomain: [20, 6]\nfields: {f0: {type: %s, origin: 5000}}\n"
                   "loops: {i: %lld, j: %lld, k: %lld}\n"
                   "loads: [\"f0[%s + %lld*i + %lld*j - k*(%lld)]\", \"f0[x/3 + %lld*j]\"]\n",
                   type, ni, nj, nk, RANDOM_OF(&r, bent), a, b, c, b);
        t->input.launch = (wl_launch){.block = {8, 2, 1}, .fold = {1, 1, 1}};
        t->input.dims = 2;
        memcpy(t->input.domain, (const int64_t[]){20, 6, 1}, sizeof t->input.domain);
        trial_load(t, run.device, 0);
        const group g = trial_group(t, 0, 0);
        for (size_t m = 0; m < g.count; m++) {
            int64_t strides[3];
            assert_true(wl_expr_loop_strides(g.members[m]->access->index, strides));
            assert_true(wl_threads_steps(&(wl_region){.kernel = t->kernel}, g.members[m]) == 1);
        }
        const blocks all = {0, block_count(t)};
        enumerate(t, &g, all, &listed);
        for (int64_t granule = 1; granule <= 128; granule *= 2)
            expect(t, &g, all, granule, "loops that advance evenly", count_enumerated(&listed, granule).touched,
                   count_threads(t, &counter, &g, all, granule).touched);
        check_onto(&r, t, &g);
        trial_end(t);
    }
}

/* ---- by hand ---- */

static void hand_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hand_cases / sizeof hand_cases[0]; i++) {
        const struct hand_case *h = &hand_cases[i];
        trial *t = &current;
        trial_end(t);
        *t = (trial){0};
        random_put(&t->input, "name: hand\nparams: {shift: 0}\n%s", h->yaml);
        t->input.launch = h->launch;
        t->input.dims = h->dims;
        memcpy(t->input.domain, h->domain, sizeof t->input.domain);
        trial_load(t, run.device, 0);
        const group g = trial_group(t, 0, h->which);
        const blocks b = {h->blocks.first, h->blocks.last < 0 ? block_count(t) : h->blocks.last};
        wl_count got = {0};
        enumerate(t, &g, b, &listed);
        const wl_count enumerated = count_enumerated(&listed, h->granule);
        const wl_count threads = count_threads(t, &counter, &g, b, h->granule);
        assert_true(g.affine && count_shape(t, &counter, &g, b, h->granule, true, &got));
        if (h->references != (int64_t)listed.count || h->touched != enumerated.touched ||
            h->covered != enumerated.covered || h->touched != threads.touched || h->touched != got.touched ||
            h->covered != got.covered)
            fail_msg("%s: expected %lld references, %lld touched, %lld covered; enumeration %zu, %lld, %lld; threads "
                     "%lld; shape %lld, %lld",
                     h->name, (long long)h->references, (long long)h->touched, (long long)h->covered, listed.count,
                     (long long)enumerated.touched, (long long)enumerated.covered, (long long)threads.touched,
                     (long long)got.touched, (long long)got.covered);
        trial_end(t);
    }
}

/* ---- main ---- */

static int setup(void **state)
{
    (void)state;
    wl_error err = {0};
    const char *seed = getenv("WL_SEED"), *count = getenv("WL_ITERATIONS");
    run.seed = seed ? strtoull(seed, NULL, 10) : 1;
    run.iterations = count ? strtoull(count, NULL, 10) : 0;
    counter.row_budget = WL_ROW_BUDGET;
    run.isl = isl_ctx_alloc();
    isl_options_set_on_error(run.isl, ISL_ON_ERROR_CONTINUE);
    return wl_device_builtin("h200", &run.device, &err) == WL_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    if (getenv("WL_STATISTICS"))
        print_message("counts: %lld closed form, %lld row by row, %lld with too many strides, %lld not affine; isl: "
                      "%lld compared, %lld skipped\n",
                      (long long)run.closed_form, (long long)run.rows, (long long)run.too_many_strides,
                      (long long)run.not_affine, (long long)run.isl_compared, (long long)run.isl_skipped);
    trial_end(&current); /* a failed test leaves it behind */
    isl_ctx_free(run.isl);
    wl_device_free(run.device);
    wl_counter_free(&counter);
    free(listed.starts);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_counts),
        cmocka_unit_test(expressions_agree_with_evaluation),
        cmocka_unit_test(counts_agree_with_enumeration),
        cmocka_unit_test(counts_agree_with_isl),
        cmocka_unit_test(counts_obey_the_laws),
        cmocka_unit_test(bounds_and_strides_agree_with_evaluation),
        cmocka_unit_test(threads_agree_with_enumeration),
        cmocka_unit_test(even_loops_agree_with_enumeration),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
