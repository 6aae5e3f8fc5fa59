/* test_shared_vectors.c - which accesses to shared memory become one: what ptxas makes of small
 * texts. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "ptx/module/alignment.h"
#include "ptx/module/shared_vectors.h"
#include "ptx/read/read_module.h"
#include "warpline/warpline.h"

/* %r4 = s + 16 tid, %r6 = s + 4 tid, %r8 = s + 8 tid */
#define HEAD(variables)                                                                                                \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"                             \
    ".reg .pred %p<4>;\n.reg .b32 %r<90>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<90>;\n.reg .f64 %d<9>;\n" variables         \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nshl.b32 %r3, %r1, 4;\nadd.s32 %r4, %r2, %r3;\nshl.b32 %r5, %r1, 2;\n"      \
    "add.s32 %r6, %r2, %r5;\nshl.b32 %r7, %r1, 3;\nadd.s32 %r8, %r2, %r7;\nld.param.u64 %rd1, [a];\n"
#define AT(number, place) "ld.shared.f32 %f" number ", [%r4+" place "];\n"
#define FOUR_OF(base)                                                                                                  \
    "ld.shared.f32 %f1, [" base "];\nld.shared.f32 %f2, [" base "+4];\nld.shared.f32 %f3, [" base "+8];\n"             \
    "ld.shared.f32 %f4, [" base "+12];\n"
#define SAME ".shared .align 4 .b8 s[4096];\n"

/* Machine code (sm_90, ptxas 13.0): bytes of the accesses to shared memory, in the order of the
 * places where they stay; s before those of stores. */
static const struct {
    const char *body, *code;
} cases[] = {
    {AT("1", "0") AT("2", "4"), "8"},
    {AT("1", "4") AT("2", "8"), "4 4"},
    {AT("1", "8") AT("2", "12"), "8"},
    {AT("1", "0") AT("2", "8"), "4 4"},
    {AT("1", "0") AT("2", "12"), "4 4"},
    /* three of four words */
    {AT("1", "0") AT("2", "4") AT("3", "8"), "16"},
    {AT("1", "0") AT("2", "4") AT("3", "12"), "16"},
    {AT("1", "0") AT("2", "8") AT("3", "12"), "16"},
    {AT("1", "4") AT("2", "8") AT("3", "12"), "16"},
    {AT("1", "12") AT("2", "8") AT("3", "4") AT("4", "0"), "16"},
    {AT("1", "0") AT("2", "4") AT("3", "8") AT("4", "12") AT("5", "16") AT("6", "20"), "16 8"},
    {AT("1", "4") AT("2", "8") AT("3", "12") AT("4", "16"), "16 4"},
    {AT("1", "8") AT("2", "12") AT("3", "16") AT("4", "20"), "8 8"},
    /* as wide as the address is aligned */
    {FOUR_OF("%r6"), "4 4 4 4"},
    {FOUR_OF("%r8"), "8 8"},
    {"ld.shared.f32 %f1, [%r8];\nld.shared.f32 %f2, [%r8+4];\nld.shared.f32 %f3, [%r8+8];\n", "8 4"},
    {FOUR_OF("s"), "16"},
    {"mad.lo.s32 %r20, %r1, 48, %r2;\n" FOUR_OF("%r20"), "16"},
    {"and.b32 %r20, %r1, -4;\nshl.b32 %r21, %r20, 2;\nadd.s32 %r22, %r2, %r21;\n" FOUR_OF("%r22"), "16"},
    {"ld.param.u32 %r20, [a];\nand.b32 %r21, %r20, -16;\nadd.s32 %r22, %r2, %r21;\n" FOUR_OF("%r22"), "16"},
    {"shr.u32 %r20, %r1, 1;\nshl.b32 %r21, %r20, 4;\nor.b32 %r22, %r21, 64;\nadd.s32 %r23, %r2, %r22;\n" FOUR_OF(
         "%r23"),
     "16"},
    /* a pointer that a loop advances */
    {"mov.u32 %r20, %r4;\nL:\n" FOUR_OF("%r20") "add.s32 %r20, %r20, 64;\nsetp.lt.u32 %p1, %r20, %r1;\n@%p1 bra L;\n",
     "16"},
    {"mov.u32 %r20, %r4;\nL:\n" FOUR_OF("%r20") "add.s32 %r20, %r20, 8;\nsetp.lt.u32 %p1, %r20, %r1;\n@%p1 bra L;\n",
     "8 8"},
    {"mov.u32 %r20, %r4;\nL:\n" FOUR_OF("%r20") "add.s32 %r20, %r20, 4;\nsetp.lt.u32 %p1, %r20, %r1;\n@%p1 bra L;\n",
     "4 4 4 4"},
    /* doubles */
    {"ld.shared.f64 %d1, [%r4];\nld.shared.f64 %d2, [%r4+8];\n", "16"},
    {"ld.shared.f64 %d1, [%r4+8];\nld.shared.f64 %d2, [%r4+16];\n", "8 8"},
    {"ld.shared.f64 %d1, [%r8];\nld.shared.f64 %d2, [%r8+8];\n", "8 8"},
    /* what lies between */
    {AT("1", "0") "st.global.f32 [%rd1], %f9;\n" AT("2", "4"), "8"},
    {AT("1", "0") AT("2", "4") "st.shared.u32 [%r6+2048], %r1;\n" AT("3", "8") AT("4", "12"), "8 s4 8"},
    {AT("1", "0") AT("2", "4") "bar.sync 0;\n" AT("3", "8") AT("4", "12"), "8 8"},
    {AT("1", "0") "add.s32 %r4, %r4, 64;\n" AT("2", "4"), "4 4"},
    {AT("1", "0") "@%p1 bra L;\n" AT("2", "4") "L:\n", "4 4"},
    {AT("1", "0") "ld.volatile.shared.f32 %f2, [%r4+4];\n", "4 4"},
    {"@%p1 ld.shared.f32 %f1, [%r4];\n@%p1 ld.shared.f32 %f2, [%r4+4];\n", "4 4"},
    /* stores, at the last one */
    {"st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4+4], %r2;\n", "s8"},
    {"st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4+4], 7;\nst.shared.u32 [%r4+8], %r3;\n", "s8 s4"},
    {"st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4+4], %r2;\nst.shared.u32 [%r4+8], %r3;\n"
     "st.shared.u32 [%r4+12], %r5;\n",
     "s16"},
    {"st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r6+4], %r2;\nst.shared.u32 [%r4+4], %r3;\n", "s4 s4 s4"},
    {"st.shared.u32 [%r4], %r1;\nld.shared.f32 %f1, [%r6];\nst.shared.u32 [%r4+4], %r3;\n", "s4 4 s4"},
    /* narrower than a word, and in wider registers */
    {"ld.shared.u8 %r20, [%r4];\nld.shared.u8 %r21, [%r4+1];\n", "1 1"},
    {"ld.shared.u32 %rd2, [%r4];\nld.shared.u32 %rd3, [%r4+4];\n", "4 4"},
};

static wl_ptx_module *joined_module(const char *head, const char *body, bool join)
{
    static char text[8192];
    snprintf(text, sizeof text, "%s%sret;\n}\n", head, body);
    wl_error err = {0};
    wl_ptx_module *module = NULL;
    if (wl_ptx_module_parse("shared.ptx", text, strlen(text), &module, &err) != WL_OK)
        fail_msg("%s in %s", err.message, body);
    if (join)
        assert_int_equal(wl_ptx_join_shared(module, &err), WL_OK);
    return module;
}

static const char *accesses(const wl_ptx_module *module)
{
    static char out[256];
    size_t at = 0;
    const wl_ptx_function *f = &module->functions[0];
    out[0] = 0;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        if ((in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_st) && in->space == WL_PTX_SHARED)
            at += (size_t)snprintf(out + at, sizeof out - at, "%s%s%d", at > 0 ? " " : "",
                                   in->op == WL_PTX_OP_st ? "s" : "", wl_ptx_access_bytes(in));
    }
    return out;
}

static void accesses_are_as_wide_as_in_machine_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wl_ptx_module *module = joined_module(HEAD(SAME), cases[i].body, true);
        if (strcmp(accesses(module), cases[i].code) != 0)
            fail_msg("%s: %s, not %s", cases[i].body, accesses(module), cases[i].code);
        wl_ptx_module_free(module);
    }
}

/* Where a variable lies decides how its addresses are aligned. */
static void variables_lie_behind_each_other(void **state)
{
    (void)state;
    static const struct {
        const char *head, *code;
    } variables[] = {
        {HEAD(".shared .align 4 .b8 s[4096];\n.shared .align 4 .b8 q[20];\nst.shared.u32 [q], %r1;\n"), "s4 16"},
        {HEAD(".shared .align 4 .b8 q[20];\n.shared .align 4 .b8 s[4096];\nst.shared.u32 [q], %r1;\n"), "s4 4 4 4 4"},
        {HEAD(".shared .align 4 .b8 q[24];\n.shared .align 4 .b8 s[4096];\nst.shared.u32 [q], %r1;\n"), "s4 8 8"},
        /* not used: it has no place */
        {HEAD(".shared .align 4 .b8 q[20];\n.shared .align 4 .b8 s[4096];\n"), "16"},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        wl_ptx_module *module = joined_module(variables[i].head, FOUR_OF("%r4"), true);
        assert_string_equal(accesses(module), variables[i].code);
        wl_ptx_module_free(module);
    }
}

/* What registers hold afterwards: the loads' own registers are written where they were. */
static void values_stay_where_they_were(void **state)
{
    (void)state;
    wl_ptx_module *module = joined_module(HEAD(SAME), AT("2", "4") "add.f32 %f9, %f1, %f2;\n" AT("1", "0"), true);
    const wl_ptx_function *f = &module->functions[0];
    const wl_ptx_instruction *load = &f->instructions[9], *copy = &f->instructions[11];
    assert_int_equal(load->vector, 2);
    assert_int_equal(load->joined, 2);
    assert_int_equal(load->operands[1].value, 0);
    const wl_ptx_operand *elements = &f->lists[load->operands[0].first];
    assert_string_equal(f->registers[elements[1].reg].name, "%f2");
    assert_int_equal(copy->op, WL_PTX_OP_mov);
    assert_string_equal(f->registers[copy->operands[0].reg].name, "%f1");
    assert_int_equal(copy->operands[1].reg, elements[0].reg);
    wl_ptx_module_free(module);
}

static void alignments_follow_all_definitions(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int exponent; /* of %r20 */
    } registers[] = {
        {"mov.u32 %r20, 0;\n", 4},
        {"mov.u32 %r20, 12;\n", 2},
        {"mov.u32 %r20, 16;\nadd.s32 %r20, %r20, 8;\n", 3},
        {"mul.lo.s32 %r20, %r5, 2;\n", 3},
        {"mul.hi.s32 %r20, %r5, 16;\n", 0},
        {"sub.s32 %r20, %r3, %r7;\n", 3},
        {"selp.u32 %r20, %r3, %r5, %p1;\n", 2},
        {"shl.b32 %r20, %r1, %r1;\n", 0},
        {"shr.u32 %r20, %r3, 1;\n", 0},
        {"ld.shared.u32 %r20, [s];\n", 0},
        {"cvt.u32.u64 %r20, %rd1;\n", 0},
    };
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        wl_ptx_module *module = joined_module(HEAD(SAME), registers[i].body, false);
        const wl_ptx_function *f = &module->functions[0];
        const uint8_t of_variable[] = {4, 4, 4};
        wl_arena arena = {0};
        wl_error err = {0};
        uint8_t *exponent = NULL;
        assert_true(module->variable_count <= 3);
        assert_int_equal(wl_ptx_alignments_find(f, of_variable, &arena, &exponent, &err), WL_OK);
        for (int32_t r = 0; r < f->register_count; r++)
            if (strcmp(f->registers[r].name, "%r20") == 0 && exponent[r] != registers[i].exponent)
                fail_msg("%s: %d, not %d", registers[i].body, exponent[r], registers[i].exponent);
        wl_arena_free(&arena);
        wl_ptx_module_free(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_as_wide_as_in_machine_code),
        cmocka_unit_test(variables_lie_behind_each_other),
        cmocka_unit_test(values_stay_where_they_were),
        cmocka_unit_test(alignments_follow_all_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
