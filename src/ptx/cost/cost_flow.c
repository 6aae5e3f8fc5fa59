/* cost_flow.c - the rules about branches, loops, and what machine code needs in addition; see
 * cost_internal.h.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_internal.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"

#define NEAR 64 /* instructions: no rule searches farther */

/* ---- where additional instructions are charged ---- */

static const wl_ptx_instruction *instruction(const wl_weigher *w, int32_t at) { return &w->function->instructions[at]; }

static bool can_carry(const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    return c == WL_INST_int || c == WL_INST_move;
}

static bool is_in_earlier_loop(const wl_weigher *w, int32_t place, int32_t at)
{
    return w->def_use.loop_end[place] >= 0 && w->def_use.loop_end[place] < at;
}

void wl_cost_charge(wl_weigher *w, int32_t at, double cost)
{
    int32_t place = at;
    while (place > 0 && at - place < NEAR && !can_carry(instruction(w, place)) && !w->def_use.target[place] &&
           instruction(w, place - 1)->op != WL_PTX_OP_bra)
        place--;
    if (!can_carry(instruction(w, place)))
        for (place = at; place + 1 < w->function->instruction_count && place - at < NEAR &&
                         !w->def_use.target[place + 1] && !can_carry(instruction(w, place)) &&
                         instruction(w, place)->op != WL_PTX_OP_bra;)
            place++;
    /* never charge a load or store, whose weight is its number of executions: charge an earlier
     * instruction, but none of a loop that ends before */
    if (!can_carry(instruction(w, place)))
        for (place = at; place > 0 && (!can_carry(instruction(w, place)) || is_in_earlier_loop(w, place, at));)
            place--;
    w->weight[can_carry(instruction(w, place)) ? place : at] += cost;
}

/* ---- branches ---- */

static bool is_atomic(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red; }

static bool is_end(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit; }

/* Whether the assembler predicates the body between a branch and its target: few, simple
 * instructions, no atomics. */
static bool is_predicated(const wl_weigher *w, int32_t at, int32_t to)
{
    double body = 0;
    if (to <= at || to - at > NEAR || to >= w->function->instruction_count || is_end(instruction(w, to)))
        return false;
    for (int32_t i = at + 1; i < to; i++) {
        const wl_inst_class c = wl_ptx_class_of(instruction(w, i));
        body += w->weight[i];
        if (w->def_use.target[i] || c == WL_INST_control || c == WL_INST_tensor || is_atomic(instruction(w, i)) ||
            body > w->costs->rules.predicated_most)
            return false;
    }
    return true;
}

void wl_cost_find_predicated(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++)
        w->branch[i] = -1;
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const int32_t to = wl_ptx_branch_target(instruction(w, i));
        if (instruction(w, i)->guard < 0 || !is_predicated(w, i, to))
            continue;
        for (int32_t k = i; k < to; k++)
            w->branch[k] = i;
    }
}

/* Do lanes of an earlier branch to the same place already wait there to reconverge? */
static bool shares_reconvergence(const wl_weigher *w, int32_t at, int32_t to)
{
    for (int32_t i = at - 1; i >= 0 && at - i < NEAR; i--) {
        const wl_ptx_instruction *in = instruction(w, i);
        if (wl_ptx_branch_target(in) == to && in->guard >= 0 && w->branch[i] != i && w->def_use.divergent[in->guard])
            return true;
    }
    return false;
}

/* The loop that a branch leaves: the reconvergence point of its lanes is set before the loop. */
static int32_t loop_left_by(const wl_weigher *w, int32_t at, int32_t to)
{
    const int32_t end = w->def_use.loop_end[at];
    return end >= 0 && to > end ? wl_ptx_branch_target(instruction(w, end)) : -1;
}

static double branch_cost(wl_weigher *w, int32_t at)
{
    const wl_ptx_instruction *in = instruction(w, at);
    const int32_t to = wl_ptx_branch_target(in), count = w->function->instruction_count;
    if (to < 0)
        return wl_cost_of_table(w->costs, in);
    if (in->guard < 0) /* next to a conditional branch, one of the two conditions is inverted */
        return at > 0 && instruction(w, at - 1)->op == WL_PTX_OP_bra ? 0 : 1;
    if (w->branch[at] == at)
        return 0;
    if (to <= at || to >= count || is_end(instruction(w, to)))
        return 1;
    const bool waits = w->def_use.divergent[in->guard] && to > at + 2 && !shares_reconvergence(w, at, to);
    const int32_t loop = waits ? loop_left_by(w, at, to) : -1;
    if (loop > 0)
        wl_cost_charge(w, loop - 1, w->costs->rules.reconvergence);
    return 1 + (waits && loop <= 0 ? w->costs->rules.reconvergence : 0);
}

/* ---- loops ---- */

static bool is_step(const wl_ptx_instruction *in)
{
    return wl_cost_is_sum(in) && wl_cost_by_number(in, 2) && in->operands[0].reg == in->operands[1].reg;
}

/* Division and square roots call a function in rare cases. */
static bool may_call(const wl_ptx_instruction *in)
{
    const bool divides = in->op == WL_PTX_OP_div || in->op == WL_PTX_OP_rem;
    if (divides && wl_cost_kind_of(in->type) < WL_COST_F32)
        return wl_cost_kind_of(in->type) == WL_COST_I64 && !wl_cost_by_number(in, 2);
    return (divides || in->op == WL_PTX_OP_sqrt || in->op == WL_PTX_OP_rcp) && !(in->modifiers & WL_PTX_MOD_APPROX);
}

/* The comparison that ends a loop, of a register that the loop increments. NULL: none. */
static const wl_ptx_instruction *loop_test(const wl_weigher *w, int32_t first, int32_t last)
{
    const int32_t guard = instruction(w, last)->guard, at = guard >= 0 ? w->def_use.definition[guard] : -1;
    if (at < first || at > last || instruction(w, at)->op != WL_PTX_OP_setp)
        return NULL;
    const wl_ptx_instruction *test = instruction(w, at);
    for (int32_t i = first; i < last; i++)
        for (int o = 1; o <= 2 && is_step(instruction(w, i)); o++)
            if (test->operands[o].kind == WL_PTX_OPERAND_REG &&
                test->operands[o].reg == instruction(w, i)->operands[0].reg)
                return test;
    return NULL;
}

static bool is_unsigned(const wl_ptx_instruction *test)
{
    return test->type == WL_PTX_U16 || test->type == WL_PTX_U32 || test->type == WL_PTX_U64;
}

/* The longest loop that the assembler unrolls: longer if it waits for memory. */
static double longest_unrolled(const wl_weigher *w, bool loads, double shared)
{
    const double other = w->costs->rules.unroll_most_other + w->costs->rules.unroll_per_shared * shared;
    return fmax(fmin(other, w->costs->rules.unroll_most_shared), loads ? w->costs->rules.unroll_most : 0);
}

/* The assembler unrolls a short single-block loop that ends by a test of an induction variable with
 * a constant step. A loop with an unsigned variable, which may wrap around, is not unrolled if it
 * also stores. */
static bool is_unrolled(const wl_weigher *w, int32_t first, int32_t last)
{
    const wl_ptx_instruction *test = loop_test(w, first, last);
    double size = w->weight[last], shared = 0; /* accesses count twice */
    bool loads = false;
    if (!test || wl_ptx_forbids_unrolling(w->function, first))
        return false;
    for (int32_t i = first; i < last; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        const wl_inst_class c = wl_ptx_class_of(in);
        const bool branches = c == WL_INST_control && in->op != WL_PTX_OP_bar,
                   accesses =
                       c == WL_INST_load || c == WL_INST_store || (c == WL_INST_shared && in->op != WL_PTX_OP_shfl);
        if (branches || is_atomic(in) || c == WL_INST_tensor || (i > first && w->def_use.target[i]) || may_call(in) ||
            (c == WL_INST_store && is_unsigned(test)))
            return false;
        /* narrow accesses are joined later */
        const double instructions = w->weight[i] * (in->joined > 0 ? in->joined : 1);
        size += (accesses ? 2 : 1) * instructions;
        loads = loads || c == WL_INST_load;
        shared += in->op == WL_PTX_OP_ld && in->space == WL_PTX_SHARED ? instructions : 0;
    }
    return size <= longest_unrolled(w, loads, shared);
}

/* Is the trip count of a loop known at compile time: from one constant to another? */
static bool has_constant_trips(const wl_weigher *w, const wl_ptx_instruction *test, int32_t first)
{
    if (!wl_cost_by_number(test, 2) || test->operands[1].kind != WL_PTX_OPERAND_REG)
        return false;
    for (int32_t i = first - 1; i >= 0 && first - i < NEAR; i--) {
        const wl_ptx_instruction *in = instruction(w, i);
        if (in->operand_count > 1 && in->operands[0].kind == WL_PTX_OPERAND_REG &&
            in->operands[0].reg == test->operands[1].reg)
            return in->op == WL_PTX_OP_mov && wl_cost_by_number(in, 1);
    }
    return false;
}

/* If an unsigned comparison ends a loop, its body is copied for the case that the loop ends at
 * once. If the body is short, the copy is predicated, not skipped. Returns its instructions without
 * accesses. */
static double repeat_body(wl_weigher *w, int32_t first, int32_t last)
{
    double body = 0, accesses = 0;
    for (int32_t i = first; i < last; i++)
        body += w->weight[i];
    if (!is_unsigned(loop_test(w, first, last)) || body > w->costs->rules.unroll_remainder_most)
        return 0;
    for (int32_t i = first; i < last; i++) {
        const wl_inst_class c = wl_ptx_class_of(instruction(w, i));
        if (c != WL_INST_load && c != WL_INST_store && c != WL_INST_shared)
            continue;
        w->repeated[i] = first - 1;
        accesses += w->weight[i];
    }
    return body - accesses;
}

/* An unrolled loop tests the trip count before the loop and again for the remaining trips. */
static void share_loop_control(wl_weigher *w, int32_t first, int32_t last)
{
    const wl_ptx_instruction *test = loop_test(w, first, last);
    if (first > 0 && !has_constant_trips(w, test, first))
        wl_cost_charge(w, first - 1, w->costs->rules.unroll_entry + repeat_body(w, first, last));
    for (int32_t i = first; i <= last; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        w->unrolled[i] = last;
        if (in != test && i != last && !is_step(in))
            continue;
        w->weight[i] /= w->costs->rules.unroll_factor;
        w->split[i].weight /= w->costs->rules.unroll_factor;
    }
}

/* Special registers and addresses are loop-invariant: they are read before the loop. */
static void hoist_copy(wl_weigher *w, int32_t at, int32_t first)
{
    const wl_ptx_instruction *in = instruction(w, at);
    if (in->op != WL_PTX_OP_mov || in->operand_count < 2 || first <= 0 ||
        (in->operands[1].kind != WL_PTX_OPERAND_SPECIAL && in->operands[1].kind != WL_PTX_OPERAND_VARIABLE))
        return;
    const double cost = w->weight[at];
    w->weight[at] = 0;
    wl_cost_charge(w, first - 1, cost);
}

/* Loads of the loop first .. last from the address in a register. */
static int loads_through(const wl_weigher *w, int32_t reg, int32_t first, int32_t last)
{
    int count = 0;
    for (int32_t i = w->def_use.first_reader[reg]; i < w->def_use.first_reader[reg + 1]; i++) {
        const wl_ptx_instruction *in = instruction(w, w->def_use.readers[i]);
        count += w->def_use.readers[i] >= first && w->def_use.readers[i] <= last && in->op == WL_PTX_OP_ld;
    }
    return count;
}

static void weigh_loops(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const int32_t end = w->def_use.loop_end[i];
        if (end < 0)
            continue;
        const int32_t first = wl_ptx_branch_target(instruction(w, end));
        hoist_copy(w, i, first);
        if (i == end && is_unrolled(w, first, end))
            share_loop_control(w, first, end);
    }
}

/* The result of a single load overwrites its address register: a 64-bit address that the loop
 * increments is copied for it. */
static void copy_addresses(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        const int32_t end = w->def_use.loop_end[i];
        if (end < 0 || !is_step(in) || wl_cost_kind_of(in->type) != WL_COST_I64 ||
            loads_through(w, in->operands[0].reg, wl_ptx_branch_target(instruction(w, end)), end) != 1)
            continue;
        w->weight[i] += w->costs->rules.stepped_address / (w->unrolled[i] < 0 ? 1 : w->costs->rules.unroll_factor);
    }
}

/* ---- computed once ---- */

/* The first reader of a divisor computes its reciprocal, unless the divisor is loop-invariant
 * there: then the loop shares it. */
static void share_reciprocals(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        if ((in->op != WL_PTX_OP_div && in->op != WL_PTX_OP_rem) || wl_cost_kind_of(in->type) >= WL_COST_I64 ||
            in->operand_count < 3 || in->operands[2].kind != WL_PTX_OPERAND_REG || in->operands[2].reg < 0)
            continue;
        const int32_t reg = in->operands[2].reg, made = w->def_use.definition[reg], end = w->def_use.loop_end[i];
        const bool outside = end >= 0 && made < wl_ptx_branch_target(instruction(w, end));
        if (made >= 0 && (outside || w->divided[reg]) && w->weight[i] > w->costs->rules.reciprocal) {
            w->weight[i] -= w->costs->rules.reciprocal;
            w->split[i].weight = fmax(0, w->split[i].weight - w->costs->rules.reciprocal);
        }
        w->divided[reg] = true;
    }
}

/* ---- textures ---- */

static bool is_coordinate(const wl_weigher *w, const wl_ptx_instruction *in, int32_t reg)
{
    const wl_ptx_operand *at = &in->operands[1];
    for (int k = 0; k < at->count && in->op == WL_PTX_OP_tex; k++)
        if (w->function->lists[at->first + k].reg == reg)
            return true;
    return false;
}

/* Whether a fetch before instruction `at` has the register among its coordinates. */
static bool was_coordinate(const wl_weigher *w, int32_t reg, int32_t at)
{
    for (int32_t i = w->def_use.first_reader[reg]; i < w->def_use.first_reader[reg + 1]; i++)
        if (w->def_use.readers[i] < at && is_coordinate(w, instruction(w, w->def_use.readers[i]), reg))
            return true;
    return false;
}

/* The coordinates of a fetch are neighbouring registers: those that others share are copied. */
static void charge_coordinates(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_operand *at = &instruction(w, i)->operands[1];
        for (int k = 0; k < at->count && instruction(w, i)->op == WL_PTX_OP_tex && at->count > 1; k++) {
            const wl_ptx_operand *o = &w->function->lists[at->first + k];
            /* three dimensions have a fourth element, which repeats the third and is not read */
            const bool repeats = k > 0 && o->reg == w->function->lists[at->first + k - 1].reg;
            if (o->kind == WL_PTX_OPERAND_REG && !repeats && was_coordinate(w, o->reg, i))
                wl_cost_charge(w, i, w->costs->rules.shared_coordinate);
        }
    }
}

/* All lanes update one address by one value: a single lane does it for the warp. */
static void charge_common_atomics(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_instruction *in = instruction(w, i);
        const wl_ptx_operand *at = NULL, *by = NULL;
        if (in->op == WL_PTX_OP_atom && in->operand_count >= 3)
            at = &in->operands[1], by = &in->operands[2];
        else if (in->op == WL_PTX_OP_red && in->operand_count >= 2)
            at = &in->operands[0], by = &in->operands[1];
        const bool adds = in->variant == WL_PTX_ADD && !wl_ptx_type_is_float(in->type) && in->space == WL_PTX_GLOBAL;
        if (at && adds && at->reg >= 0 && !w->def_use.divergent[at->reg] &&
            (by->kind == WL_PTX_OPERAND_IMMEDIATE || (by->reg >= 0 && !w->def_use.divergent[by->reg])))
            wl_cost_charge(w, i, w->costs->rules.aggregated_atomic);
    }
}

static void charge_special_accesses(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++) {
        const wl_ptx_op op = instruction(w, i)->op;
        if (op == WL_PTX_OP_cp_async)
            wl_cost_charge(w, i, w->costs->rules.async_copy);
        if (op == WL_PTX_OP_wmma_load || op == WL_PTX_OP_wmma_store)
            wl_cost_charge(w, i, w->costs->rules.fragment_address);
    }
}

/* ---- all ---- */

void wl_cost_weigh_flow(wl_weigher *w)
{
    for (int32_t i = 0; i < w->function->instruction_count; i++)
        if (instruction(w, i)->op == WL_PTX_OP_bra)
            w->weight[i] = branch_cost(w, i);
    weigh_loops(w);
    copy_addresses(w);
    share_reciprocals(w);
    charge_coordinates(w);
    charge_common_atomics(w);
    charge_special_accesses(w);
}
