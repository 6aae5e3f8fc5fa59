/* test_ptx_cost.c - machine instructions of PTX instructions: small texts and the machine code
 * ptxas makes of them. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "ptx/cost/cost.h"
#include "ptx/read/read_module.h"
#include "warpline/warpline.h"

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 c[64];\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n"                                                 \
    "{\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<20>;\n"             \
    ".shared .align 4 .b8 s[4096];\n"

static wl_ptx_costs *costs; /* of sm_90 */

typedef struct weights {
    double all[64], total;
    int32_t count;
} weights;

/* Weighs a body; its instructions are numbered in program order. */
static weights weigh(const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s}\n", HEAD, body);
    wl_error err = {0};
    wl_ptx_module *module = NULL;
    if (wl_ptx_module_parse("cost.ptx", text, strlen(text), &module, &err) != WL_OK)
        fail_msg("%s", err.message);
    const wl_ptx_function *f = &module->functions[0];
    const double *weight = NULL;
    wl_arena arena = {0};
    weights out = {.count = f->instruction_count};
    assert_true(f->instruction_count <= 64);
    assert_int_equal(wl_ptx_weigh(costs, module, f, &arena, &weight, NULL, &err), WL_OK);
    for (int32_t i = 0; i < f->instruction_count; i++) {
        out.all[i] = weight[i];
        out.total += weight[i];
    }
    wl_arena_free(&arena);
    wl_ptx_module_free(module);
    return out;
}

/* The cost of some lines, between loads of their inputs (%r1, %r2; %rd1, %rd2; %f1, %f2; %fd1,
 * %fd2) and a use of their result (%r9, %rd9, %f9, %fd9). */
static double cost_of(const char *lines, const char *result)
{
    static const char before[] = "ld.shared.u32 %r1, [s];\nld.shared.u32 %r2, [s+4];\nld.shared.u64 %rd1, [s+8];\n"
                                 "ld.shared.u64 %rd2, [s+16];\nld.shared.f32 %f1, [s];\nld.shared.f32 %f2, [s+4];\n"
                                 "ld.shared.f64 %fd1, [s];\nld.shared.f64 %fd2, [s+8];\n";
    char body[2048], without[2048];
    snprintf(body, sizeof body, "%s%s\n%s\nret;\n", before, lines, result);
    snprintf(without, sizeof without, "%sret;\n", before);
    return weigh(body).total - weigh(without).total - (strncmp(result, "st.", 3) == 0 ? 1 : 0);
}

/* What the machine instructions of one operation are, as ptxas 13.0 makes them for sm_90. */
static void classes_of_operations(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        wl_inst_class first;
        double of_first;
        wl_inst_class second;
        double of_second, integer_pipe;
    } cases[] = {
        /* FSETP, 2 FMUL, MUFU */
        {"ex2.approx.f32 %f9, %f1;", WL_INST_special, 1, WL_INST_fp32, 3, 1},
        {"ex2.approx.ftz.f32 %f9, %f1;", WL_INST_special, 1, WL_INST_fp32, 0, 0},
        {"rsqrt.approx.f32 %f9, %f1;", WL_INST_special, 1, WL_INST_fp32, 3, 1},
        {"sqrt.approx.f32 %f9, %f1;", WL_INST_special, 1, WL_INST_fp32, 3, 1},
        /* MUFU, FCHK, 5 FFMA */
        {"div.rn.f32 %f9, %f1, %f2;", WL_INST_special, 2, WL_INST_fp32, 5, 0},
        {"div.u32 %r9, %r1, %r2;", WL_INST_special, 3, WL_INST_int, 15, 4},    /* I2F, MUFU, F2I */
        {"cvt.rzi.s32.f32 %r9, %f1;", WL_INST_special, 1, WL_INST_fp32, 0, 0}, /* F2I */
        {"cvt.rn.f32.s32 %f9, %r1;", WL_INST_int, 1, WL_INST_special, 0, 1},   /* I2FP */
        {"cvt.f64.f32 %fd9, %f1;", WL_INST_special, 1, WL_INST_fp64, 0, 0},    /* F2F */
        {"cvt.rmi.f32.f32 %f9, %f1;", WL_INST_special, 1, WL_INST_fp32, 0, 0}, /* FRND */
        {"cvt.s64.s32 %rd9, %r1;", WL_INST_int, 1, WL_INST_special, 0, 0},
        {"popc.b32 %r9, %r1;", WL_INST_special, 1, WL_INST_int, 0, 0},
        {"and.b32 %r9, %r1, %r2;", WL_INST_int, 1, WL_INST_special, 0, 1}, /* LOP3 */
        {"min.f32 %f9, %f1, %f2;", WL_INST_fp32, 1, WL_INST_int, 0, 1},    /* FMNMX */
        /* IADD3 or IMAD.IADD */
        {"add.s32 %r9, %r1, %r2;", WL_INST_int, 1, WL_INST_special, 0, 0},
        {"mul.lo.s32 %r9, %r1, %r2;", WL_INST_int, 1, WL_INST_special, 0, 0}, /* IMAD */
    };
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const char *name = cases[k].line, *result = strchr(name, '9') - 2;
        char text[2048];
        (void)snprintf(
            text, sizeof text,
            "%smov.u32 %%r8, %%tid.x;\nld.shared.u32 %%r1, [s];\nld.shared.u32 %%r2, [s+4];\nld.shared.f32 %%f1, [s];\n"
            "ld.shared.f32 %%f2, [s+4];\n%s\nst.shared.%s [s+8], %.*s;\nret;\n}\n",
            HEAD, name, result[1] == 'd' ? "b64" : "b32", (int)(strcspn(strchr(name, '%'), ",")), strchr(name, '%'));
        wl_error err = {0};
        wl_ptx_module *module = NULL;
        if (wl_ptx_module_parse("cost.ptx", text, strlen(text), &module, &err) != WL_OK)
            fail_msg("%s", err.message);
        const wl_ptx_function *f = &module->functions[0];
        const double *weight = NULL;
        wl_ptx_counting counting;
        wl_arena arena = {0};
        double mix[WL_INST_CLASS_COUNT] = {0};
        assert_int_equal(wl_ptx_weigh(costs, module, f, &arena, &weight, &counting, &err), WL_OK);
        const int32_t at = f->instruction_count - 3;
        wl_ptx_add_classes(f, &counting, at, weight[at], 1, mix);
        check_near(name, "first class", mix[cases[k].first], cases[k].of_first, 1e-12);
        check_near(name, "second class", mix[cases[k].second], cases[k].of_second, 1e-12);
        check_near(name, "integer pipe", wl_ptx_integer_pipe(&counting, at), cases[k].integer_pipe, 1e-12);
        wl_arena_free(&arena);
        wl_ptx_module_free(module);
    }
    check_done();
}

static void single_operations(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *result;
        double cost;
    } cases[] = {
        {"add.s32 %r9, %r1, %r2;", "st.shared.u32 [s], %r9;", 1},
        {"add.s64 %rd9, %rd1, %rd2;", "st.shared.u64 [s], %rd9;", 2},
        {"mul.lo.s64 %rd9, %rd1, %rd2;", "st.shared.u64 [s], %rd9;", 4},
        {"mul.wide.s32 %rd9, %r1, %r2;", "st.shared.u64 [s], %rd9;", 1},
        {"div.s32 %r9, %r1, %r2;", "st.shared.u32 [s], %r9;", 24},
        {"div.u32 %r9, %r1, %r2;", "st.shared.u32 [s], %r9;", 18},
        {"rem.u32 %r9, %r1, %r2;", "st.shared.u32 [s], %r9;", 17},
        {"div.rn.f32 %f9, %f1, %f2;", "st.shared.f32 [s], %f9;", 10},
        {"div.rn.f64 %fd9, %fd1, %fd2;", "st.shared.f64 [s], %fd9;", 16},
        {"sqrt.rn.f64 %fd9, %fd1;", "st.shared.f64 [s], %fd9;", 18},
        {"rsqrt.approx.f32 %f9, %f1;", "st.shared.f32 [s], %f9;", 4},
        {"rsqrt.approx.ftz.f32 %f9, %f1;", "st.shared.f32 [s], %f9;", 1},
        /* LEA.HI; a predicated VIADD; MOV of the low half alone */
        {"shr.u32 %r3, %r1, 31;\nadd.s32 %r9, %r1, %r3;", "st.shared.u32 [s], %r9;", 1},
        {"shr.s32 %r3, %r1, 31;\nadd.s32 %r9, %r1, %r3;", "st.shared.u32 [s], %r9;", 2},
        {"setp.lt.s32 %p1, %r1, %r2;\nadd.s32 %r3, %r1, 1;\nselp.b32 %r2, %r3, %r2, %p1;", "st.shared.u32 [s], %r2;",
         2},
        {"setp.lt.s32 %p1, %r1, %r2;\nadd.s32 %r3, %r1, 1;\nselp.b32 %r9, %r3, %r2, %p1;", "st.shared.u32 [s], %r9;",
         3},
        {"setp.lt.s32 %p1, %r1, %r2;\nmov.u64 %rd9, 1;\n@%p1 bra L;\nmov.u64 %rd9, 2;\nL:", "st.shared.u64 [s], %rd9;",
         3},
        {"setp.lt.s32 %p1, %r1, %r2;\nmov.u64 %rd9, 1;\n@%p1 bra L;\nmov.u64 %rd9, -2;\nL:", "st.shared.u64 [s], %rd9;",
         5},
        {"neg.f32 %f9, %f1;", "st.shared.f32 [s], %f9;", 0},
        {"cvt.u64.u32 %rd9, %r1;", "st.shared.u64 [s], %rd9;", 0},
        {"cvt.s64.s32 %rd9, %r1;", "st.shared.u64 [s], %rd9;", 1},
        {"cvt.rn.f32.s32 %f9, %r1;", "st.shared.f32 [s], %f9;", 1},
        {"mov.u32 %r9, %r1;", "st.shared.u32 [s], %r9;", 0},
        {"mov.u32 %r9, 7;", "st.shared.u32 [s], %r9;", 1}, /* what is stored is in a register */
        {"mov.u32 %r9, 0;", "st.shared.u32 [s], %r9;", 0},
        {"mov.u32 %r8, 7;\nmul.lo.s32 %r9, %r1, %r8;", "st.shared.u32 [s], %r9;", 1},
        /* an operand */
        {"ld.const.u32 %r8, [c];\nmul.lo.s32 %r9, %r1, %r8;", "st.shared.u32 [s], %r9;", 1},
        {"ld.const.u32 %r8, [%rd1];\nmul.lo.s32 %r9, %r1, %r8;", "st.shared.u32 [s], %r9;", 2},
        {"mov.u32 %r9, %tid.x;", "st.shared.u32 [s], %r9;", 1},
        {"add.s32 %r9, %r1, %r2;", "", 0}, /* dead code */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = cost_of(cases[i].lines, cases[i].result);
        if (got != cases[i].cost)
            fail_msg("%s costs %g, not %g", cases[i].lines, got, cases[i].cost);
    }
}

static void neighbours_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *result;
        double cost;
    } cases[] = {
        /* the address of an element */
        {"mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd9, %rd1, %rd3;", "st.global.u32 [%rd9], %r2;", 1 + 1},
        /* two arrays with the same index */
        {"mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd9, %rd1, %rd3;\nadd.s64 %rd8, %rd2, %rd3;\nst.shared.u64 [s], %rd8;",
         "st.shared.u64 [s], %rd9;", 3},
        {"shl.b64 %rd3, %rd1, 3;\nadd.s64 %rd9, %rd2, %rd3;", "st.shared.u64 [s], %rd9;", 2},
        {"shl.b32 %r3, %r1, 3;\nadd.s32 %r9, %r2, %r3;", "st.shared.u32 [s], %r9;", 1},
        {"mul.lo.s32 %r3, %r1, %r2;\nadd.s32 %r9, %r2, %r3;", "st.shared.u32 [s], %r9;", 1},
        {"mul.lo.s64 %rd3, %rd1, %rd2;\nadd.s64 %rd9, %rd2, %rd3;", "st.shared.u64 [s], %rd9;", 4},
        {"add.s32 %r3, %r1, %r2;\nadd.s32 %r9, %r2, %r3;", "st.shared.u32 [s], %r9;", 1},
        {"and.b32 %r3, %r1, 7;\nor.b32 %r9, %r2, %r3;", "st.shared.u32 [s], %r9;", 1},
        /* an immediate offset is part of the access */
        {"add.s64 %rd9, %rd1, 64;", "st.global.u32 [%rd9], %r2;", 1},
        {"setp.lt.s32 %p1, %r1, %r2;\nsetp.gt.s32 %p2, %r1, 0;\nor.pred %p3, %p1, %p2;\nselp.u32 %r9, 1, 0, %p3;",
         "st.shared.u32 [s], %r9;", 3},
        {"and.b32 %r3, %r1, 3;\nsetp.eq.s32 %p1, %r3, 0;\nselp.u32 %r9, 1, 0, %p1;", "st.shared.u32 [s], %r9;", 2},
        {"div.u32 %r9, %r1, 10;", "st.shared.u32 [s], %r9;", 14},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = cost_of(cases[i].lines, cases[i].result);
        if (got != cases[i].cost)
            fail_msg("%s costs %g, not %g", cases[i].lines, got, cases[i].cost);
    }
}

/* A parameter read is charged at its first use: threads that exit before it do not pay. */
/* The greatest common divisor: what was there before is read after the loop has replaced it. */
static void copies_of_what_a_loop_replaces(void **state)
{
    (void)state;
    const weights kept = weigh("ld.shared.u32 %r1, [s];\nld.shared.u32 %r2, [s+4];\nloop:\nmov.u32 %r3, %r2;\n"
                               "add.s32 %r2, %r1, %r2;\nxor.b32 %r1, %r3, %r1;\nsetp.lt.s32 %p1, %r2, 100;\n"
                               "@%p1 bra loop;\nst.shared.u32 [s], %r1;\nret;\n");
    assert_true(kept.all[2] == 1);
    const weights not_read = weigh("ld.shared.u32 %r1, [s];\nld.shared.u32 %r2, [s+4];\nloop:\nmov.u32 %r3, %r2;\n"
                                   "xor.b32 %r1, %r3, %r1;\nadd.s32 %r2, %r1, %r2;\nsetp.lt.s32 %p1, %r2, 100;\n"
                                   "@%p1 bra loop;\nst.shared.u32 [s], %r1;\nret;\n");
    assert_true(not_read.all[2] == 0);
}

/* As ptxas of CUDA 13.0 joins them for sm_90. */
static void logic_of_three_inputs_is_joined(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        double cost;
    } cases[] = {
        {"xor.b32 %r3, %r1, %r2;\nxor.b32 %r9, %r3, %r20;", 1},
        /* five inputs */
        {"xor.b32 %r3, %r1, %r2;\nxor.b32 %r4, %r3, %r20;\nxor.b32 %r5, %r4, %r21;\nxor.b32 %r9, %r5, %r22;", 2},
        {"not.b32 %r3, %r1;\nand.b32 %r4, %r3, %r2;\nxor.b32 %r9, %r4, %r20;", 1},
        {"and.b32 %r3, %r1, %r2;\nand.b32 %r4, %r20, %r21;\nor.b32 %r9, %r3, %r4;", 2},
        {"and.b32 %r3, %r1, %r2;\nand.b32 %r4, %r1, %r21;\nor.b32 %r9, %r3, %r4;", 1},
        /* the first has two readers */
        {"xor.b32 %r3, %r1, %r2;\nxor.b32 %r4, %r3, %r20;\nst.shared.u32 [s+8], %r3;\nand.b32 %r9, %r4, %r21;", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char lines[512];
        snprintf(lines, sizeof lines,
                 "ld.shared.u32 %%r20, [s+32];\nld.shared.u32 %%r21, [s+40];\nld.shared.u32 %%r22, [s+48];\n%s",
                 cases[i].lines);
        const double stores = strstr(lines, "st.shared") ? 1 : 0;
        const double got = cost_of(lines, "st.shared.u32 [s], %r9;") - 3 - stores;
        if (got != cases[i].cost)
            fail_msg("%s costs %g, not %g", cases[i].lines, got, cases[i].cost);
    }
}

static void parameters_are_charged_at_their_first_use(void **state)
{
    (void)state;
    const weights w = weigh("ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
                            "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra done;\n"
                            "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.s32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                            "st.global.u32 [%rd4], %r2;\ndone:\nret;\n");
    assert_true(w.all[0] <= 1); /* the stack pointer at most */
    assert_true(w.all[8] == 1); /* memory instructions are one each */
    assert_true(w.all[4] == 1); /* the branch becomes a predicated exit */
    const double after = w.all[5] + w.all[6] + w.all[7];
    assert_true(after == 3); /* sum, parameter, descriptor */
}

static void branches(void **state)
{
    (void)state;
    /* a short body is predicated; a long one needs reconvergence; a parameter is uniform, so
     * there is no divergence */
    const char *head =
        "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 5;\nsetp.eq.s32 %p2, %r1, 5;\n";
    const char *tail = "after:\nst.shared.f32 [s], %f1;\nret;\n";
    char body[2048], step[128], steps[1024] = "";
    snprintf(body, sizeof body, "%s@%%p1 bra after;\nadd.f32 %%f1, %%f2, %%f3;\n%s", head, tail);
    assert_true(weigh(body).all[4] == 0);
    for (int i = 0; i < 12; i++) {
        snprintf(step, sizeof step, "fma.rn.f32 %%f%d, %%f2, %%f3, %%f4;\nst.shared.f32 [s+%d], %%f%d;\n", i + 5, 4 * i,
                 i + 5);
        strcat(steps, step);
    }
    snprintf(body, sizeof body, "%s@%%p1 bra after;\n%s%s", head, steps, tail);
    assert_true(weigh(body).all[4] == 3);
    snprintf(body, sizeof body, "%s@%%p2 bra after;\n%s%s", head, steps, tail);
    assert_true(weigh(body).all[4] == 1);
}

/* Loops that load are unrolled: several iterations share the induction variable, its comparison
 * and the back edge. */
static void loops(void **state)
{
    (void)state;
    const char *pattern =
        "ld.param.u64 %%rd1, [a];\nmov.u32 %%r1, 0;\nloop:\n%s\nfma.rn.f32 %%f1, %%f2, %%f1, %%f1;\n"
        "add.s64 %%rd1, %%rd1, 4;\nadd.s32 %%r1, %%r1, 1;\nsetp.lt.s32 %%p1, %%r1, 100;\n@%%p1 bra loop;\n"
        "st.shared.f32 [s], %%f1;\nret;\n";
    char body[2048];
    snprintf(body, sizeof body, pattern, "ld.global.f32 %f2, [%rd1];");
    const weights joined = weigh(body);
    assert_true(joined.all[5] < 1 && joined.all[6] < 1 && joined.all[7] < 1);
    assert_true(joined.all[3] == 1);
    snprintf(body, sizeof body, pattern, "div.rn.f32 %f1, %f1, %f2;");
    const weights apart = weigh(body);
    assert_true(apart.all[5] == 1 && apart.all[6] == 1 && apart.all[7] == 1);
}

#define FMA "fma.rn.f32 %f1, %f1, %f2, %f2;\n"
#define FMA_10 FMA FMA FMA FMA FMA FMA FMA FMA FMA FMA
#define LOAD_5                                                                                                         \
    "ld.global.f32 %f10, [%rd1+4];\nld.global.f32 %f11, [%rd1+8];\nld.global.f32 %f12, [%rd1+12];\n"                   \
    "ld.global.f32 %f13, [%rd1+16];\nld.global.f32 %f14, [%rd1+20];\n"

/* Which loops ptxas 13 unrolls, and which of them it copies under a predicate, for sm_90. */
static void loops_that_are_unrolled(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body, *test;
        bool unrolled, repeated;
    } rows[] = {
        {"signed", "", "setp.lt.s32 %p1, %r1, %r2;", true, false},
        {"unsigned", "", "setp.lt.u32 %p1, %r1, %r2;", true, true},
        {"by a pointer", "", "setp.lt.u64 %p1, %rd1, %rd2;", true, true},
        {"signed, stores", "st.global.f32 [%rd3], %f2;", "setp.lt.s32 %p1, %r1, %r2;", true, false},
        {"unsigned, stores", "st.global.f32 [%rd3], %f2;", "setp.lt.u32 %p1, %r1, %r2;", false, false},
        {"unsigned, shared stores", "st.shared.f32 [s], %f2;", "setp.lt.u32 %p1, %r1, %r2;", true, true},
        {"division", "div.rn.f32 %f1, %f1, %f2;", "setp.lt.s32 %p1, %r1, %r2;", false, false},
        {"fast division", "div.approx.f32 %f1, %f1, %f2;", "setp.lt.s32 %p1, %r1, %r2;", true, false},
        {"atomic", "red.global.add.f32 [%rd3], %f2;", "setp.lt.s32 %p1, %r1, %r2;", false, false},
        {"barrier", "bar.sync 0;", "setp.lt.s32 %p1, %r1, %r2;", true, false},
        {"44 multiply-adds", FMA_10 FMA_10 FMA_10 FMA_10 FMA FMA FMA FMA, "setp.lt.s32 %p1, %r1, %r2;", true, false},
        {"45 multiply-adds", FMA_10 FMA_10 FMA_10 FMA_10 FMA FMA FMA FMA FMA, "setp.lt.s32 %p1, %r1, %r2;", false,
         false},
        {"16 loads, 15 multiply-adds", LOAD_5 LOAD_5 LOAD_5 FMA_10 FMA FMA FMA FMA FMA, "setp.lt.s32 %p1, %r1, %r2;",
         false, false},
        {"11 loads, 20 multiply-adds", LOAD_5 LOAD_5 FMA_10 FMA_10, "setp.lt.s32 %p1, %r1, %r2;", true, false},
        {"until what is loaded ends it", "", "setp.lt.f32 %p1, %f2, %f3;", false, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[4096];
        snprintf(text, sizeof text,
                 "%smov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, 100;\nloop:\nld.global.f32 %%f2, [%%rd1];\n%s\n"
                 "add.s64 %%rd1, %%rd1, 4;\nadd.s32 %%r1, %%r1, 1;\n%s\n@%%p1 bra loop;\nret;\n}\n",
                 HEAD, rows[k].body, rows[k].test);
        wl_error err = {0};
        wl_ptx_module *module = NULL;
        wl_arena arena = {0};
        const double *weight = NULL;
        wl_ptx_counting counting;
        check_ok(rows[k].name, wl_ptx_module_parse("cost.ptx", text, strlen(text), &module, &err), &err);
        check_ok(rows[k].name, wl_ptx_weigh(costs, module, &module->functions[0], &arena, &weight, &counting, &err),
                 &err);
        check_true(rows[k].name, "unrolled", (counting.unrolled[2] >= 0) == rows[k].unrolled);
        check_true(rows[k].name, "repeated", (counting.repeated[2] == 1) == rows[k].repeated);
        wl_arena_free(&arena);
        wl_ptx_module_free(module);
    }
    check_done();
}

/* A predicated body counts as often as the branch it replaces. */
static void predicated_bodies_count_as_their_branch(void **state)
{
    (void)state;
    const char *text = HEAD "mov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 5;\n@%p1 bra after;\nadd.f32 %f1, %f2, %f3;\n"
                            "st.shared.f32 [s+4], %f1;\nafter:\nst.shared.f32 [s], %f1;\nret;\n}\n";
    wl_error err = {0};
    wl_ptx_module *module = NULL;
    wl_arena arena = {0};
    wl_ptx_counting counting;
    const int32_t want[] = {0, 1, 2, 2, 2, 5, 6};
    assert_int_equal(wl_ptx_module_parse("cost.ptx", text, strlen(text), &module, &err), WL_OK);
    const double *weight = NULL;
    assert_int_equal(wl_ptx_weigh(costs, module, &module->functions[0], &arena, &weight, &counting, &err), WL_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(counting.as[i], want[i]);
    wl_arena_free(&arena);
    wl_ptx_module_free(module);
}

/* Four adjacent words become one vector load if the address is a multiple of 16 bytes. */
/* The base of shared memory is found before the loop; an access adds its immediate offset for
 * free. */
static void addresses_of_shared_memory(void **state)
{
    (void)state;
    const weights w = weigh("mov.u32 %r1, %tid.x;\nmov.u32 %r5, 0;\nloop:\nand.b32 %r2, %r1, 60;\nmov.u32 %r3, s;\n"
                            "add.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r5;\nadd.s32 %r5, %r5, 1;\n"
                            "setp.lt.s32 %p1, %r5, 9;\n@%p1 bra loop;\nret;\n");
    assert_true(w.all[3] == 0 && w.all[4] == 0);
    assert_true(w.all[1] == 4); /* the induction variable, and the base */
}

/* The reciprocal of a divisor is computed once. */
static void reciprocals_are_shared(void **state)
{
    (void)state;
    const double one = cost_of("div.u32 %r9, %r1, %r2;", "st.shared.u32 [s], %r9;");
    const double two =
        cost_of("div.u32 %r8, %r1, %r2;\nst.shared.u32 [s+4], %r8;\nrem.u32 %r9, %r8, %r2;", "st.shared.u32 [s], %r9;");
    assert_true(two == one + 1 + 17 - 8);
    /* a double that needs both halves is assembled first */
    assert_true(cost_of("add.f64 %fd9, %fd1, 0d3FB999999999999A;", "st.shared.f64 [s], %fd9;") == 3);
    assert_true(cost_of("add.f64 %fd9, %fd1, 0d3FE0000000000000;", "st.shared.f64 [s], %fd9;") == 1);
}

static int read_costs(void **state)
{
    wl_error err = {0};
    (void)state;
    return wl_ptx_costs_builtin("sm_90", &costs, &err) != WL_OK;
}

static int free_costs(void **state)
{
    (void)state;
    wl_ptx_costs_free(costs);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_operations),
        cmocka_unit_test(single_operations),
        cmocka_unit_test(neighbours_are_folded),
        cmocka_unit_test(copies_of_what_a_loop_replaces),
        cmocka_unit_test(logic_of_three_inputs_is_joined),
        cmocka_unit_test(parameters_are_charged_at_their_first_use),
        cmocka_unit_test(branches),
        cmocka_unit_test(loops),
        cmocka_unit_test(loops_that_are_unrolled),
        cmocka_unit_test(predicated_bodies_count_as_their_branch),
        cmocka_unit_test(addresses_of_shared_memory),
        cmocka_unit_test(reciprocals_are_shared),
    };
    return cmocka_run_group_tests(tests, read_costs, free_costs);
}
