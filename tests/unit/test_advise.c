/* test_advise.c - search/advise.c and elsewhere.c: what is advised is what is predicted.
 * SPDX-License-Identifier: MIT
 */
/* clang-format off */ /* the tables read better in rows */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "search/advised.h"
#include "launch/occupancy_next.h"
#include "warpline/warpline.h"


/* Rows as long as they have to be: no row but the first starts on a boundary. */
static const char packed[] =
    "name: packed\n"
    "params: {nx: 638, ny: 512, nz: 64, sy: nx + 8, sz: sy*(ny + 8)}\n"
    "domain: [nx, ny, nz]\n"
    "fields:\n"
    "  src: {type: f64, strides: [1, sy, sz], origin: 4 + 4*sy + 4*sz}\n"
    "  dst: {type: f64, strides: [1, sy, sz], origin: 4 + 4*sy + 4*sz}\n"
    "update: 'dst[0,0,0] = src[0,0,0] + src[1,0,0] + src[-1,0,0] + src[0,1,0] + src[0,-1,0] + src[4,0,0] + src[-4,0,0] + src[0,4,0] + src[0,-4,0] + src[0,0,1] + src[0,0,-1] + src[0,0,4] + src[0,0,-4]'\n"
    "registers: 40\n";

/* The same cells in the layout the tool would choose. */
static const char aligned[] =
    "name: aligned\n"
    "domain: [638, 512, 64]\n"
    "fields:\n"
    "  src: {type: f64, extent: [638, 512, 64], halo: 4}\n"
    "  dst: {type: f64, extent: [638, 512, 64], halo: 4}\n"
    "update: 'dst[0,0,0] = src[0,0,0] + src[1,0,0] + src[-1,0,0] + src[0,1,0] + src[0,-1,0] + src[4,0,0] + src[-4,0,0] + src[0,4,0] + src[0,-4,0] + src[0,0,1] + src[0,0,-1] + src[0,0,4] + src[0,0,-4]'\n"
    "registers: 40\n";

/* A base off every boundary, but for an element's, and no dimensions to pad. */
static const char shifted[] =
    "name: shifted\n"
    "domain: [16777216]\n"
    "fields:\n"
    "  a: {type: f64, alignment: 8}\n"
    "  b: {type: f64, alignment: 8}\n"
    "loads: ['a[x]']\n"
    "stores: ['b[x]']\n"
    "registers: 16\n";

typedef struct question {
    const char *kernel; /* built-in, or a text above */
    const char *device;
    wl_launch launch;
} question;

typedef struct answer {
    wl_kernel *kernel;
    wl_device *device;
    wl_advised *result;
} answer;

static const char *text_of(const char *kernel)
{
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel, &length);
    return text ? text : kernel;
}

static answer *ask(const char *name, const question *q)
{
    static answer a;
    wl_error err = {0};
    const char *text = text_of(q->kernel);
    a = (answer){0};
    check_ok(name, wl_kernel_parse(name, text, strlen(text), NULL, &a.kernel, &err), &err);
    check_ok(name, wl_device_builtin(q->device, &a.device, &err), &err);
    if (a.kernel && a.device)
        check_ok(name, wl_advise(a.kernel, a.device, &q->launch, NULL, &a.result, &err), &err);
    assert_non_null(a.result);
    return &a;
}

static void forget(answer *a)
{
    wl_advised_free(a->result);
    wl_kernel_free(a->kernel);
    wl_device_free(a->device);
}

static double predicted(const char *name, const wl_kernel *kernel, const wl_device *device, const wl_launch *launch, wl_model_id model, wl_prediction *p)
{
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    const wl_predict_options options = {.model = model};
    check_ok(name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(name, wl_predict(predictor, launch, &options, p, &err), &err);
    wl_predictor_free(predictor);
    return p->model.time_s;
}

static const wl_advice *find(const answer *a, wl_change change)
{
    for (size_t i = 0; i < a->result->count; i++)
        if (a->result->all[i].changes == 1u << change)
            return &a->result->all[i];
    return NULL;
}

/* ---- every promise is what a prediction of the changed launch and kernel says ---- */

static const struct {
    const char *name;
    question q;
} questions[] = {
    {"bad layout", {packed, "h200", {.block = {16, 16, 1}}}},
    {"many registers", {"star3d_7pt", "h200", {.block = {64, 4, 2}, .registers = 72}}},
    {"flat block", {"star3d_r4", "h200", {.block = {128, 2, 1}}}},
    {"flat block, limiter model", {"star3d_r4", "v100", {.block = {128, 2, 1}}}},
    {"tag conflicts", {"blur3x3", "h200", {.block = {16, 16, 1}, .registers = 24}}},
    {"folded", {"star3d_7pt", "h200", {.block = {512, 1, 1}, .fold = {1, 4, 1}, .registers = 48}}},
    {"much shared memory", {"transpose_tiled", "h200", {.block = {32, 8, 1}, .shared_bytes = 60000}}},
    {"few lanes", {"triad", "h200", {.block = {8, 1, 1}}}},
};

static void check_advice(const char *name, const answer *a, const wl_advice *advice)
{
    wl_prediction given, p;
    wl_kernel *variant = NULL;
    wl_error err = {0};
    wl_launch launch = a->result->given.launch;
    memset(launch.grid, 0, sizeof launch.grid);
    const double before = predicted(name, a->kernel, a->device, &launch, WL_MODEL_BEST, &given);
    check_ok(name, wl_kernel_with_layout(a->kernel, &advice->layout, &variant, &err), &err);
    const double after = predicted(name, variant, a->device, &advice->launch, WL_MODEL_BEST, &p);
    check_near(name, "time", advice->time_s, after, 0);
    check_near(name, "gain", advice->gain, 1 - after / before, 1e-12);
    check_true(name, "worth it", advice->gain >= a->result->least_gain);
    check_int(name, "limiter", advice->limiter, p.model.limiter);
    check_int(name, "blocks per multiprocessor", advice->blocks_per_sm, p.occupancy.blocks_per_sm);
    wl_metric metric;
    if (advice->moved.name && wl_metric_find(advice->moved.name, &metric)) {
        check_near(name, "before", advice->moved.before, given.metrics[metric].value / (double)given.items, 1e-12);
        check_near(name, "after", advice->moved.after, p.metrics[metric].value / (double)p.items, 1e-12);
        check_true(name, "a metric that fell", advice->moved.after < advice->moved.before);
    }
    wl_kernel_free(variant);
}

static void test_promises(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(questions); i++) {
        const char *name = questions[i].name;
        answer *a = ask(name, &questions[i].q);
        check_true(name, "there is something to advise", a->result->count > 0);
        for (size_t k = 0; k < a->result->count; k++) {
            check_advice(name, a, &a->result->all[k]);
            check_true(name, "most helpful first", k == 0 || a->result->all[k].gain <= a->result->all[k - 1].gain);
        }
        if (a->result->has_combination) {
            check_advice(name, a, &a->result->combination);
            check_true(name, "together is better", a->result->combination.gain > a->result->all[0].gain);
            check_true(name, "with the best", (a->result->combination.changes & a->result->all[0].changes) != 0);
        }
        forget(a);
    }
    check_done();
}

/* ---- what is advised, and what is not ---- */

static const struct {
    const char *name;
    question q;
    uint32_t listed, not_listed; /* 1u << wl_change */
    const char *note;            /* a part of one; NULL: whatever */
} cases[] = {
#define BIT(change) (1u << WL_CHANGE_##change)
    {"rows off every boundary", {packed, "h200", {.block = {16, 16, 1}}}, BIT(ALIGNMENT), BIT(SHARED), NULL},
    {"the same on boundaries", {aligned, "h200", {.block = {16, 16, 1}}}, 0, BIT(ALIGNMENT) | BIT(PADDING) | BIT(SHARED), NULL},
    {"rows that meet in the tags", {"blur3x3", "h200", {.block = {16, 16, 1}, .registers = 24}}, BIT(PADDING), BIT(REGISTERS), NULL},
    {"one dimension has no rows", {shifted, "h200", {.block = {256, 1, 1}}}, 0, BIT(PADDING), "the rows of a, b stay as they are"},
    {"registers stand in the way", {"star3d_7pt", "h200", {.block = {64, 4, 2}, .registers = 72}}, BIT(REGISTERS) | BIT(BLOCK), 0, NULL},
    {"registers are not known", {"star3d_7pt", "h200", {.block = {64, 4, 1}}}, 0, BIT(REGISTERS), "registers per thread are not given"},
    {"shared memory stands in the way", {"transpose_tiled", "h200", {.block = {32, 8, 1}, .shared_bytes = 60000}}, BIT(SHARED), BIT(BLOCK) | BIT(FOLD), "shared memory is given"},
    {"the grid is given", {"star3d_r4", "h200", {.block = {128, 2, 1}, .grid = {5, 256, 512}}}, 0, BIT(BLOCK) | BIT(FOLD), "the grid is given"},
    {"the kernel says which block", {"transpose_tiled", "h200", {.block = {32, 8, 1}}}, 0, BIT(BLOCK) | BIT(FOLD), NULL},
    {"flat block", {"star3d_r4", "h200", {.block = {128, 2, 1}}}, BIT(BLOCK) | BIT(FOLD), BIT(ALIGNMENT) | BIT(PADDING), NULL},
    {"evaluated thread by thread", {"name: k\ndomain: [65536]\nfields: {a: {type: f32}, b: {type: f32}}\nloads: ['a[random(x, 65536)]']\nstores: ['b[x]']\n", "h200", {.block = {32, 1, 1}}}, 0, 0, "only blocks of"},
    {"the block is part of it", {"name: k\ndomain: [1048576]\nfields: {a: {type: f32}}\nstores: ['a[blockIdx.x*8 + threadIdx.x]']\nregisters: 16\n", "h200", {.block = {8, 1, 1}}}, 0, BIT(BLOCK) | BIT(FOLD), "the kernel depends on its block"},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *name = cases[i].name;
        answer *a = ask(name, &cases[i].q);
        for (int c = 0; c < WL_CHANGE_COUNT; c++) {
            const bool found = find(a, (wl_change)c) != NULL;
            if (cases[i].listed & 1u << c)
                check_true(name, wl_change_name((wl_change)c), found);
            if (cases[i].not_listed & 1u << c)
                check_true(name, "not listed", !found && !(a->result->has_combination && a->result->combination.changes & 1u << c));
        }
        bool noted = !cases[i].note;
        for (int k = 0; k < a->result->note_count && cases[i].note; k++)
            noted = noted || strstr(a->result->notes[k], cases[i].note);
        check_true(name, cases[i].note ? cases[i].note : "", noted);
        forget(a);
    }
    check_done();
}

/* What the best of everything is told: nothing. */
static void test_nothing_helps(void **state)
{
    (void)state;
    const question q = {"star3d_r4", "h200", {.block = {128, 2, 1}}};
    answer *a = ask("first", &q);
    assert_true(a->result->count > 0);
    const wl_advice best = a->result->has_combination ? a->result->combination : a->result->all[0];
    forget(a);
    a = ask("again", &(question){q.kernel, q.device, best.launch});
    check_int("again", "advice", (int64_t)a->result->count, 0);
    check_true("again", "no combination", !a->result->has_combination);
    forget(a);
    check_done();
}

/* One block more, not as few registers as possible. */
static void test_registers(void **state)
{
    (void)state;
    answer *a = ask("registers", &(question){"star3d_7pt", "h200", {.block = {64, 4, 2}, .registers = 72}});
    const wl_advice *r = find(a, WL_CHANGE_REGISTERS);
    assert_non_null(r);
    wl_occupancy_step step;
    wl_error err = {0};
    check_ok("step", wl_occupancy_next(a->device, 512, 72, 0, &step, &err), &err);
    check_int("registers", "one block more", r->launch.registers, step.registers);
    check_int("registers", "blocks", r->blocks_per_sm, a->result->given.occupancy.blocks_per_sm + 1);
    check_text("registers", "what moves", r->moved.name, "warps_per_sm");
    forget(a);
    check_done();
}

/* A kernel file with the strides and origins of the advice is predicted as promised. */
static void check_file(const answer *a, const wl_advice *advice)
{
    wl_kernel *variant = NULL, *file = NULL;
    wl_error err = {0};
    int64_t s[WL_FIELD_DIMS_MAX], origin;
    char text[1024];
    wl_prediction p;
    check_ok("variant", wl_kernel_with_layout(a->kernel, &advice->layout, &variant, &err), &err);
    check_int("src", "dimensions", wl_kernel_field_layout(variant, 0, s, &origin), 3);
    (void)snprintf(text, sizeof text,
                   "name: file\ndomain: [638, 512, 64]\nfields:\n"
                   "  src: {type: f64, strides: [%lld, %lld, %lld], origin: %lld}\n"
                   "  dst: {type: f64, strides: [%lld, %lld, %lld], origin: %lld}\n%s",
                   (long long)s[0], (long long)s[1], (long long)s[2], (long long)origin, (long long)s[0], (long long)s[1],
                   (long long)s[2], (long long)origin, strstr(packed, "update:"));
    check_ok("file", wl_kernel_parse("file", text, strlen(text), NULL, &file, &err), &err);
    check_near("file", "time", predicted("file", file, a->device, &advice->launch, WL_MODEL_BEST, &p), advice->time_s, 0);
    wl_kernel_free(file);
    wl_kernel_free(variant);
}

static void test_layout(void **state)
{
    (void)state;
    answer *a = ask("one", &(question){packed, "h200", {.block = {16, 16, 1}}});
    const wl_advice *l = find(a, WL_CHANGE_ALIGNMENT);
    assert_non_null(l);
    /* whether half a line is as good as a whole one is below what the models resolve */
    check_true("alignment", "rows on lines or halves of them",
               l->layout.row_multiple == 128 || l->layout.row_multiple == 64);
    check_int("alignment", "origin", l->layout.origin_multiple, l->layout.row_multiple);
    check_int("alignment", "padding", l->layout.row_padding, 0);
    check_file(a, l);
    forget(a);
    check_done();
}

static void test_reading(void **state)
{
    (void)state;
    answer *a = ask("read", &(question){"blur3x3", "h200", {.block = {16, 16, 1}, .registers = 24}});
    const wl_advised *r = a->result;
    size_t count = 0, notes = 0;
    while (wl_advised_advice(r, count))
        count++;
    while (wl_advised_note(r, notes))
        notes++;
    check_true("read", "several", count > 1 && count <= WL_CHANGE_COUNT);
    for (size_t i = 1; i < count; i++)
        check_true("read", "most helpful first", wl_advised_advice(r, i)->gain <= wl_advised_advice(r, i - 1)->gain);
    check_true("read", "each gains enough", wl_advised_advice(r, count - 1)->gain >= wl_advised_least_gain(r));
    check_int("read", "notes", (int64_t)notes, r->note_count);
    check_true("read", "combination", !wl_advised_combination(r) == !r->has_combination);
    check_true("read", "closed form", !wl_advised_costly(r));
    check_near("read", "least gain", 1 - wl_advised_least_gain(r), exp(-wl_advised_trust(r)->error), 1e-12);
    forget(a);
    check_done();
}

static void test_errors(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_advised *out = NULL;
    const expected_error want = {WL_E_INPUT, "a block has at most 1024 threads", 0, 0};
    check_ok("kernel", wl_kernel_parse("packed", packed, strlen(packed), NULL, &kernel, &err), &err);
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_error("too large", wl_advise(kernel, device, &(wl_launch){.block = {64, 64, 1}}, NULL, &out, &err), &err, &want);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- nothing in the result is borrowed ---- */

/* b[i] = a[index[i]], on lines 7 to 9: where a thread reads depends on data, so the kernel is made
 * anew for a launch. */
static const char gather[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"gather.cu\"\n"
    ".visible .entry gather(.param .u64 index, .param .u64 a, .param .u64 b)\n{\n"
    ".reg .b32 %r<8>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<4>;\n"
    ".loc 1 7 1\n"
    "ld.param.u64 %rd1, [index];\nld.param.u64 %rd2, [a];\nld.param.u64 %rd3, [b];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n"
    ".loc 1 8 1\n"
    "mul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r5, [%rd5];\n"
    ".loc 1 9 1\n"
    "mul.wide.u32 %rd6, %r5, 4;\nadd.s64 %rd7, %rd2, %rd6;\nld.global.f32 %f1, [%rd7];\n"
    "add.s64 %rd8, %rd3, %rd4;\nst.global.f32 [%rd8], %f1;\nret;\n}\n";

/* A report of it needs nothing but the kernel and the device: under the sanitizers this would read
 * freed memory. */
static void test_result_stands_alone(void **state)
{
    static const char *const args[] = {"buf:256K=random:u32:0..65535", "buf:256K", "buf:256K"};
    (void)state;
    wl_advised *out = NULL;
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    const wl_launch launch = {.block = {128, 1, 1}, .grid = {512, 1, 1}, .registers = 16};
    const wl_ptx_options options = {.args = args, .arg_count = COUNT_OF(args), .launch = launch};
    const wl_advise_options wanted = {.predict = {.per_access = true, .per_line = true}};
    check_ok("ptx", wl_ptx_parse("gather.ptx", gather, strlen(gather), &ptx, &err), &err);
    check_ok("kernel", wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_ok("advise", wl_advise(kernel, device, &launch, &wanted, &out, &err), &err);
    assert_non_null(out);
    check_true("gather", "no kernel", out->given.kernel == NULL);
    check_true("gather", "no shares", out->given.fields == NULL && out->given.accesses == NULL);
    check_true("gather", "no source lines", out->given.lines == NULL && out->given.line_count == 0);
    for (int format = WL_FORMAT_TEXT; format <= WL_FORMAT_CSV; format++) {
        char *text = NULL;
        check_ok("render", wl_prediction_render(wl_advised_given(out), kernel, device, (wl_format)format, &text, &err), &err);
        free(text);
    }
    wl_advised_free(out);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    wl_device_free(device);
    check_done();
}

/* ---- other devices ---- */

static void test_devices(void **state)
{
    (void)state;
    static wl_elsewhere list[64];
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    size_t count = 0, few = 0, length = 0;
    const char *text = wl_kernel_builtin_text("star2d_5pt", &length);
    wl_model_id model = WL_MODEL_BEST;
    const wl_launch launch = {.block = {8, 8, 1}, .registers = 32};
    check_ok("kernel", wl_kernel_parse("k", text, length, NULL, &kernel, &err), &err);
    check_ok("device", wl_device_builtin("v100", &device, &err), &err);
    check_ok("devices", wl_advise_devices(kernel, device, &launch, NULL, list, COUNT_OF(list), &count, &model, &err), &err);
    check_int("devices", "model", model, WL_MODEL_TURNOVER);
    check_int("devices", "all of them", (int64_t)count, (int64_t)wl_device_builtin_count());
    check_text("devices", "first", list[0].name, "v100");
    for (size_t i = 0; i < count; i++) {
        wl_device *other = NULL;
        wl_prediction p;
        check_true(list[i].name, "fastest first", i < 2 || list[i].best_s >= list[i - 1].best_s);
        check_true(list[i].name, "once", i == 0 || strcmp(list[i].name, "v100") != 0);
        check_ok(list[i].name, wl_device_builtin(list[i].name, &other, &err), &err);
        check_true(list[i].name, "fits", list[i].fits);
        check_near(list[i].name, "time", list[i].time_s, predicted(list[i].name, kernel, other, &launch, WL_MODEL_TURNOVER, &p), 0);
        check_near(list[i].name, "best", list[i].best_s, predicted(list[i].name, kernel, other, &list[i].best, WL_MODEL_TURNOVER, &p), 0);
        check_true(list[i].name, "the best is no worse", list[i].best_s <= list[i].time_s);
        wl_device_free(other);
    }
    check_ok("few", wl_advise_devices(kernel, device, &launch, NULL, list, 3, &few, &model, &err), &err);
    check_int("few", "count", (int64_t)few, 3);
    wl_device_free(device);
    /* a model that is asked for serves all */
    const wl_advise_options limiter = {.predict = {.model = WL_MODEL_LIMITER}};
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_ok("limiter", wl_advise_devices(kernel, device, &launch, &limiter, list, COUNT_OF(list), &count, &model, &err), &err);
    check_int("limiter", "model", model, WL_MODEL_LIMITER);
    check_int("limiter", "all of them", (int64_t)count, (int64_t)wl_device_builtin_count());
    wl_device_free(device);
    wl_kernel_free(kernel);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promises), cmocka_unit_test(test_cases),    cmocka_unit_test(test_nothing_helps),
        cmocka_unit_test(test_registers), cmocka_unit_test(test_layout), cmocka_unit_test(test_reading),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_result_stands_alone),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
