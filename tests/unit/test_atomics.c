/* test_atomics.c - atomics: what one instruction costs, how they crowd, and what kernel files with
 * them predict.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/h200_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "count/atomics.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

static wl_warp_access lanes_at(int lanes, int64_t (*place)(int lane))
{
    wl_warp_access a = {.count = lanes, .width = 4};
    for (int i = 0; i < lanes; i++) {
        a.lane[i] = (uint8_t)i;
        a.address[i] = place(i);
    }
    return a;
}

static int64_t in_a_row(int lane) { return 4 * lane; }
static int64_t on_one(int lane) { return 256 + 0 * lane; }
static int64_t on_two_lines(int lane) { return lane % 2 * 2048; }
static int64_t on_two_words(int lane) { return lane % 2 * 4; }
static int64_t on_two_sectors(int lane) { return lane % 2 * 32; }
static int64_t far_apart(int lane) { return (31 - lane) * 4096; }

static void instructions_cost_lines_and_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t (*place)(int lane);
        int lanes;
        double passes, sectors;
    } cases[] = {
        {"neighbouring words", in_a_row, 32, 1, 4},
        {"some of them", in_a_row, 9, 1, 2},
        {"one word", on_one, 32, 32, 32},
        {"two words, two lines", on_two_lines, 32, 32, 32},
        {"two words, one sector", on_two_words, 32, 16, 16},
        {"two sectors of a line", on_two_sectors, 32, 16, 32},
        {"a line for each", far_apart, 32, 32, 32},
    };
    wl_arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_atomic_lines *lines = wl_atomic_lines_new(&arena);
        const wl_warp_access a = lanes_at(cases[i].lanes, cases[i].place);
        const wl_atomic_cost c = wl_atomic_lines_add(lines, &rules, 0, (wl_atomic_kind){0}, &a, 2);
        const wl_atomics total = wl_atomic_lines_total(lines, &rules);
        check_near(cases[i].name, "passes", c.passes, cases[i].passes, 0);
        check_near(cases[i].name, "sectors", c.sectors, cases[i].sectors, 0);
        check_near(cases[i].name, "passes of both", total.passes, 2 * cases[i].passes, 0);
        check_near(cases[i].name, "instructions", total.inst, 2, 0);
        wl_arena_reset(&arena);
    }
    wl_arena_free(&arena);
    check_done();
}

static int64_t in_a_row_of_doubles(int lane) { return 8 * lane; }
static int64_t on_four_words(int lane) { return lane % 4 * 4; }
static int64_t on_one_double(int lane) { return 256 + 0 * lane; }

/* Sums wait for those on the same word; sums of f64 take two passes of a full sector. */
static void sums_wait_for_one_another(void **state)
{
    (void)state;
    static const wl_atomic_kind integers = {false, false}, floats = {true, false}, doubles = {true, true};
    static const struct {
        const char *name;
        int64_t (*place)(int lane);
        int32_t width;
        const wl_atomic_kind *kind;
        double sums, sectors;
    } cases[] = {
        {"integers, one word", on_one, 4, &integers, 0, 32},
        {"floats, one word", on_one, 4, &floats, 32, 32},
        {"floats, two words", on_two_words, 4, &floats, 16, 16},
        {"floats, four words", on_four_words, 4, &floats, 8, 8},
        {"floats in a row", in_a_row, 4, &floats, 1, 4},
        {"doubles, one word", on_one_double, 8, &doubles, 32, 32},
        {"doubles in a row", in_a_row_of_doubles, 8, &doubles, 1, 16},
    };
    wl_arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_atomic_lines *lines = wl_atomic_lines_new(&arena);
        wl_warp_access a = lanes_at(32, cases[i].place);
        a.width = cases[i].width;
        const wl_atomic_cost c = wl_atomic_lines_add(lines, &rules, 0, *cases[i].kind, &a, 3);
        const wl_atomics total = wl_atomic_lines_total(lines, &rules);
        check_near(cases[i].name, "sums that wait", total.hot_sums, 3 * cases[i].sums, 0);
        check_near(cases[i].name, "sectors", total.sectors, 3 * cases[i].sectors, 0);
        check_near(cases[i].name, "sectors and second passes", c.sectors + c.more, cases[i].sectors, 0);
        wl_arena_reset(&arena);
    }
    wl_arena_free(&arena);
    check_done();
}

/* The next instruction's sums go to another word of the line: two of them at a time. */
static void sums_on_other_words_overlap(void **state)
{
    (void)state;
    wl_arena arena = {0};
    wl_atomic_lines *lines = wl_atomic_lines_new(&arena);
    for (int n = 0; n < 32; n++) {
        wl_warp_access a = lanes_at(32, on_one);
        for (int l = 0; l < 32; l++)
            a.address[l] += 4 * (n % 8);
        (void)wl_atomic_lines_add(lines, &rules, 0, (wl_atomic_kind){.sums = true}, &a, 1);
    }
    check_near("eight words", "sums that wait", wl_atomic_lines_total(lines, &rules).hot_sums, 32 * 32 / 2.0, 0);
    wl_arena_free(&arena);
    check_done();
}

/* The busiest group of lines, all groups, and passes of more lines than are kept apart. */
static void many_lines(void **state)
{
    (void)state;
    static const int64_t places[] = {1, 100, 3000, 40000, 200000, 4000000};
    wl_arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        wl_atomic_lines *lines = wl_atomic_lines_new(&arena);
        char name[40];
        (void)snprintf(name, sizeof name, "%lld places", (long long)places[i]);
        for (int64_t n = 0; n < 4000; n++) {
            wl_warp_access a = {.count = 32, .width = 4};
            for (int l = 0; l < 32; l++) {
                a.lane[l] = (uint8_t)l;
                a.address[l] = 128 * wl_random_below(n * 32 + l, places[i]);
            }
            (void)wl_atomic_lines_add(lines, &rules, 0, (wl_atomic_kind){0}, &a, 1);
        }
        const wl_atomics total = wl_atomic_lines_total(lines, &rules);
        check_near(name, "passes", total.passes, 32 * 4000, 0);
        if (places[i] <= 100) {
            const double groups = fmax(1, (double)places[i] / rules.slice_lines), sectors = 32.0 * 4000 / groups;
            check_near(name, "sectors of the busiest", total.hot_sectors, sectors, 0.15);
            check_near(name, "squares", total.squared_sectors, groups * sectors * sectors, 0.15);
        }
        wl_arena_reset(&arena);
    }
    wl_arena_free(&arena);
    check_done();
}

static wl_prediction p;

static void predict(const char *text, const wl_launch *launch)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    check_ok("kernel", wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("predict", wl_predict(predictor, launch, NULL, &p, &err), &err);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
}

static double metric(wl_metric m) { return p.metrics[m].known ? p.metrics[m].value : -1; }

#define SCATTER_TO(type, index)                                                                                        \
    "name: k\ndomain: [1048576]\nfields: {a: {type: i32}, h: {type: " type "}}\nloads: [\"a[x]\"]\nflops: 0\n"         \
    "atomics: [\"h[" index "]\"]\n"
#define SCATTER(index) SCATTER_TO("i32", index)

static void global_atomics_are_no_stores(void **state)
{
    (void)state;
    const wl_launch launch = {.block = {256, 1, 1}, .registers = 16};
    const double warps = 1048576.0 / 32;
    predict(SCATTER("512 * random(x, 2)"), &launch);
    check_near("two", "loads", metric(WL_METRIC_inst_global_ld), warps, 0);
    check_near("two", "stores", metric(WL_METRIC_inst_global_st), 0, 0);
    check_near("two", "atomics", metric(WL_METRIC_inst_atomic), warps, 1e-12);
    check_near("two", "sectors stored", metric(WL_METRIC_l1_sectors_st), 0, 0);
    check_near("two", "L2 stores", metric(WL_METRIC_l2_store_bytes), 0, 0);
    /* as measured: 32 wavefronts an instruction, and 1.36 adds to each of two words in a
     * nanosecond */
    check_near("two", "wavefronts", metric(WL_METRIC_l1_wavefronts), 34 * warps, 0.01);
    check_near("two", "time", p.model.time_s, 1048576 / 2 / 1.36e9, 0.05);
    check_int("two", "limiter", p.model.limiter, WL_BOUND_ATOMICS);

    predict(SCATTER("x"), &launch);
    check_near("own", "atomics", metric(WL_METRIC_inst_atomic), warps, 1e-12);
    check_near("own", "wavefronts", metric(WL_METRIC_l1_wavefronts), 3 * warps, 0.01);
    check_near("own", "memory is read", metric(WL_METRIC_dram_load_bytes), 2 * 4 * 1048576, 0.01);
    check_true("own", "not limited by atomics", p.model.limiter != WL_BOUND_ATOMICS);

    predict(SCATTER("0"), &launch);
    check_near("one", "time", p.model.time_s, 1048576 / 1.36e9, 0.05);
    /* 1845.8 us between events of the host */
    predict(SCATTER_TO("f32", "0"), &launch);
    check_near("one f32", "time", p.model.time_s, 1841e-6, 0.02);
    check_done();
}

static void shared_atomics_conflict_like_loads(void **state)
{
    (void)state;
    static const char text[] = "name: k\ndomain: [1048576]\nflops: 0\nfields: {s: {type: i32, memory: shared}}\n"
                               "atomics: [\"s[32 * (threadIdx.x % 8)]\", \"s[threadIdx.x % 2]\"]\n";
    const wl_launch launch = {.block = {256, 1, 1}, .registers = 16, .shared_bytes = 4096};
    const double warps = 1048576.0 / 32;
    predict(text, &launch);
    check_near("shared", "atomics", metric(WL_METRIC_inst_shared_atomic), 2 * warps, 1e-12);
    check_near("shared", "loads", metric(WL_METRIC_inst_shared_ld), 0, 0);
    check_near("shared", "stores", metric(WL_METRIC_inst_shared_st), 0, 0);
    check_near("shared", "wavefronts", metric(WL_METRIC_shared_wavefronts), (8 + 1 + 1) * warps, 1e-12);
    check_true("shared", "none on global memory", !p.metrics[WL_METRIC_inst_atomic].known);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_cost_lines_and_lanes), cmocka_unit_test(sums_wait_for_one_another),
        cmocka_unit_test(sums_on_other_words_overlap),       cmocka_unit_test(many_lines),
        cmocka_unit_test(global_atomics_are_no_stores),      cmocka_unit_test(shared_atomics_conflict_like_loads)};
    return cmocka_run_group_tests(tests, start, stop);
}
