/* test_from.c - domains that do not start at 0: in closed form against the same as a condition on
 * every access, as PTX tests for them, and launches that miss them. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "warpline/predict.h"
#include "warpline/ptx.h"

static wl_device *h200;

static wl_kernel *parse(const char *name, const char *text)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    if (wl_kernel_parse(name, text, strlen(text), NULL, &kernel, &err) != WL_OK)
        fail_msg("%s:%d: %s", name, (int)err.loc.line, err.message);
    return kernel;
}

/* Every warp is looked at, so that tag costs are exact, too. */
static void predict(const char *name, const wl_kernel *kernel, const wl_launch *launch, wl_prediction *out)
{
    const wl_predict_options options = {.l1_samples = -1};
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    if (wl_predictor_new(kernel, h200, &predictor, &err) != WL_OK ||
        wl_predict(predictor, launch, &options, out, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    wl_predictor_free(predictor);
}

/* ---- kernel files ---- */

static wl_kernel *make_kernel(bool condition)
{
    char text[1200];
    const char *when = condition ? " if x >= 1 && y >= 2 && z >= 3" : "";
    (void)snprintf(text, sizeof text,
                   "name: k\nparams: {edge: 1}\ndomain: [299, 28, 10]\n%s"
                   "guarded_cells: true\nfields: {a: {type: f64}, b: {type: f32}}\n"
                   "loads: [\"a[x - 1 + 301*y + 9000*z]%s\", \"a[x + 1 + 301*y + 9000*z]%s\", "
                   "\"a[x + 301*y + 9000*z - 9000]%s\"]\nstores: [\"b[x + 304*y + 9000*z]%s\"]\n",
                   condition ? "" : "from: [edge, 2*edge, 3]\n", when, when, when, when);
    return parse("from", text);
}

static void the_same_as_a_condition(void **unused)
{
    (void)unused;
    static const wl_metric exact[] = {WL_METRIC_inst_global_ld, WL_METRIC_inst_global_st, WL_METRIC_l1_sectors_ld,
                                      WL_METRIC_l1_sectors_st, WL_METRIC_l1_tag_wavefronts};
    static const wl_launch launches[] = {
        {.block = {32, 4, 2}}, {.block = {64, 2, 1}},  {.block = {33, 3, 1}}, {.block = {1, 8, 8}},
        {.block = {512}},      {.block = {16, 32, 2}}, {.block = {4, 4, 4}},  {.block = {32, 2, 2}, .fold = {1, 3, 1}},
    };
    wl_kernel *closed = make_kernel(false), *condition = make_kernel(true);
    for (size_t i = 0; i < COUNT_OF(launches); i++) {
        char name[60];
        wl_prediction got, want;
        (void)snprintf(name, sizeof name, "block %dx%dx%d", (int)launches[i].block[0], (int)launches[i].block[1],
                       (int)launches[i].block[2]);
        predict(name, closed, &launches[i], &got);
        predict(name, condition, &launches[i], &want);
        check_text(name, "counted", wl_count_method_name(got.count_method), "closed form");
        check_text(name, "counted with a condition", wl_count_method_name(want.count_method), "closed form");
        check_int(name, "items", got.items, (299 - 1) * (28 - 2) * (10 - 3));
        check_int(name, "blocks", got.blocks, want.blocks);
        for (size_t m = 0; m < COUNT_OF(exact); m++)
            check_near(name, wl_metric_name(exact[m]), got.metrics[exact[m]].value, want.metrics[exact[m]].value, 0);
        for (int part = 0; part < 2; part++) /* of the wavefronts: loads and stores */
            check_near(name, "l1_wavefronts", got.metrics[WL_METRIC_l1_wavefronts].parts[part].value,
                       want.metrics[WL_METRIC_l1_wavefronts].parts[part].value, 1e-12);
    }
    wl_kernel_free(closed);
    wl_kernel_free(condition);
    check_done();
}

/* Blocks before the domain are started, and no more. */
static void idle_blocks(void **unused)
{
    (void)unused;
    wl_prediction far, near;
    wl_kernel *late = parse("late", "name: k\ndomain: [20480]\nfrom: [10240]\nfields: {a: {type: f32}}\n"
                                    "stores: [\"a[x]\"]\nmix: {int: 3, store: 1}\nidle_instructions: 2\n"),
              *early = parse("early", "name: k\ndomain: [10240]\nfields: {a: {type: f32}}\nstores: [\"a[x]\"]\n"
                                      "mix: {int: 3, store: 1}\nidle_instructions: 2\n");
    const wl_launch launch = {.block = {128}};
    predict("late", late, &launch, &far);
    predict("early", early, &launch, &near);
    check_int("late", "blocks", far.blocks, 160);
    check_int("late", "items", far.items, near.items);
    for (wl_metric m = 0; m < WL_METRIC_COUNT; m++) {
        double want = near.metrics[m].value;
        if (m == WL_METRIC_inst_executed)
            want += 80 * 4 * 2;
        if (m == WL_METRIC_thread_inst)
            want += 10240 * 2;
        if (m == WL_METRIC_l1_wavefronts)
            /* thread_index: of all warps */
            want += far.metrics[m].parts[2].value - near.metrics[m].parts[2].value;
        if (far.metrics[m].known && m != WL_METRIC_shared_wavefronts)
            check_near("late", wl_metric_name(m), far.metrics[m].value, want, 1e-12);
    }
    wl_kernel_free(late);
    wl_kernel_free(early);
    check_done();
}

static void grids_that_miss_the_domain(void **unused)
{
    (void)unused;
    wl_kernel *kernel = make_kernel(false);
    wl_predictor *predictor = NULL;
    wl_prediction p;
    wl_error err = {0};
    const wl_launch launch = {.block = {32, 2, 1}, .grid = {10, 1, 8}};
    check_ok("predictor", wl_predictor_new(kernel, h200, &predictor, &err), &err);
    check_true("grid", "is refused", wl_predict(predictor, &launch, NULL, &p, &err) == WL_E_INPUT);
    check_text("grid", "message", err.message, "the grid ends at y = 1, before the first cell the kernel works on (2)");
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    check_done();
}

/* ---- PTX ---- */

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %%p<9>;\n"         \
    ".reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\nld.param.u64 %%d1, [a];\ncvta.to.global.u64 %%d2, %%d1;\n"                  \
    "mov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r3, %%ntid.x;\nmov.u32 %%r4, %%tid.x;\nmad.lo.s32 %%r1, %%r2, %%r3, %%r4;\n"  \
    "mul.wide.s32 %%d3, %%r1, 4;\nadd.s64 %%d4, %%d2, %%d3;\n"
#define BRANCH HEAD "%s\n@%%p1 bra END;\nst.global.u32 [%%d4], %%r1;\nEND:\nret;\n}\n"
#define GUARD HEAD "%s\n@!%%p1 st.global.u32 [%%d4], %%r1;\nret;\n}\n"

/* %p1 holds for threads that do nothing; a launch of 128 threads. */
static const struct {
    const char *name, *test;
    int64_t first, domain; /* 0: it has none */
    bool condition, at_launch;
} limits[] = {
    {"below", "setp.lt.s32 %p1, %r1, 3;", 3, 128, false, false},
    {"unsigned", "setp.eq.s32 %p1, %r1, 0;", 1, 128, false, false},
    {"both", "setp.lt.s32 %p2, %r1, 1;\nsetp.ge.s32 %p3, %r1, 99;\nor.pred %p1, %p2, %p3;", 1, 99, false, false},
    {"twice", "shl.b32 %r5, %r1, 1;\nsetp.lt.s32 %p1, %r5, 5;", 3, 128, false, false},
    {"range", "add.s32 %r5, %r1, -2;\nsetp.gt.u32 %p1, %r5, 96;", 2, 99, false, false},
    {"open range", "add.s32 %r5, %r1, -2;\nsetp.ge.u32 %p1, %r5, 96;", 2, 98, false, false},
    {"outside a range", "add.s32 %r5, %r1, -2;\nsetp.lt.u32 %p1, %r5, 96;", 0, 0, true, true},
    {"last", "setp.eq.s32 %p1, %r1, 127;", 0, 127, false, true},
    {"ends", "setp.eq.s32 %p2, %r1, 127;\nsetp.eq.s32 %p3, %r1, 0;\nor.pred %p1, %p2, %p3;", 1, 127, false, true},
    {"one inside", "setp.eq.s32 %p1, %r1, 100;", 0, 0, true, true},
    {"none", "setp.lt.s32 %p2, %r1, 50;\nsetp.gt.s32 %p3, %r1, 40;\nor.pred %p1, %p2, %p3;", 0, 0, true, true},
};

static void check_limits(size_t i, const char *form, const char *kind)
{
    char text[2000], name[60];
    static const char *const args[] = {"buf:512"};
    const wl_ptx_options options = {.args = args, .arg_count = 1, .launch = {.block = {32}, .grid = {4}}};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    wl_prediction p;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, sizeof text, form, limits[i].test);
#pragma GCC diagnostic pop
    (void)snprintf(name, sizeof name, "%s, %s", limits[i].name, kind);
    check_ok(name, wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err), &err);
    if (wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK)
        fail_msg("%s: line %d: %s", name, (int)err.loc.line, err.message);
    check_int(name, "dimensions", kernel->dims, limits[i].domain > 0);
    check_int(name, "first cell", kernel->first[0], limits[i].first);
    check_int(name, "domain", kernel->dims ? kernel->domain[0] : 0, limits[i].domain);
    check_int(name, "accesses", (int64_t)kernel->access_count, 1);
    check_true(name, "condition", (kernel->accesses[0].when != NULL) == limits[i].condition);
    if (strcmp(kind, "branch") == 0)
        check_true(name, "for this launch", (kernel->source.at_launch != NULL) == limits[i].at_launch);
    predict(name, kernel, &options.launch, &p);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
}

static void limits_of_ptx(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        check_limits(i, BRANCH, "branch");
        check_limits(i, GUARD, "guard");
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_a_condition),
        cmocka_unit_test(idle_blocks),
        cmocka_unit_test(grids_that_miss_the_domain),
        cmocka_unit_test(limits_of_ptx),
    };
    wl_error err = {0};
    if (wl_device_builtin("h200", &h200, &err) != WL_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wl_device_free(h200);
    return failed;
}
