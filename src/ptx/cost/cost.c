/* cost.c - see cost.h. The table gives the cost of single instructions; the rules here account for
 * their neighbours:
 *
 *   copies        parameters, addresses and constants become operands (cost_copies.c)
 *   sums          a product, shift or sum whose only use is an addition is folded into it; products
 *                 of floating-point numbers: ptx/module/contraction.h
 *   logic         three inputs in one operation (cost_logic.c)
 *   selections    a register that keeps its value or takes a result: the operation is predicated
 *   predicates    comparisons are folded into and, or, xor of predicates
 *   halves        64-bit integers of which one half is computed (cost_halves.c)
 *   operands      reads of parameters, descriptor of global memory, stack pointer, constants too
 *                 wide for an immediate (cost_operands.c)
 *   branches      short bodies are predicated; divergent lanes must reconverge
 *   loops         unrolled iterations share the loop control
 *   once          reciprocals of divisors
 *
 * A rule charges a nearby copy or integer instruction, so that the classes that models use
 * (memory, floating point) keep their counts. A rule itself knows 0, 1 and the number of
 * registers of a value; all other numbers come from the table.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_internal.h"

#include "base/fail.h"

/* ---- single instructions ---- */

static bool is_wide_product(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad) && in->modifiers & WL_PTX_MOD_WIDE;
}

/* Whether the result has 64 bits. The type of a wide product is that of its factors. */
static bool is_64_bit(const wl_ptx_instruction *in)
{
    return wl_cost_kind_of(in->type) == WL_COST_I64 || (is_wide_product(in) && wl_ptx_type_bits(in->type) == 32);
}

bool wl_cost_has_one_definition(const wl_weigher *w, const wl_ptx_instruction *in)
{
    return in->operand_count > 0 && in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[0].reg >= 0 &&
           w->def_use.definition[in->operands[0].reg] >= 0;
}

static int32_t readers_of_result(const wl_weigher *w, const wl_ptx_instruction *in)
{
    return in->operand_count > 0 && in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[0].reg >= 0
               ? wl_ptx_reader_count(&w->def_use, in->operands[0].reg)
               : -1;
}

/* A double whose low half is not zero does not fit into an immediate. */
bool wl_cost_is_long_number(wl_ptx_type type, int64_t bits) { return type == WL_PTX_F64 && (bits & UINT32_MAX) != 0; }

static bool is_float_conversion(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_cvt && (wl_ptx_type_is_float(in->type) || wl_ptx_type_is_float(in->from));
}

/* Between integers: sign extension makes the high half; zero extension uses the zero register. */
static double conversion_cost(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const int to = wl_ptx_type_bits(in->type), from = wl_ptx_type_bits(in->from);
    if (is_float_conversion(in))
        return wl_cost_of_table(w->costs, in);
    const wl_ptx_instruction *source = wl_ptx_definition_of(&w->def_use, in, 1);
    const bool loaded = source && source->op == WL_PTX_OP_ld;
    if (to <= from || !wl_ptx_type_is_signed(in->from))
        return 0;
    return loaded && from < 32 && to == 32 ? 0 : 1;
}

/* Constant memory at a constant address is an operand of what reads it. */
static bool is_constant_operand(const wl_ptx_instruction *in)
{
    return in->space == WL_PTX_CONST && in->vector == 1 && in->operand_count > 1 &&
           in->operands[1].kind == WL_PTX_OPERAND_ADDRESS && in->operands[1].reg < 0;
}

/* Does a 64-bit operation write only the low half, because the high half is a constant that no
 * arithmetic produces? */
static bool writes_low_half(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const bool simple = wl_cost_is_logic(in) || in->op == WL_PTX_OP_selp || in->op == WL_PTX_OP_shr;
    return simple && wl_cost_kind_of(in->type) == WL_COST_I64 && in->operands[0].kind == WL_PTX_OPERAND_REG &&
           in->operands[0].reg >= 0 && w->high[in->operands[0].reg].kind == WL_HIGH_CONSTANT;
}

/* A left shift by 32 copies the low half; the shift back, which extends the sign, reads it in
 * place. */
static bool moves_low_half(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_shl || wl_cost_kind_of(in->type) != WL_COST_I64 || !wl_cost_by_number(in, 2) ||
        in->operands[2].value != 32 || !wl_cost_has_one_definition(w, in))
        return false;
    const int32_t reg = in->operands[0].reg;
    for (int32_t i = w->def_use.first_reader[reg]; i < w->def_use.first_reader[reg + 1]; i++)
        if (w->function->instructions[w->def_use.readers[i]].op != WL_PTX_OP_shr)
            return false;
    return true;
}

static double own_cost(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (writes_low_half(w, in))
        return 1;
    if (moves_low_half(w, in))
        return 0;
    if (in->op == WL_PTX_OP_mov && in->operand_count >= 2)
        return wl_cost_of_copy(w, in);
    if (in->op == WL_PTX_OP_cvt)
        return conversion_cost(w, in);
    if (in->op == WL_PTX_OP_ld && (in->space == WL_PTX_PARAM || is_constant_operand(in)))
        return 0;
    return wl_cost_of_table(w->costs, in);
}

/* ---- sums ---- */

bool wl_cost_is_sum(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_add || in->op == WL_PTX_OP_sub; }

/* Whether all readers of the result are additions of that width. */
static bool is_only_added(const wl_weigher *w, const wl_ptx_instruction *in, wl_cost_kind width)
{
    if (!wl_cost_has_one_definition(w, in))
        return false;
    const int32_t reg = in->operands[0].reg, first = w->def_use.first_reader[reg],
                  end = w->def_use.first_reader[reg + 1];
    for (int32_t i = first; i < end; i++) {
        const wl_ptx_instruction *reader = &w->function->instructions[w->def_use.readers[i]];
        const bool wide = wl_cost_kind_of(reader->type) == WL_COST_I64;
        if (reader->op != WL_PTX_OP_add || wide != (width == WL_COST_I64) ||
            wl_cost_kind_of(reader->type) >= WL_COST_F32)
            return false;
    }
    return first < end;
}

/* Whether all readers use the result as an address. */
static bool is_only_address(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (!wl_cost_has_one_definition(w, in))
        return false;
    const int32_t reg = in->operands[0].reg, first = w->def_use.first_reader[reg],
                  end = w->def_use.first_reader[reg + 1];
    for (int32_t i = first; i < end; i++) {
        const wl_ptx_instruction *reader = &w->function->instructions[w->def_use.readers[i]];
        bool address = false;
        for (int o = 0; o < reader->operand_count; o++)
            address = address || (reader->operands[o].kind == WL_PTX_OPERAND_ADDRESS && reader->operands[o].reg == reg);
        if (!address)
            return false;
    }
    return first < end;
}

bool wl_cost_by_number(const wl_ptx_instruction *in, int which)
{
    return which < in->operand_count && in->operands[which].kind == WL_PTX_OPERAND_IMMEDIATE;
}

/* A 64-bit sum. One IMAD.WIDE multiplies 32-bit factors and adds; a 64-bit product adds by
 * itself. */
static double wide_sum_cost(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (wl_cost_by_number(in, 2) && is_only_address(w, in))
        return 0;
    for (int o = 1; o <= 2; o++) {
        const wl_ptx_instruction *part = wl_ptx_definition_of(&w->def_use, in, o);
        if (!part || in->op != WL_PTX_OP_add)
            continue;
        if (is_wide_product(part) && w->folded[part - w->function->instructions])
            return 1;
        const int32_t made = (int32_t)(part - w->function->instructions),
                      here = (int32_t)(in - w->function->instructions);
        if (part->op == WL_PTX_OP_mul && wl_cost_kind_of(part->type) == WL_COST_I64 &&
            readers_of_result(w, part) == 1 && w->def_use.loop_end[made] == w->def_use.loop_end[here])
            return 0;
    }
    return wl_cost_of_table(w->costs, in);
}

static bool has_folded_operand(const wl_weigher *w, const wl_ptx_instruction *in)
{
    for (int o = 1; o < in->operand_count; o++) {
        const wl_ptx_instruction *part = wl_ptx_definition_of(&w->def_use, in, o);
        if (part && w->folded[part - w->function->instructions])
            return true;
    }
    return false;
}

/* A sum can absorb one more operand or product: not if it has one itself and the sum that reads it
 * has one, too, and not both operands of that sum. */
static bool has_no_room(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (has_folded_operand(w, in))
        return true;
    const int32_t reg = in->operands[0].reg;
    for (int32_t i = w->def_use.first_reader[reg]; i < w->def_use.first_reader[reg + 1]; i++)
        if (has_folded_operand(w, &w->function->instructions[w->def_use.readers[i]]))
            return true;
    return false;
}

/* VIADDMNMX adds before it compares. */
static bool folds_into_minimum(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (!wl_cost_is_sum(in) || wl_cost_kind_of(in->type) >= WL_COST_I64 || readers_of_result(w, in) != 1 ||
        !wl_cost_has_one_definition(w, in) || has_no_room(w, in))
        return false;
    const wl_ptx_instruction *by =
        &w->function->instructions[w->def_use.readers[w->def_use.first_reader[in->operands[0].reg]]];
    return (by->op == WL_PTX_OP_min || by->op == WL_PTX_OP_max) && wl_cost_kind_of(by->type) < WL_COST_I64;
}

/* Whether it is folded into the sum or the minimum that reads it. */
static bool folds_into_sum(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const bool wide = is_64_bit(in);
    if (folds_into_minimum(w, in))
        return true;
    if (is_wide_product(in))
        return is_only_added(w, in, WL_COST_I64);
    if (in->op == WL_PTX_OP_shl && wl_cost_by_number(in, 2))
        return is_only_added(w, in, wide ? WL_COST_I64 : WL_COST_U32) && (!wide || readers_of_result(w, in) == 1);
    if (wide)
        return false;
    /* LEA.HI adds the high bits of a register */
    if (in->op == WL_PTX_OP_shr && wl_cost_by_number(in, 2) && !wl_ptx_type_is_signed(in->type))
        return readers_of_result(w, in) == 1 && is_only_added(w, in, WL_COST_U32);
    if (in->op == WL_PTX_OP_mul && in->modifiers & WL_PTX_MOD_LO && wl_cost_kind_of(in->type) < WL_COST_F32)
        return readers_of_result(w, in) == 1 && is_only_added(w, in, WL_COST_U32) && !has_no_room(w, in);
    return wl_cost_is_sum(in) && wl_cost_kind_of(in->type) < WL_COST_F32 && !wl_cost_by_number(in, 2) &&
           readers_of_result(w, in) == 1 && is_only_added(w, in, WL_COST_U32) && !has_no_room(w, in);
}

static bool is_shared_base(const wl_ptx_instruction *in)
{
    return in && in->op == WL_PTX_OP_mov && in->operand_count >= 2 && in->operands[1].kind == WL_PTX_OPERAND_VARIABLE;
}

/* An address operand is a uniform base, plus an offset of the lane, plus an immediate. */
static bool folds_into_address(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_add || wl_cost_kind_of(in->type) >= WL_COST_I64 || !is_only_address(w, in))
        return false;
    for (int o = 1; o <= 2; o++) {
        const wl_ptx_instruction *base = wl_ptx_definition_of(&w->def_use, in, o);
        const wl_ptx_instruction *rest = wl_ptx_definition_of(&w->def_use, in, 3 - o);
        if (is_shared_base(base) && rest && !w->folded[rest - w->function->instructions])
            return true;
    }
    return wl_cost_by_number(in, 2);
}

/* Does a selection between the old value of its register and a result without other readers become
 * a predicate of the operation that computes the result? */
static bool predicates_its_operand(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_selp || in->operand_count < 4 || in->operands[0].kind != WL_PTX_OPERAND_REG)
        return false;
    for (int o = 1; o <= 2; o++) {
        const wl_ptx_operand *old = &in->operands[3 - o];
        const wl_ptx_instruction *made = wl_ptx_definition_of(&w->def_use, in, o);
        const bool keeps = old->kind == WL_PTX_OPERAND_REG && old->reg == in->operands[0].reg;
        if (keeps && made && (wl_cost_is_sum(made) || wl_cost_is_logic(made)) && !is_64_bit(made) &&
            readers_of_result(w, made) == 1)
            return true;
    }
    return false;
}

/* ---- logic ---- */

static double predicate_logic_cost(const wl_weigher *w, const wl_ptx_instruction *in)
{
    for (int o = 1; o < in->operand_count; o++) {
        const wl_ptx_instruction *part = wl_ptx_definition_of(&w->def_use, in, o);
        if (part && part->op == WL_PTX_OP_setp)
            return 0;
    }
    return in->op == WL_PTX_OP_not || in->op == WL_PTX_OP_mov ? 0 : 1;
}

/* LOP3 also sets a predicate: a comparison of its result with zero is free. */
static bool tests_logic_for_zero(const wl_weigher *w, const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_setp || (in->compare != WL_PTX_EQ && in->compare != WL_PTX_NE) ||
        !wl_cost_by_number(in, 2) || in->operands[2].value != 0 || wl_cost_kind_of(in->type) >= WL_COST_I64)
        return false;
    const wl_ptx_instruction *part = wl_ptx_definition_of(&w->def_use, in, 1);
    return part && wl_cost_is_logic(part);
}

/* ---- all ---- */

/* Division by a constant is a product with its reciprocal. */
static bool divides_by_number(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_div || in->op == WL_PTX_OP_rem) && wl_cost_kind_of(in->type) < WL_COST_F32 &&
           wl_cost_by_number(in, 2);
}

static bool is_without_use(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    const bool computes = c == WL_INST_int || c == WL_INST_fp32 || c == WL_INST_fp64 || c == WL_INST_fp16 ||
                          c == WL_INST_move || c == WL_INST_special;
    return computes && readers_of_result(w, in) == 0 && wl_ptx_second_of(&in->operands[0]) < 0;
}

static double cost_among_neighbours(const wl_weigher *w, const wl_ptx_instruction *in)
{
    const ptrdiff_t at = in - w->function->instructions;
    if (is_without_use(w, in) || w->folded[at] || w->contraction[at].folded || tests_logic_for_zero(w, in) ||
        folds_into_address(w, in) || predicates_its_operand(w, in))
        return 0;
    if (wl_cost_is_sum(in) && wl_cost_kind_of(in->type) == WL_COST_I64)
        return wide_sum_cost(w, in);
    if (wl_cost_kind_of(in->type) == WL_COST_P && (wl_cost_is_logic(in) || in->op == WL_PTX_OP_mov))
        return predicate_logic_cost(w, in);
    if (divides_by_number(in))
        return in->op == WL_PTX_OP_div ? w->costs->rules.division_by_constant : w->costs->rules.remainder_by_constant;
    return own_cost(w, in);
}

/* The classes of the machine instructions, if the table gives them. Neighbours remove all of them
 * or none: a weight that differs from the table's belongs to other instructions. */
static wl_ptx_split split_of(const wl_weigher *w, const wl_ptx_instruction *in, double weight)
{
    const wl_cost_row *row = in->op == WL_PTX_OP_cvt && !is_float_conversion(in) ? NULL : wl_cost_row_of(w->costs, in);
    const bool says = row && (row->has_parts || row->integer_pipe > 0) && weight == row->cost;
    return (wl_ptx_split){.row = says ? row : NULL, .weight = says ? weight : 0};
}

static bool is_product(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad) && wl_cost_kind_of(in->type) < WL_COST_F32;
}

/* The kind of integer product that an instruction computes, or that is folded into it. */
static uint8_t multiply_of(const wl_weigher *w, const wl_ptx_instruction *in, double weight)
{
    const wl_ptx_instruction *product = weight > 0 && is_product(in) ? in : NULL;
    for (int o = 1; o < in->operand_count && weight > 0 && wl_cost_is_sum(in) && !product; o++) {
        const wl_ptx_instruction *part = wl_ptx_definition_of(&w->def_use, in, o);
        if (part && is_product(part) && w->folded[part - w->function->instructions])
            product = part;
    }
    return !product ? 0 : 1 + (is_64_bit(product) ? WL_MULTIPLY_WIDE : WL_MULTIPLY_NARROW);
}

typedef struct differing {
    const bool *differs;
    bool *any;
} differing;

static void find_differing(void *user, int32_t reg, bool written)
{
    const differing *d = user;
    *d->any = *d->any || (!written && reg >= 0 && d->differs[reg]);
}

/* arena: for the result; scratch: for what only weighing needs, which is larger than the
 * function. */
static wl_status weigh(wl_weigher *w, wl_arena *arena, wl_arena *scratch, wl_error *err)
{
    const wl_ptx_function *function = &w->narrow;
    WL_TRY(wl_cost_narrow(w->function, scratch, &w->narrow, err));
    w->function = function;
    w->weight = WL_ARENA_NEW(arena, double, function->instruction_count + 1);
    w->split = WL_ARENA_NEW(arena, wl_ptx_split, function->instruction_count + 1);
    w->folded = WL_ARENA_NEW(scratch, bool, function->instruction_count + 1);
    w->kept = WL_ARENA_NEW(scratch, bool, function->instruction_count + 1);
    w->multiplies = WL_ARENA_NEW(arena, uint8_t, function->instruction_count + 1);
    w->divided = WL_ARENA_NEW(scratch, bool, function->register_count + 1);
    w->branch = WL_ARENA_NEW(arena, int32_t, function->instruction_count + 1);
    w->unrolled = WL_ARENA_NEW(arena, int32_t, function->instruction_count + 1);
    w->repeated = WL_ARENA_NEW(arena, int32_t, function->instruction_count + 1);
    w->high = WL_ARENA_NEW(scratch, wl_high_half, function->register_count + 1);
    if (!w->weight || !w->split || !w->folded || !w->kept || !w->multiplies || !w->divided || !w->branch ||
        !w->unrolled || !w->repeated || !w->high)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < function->instruction_count; i++)
        w->unrolled[i] = w->repeated[i] = -1;
    WL_TRY(wl_ptx_def_use_make(function, scratch, &w->def_use, err));
    WL_TRY(wl_ptx_contract(&w->def_use, scratch, &w->contraction, err));
    wl_cost_find_high_halves(w);
    for (int32_t i = 0; i < function->instruction_count; i++)
        w->folded[i] = folds_into_sum(w, &function->instructions[i]);
    WL_TRY(wl_cost_fold_logic(w, scratch, err));
    WL_TRY(wl_cost_find_kept_copies(w, scratch, err));
    for (int32_t i = 0; i < function->instruction_count; i++) {
        w->weight[i] = cost_among_neighbours(w, &function->instructions[i]);
        w->split[i] = split_of(w, &function->instructions[i], w->weight[i]);
        if (w->split[i].row && wl_cost_has_slow_path(w->split[i].row))
            wl_ptx_registers_of(function, &function->instructions[i], find_differing,
                                &(differing){w->def_use.differs, &w->split[i].rejoins});
        w->multiplies[i] = multiply_of(w, &function->instructions[i], w->weight[i]);
    }
    wl_cost_find_predicated(w);
    wl_cost_weigh_flow(w);
    return wl_cost_charge_operands(w, scratch, err);
}

wl_status wl_ptx_weigh(const wl_ptx_costs *costs, const wl_ptx_module *module, const wl_ptx_function *function,
                       wl_arena *arena, const double **weight, wl_ptx_counting *counting, wl_error *err)
{
    wl_weigher w = {.costs = costs, .module = module, .function = function};
    wl_arena scratch = {0};
    const wl_status status = weigh(&w, arena, &scratch, err);
    wl_arena_free(&scratch);
    if (status != WL_OK)
        return status;
    *weight = w.weight;
    for (int32_t i = 0; i < function->instruction_count; i++)
        w.branch[i] = w.branch[i] < 0 ? i : w.branch[i];
    if (counting)
        *counting = (wl_ptx_counting){w.branch, w.unrolled, w.repeated, w.split, w.multiplies, NULL};
    return WL_OK;
}

/* ---- classes ---- */

void wl_ptx_add_classes(const wl_ptx_function *function, const wl_ptx_counting *counting, int32_t i, double weight,
                        double executed, double classes[WL_INST_CLASS_COUNT])
{
    const wl_ptx_split *s = &counting->split[i];
    double rest = weight;
    for (int c = 0; c < WL_INST_CLASS_COUNT && s->row && s->row->has_parts; c++) {
        const double part = s->weight * s->row->parts[c] / s->row->cost;
        classes[c] += part * executed;
        rest -= part;
    }
    classes[wl_ptx_class_of(&function->instructions[i])] += rest * executed;
}

static bool is_half(wl_ptx_type type)
{
    return type == WL_PTX_F16 || type == WL_PTX_F16X2 || type == WL_PTX_BF16 || type == WL_PTX_BF16X2;
}

void wl_ptx_add_converts(const wl_ptx_instruction *in, const wl_ptx_counting *counting, int32_t i, double weight,
                         double executed, double converts[WL_CONVERT_COUNT])
{
    const wl_ptx_split *s = &counting->split[i];
    if (!is_float_conversion(in))
        return;
    /* bf16 is the upper half of f32 */
    if ((in->type == WL_PTX_F32 && in->from == WL_PTX_F16) || (is_half(in->type) && in->from == WL_PTX_F32))
        converts[WL_CONVERT_HALF] += weight * executed;
    if (!s->row)
        return;
    const bool wide = wl_ptx_type_bits(in->type) == 64 || wl_ptx_type_bits(in->from) == 64;
    const bool from_int = in->type == WL_PTX_F32 && !wl_ptx_type_is_float(in->from);
    if (wide || from_int)
        converts[wide ? WL_CONVERT_WIDE : WL_CONVERT_INT] += s->weight * executed;
}

void wl_ptx_add_sequences(const wl_ptx_instruction *in, const wl_ptx_counting *counting, int32_t i, double weight,
                          double executed, wl_mix *mix)
{
    const wl_ptx_split *s = &counting->split[i];
    const bool split = s->row && s->row->has_parts, special = wl_ptx_class_of(in) == WL_INST_special;
    if (in->op == WL_PTX_OP_cvt || !(split ? s->row->parts[WL_INST_special] > 0 : special))
        return;
    const double part = split ? s->weight / s->row->cost : 0;
    if (!wl_ptx_type_is_float(in->type)) {
        mix->of_divisions += executed * (split ? part * s->row->parts[WL_INST_special] : weight);
        return;
    }
    for (int c = 0; c < WL_INST_CLASS_COUNT && split; c++)
        mix->of_functions[c] += executed * part * s->row->parts[c];
    if (!split)
        mix->of_functions[WL_INST_special] += executed * weight;
}

void wl_ptx_add_multiplies(const wl_ptx_counting *counting, int32_t i, double executed,
                           double multiplies[WL_MULTIPLY_COUNT])
{
    if (counting->multiplies[i] > 0)
        multiplies[counting->multiplies[i] - 1] += executed;
}

double wl_ptx_integer_pipe(const wl_ptx_counting *counting, int32_t i)
{
    const wl_ptx_split *s = &counting->split[i];
    return s->row ? s->weight * s->row->integer_pipe / s->row->cost : 0;
}
