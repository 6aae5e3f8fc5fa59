/* test_ptx_parse.c - what instructions, constants, variables and scopes are parsed to, and what
 * is rejected (ptx/module/module.h). SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx/read/read_module.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define TEXT_MAX 4096

/* ---- a module as text ---- */

typedef struct text {
    char at[TEXT_MAX];
    size_t used;
} text;

static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    assert_true(t->used < sizeof t->at);
}

static void add_operand(text *t, const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_operand *o);

static void add_list(text *t, const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_operand *o)
{
    for (int i = 0; i < o->count; i++) {
        add(t, "%s", i ? "," : "");
        add_operand(t, m, f, &f->lists[o->first + i]);
    }
}

static void add_address(text *t, const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_operand *o)
{
    add(t, "[%s%+lld",
        o->reg >= 0        ? f->registers[o->reg].name
        : o->variable >= 0 ? m->variables[o->variable].name
                           : "",
        (long long)o->value);
    if (o->count > 0) {
        add(t, ";");
        add_list(t, m, f, o);
    }
    add(t, "]");
}

static void add_operand(text *t, const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_operand *o)
{
    add(t, "%s", o->negated ? "!" : "");
    switch (o->kind) {
    case WL_PTX_OPERAND_NONE: add(t, "_"); break;
    case WL_PTX_OPERAND_REG: add(t, "%s", f->registers[o->reg].name); break;
    case WL_PTX_OPERAND_IMMEDIATE: add(t, "%lld", (long long)o->value); break;
    case WL_PTX_OPERAND_SPECIAL: add(t, "special%lld", (long long)o->value); break;
    case WL_PTX_OPERAND_ADDRESS: add_address(t, m, f, o); break;
    case WL_PTX_OPERAND_VARIABLE: add(t, "&%s%+lld", m->variables[o->variable].name, (long long)o->value); break;
    case WL_PTX_OPERAND_VECTOR:
        add(t, "{");
        add_list(t, m, f, o);
        add(t, "}");
        break;
    case WL_PTX_OPERAND_LABEL: add(t, "@%lld", (long long)o->value); break;
    case WL_PTX_OPERAND_FUNCTION: add(t, "%s%s", m->functions[o->first].name, o->value < 0 ? "?" : ""); break;
    }
    if (wl_ptx_second_of(o) >= 0)
        add(t, "|%s", f->registers[wl_ptx_second_of(o)].name);
}

/* "setp.s32 %p1 %r1 5" */
static void add_instruction(text *t, const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_instruction *in)
{
    if (in->guard >= 0)
        add(t, "@%s%s ", in->guard_negated ? "!" : "", f->registers[in->guard].name);
    const char *name = in->op == WL_PTX_OP_unknown ? "unknown" : wl_ptx_op_info_of(in->op)->mnemonic;
    add(t, "%.*s", (int)strcspn(name, " "), name);
    if (in->type != WL_PTX_NONE)
        add(t, ".%s", wl_ptx_type_name(in->type));
    if (in->from != WL_PTX_NONE)
        add(t, ".%s", wl_ptx_type_name(in->from));
    for (int i = 0; i < in->operand_count; i++) {
        add(t, " ");
        add_operand(t, m, f, &in->operands[i]);
    }
}

static wl_ptx_module *read(const char *name, const char *source)
{
    wl_error err = {0};
    wl_ptx_module *m = NULL;
    check_ok(name, wl_ptx_module_parse("test.ptx", source, strlen(source), &m, &err), &err);
    return m;
}

/* ---- instructions ---- */

#define REGISTERS                                                                                                      \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; "        \
    ".reg .b32 t1, t1<3>; .reg .v4 .f32 v; .shared .b32 s[8]; "
#define FUNCTIONS ".func f(.param .b32 x) { ret; }\n.func g(.param .b32 x);\n"
#define PASSED ".param .b32 q; .param .b32 r; P: .callprototype _ (.param .b32 _);"

static const struct {
    const char *source, *read;
    wl_ptx_space space, to_space;
    uint32_t modifiers;
    int variant, compare, vector;
} instructions[] = {
    {"add.s32 %r1, %r2, -5;", "add.s32 %r1 %r2 -5", 0, 0, 0, 0, 0, 1},
    {"@!%p3 add.cc.u32 %r1, %r2, %r3;", "@!%p3 add.u32 %r1 %r2 %r3", 0, 0, WL_PTX_MOD_CC, 0, 0, 1},
    {"mul.wide.s32 %rd1, %r1, 8;", "mul.s32 %rd1 %r1 8", 0, 0, WL_PTX_MOD_WIDE, 0, 0, 1},
    {"fma.rz.ftz.sat.f32 %f1, %f2, %f3, 0f3F800000;", "fma.f32 %f1 %f2 %f3 1065353216", 0, 0,
     WL_PTX_MOD_FTZ | WL_PTX_MOD_SAT, WL_PTX_RZ, 0, 1},
    {"mul.f64 %fd1, %fd2, 1.0;", "mul.f64 %fd1 %fd2 4607182418800017408", 0, 0, 0, 0, 0, 1},
    {"mov.f64 %fd1, 0f3F800000;", "mov.f64 %fd1 4607182418800017408", 0, 0, 0, 0, 0, 1},
    {"mov.f32 %f1, -1.5;", "mov.f32 %f1 3217031168", 0, 0, 0, 0, 0, 1},
    {"mov.f32 %f1, 2;", "mov.f32 %f1 1073741824", 0, 0, 0, 0, 0, 1},
    {"mov.b16 %h1, 1.0;", "mov.b16 %h1 15360", 0, 0, 0, 0, 0, 1},
    {"add.bf16 %h1, %h2, 1.0;", "add.bf16 %h1 %h2 16256", 0, 0, 0, 0, 0, 1},
    {"cvt.rn.f32.s32 %f1, 7;", "cvt.f32.s32 %f1 7", 0, 0, 0, WL_PTX_RN, 0, 1},
    {"cvt.rzi.s32.f32 %r1, 1.0;", "cvt.s32.f32 %r1 1065353216", 0, 0, 0, WL_PTX_RZI, 0, 1},
    {"setp.lo.u32 %p1, %r1, %r2;", "setp.u32 %p1 %r1 %r2", 0, 0, 0, 0, WL_PTX_LT, 1},
    {"setp.geu.f32 %p1|%p2, %f1, %f2;", "setp.f32 %p1|%p2 %f1 %f2", 0, 0, 0, 0, WL_PTX_GEU, 1},
    {"setp.ne.xor.b32 %p1, %r1, 0, !%p2;", "setp.b32 %p1 %r1 0 !%p2", 0, 0, 0, 0, WL_PTX_NE, 1},
    {"set.lt.f32.s32 %f1, %r1, 3;", "set.f32.s32 %f1 %r1 3", 0, 0, 0, 0, WL_PTX_LT, 1},
    {"ld.global.nc.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];", "ld.f32 {%f1,%f2,_,%f4} [%rd1+16]", WL_PTX_GLOBAL, 0,
     WL_PTX_MOD_NC, 0, 0, 4},
    {"ld.global.v4.f32 v, [%rd1 - 8];", "ld.f32 {v.x,v.y,v.z,v.w} [%rd1-8]", WL_PTX_GLOBAL, 0, 0, 0, 0, 4},
    {"mov.b32 t12, t1;", "mov.b32 t12 t1", 0, 0, 0, 0, 0, 1},
    {"add.f32 v.y, v.x, v.w;", "add.f32 v.y v.x v.w", 0, 0, 0, 0, 0, 1},
    {"ld.u32 %r1, [%rd1+-4];", "ld.u32 %r1 [%rd1-4]", WL_PTX_GENERIC, 0, 0, 0, 0, 1},
    {"ld.shared.u32 %r1, [s+4*2-1];", "ld.u32 %r1 [s+7]", WL_PTX_SHARED, 0, 0, 0, 0, 1},
    {"ld.volatile.global.u32 %r1, [4096];", "ld.u32 %r1 [+4096]", WL_PTX_GLOBAL, 0,
     WL_PTX_MOD_VOLATILE | WL_PTX_MOD_BYPASS, 0, 0, 1},
    {"ld.relaxed.gpu.global.u32 %r1, [%rd1];", "ld.u32 %r1 [%rd1+0]", WL_PTX_GLOBAL, 0, WL_PTX_MOD_BYPASS, 0, 0, 1},
    {"ld.relaxed.cta.global.u32 %r1, [%rd1];", "ld.u32 %r1 [%rd1+0]", WL_PTX_GLOBAL, 0, 0, 0, 0, 1},
    {"ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];", "ld.f32 %f1 [%rd1+0]", WL_PTX_GLOBAL, 0,
     WL_PTX_MOD_NC | WL_PTX_MOD_NO_ALLOCATE, 0, 0, 1},
    {"ld.global.L1::evict_last.f32 %f1, [%rd1];", "ld.f32 %f1 [%rd1+0]", WL_PTX_GLOBAL, 0, 0, 0, 0, 1},
    {"ld.global.lu.f32 %f1, [%rd1];", "ld.f32 %f1 [%rd1+0]", WL_PTX_GLOBAL, 0, WL_PTX_MOD_NO_ALLOCATE, 0, 0, 1},
    {"ld .param .u64 %rd1, [a];", "ld.u64 %rd1 [a+0]", WL_PTX_PARAM, 0, 0, 0, 0, 1},
    {"st.global.cg.v2.f32 [%rd1], {%f1, 0f00000000};", "st.f32 [%rd1+0] {%f1,0}", WL_PTX_GLOBAL, 0, WL_PTX_MOD_BYPASS,
     0, 0, 2},
    {"atom.global.cas.b32 %r1, [%rd1], %r2, 3;", "atom.b32 %r1 [%rd1+0] %r2 3", WL_PTX_GLOBAL, 0, 0, WL_PTX_CAS, 0, 1},
    {"atom.shared.add.u32 _, [s], 1;", "atom.u32 _ [s+0] 1", WL_PTX_SHARED, 0, 0, WL_PTX_ADD, 0, 1},
    {"red.global.max.s32 [%rd1], %r1;", "red.s32 [%rd1+0] %r1", WL_PTX_GLOBAL, 0, 0, WL_PTX_MAX, 0, 1},
    {"cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16;", "cp.async [%r1+0] [%rd1+0] 16", WL_PTX_GLOBAL,
     WL_PTX_SHARED, WL_PTX_MOD_ASYNC | WL_PTX_MOD_BYPASS, 0, 0, 1},
    {"cvta.to.global.u64 %rd1, %rd2;", "cvta.u64 %rd1 %rd2", WL_PTX_GLOBAL, 0, WL_PTX_MOD_TO, 0, 0, 1},
    {"mov.u64 %rd1, s+4;", "mov.u64 %rd1 &s+4", 0, 0, 0, 0, 0, 1},
    {"mov.u64 %rd1, f;", "mov.u64 %rd1 f", 0, 0, 0, 0, 0, 1},
    {"mov.u32 %r1, %ntid.y;", "mov.u32 %r1 special4", 0, 0, 0, 0, 0, 1},
    {"mov.u32 %r1, %envreg31;", "mov.u32 %r1 special42", 0, 0, 0, 0, 0, 1},
    {"mov.b64 {%r1, %r2}, %rd1;", "mov.b64 {%r1,%r2} %rd1", 0, 0, 0, 0, 0, 1},
    {"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;", "shfl.b32 %r1|%p1 %r2 16 31 -1", 0, 0, WL_PTX_MOD_SYNC,
     WL_PTX_BFLY, 0, 1},
    {"vote.sync.ballot.b32 %r1, !%p1, 0xffffffff;", "vote.b32 %r1 !%p1 4294967295", 0, 0, WL_PTX_MOD_SYNC,
     WL_PTX_BALLOT, 0, 1},
    {"vote.sync.uni.pred %p1, %p2, %r1;", "vote.pred %p1 %p2 %r1", 0, 0, WL_PTX_MOD_SYNC, WL_PTX_UNI, 0, 1},
    {"bar.red.popc.u32 %r1, 0, %p1;", "bar.u32 %r1 0 %p1", 0, 0, WL_PTX_MOD_RED, WL_PTX_POPC, 0, 1},
    {"bar.warp.sync 7;", "bar 7", 0, 0, WL_PTX_MOD_WARP | WL_PTX_MOD_SYNC, 0, 0, 1},
    {"shf.l.wrap.b32 %r1, %r2, %r3, 4;", "shf.b32 %r1 %r2 %r3 4", 0, 0, WL_PTX_MOD_LEFT | WL_PTX_MOD_WRAP, 0, 0, 1},
    {"prmt.b32.ecl %r1, %r2, %r3, 1;", "prmt.b32 %r1 %r2 %r3 1", 0, 0, 0, WL_PTX_ECL, 0, 1},
    {"vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1;", "vadd.s32.u32 %r1 %r2 %r3", 0, 0, 0, 0, 0, 1},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
     "ldmatrix.b16 {%r1,%r2,%r3,%r4} [%r5+0]", WL_PTX_SHARED, 0, WL_PTX_MOD_SYNC, 0, 0, 4},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, 1.0}];",
     "tex.f32.f32 {%f1,%f2,%f3,%f4}|%p1 [%rd1+0;%f5,1065353216]", 0, 0, 0, 0, 0, 4},
    {"bra.uni L;", "bra @1", 0, 0, WL_PTX_MOD_UNI, 0, 0, 1},
    {"call (r), f, (q, 3);", "call {&r+0} f {&q+0,3}", 0, 0, 0, 0, 0, 1},
    {"call.uni f;", "call {} f {}", 0, 0, WL_PTX_MOD_UNI, 0, 0, 1},
    {"call g, (q);", "call {} g? {&q+0}", 0, 0, 0, 0, 0, 1},
    {"call (r), %rd1, (q), P;", "call {&r+0} %rd1 {&q+0}", 0, 0, 0, 0, 0, 1},
    {"frobnicate.x %r1, nobody, [%rd1];", "unknown %r1 _ [%rd1+0]", 0, 0, 0, 0, 0, 1},
    {"frobnicate.y %r1, ?(3;", "unknown %r1", 0, 0, 0, 0, 0, 1},
};

static void test_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(instructions); i++) {
        char source[2048];
        text got = {0};
        (void)snprintf(source, sizeof source, "%s%s%s\nL: ret; }\n",
                       HEAD FUNCTIONS ".entry k(.param .u64 a) { " REGISTERS, PASSED "\n ", instructions[i].source);
        wl_ptx_module *m = read(instructions[i].source, source);
        if (!m)
            continue;
        const wl_ptx_function *f = &m->functions[2];
        const wl_ptx_instruction *in = &f->instructions[0];
        add_instruction(&got, m, f, in);
        check_text(instructions[i].source, "the instruction", got.at, instructions[i].read);
        check_int(instructions[i].source, "the space", in->space, instructions[i].space);
        check_int(instructions[i].source, "the space copied to", in->to_space, instructions[i].to_space);
        check_int(instructions[i].source, "modifiers", in->modifiers, instructions[i].modifiers);
        check_int(instructions[i].source, "the variant", in->variant, instructions[i].variant);
        check_int(instructions[i].source, "the comparison", in->compare, instructions[i].compare);
        check_int(instructions[i].source, "elements", in->vector, instructions[i].vector);
        check_int(instructions[i].source, "the line", in->line, 7);
        check_int(instructions[i].source, "the column", in->column, 2);
        check_true(instructions[i].source, "text as written",
                   strncmp(in->text, instructions[i].source, (size_t)in->text_length) == 0 &&
                       instructions[i].source[in->text_length] == ';');
        check_int(instructions[i].source, "notes", m->note_count, in->op == WL_PTX_OP_unknown);
        wl_ptx_module_free(m);
    }
    check_done();
}

/* ---- classes and bytes ---- */

static const struct {
    const char *source;
    wl_inst_class kind;
    int bytes;
} classes[] = {
    {"add.f64 %fd1, %fd2, %fd3;", WL_INST_fp64, 0},
    {"add.f32 %f1, %f2, %f3;", WL_INST_fp32, 0},
    {"add.f16x2 %r1, %r2, %r3;", WL_INST_fp16, 0},
    {"add.s64 %rd1, %rd2, 1;", WL_INST_int, 0},
    {"setp.lt.f64 %p1, %fd1, %fd2;", WL_INST_fp64, 0},
    {"cvt.s32.s64 %r1, %rd1;", WL_INST_int, 0},
    {"cvt.rn.f64.s32 %fd1, %r1;", WL_INST_fp64, 0},
    {"rcp.approx.f32 %f1, %f2;", WL_INST_special, 0},
    {"ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", WL_INST_load, 16},
    {"ld.local.u8 %h1, [%rd1];", WL_INST_load, 1},
    {"ld.shared.v2.f64 {%fd1, %fd2}, [%r1];", WL_INST_shared, 16},
    {"ld.param.u64 %rd1, [a];", WL_INST_move, 8},
    {"st.global.u16 [%rd1], %h1;", WL_INST_store, 2},
    {"st.shared.f32 [%r1], %f1;", WL_INST_shared, 4},
    {"atom.global.add.f64 %fd1, [%rd1], %fd2;", WL_INST_atomic, 8},
    {"red.shared.add.u32 [%r1], 1;", WL_INST_shared, 4},
    {"cp.async.ca.shared.global [%r1], [%rd1], 8;", WL_INST_load, 8},
    {"shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", WL_INST_shared, 0},
    {"bar.sync 0;", WL_INST_control, 0},
    {"mov.u32 %r1, %tid.x;", WL_INST_move, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};", WL_INST_tensor, 0},
};

static void test_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        char source[1024];
        (void)snprintf(source, sizeof source, "%s%s }\n", HEAD ".entry k(.param .u64 a) { " REGISTERS,
                       classes[i].source);
        wl_ptx_module *m = read(classes[i].source, source);
        if (!m)
            continue;
        const wl_ptx_instruction *in = &m->functions[0].instructions[0];
        check_text(classes[i].source, "the class", wl_inst_class_name(wl_ptx_class_of(in)),
                   wl_inst_class_name(classes[i].kind));
        check_int(classes[i].source, "bytes", wl_ptx_access_bytes(in), classes[i].bytes);
        wl_ptx_module_free(m);
    }
    check_done();
}

/* ---- constants ---- */

static const struct {
    const char *source;
    int64_t value;
} constants[] = {
    {"10", 10},
    {"0x1F", 31},
    {"017", 15},
    {"0b101", 5},
    {"5U", 5},
    {"-3", -3},
    {"~0", -1},
    {"!0", 1},
    {"2+3*4", 14},
    {"(2+3)*4", 20},
    {"-7/2", -3},
    {"-7%3", -1},
    {"1<<33", 8589934592},
    {"-8>>1", -4},
    {"0xFFFFFFFFFFFFFFFF>>60", 15},
    {"1<2", 1},
    {"3>=4", 0},
    {"-1<1U", 0},
    {"5==5&&0", 0},
    {"0||7", 1},
    {"6&3|8^1", 11},
    {"1?2:3", 2},
    {"0?2:1?5:6", 5},
    {"(.u64)-1 > 0", 1},
    {"(.s64)0xFFFFFFFFFFFFFFFF < 0", 1},
    {"WARP_SZ", 32},
    {"WARP_SZ*2", 64},
    {"10-3-2", 5},
    {"1<<64", 0},
    {"9223372036854775808", INT64_MIN},
};

static void test_constants(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(constants); i++) {
        char source[256];
        (void)snprintf(source, sizeof source, HEAD ".entry k() { .reg .b64 %%r; mov.u64 %%r, (%s); }\n",
                       constants[i].source);
        wl_ptx_module *m = read(constants[i].source, source);
        if (m)
            check_int(constants[i].source, "the value", m->functions[0].instructions[0].operands[1].value,
                      constants[i].value);
        wl_ptx_module_free(m);
    }
    check_done();
}

/* ---- scopes and labels ---- */

static void test_scopes(void **state)
{
    (void)state;
    static const char *const want[] = {
        "mov.u32 %r1 1", "mov.u64 %r1 2", "bra @1",        "bra @5", "mov.u64 %r1 3",
        "bra @8",        "bra @6",        "mov.u32 %r2 4", "bra @0", "brx.idx %r1 {@0,@8,@11}",
        "ret",
    };
    wl_ptx_module *m = read("scopes", HEAD ".entry k()\n{\n.reg .b32 %r<4>;\nL: mov.u32 %r1, 1;\n{\n.reg .b64 %r<2>;\n"
                                           "L: mov.u64 %r1, 2;\nbra L;\nbra M;\nmov.u64 %r1, 3;\nM:\nbra N;\n}\n"
                                           "{ L: bra L; }\nmov.u32 %r2, 4;\nN: bra L;\nT: .branchtargets L, N, END;\n"
                                           "brx.idx %r1, T;\nret;\nEND:\n}\n");
    const wl_ptx_function *f = &m->functions[0];
    check_int("scopes", "instructions", f->instruction_count, COUNT_OF(want));
    for (int32_t i = 0; i < f->instruction_count && i < (int32_t)COUNT_OF(want); i++) {
        text got = {0};
        add_instruction(&got, m, f, &f->instructions[i]);
        check_text("scopes", "an instruction", got.at, want[i]);
    }
    check_int("scopes", "registers: the inner %r1 is another", f->register_count, 3);
    check_int("scopes", "type of the inner register", f->registers[1].type, WL_PTX_B64);
    wl_ptx_module_free(m);
    check_done();
}

/* ---- variables ---- */

static const struct {
    const char *source;
    wl_ptx_space space;
    wl_ptx_type type;
    int32_t align;
    int64_t elements, bytes;
    const char *initial; /* bytes in hexadecimal; NULL: none */
    int links;
} variables[] = {
    {".global .u32 a;", WL_PTX_GLOBAL, WL_PTX_U32, 4, 1, 4, NULL, 0},
    {".extern .shared .align 16 .b8 a[];", WL_PTX_SHARED, WL_PTX_B8, 16, 0, 0, NULL, 0},
    {".const .align 8 .b8 a[4] = {1, 255, -1};", WL_PTX_CONST, WL_PTX_B8, 8, 4, 4, "01ffff00", 0},
    {".global .u16 a[2][3] = {{1,2},{3}};", WL_PTX_GLOBAL, WL_PTX_U16, 2, 6, 12, "010002000000030000000000", 0},
    {".global .u16 a[2][3] = {1,2,3,4};", WL_PTX_GLOBAL, WL_PTX_U16, 2, 6, 12, "010002000300040000000000", 0},
    {".global .s16 a[] = {1,2,3};", WL_PTX_GLOBAL, WL_PTX_S16, 2, 3, 6, "010002000300", 0},
    {".global .f32 a = 1.0;", WL_PTX_GLOBAL, WL_PTX_F32, 4, 1, 4, "0000803f", 0},
    {".global .f64 a[1] = {0d4000000000000000};", WL_PTX_GLOBAL, WL_PTX_F64, 8, 1, 8, "0000000000000040", 0},
    {".global .v2 .f32 a[2] = {{1.0,2.0},{0.5,0.0}};", WL_PTX_GLOBAL, WL_PTX_F32, 8, 4, 16,
     "0000803f000000400000003f00000000", 0},
    {".global .b8 a[] = \"hi\\n\";", WL_PTX_GLOBAL, WL_PTX_B8, 1, 4, 4, "68690a00", 0},
    {".global .u64 a[2] = {generic(x)+8, 5};", WL_PTX_GLOBAL, WL_PTX_U64, 8, 2, 16, "00000000000000000500000000000000",
     1},
    {".global .u8 a[3] = {0xFF(x), 0xFF00(x), 7};", WL_PTX_GLOBAL, WL_PTX_U8, 1, 3, 3, "000007", 2},
    {".visible .global .attribute(.managed) .align 4 .b32 a[4];", WL_PTX_GLOBAL, WL_PTX_B32, 4, 4, 16, NULL, 0},
    {".extern .global .b32 a; .global .b32 a = 3;", WL_PTX_GLOBAL, WL_PTX_B32, 4, 1, 4, "03000000", 0},
    {".global .texref a;", WL_PTX_GLOBAL, WL_PTX_OPAQUE, 8, 1, 8, NULL, 0},
};

static void test_variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        char source[512];
        text initial = {0};
        (void)snprintf(source, sizeof source, HEAD ".global .u32 x[4];\n%s\n", variables[i].source);
        wl_ptx_module *m = read(variables[i].source, source);
        if (!m)
            continue;
        const wl_ptx_variable *v = &m->variables[1];
        check_int(variables[i].source, "variables", m->variable_count, 2);
        check_text(variables[i].source, "the name", v->name, "a");
        check_int(variables[i].source, "the space", v->space, variables[i].space);
        check_int(variables[i].source, "the type", v->type, variables[i].type);
        check_int(variables[i].source, "the alignment", v->align, variables[i].align);
        check_int(variables[i].source, "elements", v->elements, variables[i].elements);
        check_int(variables[i].source, "bytes", v->bytes, variables[i].bytes);
        check_int(variables[i].source, "addresses", v->link_count, variables[i].links);
        for (int64_t b = 0; v->initial && b < v->bytes; b++)
            add(&initial, "%02x", v->initial[b]);
        check_text(variables[i].source, "initial values", v->initial ? initial.at : NULL, variables[i].initial);
        wl_ptx_module_free(m);
    }
    check_done();
}

static void test_links(void **state)
{
    (void)state;
    wl_ptx_module *m =
        read("links", HEAD ".global .u32 x[4];\n.func f() { ret; }\n"
                           ".global .u64 a[3] = {0, generic(x)+8-4, f};\n.global .u8 b[2] = {1, 0xFF00(x)};\n");
    const wl_ptx_link *l = m->variables[1].links;
    check_true("links", "generic(x)+8-4",
               l[0].at == 8 && l[0].bytes == 8 && l[0].generic && l[0].variable == 0 && l[0].addend == 4 &&
                   l[0].function == -1);
    check_true("links", "f", l[1].at == 16 && l[1].function == 0 && l[1].variable == -1 && !l[1].generic);
    l = m->variables[2].links;
    check_true("links", "a byte of x", l[0].at == 1 && l[0].bytes == 1 && l[0].first_byte == 1 && l[0].variable == 0);
    wl_ptx_module_free(m);
    check_done();
}

/* ---- functions ---- */

static void test_functions(void **state)
{
    (void)state;
    wl_ptx_module *m = read(
        "functions", ".version 8.10\n.target sm_90a, debug\n.address_size 32\n.file 3 \"b.cu\"\n"
                     ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 s[24]);\n.func g();\n"
                     ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .f32 q)\n"
                     ".maxntid 32, 4\n.reqntid 128, 1, 1\n.minnctapersm 3\n.maxnreg 40\n{\n.loc 3 17 2\nret;\n"
                     ".loc 1 5 1, function_name $n + 4, inlined_at 3 17 2\nexit;\n"
                     ".loc 1 9 1, function_name $m, inlined_at 1 5 1\nexit;\n"
                     ".loc 3 40 1, function_name $o, inlined_at 3 17 2\nexit;\n}\n"
                     ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 s[24])\n{\nret;\n}\n.alias g, f;\n"
                     ".entry e() { call g; }\n.file 1 \"a.cu\"\n");
    const wl_ptx_function *k = &m->functions[2], *f = &m->functions[0];
    check_int("functions", "major version", m->version_major, 8);
    check_int("functions", "minor version", m->version_minor, 10);
    check_text("functions", "the target", m->target, "sm_90a");
    check_int("functions", "address bits", m->address_bits, 32);
    check_int("functions", "functions", m->function_count, 4);
    check_true("functions", "k is an entry with its limits",
               k->is_entry && k->max_threads[0] == 32 && k->max_threads[1] == 4 && k->max_threads[2] == 1 &&
                   k->required_threads[0] == 128 && k->min_blocks == 3 && k->max_registers == 40);
    check_true("functions", "parameters of k",
               k->param_count == 2 && m->variables[k->params[0]].is_pointer && m->variables[k->params[0]].align == 8 &&
                   m->variables[k->params[1]].type == WL_PTX_F32);
    check_true("functions", "f has a body and its parameters",
               !f->is_declared_only && f->return_count == 1 && f->param_count == 2 &&
                   m->variables[f->params[1]].bytes == 24 && m->variables[f->params[1]].align == 8);
    check_text("functions", "file of the first", m->files[k->instructions[0].file], "b.cu");
    check_int("functions", "line of the first", k->instructions[0].source_line, 17);
    /* of functions of another file, the call; of the same file, their own line */
    static const int lines[] = {17, 17, 17, 40};
    for (int i = 0; i < 4; i++) {
        check_text("functions", "file", m->files[k->instructions[i].file], "b.cu");
        check_int("functions", "line", k->instructions[i].source_line, lines[i]);
    }
    check_int("functions", "no .loc in f", f->instructions[0].file, -1);
    check_int("functions", "an alias is what it stands for", m->functions[3].instructions[0].operands[1].value, 0);
    check_int("functions", "notes", m->note_count, 0);
    wl_ptx_module_free(m);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_classes),   cmocka_unit_test(test_constants),
        cmocka_unit_test(test_scopes),       cmocka_unit_test(test_variables), cmocka_unit_test(test_links),
        cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
