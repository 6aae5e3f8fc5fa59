/* cost_logic.c - three-input logic. LOP3 computes any function of three bits: ptxas joins the and,
 * or, xor and not of PTX, which read two, as long as the joined function reads three at most. A
 * chain of four xor becomes two LOP3, `(~a & b) ^ c` one.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_internal.h"

#include "base/fail.h"

enum { LOGIC_INPUTS = 3 };

typedef struct inputs {
    const wl_ptx_operand *of[LOGIC_INPUTS];
    int count;
} inputs;

bool wl_cost_is_logic(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_and || in->op == WL_PTX_OP_or || in->op == WL_PTX_OP_xor || in->op == WL_PTX_OP_not;
}

static bool is_lop(const wl_ptx_instruction *in)
{
    return wl_cost_is_logic(in) && wl_cost_kind_of(in->type) != WL_COST_P;
}

static bool is_same(const wl_ptx_operand *a, const wl_ptx_operand *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == WL_PTX_OPERAND_REG ? a->reg == b->reg && a->reg >= 0
                                         : a->kind == WL_PTX_OPERAND_IMMEDIATE && a->value == b->value;
}

/* A number of zeros or ones is part of the function. */
static bool is_input(const wl_ptx_operand *o)
{
    return o->kind != WL_PTX_OPERAND_IMMEDIATE || (o->value != 0 && o->value != -1);
}

/* Whether there is room. */
static bool add_input(inputs *to, const wl_ptx_operand *o)
{
    if (!is_input(o))
        return true;
    for (int i = 0; i < to->count; i++)
        if (is_same(to->of[i], o))
            return true;
    if (to->count == LOGIC_INPUTS)
        return false;
    to->of[to->count++] = o;
    return true;
}

/* The logic whose result nothing but operand `which` of `by` reads; NULL: none. */
static const wl_ptx_instruction *joinable(const wl_weigher *w, const wl_ptx_instruction *by, int which)
{
    const wl_ptx_instruction *part = wl_ptx_definition_of(&w->def_use, by, which);
    if (!part || part >= by || !is_lop(part) || wl_cost_kind_of(part->type) != wl_cost_kind_of(by->type) ||
        wl_ptx_reader_count(&w->def_use, part->operands[0].reg) != 1)
        return NULL;
    const wl_ptx_instruction *first = w->function->instructions;
    return w->def_use.loop_end[part - first] == w->def_use.loop_end[by - first] ? part : NULL;
}

/* The inputs of the instruction with the chosen operands (bits) joined; whether they fit. */
static bool join(const wl_weigher *w, const wl_ptx_instruction *by, unsigned chosen, const inputs *known, inputs *out)
{
    *out = (inputs){0};
    for (int o = 1; o < by->operand_count; o++) {
        if (!(chosen & 1u << o)) {
            if (!add_input(out, &by->operands[o]))
                return false;
            continue;
        }
        const wl_ptx_instruction *part = joinable(w, by, o);
        const inputs *more = part ? &known[part - w->function->instructions] : NULL;
        for (int i = 0; more && i < more->count; i++)
            if (!add_input(out, more->of[i]))
                return false;
        if (!more)
            return false;
    }
    return true;
}

wl_status wl_cost_fold_logic(wl_weigher *w, wl_arena *scratch, wl_error *err)
{
    /* both operands, or one; then none */
    static const unsigned choices[] = {1u << 1 | 1u << 2, 1u << 1, 1u << 2, 0};
    inputs *known = WL_ARENA_NEW(scratch, inputs, w->function->instruction_count + 1);
    if (!known)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        if (!is_lop(in))
            continue;
        unsigned c = 0;
        while (!join(w, in, choices[c], known, &known[i]))
            c++;
        for (int o = 1; o < in->operand_count; o++)
            if (choices[c] & 1u << o)
                w->folded[joinable(w, in, o) - w->function->instructions] = true;
    }
    return WL_OK;
}
