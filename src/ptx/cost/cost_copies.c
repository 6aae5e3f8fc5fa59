/* cost_copies.c - copies between registers. Parameters, addresses and constants become operands; a
 * mov costs something only where a register has several definitions, or where a loop overwrites
 * what was copied while the copy is still read.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_internal.h"

#include "base/fail.h"

/* Registers that a copy to this one writes. */
static double registers_written(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const bool low_alone = in->type != WL_PTX_F64 && w->high[in->operands[0].reg].kind == WL_HIGH_CONSTANT;
    return wl_ptx_type_bits(in->type) < 64 || low_alone ? 1 : 2;
}

static double constant_cost(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (wl_cost_has_one_definition(w, in) && !wl_cost_is_long_number(in->type, in->operands[1].value))
        return 0;
    return in->operands[0].kind == WL_PTX_OPERAND_REG ? registers_written(w, in) : 1;
}

typedef struct definitions {
    int32_t *next; /* by register: the next instruction that defines it */
    int32_t at;
} definitions;

/* Is the copied register overwritten in the loop, by instruction `next`, while the copy is still to
 * be read? Then both need a register of their own. */
static bool keeps_old_value(const wl_weigher *w, int32_t at, int32_t next)
{
    const wl_ptx_instruction *in = &w->function->instructions[at];
    const int32_t to = in->operands[0].reg, readers = wl_ptx_reader_count(&w->def_use, to);
    return next <= w->def_use.loop_end[at] && readers > 0 &&
           next < w->def_use.readers[w->def_use.first_reader[to] + readers - 1];
}

static bool is_register_copy(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_mov && in->operand_count == 2 && in->operands[0].kind == WL_PTX_OPERAND_REG &&
           in->operands[0].reg >= 0 && in->operands[1].kind == WL_PTX_OPERAND_REG && in->operands[1].reg >= 0;
}

static void note_definition(void *user, int32_t reg, bool written)
{
    definitions *d = user;
    if (written)
        d->next[reg] = d->at;
}

/* Walks backward, so that the next definition of each register is known. */
wl_status wl_cost_find_kept_copies(wl_weigher *w, wl_arena *scratch, wl_error *err)
{
    definitions d = {.next = WL_ARENA_NEW(scratch, int32_t, w->function->register_count + 1)};
    if (!d.next)
        return wl_fail_memory(err);
    for (int32_t r = 0; r < w->function->register_count; r++)
        d.next[r] = INT32_MAX;
    for (d.at = w->function->instruction_count - 1; d.at >= 0; d.at--) {
        const wl_ptx_instruction *in = &w->function->instructions[d.at];
        w->kept[d.at] = is_register_copy(in) && keeps_old_value(w, d.at, d.next[in->operands[1].reg]);
        wl_ptx_registers_of(w->function, in, note_definition, &d);
    }
    return WL_OK;
}

double wl_cost_of_copy(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const wl_ptx_operand *from = &in->operands[1];
    const double registers = wl_ptx_type_bits(in->type) == 64 ? 2 : 1;
    switch (from->kind) {
    case WL_PTX_OPERAND_SPECIAL: return 1;
    case WL_PTX_OPERAND_VARIABLE:
        return from->variable >= 0 && w->module->variables[from->variable].space == WL_PTX_SHARED
                   ? w->costs->rules.shared_base
                   : 1;
    case WL_PTX_OPERAND_IMMEDIATE: return constant_cost(w, in);
    case WL_PTX_OPERAND_REG:
        if (from->reg < 0)
            return 0;
        if (wl_cost_has_one_definition(w, in))
            return w->kept[in - w->function->instructions] ? registers : 0;
        return wl_ptx_reader_count(&w->def_use, from->reg) < 2 ? 0 : registers;
    default: return 0;
    }
}
