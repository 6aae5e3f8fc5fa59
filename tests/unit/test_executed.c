/* test_executed.c - warp and thread instructions of launches: in closed form against a visit to
 * every warp, and from kernel files. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "launch/lanes.h"
#include "count/executed.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

static uint64_t state = 7;

static int64_t upto(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 1 + (int64_t)((state >> 33) % (uint64_t)n);
}

static wl_census visit(const wl_geometry *g, int warp_size)
{
    static wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    wl_census c = {0};
    wl_warp_id warp;
    for (int64_t b = 0; b < g->blocks; b++) {
        wl_block_at(g, b, warp.block);
        for (warp.first_thread = 0; warp.first_thread < g->threads; warp.first_thread += warp_size) {
            const int64_t rest = g->threads - warp.first_thread;
            uint64_t working = 0; /* lanes with a cell inside */
            for (int64_t z = 0; z < g->fold[2]; z++)
                for (int64_t y = 0; y < g->fold[1]; y++)
                    for (int64_t x = 0; x < g->fold[0]; x++) {
                        const int64_t fold[3] = {x, y, z};
                        const int lanes = wl_lanes_fill(g, &warp, warp_size, fold, &values, lane);
                        for (int i = 0; i < lanes; i++)
                            working |= (uint64_t)1 << lane[i];
                        c.warp_cells += lanes > 0;
                        c.cells += lanes;
                    }
            c.warps += working > 0;
            c.idle_warps += working == 0;
            const int threads = __builtin_popcountll(working);
            c.threads += threads;
            c.idle_threads += (double)((rest < warp_size ? rest : warp_size) - threads);
        }
    }
    return c;
}

static void census_is_a_visit_to_every_warp(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < 800; trial++) {
        wl_geometry g = {.threads = 1, .blocks = 1, .items = 1};
        char name[160];
        for (int d = 0; d < 3; d++) {
            g.block[d] = d ? upto(7) : upto(45);
            g.fold[d] = upto(3);
            g.grid[d] = g.grid_dim[d] = upto(3);
            const int64_t covered = g.grid[d] * g.block[d] * g.fold[d];
            g.cells[d] = upto(covered);
            g.threads *= g.block[d];
            g.blocks *= g.grid[d];
            g.first[d] = trial < 400 ? 0 : upto(upto(g.cells[d])) - 1;
            g.items *= g.cells[d] - g.first[d];
        }
        (void)snprintf(name, sizeof name, "block %dx%dx%d fold %dx%dx%d grid %dx%dx%d cells %dx%dx%d from %dx%dx%d",
                       (int)g.block[0], (int)g.block[1], (int)g.block[2], (int)g.fold[0], (int)g.fold[1],
                       (int)g.fold[2], (int)g.grid[0], (int)g.grid[1], (int)g.grid[2], (int)g.cells[0], (int)g.cells[1],
                       (int)g.cells[2], (int)g.first[0], (int)g.first[1], (int)g.first[2]);
        const wl_census want = visit(&g, 32);
        wl_census got;
        wl_census_take(&g, 32, &got);
        check_near(name, "warps", got.warps, want.warps, 0);
        check_near(name, "idle warps", got.idle_warps, want.idle_warps, 0);
        check_near(name, "threads", got.threads, want.threads, 0);
        check_near(name, "idle threads", got.idle_threads, want.idle_threads, 0);
        check_near(name, "warp cells", got.warp_cells, want.warp_cells, 0);
        check_near(name, "cells", got.cells, want.cells, 0);
    }
    check_done();
}

static wl_prediction p;

static void predict(const char *text, const wl_launch *launch)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_ok("kernel", wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("predict", wl_predict(predictor, launch, NULL, &p, &err), &err);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
}

#define BODY "name: k\nparams: {n: 3}\ndomain: [1000]\nfields: {a: {type: f32}}\nstores: [\"a[x]\"]\nflops: 1\n"

static double metric(wl_metric m) { return p.metrics[m].known ? p.metrics[m].value : -1; }

static bool warned(const char *part)
{
    for (int i = 0; i < p.warning_count; i++)
        if (strstr(p.warnings[i], part))
            return true;
    return false;
}

static void kernel_files_state_a_mix(void **unused)
{
    (void)unused;
    /* 1000 of 5 x 256 threads work: 32 warps, the last with 8 lanes, and 8 idle ones */
    const wl_launch launch = {.block = {256, 1, 1}, .grid = {5, 1, 1}};
    predict(BODY "mix: {fp32: 2*n, int: 1.5, store: 1}\nidle_instructions: 4\n", &launch);
    check_near("mix", "inst_executed", metric(WL_METRIC_inst_executed), 8.5 * 32 + 4 * 8, 1e-12);
    check_near("mix", "thread_inst", metric(WL_METRIC_thread_inst), 8.5 * 1000 + 4 * 280, 1e-12);
    check_true("mix", "by class", p.has_mix);
    check_near("mix", "fp32", p.mix.warp[WL_INST_fp32], 6 * 32, 1e-12);
    check_near("mix", "int of threads", p.mix.thread[WL_INST_int], 1.5 * 1000 + 4 * 280, 1e-12);
    check_true("mix", "no warning", !warned("instruction"));

    predict(BODY "mix: {fp32: 2*n, int: 1.5, store: 1}\nidle_instructions: {int: 3, control: 1}\n", &launch);
    check_near("idle by class", "inst_executed", metric(WL_METRIC_inst_executed), 8.5 * 32 + 4 * 8, 1e-12);
    check_near("idle by class", "control", p.mix.warp[WL_INST_control], 8, 1e-12);
    check_near("idle by class", "int of threads", p.mix.thread[WL_INST_int], 1.5 * 1000 + 3 * 280, 1e-12);

    /* 1100 threads pass the first exit: three warps more, 100 threads more */
    predict(BODY "mix: {fp32: 2*n, int: 1.5, store: 1}\n"
                 "idle_instructions: [{int: 3, control: 1}, {within: [n+1097], int: 2, move: 5}]\n",
            &launch);
    check_near("two exits", "control", p.mix.warp[WL_INST_control], 8, 1e-12);
    check_near("two exits", "move", p.mix.warp[WL_INST_move], 5 * 3, 1e-12);
    check_near("two exits", "move of threads", p.mix.thread[WL_INST_move], 5 * 100, 1e-12);
    check_near("two exits", "int of threads", p.mix.thread[WL_INST_int], 1.5 * 1000 + 3 * 280 + 2 * 100, 1e-12);

    predict(BODY "instructions: 10\n", &launch);
    check_near("plain", "inst_executed", metric(WL_METRIC_inst_executed), 320, 0);
    check_true("plain", "not by class", !p.has_mix);
    check_true("plain", "shared memory unknown", warned("shared-memory metrics are unknown"));

    predict(BODY, &launch);
    check_near("none", "inst_executed", metric(WL_METRIC_inst_executed), -1, 0);
    check_true("none", "warning", warned("inst_executed"));

    predict(BODY "mix: {fp32: 1}\n", &(wl_launch){.block = {64, 1, 1}, .fold = {3, 1, 1}});
    check_near("folded", "thread_inst", metric(WL_METRIC_thread_inst), 1000, 0);
    check_near("folded", "inst_executed", metric(WL_METRIC_inst_executed), 11 + 11 + 11, 0);
    check_done();
}

/* What an instruction stream knows, and `show` writes. */
static void kernel_files_state_executed_accesses(void **unused)
{
    (void)unused;
    const wl_launch launch = {.block = {256, 1, 1}, .grid = {5, 1, 1}};
    predict(BODY "mix: {int: 3, store: 1}\n", &launch);
    const double one_index = p.metrics[WL_METRIC_shared_wavefronts].value;
    check_near("default", "stores", metric(WL_METRIC_inst_global_st), 32, 0);
    predict(BODY "mix: {int: 3, store: 1}\nactive_lanes: 0.5\nthread_indices: 3\n"
                 "executed_accesses: {store: 2, shared_load: 4, idle: 0.25}\n",
            &launch);
    check_near("stated", "inst_executed", metric(WL_METRIC_inst_executed), 4 * 32, 0);
    check_near("stated", "thread_inst", metric(WL_METRIC_thread_inst), 4 * 32 * 16, 0);
    check_near("stated", "stores", metric(WL_METRIC_inst_global_st), 64, 0);
    check_near("stated", "of these with a lane", metric(WL_METRIC_requests_st), 32, 0);
    check_near("stated", "shared loads", metric(WL_METRIC_inst_shared_ld), 128, 0);
    check_near("stated", "wavefronts", metric(WL_METRIC_shared_wavefronts), 3 * one_index + 0.25 * 32, 1e-12);
    check_done();
}

static wl_status count_stream(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                              const wl_line_mix **lines, size_t *line_count, wl_error *err)
{
    (void)block;
    (void)grid;
    static const wl_line_mix list[] = {{"k.cu", 7, 300, 9000, 32, 0}, {"k.cu", 9, 100, 1000, 0, 64}};
    (void)err;
    *out = (wl_mix){.thread_on = 7500, .branches = 40, .divergent = 10, .sampled = true, .followed = 3, .blocks = 64};
    out->warp[WL_INST_fp64] = 300;
    out->thread[WL_INST_fp64] = 9000;
    out->warp[WL_INST_shared] = 100;
    out->thread[WL_INST_shared] = 1000;
    *lines = list;
    *line_count = 2;
    ++*(int *)context;
    return WL_OK;
}

static void streams_count_themselves(void **unused)
{
    (void)unused;
    static const char *const in_text[] = {"fp64 75.0 %, shared 25.0 %", "25 of 32 lanes", "25.0 % of thread instr",
                                          "25.0 % of branches",         "k.cu:7",         "k.cu:9"};
    static const char *const in_json[] = {"\"fp64\":{\"warp\":300,\"thread\":9000}", "\"sampled\":true", "\"line\":9",
                                          "\"lanes_active\":25", "\"shared_accesses\":64"};
    const wl_launch launch = {.block = {256, 1, 1}};
    const wl_predict_options options = {.per_line = true};
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    char *text = NULL;
    int counted = 0;
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_ok("kernel", wl_kernel_parse("k", BODY, strlen(BODY), NULL, &kernel, &err), &err);
    kernel->source = (wl_source){.context = &counted, .count_instructions = count_stream};
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("predict", wl_predict(predictor, &launch, &options, &p, &err), &err);
    check_int("stream", "counted", counted, 1);
    check_near("stream", "inst_executed", metric(WL_METRIC_inst_executed), 400, 0);
    check_near("stream", "inst_shared_ld", metric(WL_METRIC_inst_shared_ld), 0, 0);
    check_true("stream", "sampled", warned("from 3 of 64 blocks"));
    check_ok("text", wl_prediction_render(&p, kernel, device, WL_FORMAT_TEXT, &text, &err), &err);
    for (size_t i = 0; i < COUNT_OF(in_text); i++)
        check_true("text", in_text[i], strstr(text, in_text[i]) != NULL);
    free(text);
    check_ok("json", wl_prediction_render(&p, kernel, device, WL_FORMAT_JSON_LINE, &text, &err), &err);
    for (size_t i = 0; i < COUNT_OF(in_json); i++)
        check_true("json", in_json[i], strstr(text, in_json[i]) != NULL);
    free(text);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *message;
    } cases[] = {{"mix: {fp65: 1}", "fp65"},
                 {"mix: {fp64: -1}", "must be"},
                 {"mix: {fp64: q}", "q"},
                 {"mix: 3", "mix"},
                 {"mix: {}", "mix"},
                 {"mix: {fp64: [1]}", "fp64"},
                 {"idle_instructions: -2", "idle_instructions"},
                 {"idle_instructions: {ints: 2}", "ints"},
                 {"idle_instructions: []", "idle_instructions"},
                 {"idle_instructions: [{within: [3], int: 2}]", "within"},
                 {"idle_instructions: [{int: 1}, {within: 3}]", "within"},
                 {"idle_instructions: [{int: 1}, {within: [1, 2, 3, 4]}]", "within"},
                 {"idle_instructions: [{int: 1}, {from: [-1]}]", "from"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[400];
        wl_error err = {0};
        wl_kernel *kernel = NULL;
        (void)snprintf(text, sizeof text, BODY "%s\n", cases[i].line);
        const wl_status status = wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &err);
        check_int(cases[i].line, "status", status, WL_E_INPUT);
        check_true(cases[i].line, "message", strstr(err.message, cases[i].message) != NULL);
        check_int(cases[i].line, "line", err.loc.line, 7);
        if (status == WL_OK)
            wl_kernel_free(kernel);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(census_is_a_visit_to_every_warp), cmocka_unit_test(kernel_files_state_a_mix),
        cmocka_unit_test(kernel_files_state_executed_accesses), cmocka_unit_test(streams_count_themselves),
        cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
