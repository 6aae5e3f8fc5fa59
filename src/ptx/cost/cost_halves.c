/* cost_halves.c - 64-bit integers of which machine code computes only one half: the high half is a
 * constant, or is never read. See cost_internal.h.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_internal.h"

#include <string.h>

#include "base/fail.h"

#define HALF 32 /* bits */

static bool is_wide_integer(wl_ptx_type type) { return wl_cost_kind_of(type) == WL_COST_I64; }

static bool writes_register(const wl_ptx_instruction *in)
{
    return in->operand_count > 0 && in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[0].reg >= 0 &&
           wl_ptx_writes_first(in);
}

static bool shifts_by_half(const wl_ptx_instruction *in)
{
    return wl_cost_by_number(in, 2) && in->operands[2].value >= HALF;
}

/* ---- the high half is a constant ---- */

static void join_high(wl_weigher *w, int32_t to, wl_high_kind kind, int64_t value, bool *changed)
{
    const wl_high_kind before = w->high[to].kind;
    if (kind == WL_HIGH_NONE || before == WL_HIGH_VARIES)
        return;
    if (kind == WL_HIGH_VARIES || (before == WL_HIGH_CONSTANT && w->high[to].value != value))
        w->high[to].kind = WL_HIGH_VARIES;
    else
        w->high[to] = (wl_high_half){WL_HIGH_CONSTANT, value};
    *changed = *changed || w->high[to].kind != before;
}

static wl_high_half high_of(const wl_weigher *w, const wl_ptx_operand *from)
{
    if (from->kind == WL_PTX_OPERAND_IMMEDIATE)
        return (wl_high_half){WL_HIGH_CONSTANT, from->value >> HALF};
    if (from->kind == WL_PTX_OPERAND_REG && from->reg >= 0)
        return w->high[from->reg];
    return (wl_high_half){WL_HIGH_VARIES, 0};
}

/* Masked bits are 0, whatever the other operand is. */
static wl_high_half high_of_mask(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const wl_high_half a = high_of(w, &in->operands[1]), b = high_of(w, &in->operands[2]);
    if ((a.kind == WL_HIGH_CONSTANT && a.value == 0) || (b.kind == WL_HIGH_CONSTANT && b.value == 0))
        return (wl_high_half){WL_HIGH_CONSTANT, 0};
    return a.kind == WL_HIGH_NONE || b.kind == WL_HIGH_NONE ? (wl_high_half){WL_HIGH_NONE, 0}
                                                            : (wl_high_half){WL_HIGH_VARIES, 0};
}

static wl_high_half high_of_result(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const wl_high_half zero = {WL_HIGH_CONSTANT, 0}, varies = {WL_HIGH_VARIES, 0};
    switch (in->op) {
    case WL_PTX_OP_cvt:
        return wl_cost_kind_of(in->from) == WL_COST_U32 && !wl_ptx_type_is_float(in->from) ? zero : varies;
    case WL_PTX_OP_and: return high_of_mask(w, in);
    case WL_PTX_OP_shr: return shifts_by_half(in) && !wl_ptx_type_is_signed(in->type) ? zero : varies;
    default: return varies;
    }
}

/* Copies and selections keep the high halves of their operands: it is written once for all of
 * them. */
void wl_cost_find_high_halves(wl_weigher *w)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t i = 0; i < w->function->instruction_count; i++) {
            const wl_ptx_instruction *in = &w->function->instructions[i];
            const bool copies = in->op == WL_PTX_OP_mov || in->op == WL_PTX_OP_selp;
            if (!writes_register(in))
                continue;
            for (int o = 1; copies && o < (in->op == WL_PTX_OP_mov ? 2 : 3); o++) {
                const wl_high_half high = high_of(w, &in->operands[o]);
                join_high(w, in->operands[0].reg, high.kind, high.value, &changed);
            }
            if (copies)
                continue;
            const wl_high_half high = high_of_result(w, in);
            join_high(w, in->operands[0].reg, high.kind, high.value, &changed);
        }
    }
}

/* ---- the high half is never read ---- */

/* Whether the low half of the result follows from the low halves of the operands. */
static bool stays_low(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_add:
    case WL_PTX_OP_sub:
    case WL_PTX_OP_and:
    case WL_PTX_OP_or:
    case WL_PTX_OP_xor:
    case WL_PTX_OP_not:
    case WL_PTX_OP_neg:
    case WL_PTX_OP_mov:
    case WL_PTX_OP_selp: return true;
    case WL_PTX_OP_mul:
    case WL_PTX_OP_mad: return in->modifiers & WL_PTX_MOD_LO;
    case WL_PTX_OP_shl: return wl_cost_by_number(in, 2) && !shifts_by_half(in);
    default: return false;
    }
}

/* Does an instruction read only the low halves of its 64-bit operands? */
static bool reads_low(const wl_ptx_instruction *in, const bool *needed)
{
    if (in->op == WL_PTX_OP_cvt)
        return wl_ptx_type_bits(in->type) <= HALF && !wl_ptx_type_is_float(in->type);
    if (in->op == WL_PTX_OP_shl && shifts_by_half(in))
        return true;
    if (in->op == WL_PTX_OP_and && wl_cost_by_number(in, 2) && in->operands[2].value >> HALF == 0)
        return true;
    return stays_low(in) && writes_register(in) && is_wide_integer(in->type) && !needed[in->operands[0].reg];
}

typedef struct marking {
    bool *needed, changed;
} marking;

static void mark(void *user, int32_t reg, bool written)
{
    marking *m = user;
    m->changed = m->changed || (!written && !m->needed[reg]);
    m->needed[reg] = m->needed[reg] || !written;
}

/* A copy of the function in which values whose high half is never read have 32 bits: the assembler
 * computes no more. */
wl_status wl_cost_narrow(const wl_ptx_function *function, wl_arena *arena, wl_ptx_function *out, wl_error *err)
{
    const int32_t count = function->instruction_count;
    wl_ptx_instruction *all = WL_ARENA_NEW(arena, wl_ptx_instruction, count + 1);
    marking m = {.needed = WL_ARENA_NEW(arena, bool, function->register_count + 1), .changed = true};
    if (!all || !m.needed)
        return wl_fail_memory(err);
    while (m.changed) {
        m.changed = false;
        for (int32_t i = count - 1; i >= 0; i--)
            if (!reads_low(&function->instructions[i], m.needed))
                wl_ptx_registers_of(function, &function->instructions[i], mark, &m);
    }
    for (int32_t i = 0; i < count; i++) {
        all[i] = function->instructions[i];
        const bool converts = all[i].op == WL_PTX_OP_cvt && !wl_ptx_type_is_float(all[i].from);
        if (writes_register(&all[i]) && is_wide_integer(all[i].type) && !m.needed[all[i].operands[0].reg] &&
            (stays_low(&all[i]) || converts))
            all[i].type = wl_ptx_type_is_signed(all[i].type) ? WL_PTX_S32 : WL_PTX_U32;
    }
    *out = *function;
    out->instructions = all;
    return WL_OK;
}
