/* cost_operands.c - additional reads in machine code: parameters, constants that do not fit an
 * immediate, the descriptor of global memory, the stack pointer; see cost_internal.h.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_internal.h"

#include "base/fail.h"

static const wl_ptx_instruction *instruction(const wl_weigher *w, int32_t at) { return &w->function->instructions[at]; }

/* ---- places ---- */

/* Where a value that no loop changes is read for an instruction: before the outermost loop around
 * it. */
static int32_t before_loops(const wl_weigher *w, int32_t at)
{
    int32_t place = at, guard = 0;
    while (w->def_use.loop_end[place] >= 0 && guard++ < w->function->instruction_count) {
        const int32_t first = wl_ptx_branch_target(instruction(w, w->def_use.loop_end[place]));
        if (first <= 0)
            break;
        place = first - 1;
    }
    return place;
}

/* Predicated bodies read parameters separately; other instructions of a basic block share one
 * read. */
static bool is_predicated(const wl_weigher *w, int32_t at) { return w->branch[at] >= 0 && w->branch[at] != at; }

static void find_blocks(const wl_weigher *w, int32_t *block)
{
    const int32_t count = w->function->instruction_count;
    for (int32_t i = 0; i <= count; i++)
        block[i] = -1;
    for (int32_t i = 0; i < count; i++) { /* where branches that are not predicated lead to */
        const int32_t to = wl_ptx_branch_target(instruction(w, i));
        if (to >= 0 && to <= count && w->branch[i] != i)
            block[to] = to;
    }
    for (int32_t i = 0, current = 0; i < count; i++) {
        const bool after = i > 0 && instruction(w, i - 1)->op == WL_PTX_OP_bra && w->branch[i - 1] != i - 1;
        current = block[i] == i || after ? i : current;
        block[i] = is_predicated(w, i) ? w->branch[i] : current;
    }
}

/* ---- parameters and constants that are stored ---- */

typedef struct parameter {
    wl_weigher *w;
    const int32_t *block;
    int32_t *read_in; /* by block: the parameter that was read there last */
    int32_t number;
    double cost;
} parameter;

/* A parameter is cheap to read again: each basic block that needs it reads it. */
static void charge_uses(const parameter *p, int32_t reg, int depth)
{
    const wl_ptx_def_use *d = &p->w->def_use;
    for (int32_t i = d->first_reader[reg]; i < d->first_reader[reg + 1]; i++) {
        const int32_t reader = d->readers[i];
        const wl_ptx_instruction *in = instruction(p->w, reader);
        if (depth > 0 && (in->op == WL_PTX_OP_cvta || in->op == WL_PTX_OP_mov) &&
            wl_cost_has_one_definition(p->w, in)) {
            charge_uses(p, in->operands[0].reg, depth - 1);
            continue;
        }
        const int32_t at = is_predicated(p->w, reader) ? reader : before_loops(p->w, reader);
        if (p->read_in[p->block[at]] == p->number)
            continue;
        p->read_in[p->block[at]] = p->number;
        wl_cost_charge(p->w, at, p->cost);
    }
}

/* Does a store or an atomic on global memory write a constant? It takes a register, except for
 * 0. */
static bool stores_number(const wl_weigher *w, const wl_ptx_instruction *in, int64_t *number)
{
    const int value = in->op == WL_PTX_OP_atom ? 2 : 1;
    const bool writes =
        in->op == WL_PTX_OP_st || ((in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red) && in->space == WL_PTX_GLOBAL);
    if (!writes || value >= in->operand_count)
        return false;
    const wl_ptx_instruction *made = wl_ptx_definition_of(&w->def_use, in, value);
    const wl_ptx_operand *o = &in->operands[value];
    if (made && made->op == WL_PTX_OP_mov && made->operand_count > 1)
        o = &made->operands[1];
    *number = o->value;
    return o->kind == WL_PTX_OPERAND_IMMEDIATE && o->value != 0;
}

/* Each basic block loads such a constant into a register separately. */
static void charge_stored(wl_weigher *w, const int32_t *block)
{
    int64_t number = 0, before = 0;
    int32_t last = -1;
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        if (!stores_number(w, instruction(w, i), &number))
            continue;
        if (block[i] != last || number != before)
            wl_cost_charge(w, i, 1);
        last = block[i];
        before = number;
    }
}

static wl_status charge_by_block(wl_weigher *w, wl_arena *arena, wl_error *err)
{
    const int32_t count = w->function->instruction_count;
    int32_t *block = WL_ARENA_NEW(arena, int32_t, count + 1), *read_in = WL_ARENA_NEW(arena, int32_t, count + 1);
    if (!block || !read_in)
        return wl_fail_memory(err);
    find_blocks(w, block);
    charge_stored(w, block);
    for (int32_t i = 0; i <= count; i++)
        read_in[i] = -1;
    for (int32_t i = 0; i < count; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        const parameter p = {w, block, read_in, i,
                             wl_ptx_type_bits(in->type) == 64 ? w->costs->rules.parameter
                                                              : w->costs->rules.narrow_parameter};
        if (in->op == WL_PTX_OP_ld && in->space == WL_PTX_PARAM && wl_cost_has_one_definition(w, in))
            charge_uses(&p, in->operands[0].reg, 4); /* a pointer is converted once or twice */
    }
    return WL_OK;
}

/* ---- the rest ---- */

/* The stack pointer, and the descriptor of global memory. */
static void charge_prologue(wl_weigher *w)
{
    if (!w->function->is_entry || w->function->instruction_count == 0)
        return;
    wl_cost_charge(w, 0, w->costs->rules.stack_pointer);
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        const wl_inst_class c = wl_ptx_class_of(in);
        if ((c == WL_INST_load && in->space != WL_PTX_CONST) || c == WL_INST_store || c == WL_INST_atomic) {
            wl_cost_charge(w, before_loops(w, i), w->costs->rules.global_descriptor);
            return;
        }
    }
}

#define CONSTANTS_MAX 64

static void charge_constants(wl_weigher *w)
{
    int64_t seen[CONSTANTS_MAX];
    int count = 0;
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        for (int o = 1; o < in->operand_count && in->op != WL_PTX_OP_mov; o++) {
            const int64_t value = in->operands[o].value;
            int k = 0;
            while (k < count && seen[k] != value)
                k++;
            if (!wl_cost_by_number(in, o) || !wl_cost_is_long_number(in->type, value) || k < count)
                continue;
            if (count < CONSTANTS_MAX)
                seen[count++] = value;
            wl_cost_charge(w, before_loops(w, i), w->costs->rules.long_constant);
        }
    }
}

wl_status wl_cost_charge_operands(wl_weigher *w, wl_arena *arena, wl_error *err)
{
    charge_constants(w);
    WL_TRY(charge_by_block(w, arena, err));
    charge_prologue(w);
    return WL_OK;
}
