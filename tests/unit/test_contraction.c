/* test_contraction.c - which products go into which sums: what ptxas makes of small texts.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "ptx/module/contraction.h"
#include "ptx/read/read_module.h"
#include "warpline/warpline.h"

#define HEAD                                                                                                           \
    ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n"                                \
    "{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<40>;\n.reg .f64 %d<40>;\n"                \
    "ld.param.u64 %rd2, [p];\nld.global.f32 %f1, [%rd2];\nld.global.f32 %f2, [%rd2+4];\n"                              \
    "ld.global.f32 %f3, [%rd2+8];\nld.global.f32 %f4, [%rd2+12];\nld.global.f32 %f5, [%rd2+16];\n"                     \
    "ld.global.f64 %d1, [%rd2+24];\nld.global.f64 %d2, [%rd2+32];\nld.global.f64 %d3, [%rd2+40];\n"                    \
    "setp.gt.f32 %p1, %f5, 0f00000000;\nmov.u32 %r1, %tid.x;\n"
#define STORE(value, place) "st.global.f32 [%rd2+" place "], " value ";\n"
#define STORE_64(value, place) "st.global.f64 [%rd2+" place "], " value ";\n"

/* Machine code (sm_90, ptxas 13.0): M a product, A a sum, F both in one; in program order of the
 * text. Lower case: of 64 bits. */
static const struct {
    const char *body, *code;
} cases[] = {
    {"mul.f32 %f6,%f1,%f2; sub.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "F"},
    {"mul.f32 %f6,%f1,%f2; sub.f32 %f7,%f6,%f3;" STORE("%f7", "0"), "F"},
    {"mul.f32 %f6,%f1,0f40400000; add.f32 %f7,%f6,0f40400000;" STORE("%f7", "0"), "F"},
    {"mul.f64 %d6,%d1,%d2; add.f64 %d7,%d3,%d6;" STORE_64("%d7", "0"), "f"},
    {"mul.ftz.f32 %f6,%f1,%f2; add.ftz.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "F"},
    {"mul.f32 %f6,%f1,%f2; add.sat.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "F"},
    /* a rounding, saturation or another treatment of subnormal numbers is kept */
    {"mul.f32 %f6,%f1,%f2; add.rn.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "MA"},
    {"mul.rn.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "MA"},
    {"mul.rn.f64 %d6,%d1,%d2; add.f64 %d7,%d3,%d6;" STORE_64("%d7", "0"), "ma"},
    {"mul.sat.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "MA"},
    {"mul.ftz.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6;" STORE("%f7", "0"), "MA"},
    /* several products in a sum: the first */
    {"mul.f32 %f6,%f1,%f2; mul.f32 %f7,%f3,%f4; add.f32 %f8,%f6,%f7;" STORE("%f8", "0"), "MF"},
    {"mul.f64 %d6,%d1,%d2; mul.f64 %d7,%d3,%d2; add.f64 %d8,%d6,%d7;" STORE_64("%d8", "0"), "mf"},
    {"mul.f32 %f6,%f1,%f2; mul.f32 %f7,%f3,%f4; mul.f32 %f8,%f5,%f5; add.f32 %f9,%f6,%f7;"
     "add.f32 %f10,%f9,%f8;" STORE("%f10", "0"),
     "MFF"},
    /* several readers: all of them, or none */
    {"mul.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6; add.f32 %f8,%f4,%f6;" STORE("%f7", "0") STORE("%f8", "4"), "FF"},
    {"mul.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6; add.f32 %f8,%f4,%f6; add.f32 %f9,%f5,%f6; sub.f32 %f10,%f6,%f7;" STORE(
         "%f7", "0") STORE("%f8", "4") STORE("%f9", "8") STORE("%f10", "12"),
     "FFFF"},
    {"mul.f32 %f6,%f1,%f2; add.f32 %f7,%f3,%f6;" STORE("%f7", "0") STORE("%f6", "4"), "MA"},
    {"mul.f32 %f6,%f1,%f2; add.f32 %f7,%f6,%f6;" STORE("%f7", "0"), "MA"},
    {"mul.f32 %f6,%f1,%f2; fma.rn.f32 %f7,%f3,%f4,%f6;" STORE("%f7", "0"), "MF"},
    {"mul.f32 %f6,%f1,%f2; mul.f32 %f7,%f3,%f4; add.f32 %f8,%f6,%f7; add.f32 %f9,%f7,%f5;" STORE("%f8", "0")
         STORE("%f9", "4"),
     "MFA"},
    {"mul.f32 %f6,%f1,%f2; mul.f32 %f7,%f3,%f4; add.f32 %f8,%f7,%f6; add.f32 %f9,%f7,%f5; add.f32 %f10,%f6,%f5;" STORE(
         "%f8", "0") STORE("%f9", "4") STORE("%f10", "8"),
     "MFFA"},
    /* signs */
    {"mul.f32 %f6,%f1,%f2; neg.f32 %f7,%f6; add.f32 %f8,%f7,%f3;" STORE("%f8", "0"), "F"},
    {"mul.f32 %f6,%f1,%f2; neg.f32 %f7,%f6; add.f32 %f8,%f7,%f3; add.f32 %f9,%f6,%f4;" STORE("%f8", "0")
         STORE("%f9", "4"),
     "FF"},
    {"mul.f32 %f6,%f1,%f2; abs.f32 %f9,%f6; add.f32 %f7,%f3,%f9;" STORE("%f7", "0"), "MA"},
    /* basic blocks and predicates */
    {"mul.f32 %f6,%f1,%f2; @%p1 add.f32 %f3,%f3,%f6;" STORE("%f3", "0"), "F"},
    {"@%p1 mul.f32 %f6,%f1,%f2; @%p1 add.f32 %f3,%f3,%f6;" STORE("%f3", "0"), "MA"},
    {"mov.f32 %f6,0f3f800000; @%p1 mul.f32 %f6,%f1,%f2; add.f32 %f3,%f3,%f6;" STORE("%f3", "0"), "MA"},
    {"mul.f32 %f6,%f1,%f2; @!%p1 bra L; add.f32 %f3,%f3,%f6; L:" STORE("%f3", "0"), "MA"},
    {"mov.u32 %r2,0; L: ld.global.f32 %f10,[%rd2]; mul.f32 %f6,%f10,%f2; add.f32 %f3,%f3,%f6; add.u32 %r2,%r2,1;"
     "setp.lt.u32 %p1,%r2,%r1; @%p1 bra L;" STORE("%f3", "0"),
     "F"},
    {"mul.f32 %f6,%f1,%f2; mov.u32 %r2,0; L: ld.global.f32 %f10,[%rd2]; add.f32 %f3,%f10,%f6;" STORE(
         "%f3", "0") "add.u32 %r2,%r2,1; setp.lt.u32 %p1,%r2,%r1; @%p1 bra L;",
     "MA"},
    /* a factor that is overwritten */
    {"mul.f32 %f6,%f1,%f2; ld.global.f32 %f1,[%rd2+20]; add.f32 %f7,%f6,%f1;" STORE("%f7", "0"), "F"},
};

static char letter(const wl_ptx_instruction *in, const wl_ptx_contraction *c)
{
    char out = 0;
    if (in->op == WL_PTX_OP_mul && !c->folded)
        out = 'M';
    if (in->op == WL_PTX_OP_fma || c->product >= 0)
        out = 'F';
    else if (in->op == WL_PTX_OP_add || in->op == WL_PTX_OP_sub)
        out = 'A';
    if (in->type != WL_PTX_F32 && in->type != WL_PTX_F64)
        return 0;
    return out && in->type == WL_PTX_F64 ? (char)(out - 'A' + 'a') : out;
}

static void products_go_into_sums_as_in_machine_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096], code[16] = "";
        wl_error err = {0};
        wl_ptx_module *module = NULL;
        wl_ptx_def_use def_use;
        wl_ptx_contraction *of = NULL;
        wl_arena arena = {0};
        snprintf(text, sizeof text, "%s%sret;\n}\n", HEAD, cases[i].body);
        if (wl_ptx_module_parse("sums.ptx", text, strlen(text), &module, &err) != WL_OK)
            fail_msg("%s", err.message);
        const wl_ptx_function *f = &module->functions[0];
        assert_int_equal(wl_ptx_def_use_make(f, &arena, &def_use, &err), WL_OK);
        assert_int_equal(wl_ptx_contract(&def_use, &arena, &of, &err), WL_OK);
        size_t length = 0;
        for (int32_t k = 0; k < f->instruction_count; k++) {
            code[length] = letter(&f->instructions[k], &of[k]);
            length += code[length] != 0;
        }
        code[length] = 0;
        if (strcmp(code, cases[i].code) != 0)
            fail_msg("%s: expected %s, found %s", cases[i].body, cases[i].code, code);
        wl_arena_free(&arena);
        wl_ptx_module_free(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_go_into_sums_as_in_machine_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
