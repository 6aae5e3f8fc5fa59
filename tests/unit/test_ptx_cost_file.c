/* test_ptx_cost_file.c - the files of share/costs: all are valid, errors are named, each target
 * finds its file, and every number of a file has an effect. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "ptx/cost/cost.h"
#include "ptx/read/read_module.h"

/* The text of sm_90 with one part replaced; the caller frees it. */
static char *changed(const char *from, const char *to)
{
    size_t length = 0;
    const char *text = wl_embedded_text(wl_embedded_costs, wl_embedded_cost_count, "sm_90", &length);
    assert_non_null(text);
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("share/costs/sm_90.yaml has no '%s'", from);
    char *out = malloc(length + strlen(to) + 1);
    assert_non_null(out);
    (void)sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static wl_ptx_costs *parse(const char *text)
{
    wl_ptx_costs *costs = NULL;
    wl_error err = {0};
    if (wl_ptx_costs_parse("costs.yaml", text, strlen(text), &costs, &err) != WL_OK)
        fail_msg("%s", err.message);
    return costs;
}

/* Counts lines "    name: number": each must be a row or a rule of the table. */
static int numbers_in(const char *text)
{
    int count = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += strncmp(line, "    ", 4) == 0 && line[4] != '#' && line[4] != ' ';
    }
    return count;
}

static void every_file_is_sound(void **state)
{
    (void)state;
    static const char *const rules[] = {
#define WL_COST_RULE(name, unit, meaning) #name,
#include "ptx/cost/rules.def"
    };
    size_t files = 0;
    DIR *folder = opendir(SOURCE_DIR "/share/costs");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        files += strstr(entry->d_name, ".yaml") != NULL;
    closedir(folder);
    check_int("share/costs", "embedded", (int64_t)wl_embedded_cost_count, (int64_t)files);
    for (size_t i = 0; i < wl_embedded_cost_count; i++) {
        const wl_embedded_file *file = &wl_embedded_costs[i];
        wl_ptx_costs *costs = parse((const char *)file->text);
        char label[64];
        (void)snprintf(label, sizeof label, "\narchitecture: %s\n", file->name);
        check_true(file->name, "is called as its architecture", strstr((const char *)file->text, label) != NULL);
        check_int(file->name, "numbers", costs->first[WL_PTX_OP_COUNT] + (int)COUNT_OF(rules),
                  numbers_in((const char *)file->text));
        wl_ptx_costs_free(costs);
    }
    check_done();
}

/* The line of a file that contains a text. */
static int line_of(const char *text, const char *part)
{
    int line = 1;
    for (const char *at = strstr(text, part); at > text; at--)
        line += at[-1] == '\n';
    return line;
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        /* place: a text on the line that the message names */
        const char *name, *from, *to, *message, *place;
    } cases[] = {
        {"operation", "    neg.i64: 2", "    negg.i64: 2", "'negg'; did you mean 'neg'?", "negg"},
        {"modifier", "ex2.ftz.f32: 1", "ex2.ftx.f32: 1", "'ftx' of ex2.ftx.f32", "ftx"},
        {"type", "    neg.i64: 2", "    neg.i63: 2", "'i63' of neg.i63", "neg.i63"},
        {"three types", "    cvt.f32.i64: ", "    cvt.f32.i64.f32: ", "'f32' of cvt.f32.i64.f32", "cvt.f32.i64.f32"},
        {"type first", "    mul.hi.i64: 8", "    mul.i64.hi: 8", "'hi' of mul.i64.hi", "mul.i64.hi"},
        {"nothing behind a dot", "    brx: 6", "    brx.: 6", "'' of brx.", "brx."},
        {"no number", "    brx: 6", "    brx: six", "brx needs a number", "brx:"},
        {"negative", "    brx: 6", "    brx: -6", "not negative", "brx:"},
        {"list", "    brx: 6", "    brx: [6]", "brx", "brx:"},
        {"class", "popc: {special: 1}", "popc: {specail: 1}", "did you mean 'special'?", "specail"},
        {"no number of a class", "popc: {special: 1}", "popc: {special: one}", "special needs a number",
         "special: one"},
        {"no class", "popc: {special: 1}", "popc: {integer_pipe: 1}", "integer_pipe is a part", "popc: {integer"},
        {"more of the pipe", "bfe: {own: 2, integer_pipe: 2}", "bfe: {own: 2, integer_pipe: 3}",
         "integer_pipe is a part", "bfe: {own: 2, integer_pipe: 3}"},
        {"hidden", "    mul.hi.i64: 8", "    mul: 5\n    mul.hi.i64: 8", "can never match", "    mul.hi.i64:"},
        {"rule", "    reciprocal: 8", "    reciprocol: 8", "did you mean 'reciprocal'?", "reciprocol"},
        {"rule lacking", "    reciprocal: 8\n", "", "lacks the rule 'reciprocal'", "architecture:"},
        {"rule twice", "    unroll_factor: 4",
         "    unroll_factor: 4\n- {unit: iterations, source: x, numbers: {unroll_factor: 5}}",
         "unroll_factor is given twice", "unroll_factor: 5"},
        {"no loop", "    unroll_factor: 4", "    unroll_factor: 0", "unroll_factor", "architecture:"},
        {"unit of a rule", "unit: iterations", "unit: instructions", "is in iterations, not", "unroll_factor"},
        {"unit", "unit: instructions", "unit: cycles", "instructions, not cycles", "mul.wide"},
        {"no source",
         "- unit: iterations\n  source: \"fitted: machine code of validate/cuda/fit.cu and data.cu, sm_90, nvcc 13.0, "
         "2026-11\"\n",
         "- unit: iterations\n", "lacks its source", "unit: iterations"},
        {"empty source",
         "unit: iterations\n  source: \"fitted: machine code of validate/cuda/fit.cu and data.cu, sm_90, nvcc 13.0, "
         "2026-11\"",
         "unit: iterations\n  source: \"\"", "the source is empty", "\"\""},
        {"key", "title: ", "titel: ", "titel", "titel"},
        {"architecture", "architecture: sm_90", "architecture: hopper", "not 'hopper'", "hopper"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *text = changed(cases[i].from, cases[i].to);
        wl_ptx_costs *costs = NULL;
        wl_error err = {0};
        const wl_status status = wl_ptx_costs_parse("costs.yaml", text, strlen(text), &costs, &err);
        check_int(cases[i].name, "status", status, WL_E_INPUT);
        if (!strstr(err.message, cases[i].message))
            check_text(cases[i].name, "message", err.message, cases[i].message);
        check_int(cases[i].name, "line", err.loc.line, line_of(text, cases[i].place));
        if (status == WL_OK)
            wl_ptx_costs_free(costs);
        free(text);
    }
    check_done();
}

static void targets_find_the_nearest(void **state)
{
    (void)state;
    static const wl_embedded_file files[] = {
        {"sm_100", NULL, 0}, {"sm_120", NULL, 0}, {"sm_80", NULL, 0}, {"sm_90", NULL, 0}};
    static const struct {
        const char *target, *want;
    } cases[] = {{"sm_90", "sm_90"},    {"sm_90a", "sm_90"},  {"sm_80", "sm_80"},   {"sm_75", "sm_80"},
                 {"sm_52", "sm_80"},    {"sm_86", "sm_90"},   {"sm_103", "sm_100"}, {"sm_110", "sm_120"},
                 {"sm_100f", "sm_100"}, {"sm_121", "sm_120"}, {"sm_89", "sm_90"},   {"sm_85", "sm_90"},
                 {NULL, "sm_120"},      {"sm_", "sm_120"},    {"texmode", "sm_120"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_text(cases[i].target ? cases[i].target : "none", "file",
                   files[wl_cost_nearest(files, COUNT_OF(files), cases[i].target)].name, cases[i].want);
    check_done();
}

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n"                 \
    "{\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<20>;\n"             \
    ".shared .align 4 .b8 s[4096];\n"

static double weigh(const wl_ptx_costs *costs, const char *body)
{
    char text[4096];
    wl_ptx_module *module = NULL;
    wl_error err = {0};
    wl_arena arena = {0};
    const double *weight = NULL;
    double total = 0;
    (void)snprintf(text, sizeof text, "%s%sret;\n}\n", HEAD, body);
    if (wl_ptx_module_parse("cost.ptx", text, strlen(text), &module, &err) != WL_OK ||
        wl_ptx_weigh(costs, module, &module->functions[0], &arena, &weight, NULL, &err) != WL_OK)
        fail_msg("%s", err.message);
    for (int32_t i = 0; i < module->functions[0].instruction_count; i++)
        total += weight[i];
    wl_arena_free(&arena);
    wl_ptx_module_free(module);
    return total;
}

#define LOADED                                                                                                         \
    "ld.shared.u32 %r1, [s];\nld.shared.u32 %r2, [s+4];\nld.shared.u64 %rd1, [s+8];\nld.shared.f64 %fd1, [s+16];\n"
#define READ "ld.param.u64 %rd2, [a];\nld.param.u32 %r3, [n];\nadd.s32 %r4, %r3, 1;\nst.shared.u32 [s], %r4;\n"
#define LOOP                                                                                                           \
    "ld.param.u64 %rd2, [a];\nld.shared.u32 %r3, [s];\nmov.u32 %r2, 0;\nagain:\nld.global.u32 %r1, [%rd2];\n"          \
    "st.global.u32 [%rd2], %r1;\n"                                                                                     \
    "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r3;\n@%p1 bra again;\n"
#define UNSIGNED_LOOP                                                                                                  \
    "ld.param.u64 %rd2, [a];\nmov.u32 %r2, 0;\nagain:\nld.global.u32 %r1, [%rd2];\nxor.b32 %r3, %r1, %r2;\n"           \
    "st.shared.u32 [s], %r3;\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r4;\n@%p1 bra again;\n"

#define TO_N "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r3;\n@%p1 bra again;\nst.shared.f32 [s], %f1;\n"
#define FROM_0 "ld.shared.u32 %r3, [s];\nmov.u32 %r2, 0;\nagain:\n"
#define SHARED_LOOP FROM_0 "fma.rn.f32 %f1, %f2, %f1, %f1;\n" TO_N
#define POINTER_LOOP "ld.param.u64 %rd2, [a];\n" FROM_0 "ld.global.f32 %f1, [%rd2];\nadd.s64 %rd2, %rd2, 4;\n" TO_N
#define FMA_5                                                                                                          \
    "fma.rn.f32 %f1, %f2, %f1, %f1;\nfma.rn.f32 %f1, %f2, %f1, %f1;\nfma.rn.f32 %f1, %f2, %f1, %f1;\n"                 \
    "fma.rn.f32 %f1, %f2, %f1, %f1;\nfma.rn.f32 %f1, %f2, %f1, %f1;\n"
#define LONG_LOOP FROM_0 "ld.shared.f32 %f2, [%r2];\n" FMA_5 FMA_5 FMA_5 FMA_5 TO_N

/* What 100 more of a number add to a body. For a limit: what exceeding it adds. */
static void every_number_counts(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *body;
        double more;
    } cases[] = {
        {"popc.i64: {special: 2, int: 1}", "popc.i64: {special: 2, int: 101}",
         LOADED "popc.b64 %r9, %rd1;\nst.shared.u32 [s], %r9;\n", 100},
        {"min.f64: {fp64: 1,", "min.f64: {fp64: 101,", LOADED "min.f64 %fd2, %fd1, %fd1;\nst.shared.f64 [s], %fd2;\n",
         100},
        {"mul.wide: 1", "mul.wide: 101", LOADED "mul.wide.s32 %rd9, %r1, %r2;\nst.shared.u64 [s], %rd9;\n", 100},
        {"sub.i64: 2", "sub.i64: 102", LOADED "sub.s64 %rd9, %rd1, %rd1;\nst.shared.u64 [s], %rd9;\n", 100},
        {"shared_base: 3", "shared_base: 103", "mov.u32 %r1, s;\nst.shared.u32 [s], %r1;\n", 100},
        {"division_by_constant: 14", "division_by_constant: 114",
         LOADED "div.s32 %r9, %r1, 7;\nst.shared.u32 [s], %r9;\n", 100},
        {"remainder_by_constant: 13", "remainder_by_constant: 113",
         LOADED "rem.s32 %r9, %r1, 7;\nst.shared.u32 [s], %r9;\n", 100},
        {"    parameter: 1", "    parameter: 101", READ "st.global.u32 [%rd2], %r4;\n", 100},
        {"narrow_parameter: 0.75", "narrow_parameter: 100.75", READ, 100},
        {"stack_pointer: 1", "stack_pointer: 101", LOADED, 100},
        {"global_descriptor: 1", "global_descriptor: 101", READ "st.global.u32 [%rd2], %r4;\n", 100},
        {"long_constant: 2", "long_constant: 102",
         LOADED "add.f64 %fd2, %fd1, 0d3FB999999999999A;\nst.shared.f64 [s], %fd2;\n", 100},
        {"    reciprocal: 8", "    reciprocal: 9",
         LOADED "div.s32 %r8, %r1, %r2;\ndiv.s32 %r9, %r8, %r2;\nst.shared.u32 [s], %r9;\n", -1},
        {"reconvergence: 2", "reconvergence: 102",
         "mov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 5;\n@%p1 bra after;\nbar.sync 0;\nst.shared.u32 [s], %r2;\n"
         "bar.sync 0;\nafter:\nst.shared.u32 [s+4], %r2;\n",
         100},
        /* a branch of weight 1 appears, and two instructions of reconvergence */
        {"predicated_most: 8", "predicated_most: 0",
         "mov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 5;\n@%p1 bra after;\nst.shared.u32 [s], %r2;\n"
         "st.shared.u32 [s+8], %r2;\nafter:\nst.shared.u32 [s+4], %r2;\n",
         3},
        /* the step, the comparison and the branch count in full */
        {"unroll_factor: 4", "unroll_factor: 1", LOOP, 2.25},
        {"unroll_most: 51\n    unroll_most_other: 22", "unroll_most: 1\n    unroll_most_other: 1", LOOP,
         2.25 - 16}, /* nothing before the loop */
        {"unroll_most_other: 22", "unroll_most_other: 1", SHARED_LOOP, 2.25 - 16},
        {"unroll_per_shared: 5", "unroll_per_shared: 0", LONG_LOOP, 2.25 - 16},
        {"unroll_most_shared: 101", "unroll_most_shared: 20", LONG_LOOP, 2.25 - 16},
        {"stepped_address: 2", "stepped_address: 102", POINTER_LOOP, 25},
        {"unroll_entry: 16", "unroll_entry: 116", LOOP, 100},
        /* no copy of logic, step and comparison; accesses are counted as they are executed */
        {"unroll_remainder_most: 14", "unroll_remainder_most: 1", UNSIGNED_LOOP, -3},
        {"aggregated_atomic: 9", "aggregated_atomic: 109", READ "red.global.add.u32 [%rd2], 1;\n", 100},
        {"async_copy: 3", "async_copy: 103", READ "mov.u32 %r8, s;\ncp.async.ca.shared.global [%r8], [%rd2], 4;\n",
         100},
        {"fragment_address: 4", "fragment_address: 104",
         READ "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, "
              "[%rd2];\n",
         100},
    };
    size_t length = 0;
    wl_ptx_costs *plain = parse(wl_embedded_text(wl_embedded_costs, wl_embedded_cost_count, "sm_90", &length));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *text = changed(cases[i].from, cases[i].to);
        wl_ptx_costs *other = parse(text);
        check_near(cases[i].to, "more", weigh(other, cases[i].body) - weigh(plain, cases[i].body), cases[i].more,
                   1e-12);
        wl_ptx_costs_free(other);
        free(text);
    }
    wl_ptx_costs_free(plain);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_sound), cmocka_unit_test(mistakes_are_named),
                                       cmocka_unit_test(targets_find_the_nearest),
                                       cmocka_unit_test(every_number_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
