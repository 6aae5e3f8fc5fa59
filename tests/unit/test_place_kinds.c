/* test_place_kinds.c - count/place_kinds.h: kinds of blocks under affine conditions against a visit
 * to every cell.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "metrics/prediction.h"
#include "warpline/warpline.h"

static wl_device *h200;

static uint64_t state = 11;

static int64_t between(int64_t lo, int64_t hi)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int64_t)((state >> 33) % (uint64_t)(hi - lo + 1));
}

typedef struct condition {
    int64_t a, b, c; /* a x + b y < c */
    int64_t extent[2], block[2];
} condition;

static wl_kinds predict(const char *name, const condition *t, bool conditional, const int64_t grid[2])
{
    char text[600], limit[80] = "";
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction p = {0};
    wl_error err = {0};
    if (conditional)
        snprintf(limit, sizeof limit, " if %lld*x + %lld*y < %lld", (long long)t->a, (long long)t->b, (long long)t->c);
    snprintf(text, sizeof text,
             "name: part\ndomain: [%lld, %lld]\nregisters: 32\nfields:\n  a: {type: f32, extent: [%lld, %lld]}\n"
             "loads: [\"a[x,y]%s\"]\nstores: []\n",
             (long long)t->extent[0], (long long)t->extent[1], (long long)t->extent[0], (long long)t->extent[1], limit);
    const wl_launch launch = {.block = {t->block[0], t->block[1], 1}, .grid = {grid[0], grid[1], 1}};
    wl_status status = wl_kernel_parse("part.yaml", text, strlen(text), NULL, &kernel, &err);
    if (status == WL_OK)
        status = wl_predictor_new(kernel, h200, &predictor, &err);
    if (status == WL_OK)
        status = wl_predict(predictor, &launch, NULL, &p, &err);
    check_ok(name, status, &err);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    return p.mix.kinds;
}

typedef struct busy {
    double blocks, first, last, sum; /* of numbers */
} busy;

/* Blocks with a cell that meets the condition. */
static busy visit(const condition *t, const int64_t grid[2])
{
    busy out = {.first = -1};
    for (int64_t y = 0; y < grid[1]; y++)
        for (int64_t x = 0; x < grid[0]; x++) {
            bool any = false;
            for (int64_t i = 0; i < t->block[0] * t->block[1] && !any; i++) {
                const int64_t cx = x * t->block[0] + i % t->block[0], cy = y * t->block[1] + i / t->block[0];
                any = cx < t->extent[0] && cy < t->extent[1] && t->a * cx + t->b * cy < t->c;
            }
            if (!any)
                continue;
            const double number = (double)(x + grid[0] * y);
            out.first = out.first < 0 ? number : out.first;
            out.last = number;
            out.sum += number;
            out.blocks += 1;
        }
    return out;
}

static busy sum_of(const wl_kinds *kinds, double *all)
{
    busy out = {.first = -1};
    *all = 0;
    for (int k = 0; k < kinds->count; k++) {
        const wl_block_kind *kind = &kinds->list[k];
        *all += kind->blocks;
        if (kind->loads <= 0)
            continue;
        out.first = out.first < 0 ? kind->first : fmin(out.first, kind->first);
        out.last = fmax(out.last, kind->last);
        out.sum += kind->blocks * kind->middle;
        out.blocks += kind->blocks;
    }
    return out;
}

static void kinds_are_a_visit_to_every_cell(void **unused)
{
    (void)unused;
    int seen = 0;
    for (int trial = 0; trial < 300; trial++) {
        condition t = {.a = between(-2, 2), .b = between(-2, 2)};
        for (int d = 0; d < 2; d++) {
            t.extent[d] = between(20, 200);
            t.block[d] = (int64_t)1 << between(d ? 0 : 2, 4);
        }
        const int64_t lo = (t.a < 0 ? t.a * t.extent[0] : 0) + (t.b < 0 ? t.b * t.extent[1] : 0);
        t.c = lo + between(1, 1 + 200 * (llabs(t.a) + llabs(t.b)));
        const int64_t grid[2] = {(t.extent[0] + t.block[0] - 1) / t.block[0] + between(0, 3),
                                 (t.extent[1] + t.block[1] - 1) / t.block[1] + between(0, 3)};
        char name[160];
        snprintf(name, sizeof name, "trial %d: %lld*x + %lld*y < %lld, %lld x %lld, blocks %lld x %lld", trial,
                 (long long)t.a, (long long)t.b, (long long)t.c, (long long)t.extent[0], (long long)t.extent[1],
                 (long long)t.block[0], (long long)t.block[1]);
        const wl_kinds kinds = predict(name, &t, true, grid);
        if (kinds.count == 0)
            continue;
        double all;
        const busy got = sum_of(&kinds, &all), want = visit(&t, grid);
        check_near(name, "blocks", all, (double)(grid[0] * grid[1]), 1e-12);
        check_near(name, "blocks with work", got.blocks, want.blocks, 1e-12);
        check_near(name, "the first of them", got.first, want.first, 1e-12);
        check_near(name, "the last of them", got.last, want.last, 1e-12);
        check_near(name, "the sum of their numbers", got.sum, want.sum, 1e-9);
        seen++;
    }
    check_true("trials", "many have several kinds", seen > 50);
    check_done();
}

static void equal_blocks_have_no_kinds(void **unused)
{
    (void)unused;
    const condition t = {.extent = {100, 100}, .block = {32, 8}};
    const int64_t exact[2] = {4, 13}, large[2] = {8, 26};
    check_int("edges", "kinds", predict("edges", &t, false, exact).count, 0);
    const wl_kinds kinds = predict("idle blocks", &t, false, large);
    check_int("idle blocks", "kinds", kinds.count, 2);
    check_near("idle blocks", "blocks with work", kinds.list[0].blocks, 4 * 13, 1e-12);
    check_near("idle blocks", "blocks without", kinds.list[1].blocks, 8 * 26 - 4 * 13, 1e-12);
    check_done();
}

static int find_device(void **unused)
{
    (void)unused;
    wl_error err = {0};
    return wl_device_builtin("h200", &h200, &err) == WL_OK ? 0 : -1;
}

static int free_device(void **unused)
{
    (void)unused;
    wl_device_free(h200);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_a_visit_to_every_cell),
        cmocka_unit_test(equal_blocks_have_no_kinds),
    };
    return cmocka_run_group_tests(tests, find_device, free_device);
}
