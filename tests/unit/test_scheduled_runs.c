/* test_scheduled_runs.c - what runs of scheduled threads touch: counted by boxes of cells, and
 * thread by thread.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "count/view.h"
#include "launch/scheduled.h"
#include "metrics/prediction.h"
#include "property/random_source.h"
#include "warpline/predict.h"

static wl_kernel *random_star(random_source *r)
{
    char text[400];
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    (void)snprintf(text, sizeof text,
                   "name: star\ndomain: [%lld, %lld, %lld]\nfrom: [%lld, %lld, 0]\nfields:\n"
                   "  a: {type: f64, extent: [60, 40, 12], halo: 2}\n  b: {type: f32, extent: [60, 40, 12], halo: 2}\n"
                   "update: |\n  b[0,0,0] = a[0,0,0] + a[1,0,0] + a[-2,0,0] + a[0,1,0] + a[0,-1,0] + a[0,0,1]\n",
                   (long long)random_in(r, 4, 50), (long long)random_in(r, 4, 30), (long long)random_in(r, 1, 6),
                   (long long)random_in(r, 0, 3) / 2, (long long)random_in(r, 0, 3) / 2);
    check_ok("kernel", wl_kernel_parse("star", text, strlen(text), NULL, &kernel, &err), &err);
    return kernel;
}

/* One run of blocks, both ways. */
static void compare_run(const wl_view *by_threads, const wl_view *by_cells, const wl_geometry *g, wl_counter *counter,
                        random_source *r)
{
    const wl_geometry cells = wl_scheduled_cells(g);
    const int64_t first = random_in(r, 0, g->blocks - 1), last = random_in(r, first + 1, g->blocks);
    const int64_t granules[2] = {32, 128};
    const wl_region run = wl_view_run(by_threads, g, first, last);
    wl_region boxes = {.geometry = &cells, .kernel = by_cells->kernel, .steps = by_cells->steps};
    if (wl_runs_are_boxes(g))
        boxes = wl_view_run(by_cells, &cells, first * g->threads, wl_min(last * g->threads, cells.blocks));
    else if (!wl_scheduled_boxes(g, first * g->threads, last * g->threads, &boxes.blocks))
        return; /* too many squares of a curve */
    for (size_t f = 0; f < 2; f++)
        for (int side = 0; side < WL_SIDE_COUNT; side++) {
            double one[2] = {0}, other[2] = {0};
            wl_error err = {0};
            check_ok("threads", wl_view_counts(by_threads, counter, f, (wl_side)side, &run, granules, 2, one, &err),
                     &err);
            check_ok("cells", wl_view_counts(by_cells, counter, f, (wl_side)side, &boxes, granules, 2, other, &err),
                     &err);
            for (int i = 0; i < 2; i++)
                if (one[i] != other[i])
                    fail_msg("blocks %lld..%lld, field %zu, side %d: %g by threads, %g by cells", (long long)first,
                             (long long)last, f, side, one[i], other[i]);
        }
}

static void runs_are_their_cells(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    random_source r = random_start(5);
    int compared = 0;
    for (int i = 0; i < 400; i++) {
        const wl_schedule_kind kinds[] = {WL_SCHEDULE_COLUMN, WL_SCHEDULE_ZIGZAG, WL_SCHEDULE_TILE, WL_SCHEDULE_HILBERT,
                                          WL_SCHEDULE_MORTON};
        wl_kernel *kernel = random_star(&r);
        wl_launch launch = {.block = {random_in(&r, 1, 70)}, .schedule = {.kind = RANDOM_OF(&r, kinds)}};
        launch.schedule.width = launch.schedule.kind <= WL_SCHEDULE_TILE ? random_in(&r, 1, 40) : 0;
        launch.schedule.height = launch.schedule.kind == WL_SCHEDULE_TILE ? random_in(&r, 1, 9) : 0;
        wl_geometry g;
        wl_view by_threads, by_cells;
        wl_arena arena = {0};
        wl_counter counter = {0};
        wl_error err = {0};
        check_ok("geometry", wl_geometry_make(kernel, device, &launch, &g, &err), &err);
        g = wl_geometry_busy(&g);
        if (wl_threads_are_ordered(&g)) {
            assert_true(wl_threads_visit_all(&g));
            check_ok("view", wl_view_make(kernel, &g, &arena, &by_threads, &err), &err);
            check_ok("view", wl_view_make(kernel, NULL, &arena, &by_cells, &err), &err);
            assert_false(by_cells.opaque);
            for (size_t a = 0; a < kernel->access_count; a++)
                /* not by rows of cells: every thread is evaluated */
                by_threads.bounds[a].reordered = false;
            for (int n = 0; n < 4; n++, compared++)
                compare_run(&by_threads, &by_cells, &g, &counter, &r);
        }
        wl_counter_free(&counter);
        wl_arena_free(&arena);
        wl_kernel_free(kernel);
    }
    wl_device_free(device);
    assert_true(compared > 800);
    check_done();
}

/* Whatever the order, what a launch reads of 4096 x 4096 numbers comes in once at least. */
static void dram_loads_are_not_below_the_least(void **state)
{
    (void)state;
    static const char *const orders[] = {"zigzag:4", "zigzag:2", "zigzag:1", "zigzag:33", "column:33",
                                         "tile:5x7", "column:7", "hilbert",  "morton"};
    wl_device *device = given_device("h200");
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star2d_5pt", &length);
    check_ok("kernel", wl_kernel_parse("star", text, length, NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("prediction", wl_prediction_new(&p, &err), &err);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        wl_launch launch = {.block = {256}};
        check_ok(orders[i], wl_schedule_parse(orders[i], &launch.schedule, &err), &err);
        check_ok(orders[i], wl_predict(predictor, &launch, NULL, p, &err), &err);
        double loaded = 0;
        assert_true(wl_prediction_metric(p, WL_METRIC_dram_load_bytes, &loaded));
        check_true(orders[i], "loads all", loaded >= 4096.0 * 4096 * 8);
        check_true(orders[i], "in two dimensions, little more", loaded <= 1.1 * 4096.0 * 4096 * 8);
    }
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* The paper on column iteration (section 5.2): hits in the L1 and volume from the L2 of a product
 * of 1024 x 1024 on an RTX 2080 Super, in linear order and in columns of 32. Its block size is not
 * given; 128 fits both numbers. */
static void products_load_what_the_paper_saw(void **state)
{
    (void)state;
    static const struct {
        const char *order;
        double hits, bytes;
    } seen[] = {{"linear", 0.1949, 4.02 * (1 << 30)}, {"column:32", 0.7740, 1.13 * (1 << 30)}};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("matmul", &length);
    check_ok("device", wl_device_builtin("rtx2080s", &device, &err), &err);
    check_ok("kernel", wl_kernel_parse("matmul", text, length, NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("prediction", wl_prediction_new(&p, &err), &err);
    double first = 0;
    assert_true(wl_device_get(device, WL_DEVICE_dram_latency, &first));
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        wl_launch launch = {.block = {128}};
        double sectors = 0, loaded = 0, fetched = 0;
        check_ok(seen[i].order, wl_schedule_parse(seen[i].order, &launch.schedule, &err), &err);
        check_ok(seen[i].order, wl_predict(predictor, &launch, NULL, p, &err), &err);
        assert_true(wl_prediction_metric(p, WL_METRIC_l1_sectors_ld, &sectors));
        assert_true(wl_prediction_metric(p, WL_METRIC_l2_load_bytes, &loaded));
        check_near(seen[i].order, "bytes", loaded, seen[i].bytes, 0.15);
        check_near(seen[i].order, "hits", 1 - loaded / (32 * sectors), seen[i].hits, 0.15);
        /* blocks of a wave walk through b at the same time: each wave fetches it once at most */
        const double matrix = 4.0 * 1024 * 1024, blocks = (double)wl_prediction_blocks(p);
        const double waves = blocks / (double)wl_prediction_wave_blocks(p);
        assert_true(wl_prediction_metric(p, WL_METRIC_dram_load_bytes, &fetched));
        check_true(seen[i].order, "fetches b once a wave", fetched <= (ceil(waves) + 1) * matrix);
        /* of a row of a, and of each line that the L2 has lost */
        const double lines = fetched / 128 / blocks;
        check_true(seen[i].order, "waits for as many lines as it fetches",
                   p->model.waits.level[2] <= first + first / 2 * (4096.0 / 128 + lines));
    }
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_their_cells),
                                       cmocka_unit_test(dram_loads_are_not_below_the_least),
                                       cmocka_unit_test(products_load_what_the_paper_saw)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
