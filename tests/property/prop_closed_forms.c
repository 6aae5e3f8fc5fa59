/* prop_closed_forms.c - closed forms against the simulator, over all small problems of a sweep and
 * random larger ones: equal where they claim to be exact, never less elsewhere.
 *
 * The traces are made here, by plain loops. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cache/cache.h"
#include "cache/closed_forms.h"
#include "effort.h"
#include "property/random_source.h"

#define CASES 2000

static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

typedef struct tally {
    int64_t exact, bounded;
} tally;

/* What one task uses. */
typedef void (*task)(const void *problem, wl_cache *cache, int64_t x, int64_t y);

static void stencil_task(const void *problem, wl_cache *cache, int64_t x, int64_t y)
{
    const wl_stencil *s = problem;
    const int64_t pitch = (s->width + s->line - 1) / s->line;
    const int64_t left = most_of(0, x - s->reach[0]) / s->line;
    const int64_t right = least_of(s->width - 1, x + s->reach[0]) / s->line;
    for (int64_t row = most_of(0, y - s->reach[1]); row <= least_of(s->height - 1, y + s->reach[1]); row++)
        for (int64_t line = left; line <= right; line++)
            (void)wl_cache_load(cache, (uint64_t)(row * pitch + line), 1);
}

static void product_task(const void *problem, wl_cache *cache, int64_t x, int64_t y)
{
    const wl_product *p = problem;
    const int64_t a = (p->depth + p->line - 1) / p->line, b = (p->width + p->line - 1) / p->line;
    for (int64_t k = 0; k < p->depth; k++) {
        if (k % p->line == 0)
            (void)wl_cache_load(cache, (uint64_t)(y * a + k / p->line), 1);
        (void)wl_cache_load(cache, (uint64_t)(p->height * a + k * b + x / p->line), 1);
    }
}

static int64_t simulate(const void *problem, task run, int64_t width, int64_t height, wl_tile tile, int64_t lines)
{
    const wl_cache_shape shape = {.lines = lines, .sectors = 1};
    wl_cache *cache = NULL;
    wl_error err = {0};
    assert_int_equal(wl_cache_new(&shape, &cache, &err), WL_OK);
    for (int64_t top = 0; top < height; top += tile.height)
        for (int64_t left = 0; left < width; left += tile.width)
            for (int64_t y = top; y < least_of(top + tile.height, height); y++)
                for (int64_t x = left; x < least_of(left + tile.width, width); x++)
                    run(problem, cache, x, y);
    const int64_t fetched = wl_cache_count(cache).line_misses;
    wl_cache_free(cache);
    return fetched;
}

static void judge(wl_fetches said, int64_t fetched, const char *what, const int64_t numbers[8], tally *t)
{
    if (said.exact ? said.lines == fetched : said.lines >= fetched) {
        t->exact += said.exact;
        t->bounded += !said.exact;
        return;
    }
    print_error("%s: %lldx%lld, %lld and %lld, line %lld, tile %lldx%lld, cache %lld\n", what, (long long)numbers[0],
                (long long)numbers[1], (long long)numbers[2], (long long)numbers[3], (long long)numbers[4],
                (long long)numbers[5], (long long)numbers[6], (long long)numbers[7]);
    fail_msg("closed form %lld (%s), simulated %lld", (long long)said.lines, said.exact ? "exact" : "at most",
             (long long)fetched);
}

static void check_stencil(const wl_stencil *s, wl_tile tile, int64_t lines, tally *t)
{
    const int64_t numbers[8] = {s->width, s->height, s->reach[0], s->reach[1], s->line, tile.width, tile.height, lines};
    const wl_fetches said = wl_stencil_fetches(s, tile, lines);
    judge(said, simulate(s, stencil_task, s->width, s->height, tile, lines), "stencil", numbers, t);
}

static void check_product(const wl_product *p, wl_tile tile, int64_t lines, tally *t)
{
    const int64_t numbers[8] = {p->width, p->height, p->depth, 0, p->line, tile.width, tile.height, lines};
    const wl_fetches said = wl_product_fetches(p, tile, lines);
    judge(said, simulate(p, product_task, p->width, p->height, tile, lines), "product", numbers, t);
}

static void test_random_stencils(void **state)
{
    tally t = {0, 0};
    (void)state;
    for (uint64_t seed = 1; seed <= effort_cases(CASES); seed++) {
        random_source r = random_start(seed);
        wl_stencil s;
        wl_tile tile;
        s.width = random_in(&r, 1, 40);
        s.height = random_in(&r, 1, 40);
        s.reach[0] = random_in(&r, 0, 6);
        s.reach[1] = random_in(&r, 0, 4);
        s.line = random_in(&r, 1, 8);
        tile.width = random_chance(&r, 30) ? s.width : random_in(&r, 1, s.width);
        tile.height = random_chance(&r, 70) ? s.height : random_in(&r, 1, s.height);
        const int64_t needs = wl_stencil_needs(&s, tile), least = wl_stencil_least(&s);
        for (int i = 0; i < 4; i++)
            check_stencil(&s, tile, random_in(&r, 1, least + 2), &t);
        for (int64_t lines = most_of(1, needs - 3); lines < needs + 3; lines++)
            check_stencil(&s, tile, lines, &t);
    }
    assert_true(t.exact > t.bounded / 4);
    print_message("stencils: %lld exact, %lld bounds\n", (long long)t.exact, (long long)t.bounded);
}

static void test_random_products(void **state)
{
    tally t = {0, 0};
    (void)state;
    for (uint64_t seed = 1; seed <= effort_cases(CASES); seed++) {
        random_source r = random_start(seed);
        wl_product p;
        wl_tile tile;
        p.width = random_in(&r, 1, 24);
        p.height = random_in(&r, 1, 24);
        p.depth = random_in(&r, 1, 24);
        p.line = random_in(&r, 1, 8);
        tile.width = random_chance(&r, 30) ? p.width : random_in(&r, 1, p.width);
        tile.height = random_chance(&r, 70) ? p.height : random_in(&r, 1, p.height);
        const int64_t needs = wl_product_needs(&p, tile), least = wl_product_least(&p);
        for (int i = 0; i < 4; i++)
            check_product(&p, tile, random_in(&r, 1, least + 2), &t);
        for (int64_t lines = most_of(1, needs - 3); lines < needs + 3; lines++)
            check_product(&p, tile, lines, &t);
    }
    assert_true(t.exact > t.bounded / 4);
    print_message("products: %lld exact, %lld bounds\n", (long long)t.exact, (long long)t.bounded);
}

/* Columns and rows: every width, every cache. */
static void test_sweep(void **state)
{
    tally t = {0, 0};
    (void)state;
    for (int64_t line = 2; line <= 4; line += 2)
        for (int64_t reach = 0; reach <= 3; reach++)
            for (int64_t width = 1; width <= 16; width++) {
                const wl_stencil s = {16, 16, {reach, reach}, line};
                const wl_product p = {16, 16, 2 + 3 * reach, line};
                for (int64_t lines = 1; lines <= 70; lines++) {
                    check_stencil(&s, (wl_tile){width, 16}, lines, &t);
                    check_product(&p, (wl_tile){width, 16}, lines, &t);
                }
            }
    print_message("sweep: %lld exact, %lld bounds\n", (long long)t.exact, (long long)t.bounded);
}

/* The size that suffices suffices, and one line less does not. */
static void test_needs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= effort_cases(CASES); seed++) {
        random_source r = random_start(seed);
        wl_stencil s;
        s.width = random_in(&r, 1, 30);
        s.height = random_in(&r, 2, 30);
        s.reach[0] = random_in(&r, 0, 5);
        s.reach[1] = random_in(&r, 1, 3);
        s.line = random_in(&r, 1, 6);
        const wl_tile rows = {s.width, s.height};
        const int64_t needs = wl_stencil_needs(&s, rows), least = wl_stencil_least(&s);
        assert_int_equal(simulate(&s, stencil_task, s.width, s.height, rows, needs), least);
        const wl_product p = {s.width, s.height, random_in(&r, 1, 30), s.line};
        const int64_t product = wl_product_needs(&p, rows), product_least = wl_product_least(&p);
        assert_int_equal(simulate(&p, product_task, p.width, p.height, rows, product), product_least);
        if (product > 1)
            assert_true(simulate(&p, product_task, p.width, p.height, rows, product - 1) > product_least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_stencils), cmocka_unit_test(test_random_products),
                                       cmocka_unit_test(test_sweep), cmocka_unit_test(test_needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
