/* fuzz_machine.c - machine code: a cubin, or else four bytes for each instruction of any program,
 * matched with one PTX kernel. Weights and places must be those of instructions that there are.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "ptx/cost/machine_weights.h"
#include "ptx/module/def_use.h"
#include "ptx/read/read_module.h"

/* Loops in each other and beside each other, a body that may be predicated, a division, and an
 * atomic. */
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry sum(.param .u64 at, .param .u32 n)\n{\n"
                          ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<6>;\n.reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [at];\n"
                          "ld.param.u32 %r1, [n];\n"
                          "mov.u32 %r2, %tid.x;\n"
                          "mul.wide.u32 %rd2, %r2, 4;\n"
                          "add.s64 %rd3, %rd1, %rd2;\n"
                          "setp.lt.s32 %p1, %r1, 1;\n"
                          "@%p1 bra done;\n"
                          "mov.u32 %r3, 0;\n"
                          "outer:\n"
                          "mov.u32 %r4, 0;\n"
                          "inner:\n"
                          "ld.global.f32 %f1, [%rd3];\n"
                          "fma.rn.f32 %f2, %f1, %f1, %f2;\n"
                          "add.s32 %r4, %r4, 1;\n"
                          "setp.lt.s32 %p2, %r4, %r1;\n"
                          "@%p2 bra inner;\n"
                          "setp.gt.f32 %p3, %f2, %f1;\n"
                          "@%p3 bra skip;\n"
                          "st.global.f32 [%rd3], %f2;\n"
                          "skip:\n"
                          "bar.sync 0;\n"
                          "add.s32 %r3, %r3, 1;\n"
                          "setp.lt.s32 %p2, %r3, %r1;\n"
                          "@%p2 bra outer;\n"
                          "mov.u32 %r5, 0;\n"
                          "last:\n"
                          "div.rn.f32 %f3, %f2, %f1;\n"
                          "add.f32 %f2, %f3, %f2;\n"
                          "add.s32 %r5, %r5, 1;\n"
                          "setp.lt.s32 %p2, %r5, %r1;\n"
                          "@%p2 bra last;\n"
                          "done:\n"
                          "red.global.add.f32 [%rd3], %f2;\n"
                          "ret;\n}\n";

static const wl_machine_operation operations[] = {
    {"FFMA", WL_INST_fp32, WL_MACHINE_ANY, WL_MACHINE_NEXT},
    {"IMAD", WL_INST_int, WL_MACHINE_MULTIPLY_WIDE, WL_MACHINE_NEXT},
    {"LOP3", WL_INST_int, WL_MACHINE_INTEGER, WL_MACHINE_NEXT},
    {"LDG", WL_INST_load, WL_MACHINE_ANY, WL_MACHINE_NEXT},
    {"STG", WL_INST_store, WL_MACHINE_ANY, WL_MACHINE_NEXT},
    {"LDL", WL_INST_load, WL_MACHINE_ANY, WL_MACHINE_NEXT},
    {"REDG", WL_INST_atomic, WL_MACHINE_ANY, WL_MACHINE_NEXT},
    {"BAR", WL_INST_control, WL_MACHINE_ANY, WL_MACHINE_NEXT},
    {"BRA", WL_INST_control, WL_MACHINE_ANY, WL_MACHINE_BRANCH},
    {"EXIT", WL_INST_control, WL_MACHINE_ANY, WL_MACHINE_END},
    {"CALL", WL_INST_control, WL_MACHINE_ANY, WL_MACHINE_CALL},
    {"BRX", WL_INST_control, WL_MACHINE_ANY, WL_MACHINE_INDIRECT},
    {NULL, WL_INST_fp64, WL_MACHINE_ANY, WL_MACHINE_NEXT},
};

enum { UNIT = 4, UNITS_MAX = 4096 };

/* Operation, guard and high bits of the target, line, low bits of the target. */
static wl_machine_kernel any_program(const uint8_t *data, size_t size, wl_arena *arena)
{
    const int32_t count = (int32_t)(size / UNIT < UNITS_MAX ? size / UNIT : UNITS_MAX);
    wl_machine_kernel k = {WL_ARENA_NEW(arena, wl_machine_instruction, count + 1), count, -1, true};
    REQUIRE(k.list);
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *at = data + (size_t)i * UNIT;
        const wl_machine_operation *o = &operations[at[0] % (sizeof operations / sizeof operations[0])];
        const int32_t target = (at[1] >> 1) * (UINT8_MAX + 1) + at[3];
        k.list[i] = (wl_machine_instruction){o, at[2], -1, at[1] & 1};
        if (o->flow == WL_MACHINE_BRANCH && target < count)
            k.list[i].target = target;
    }
    return k;
}

static void check_weights(const wl_ptx_function *f, const double *weight, const wl_ptx_counting *c, int32_t machine)
{
    for (int32_t i = 0; i < f->instruction_count; i++) {
        REQUIRE(isfinite(weight[i]) && weight[i] >= 0);
        REQUIRE(c->as[i] >= 0 && c->as[i] < f->instruction_count);
        REQUIRE(c->unrolled[i] >= -1 && c->unrolled[i] < f->instruction_count);
        REQUIRE(c->repeated[i] >= -1 && c->repeated[i] < f->instruction_count);
        REQUIRE(!c->split[i].row || c->split[i].row->cost > 0);
        for (int k = 0; k < WL_PTX_ROUND && c->places; k++)
            REQUIRE(c->places[WL_PTX_ROUND * i + k] >= -1 && c->places[WL_PTX_ROUND * i + k] < machine);
    }
}

/* The kernel, and costs of its architecture: read once, and never freed. */
static void weigh(const wl_machine_kernel *code, wl_arena *arena)
{
    static wl_ptx_module *module;
    static wl_ptx_costs *costs;
    const double *weight = NULL;
    wl_ptx_counting counting;
    const char *why = NULL;
    bool spills;
    wl_error err = {0};
    REQUIRE(module || wl_ptx_module_parse("sum.ptx", ptx, sizeof ptx - 1, &module, &err) == WL_OK);
    REQUIRE(costs || wl_ptx_costs_builtin("sm_90", &costs, &err) == WL_OK);
    const wl_ptx_function *f = &module->functions[0];
    REQUIRE(wl_ptx_weigh(costs, module, f, arena, &weight, &counting, &err) == WL_OK);
    const wl_status status = wl_ptx_weigh_machine_code(code, f, arena, &weight, &counting, &spills, &why, &err);
    REQUIRE(status == WL_OK);
    REQUIRE(!why == (counting.places != NULL));
    check_weights(f, weight, &counting, code->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wl_arena arena = {0};
    wl_machine_code code;
    wl_machine_kernel kernel;
    wl_error err = {0};
    if (!wl_elf_is((wl_bytes){data, size})) {
        kernel = any_program(data, size, &arena);
        weigh(&kernel, &arena);
    } else {
        const wl_status opened = wl_machine_code_open((wl_bytes){data, size}, &code, &err);
        fuzz_check_outcome(opened, opened == WL_OK ? &code : NULL, &err);
        if (opened == WL_OK && wl_machine_kernel_read(&code, "sum", &arena, &kernel, &err) == WL_OK)
            weigh(&kernel, &arena);
    }
    wl_arena_free(&arena);
    return 0;
}
