/* trial.h - one random case brought to life, what the library says of it, and what plain
 * enumeration says.
 *
 * The enumeration shares nothing with src/ but the parsed expressions: it has its own grid, its own
 * loops over blocks, threads and folded cells, its own evaluator and its own sets.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_TRIAL_H
#define WL_TESTS_TRIAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "footprint/count.h"
#include "property/random_kernel.h"

#define TRIAL_ACCESSES_MAX 128

typedef struct trial {
    uint64_t seed;
    random_case input;
    wl_kernel *kernel;
    int64_t grid[3]; /* computed here, compared with the library's */
    wl_geometry geometry;
    wl_ranges ranges;
    wl_bound bounds[TRIAL_ACCESSES_MAX];
} trial;

/* Some accesses of one field. */
typedef struct group {
    size_t field, count;
    bool affine; /* all of them */
    const wl_bound *members[TRIAL_ACCESSES_MAX];
} group;

/* Blocks first <= n < last of the launch order. */
typedef struct blocks {
    int64_t first, last;
} blocks;

/* What one thread touches at one step. */
typedef struct reference {
    int64_t start, width;
} reference;

typedef struct addresses {
    reference *starts;
    size_t count, capacity;
} addresses;

/* ---- life and death ---- */

static void trial_print(const trial *t)
{
    const wl_launch *l = &t->input.launch;
    print_error("again with: WL_SEED=%llu WL_ITERATIONS=1\n%s", (unsigned long long)t->seed, t->input.yaml);
    print_error("block %lldx%lldx%lld fold %lldx%lldx%lld grid %lldx%lldx%lld (0: from the domain)\n",
                (long long)l->block[0], (long long)l->block[1], (long long)l->block[2], (long long)l->fold[0],
                (long long)l->fold[1], (long long)l->fold[2], (long long)l->grid[0], (long long)l->grid[1],
                (long long)l->grid[2]);
}

static void trial_fail(const trial *t, const wl_error *err)
{
    trial_print(t);
    fail_msg("%s: %s (line %d, column %d)", wl_status_name(err->code), err->message, err->loc.line, err->loc.col);
}

static void trial_grid(trial *t)
{
    for (int d = 0; d < 3; d++) {
        const wl_launch *l = &t->input.launch;
        const int64_t per_block = l->block[d] * l->fold[d];
        const int64_t needed = t->input.dims ? (t->input.domain[d] + per_block - 1) / per_block : 1;
        t->grid[d] = l->grid[d] ? l->grid[d] : needed;
        if (t->geometry.grid[d] != t->grid[d]) {
            trial_print(t);
            fail_msg("grid[%d]: expected %lld, got %lld", d, (long long)t->grid[d], (long long)t->geometry.grid[d]);
        }
    }
}

/* Reads t->input with all origins moved by `shift` elements. */
static void trial_load(trial *t, const wl_device *device, int64_t shift)
{
    char set[32];
    const char *sets[] = {set};
    const wl_kernel_options options = {sets, 1};
    wl_error err = {0};
    (void)snprintf(set, sizeof set, "shift=%lld", (long long)shift);
    if (wl_kernel_parse("random.yaml", t->input.yaml, t->input.length, &options, &t->kernel, &err) != WL_OK ||
        wl_geometry_make(t->kernel, device, &t->input.launch, &t->geometry, &err) != WL_OK)
        trial_fail(t, &err);
    wl_geometry_ranges(&t->geometry, t->kernel, &t->ranges);
    assert_true(t->kernel->access_count <= TRIAL_ACCESSES_MAX);
    for (size_t a = 0; a < t->kernel->access_count; a++)
        if (wl_bind(t->kernel, &t->kernel->accesses[a], &t->geometry, &t->ranges, &t->bounds[a], &err) != WL_OK)
            trial_fail(t, &err);
    trial_grid(t);
}

static void trial_end(trial *t)
{
    wl_kernel_free(t->kernel);
    t->kernel = NULL;
}

static void trial_start(trial *t, const wl_device *device, uint64_t seed)
{
    trial_end(t);
    t->seed = seed;
    random_case_make(seed, &t->input);
    trial_load(t, device, 0);
}

/* The accesses of a field: 0 loads, 1 stores, 2 both. */
static group trial_group(const trial *t, size_t field, int which)
{
    group g = {.field = field, .affine = true};
    for (size_t a = 0; a < t->kernel->access_count; a++) {
        const wl_access *access = &t->kernel->accesses[a];
        if (access->field != field || (which < 2 && access->store != (which == 1)))
            continue;
        g.members[g.count++] = &t->bounds[a];
        g.affine = g.affine && t->bounds[a].affine;
    }
    return g;
}

static wl_region trial_region(const trial *t, blocks b)
{
    wl_region region = {.geometry = &t->geometry, .kernel = t->kernel};
    wl_block_interval(&t->geometry, b.first, b.last, &region.blocks);
    return region;
}

/* ---- what the library counts ---- */

/* False when the group has too many strides for a shape. */
static inline bool count_shape(const trial *t, wl_counter *counter, const group *g, blocks b, int64_t granule,
                               bool covered, wl_count *out)
{
    wl_arena arena = {0};
    wl_shape shape;
    wl_error err = {0};
    const wl_region region = trial_region(t, b);
    wl_status status = wl_shape_make(g->members, g->count, &t->geometry, &arena, &shape, &err);
    if (status == WL_OK)
        status = wl_shape_count(counter, &shape, &region, granule, covered, out, &err);
    wl_arena_free(&arena);
    if (status != WL_OK && status != WL_E_UNSUPPORTED)
        trial_fail(t, &err);
    return status == WL_OK;
}

static inline wl_count count_threads(const trial *t, wl_counter *counter, const group *g, blocks b, int64_t granule)
{
    wl_error err = {0};
    wl_count out = {0};
    const wl_region region = trial_region(t, b);
    if (wl_threads_count(counter, g->members, g->count, &region, granule, false, &out, &err) != WL_OK)
        trial_fail(t, &err);
    return out;
}

/* ---- enumeration ---- */

static int64_t floor_quotient(int64_t a, int64_t b)
{
    if (b == 0) /* kernels that divide by zero are not made */
        abort();
    const int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Two's complement, bit by bit. */
static int64_t combine_bits(wl_expr_op op, int64_t a, int64_t b)
{
    int64_t sum = 0;
    for (int bit = 0; bit < 62; bit++) {
        const int64_t power = (int64_t)1 << bit;
        const bool in_a = floor_quotient(a, power) % 2 != 0, in_b = floor_quotient(b, power) % 2 != 0;
        const bool set = op == WL_EXPR_BIT_AND ? in_a && in_b : op == WL_EXPR_BIT_OR ? in_a || in_b : in_a != in_b;
        sum += set ? (bit == 61 ? -power : power) : 0;
    }
    return sum;
}

static int64_t evaluate(const wl_expr *e, const int64_t *variables)
{
    if (e->op == WL_EXPR_CONST)
        return e->value;
    if (e->op == WL_EXPR_VAR)
        return variables[e->var];
    const int64_t a = evaluate(e->a, variables);
    if (e->op == WL_EXPR_SELECT)
        return evaluate(a != 0 ? e->b->a : e->b->b, variables);
    if ((e->op == WL_EXPR_BOTH && a == 0) || (e->op == WL_EXPR_ANY && a != 0))
        return a != 0;
    const int64_t b = evaluate(e->b, variables);
    switch (e->op) {
    case WL_EXPR_ADD: return a + b;
    case WL_EXPR_SUB: return a - b;
    case WL_EXPR_MUL: return a * b;
    case WL_EXPR_DIV: return floor_quotient(a, b);
    case WL_EXPR_MOD: return a - b * floor_quotient(a, b);
    case WL_EXPR_MIN: return a < b ? a : b;
    case WL_EXPR_RANDOM: return b > 0 ? wl_random_below(a, b) : 0;
    case WL_EXPR_MAX: return a > b ? a : b;
    case WL_EXPR_LESS: return a < b;
    case WL_EXPR_LESS_EQUAL: return a <= b;
    case WL_EXPR_EQUAL: return a == b;
    case WL_EXPR_UNEQUAL: return a != b;
    case WL_EXPR_BOTH:
    case WL_EXPR_ANY: return b != 0;
    case WL_EXPR_BIT_AND:
    case WL_EXPR_BIT_OR:
    case WL_EXPR_BIT_XOR: return combine_bits(e->op, a, b);
    case WL_EXPR_SHIFT_LEFT: return a * ((int64_t)1 << b);
    case WL_EXPR_SHIFT_RIGHT: return floor_quotient(a, (int64_t)1 << b);
    case WL_EXPR_SELECT:
    case WL_EXPR_EITHER:
    case WL_EXPR_CONST:
    case WL_EXPR_VAR: break;
    }
    fail_msg("an operator the enumeration does not know");
    return 0;
}

/* Does a lane with these coordinates execute the access? */
static bool takes_part(const wl_access *access, const int64_t *variables)
{
    return !access->when || evaluate(access->when, variables) != 0;
}

static int64_t byte_address(const trial *t, const wl_access *access, const int64_t *variables)
{
    return evaluate(access->index, variables) * access->unit_bytes + t->kernel->fields[access->field].base_bytes;
}

static void add_address(addresses *set, int64_t start, int64_t width)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 4096;
        set->starts = realloc(set->starts, set->capacity * sizeof *set->starts);
        assert_non_null(set->starts);
    }
    set->starts[set->count++] = (reference){start, width};
}

/* All loop steps of one cell. */
static void run_cell(const trial *t, const group *g, int64_t *variables, addresses *out)
{
    int64_t extent[WL_LOOPS_MAX] = {1, 1, 1};
    for (int i = 0; i < t->kernel->loop_count; i++)
        extent[i] = t->kernel->loop_extent[i];
    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = 0; j < extent[1]; j++)
            for (int64_t k = 0; k < extent[2]; k++) {
                variables[WL_VAR_LOOP_0] = i;
                variables[WL_VAR_LOOP_1] = j;
                variables[WL_VAR_LOOP_2] = k;
                for (size_t a = 0; a < g->count; a++)
                    if (takes_part(g->members[a]->access, variables))
                        add_address(out, byte_address(t, g->members[a]->access, variables),
                                    g->members[a]->access->width_bytes);
            }
}

static bool set_cell(const trial *t, const int64_t block[3], int64_t thread, int64_t fold, int64_t *variables)
{
    const wl_launch *l = &t->input.launch;
    for (int d = 0; d < 3; d++) {
        const int64_t in_block = thread % l->block[d], in_thread = fold % l->fold[d];
        thread /= l->block[d];
        fold /= l->fold[d];
        variables[WL_VAR_X + d] = (block[d] * l->block[d] + in_block) * l->fold[d] + in_thread;
        variables[WL_VAR_THREAD_X + d] = in_block;
        variables[WL_VAR_BLOCK_X + d] = block[d];
        variables[WL_VAR_BLOCKDIM_X + d] = l->block[d];
        variables[WL_VAR_GRIDDIM_X + d] = t->grid[d];
    }
    bool inside = true;
    for (int d = 0; d < 3 && t->input.dims; d++)
        inside = inside && variables[WL_VAR_X + d] >= t->input.first[d] && variables[WL_VAR_X + d] < t->input.domain[d];
    return inside;
}

static int compare_references(const void *p, const void *q)
{
    const reference *a = p, *b = q;
    return (a->start > b->start) - (a->start < b->start);
}

/* Every reference of the group, sorted, with repetitions. */
static void enumerate(const trial *t, const group *g, blocks b, addresses *out)
{
    const wl_launch *l = &t->input.launch;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2], folds = l->fold[0] * l->fold[1] * l->fold[2];
    int64_t variables[WL_VAR_COUNT];
    out->count = 0;
    for (int64_t n = b.first; n < b.last; n++) {
        const int64_t block[3] = {n % t->grid[0], n / t->grid[0] % t->grid[1], n / t->grid[0] / t->grid[1]};
        for (int64_t thread = 0; thread < threads; thread++)
            for (int64_t fold = 0; fold < folds; fold++)
                if (set_cell(t, block, thread, fold, variables))
                    run_cell(t, g, variables, out);
    }
    if (out->count)
        qsort(out->starts, out->count, sizeof *out->starts, compare_references);
}

/* Granules of one run of bytes; `above` is the lowest granule not counted yet. */
static void add_run(wl_count *count, int64_t first, int64_t last, int64_t granule, int64_t *above)
{
    const int64_t lo = floor_quotient(first, granule), hi = floor_quotient(last, granule);
    for (int64_t n = lo > *above ? lo : *above; n <= hi; n++) {
        count->touched++;
        count->covered += first <= n * granule && last >= (n + 1) * granule - 1;
    }
    if (hi >= *above)
        *above = hi + 1;
}

/* A granule that one run fully covers is touched by no other run, so each is looked at once. */
static wl_count count_enumerated(const addresses *set, int64_t granule)
{
    wl_count count = {0, 0};
    int64_t above = INT64_MIN;
    for (size_t i = 0; i < set->count;) {
        const int64_t first = set->starts[i].start;
        int64_t last = first + set->starts[i].width - 1;
        for (i++; i < set->count && set->starts[i].start <= last + 1; i++)
            if (set->starts[i].start + set->starts[i].width - 1 > last)
                last = set->starts[i].start + set->starts[i].width - 1;
        add_run(&count, first, last, granule, &above);
    }
    return count;
}

#endif /* WL_TESTS_TRIAL_H */
