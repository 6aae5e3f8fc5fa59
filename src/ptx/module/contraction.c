/* contraction.c - see contraction.h. SPDX-License-Identifier: MIT */
#include "ptx/module/contraction.h"

#include "base/fail.h"

typedef struct finder {
    const wl_ptx_def_use *def_use;
    const wl_ptx_function *function;
    wl_ptx_contraction *of; /* by instruction */
    int32_t *block;         /* by instruction: the first one of its basic block */
} finder;

/* Rounded to nearest unless the context wants it otherwise. */
static bool leaves_rounding(const wl_ptx_instruction *in, wl_ptx_op op)
{
    return in->op == op && (in->type == WL_PTX_F32 || in->type == WL_PTX_F64) && in->variant == WL_PTX_V_NONE;
}

static bool is_product(const wl_ptx_instruction *in)
{
    return leaves_rounding(in, WL_PTX_OP_mul) && in->guard < 0 && !(in->modifiers & WL_PTX_MOD_SAT);
}

static bool is_sum(const wl_ptx_instruction *in)
{
    return leaves_rounding(in, WL_PTX_OP_add) || leaves_rounding(in, WL_PTX_OP_sub);
}

static bool fit_together(const wl_ptx_instruction *product, const wl_ptx_instruction *sum)
{
    return product->type == sum->type && ((product->modifiers ^ sum->modifiers) & WL_PTX_MOD_FTZ) == 0;
}

static bool is_change_of_sign(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_neg && in->guard < 0; }

static int32_t place_of(const finder *f, const wl_ptx_instruction *in)
{
    return (int32_t)(in - f->function->instructions);
}

/* The product that an operand of a sum is, perhaps with another sign; -1: none. */
static int32_t product_of(const finder *f, const wl_ptx_instruction *sum, int which, bool *negated)
{
    const wl_ptx_instruction *made = wl_ptx_definition_of(f->def_use, sum, which);
    *negated = made && is_change_of_sign(made);
    if (*negated)
        made = wl_ptx_definition_of(f->def_use, made, 1);
    if (!made || !is_product(made) || !fit_together(made, sum) ||
        f->block[place_of(f, made)] != f->block[place_of(f, sum)])
        return -1;
    return place_of(f, made);
}

/* Do all readers of the result want it as a part of a sum? `depth`: changes of sign on the way. */
static bool is_only_added(const finder *f, int32_t product, const wl_ptx_instruction *in, int depth)
{
    const wl_ptx_operand *to = &in->operands[0];
    if (to->kind != WL_PTX_OPERAND_REG || f->def_use->definition[to->reg] != place_of(f, in))
        return false;
    const int32_t first = f->def_use->first_reader[to->reg], end = f->def_use->first_reader[to->reg + 1];
    for (int32_t i = first; i < end; i++) {
        const wl_ptx_instruction *reader = &f->function->instructions[f->def_use->readers[i]];
        bool negated;
        if (depth == 0 && is_change_of_sign(reader) && is_only_added(f, product, reader, depth + 1))
            continue;
        if (!is_sum(reader) ||
            (product_of(f, reader, 1, &negated) == product) == (product_of(f, reader, 2, &negated) == product))
            return false; /* a product added to itself is doubled */
    }
    return first < end;
}

/* ---- are the factors still there? ---- */

typedef struct change {
    int32_t factor[2];
    bool found;
} change;

static void note_write(void *user, int32_t reg, bool written)
{
    change *c = user;
    c->found = c->found || (written && (reg == c->factor[0] || reg == c->factor[1]));
}

static int32_t register_of(const wl_ptx_operand *o) { return o->kind == WL_PTX_OPERAND_REG ? o->reg : -1; }

/* Scanning ends after so many instructions: then they may have been overwritten. */
#define SCANNED_MAX 256

static bool keeps_factors(const finder *f, int32_t product, int32_t sum)
{
    const wl_ptx_instruction *in = &f->function->instructions[product];
    change c = {{register_of(&in->operands[1]), register_of(&in->operands[2])}, false};
    for (int32_t i = product; i < sum && !c.found; i++)
        wl_ptx_registers_of(f->function, &f->function->instructions[i], note_write, &c);
    return !c.found && sum - product <= SCANNED_MAX;
}

/* ---- all ---- */

static bool ends_block(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_bra || in->op == WL_PTX_OP_brx || in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit ||
           in->op == WL_PTX_OP_call;
}

static void find_blocks(finder *f)
{
    int32_t first = 0;
    for (int32_t i = 0; i < f->function->instruction_count; i++) {
        if (f->def_use->target[i] || (i > 0 && ends_block(&f->function->instructions[i - 1])))
            first = i;
        f->block[i] = first;
    }
}

/* The first product of a sum goes into it: the second one then has a reader that wants it as a
 * number, and goes into no sum. */
static void choose(finder *f)
{
    bool negated;
    for (int32_t i = 0; i < f->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->function->instructions[i];
        if (!is_sum(in))
            continue;
        const int32_t one = product_of(f, in, 1, &negated), two = product_of(f, in, 2, &negated);
        if (one >= 0 && two >= 0 && f->of[one].folded && f->of[two].folded)
            f->of[two].folded = false;
    }
}

static void take(finder *f, int32_t at)
{
    const wl_ptx_instruction *in = &f->function->instructions[at];
    for (int which = 1; which <= 2 && f->of[at].product < 0; which++) {
        bool negated;
        const int32_t product = product_of(f, in, which, &negated);
        if (product < 0 || !f->of[product].folded)
            continue;
        f->of[at] = (wl_ptx_contraction){product, (int8_t)which, negated, keeps_factors(f, product, at), false};
        if (negated)
            f->of[f->def_use->definition[in->operands[which].reg]].folded = true;
    }
}

wl_status wl_ptx_contract(const wl_ptx_def_use *def_use, wl_arena *arena, wl_ptx_contraction **out, wl_error *err)
{
    const wl_ptx_function *function = def_use->function;
    const int32_t count = function->instruction_count;
    finder f = {.def_use = def_use,
                .function = function,
                .of = WL_ARENA_NEW(arena, wl_ptx_contraction, count + 1),
                .block = WL_ARENA_NEW(arena, int32_t, count + 1)};
    if (!f.of || !f.block)
        return wl_fail_memory(err);
    find_blocks(&f);
    for (int32_t i = 0; i < count; i++) {
        const wl_ptx_instruction *in = &function->instructions[i];
        f.of[i].product = -1;
        f.of[i].folded = is_product(in) && is_only_added(&f, i, in, 0);
    }
    choose(&f);
    for (int32_t i = 0; i < count; i++)
        if (is_sum(&function->instructions[i]))
            take(&f, i);
    *out = f.of;
    return WL_OK;
}
