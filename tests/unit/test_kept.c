/* test_kept.c - what a predictor keeps from launch to launch (patterns, counts, instructions)
 * changes no answer: a predictor that has seen many launches against a new one, and counts that are
 * kept against counts that are not.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "count/pattern_table.h"
#include "count/view.h"
#include "metrics/prediction.h"
#include "predictor.h"
#include "warpline/warpline.h"

static uint64_t state = 1;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static wl_kernel *kernel_of(const char *name, const char *const *sets, size_t set_count)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(name, &length);
    const wl_kernel_options options = {.sets = sets, .set_count = set_count};
    assert_non_null(text);
    check_ok(name, wl_kernel_parse(name, text, length, &options, &kernel, &err), &err);
    return kernel;
}

static wl_device *device_of(const char *name)
{
    wl_error err = {0};
    wl_device *device = NULL;
    check_ok(name, wl_device_builtin(name, &device, &err), &err);
    return device;
}

/* Few threads, so that blocks and foldings come again; some extents are odd. */
static wl_launch random_launch(void)
{
    static const int64_t x[] = {1, 4, 7, 16, 32, 64, 96}, y[] = {1, 2, 3, 4, 5}, z[] = {1, 2, 2, 1},
                         fold[] = {1, 1, 2, 3};
    /* other registers, other waves of the same warps */
    static const int64_t registers[] = {24, 32, 48, 64};
    wl_launch l = {.registers = registers[below(4)]};
    l.block[0] = x[below(7)];
    l.block[1] = y[below(5)];
    l.block[2] = z[below(4)];
    l.fold[0] = below(4) ? 1 : 2;
    l.fold[1] = fold[below(4)];
    l.fold[2] = fold[below(4)];
    return l;
}

/* More orders than are kept, so that some come again and some are forgotten. */
static wl_launch random_order(void)
{
    static const char *const orders[] = {"column:7", "column:31", "zigzag:5", "tile:9x4", "hilbert", "morton"};
    wl_launch l = {.registers = below(4) ? 32 : 40};
    wl_error err = {0};
    l.block[0] = below(2) ? 64 : 100;
    check_ok("order", wl_schedule_parse(orders[below(6)], &l.schedule, &err), &err);
    return l;
}

/* ---- predictions ---- */

static void check_same(const char *name, const wl_prediction *a, const wl_prediction *b, size_t fields)
{
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        const wl_value *v = &a->metrics[m], *w = &b->metrics[m];
        check_true(name, wl_metric_name((wl_metric)m), v->known == w->known && v->part_count == w->part_count);
        check_near(name, wl_metric_name((wl_metric)m), v->value, w->value, 0);
        for (int i = 0; i < v->part_count; i++)
            check_near(name, v->parts[i].name, v->parts[i].value, w->parts[i].value, 0);
    }
    check_near(name, "time", a->model.time_s, b->model.time_s, 0);
    check_int(name, "method", a->count_method, b->count_method);
    check_int(name, "warnings", a->warning_count, b->warning_count);
    for (int i = 0; i < a->warning_count; i++)
        check_text(name, "warning", a->warnings[i], b->warnings[i]);
    check_true(name, "shares", memcmp(a->fields, b->fields, fields * sizeof *a->fields) == 0);
}

static void compare_predictors(const char *name, const wl_kernel *kernel, const wl_device *device,
                               wl_launch (*random)(void), int launches)
{
    static wl_prediction kept, fresh;
    wl_error err = {0};
    wl_predictor *old = NULL;
    check_ok(name, wl_predictor_new(kernel, device, &old, &err), &err);
    for (int i = 0; i < launches; i++) {
        const wl_launch launch = random();
        const wl_predict_options how = {.model = below(4) ? WL_MODEL_BEST : WL_MODEL_SIMPLE};
        char label[120];
        wl_predictor *new = NULL;
        snprintf(label, sizeof label, "%s on %s, launch %d: %dx%dx%d fold %dx%dx%d", name, wl_device_name(device), i,
                 (int)launch.block[0], (int)launch.block[1], (int)launch.block[2], (int)launch.fold[0],
                 (int)launch.fold[1], (int)launch.fold[2]);
        check_ok(label, wl_predictor_new(kernel, device, &new, &err), &err);
        check_ok(label, wl_predict(old, &launch, &how, &kept, &err), &err);
        check_ok(label, wl_predict(new, &launch, &how, &fresh, &err), &err);
        check_same(label, &kept, &fresh, wl_kernel_field_count(kernel));
        wl_predictor_free(new);
    }
    wl_predictor_free(old);
}

static void predictions_do_not_depend_on_those_before(void **unused)
{
    static const char *const devices[] = {"h200", "a100-40gb"};
    static const char *const odd_domain[] = {"nx=77", "ny=45", "nz=31"};
    (void)unused;
    for (size_t d = 0; d < COUNT_OF(devices); d++) {
        wl_device *device = device_of(devices[d]);
        wl_kernel *star = kernel_of("star3d_r4", NULL, 0), *small = kernel_of("star3d_r4", odd_domain, 3),
                  *lattice = kernel_of("lbm_d3q19", NULL, 0), *tiles = kernel_of("matmul", NULL, 0);
        compare_predictors("star3d_r4", star, device, random_launch, 60);
        compare_predictors("star3d_r4, odd domain", small, device, random_launch, 120);
        compare_predictors("star3d_r4, ordered", small, device, random_order, 100);
        compare_predictors("lbm_d3q19", lattice, device, random_launch, 10);
        compare_predictors("matmul", tiles, device, random_launch, 10);
        wl_kernel_free(star);
        wl_kernel_free(small);
        wl_kernel_free(lattice);
        wl_kernel_free(tiles);
        wl_device_free(device);
    }
    check_done();
}

/* What only one model asks for is counted once for a launch, too. */
static void distinct_bytes_are_kept(void **unused)
{
    static wl_prediction first, again;
    const wl_predict_options simple = {.model = WL_MODEL_SIMPLE};
    const wl_launch launch = {.block = {128}, .registers = 32}, other = {.block = {128}, .registers = 64};
    wl_error err = {0};
    wl_predictor *predictor = NULL;
    wl_kernel *kernel = kernel_of("gather", (const char *const[]){"n=65536", "table=65536"}, 2);
    wl_device *device = device_of("h200");
    (void)unused;
    check_ok("new", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("other model", wl_predict(predictor, &launch, NULL, &first, &err), &err);
    wl_kept_distinct *kept = wl_kept_distinct_of(&predictor->launches, &launch, 0);
    check_true("other model", "counts no distinct bytes", kept && !kept->known);
    check_ok("simple", wl_predict(predictor, &launch, &simple, &first, &err), &err);
    check_true("simple", "keeps them", kept && kept->known && kept->bytes[0] > 0);
    check_true("other registers", "are another launch", !wl_kept_distinct_of(&predictor->launches, &other, 0));
    kept->bytes[0] *= 2; /* they are used again */
    check_ok("again", wl_predict(predictor, &launch, &simple, &again, &err), &err);
    check_true("again", "time", again.model.time_s > first.model.time_s);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- counts ---- */

static void kept_counts_are_counts(void **unused)
{
    static const char *const domain[] = {"nx=77", "ny=23", "nz=19"};
    wl_arena arena = {0};
    wl_error err = {0};
    wl_view view;
    wl_counter keeps = {.row_budget = WL_ROW_BUDGET, .keep = true}, counts = {.row_budget = WL_ROW_BUDGET};
    wl_kernel *kernel = kernel_of("star3d_r4", domain, 3);
    wl_device *device = device_of("h200");
    (void)unused;
    check_ok("view", wl_view_make(kernel, NULL, &arena, &view, &err), &err);
    for (int i = 0; i < 3000; i++) {
        const wl_launch launch = random_launch();
        wl_geometry g;
        check_ok("launch", wl_geometry_make(kernel, device, &launch, &g, &err), &err);
        const int64_t first = below(g.blocks), last = first + 1 + below(wl_min(40, g.blocks - first));
        const wl_region region = wl_view_run(&view, &g, first, last);
        const size_t field = (size_t)below(2);
        const wl_side side = (wl_side)below(WL_SIDE_COUNT);
        const int64_t granule = (int64_t)32 << below(4);
        const bool want_covered = below(2);
        wl_count kept, plain;
        check_ok("kept", wl_view_count(&view, &keeps, field, side, &region, granule, want_covered, &kept, &err), &err);
        check_ok("plain", wl_view_count(&view, &counts, field, side, &region, granule, want_covered, &plain, &err),
                 &err);
        check_int("count", "touched", kept.touched, plain.touched);
        check_int("count", "covered", kept.covered, plain.covered);
        check_int("count", "method", keeps.method, counts.method);
    }
    check_true("memo", "counts are kept", keeps.memo && !counts.memo);
    wl_counter_free(&keeps);
    wl_counter_free(&counts);
    wl_arena_free(&arena);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- patterns ---- */

static void patterns_are_found_again(void **unused)
{
    wl_pattern_table table = {0};
    wl_l1_rules rules;
    wl_device *device = device_of("h200");
    wl_arrangement lanes = {.width = 8, .lanes = 32};
    (void)unused;
    wl_l1_rules_make(device, &rules);
    for (int i = 0; i < 32; i++) {
        lanes.lane[i] = (uint8_t)i;
        lanes.relative[i] = 8 * i;
    }
    wl_pattern *first = wl_pattern_table_get(&table, &rules, &lanes);
    check_true("same lanes", "same pattern", first && first == wl_pattern_table_get(&table, &rules, &lanes));
    for (int64_t at = 0; at < 4096; at += 4) {
        /* by place in the sector and in the bank word, against the law itself */
        wl_warp_access access = {.count = 32, .width = 8};
        for (int i = 0; i < 32; i++) {
            access.lane[i] = (uint8_t)i;
            access.address[i] = at + 8 * i;
        }
        check_int("row", "sectors", wl_pattern_sectors(&rules, first, at), wl_warp_sectors(&rules, &access));
        check_int("row", "wavefronts", wl_pattern_hit(&rules, first, at), wl_warp_hit_wavefronts(&rules, &access));
    }
    lanes.width = 4;
    check_true("other width", "other pattern", first != wl_pattern_table_get(&table, &rules, &lanes));
    for (int i = 0; i <= WL_PATTERNS_KEPT; i++) {
        lanes.relative[31] = 1000 + i;
        check_true("many", "memory", wl_pattern_table_get(&table, &rules, &lanes) != NULL);
    }
    check_int("many", "patterns", (int64_t)table.count, WL_PATTERNS_KEPT + 3);
    wl_pattern_table_trim(&table);
    check_int("trimmed", "patterns", (int64_t)table.count, 0);
    check_true("trimmed", "memory is used again",
               table.spare && wl_pattern_table_get(&table, &rules, &lanes) != NULL && table.count == 1);
    wl_pattern_table_free(&table);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_do_not_depend_on_those_before),
        cmocka_unit_test(distinct_bytes_are_kept),
        cmocka_unit_test(kept_counts_are_counts),
        cmocka_unit_test(patterns_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
