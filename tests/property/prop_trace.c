/* prop_trace.c - traces of random kernels against plain enumeration of every thread: the lines that
 * a task uses, and the distinct ones of the launch. SPDX-License-Identifier: MIT */
#include "property/trial.h"

#include "warpline/trace.h"

#define CASES 1500
#define THREADS_MAX 20000
#define LINE 64

static trial current;

static int64_t distinct_lines(addresses *set)
{
    if (set->count)
        qsort(set->starts, set->count, sizeof *set->starts, compare_references);
    return count_enumerated(set, LINE).touched;
}

/* Lines that each group of `by` threads uses, summed, loads and stores apart. */
static int64_t enumerate_uses(const trial *t, int64_t by, addresses *scratch)
{
    const wl_launch *l = &t->input.launch;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2], folds = l->fold[0] * l->fold[1] * l->fold[2];
    int64_t sum = 0;
    for (int64_t n = 0; n < t->grid[0] * t->grid[1] * t->grid[2]; n++) {
        const int64_t block[3] = {n % t->grid[0], n / t->grid[0] % t->grid[1], n / t->grid[0] / t->grid[1]};
        for (int64_t first = 0; first < threads; first += by)
            for (size_t f = 0; f < t->kernel->field_count; f++)
                for (int which = 0; which < 2; which++) {
                    const group g = trial_group(t, f, which);
                    int64_t variables[WL_VAR_COUNT];
                    scratch->count = 0;
                    for (int64_t i = 0; g.count && i < by * folds; i++)
                        if (set_cell(t, block, first + i / folds, i % folds, variables))
                            run_cell(t, &g, variables, scratch);
                    sum += distinct_lines(scratch);
                }
    }
    return sum;
}

static int64_t enumerate_least(const trial *t, addresses *scratch)
{
    int64_t sum = 0;
    for (size_t f = 0; f < t->kernel->field_count; f++) {
        const group g = trial_group(t, f, 0);
        if (g.count == 0)
            continue;
        enumerate(t, &g, (blocks){0, t->geometry.blocks}, scratch);
        sum += count_enumerated(scratch, LINE).touched;
    }
    return sum;
}

static bool shares_memory(const trial *t)
{
    for (size_t f = 0; f < t->kernel->field_count; f++)
        if (t->kernel->fields[f].shared)
            return true;
    return false;
}

static void check_trace(const wl_device *device, int64_t by, addresses *scratch)
{
    const wl_trace_options options = {.lines = 8, .line_bytes = LINE, .by = by};
    wl_trace *trace = NULL;
    wl_error err = {0};
    if (wl_trace_kernel(current.kernel, device, &current.input.launch, &options, &trace, &err) != WL_OK)
        trial_fail(&current, &err);
    const wl_trace_counts c = wl_trace_count(trace);
    wl_trace_free(trace);
    if (c.simulated != c.tasks)
        return; /* cut short */
    const int64_t uses = enumerate_uses(&current, by, scratch), least = enumerate_least(&current, scratch);
    if (c.uses != uses || c.least != least) {
        trial_print(&current);
        fail_msg("tasks of %lld threads use %lld lines (enumerated: %lld), %lld distinct (%lld)", (long long)by,
                 (long long)c.uses, (long long)uses, (long long)c.least, (long long)least);
    }
    assert_true(c.fetches >= c.least && c.fetches <= c.uses - c.stores);
}

static void test_kernels(void **state)
{
    const char *seed_text = getenv("WL_SEED"), *count_text = getenv("WL_ITERATIONS");
    const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 1;
    const uint64_t count = count_text ? strtoull(count_text, NULL, 10) : effort_cases(CASES);
    wl_device *device = NULL;
    wl_error err = {0};
    addresses scratch = {0};
    int checked = 0;
    (void)state;
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    for (uint64_t i = 0; i < count; i++) {
        trial_start(&current, device, seed + i);
        const wl_geometry *g = &current.geometry;
        if (g->threads * g->blocks > THREADS_MAX || shares_memory(&current))
            continue;
        check_trace(device, 1, &scratch);
        if (g->threads % 32 == 0)
            check_trace(device, 32, &scratch);
        checked++;
    }
    print_message("%d kernels\n", checked);
    assert_true(count_text || checked > 20);
    free(scratch.starts);
    trial_end(&current);
    wl_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
