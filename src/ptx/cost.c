/* cost.c - see cost.h. Costs of single instructions come from cost.def; the rules here say what neighbours save or add:
 *
 *   copies        parameters, addresses and numbers are operands; a copy is needed where a register has several sources
 *   sums          a product, a shift or a sum that is only added becomes part of the sum
 *   predicates    comparisons take part in and, or, xor of predicates
 *   loads         the first read of a parameter, the descriptor of global memory, the stack pointer
 *   branches      short bodies become predicates; lanes that part must meet again
 *   loops         what drives a loop is shared by the iterations that the assembler puts into one
 *   once          reciprocals of divisors, constants that do not fit into an instruction
 *
 * What a rule adds goes to a copy or an integer instruction nearby, so that classes that models look at (memory,
 * floating point) keep their counts. Fitted to sm_90 machine code of validate/cuda/fit.cu and data.cu. */
#include "ptx/cost.h"

#include <string.h>

#include "base/fail.h"
#include "ptx/facts.h"

#define NEAR 64 /* instructions: no rule looks farther */

typedef struct weigher {
    const wl_ptx_module *module;
    const wl_ptx_function *function;
    wl_ptx_facts facts;
    double *weight;
    bool *joins;   /* instruction: is part of the sum that reads it */
    bool *divided; /* register: so far, something was divided by it */
} weigher;

/* ---- single instructions ---- */

typedef enum kind { KIND_ANY, KIND_S32, KIND_U32, KIND_I64, KIND_F32, KIND_F64, KIND_P } kind;

static kind kind_of(wl_ptx_type type)
{
    if (type == WL_PTX_PRED)
        return KIND_P;
    if (type == WL_PTX_F64)
        return KIND_F64;
    if (wl_ptx_type_is_float(type))
        return KIND_F32;
    if (wl_ptx_type_bits(type) == 64)
        return KIND_I64;
    return wl_ptx_type_is_signed(type) ? KIND_S32 : KIND_U32;
}

static double table_cost(const wl_ptx_instruction *in)
{
    static const struct {
        wl_ptx_op op;
        kind kind;
        uint32_t modifiers;
        double cost;
    } table[] = {
#define WL_PTX_COST(operation, kind, modifiers, cost) {WL_PTX_OP_##operation, KIND_##kind, modifiers, cost},
#include "ptx/cost.def"
    };
    const kind k = kind_of(in->type);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == in->op && (table[i].kind == KIND_ANY || table[i].kind == k) &&
            (in->modifiers & table[i].modifiers) == table[i].modifiers)
            return table[i].cost;
    return 1;
}

static bool is_wide_product(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad) && in->modifiers & WL_PTX_MOD_WIDE;
}

/* 64-bit results; the type of a wide product is that of its factors. */
static bool is_64_bit(const wl_ptx_instruction *in)
{
    return kind_of(in->type) == KIND_I64 || (is_wide_product(in) && wl_ptx_type_bits(in->type) == 32);
}

static bool has_one_definition(const weigher *w, const wl_ptx_instruction *in)
{
    return in->operand_count > 0 && in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[0].reg >= 0 &&
           w->facts.definition[in->operands[0].reg] >= 0;
}

static int32_t readers_of_result(const weigher *w, const wl_ptx_instruction *in)
{
    return in->operand_count > 0 && in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[0].reg >= 0
               ? wl_ptx_reader_count(&w->facts, in->operands[0].reg)
               : -1;
}

/* Doubles whose lower half is not zero do not fit into an instruction. */
static bool is_long_number(wl_ptx_type type, int64_t bits) { return type == WL_PTX_F64 && (bits & UINT32_MAX) != 0; }

/* On sm_90 the window of shared memory starts at an address of the block's place in its cluster. */
#define SHARED_BASE_COST 3

static double copy_cost(const weigher *w, const wl_ptx_instruction *in)
{
    const wl_ptx_operand *from = &in->operands[1];
    const double registers = wl_ptx_type_bits(in->type) == 64 ? 2 : 1;
    switch (from->kind) {
    case WL_PTX_OPERAND_SPECIAL: return 1;
    case WL_PTX_OPERAND_VARIABLE:
        return from->variable >= 0 && w->module->variables[from->variable].space == WL_PTX_SHARED ? SHARED_BASE_COST : 1;
    case WL_PTX_OPERAND_IMMEDIATE:
        return has_one_definition(w, in) && !is_long_number(in->type, from->value) ? 0 : registers;
    case WL_PTX_OPERAND_REG:
        return has_one_definition(w, in) || from->reg < 0 || wl_ptx_reader_count(&w->facts, from->reg) < 2 ? 0
                                                                                                            : registers;
    default: return 0;
    }
}

/* Between integers: the upper half of a signed number must be made, that of an unsigned one is zero. */
static double conversion_cost(const weigher *w, const wl_ptx_instruction *in)
{
    const int to = wl_ptx_type_bits(in->type), from = wl_ptx_type_bits(in->from);
    if (wl_ptx_type_is_float(in->type) || wl_ptx_type_is_float(in->from))
        return 1;
    const wl_ptx_instruction *source = wl_ptx_definition_of(&w->facts, in, 1);
    const bool loaded = source && source->op == WL_PTX_OP_ld;
    if (to <= from || !wl_ptx_type_is_signed(in->from))
        return 0;
    return loaded && from < 32 && to == 32 ? 0 : 1;
}

static double own_cost(const weigher *w, const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_mov && in->operand_count >= 2)
        return copy_cost(w, in);
    if (in->op == WL_PTX_OP_cvt)
        return conversion_cost(w, in);
    if (in->op == WL_PTX_OP_ld && in->space == WL_PTX_PARAM)
        return 0;
    if (is_wide_product(in))
        return 1;
    return table_cost(in);
}

/* ---- sums ---- */

static bool is_sum(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_add || in->op == WL_PTX_OP_sub; }

/* All readers of the result are additions of that width. */
static bool is_only_added(const weigher *w, const wl_ptx_instruction *in, kind width)
{
    if (!has_one_definition(w, in))
        return false;
    const int32_t reg = in->operands[0].reg, first = w->facts.first_reader[reg], end = w->facts.first_reader[reg + 1];
    for (int32_t i = first; i < end; i++) {
        const wl_ptx_instruction *reader = &w->function->instructions[w->facts.readers[i]];
        const bool wide = kind_of(reader->type) == KIND_I64;
        if (reader->op != WL_PTX_OP_add || wide != (width == KIND_I64) || kind_of(reader->type) >= KIND_F32)
            return false;
    }
    return first < end;
}

/* All readers use the result as an address. */
static bool is_only_address(const weigher *w, const wl_ptx_instruction *in)
{
    if (!has_one_definition(w, in))
        return false;
    const int32_t reg = in->operands[0].reg, first = w->facts.first_reader[reg], end = w->facts.first_reader[reg + 1];
    for (int32_t i = first; i < end; i++) {
        const wl_ptx_instruction *reader = &w->function->instructions[w->facts.readers[i]];
        bool address = false;
        for (int o = 0; o < reader->operand_count; o++)
            address = address || (reader->operands[o].kind == WL_PTX_OPERAND_ADDRESS && reader->operands[o].reg == reg);
        if (!address)
            return false;
    }
    return first < end;
}

static bool by_number(const wl_ptx_instruction *in, int which)
{
    return which < in->operand_count && in->operands[which].kind == WL_PTX_OPERAND_IMMEDIATE;
}

/* A 64-bit sum: with a product of 32-bit factors, one instruction makes both; 64-bit factors add the rest themselves. */
static double wide_sum_cost(const weigher *w, const wl_ptx_instruction *in)
{
    if (by_number(in, 2) && is_only_address(w, in))
        return 0;
    for (int o = 1; o <= 2; o++) {
        const wl_ptx_instruction *part = wl_ptx_definition_of(&w->facts, in, o);
        if (!part || in->op != WL_PTX_OP_add)
            continue;
        if (is_wide_product(part) && w->joins[part - w->function->instructions])
            return 1;
        if (part->op == WL_PTX_OP_mul && kind_of(part->type) == KIND_I64 && readers_of_result(w, part) == 1)
            return 0;
    }
    return 2;
}

/* What is part of the sum that reads it. */
static bool joins_sum(const weigher *w, const wl_ptx_instruction *in)
{
    const bool wide = is_64_bit(in);
    if (is_wide_product(in))
        return is_only_added(w, in, KIND_I64);
    if (in->op == WL_PTX_OP_shl && by_number(in, 2))
        return is_only_added(w, in, wide ? KIND_I64 : KIND_U32) && (!wide || readers_of_result(w, in) == 1);
    if (wide)
        return false;
    if (in->op == WL_PTX_OP_mul && in->modifiers & WL_PTX_MOD_LO && kind_of(in->type) < KIND_F32)
        return readers_of_result(w, in) == 1 && is_only_added(w, in, KIND_U32);
    return is_sum(in) && kind_of(in->type) < KIND_F32 && !by_number(in, 2) && readers_of_result(w, in) == 1 &&
           is_only_added(w, in, KIND_U32);
}

/* ---- logic ---- */

static bool is_logic(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_and || in->op == WL_PTX_OP_or || in->op == WL_PTX_OP_xor || in->op == WL_PTX_OP_not;
}

/* Any function of three bits is one instruction. */
static bool joins_logic(const weigher *w, const wl_ptx_instruction *in)
{
    if (!is_logic(in) || kind_of(in->type) == KIND_P || readers_of_result(w, in) != 1 || !has_one_definition(w, in))
        return false;
    const int32_t reader = w->facts.readers[w->facts.first_reader[in->operands[0].reg]];
    const wl_ptx_instruction *by = &w->function->instructions[reader];
    return is_logic(by) && (in->op == WL_PTX_OP_not || by_number(in, 2) || by_number(by, 1) || by_number(by, 2));
}

static double predicate_logic_cost(const weigher *w, const wl_ptx_instruction *in)
{
    for (int o = 1; o < in->operand_count; o++) {
        const wl_ptx_instruction *part = wl_ptx_definition_of(&w->facts, in, o);
        if (part && part->op == WL_PTX_OP_setp)
            return 0;
    }
    return in->op == WL_PTX_OP_not || in->op == WL_PTX_OP_mov ? 0 : 1;
}

/* Logic says by itself whether its result is zero. */
static bool asks_logic_for_zero(const weigher *w, const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_setp || (in->compare != WL_PTX_EQ && in->compare != WL_PTX_NE) || !by_number(in, 2) ||
        in->operands[2].value != 0 || kind_of(in->type) >= KIND_I64)
        return false;
    const wl_ptx_instruction *part = wl_ptx_definition_of(&w->facts, in, 1);
    return part && is_logic(part);
}

/* ---- what is added elsewhere ---- */

static bool can_carry(const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    return c == WL_INST_int || c == WL_INST_move;
}

/* Adds to the instruction, or to a copy or integer instruction before or after it in its block. */
static void charge(weigher *w, int32_t at, double cost)
{
    int32_t place = at;
    while (place > 0 && at - place < NEAR && !can_carry(&w->function->instructions[place]) && !w->facts.target[place] &&
           w->function->instructions[place - 1].op != WL_PTX_OP_bra)
        place--;
    if (!can_carry(&w->function->instructions[place]))
        for (place = at; place + 1 < w->function->instruction_count && place - at < NEAR && !w->facts.target[place + 1] &&
                         !can_carry(&w->function->instructions[place]) &&
                         w->function->instructions[place].op != WL_PTX_OP_bra;)
            place++;
    w->weight[can_carry(&w->function->instructions[place]) ? place : at] += cost;
}

/* The first instruction that does something with what was read, past conversions of addresses. */
static int32_t first_use(const weigher *w, int32_t reg)
{
    for (int depth = 0; depth < 4 && wl_ptx_reader_count(&w->facts, reg) > 0; depth++) {
        const int32_t reader = w->facts.readers[w->facts.first_reader[reg]];
        const wl_ptx_instruction *in = &w->function->instructions[reader];
        if ((in->op != WL_PTX_OP_cvta && in->op != WL_PTX_OP_mov) || !has_one_definition(w, in))
            return reader;
        reg = in->operands[0].reg;
    }
    return -1;
}

#define NARROW_PARAM_COST 0.75 /* neighbours are read in pairs, where both are needed at the same time */

static void charge_parameters(weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        if (in->op != WL_PTX_OP_ld || in->space != WL_PTX_PARAM || !has_one_definition(w, in))
            continue;
        const int32_t use = first_use(w, in->operands[0].reg);
        if (use >= 0)
            charge(w, use, wl_ptx_type_bits(in->type) == 64 ? 1 : NARROW_PARAM_COST);
    }
}

/* The stack pointer, and the descriptor that accesses to global memory name. */
static void charge_prologue(weigher *w)
{
    if (!w->function->is_entry || w->function->instruction_count == 0)
        return;
    charge(w, 0, 1);
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        const wl_inst_class c = wl_ptx_class_of(in);
        if (c == WL_INST_load || c == WL_INST_store || c == WL_INST_atomic) {
            charge(w, i, 1);
            return;
        }
    }
}

/* ---- branches ---- */

#define PREDICATED_MAX 7 /* machine instructions of a body that is executed under a predicate rather than jumped over */
#define MEETING_COST 2   /* naming the place where lanes meet again, and waiting there */

static bool is_end(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit; }

/* From the branch to its target there is nothing but a few plain instructions. */
static bool is_predicated(const weigher *w, int32_t at, int32_t to)
{
    double body = 0;
    if (to - at > NEAR)
        return false;
    for (int32_t i = at + 1; i < to; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        const wl_inst_class c = wl_ptx_class_of(in);
        body += w->weight[i];
        if (w->facts.target[i] || c == WL_INST_control || c == WL_INST_tensor || body > PREDICATED_MAX)
            return false;
    }
    return true;
}

static double branch_cost(const weigher *w, int32_t at)
{
    const wl_ptx_instruction *in = &w->function->instructions[at];
    const int32_t to = wl_ptx_branch_target(in), count = w->function->instruction_count;
    if (to < 0)
        return table_cost(in);
    if (in->guard < 0) /* next to a branch with a condition, one of the two is turned round */
        return at > 0 && w->function->instructions[at - 1].op == WL_PTX_OP_bra ? 0 : 1;
    if (to <= at || to >= count || is_end(&w->function->instructions[to]))
        return 1;
    if (is_predicated(w, at, to))
        return 0;
    return 1 + (w->facts.varies[in->guard] && to > at + 2 ? MEETING_COST : 0);
}

/* ---- loops ---- */

#define ITERATIONS_JOINED 4
#define JOINED_MAX 512 /* instructions of such a loop */

/* Directives are not kept, but the text between two instructions is. */
static bool forbids_joining(const weigher *w, int32_t first)
{
    static const char word[] = "nounroll";
    const wl_ptx_instruction *in = &w->function->instructions[first];
    if (first == 0)
        return false;
    for (const char *at = in[-1].text + in[-1].text_length; at + sizeof word <= in->text; at++)
        if (memcmp(at, word, sizeof word - 1) == 0)
            return true;
    return false;
}

/* A loop of one block that loads from global memory and counts in equal steps: the assembler joins iterations. */
static bool is_joined(const weigher *w, int32_t first, int32_t last)
{
    bool loads = false, counts = false;
    if (last - first > JOINED_MAX || forbids_joining(w, first))
        return false;
    for (int32_t i = first; i < last; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        const wl_inst_class c = wl_ptx_class_of(in);
        if (c == WL_INST_control || c == WL_INST_atomic || c == WL_INST_tensor || (i > first && w->facts.target[i]))
            return false;
        loads = loads || c == WL_INST_load;
        counts = counts || (is_sum(in) && by_number(in, 2) && in->operands[0].reg == in->operands[1].reg);
    }
    return loads && counts;
}

static void share_loop_control(weigher *w, int32_t first, int32_t last)
{
    for (int32_t i = first; i <= last; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        const bool steps = is_sum(in) && by_number(in, 2) && in->operands[0].reg == in->operands[1].reg;
        if (in->op == WL_PTX_OP_setp || in->op == WL_PTX_OP_bra || steps)
            w->weight[i] /= ITERATIONS_JOINED;
    }
}

static void weigh_loops(weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const int32_t first = wl_ptx_branch_target(&w->function->instructions[i]);
        if (w->facts.loop_end[i] == i && is_joined(w, first, i))
            share_loop_control(w, first, i);
    }
}

/* ---- what is made once ---- */

#define RECIPROCAL_COST 8 /* of an integer division; made once for a divisor, before a loop in which it does not change */

/* The first reader of a divisor makes its reciprocal, if it is in no loop that the divisor comes from outside of. */
static void share_reciprocals(weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        if ((in->op != WL_PTX_OP_div && in->op != WL_PTX_OP_rem) || kind_of(in->type) >= KIND_I64 ||
            in->operand_count < 3 || in->operands[2].kind != WL_PTX_OPERAND_REG || in->operands[2].reg < 0)
            continue;
        const int32_t reg = in->operands[2].reg, made = w->facts.definition[reg], end = w->facts.loop_end[i];
        const bool outside = end >= 0 && made < wl_ptx_branch_target(&w->function->instructions[end]);
        if (made >= 0 && (outside || w->divided[reg]))
            w->weight[i] -= RECIPROCAL_COST;
        w->divided[reg] = true;
    }
}

#define CONSTANTS_MAX 64

static void charge_constants(weigher *w)
{
    int64_t seen[CONSTANTS_MAX];
    int count = 0;
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        for (int o = 1; o < in->operand_count && in->op != WL_PTX_OP_mov; o++) {
            const int64_t value = in->operands[o].value;
            int k = 0;
            while (k < count && seen[k] != value)
                k++;
            if (!by_number(in, o) || !is_long_number(in->type, value) || k < count)
                continue;
            if (count < CONSTANTS_MAX)
                seen[count++] = value;
            charge(w, i, 2);
        }
    }
}

#define ONE_FOR_ALL_COST 9 /* a vote, a sum over its bits, one lane chosen; the place of each lane where it is asked for */

/* All lanes add the same to the same place: one lane does it for all. */
static void charge_common_atomics(weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &w->function->instructions[i];
        const wl_ptx_operand *at = NULL, *by = NULL;
        if (in->op == WL_PTX_OP_atom && in->operand_count >= 3)
            at = &in->operands[1], by = &in->operands[2];
        else if (in->op == WL_PTX_OP_red && in->operand_count >= 2)
            at = &in->operands[0], by = &in->operands[1];
        const bool adds = in->variant == WL_PTX_ADD && !wl_ptx_type_is_float(in->type) && in->space == WL_PTX_GLOBAL;
        if (at && adds && at->reg >= 0 && !w->facts.varies[at->reg] &&
            (by->kind == WL_PTX_OPERAND_IMMEDIATE || (by->reg >= 0 && !w->facts.varies[by->reg])))
            charge(w, i, ONE_FOR_ALL_COST);
    }
}

/* ---- all ---- */

/* A number divided by a number: a product with its reciprocal. */
static bool divides_by_number(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_div || in->op == WL_PTX_OP_rem) && kind_of(in->type) < KIND_F32 && by_number(in, 2);
}

static bool is_without_use(const weigher *w, const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    const bool computes = c == WL_INST_int || c == WL_INST_fp32 || c == WL_INST_fp64 || c == WL_INST_fp16 ||
                          c == WL_INST_move || c == WL_INST_special;
    return computes && readers_of_result(w, in) == 0 && in->operands[0].other < 0;
}

static double cost_among_neighbours(const weigher *w, const wl_ptx_instruction *in)
{
    if (is_without_use(w, in) || w->joins[in - w->function->instructions] || joins_logic(w, in) || asks_logic_for_zero(w, in))
        return 0;
    if (is_sum(in) && kind_of(in->type) == KIND_I64)
        return wide_sum_cost(w, in);
    if (kind_of(in->type) == KIND_P && (is_logic(in) || in->op == WL_PTX_OP_mov))
        return predicate_logic_cost(w, in);
    if (divides_by_number(in))
        return in->op == WL_PTX_OP_div ? 2 : 3;
    return own_cost(w, in);
}

wl_status wl_ptx_weigh(const wl_ptx_module *module, const wl_ptx_function *function, wl_arena *arena,
                       const double **weight, wl_error *err)
{
    weigher w = {.module = module,
                 .function = function,
                 .weight = WL_ARENA_NEW(arena, double, function->instruction_count + 1),
                 .joins = WL_ARENA_NEW(arena, bool, function->instruction_count + 1),
                 .divided = WL_ARENA_NEW(arena, bool, function->register_count + 1)};
    if (!w.weight || !w.joins || !w.divided)
        return wl_fail_memory(err);
    WL_TRY(wl_ptx_facts_make(function, arena, &w.facts, err));
    for (int32_t i = 0; i < function->instruction_count; i++)
        w.joins[i] = joins_sum(&w, &function->instructions[i]);
    for (int32_t i = 0; i < function->instruction_count; i++)
        w.weight[i] = cost_among_neighbours(&w, &function->instructions[i]);
    for (int32_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].op == WL_PTX_OP_bra)
            w.weight[i] = branch_cost(&w, i);
    weigh_loops(&w);
    share_reciprocals(&w);
    charge_constants(&w);
    charge_common_atomics(&w);
    charge_parameters(&w);
    charge_prologue(&w);
    *weight = w.weight;
    return WL_OK;
}
