/* test_ptx_files.c - the PTX that compilers made of tests/ptx/cuda, and hand-written files
 * beside it: everything is understood, and every prefix of a file is rejected or read.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/ptx_target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "effort.h"
#include "ptx/read/read_module.h"
#include "ptx/kernel/ptx_file.h"
#include "warpline/ptx.h"
#include "warpline/report.h"

#define FOLDER SOURCE_DIR "/tests/ptx"
#define CUTS 200
#define QUICK_STEP 4

static const char *const expected_notes[] = {
    "the modifier '.rs' of 'cvt.rs.f16x2.f32' is not understood", /* stochastic rounding */
};

typedef struct totals {
    int files, kernels;
    long long instructions, understood; /* computed, or without effect */
} totals;

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *length = (size_t)ftell(f);
    rewind(f);
    /* exactly the file: a sanitizer detects a read beyond it */
    char *text = malloc(*length ? *length : 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, f), *length);
    (void)fclose(f);
    return text;
}

typedef void (*visit)(const char *path, const char *text, size_t length, void *user);

/* Files that a compiler writes for another architecture, too, identical but for the .target
 * line. */
static const struct {
    const char *file, *target;
} twins[] = {{"clang_sm75.ptx", "sm_60"},
             {"control_sm80.ptx", "sm_75"},
             {"textures_sm80.ptx", "sm_75"},
             {"tensor_sm80.ptx", "sm_90"}};

static int visit_twin(const char *file, char *text, size_t length, visit visitor, void *user)
{
    for (size_t i = 0; i < COUNT_OF(twins); i++) {
        if (strcmp(file, twins[i].file) != 0)
            continue;
        char name[300];
        (void)snprintf(name, sizeof name, "%s for %s", file, twins[i].target);
        ptx_retarget(text, length, twins[i].target);
        visitor(name, text, length, user);
        return 1;
    }
    return 0;
}

static void each_file(visit visitor, void *user)
{
    int made = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder));) {
        char path[1024];
        size_t length = 0;
        if (!strstr(e->d_name, ".ptx"))
            continue;
        (void)snprintf(path, sizeof path, FOLDER "/%s", e->d_name);
        char *text = read_file(path, &length);
        visitor(e->d_name, text, length, user);
        made += visit_twin(e->d_name, text, length, visitor, user);
        free(text);
    }
    (void)closedir(folder);
    assert_int_equal(made, COUNT_OF(twins));
}

static bool is_expected(const char *note)
{
    for (size_t i = 0; i < COUNT_OF(expected_notes); i++)
        if (strcmp(note, expected_notes[i]) == 0)
            return true;
    return false;
}

static void count_module(const wl_ptx_module *m, totals *t)
{
    t->files++;
    for (int32_t i = 0; i < m->function_count; i++) {
        const wl_ptx_function *f = &m->functions[i];
        t->kernels += f->is_entry && !f->is_declared_only;
        t->instructions += f->instruction_count;
        for (int32_t k = 0; k < f->instruction_count; k++)
            t->understood += f->instructions[k].op != WL_PTX_OP_unknown && !f->instructions[k].partial &&
                             wl_ptx_op_info_of(f->instructions[k].op)->support != WL_PTX_COUNTED;
    }
}

static void read_whole(const char *path, const char *text, size_t length, void *user)
{
    wl_error err = {0};
    wl_ptx_module *m = NULL;
    check_ok(path, wl_ptx_module_parse(path, text, length, &m, &err), &err);
    if (!m)
        return;
    for (int i = 0; i < m->note_count; i++)
        check_true(path, m->notes[i].text, is_expected(m->notes[i].text));
    count_module(m, user);
    wl_ptx_module_free(m);
}

static void test_files(void **state)
{
    (void)state;
    totals t = {0};
    each_file(read_whole, &t);
    print_message("%d files, %d kernels, %lld instructions, %.1f %% with full support\n", t.files, t.kernels,
                  t.instructions, 100.0 * (double)t.understood / (double)t.instructions);
    check_true("files", "there are files of every kind", t.files >= 35 && t.kernels >= 200 && t.instructions >= 10000);
    check_true("files", "nearly everything is computed", (double)t.understood > 0.95 * (double)t.instructions);
    check_done();
}

/* A truncated text ends inside something, or between two functions. */
static void read_cut(const char *path, const char *text, size_t length, void *user)
{
    int *refused = user;
    const size_t step = effort_is_full() ? 1 : QUICK_STEP;
    for (size_t i = 0; i < CUTS; i += step) {
        const size_t cut = length * i / CUTS;
        wl_error err = {0};
        wl_ptx_module *m = NULL;
        char *copy = malloc(cut ? cut : 1);
        assert_non_null(copy);
        memcpy(copy, text, cut);
        const wl_status status = wl_ptx_module_parse(path, copy, cut, &m, &err);
        check_true(path, "a cut text is read or refused", status == WL_OK || status == WL_E_INPUT);
        check_true(path, "one or the other", (status == WL_OK) == (m != NULL));
        check_true(path, "an error has a place", status == WL_OK || (err.loc.line > 0 && err.loc.col > 0));
        *refused += status != WL_OK;
        wl_ptx_module_free(m);
        free(copy);
    }
}

static void test_cut(void **state)
{
    (void)state;
    int refused = 0;
    each_file(read_cut, &refused);
    check_true("cut", "most are refused", refused > 35 * CUTS / (effort_is_full() ? 2 : 2 * QUICK_STEP));
    check_done();
}

/* ---- public functions ---- */

static void test_coverage(void **state)
{
    (void)state;
    static const char source[] =
        ".version 8.3\n.target sm_80\n.entry k(.param .u64 a, .param .f32 b)\n{\n.reg .b32 %r<4>;\n"
        "add.s32 %r1, %r2, 1;\nadd.s32 %r1, %r2, 2;\nmembar.gl;\nvadd.u32.u32.u32 %r1, %r2, %r3;\n"
        "frob %r1;\nret;\n}\n";
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    char *text = NULL;
    check_ok("coverage", wl_ptx_parse("c.ptx", source, strlen(source), &ptx, &err), &err);
    check_int("coverage", "entries", (int64_t)wl_ptx_entry_count(ptx), 1);
    check_text("coverage", "the entry", wl_ptx_entry_name(ptx, 0), "k");
    check_int("coverage", "parameters", (int64_t)wl_ptx_param_count(ptx, 0), 2);
    check_int("coverage", "instructions", (int64_t)wl_ptx_instruction_count(ptx, 0), 6);
    check_text("coverage", "a type", wl_ptx_param_type(ptx, 0, 1), "f32");
    check_text("coverage", "no such parameter", wl_ptx_param_type(ptx, 0, 2), NULL);
    check_text("coverage", "no such entry", wl_ptx_entry_name(ptx, 1), NULL);
    check_ok("coverage", wl_ptx_coverage(ptx, WL_FORMAT_TEXT, &text, &err), &err);
    check_true("coverage", "the head",
               strstr(text, "PTX 8.3 for sm_80: 1 kernel, 0 functions, 6 instructions") == text);
    check_true("coverage", "the note", strstr(text, "line 10: the instruction 'frob' is not known") != NULL);
    free(text);
    check_ok("coverage", wl_ptx_coverage(ptx, WL_FORMAT_JSON, &text, &err), &err);
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *counts = json_object_get(all, "instructions");
    check_int("coverage", "exact", json_integer_value(json_object_get(counts, "exact")), 3);
    check_int("coverage", "ignored", json_integer_value(json_object_get(counts, "ignored")), 1);
    check_int("coverage", "counted", json_integer_value(json_object_get(counts, "counted")), 1);
    check_int("coverage", "unknown", json_integer_value(json_object_get(counts, "unknown")), 1);
    check_int("coverage", "operations", (int64_t)json_array_size(json_object_get(all, "operations")), 5);
    json_decref(all);
    free(text);
    wl_ptx_free(ptx);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
