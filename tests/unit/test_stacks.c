/* test_stacks.c - model/stacks.h and the stack of model/turnover.h: parts add up to the predicted
 * time, lines to the parts; each part grows with what it stands for; the lines that cost most are
 * named. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>

#include "metrics/prediction.h"
#include "model/stacks.h"
#include "unit/round_numbers.h"
#include "warpline/warpline.h"

#define NEAR 1e-9
#define ABOUT 1e-4 /* shares are found by small steps */

/* ---- turnover, by hand ---- */

static wl_demand demand_of_issue(void)
{
    wl_demand d = demand();
    d.sm.instructions = 4e6;
    return d;
}

static wl_stack stack_of(const char *name, const wl_turnover *n, const wl_demand *d)
{
    wl_model_result m;
    wl_stack s;
    wl_turnover_apply(n, d, &m);
    wl_turnover_stack(n, d, &m, &s);
    check_near(name, "total", s.total, wl_stack_sum(s.cycles), 0);
    check_near(name, "cycles of the time", s.total, m.time_s * n->clock, 1e-12);
    check_near(name, "seconds", s.seconds, m.time_s, 0);
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        check_true(name, wl_stack_part_name((wl_stack_part)p), s.cycles[p] >= 0 && isfinite(s.cycles[p]));
    return s;
}

/* 1e6 issue slots of 4 on 10 multiprocessors: 1e5 cycles */
static void issue_takes_it_all(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    wl_demand d = demand_of_issue();
    wl_stack s = stack_of("issue", &n, &d);
    check_near("issue", "issue", s.cycles[WL_STACK_ISSUE], 1e5, NEAR);
    check_near("issue", "CPI", wl_stack_cpi(&s, WL_STACK_ISSUE), 0.25, NEAR);
    check_near("issue", "nothing else", s.total, 1e5, NEAR);
    d.blocks = 1001; /* one multiprocessor has 101 blocks, the others 100 */
    s = stack_of("tail", &n, &d);
    check_near("tail", "issue", s.cycles[WL_STACK_ISSUE], 1e5, NEAR);
    check_near("tail", "tail", s.cycles[WL_STACK_TAIL], 1e5 * (101 * 10 / 1001.0 - 1), 1e-6);
    d.blocks = 5; /* half of the multiprocessors take no part */
    s = stack_of("few", &n, &d);
    check_near("few", "multiprocessors", s.sms, 5, 0);
    check_near("few", "issue", s.cycles[WL_STACK_ISSUE], 2e5, NEAR);
    check_near("few", "tail", s.cycles[WL_STACK_TAIL], 0, 0);
    check_done();
}

static void starts_and_ends(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand_of_issue();
    n.launch.duration = 4e-6;
    wl_stack s = stack_of("launch", &n, &d);
    check_near("launch", "launch", s.cycles[WL_STACK_LAUNCH], 4000, ABOUT);
    n.launch.block_rate = 5e6; /* 1000 blocks take 200 us, twice as long as their work */
    s = stack_of("rate", &n, &d);
    check_near("rate", "launch: nothing else matters", s.cycles[WL_STACK_LAUNCH], 204000, NEAR);
    n.launch.block_rate = 1e30;
    d.uneven.last_block = 3000; /* own work of a block: 1000 */
    s = stack_of("last", &n, &d);
    check_near("last", "tail", s.cycles[WL_STACK_TAIL], 2000, NEAR);
    d.uneven.longest = (wl_longest_warp){.instructions = 150000};
    n.sm.instruction_wait = 1; /* the longest warp takes 150000 cycles, the others 1e5 */
    s = stack_of("longest", &n, &d);
    check_near("longest", "imbalance", s.cycles[WL_STACK_IMBALANCE], 50000, 1e-6);
    check_done();
}

/* ---- waits: each goes to its part ---- */

static void waits_by_cause(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand_of_issue();
    const wl_waiting life = {.known = true,
                             .cycles = 10000,
                             .stall = {[WL_STALL_DEPENDENCE] = 1000,
                                       [WL_STALL_SHARED] = 500,
                                       [WL_STALL_MEMORY] = 6000,
                                       [WL_STALL_BARRIER] = 1500},
                             .level = {1000, 2000, 3000},
                             .issue = 1000};
    d.waiting = &life;
    wl_stack s = stack_of("life", &n, &d);
    const double each = s.cycles[WL_STACK_DRAM] / 3000;
    check_true("life", "waits show", s.cycles[WL_STACK_DRAM] > 1e5);
    check_near("life", "dependence", s.cycles[WL_STACK_DEPENDENCE], 1000 * each, ABOUT);
    check_near("life", "shared", s.cycles[WL_STACK_SHARED], 500 * each, ABOUT);
    check_near("life", "L1", s.cycles[WL_STACK_L1], 1000 * each, ABOUT);
    check_near("life", "L2", s.cycles[WL_STACK_L2], 2000 * each, ABOUT);
    check_near("life", "barrier", s.cycles[WL_STACK_BARRIER], 1500 * each, ABOUT);
    check_true("life", "work and what a warp issues", s.cycles[WL_STACK_ISSUE] > 1000 * each);
    d.waiting = NULL;
    d.thread.phases = 4;
    d.barriers = 2;
    d.thread.instructions = 100;
    n.l2.latency = 2000;
    n.sm.barrier_latency = 1000;
    n.sm.instruction_wait = 6; /* the first of these cycles it issues */
    n.launch.turnover = 500;
    s = stack_of("phases", &n, &d);
    check_near("phases", "L2 and barriers", s.cycles[WL_STACK_L2], 2 * s.cycles[WL_STACK_BARRIER], ABOUT);
    check_near("phases", "dependence", s.cycles[WL_STACK_DEPENDENCE], s.cycles[WL_STACK_L2] / 8, ABOUT);
    check_near("phases", "start of blocks", s.cycles[WL_STACK_LAUNCH], s.cycles[WL_STACK_DEPENDENCE], ABOUT);
    check_done();
}

/* Blocks of 1000 cycles that are all there at once, with their atomics at the end: these come on
 * top. */
static void atomics_in_step_come_on_top(void **state)
{
    (void)state;
    const wl_waiting life = {.known = true, .cycles = 1000, .stall = {[WL_STALL_DEPENDENCE] = 1000}};
    wl_turnover n = numbers();
    wl_demand d = demand();
    n.atomic.rate = 1e9;
    d.waiting = &life;
    d.blocks_per_sm = 1;
    d.blocks = 10;
    d.atomics.sectors = 500;
    wl_stack s = stack_of("one wave", &n, &d);
    check_near("one wave", "atomics", s.cycles[WL_STACK_ATOMICS], 500, ABOUT);
    check_near("one wave", "dependence", s.cycles[WL_STACK_DEPENDENCE], 1000, ABOUT);
    d.blocks = 20;
    d.atomics.sectors = 1000;
    s = stack_of("two waves", &n, &d);
    /* half of the time as a norm of 2000 and 1000, half in step */
    check_near("two waves", "atomics", s.cycles[WL_STACK_ATOMICS], (1000 + 1000 / pow(17, 0.75)) / 2, ABOUT);
    check_near("two waves", "total", s.total, (3000 + 1000 * pow(17, 0.25)) / 2, NEAR);
    check_done();
}

static void memory_is_queues(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    wl_demand d = demand_of_issue();
    n.dram.bandwidth = 1e12;
    d.dram.read = 1e9; /* 1 ms, ten times the work */
    wl_stack s = stack_of("dram", &n, &d);
    /* T = (w^4 + (10 w)^4)^(1/4): the weight of the work is 1 / (1 + 10^4) */
    check_near("dram", "work", s.cycles[WL_STACK_ISSUE], s.total / 10001, 1e-2);
    check_near("dram", "queue", s.cycles[WL_STACK_DRAM_QUEUE], s.total * 10000 / 10001, ABOUT);
    n.l2.bandwidth = 1e12; /* as long: what comes from memory is read once */
    s = stack_of("l2", &n, &d);
    check_near("l2", "as much", s.cycles[WL_STACK_NOC], s.cycles[WL_STACK_DRAM_QUEUE], ABOUT);
    n.atomic.rate = 1e9;
    d.atomics.sectors = 1e7;
    const wl_stack more = stack_of("atomics", &n, &d);
    check_true("atomics", "in the L2", more.cycles[WL_STACK_ATOMICS] > 10 * s.cycles[WL_STACK_NOC]);
    check_done();
}

static void unequal_blocks_are_imbalance(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    wl_demand d = demand_of_issue();
    wl_kinds kinds = {.count = 2};
    kinds.list[0] = (wl_block_kind){.blocks = 1,
                                    .instructions = 1e6,
                                    .most = 1e6,
                                    .first = 999,
                                    .last = 999,
                                    .middle = 999,
                                    .longest = {.instructions = 1e6}};
    kinds.list[1] = (wl_block_kind){.blocks = 999,
                                    .instructions = 3003,
                                    .most = 3003,
                                    .first = 0,
                                    .last = 998,
                                    .middle = 499,
                                    .longest = {.instructions = 3003}};
    d.uneven.kinds = &kinds;
    const wl_stack s = stack_of("kinds", &n, &d);
    check_true("kinds", "one block ends long after the others", s.cycles[WL_STACK_IMBALANCE] > 1e5);
    check_done();
}

/* ---- whole launches ---- */

typedef struct made {
    wl_device *device;
    wl_kernel *kernel;
    wl_ptx *ptx;
    wl_predictor *predictor;
    wl_prediction *prediction;
} made;

/* Two loads, one waits for the other; a loop of `trips` with a load; a store. Source lines 10 to 13
 * of w.cu. */
static const char waiting[] = ".version 8.0\n"
                              ".target sm_90\n"
                              ".address_size 64\n"
                              ".file 1 \"dir/w.cu\"\n"
                              ".visible .entry w(.param .u64 a, .param .u64 b, .param .u32 trips)\n"
                              "{\n"
                              ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %d<6>;\n"
                              "ld.param.u64 %d1, [a];\n"
                              "ld.param.u64 %d2, [b];\n"
                              "ld.param.u32 %r1, [trips];\n"
                              "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
                              "mad.lo.s32 %r5, %r3, %r4, %r2;\n"
                              "mul.wide.u32 %d3, %r5, 4;\n"
                              "add.s64 %d4, %d1, %d3;\n"
                              "add.s64 %d5, %d2, %d3;\n"
                              "mov.f32 %f1, 0f00000000;\n"
                              "mov.u32 %r6, 0;\n"
                              "$top:\n"
                              ".loc 1 10 1\n"
                              "ld.global.f32 %f2, [%d4];\n"
                              ".loc 1 11 1\n"
                              "add.f32 %f1, %f1, %f2;\n"
                              ".loc 1 12 1\n"
                              "bar.sync 0;\n"
                              "add.s64 %d4, %d4, 262144;\n"
                              "add.s32 %r6, %r6, 1;\n"
                              "setp.lt.s32 %p1, %r6, %r1;\n"
                              "@%p1 bra $top;\n"
                              ".loc 1 13 1\n"
                              "st.global.f32 [%d5], %f1;\n"
                              "ret;\n"
                              "}\n";

static void predict(const char *name, made *m, const wl_launch *launch, wl_model_id model)
{
    wl_error err = {0};
    const wl_predict_options options = {.stacks = true, .model = model};
    wl_status status = wl_predictor_new(m->kernel, m->device, &m->predictor, &err);
    if (status == WL_OK)
        status = wl_prediction_new(&m->prediction, &err);
    if (status == WL_OK)
        status = wl_predict(m->predictor, launch, &options, m->prediction, &err);
    check_ok(name, status, &err);
}

static made of_ptx(const char *device, const char *trips, wl_model_id model)
{
    made m = {0};
    wl_error err = {0};
    const char *const args[] = {"buf:64MiB", "buf:1MiB", trips};
    const wl_ptx_options options = {
        .args = args, .arg_count = 3, .launch = {.block = {256, 1, 1}, .grid = {256, 1, 1}, .registers = 32}};
    wl_status status = wl_device_builtin(device, &m.device, &err);
    if (status == WL_OK)
        status = wl_ptx_parse("w.ptx", waiting, strlen(waiting), &m.ptx, &err);
    if (status == WL_OK)
        status = wl_kernel_from_ptx(m.ptx, &options, &m.kernel, &err);
    check_ok("waiting", status, &err);
    predict("waiting", &m, &options.launch, model);
    return m;
}

static made of_builtin(const char *kernel, const char *device, const wl_launch *launch)
{
    made m = {0};
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel, &length);
    wl_status status = wl_device_builtin(device, &m.device, &err);
    if (status == WL_OK)
        status = wl_kernel_parse(kernel, text, length, NULL, &m.kernel, &err);
    check_ok(kernel, status, &err);
    predict(kernel, &m, launch, WL_MODEL_BEST);
    return m;
}

static void drop(made *m)
{
    wl_prediction_free(m->prediction);
    wl_predictor_free(m->predictor);
    wl_kernel_free(m->kernel);
    wl_ptx_free(m->ptx);
    wl_device_free(m->device);
}

/* Parts add up to the total and the time; lines to those parts that belong to intervals. */
static void check_stacks(const char *name, const made *m)
{
    const wl_stacks *s = m->prediction->stacks;
    double clock = 0;
    (void)wl_device_get(m->device, WL_DEVICE_clock, &clock);
    for (int i = 0; i < WL_MODEL_COUNT; i++) {
        const wl_stack *stack = &s->stack[i];
        if (!s->known[i])
            continue;
        check_near(name, wl_model_name((wl_model_id)i), stack->total, wl_stack_sum(stack->cycles), 0);
        check_near(name, "time", stack->seconds * clock, stack->total, 1e-12);
        for (int p = 0; p < WL_STACK_PART_COUNT; p++) {
            double sum = 0;
            for (size_t l = 0; l < s->line_count; l++)
                sum += s->lines[l].cycles[i][p];
            const bool of_none = p == WL_STACK_IMBALANCE || p == WL_STACK_TAIL || p == WL_STACK_LAUNCH;
            if (of_none || (sum == 0 && i == WL_MODEL_TURNOVER))
                check_near(name, wl_stack_part_name((wl_stack_part)p), sum, 0, 0);
            else
                check_near(name, wl_stack_part_name((wl_stack_part)p), sum, stack->cycles[p], 1e-9);
        }
    }
}

/* The stack of a model is that of the prediction by it. */
static void check_times(const char *name, const made *m, const wl_launch *launch)
{
    const wl_stacks *s = m->prediction->stacks;
    wl_prediction *p = NULL;
    wl_error err = {0};
    double want[WL_MODEL_COUNT];
    for (int i = 0; i < WL_MODEL_COUNT; i++)
        want[i] = s->known[i] ? s->stack[i].seconds : -1; /* s ends with the next prediction */
    check_ok(name, wl_prediction_new(&p, &err), &err);
    for (int i = WL_MODEL_LIMITER; i < WL_MODEL_COUNT; i++) {
        const wl_predict_options options = {.model = (wl_model_id)i};
        check_ok(name, wl_predict(m->predictor, launch, &options, p, &err), &err);
        if (want[i] >= 0)
            check_near(name, wl_model_name((wl_model_id)i), want[i], wl_prediction_time(p), 1e-12);
        check_true(name, "a stack, or another model",
                   (want[i] >= 0) == (p->model.id == (wl_model_id)i && i > WL_MODEL_LIMITER && i <= WL_MODEL_MDM));
    }
    wl_prediction_free(p);
}

static void parts_add_up_to_the_time(void **state)
{
    (void)state;
    static const char *const kernels[] = {"star3d_r4", "gather", "triad", "matmul"};
    static const char *const devices[] = {"h200", "pascal-sim", "v100", "a100-40gb"};
    static const wl_launch launch = {.block = {32, 8, 1}, .fold = {1, 1, 1}};
    for (size_t k = 0; k < COUNT_OF(kernels); k++)
        for (size_t d = 0; d < COUNT_OF(devices); d++) {
            made m = of_builtin(kernels[k], devices[d], &launch);
            check_true(kernels[k], "assumed", m.prediction->stacks->assumed);
            check_stacks(kernels[k], &m);
            check_times(kernels[k], &m, &launch);
            drop(&m);
        }
    static const char *const trips[] = {"1", "2", "64"};
    for (size_t t = 0; t < COUNT_OF(trips); t++) {
        made m = of_ptx("h200", trips[t], WL_MODEL_BEST);
        const wl_launch own = *wl_prediction_launch(m.prediction);
        check_true(trips[t], "instructions", !m.prediction->stacks->assumed);
        check_stacks(trips[t], &m);
        check_times(trips[t], &m, &own);
        drop(&m);
    }
    check_done();
}

/* The addition waits for the load, 64 times; it costs most by every model. */
static void the_dearest_line_is_named(void **state)
{
    (void)state;
    for (int i = WL_MODEL_TURNOVER; i <= WL_MODEL_MDM; i++) {
        const char *name = wl_model_name((wl_model_id)i);
        made m = of_ptx("h200", "64", (wl_model_id)i);
        const wl_stacks *s = m.prediction->stacks;
        const wl_stack_line *first = &s->lines[0];
        check_int(name, "first", s->first, i);
        for (size_t l = 1; l < s->line_count; l++)
            check_true(name, "sorted", s->lines[l - 1].cost >= s->lines[l].cost);
        check_true(name, "known", first->op && first->from);
        if (first->op && first->from) {
            check_true(name, "stalls", strncmp(first->op->text, "add.f32 %f1, %f1, %f2", 21) == 0);
            check_true(name, "waits for", strncmp(first->from->text, "ld.global.f32 %f2, [%d4]", 24) == 0);
            check_int(name, "line of PTX", first->op->line, 22);
            check_int(name, "line of the source", first->op->source_line, 11);
            check_text(name, "file", s->files[first->op->file], "dir/w.cu");
        }
        check_int(name, "cause", first->cause, WL_STALL_MEMORY);
        check_near(name, "times", first->times, 64, NEAR);
        check_near(name, "warps", first->warps, 256 * 8, NEAR);
        drop(&m);
    }
    check_done();
}

/* ---- texts ---- */

static void what_cannot_be_shown(void **state)
{
    (void)state;
    made m = of_ptx("h200", "2", WL_MODEL_LIMITER);
    char *text = NULL;
    wl_error err = {0};
    check_int("limiter", "status",
              wl_stack_render(m.prediction, m.kernel, m.device, false, WL_FORMAT_TEXT, &text, &err), WL_E_UNSUPPORTED);
    check_text("limiter", "message", err.message, "the model limiter has no stack: it knows no waits");
    check_ok("all", wl_stack_render(m.prediction, m.kernel, m.device, true, WL_FORMAT_TEXT, &text, &err), &err);
    check_true("all", "six models", text && strstr(text, "turnover") && strstr(text, "mdm-mshr"));
    free(text);
    check_int("csv", "status", wl_stack_render(m.prediction, m.kernel, m.device, true, WL_FORMAT_CSV, &text, &err),
              WL_E_UNSUPPORTED);
    check_int("svg", "of a prediction",
              wl_prediction_render(m.prediction, m.kernel, m.device, WL_FORMAT_SVG, &text, &err), WL_E_UNSUPPORTED);
    wl_prediction *without = NULL;
    check_ok("new", wl_prediction_new(&without, &err), &err);
    check_int("without", "status", wl_stack_render(without, m.kernel, m.device, true, WL_FORMAT_TEXT, &text, &err),
              WL_E_UNSUPPORTED);
    wl_prediction_free(without);
    drop(&m);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(issue_takes_it_all),       cmocka_unit_test(starts_and_ends),
        cmocka_unit_test(waits_by_cause),           cmocka_unit_test(atomics_in_step_come_on_top),
        cmocka_unit_test(memory_is_queues),         cmocka_unit_test(unequal_blocks_are_imbalance),
        cmocka_unit_test(parts_add_up_to_the_time), cmocka_unit_test(the_dearest_line_is_named),
        cmocka_unit_test(what_cannot_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
