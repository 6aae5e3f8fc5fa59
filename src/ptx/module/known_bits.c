/* known_bits.c - see known_bits.h. SPDX-License-Identifier: MIT */
#include "ptx/module/known_bits.h"

#include "ptx/module/tensor.h"

#define DEPTH_MAX 12 /* definitions that are followed */

static const wl_ptx_bits nothing = {0, 0};

static wl_ptx_bits bits_of(const wl_ptx_def_use *d, const wl_ptx_operand *o, int depth);

static wl_ptx_bits shifted(const wl_ptx_instruction *in, wl_ptx_bits a, wl_ptx_bits by)
{
    const uint64_t bits = (uint64_t)wl_ptx_type_bits(in->type);
    if (by.known != UINT64_MAX || by.value >= bits || bits > 64)
        return nothing;
    const uint64_t all = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    if (in->op == WL_PTX_OP_shl)
        return (wl_ptx_bits){a.known << by.value | (((uint64_t)1 << by.value) - 1), a.value << by.value & all};
    return (wl_ptx_bits){(a.known & all) >> by.value | ~(all >> by.value), (a.value & all) >> by.value};
}

/* Of the result of an instruction. */
static wl_ptx_bits result_of(const wl_ptx_def_use *d, const wl_ptx_instruction *in, int depth)
{
    const wl_ptx_bits a = in->operand_count > 1 ? bits_of(d, &in->operands[1], depth) : nothing,
                      b = in->operand_count > 2 ? bits_of(d, &in->operands[2], depth) : nothing;
    const uint64_t zeros_a = a.known & ~a.value, zeros_b = b.known & ~b.value;
    switch (in->op) {
    case WL_PTX_OP_mov: return a;
    case WL_PTX_OP_cvt:
        return wl_ptx_type_bits(in->type) >= 32 && wl_ptx_type_bits(in->from) == 32
                   ? (wl_ptx_bits){a.known & UINT32_MAX, a.value & UINT32_MAX}
                   : nothing;
    case WL_PTX_OP_or: return (wl_ptx_bits){a.value | b.value | (zeros_a & zeros_b), a.value | b.value};
    case WL_PTX_OP_and: return (wl_ptx_bits){zeros_a | zeros_b | (a.value & b.value), a.value & b.value};
    case WL_PTX_OP_xor: return (wl_ptx_bits){a.known & b.known, (a.value ^ b.value) & a.known & b.known};
    case WL_PTX_OP_add: /* without a carry: in each place at most one of both has a bit */
        return (zeros_a | zeros_b) == UINT64_MAX ? (wl_ptx_bits){a.known & b.known, (a.value | b.value)} : nothing;
    case WL_PTX_OP_shl:
    case WL_PTX_OP_shr: return wl_ptx_type_is_signed(in->type) ? nothing : shifted(in, a, b);
    default: return nothing;
    }
}

static wl_ptx_bits bits_of(const wl_ptx_def_use *d, const wl_ptx_operand *o, int depth)
{
    if (o->kind == WL_PTX_OPERAND_IMMEDIATE)
        return (wl_ptx_bits){UINT64_MAX, (uint64_t)o->value};
    if (o->kind != WL_PTX_OPERAND_REG || o->reg < 0 || depth == 0)
        return nothing;
    const int32_t at = d->definition[o->reg];
    if (at < 0)
        return nothing;
    const wl_ptx_instruction *in = &d->function->instructions[at];
    const bool plain = in->guard < 0 && in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[0].reg == o->reg;
    return plain ? result_of(d, in, depth - 1) : nothing;
}

wl_ptx_bits wl_ptx_bits_of(const wl_ptx_def_use *def_use, const wl_ptx_operand *operand)
{
    return bits_of(def_use, operand, DEPTH_MAX);
}

wl_status wl_ptx_find_descriptors(wl_ptx_function *function, wl_error *err)
{
    wl_arena scratch = {0};
    wl_ptx_def_use def_use = {.function = NULL};
    wl_status status = WL_OK;
    for (int32_t i = 0; i < function->instruction_count && status == WL_OK; i++) {
        wl_ptx_instruction *in = &function->instructions[i];
        const int at = wl_ptx_descriptor_operand(in);
        if (at < 0)
            continue;
        if (!def_use.function)
            status = wl_ptx_def_use_make(function, &scratch, &def_use, err);
        if (status != WL_OK)
            break;
        const wl_ptx_bits bits = wl_ptx_bits_of(&def_use, &in->operands[at]);
        if ((bits.known & WL_PTX_DESCRIPTOR_SHAPE) == WL_PTX_DESCRIPTOR_SHAPE)
            in->descriptor = (uint32_t)bits.value;
    }
    wl_arena_free(&scratch);
    return status;
}
