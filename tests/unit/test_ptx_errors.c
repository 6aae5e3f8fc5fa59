/* test_ptx_errors.c - PTX that the reader rejects, and where; what it only notes; which entry a
 * name means; failing allocations.
 *
 * This file has its own copies of the allocating functions, which fail on demand; the linker
 * then leaves out the library's. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t allocations_left = -1; /* negative: no limit */

static bool may_allocate(void)
{
    if (allocations_left > 0)
        allocations_left--;
    else if (allocations_left == 0)
        return false;
    return true;
}

static void *limited_calloc(size_t count, size_t size) { return may_allocate() ? calloc(count, size) : NULL; }
static void *limited_malloc(size_t size) { return may_allocate() ? malloc(size) : NULL; }
static void *limited_realloc(void *old, size_t size) { return may_allocate() ? realloc(old, size) : NULL; }

#define CHUNK_BYTES 0 /* every object is an allocation */
#define calloc(count, size) limited_calloc(count, size)
#define malloc(size) limited_malloc(size)
#define realloc(old, size) limited_realloc(old, size)
#include "base/arena.c"
#include "base/room.c"
#include "ptx/read/names.c"
#undef calloc
#undef malloc
#undef realloc

#include "ptx/read/read_module.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const struct {
    const char *name, *text;
    expected_error want;
} errors[] = {
    {"nothing", "", {WL_E_INPUT, "expected '.version'", 1, 1}},
    {"no version", ".target sm_80\n", {WL_E_INPUT, "expected '.version'", 1, 1}},
    {"another language",
     "int main() {}\n",
     {WL_E_INPUT, "expected '.version', with which PTX begins, not 'int'", 1, 1}},
    {"bad version", ".version eight\n", {WL_E_INPUT, "the version of PTX", 1, 10}},
    {"comment not closed", HEAD "/* abc\n\n", {WL_E_INPUT, "the comment is not closed", 4, 1}},
    {"string not closed", HEAD ".file 1 \"abc\n", {WL_E_INPUT, "the string is not closed", 4, 9}},
    {"body not closed",
     HEAD ".entry k()\n{\nret;\n",
     {WL_E_INPUT, "the text ends inside the function 'k' of line 4", 6, 5}},
    {"instruction not ended", HEAD ".entry k() { ret }", {WL_E_INPUT, "expected an operand, not '}'", 4, 18}},
    {"parameters not closed",
     HEAD ".entry k(.param .u64 a",
     {WL_E_INPUT, "expected ')', but the text ends here", 4, 23}},
    {"brace too many", HEAD ".entry k() { ret; } }", {WL_E_INPUT, "expected a directive, not '}'", 4, 21}},
    {"register",
     HEAD ".entry k() { .reg .b32 %r<3>; mov.u32 %r1, %r3; }",
     {WL_E_INPUT, "'%r3' is not declared", 4, 44}},
    {"leading zero",
     HEAD ".entry k() { .reg .b32 %r<3>; mov.u32 %r1, %r01; }",
     {WL_E_INPUT, "'%r01' is not declared", 4, 44}},
    {"guard", HEAD ".entry k() { @%p1 ret; }", {WL_E_INPUT, "'%p1' is not declared", 4, 15}},
    {"label", HEAD ".entry k() { bra L; }", {WL_E_INPUT, "the label 'L' is not defined in this function", 4, 18}},
    {"label of another scope",
     HEAD ".entry k() { bra L; { L: ret; } }",
     {WL_E_INPUT, "the label 'L' is not defined", 4, 18}},
    {"branch to a table",
     HEAD ".entry k() { A: T: .branchtargets A; bra T; }",
     {WL_E_INPUT, "'T' is not a label", 4, 42}},
    {"table that is a label",
     HEAD ".entry k() { .reg .b32 r; A: brx.idx r, A; }",
     {WL_E_INPUT, "'A' is not a list of branch targets", 4, 41}},
    {"variable", HEAD ".entry k() { .reg .b32 r; ld.global.u32 r, [x]; }", {WL_E_INPUT, "'x' is not declared", 4, 45}},
    {"function", HEAD ".entry k() { call f; }", {WL_E_INPUT, "'f' is not declared", 4, 19}},
    {"call of a variable",
     HEAD ".global .u32 f;\n.entry k() { call f; }",
     {WL_E_INPUT, "a call needs a function", 5, 19}},
    {"inner names end",
     HEAD ".entry k() { { .reg .b32 r; } mov.u32 r, 1; }",
     {WL_E_INPUT, "'r' is not declared", 4, 39}},
    {"declared twice",
     HEAD ".entry k() {\n.reg .b32 r;\n.reg .f32 r; }",
     {WL_E_INPUT, "'r' is declared twice, first in line 5", 6, 11}},
    {"defined twice",
     HEAD ".entry k() { }\n.entry k() { }",
     {WL_E_INPUT, "the function 'k' is defined twice, first in line 4", 5, 8}},
    {"register of the module", HEAD ".reg .b32 r;", {WL_E_INPUT, "registers are declared inside functions", 4, 1}},
    {"character", HEAD ".entry k() { ` }", {WL_E_INPUT, "unexpected character '`'", 4, 14}},
    {"control character", HEAD "\x01", {WL_E_INPUT, "unexpected character (code 1)", 4, 1}},
    {"number", HEAD ".global .u32 a = 12ab;", {WL_E_INPUT, "not a number: '12ab'", 4, 18}},
    {"number too large", HEAD ".global .u64 a = 18446744073709551616;", {WL_E_INPUT, "not a number", 4, 18}},
    {"bits of a float", HEAD ".global .f32 a = 0f3F8000;", {WL_E_INPUT, "not a number", 4, 18}},
    {"division", HEAD ".global .u32 a = 1/0;", {WL_E_INPUT, "division by zero", 4, 19}},
    {"floats added", HEAD ".global .f32 a = 1.0+2.0;", {WL_E_INPUT, "integers only", 4, 21}},
    {"too large", HEAD ".global .b8 a[1099511627777];", {WL_E_INPUT, "the length of an array is 0 to", 4, 15}},
    {"too large together", HEAD ".global .b32 a[1048576][1048576];", {WL_E_INPUT, "at most 2^40 bytes", 4, 14}},
    {"too much initial", HEAD ".global .b8 a[67108865] = {1};", {WL_E_INPUT, "bytes of initial values", 4, 25}},
    {"too many values", HEAD ".global .b8 a[2] = {1,2,3};", {WL_E_INPUT, "more initial values", 4, 26}},
    {"too many registers", HEAD ".entry k() { .reg .b32 %r<2000000>; }", {WL_E_INPUT, "at most 1048576", 4, 27}},
    {"alignment", HEAD ".global .align 3 .b8 a[4];", {WL_E_INPUT, "a power of two", 4, 9}},
    {"predicate in memory", HEAD ".global .pred a;", {WL_E_INPUT, "no place in memory", 4, 15}},
    {"no type", HEAD ".global a;", {WL_E_INPUT, "expected a type, not 'a'", 4, 9}},
    {"address",
     HEAD ".entry k() { .reg .b32 r; ld.u32 r, [%tid.x]; }",
     {WL_E_INPUT, "an address is a register", 4, 37}},
    {"vector in a vector",
     HEAD ".entry k() { .reg .v2 .b32 v; mov.b64 {v, v}, 1; }",
     {WL_E_INPUT, "element of a vector", 4, 40}},
    {"bracket not closed", HEAD ".section .debug { .b8 1", {WL_E_INPUT, "the bracket is not closed", 4, 17}},
    {"character in an unknown instruction",
     HEAD ".entry k() { frob 1, `; }",
     {WL_E_INPUT, "unexpected character '`'", 4, 22}},
    {"unknown instruction not ended",
     HEAD ".entry k() { frob 1, 2",
     {WL_E_INPUT, "expected ';', but the text ends here", 4, 23}},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        wl_error err = {0};
        wl_ptx_module *m = NULL;
        const wl_status status = wl_ptx_module_parse("e.ptx", errors[i].text, strlen(errors[i].text), &m, &err);
        check_error(errors[i].name, status, &err, &errors[i].want);
        check_true(errors[i].name, "no module", m == NULL);
        check_text(errors[i].name, "the input", err.input, "e.ptx");
        wl_ptx_module_free(m);
        const wl_status again = wl_ptx_module_parse(NULL, errors[i].text, strlen(errors[i].text), &m, NULL);
        check_int(errors[i].name, "the status without an error", again, status);
    }
    check_done();
}

static void test_nesting(void **state)
{
    (void)state;
    char text[512] = HEAD ".entry k() {";
    for (int i = 0; i < 80; i++)
        strcat(text, "{");
    wl_error err = {0};
    wl_ptx_module *m = NULL;
    check_error("braces", wl_ptx_module_parse("e", text, strlen(text), &m, &err), &err,
                &(expected_error){WL_E_INPUT, "nested more than 64 deep", 4, 75});
    strcpy(text, HEAD ".global .u32 a = ");
    for (int i = 0; i < 200; i++)
        strcat(text, "(");
    err = (wl_error){0};
    check_error("parentheses", wl_ptx_module_parse("e", text, strlen(text), &m, &err), &err,
                &(expected_error){WL_E_INPUT, "nested too deeply", 4, 83});
    check_done();
}

static const struct {
    const char *name, *text, *note;
    int32_t line;
} notes[] = {
    {"instruction", HEAD ".entry k() {\nfrob.b32 1;\nfrob.b32 2;\n}", "the instruction 'frob.b32' is not known", 5},
    {"modifier", HEAD ".entry k() { .reg .b32 r;\nadd.odd.s32 r, r, 1; }",
     "the modifier '.odd' of 'add.odd.s32' is not understood", 5},
    {"directive", HEAD ".frob 1, {2};\n.entry k() { }", "the directive '.frob' is not known", 4},
    {"directive with braces", HEAD ".frob x { ; }\n.entry k() { }", "the directive '.frob' is not known", 4},
    {"directive of one line", HEAD ".frob 1,\n 2\n.entry k() {\n ret; }", "the directive '.frob' is not known", 4},
    {"directive of a function", HEAD ".entry k() {\n.frob 1\nret;\n}", "the directive '.frob' is not known", 5},
    {"limit", HEAD ".entry k() .newlimit 3, 4 .maxnreg 8 { }", "the directive '.newlimit' is not known", 4},
    {"attribute", HEAD ".global .fancy .u32 a;\n.entry k() { }", "'.fancy' of a declaration is not understood", 4},
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        wl_error err = {0};
        wl_ptx_module *m = NULL;
        check_ok(notes[i].name, wl_ptx_module_parse("n.ptx", notes[i].text, strlen(notes[i].text), &m, &err), &err);
        if (!m)
            continue;
        check_int(notes[i].name, "notes", m->note_count, 1);
        check_text(notes[i].name, "the note", m->note_count ? m->notes[0].text : NULL, notes[i].note);
        check_int(notes[i].name, "its line", m->note_count ? m->notes[0].line : 0, notes[i].line);
        check_int(notes[i].name, "functions", m->function_count, 1);
        wl_ptx_module_free(m);
    }
    check_done();
}

/* ---- entries ---- */

static const char entries[] = HEAD ".entry _Z8k_star3dIdLi4EEvPd() { }\n.entry _Z8k_star3dIfLi4EEvPf() { }\n"
                                   ".entry _Z4copyPf() { }\n.entry _Z8copy_allPf() { }\n.entry plain() { }\n"
                                   ".func helper() { }\n.entry declared();\n";
static const struct {
    const char *name, *found;
    expected_error want;
} searches[] = {
    {"plain", "plain", {0}},
    {"_Z4copyPf", "_Z4copyPf", {0}},
    {"copy", "_Z4copyPf", {0}},
    {"copy_a", "_Z8copy_allPf", {0}},
    {"k_star3dIf", "_Z8k_star3dIfLi4EEvPf", {0}},
    {"k_star3d",
     NULL,
     {WL_E_INPUT, "'k_star3d' matches several kernels; give more of the name: k_star3d<double, 4>, k_star3d<float, 4>",
      0, 0}},
    {"k_star3d<float, 4>", "_Z8k_star3dIfLi4EEvPf", {0}},
    {"*<double*", "_Z8k_star3dIdLi4EEvPd", {0}},
    {"k_star3d<float,4>(float *)", "_Z8k_star3dIfLi4EEvPf", {0}},
    {"helper", NULL, {WL_E_INPUT, "there is no kernel 'helper'; there are: k_star3d<double, 4>", 0, 0}},
    {"declared", NULL, {WL_E_INPUT, "there is no kernel 'declared'", 0, 0}},
    {NULL, NULL, {WL_E_INPUT, "there are several kernels; give one: --kernel 'k_star3d<double, 4>', '", 0, 0}},
};

static void test_entries(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_ptx_module *m = NULL;
    check_ok("entries", wl_ptx_module_parse("e.ptx", entries, strlen(entries), &m, &err), &err);
    for (size_t i = 0; i < COUNT_OF(searches); i++) {
        const char *name = searches[i].name ? searches[i].name : "(none)";
        const wl_ptx_function *f = NULL;
        err = (wl_error){0};
        const wl_status status = wl_ptx_find_entry(m, searches[i].name, &f, &err);
        if (searches[i].found)
            check_text(name, "the entry", f ? f->name : err.message, searches[i].found);
        else
            check_error(name, status, &err, &searches[i].want);
    }
    wl_ptx_module_free(m);
    check_done();
}

/* ---- memory ---- */

static const char large[] =
    HEAD ".file 1 \"a.cu\"\n.global .u64 a[2] = {generic(a), 5};\n"
         ".func (.param .b32 r) f(.param .b32 x) { ret; }\n"
         ".entry k(.param .u64 p)\n{\n.loc 1 2 3\n.reg .pred q; .reg .b32 %r<40>; .reg .v2 .f32 v<2>;\n"
         "frob 1;\nL: add .s32 %r1, %r2, 3;\nmov.b64 {%r3, %r4}, 5;\nmov.f32 v0.x, v1.y;\n"
         "T: .branchtargets L, E;\nbrx.idx %r1, T;\n{ .param .b32 in; .param .b32 out; "
         "call (out), f, (in); }\n@q bra L;\nE: ret;\n}\n";

static void test_memory(void **state)
{
    (void)state;
    int64_t limit = 0;
    for (wl_status status = WL_E_NOMEM; status != WL_OK && limit < 10000; limit++) {
        wl_error err = {0};
        wl_ptx_module *m = NULL;
        allocations_left = limit;
        status = wl_ptx_module_parse("m.ptx", large, strlen(large), &m, &err);
        allocations_left = -1;
        wl_ptx_module_free(m);
        if (status != WL_OK && status != WL_E_NOMEM) {
            check_true("memory", err.message, false);
            break;
        }
        check_int("memory", "the error", err.code, status);
    }
    check_true("memory", "every allocation failed once", limit > 30 && limit < 10000);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_nesting), cmocka_unit_test(test_notes),
        cmocka_unit_test(test_entries), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
