/* test_ptx_lives.c - ptx/kernel/lives.c: the lives of the warps of launches.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "metrics/prediction.h"
#include "model/stacks.h"
#include "ptx/kernel/ptx_source.h"
#include "warpline/predict.h"
#include "warpline/ptx.h"

#define TEXT_MAX (1 << 21)
#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"              \
    ".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\n"       \
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r3, %r4, %r2;\n"
#define LIMIT "setp.ge.s32 %p1, %r5, %r1;\n@%p1 bra END;\n"
#define LOAD "mul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r6, [%rd3];\n"
#define STORE "st.global.u32 [%rd3], %r6;\n"
#define LOOP(trips)                                                                                                    \
    "mov.u32 %r8, 0;\nL:\nadd.u32 %r8, %r8, 1;\nadd.u32 %r6, %r6, %r8;\nsetp.lt.u32 %p2, %r8, " trips ";\n@%p2 bra "   \
    "L;\n"
#define TAIL "END:\nret;\n}\n"

typedef struct launched {
    wl_ptx *ptx;
    wl_kernel *kernel;
    const wl_lives *lives;
    wl_status status;
} launched;

static launched launch(const char *name, const char *text, const char *n, int64_t block, int64_t grid, int64_t budget)
{
    const char *args[] = {"buf:16M=iota:u32", n};
    const wl_ptx_options options = {
        .args = args, .arg_count = 2, .launch = {.block = {block, 1, 1}, .grid = {grid, 1, 1}}, .budget = budget};
    launched l = {0};
    wl_error err = {0};
    l.status = wl_ptx_parse("k.ptx", text, strlen(text), &l.ptx, &err);
    if (l.status == WL_OK)
        l.status = wl_kernel_from_ptx(l.ptx, &options, &l.kernel, &err);
    if (l.status == WL_OK)
        l.status = l.kernel->source.live(l.kernel->source.context, &l.lives, &err);
    check_ok(name, l.status, &err);
    return l;
}

static void give_back(launched *l)
{
    wl_kernel_free(l->kernel);
    wl_ptx_free(l->ptx);
}

static double warps_of(const wl_lives *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->count; i++)
        sum += l->list[i].warps;
    return sum;
}

static double work_of(const wl_lives *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->count; i++)
        sum += l->list[i].warps * l->list[i].instructions;
    return sum;
}

static double executed(const launched *l, int64_t block, int64_t grid)
{
    wl_mix mix;
    const wl_line_mix *lines;
    size_t count;
    wl_error err = {0};
    double sum = 0;
    check_ok("counts",
             wl_ptx_count(l->kernel->source.context, (const int64_t[]){block, 1, 1}, (const int64_t[]){grid, 1, 1},
                          &mix, &lines, &count, &err),
             &err);
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        sum += mix.warp[c];
    return sum;
}

typedef struct life_case {
    const char *name, *body, *n;
    int64_t block, grid;
    size_t lives;     /* 0: several */
    double tolerance; /* of the instructions, against those executed */
} life_case;

static const life_case cases[] = {
    {"all do the same", LIMIT LOAD STORE, "65536", 256, 256, 1, 1e-6},
    {"all loop", LIMIT LOAD LOOP("%r1") STORE, "65536", 256, 256, 1, 1e-3},
    {"no load", LIMIT "add.u32 %r6, %r5, 1;\n", "65536", 256, 256, 1, 1e-6},
    {"nothing but an end", "", "0", 64, 3, 1, 1e-6},
    {"warps that loop longer and longer", "shr.u32 %r7, %r2, 5;\nadd.u32 %r7, %r7, 1;\n" LOAD LOOP("%r7") STORE, "0",
     1024, 40, 32, 0.05},
    {"blocks that end at once", "setp.ge.u32 %p3, %r3, 2;\n@%p3 bra END;\n" LOAD LOOP("100") STORE, "0", 64, 512, 0,
     0.02},
    {"more kinds of blocks than are followed", "and.b32 %r7, %r3, 31;\nadd.u32 %r7, %r7, 1;\n" LOAD LOOP("%r7") STORE,
     "0", 64, 640, 0, 0.35},
    {"more ways of life than are told apart",
     "shr.u32 %r7, %r2, 5;\nmul.lo.u32 %r7, %r7, 8;\nand.b32 %r9, %r3, 7;\nmad.lo.u32 %r7, %r9, 300, %r7;\n"
     "add.u32 %r7, %r7, 1;\n" LOAD LOOP("%r7") STORE,
     "0", 1024, 64, 128, 0.35},
};

static void lives_of_launches(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const life_case *c = &cases[i];
        char text[4096];
        (void)snprintf(text, sizeof text, "%s%s%s", HEAD, c->body, TAIL);
        launched l = launch(c->name, text, c->n, c->block, c->grid, 0),
                 again = launch(c->name, text, c->n, c->block, c->grid, 0);
        if (l.status == WL_OK && again.status == WL_OK) {
            if (c->lives > 0)
                check_int(c->name, "lives", (int64_t)l.lives->count, (int64_t)c->lives);
            check_near(c->name, "warps", warps_of(l.lives), (double)(c->grid * (c->block / 32)), 1e-12);
            check_near(c->name, "instructions", work_of(l.lives), executed(&l, c->block, c->grid), c->tolerance);
            check_int(c->name, "lives, again", (int64_t)again.lives->count, (int64_t)l.lives->count);
            for (size_t k = 0; k < l.lives->count; k++) {
                const wl_life *a = &l.lives->list[k], *b = &again.lives->list[k];
                check_true(c->name, "the same again",
                           a->warps == b->warps && a->instructions == b->instructions && a->kind == b->kind);
                check_true(c->name, "the most first",
                           k == 0 || a->warps * a->instructions <= a[-1].warps * a[-1].instructions);
            }
        }
        give_back(&l);
        give_back(&again);
    }
    check_done();
}

/* Most of the grid lies outside: the block in its middle does nothing. */
static void the_middle_is_that_of_the_domain(void **state)
{
    (void)state;
    launched l = launch("domain", HEAD LIMIT LOAD LOOP("50") STORE TAIL, "100", 128, 1000, 0);
    check_true("domain", "a warp inside it", l.lives->count > 0 && l.lives->list[0].instructions > 100);
    give_back(&l);
    check_done();
}

#define THREADS 4

static void *ask(void *kernel)
{
    const wl_source *source = &((wl_kernel *)kernel)->source;
    const wl_lives *lives = NULL;
    wl_error err = {0};
    return source->live(source->context, &lives, &err) == WL_OK && lives->count == 1 ? (void *)(uintptr_t)lives->list
                                                                                     : NULL;
}

/* Who asks first finds them; the others get the same. */
static void threads_share_a_kernel(void **state)
{
    (void)state;
    const char *args[] = {"buf:16M", "65536"}, *text = HEAD LIMIT LOAD STORE TAIL;
    const wl_ptx_options options = {
        .args = args, .arg_count = 2, .launch = {.block = {256, 1, 1}, .grid = {256, 1, 1}}};
    launched l = {0};
    wl_error err = {0};
    check_ok("shared", wl_ptx_parse("k.ptx", text, strlen(text), &l.ptx, &err), &err);
    for (int round = 0; round < 50; round++) {
        pthread_t threads[THREADS];
        void *found[THREADS];
        check_ok("shared", wl_kernel_from_ptx(l.ptx, &options, &l.kernel, &err), &err);
        check_true("shared", "independent of the launch", l.kernel->source.at_launch == NULL);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, ask, l.kernel), 0);
        for (int i = 0; i < THREADS; i++)
            (void)pthread_join(threads[i], &found[i]);
        for (int i = 0; i < THREADS; i++)
            check_true("shared", "the same for all", found[i] && found[i] == found[0]);
        wl_kernel_free(l.kernel);
        l.kernel = NULL;
    }
    give_back(&l);
    check_done();
}

#define ASKED 2000

/* Asks for the instructions of two launches in turn. NULL: an answer was that of another launch. */
static void *count(void *kernel)
{
    const wl_source *source = &((wl_kernel *)kernel)->source;
    for (int i = 0; i < ASKED; i++) {
        const int64_t threads = i % 2 ? 256 : 48, block[3] = {threads, 1, 1}, grid[3] = {65536 / threads, 1, 1};
        const wl_line_mix *lines = NULL;
        size_t line_count = 0;
        wl_mix mix;
        wl_error err = {0};
        if (source->count_instructions(source->context, block, grid, &mix, &lines, &line_count, &err) != WL_OK)
            return NULL;
        double warps = 0;
        for (size_t k = 0; k < line_count; k++)
            warps += lines[k].global_accesses;
        if (mix.warp[WL_INST_load] + mix.warp[WL_INST_store] != warps ||
            mix.warp[WL_INST_load] != (double)(wl_ceil_div(threads, 32) * grid[0]))
            return NULL;
    }
    return kernel;
}

static void threads_count_other_launches(void **state)
{
    (void)state;
    const char *args[] = {"buf:16M", "65536"};
    const char *text = HEAD ".file 1 \"k.cu\"\n.loc 1 7 0\n" LIMIT LOAD ".loc 1 8 0\n" STORE TAIL;
    const wl_ptx_options options = {
        .args = args, .arg_count = 2, .launch = {.block = {256, 1, 1}, .grid = {256, 1, 1}}};
    launched l = {0};
    wl_error err = {0};
    pthread_t threads[THREADS];
    void *found[THREADS];
    check_ok("counted", wl_ptx_parse("k.ptx", text, strlen(text), &l.ptx, &err), &err);
    check_ok("counted", wl_kernel_from_ptx(l.ptx, &options, &l.kernel, &err), &err);
    check_true("counted", "by one", count(l.kernel) != NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, l.kernel), 0);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], &found[i]);
    for (int i = 0; i < THREADS; i++)
        check_true("counted", "by several", found[i] != NULL);
    give_back(&l);
    check_done();
}

/* 48 threads are two warps: a third more of them than with full ones. */
static void warps_are_those_of_the_launch(void **state)
{
    (void)state;
    launched l = launch("warps", HEAD LIMIT LOAD STORE TAIL, "65536", 256, 256, 0);
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    static wl_prediction p;
    double instructions[2] = {0, 0};
    check_ok("warps", wl_device_builtin("h200", &device, &err), &err);
    check_ok("warps", wl_predictor_new(l.kernel, device, &predictor, &err), &err);
    for (int i = 0; i < 2; i++) {
        const wl_launch at = {.block = {i ? 48 : 256, 1, 1}};
        const wl_predict_options options = {.model = WL_MODEL_MDM, .stacks = true};
        check_ok("warps", wl_predict(predictor, &at, &options, &p, &err), &err);
        instructions[i] = p.stacks->stack[WL_MODEL_MDM].instructions;
    }
    check_near("warps", "instructions", instructions[1] / instructions[0], 2.0 * 1366 / 2048, 1e-9);
    wl_predictor_free(predictor);
    wl_device_free(device);
    give_back(&l);
    check_done();
}

/* Tens of thousands of instructions in a row, and loops in loops through sixty levels. */
static void large_and_deep_programs(void **state)
{
    (void)state;
    char *text = malloc(TEXT_MAX), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s%s", HEAD, LOAD);
    for (int i = 0; i < 10000; i++)
        at += sprintf(at, "ld.global.u32 %%r%d, [%%rd3+%d];\nadd.u32 %%r6, %%r6, %%r%d;\n", 10 + i % 80, 4 * (i % 64),
                      10 + i % 80);
    (void)sprintf(at, "%s%s", STORE, TAIL);
    launched l = launch("large", text, "0", 64, 4, 0);
    check_true("large", "one life", l.status == WL_OK && l.lives->count == 1 && l.lives->list[0].instructions > 20000);
    give_back(&l);
    at = text + sprintf(text, "%s%s", HEAD, LOAD);
    for (int i = 0; i < 60; i++)
        at += sprintf(at, "mov.u32 %%r%d, 0;\nL%d:\n", 20 + i, i);
    at += sprintf(at, "add.u32 %%r6, %%r6, 1;\n");
    for (int i = 59; i >= 0; i--)
        at += sprintf(at, "add.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 %%p1, %%r%d, %d;\n@%%p1 bra L%d;\n", 20 + i, 20 + i,
                      20 + i, i % 10 == 0 ? 3 : 1, i);
    (void)sprintf(at, "%s%s", STORE, TAIL);
    l = launch("deep", text, "0", 64, 4, 0);
    check_true("deep", "a life", l.status == WL_OK && l.lives->count == 1);
    check_near("deep", "instructions", work_of(l.lives), executed(&l, 64, 4), 1e-6);
    give_back(&l);
    free(text);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lives_of_launches),
                                       cmocka_unit_test(the_middle_is_that_of_the_domain),
                                       cmocka_unit_test(threads_share_a_kernel),
                                       cmocka_unit_test(threads_count_other_launches),
                                       cmocka_unit_test(warps_are_those_of_the_launch),
                                       cmocka_unit_test(large_and_deep_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
