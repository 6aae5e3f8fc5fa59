/* alignment.c - see alignment.h. All registers start with the largest exponent; each definition
 * lowers that of its register to what its operands allow, until nothing changes. So a pointer that
 * a loop advances keeps the alignment of its step. SPDX-License-Identifier: MIT */
#include "ptx/module/alignment.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

/* Passes over the function: one, and one for each loop that lowers a value again. Longer chains
 * of loops are only in contrived code: then nothing is known. */
#define PASSES_MAX 16

typedef struct finder {
    const wl_ptx_function *function;
    const uint8_t *of_variable;
    uint8_t *exponent;
    uint8_t result; /* of the current instruction */
    bool changed;
} finder;

static uint8_t least(uint8_t a, uint8_t b) { return a < b ? a : b; }

static uint8_t at_most(int exponent)
{
    return (uint8_t)(exponent < WL_PTX_ALIGNMENT_MAX ? exponent : WL_PTX_ALIGNMENT_MAX);
}

static uint8_t of_number(int64_t value)
{
    int zeros = 0;
    while (zeros < WL_PTX_ALIGNMENT_MAX && !(value >> zeros & 1))
        zeros++;
    return (uint8_t)zeros;
}

static uint8_t of_operand(const finder *f, const wl_ptx_instruction *in, int which)
{
    if (which >= in->operand_count)
        return 0;
    const wl_ptx_operand *o = &in->operands[which];
    switch (o->kind) {
    case WL_PTX_OPERAND_REG: return o->reg >= 0 ? f->exponent[o->reg] : 0;
    case WL_PTX_OPERAND_IMMEDIATE: return of_number(o->value);
    case WL_PTX_OPERAND_VARIABLE: return o->variable >= 0 ? least(f->of_variable[o->variable], of_number(o->value)) : 0;
    default: return 0;
    }
}

static uint8_t of_product(const finder *f, const wl_ptx_instruction *in)
{
    return in->modifiers & WL_PTX_MOD_HI ? 0 : at_most(of_operand(f, in, 1) + of_operand(f, in, 2));
}

static uint8_t of_result(const finder *f, const wl_ptx_instruction *in)
{
    const uint8_t a = of_operand(f, in, 1), b = of_operand(f, in, 2);
    if (wl_ptx_type_is_float(in->type))
        return 0;
    switch (in->op) {
    case WL_PTX_OP_mov:
    case WL_PTX_OP_cvta: return a;
    case WL_PTX_OP_cvt: return wl_ptx_type_is_float(in->from) || in->modifiers & WL_PTX_MOD_SAT ? 0 : a;
    case WL_PTX_OP_add:
    case WL_PTX_OP_sub: return in->modifiers & WL_PTX_MOD_SAT ? 0 : least(a, b);
    case WL_PTX_OP_or:
    case WL_PTX_OP_xor:
    case WL_PTX_OP_selp: return least(a, b);
    case WL_PTX_OP_and: return a > b ? a : b;
    case WL_PTX_OP_shl:
        return in->operand_count > 2 && in->operands[2].kind == WL_PTX_OPERAND_IMMEDIATE && in->operands[2].value >= 0
                   ? at_most(a + (int)wl_min(in->operands[2].value, WL_PTX_ALIGNMENT_MAX))
                   : a;
    case WL_PTX_OP_mul: return of_product(f, in);
    case WL_PTX_OP_mad: return in->modifiers & WL_PTX_MOD_SAT ? 0 : least(of_product(f, in), of_operand(f, in, 3));
    default: return 0;
    }
}

static void lower(void *user, int32_t reg, bool written)
{
    finder *f = user;
    if (written && f->exponent[reg] > f->result) {
        f->exponent[reg] = f->result;
        f->changed = true;
    }
}

static bool is_plain(const wl_ptx_instruction *in)
{
    return in->operand_count > 0 && in->operands[0].kind == WL_PTX_OPERAND_REG &&
           wl_ptx_second_of(&in->operands[0]) < 0;
}

wl_status wl_ptx_alignments_find(const wl_ptx_function *function, const uint8_t *of_variable, wl_arena *arena,
                                 uint8_t **out, wl_error *err)
{
    finder f = {.function = function,
                .of_variable = of_variable,
                .exponent = WL_ARENA_NEW(arena, uint8_t, function->register_count + 1),
                .changed = true};
    *out = f.exponent;
    if (!f.exponent)
        return wl_fail_memory(err);
    memset(f.exponent, WL_PTX_ALIGNMENT_MAX, (size_t)function->register_count);
    for (int pass = 0; pass < PASSES_MAX && f.changed; pass++) {
        f.changed = false;
        for (int32_t i = 0; i < function->instruction_count; i++) {
            const wl_ptx_instruction *in = &function->instructions[i];
            f.result = is_plain(in) ? of_result(&f, in) : 0;
            wl_ptx_registers_of(function, in, lower, &f);
        }
    }
    if (f.changed)
        memset(f.exponent, 0, (size_t)function->register_count);
    return WL_OK;
}
