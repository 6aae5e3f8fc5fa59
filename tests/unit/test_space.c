/* test_space.c - search/space.h: what keys and files make of a space.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "search/space.h"

static wl_space *new_space(void)
{
    wl_space *space = NULL;
    wl_error err = {0};
    assert_int_equal(wl_space_new(&space, &err), WL_OK);
    return space;
}

static size_t append_values(const char *name, const wl_values *v, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < v->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? "," : name, (long long)v->at[i]);
    return used;
}

/* The whole space in one line, for comparing. */
static void describe(const wl_space *s, char *out, size_t size)
{
    static const char *const axes[] = {" block.x=", " block.y=", " block.z=", " fold.x=", " fold.y=", " fold.z="};
    size_t used = 0;
    out[0] = '\0';
    for (int d = 0; d < 6; d++)
        used += append_values(axes[d], d < 3 ? &s->block[d] : &s->fold[d - 3], out + used, size - used);
    used += append_values(" threads=", &s->threads, out + used, size - used);
    for (const wl_shape_entry *e = s->folds; e; e = e->next)
        used += (size_t)snprintf(out + used, size - used, " fold=%lldx%lldx%lld", (long long)e->extent[0],
                                 (long long)e->extent[1], (long long)e->extent[2]);
    for (size_t i = 0; i < s->register_count; i++) {
        const wl_fold_registers *r = &s->registers[i];
        if (r->any)
            used += (size_t)snprintf(out + used, size - used, " registers=%lld", (long long)r->registers);
        else
            used += (size_t)snprintf(out + used, size - used, " %lldx%lldx%lld:%lld", (long long)r->fold[0],
                                     (long long)r->fold[1], (long long)r->fold[2], (long long)r->registers);
    }
    for (size_t i = 0; i < s->condition_count; i++)
        used += (size_t)snprintf(out + used, size - used, " [%s]", wl_where_text(s->conditions[i]));
}

/* Up to four keys, one after another. Shapes are listed latest first. */
static const struct {
    const char *set[4][2];
    const char *want;
} settings[] = {
    {{{"block.x", "32..96:32"}}, " block.x=32,64,96"},
    {{{"block.y", "1"}, {"block.z", "2,1"}}, " block.y=1 block.z=1,2"},
    {{{"block.x", "32"}, {"block.x", "64"}}, " block.x=64"},
    {{{"fold.x", "1"}, {"fold.y", "1,2"}, {"fold.z", "4"}}, " fold.x=1 fold.y=1,2 fold.z=4"},
    {{{"fold", "1x2"}}, " fold=1x2x1"},
    {{{"fold", "1x1x1, 1x2x1 ,4"}}, " fold=4x1x1 fold=1x2x1 fold=1x1x1"},
    {{{"fold", "1x1x2"}, {"fold", "2"}}, " fold=2x1x1 fold=1x1x2"},
    {{{"threads", "256..512:x2"}}, " threads=256,512"},
    {{{"registers", "40"}}, " registers=40"},
    {{{"registers", "1x1x1:32,1x2x1:40"}}, " 1x1x1:32 1x2x1:40"},
    {{{"registers", " 2:48 , 40 "}}, " 2x1x1:48 registers=40"},
    {{{"registers", "1"}, {"registers", "1x2:1024"}}, " registers=1 1x2x1:1024"},
    {{{"where", "block.x > 1"}, {"where", "cells == 1"}}, " [block.x > 1] [cells == 1]"},
};

static void test_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        wl_space *space = new_space();
        char got[512];
        for (int k = 0; k < 4 && settings[i].set[k][0]; k++) {
            wl_error err = {0};
            check_ok(settings[i].want, wl_space_set(space, settings[i].set[k][0], settings[i].set[k][1], &err), &err);
        }
        describe(space, got, sizeof got);
        check_text(settings[i].set[0][1], "space", got, settings[i].want);
        wl_space_free(space);
    }
    check_done();
}

static const struct {
    const char *key, *text;
    expected_error want;
} wrong_settings[] = {
    {"block.x", "32,,64", {WL_E_INPUT, "a whole number", 1, 4}},
    {"block.y", "1..", {WL_E_INPUT, "a whole number", 1, 4}},
    {"block.z", "65..64", {WL_E_INPUT, "ends before it starts", 1, 5}},
    {"fold.x", "0", {WL_E_INPUT, "a whole number", 1, 1}},
    {"threads", "many", {WL_E_INPUT, "a whole number", 1, 1}},
    {"fold", "", {WL_E_INPUT, "one to three whole numbers", 1, 1}},
    {"fold", "1x2x3x4", {WL_E_INPUT, "a comma or the end", 1, 6}},
    {"fold", "1x2, 1x0", {WL_E_INPUT, "one to three whole numbers", 1, 6}},
    {"fold", "1x2,", {WL_E_INPUT, "one to three whole numbers", 1, 5}},
    {"fold", "y:1", {WL_E_INPUT, "one to three whole numbers", 1, 1}},
    {"registers", "", {WL_E_INPUT, "registers are 1 to 1024", 1, 1}},
    {"registers", "0", {WL_E_INPUT, "registers are 1 to 1024", 1, 1}},
    {"registers", "1025", {WL_E_INPUT, "registers are 1 to 1024", 1, 1}},
    {"registers", ":40", {WL_E_INPUT, "registers are 1 to 1024", 1, 1}},
    {"registers", "1x2x1:", {WL_E_INPUT, "registers are 1 to 1024", 1, 7}},
    {"registers", "1x2x1:-1", {WL_E_INPUT, "registers are 1 to 1024", 1, 7}},
    {"registers", "1x1:32,1x2:0", {WL_E_INPUT, "registers are 1 to 1024", 1, 12}},
    {"registers", "40x2", {WL_E_INPUT, "a comma or the end", 1, 3}},
    {"registers", "40;", {WL_E_INPUT, "a comma or the end", 1, 3}},
    {"registers", "40,", {WL_E_INPUT, "registers are 1 to 1024", 1, 4}},
    {"registers", "40,41", {WL_E_INPUT, "twice", 1, 4}},
    {"registers", "1x2x1:40, 1x2:41", {WL_E_INPUT, "twice", 1, 11}},
    {"where", "block.x >", {WL_E_INPUT, "the condition ends here", 1, 10}},
    {"where", "blck.x > 1", {WL_E_INPUT, "block.x", 1, 1}},
    {"block", "32", {WL_E_INPUT, "block.x", 0, 0}},
    {"", "32", {WL_E_INPUT, "a space has no", 0, 0}},
};

static void test_wrong_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong_settings); i++) {
        char name[64];
        wl_space *space = new_space();
        wl_error err = {0};
        snprintf(name, sizeof name, "%s=%s", wrong_settings[i].key, wrong_settings[i].text);
        const wl_status status = wl_space_set(space, wrong_settings[i].key, wrong_settings[i].text, &err);
        check_error(name, status, &err, &wrong_settings[i].want);
        wl_space_free(space);
    }
    check_done();
}

static const struct {
    const char *text, *want;
} files[] = {
    {"block.x: 32\n", " block.x=32"},
    {"block.x: 32..128:32\nblock.y: 1,2\nthreads: \"64..256:64\"\n",
     " block.x=32,64,96,128 block.y=1,2 threads=64,128,192,256"},
    {"block.x: [64, 32, 1..4]\n", " block.x=1,2,3,4,32,64"},
    {"block.z:\n  - 4\n  - 1..2\n", " block.z=1,2,4"},
    {"fold.y: [1, 2]\nfold: 1x1x2\n", " fold.y=1,2 fold=1x1x2"},
    {"fold: [1x1x1, \"1x2x1,1x4x1\"]\n", " fold=1x4x1 fold=1x2x1 fold=1x1x1"},
    {"registers: 40\n", " registers=40"},
    {"registers: 1x1x1:32,1x2x1:40\n", " 1x1x1:32 1x2x1:40"},
    {"registers: {1x1x1: 32, 2: 48}\n", " 1x1x1:32 2x1x1:48"},
    {"registers: [40, \"1x2:48\"]\n", " registers=40 1x2x1:48"},
    {"where: block.x * block.y <= 512 && fold.z == 1\n", " [block.x * block.y <= 512 && fold.z == 1]"},
    {"where: [block.x > 1, \"!(cells > 2)\"]\n# done\n", " [block.x > 1] [!(cells > 2)]"},
};

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        wl_space *space = new_space();
        wl_error err = {0};
        char got[512];
        check_ok(files[i].text, wl_space_read(space, "f.yaml", files[i].text, strlen(files[i].text), &err), &err);
        describe(space, got, sizeof got);
        check_text(files[i].text, "space", got, files[i].want);
        wl_space_free(space);
    }
    check_done();
}

static const struct {
    const char *text;
    expected_error want;
} wrong_files[] = {
    {"", {WL_E_INPUT, "empty", 1, 1}},
    {"- 1\n", {WL_E_INPUT, "a space file", 1, 1}},
    {"block.x: 32\nblok.y: 4\n", {WL_E_INPUT, "block.y", 2, 1}},
    {"block: {x: 32}\n", {WL_E_INPUT, "block", 1, 1}},
    {"block.x: 32\nblock.y: 1,x\n", {WL_E_INPUT, "a whole number", 2, 12}},
    {"block.y: [1, 2,\n  65537]\n", {WL_E_INPUT, "a whole number", 2, 3}},
    {"block.y: []\n", {WL_E_INPUT, "the list is empty", 1, 10}},
    {"block.y: {a: 1}\n", {WL_E_INPUT, "block.y", 1, 10}},
    {"block.y: [[1]]\n", {WL_E_INPUT, "an entry", 1, 11}},
    {"fold: [1x2, 1x]\n", {WL_E_INPUT, "one to three whole numbers", 1, 13}},
    {"threads: \"64, 0\"\n", {WL_E_INPUT, "a whole number", 1, 15}},
    {"where: block.x < \n", {WL_E_INPUT, "the condition ends here", 1, 17}},
    {"where:\n  - block.x > 0\n  - block.x < blck.y\n", {WL_E_INPUT, "block.y", 3, 15}},
    {"registers: {1x2x1: 0}\n", {WL_E_INPUT, "a whole number from 1 to 1024", 1, 20}},
    {"registers: {1x2x1: 4a}\n", {WL_E_INPUT, "a whole number from 1 to 1024", 1, 20}},
    {"registers: {big: 40}\n", {WL_E_INPUT, "'big' is not a folding", 1, 13}},
    {"registers: {1x2x1: [40]}\n", {WL_E_INPUT, "registers of a folding", 1, 20}},
    {"registers:\n  1x2x1: 40\n  1x2: 41\n", {WL_E_INPUT, "twice", 3, 3}},
};

static void test_wrong_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong_files); i++) {
        wl_space *space = new_space();
        wl_error err = {0};
        const wl_status status = wl_space_read(space, "f.yaml", wrong_files[i].text, strlen(wrong_files[i].text), &err);
        check_error(wrong_files[i].text, status, &err, &wrong_files[i].want);
        check_text(wrong_files[i].text, "input", err.input, "f.yaml");
        wl_space_free(space);
    }
    check_done();
}

static void test_register_files(void **state)
{
    static const char good[] = "1x1x1: 32\n1x2x1: 40 # spills\n4: 255\n";
    static const struct {
        const char *text;
        expected_error want;
    } wrong[] = {
        {"40\n", {WL_E_INPUT, "a register file", 1, 1}},
        {"1x1x1: 32\n1x2x1: lots\n", {WL_E_INPUT, "a whole number from 1 to 1024", 2, 8}},
        {"1x1x1: 32\n1x1x1x1: 40\n", {WL_E_INPUT, "is not a folding", 2, 1}},
        {"1x1x1: 32\n1x1: 40\n", {WL_E_INPUT, "twice", 2, 1}},
        {"1x1x1: 1025\n", {WL_E_INPUT, "a whole number from 1 to 1024", 1, 8}},
    };
    wl_space *space = new_space();
    wl_error err = {0};
    char got[256];
    (void)state;
    check_ok("good", wl_space_read_registers(space, "r.yaml", good, strlen(good), &err), &err);
    describe(space, got, sizeof got);
    check_text("good", "space", got, " 1x1x1:32 1x2x1:40 4x1x1:255");
    wl_space_free(space);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        wl_error wrong_err = {0};
        space = new_space();
        const wl_status status =
            wl_space_read_registers(space, "r.yaml", wrong[i].text, strlen(wrong[i].text), &wrong_err);
        check_error(wrong[i].text, status, &wrong_err, &wrong[i].want);
        check_text(wrong[i].text, "input", wrong_err.input, "r.yaml");
        wl_space_free(space);
    }
    check_done();
}

/* A file first, then keys: those change it. */
static void test_file_then_keys(void **state)
{
    static const char text[] = "block.x: 32,64\nblock.y: 2\nfold: 1x2\nwhere: warps > 1\n";
    wl_space *space = new_space();
    wl_error err = {0};
    char got[256];
    (void)state;
    check_ok("file", wl_space_read(space, "f.yaml", text, strlen(text), &err), &err);
    check_ok("block.x", wl_space_set(space, "block.x", "128", &err), &err);
    check_ok("fold", wl_space_set(space, "fold", "1x4", &err), &err);
    check_ok("where", wl_space_set(space, "where", "warps < 9", &err), &err);
    describe(space, got, sizeof got);
    check_text("both", "space", got, " block.x=128 block.y=2 fold=1x4x1 fold=1x2x1 [warps > 1] [warps < 9]");
    wl_space_free(space);
    check_done();
}

static void test_too_many_conditions(void **state)
{
    wl_space *space = new_space();
    (void)state;
    for (int i = 0; i < WL_CONDITIONS_MAX; i++) {
        wl_error err = {0};
        check_ok("condition", wl_space_set(space, "where", "1", &err), &err);
    }
    wl_error err = {0};
    const expected_error want = {WL_E_LIMIT, "at most 64 conditions", 0, 0};
    check_error("one more", wl_space_set(space, "where", "1", &err), &err, &want);
    wl_space_free(space);
    wl_space_free(NULL);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_wrong_settings),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_register_files),
        cmocka_unit_test(test_file_then_keys),
        cmocka_unit_test(test_too_many_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
