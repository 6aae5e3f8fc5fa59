/* test_roofline.c - ceilings, walls, marks and words of rooflines, against the numbers of Ding and
 * Williams 2019 and of the roofline slides; labels that do not overlap.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include "report/common/roofline_report.h"
#include "report/common/roofline_scene.h"
#include "warpline/warpline.h"

/* Frees the device. */
static wl_roofline *roofline_on(wl_roofline_kind kind, wl_device *device)
{
    wl_roofline *r = NULL;
    wl_error err = {0};
    check_ok(wl_device_name(device), wl_roofline_new(kind, device, &r, &err), &err);
    wl_device_free(device);
    assert_non_null(r);
    return r;
}

static wl_roofline *roofline_of(wl_roofline_kind kind, const char *device_name)
{
    return roofline_on(kind, given_device(device_name));
}

static void set(wl_tallies *t, wl_tally tally, double value)
{
    t->known[tally] = true;
    t->value[tally] = value;
}

static void add(wl_roofline *r, const wl_tallies *t)
{
    wl_error err = {0};
    check_ok(t->kernel, wl_roofline_add(r, t, &err), &err);
}

/* A second; 96 x 10^9 warp instructions, half of their lanes at work. Global accesses of 4
 * transactions, shared ones of 2 passes: 64 + 4 x 16 transactions of the L1. */
static wl_tallies sample(void)
{
    wl_tallies t = {.kernel = "sample", .launch = "256"};
    set(&t, WL_TALLY_time, 1);
    set(&t, WL_TALLY_inst, 96e9);
    set(&t, WL_TALLY_thread_inst, 96e9 * 32);
    set(&t, WL_TALLY_thread_inst_on, 96e9 * 16);
    set(&t, WL_TALLY_inst_global, 16e9);
    set(&t, WL_TALLY_global_transactions, 64e9);
    set(&t, WL_TALLY_inst_shared, 8e9);
    set(&t, WL_TALLY_shared_transactions, 16e9);
    set(&t, WL_TALLY_l2_transactions, 48e9);
    set(&t, WL_TALLY_dram_transactions, 24e9);
    set(&t, WL_TALLY_flops_f32, 600e9);
    set(&t, WL_TALLY_fma_f32, 300e9);
    set(&t, WL_TALLY_flops_f64, 0);
    set(&t, WL_TALLY_element_bytes, 4);
    return t;
}

/* ---- the papers' numbers ---- */

static void test_v100(void **state)
{
    (void)state;
    wl_ceilings c;
    wl_device *device = given_device("v100-sxm2");
    wl_ceilings_read(device, &c);
    /* 80 multiprocessors x 4 schedulers x 1.53 GHz */
    check_near("v100", "GIPS", c.peak[WL_PIPE_ISSUE] / 1e9, 489.6, 1e-12);
    check_near("v100", "HMMA GIPS", c.peak[WL_PIPE_TENSOR_INSTRUCTION] / 1e9, 244, 0.005);
    wl_roofline *r = roofline_of(WL_ROOFLINE_INSTRUCTION, "v100-sxm2");
    static const struct {
        wl_level level;
        double paper;
    } rates[] = {{WL_LEVEL_L1, 437}, {WL_LEVEL_L2, 93.6}, {WL_LEVEL_DRAM, 25.9}, {WL_LEVEL_SHARED, 109}};
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        check_near(wl_level_name(rates[i].level), "GTXN/s", wl_roofline_bandwidth(r, rates[i].level) / 1e9,
                   rates[i].paper, 0.004);
    wl_roofline_free(r);
    wl_device_free(device);
    check_done();
}

static void test_walls(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool shared;
        double x;
    } want[] = {{"stride 0", false, 1},
                {"unit stride, 4 B", false, 1.0 / 4},
                {"unit stride, 8 B", false, 1.0 / 8},
                {"a transaction per thread", false, 1.0 / 32},
                {"no bank conflict", true, 1},
                {"32-way bank conflict", true, 1.0 / 32}};
    wl_wall walls[WL_WALLS_MAX];
    wl_roofline *r = roofline_of(WL_ROOFLINE_INSTRUCTION, "v100-sxm2");
    wl_tallies t = sample();
    add(r, &t);
    check_int("walls", "number", wl_roofline_walls(r, walls), COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        check_text(want[i].name, "name", walls[i].name, want[i].name);
        check_int(want[i].name, "shared", walls[i].shared, want[i].shared);
        check_near(want[i].name, "intensity", walls[i].x, want[i].x, 0);
    }
    set(&t, WL_TALLY_element_bytes, 16);
    add(r, &t);
    check_int("16 B", "number", wl_roofline_walls(r, walls), COUNT_OF(want) + 1);
    check_near("16 B", "intensity", walls[3].x, 1.0 / 16, 0);
    wl_roofline_free(r);
    /* warps of 64 lanes, sectors of 64 bytes */
    r = roofline_of(WL_ROOFLINE_INSTRUCTION, "mi210");
    t = sample();
    add(r, &t);
    (void)wl_roofline_walls(r, walls);
    check_near("mi210", "stride 0", walls[0].x, 32 / r->ceilings.sector, 0);
    check_near("mi210", "unit stride, 4 B", walls[1].x, 1.0 / 8, 0);
    wl_roofline_free(r);
    check_done();
}

typedef struct made {
    wl_device *device;
    wl_kernel *kernel;
    wl_predictor *predictor;
    wl_prediction *prediction;
    wl_tallies tallies;
} made;

static made predict(const char *device, const char *with, const char *kernel, const wl_launch *launch,
                    wl_model_id model)
{
    made m = {.device = given_device(device)};
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel, &length);
    const wl_predict_options options = {.model = model};
    assert_non_null(text);
    if (with)
        check_ok(with, wl_device_set(m.device, with, &err), &err);
    check_ok(kernel, wl_kernel_parse(kernel, text, length, NULL, &m.kernel, &err), &err);
    check_ok(kernel, wl_predictor_new(m.kernel, m.device, &m.predictor, &err), &err);
    check_ok(kernel, wl_prediction_new(&m.prediction, &err), &err);
    check_ok(kernel, wl_predict(m.predictor, launch, &options, m.prediction, &err), &err);
    wl_tallies_predicted(m.prediction, m.kernel, m.device, &m.tallies);
    return m;
}

static void drop(made *m)
{
    wl_prediction_free(m->prediction);
    wl_predictor_free(m->predictor);
    wl_kernel_free(m->kernel);
    wl_device_free(m->device);
}

/* The slides: 2 flops for 24 bytes, 7 for 16. */
static void test_intensities(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        wl_launch launch;
        double slides;
    } cases[] = {{"triad", {.block = {256, 1, 1}, .fold = {1, 1, 1}}, 0.083},
                 {"star3d_7pt", {.block = {32, 4, 2}, .fold = {1, 1, 1}}, 0.44}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made m = predict("h200", NULL, cases[i].kernel, &cases[i].launch, WL_MODEL_BEST);
        wl_roofline *r = roofline_of(WL_ROOFLINE_CLASSIC, "h200");
        add(r, &m.tallies);
        check_int(cases[i].kernel, "marks", (int64_t)r->mark_count, 1);
        check_near(cases[i].kernel, "FLOP/byte", r->marks[0].x, cases[i].slides, 0.025);
        check_true(cases[i].kernel, "memory bound", !r->marks[0].under_flat);
        wl_roofline_free(r);
        drop(&m);
    }
    check_done();
}

/* The slides: a 3x3 blur of 4096 x 4096 pixels on a GTX 970. */
static void test_simple_model(void **state)
{
    (void)state;
    static const struct {
        const char *bandwidth;
        double seconds;
    } cases[] = {{"dram_bandwidth=192GB/s", 0.699e-3}, {"dram_bandwidth=138GB/s", 0.973e-3}};
    const wl_launch launch = {.block = {32, 8, 1}, .fold = {1, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made m = predict("gtx970", cases[i].bandwidth, "blur3x3", &launch, WL_MODEL_SIMPLE);
        check_near(cases[i].bandwidth, "seconds", wl_prediction_time(m.prediction), cases[i].seconds, 0.001);
        check_int(cases[i].bandwidth, "model", wl_prediction_model(m.prediction), WL_MODEL_SIMPLE);
        drop(&m);
    }
    check_done();
}

/* ---- marks ---- */

#define SHARE 1e-5 /* bandwidths of the L1 are shares of six digits in device files */

static const wl_mark *mark(const wl_roofline *r, wl_series series, wl_level level)
{
    const wl_mark *m = wl_roofline_find(r, 0, series, level);
    assert_non_null(m);
    return m;
}

static void test_instruction_marks(void **state)
{
    (void)state;
    wl_roofline *r = roofline_of(WL_ROOFLINE_INSTRUCTION, "v100-sxm2");
    wl_tallies t = sample();
    add(r, &t);
    const wl_mark *m = mark(r, WL_SERIES_ALL, WL_LEVEL_L1);
    check_near("all", "global + 4 x shared", m->x, 96.0 / (64 + 4 * 16), 1e-15);
    check_near("all", "rate", m->y, 96e9, 0);
    check_near("all", "under the L1", m->ceiling, 437.5e9 * 0.75, SHARE);
    m = mark(r, WL_SERIES_ALL, WL_LEVEL_DRAM);
    check_near("DRAM", "intensity", m->x, 4, 1e-15);
    check_near("DRAM", "roof", m->ceiling, 25.875e9 * 4, 1e-12);
    m = mark(r, WL_SERIES_THREAD, WL_LEVEL_L2);
    check_near("threads", "rate", m->y, 48e9, 0);
    check_near("threads", "intensity", m->x, 1, 1e-15);
    m = mark(r, WL_SERIES_GLOBAL, WL_LEVEL_L1);
    check_near("global", "unit stride", m->x, 0.25, 0);
    check_near("global", "rate", m->y, 16e9, 0);
    m = mark(r, WL_SERIES_SHARED, WL_LEVEL_SHARED);
    check_near("shared", "two passes", m->x, 0.5, 0);
    check_near("shared", "roof", m->ceiling, 109.375e9 / 2, SHARE);
    check_true("tensor", "none", !wl_roofline_find(r, 0, WL_SERIES_TENSOR, WL_LEVEL_L1));
    wl_roofline_free(r);
    r = roofline_of(WL_ROOFLINE_INSTRUCTION, "v100-sxm2");
    set(&t, WL_TALLY_thread_inst_on, 96e9 * 32); /* all lanes */
    set(&t, WL_TALLY_inst_tensor, 61.2e9);
    set(&t, WL_TALLY_dram_transactions, 1e9);
    add(r, &t);
    check_true("threads", "all at work", !wl_roofline_find(r, 0, WL_SERIES_THREAD, WL_LEVEL_L2));
    m = mark(r, WL_SERIES_TENSOR, WL_LEVEL_DRAM);
    check_near("tensor", "share", m->y / m->ceiling, 61.2 / 244.8, 1e-12);
    check_true("tensor", "own ceiling", m->under_flat && m->pipe == WL_PIPE_TENSOR_INSTRUCTION);
    wl_roofline_free(r);
    check_done();
}

static void test_flop_marks(void **state)
{
    (void)state;
    wl_roofline *r = roofline_of(WL_ROOFLINE_HIERARCHICAL, "v100-sxm2");
    wl_roof roofs[WL_ROOFS_MAX];
    wl_tallies t = sample();
    const double f32 = 80 * 64 * 2 * 1.53e9;
    add(r, &t);
    check_near("L1", "FLOP/byte", mark(r, WL_SERIES_ALL, WL_LEVEL_L1)->x, 600 / (128 * 32.0), 1e-15);
    check_near("DRAM", "FLOP/byte", mark(r, WL_SERIES_ALL, WL_LEVEL_DRAM)->x, 600 / (24 * 32.0), 1e-15);
    check_near("DRAM", "roof", mark(r, WL_SERIES_ALL, WL_LEVEL_DRAM)->ceiling, 828e9 * 600 / (24 * 32.0), 1e-12);
    /* three bandwidths, FMA and no FMA of f32; the V100 has no tf32 */
    check_int("roofs", "number", wl_roofline_roofs(r, roofs), 5);
    check_near("roofs", "FMA", roofs[3].rate, f32, 1e-12);
    check_true("roofs", "without FMA", roofs[4].unfused && roofs[4].rate == f32 / 2);
    wl_use uses[WL_USES_MAX];
    const int count = wl_uses(&t, &r->ceilings, uses);
    for (int i = 0; i < count; i++)
        if (!uses[i].is_level && uses[i].pipe == WL_PIPE_F32) {
            check_near("f32", "share", uses[i].share, 600e9 / f32, 1e-12);
            check_near("f32", "busy: half fused", uses[i].busy, 1.5 * 600e9 / f32, 1e-12);
        }
    wl_roofline_free(r);
    /* two types: the pipe that takes longest decides what is above them */
    r = roofline_of(WL_ROOFLINE_CLASSIC, "v100-sxm2");
    set(&t, WL_TALLY_flops_f64, 600e9);
    set(&t, WL_TALLY_dram_transactions, 1e6);
    add(r, &t);
    check_true("f64", "is slower", r->marks[0].under_flat && r->marks[0].pipe == WL_PIPE_F64);
    check_near("f64", "both at its pace", r->marks[0].ceiling, f32, 1e-12);
    wl_roofline_free(r);
    check_done();
}

/* ---- what cannot be shown ---- */

static void test_no_place(void **state)
{
    (void)state;
    wl_tallies t = sample(), timeless = sample();
    wl_error err = {0};
    timeless.known[WL_TALLY_time] = false;
    set(&t, WL_TALLY_flops_f32, 0);
    for (int kind = 0; kind < WL_ROOFLINE_KIND_COUNT; kind++) {
        wl_roofline_kind found;
        const char *name = wl_roofline_kind_name((wl_roofline_kind)kind);
        check_true(name, "found", wl_roofline_kind_find(name, &found) && (int)found == kind);
        wl_roofline *r = roofline_of((wl_roofline_kind)kind, "h200");
        check_error(name, wl_roofline_add(r, &timeless, &err), &err,
                    &(expected_error){.code = WL_E_UNSUPPORTED, .fragment = "has no time"});
        err = (wl_error){0};
        const wl_status status = wl_roofline_add(r, &t, &err);
        if (kind == WL_ROOFLINE_INSTRUCTION)
            check_ok(name, status, &err);
        else
            check_error(name, status, &err,
                        &(expected_error){.code = WL_E_UNSUPPORTED, .fragment = "--kind instruction has"});
        err = (wl_error){0};
        wl_roofline_free(r);
    }
    /* the GTX 970's file has no L2 bandwidth: without its architecture that roof is left out, and
     * named */
    wl_roofline *r = roofline_on(WL_ROOFLINE_HIERARCHICAL, given_unknown("gtx970"));
    const char *roof = "";
    wl_device_key key;
    t = sample();
    add(r, &t);
    check_true("gtx970", "lacks a roof", wl_roofline_lacks(r, 0, &roof, &key));
    check_text("gtx970", "roof", roof, "L2");
    check_int("gtx970", "key", key, WL_DEVICE_l2_bandwidth);
    check_near("gtx970", "no roof above", mark(r, WL_SERIES_ALL, WL_LEVEL_DRAM)->ceiling, 138e9 * 600 / (24 * 32.0),
               1e-12);
    wl_roofline_free(r);
    check_done();
}

/* ---- words ---- */

static void check_words(const char *name, wl_roofline_kind kind, const wl_tallies *t, const char *part)
{
    wl_roofline *r = roofline_of(kind, "v100-sxm2");
    wl_buffer words = {0};
    add(r, t);
    wl_roofline_words(r, 0, &words);
    if (!words.text || !strstr(words.text, part))
        check_text(name, "words", words.text ? words.text : "", part);
    wl_buffer_drop(&words);
    wl_roofline_free(r);
}

static void test_words(void **state)
{
    (void)state;
    const wl_roofline_kind kind = WL_ROOFLINE_INSTRUCTION;
    wl_tallies t = sample();
    check_words("DRAM", kind, &t, "Bound by DRAM: 768 GB/s, 93 % of 828 GB/s (85 % of the data sheet's); L2 51 %");
    check_words("unit stride", kind, &t, "takes 4 transactions: unit stride.");
    check_words("conflicts", kind, &t, "A shared access takes 2 passes: bank conflicts");
    check_words("lanes", kind, &t, "Only 50 % of the lanes are active: divergent branches and predicates");
    check_words("reuse", WL_ROOFLINE_HIERARCHICAL, &t, "For each byte of DRAM the L2 moves 2 and the L1 5.33.");
    set(&t, WL_TALLY_inst_global, 2e9); /* 32 transactions each */
    check_words("strided", kind, &t, "one or more for each thread");
    set(&t, WL_TALLY_inst_global, 6.4e9);
    check_words("half", kind, &t, "unit stride needs 4, so accesses are strided");
    set(&t, WL_TALLY_inst_global, 64e9);
    check_words("stride 0", kind, &t, "all lanes read the same address");
    set(&t, WL_TALLY_dram_transactions, 2e9);
    set(&t, WL_TALLY_l2_transactions, 2e9);
    check_words("waits", kind, &t, "Near no roof; the nearest is L1");
    set(&t, WL_TALLY_flops_f32, 9e12);
    set(&t, WL_TALLY_fma_f32, 4.5e12);
    check_words("fused", WL_ROOFLINE_CLASSIC, &t, "50 % are in fused multiply-adds, which leaves 67 %");
    check_done();
}

/* ---- pictures ---- */

/* Twenty launches anywhere under the roofs, and some on one spot: every label finds a free
 * place. */
static void test_labels(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (int kind = 0; kind < WL_ROOFLINE_KIND_COUNT; kind++)
        for (int round = 0; round < 20; round++) {
            wl_roofline *r = roofline_of((wl_roofline_kind)kind, round % 2 ? "h200" : "v100-sxm2");
            wl_scene scene;
            for (int i = 0; i < 20; i++) {
                static const wl_tally spread[] = {WL_TALLY_time, WL_TALLY_dram_transactions, WL_TALLY_l2_transactions,
                                                  WL_TALLY_inst_global, WL_TALLY_inst_shared};
                wl_tallies t = sample();
                for (size_t k = 0; k < COUNT_OF(spread) && i % 3; k++)
                    t.value[spread[k]] *= pow(10, (double)check_random_in(&seed, 0, 200) / 100 - 1);
                t.measured = i % 5 == 4;
                t.of = t.measured ? (size_t)i : 0;
                add(r, &t);
            }
            wl_scene_make(r, &scene);
            check_int(wl_roofline_kind_name((wl_roofline_kind)kind), "labels over others", scene.crowded, 0);
            check_true("scene", "memory", !scene.failed);
            for (size_t i = 0; i < scene.label_count; i++)
                check_true("label", "inside",
                           scene.labels[i].x > WL_SCENE_LEFT - 1 && scene.labels[i].x < WL_SCENE_RIGHT + 1 &&
                               scene.labels[i].y > WL_SCENE_TOP - 1 && scene.labels[i].y < WL_SCENE_BOTTOM + 1);
            wl_scene_free(&scene);
            wl_roofline_free(r);
        }
    check_done();
}

/* With a few launches there is room beside all lines: none runs through a label. */
static void test_no_label_struck(void **state)
{
    (void)state;
    uint64_t seed = 17;
    static const char *const devices[] = {"h200", "v100-sxm2", "a100-40gb"};
    for (int kind = 0; kind < WL_ROOFLINE_KIND_COUNT; kind++)
        for (int round = 0; round < 30; round++) {
            wl_roofline *r = roofline_of((wl_roofline_kind)kind, devices[round % 3]);
            wl_scene scene;
            for (int i = 0; i < 2; i++) {
                wl_tallies t = sample();
                t.value[WL_TALLY_time] *= pow(10, (double)check_random_in(&seed, 0, 100) / 100);
                add(r, &t);
            }
            wl_scene_make(r, &scene);
            for (size_t i = 0; i < scene.label_count; i++)
                check_true(scene.labels[i].text, "clear of lines", !wl_scene_is_struck(&scene, &scene.labels[i]));
            wl_scene_free(&scene);
            wl_roofline_free(r);
        }
    check_done();
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *whole;
        size_t most;
        const char *want;
    } cases[] = {{"axpy(int, float)", 20, "axpy(int, float)"},
                 {"axpy(int, float)", 10, "axpy"},
                 {"void a::b::axpy<float, 4>(int, float)", 20, "axpy<float, 4>"},
                 {"void a::b::axpy<float, c::d<4>>(int, float)", 16, "axpy<floa...<4>>"},
                 {"(", 1, "("},
                 {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 5, "\xc3\xa4...\xc3\xbc"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_buffer out = {0};
        wl_shorten(cases[i].whole, cases[i].most, &out);
        check_text(cases[i].whole, "short", out.text, cases[i].want);
        wl_buffer_drop(&out);
    }
    for (int i = 0; i < WL_TALLY_COUNT; i++) {
        const char *name = wl_tally_name((wl_tally)i), *ncu = wl_tally_ncu((wl_tally)i);
        check_true(name, "unit and meaning", wl_tally_unit((wl_tally)i)[0] && wl_tally_meaning((wl_tally)i)[0]);
        check_true(name, "a counter of ncu", strstr(ncu, "__") != NULL || i == WL_TALLY_element_bytes);
        check_true(name, "no counter of ncu", strstr(wl_tally_nvprof((wl_tally)i), "__") == NULL);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v100),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_intensities),
        cmocka_unit_test(test_simple_model),
        cmocka_unit_test(test_instruction_marks),
        cmocka_unit_test(test_flop_marks),
        cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_no_label_struck),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
