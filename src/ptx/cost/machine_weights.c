/* machine_weights.c - see machine_weights.h.
 *
 * A machine instruction is charged to the instruction of PTX that its line names, divided by the
 * copies of its block. If the assembler has moved it to where another block is executed, it is
 * charged to an instruction of that block, and so is what no line names. The weight of an
 * instruction that accesses memory is how often it does: what else has its line is charged to a
 * neighbour.
 * Layer  ptx/cost (uses base, machine, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/machine_weights.h"

#include <string.h>

#include "base/fail.h"
#include "ptx/cost/machine_match.h"
#include "ptx/module/def_use.h"

/* By instruction of PTX: its machine instructions for each time that it is executed. */
typedef struct sums {
    double classes[WL_INST_CLASS_COUNT];
    double integer_pipe, multiplies[WL_MULTIPLY_COUNT];
} sums;

typedef struct weigher {
    wl_machine_match match;
    const wl_ptx_function *function;
    const double *rules;
    const wl_ptx_counting *counting; /* by rules */
    bool *by_itself;
    int32_t *repeated; /* see wl_ptx_counting */
    bool spills;       /* it stores registers: what that costs is estimated elsewhere */
    sums *sums;
} weigher;

static const wl_ptx_instruction *ptx_at(const weigher *w, int32_t i) { return &w->function->instructions[i]; }

/* ---- sequences with branches of their own ---- */

static bool has_slow_path(const weigher *w, int32_t i)
{
    const wl_cost_row *row = w->counting->split[i].row;
    return row && wl_cost_has_slow_path(row);
}

static bool calls(const wl_ptx_function *f)
{
    for (int32_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].op == WL_PTX_OP_call)
            return true;
    return false;
}

static wl_status find_sequences(weigher *w, wl_arena *scratch, wl_error *err)
{
    w->by_itself = WL_ARENA_NEW(scratch, bool, w->function->instruction_count + 1);
    if (!w->by_itself)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < w->function->instruction_count; i++)
        w->by_itself[i] = has_slow_path(w, i) || wl_ptx_request_lanes(ptx_at(w, i)) > 0;
    return WL_OK;
}

/* ---- where machine instructions are charged ---- */

static bool is_access(wl_inst_class c)
{
    return c == WL_INST_load || c == WL_INST_store || c == WL_INST_atomic || c == WL_INST_shared || c == WL_INST_tensor;
}

static bool can_carry(const weigher *w, int32_t i)
{
    const wl_inst_class c = wl_ptx_class_of(ptx_at(w, i));
    return !w->by_itself[i] && (c == WL_INST_int || c == WL_INST_move);
}

/* An instruction of the block, near this one, whose weight says nothing else: integer arithmetic
 * before it, or behind it, or any other arithmetic, or the branch at the end. */
static int32_t carrier(const weigher *w, int32_t block, int32_t near)
{
    const wl_ptx_flow *flow = &w->match.ptx;
    for (;;) {
        const int32_t first = flow->first[block], end = flow->first[block + 1];
        const int32_t from = near >= first && near < end ? near : first;
        for (int32_t i = from; i >= first; i--)
            if (can_carry(w, i))
                return i;
        for (int32_t i = from; i < end; i++)
            if (can_carry(w, i))
                return i;
        for (int32_t i = end; i-- > first;)
            if (!w->by_itself[i] && !is_access(wl_ptx_class_of(ptx_at(w, i))))
                return i;
        if (flow->dominator[block] < 0 || flow->dominator[block] == block)
            return -1;
        block = flow->dominator[block];
    }
}

static void charge(weigher *w, int32_t i, const wl_machine_operation *o, double share)
{
    if (i < 0)
        return;
    sums *to = &w->sums[i];
    /* halves also copy constants */
    const bool copies = o->of == WL_INST_fp16 && wl_ptx_class_of(ptx_at(w, i)) != WL_INST_fp16;
    to->classes[copies ? WL_INST_int : o->of] += share;
    to->integer_pipe += o->pipe == WL_MACHINE_INTEGER ? share : 0;
    if (o->pipe == WL_MACHINE_MULTIPLY || o->pipe == WL_MACHINE_MULTIPLY_WIDE)
        to->multiplies[o->pipe == WL_MACHINE_MULTIPLY ? WL_MULTIPLY_NARROW : WL_MULTIPLY_WIDE] += share;
}

static bool is_in_region(const weigher *w, int32_t i, int32_t machine_block)
{
    return wl_machine_match_is_region(&w->match, w->match.ptx.block_of[i], machine_block);
}

/* Is the instruction executed as often as a machine block where it is? */
static bool is_at_home(const weigher *w, int32_t i, int32_t machine_block)
{
    const wl_machine_match *m = &w->match;
    const int32_t block = m->ptx.block_of[i], as = m->block[machine_block];
    const int32_t loop = m->ptx.loop_of[block];
    return block == as || m->joined[block] >= 0 || (loop >= 0 && m->main[loop] < 0) ||
           wl_machine_match_every_trip(m, block);
}

/* The last instruction before the loop around an instruction; -1: it is in none. */
static int32_t before_loop(const weigher *w, int32_t i)
{
    const wl_ptx_flow *flow = &w->match.ptx;
    const int32_t loop = flow->loop_of[flow->block_of[i]];
    const int32_t before = loop < 0 ? -1 : flow->dominator[flow->loops[loop].header];
    return before < 0 || before == flow->loops[loop].header ? -1 : flow->first[before + 1] - 1;
}

/* An access of a predicated copy counts as one that no lane makes. */
static void charge_before_loop(weigher *w, int32_t i, const wl_machine_operation *o)
{
    const int32_t before = before_loop(w, i);
    const wl_inst_class own = wl_ptx_class_of(ptx_at(w, i));
    if (before >= 0 && is_access(own) && o->of == own)
        w->repeated[i] = before;
    else if (before >= 0)
        charge(w, carrier(w, w->match.ptx.block_of[before], before), o, 1);
}

/* Textures and surfaces have the lines of other instructions: they are what PTX has. */
static bool is_of_texture(const wl_machine_operation *o)
{
    static const char *const names[] = {"TEX", "TLD", "TLD4", "TXD", "SULD", "SUST"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(o->name, names[i]) == 0)
            return true;
    return false;
}

/* Does it store or load a register that does not fit? PTX has its own accesses to local memory. */
static bool is_spill(const weigher *w, int32_t s)
{
    const char *name = w->match.code->list[s].operation->name;
    const int32_t i = w->match.of[s];
    return (strcmp(name, "LDL") == 0 || strcmp(name, "STL") == 0) &&
           (i < 0 || !is_access(wl_ptx_class_of(ptx_at(w, i))));
}

static void charge_machine_instruction(weigher *w, int32_t block, int32_t s)
{
    const wl_machine_match *m = &w->match;
    const wl_machine_operation *o = m->code->list[s].operation;
    const int32_t i = m->of[s], as = m->block[block];
    if (is_spill(w, s)) {
        w->spills = true;
        return;
    }
    if (m->extra[s] == WL_MACHINE_COPY || (i >= 0 && w->by_itself[i]) || is_of_texture(o))
        return;
    if (m->extra[s] == WL_MACHINE_PREDICATED) {
        charge_before_loop(w, i, o);
        return;
    }
    const wl_inst_class own = i >= 0 ? wl_ptx_class_of(ptx_at(w, i)) : WL_INST_int;
    const bool accesses = i >= 0 && is_access(own) && o->of == own;
    if (i >= 0 && is_in_region(w, i, block) && (accesses || is_at_home(w, i, block))) {
        const int32_t of = m->ptx.block_of[i];
        charge(w, accesses || !is_access(own) ? i : carrier(w, of, i), o, 1.0 / m->copies[of]);
        return;
    }
    charge(w, carrier(w, as, -1), o, wl_machine_match_is_region(m, as, block) ? 1.0 / m->copies[as] : 1);
}

/* ---- the result ---- */

static double total_of(const sums *s)
{
    double total = 0;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        total += s->classes[c];
    return total;
}

static wl_status split(const weigher *w, int32_t i, double total, wl_arena *arena, wl_ptx_split *out, wl_error *err)
{
    const sums *s = &w->sums[i];
    const wl_cost_row *by_rules = w->counting->split[i].row;
    *out = (wl_ptx_split){.row = NULL};
    const bool own = s->classes[wl_ptx_class_of(ptx_at(w, i))] == total;
    if (!(total > 0) || (own && !(s->integer_pipe > 0)))
        return WL_OK;
    wl_cost_row *row = WL_ARENA_NEW(arena, wl_cost_row, 1);
    if (!row)
        return wl_fail_memory(err);
    *row = (wl_cost_row){.cost = total,
                         .has_parts = !own,
                         .integer_pipe = s->integer_pipe,
                         .chain = by_rules ? by_rules->chain : 0,
                         .read = true};
    memcpy(row->parts, s->classes, sizeof row->parts);
    *out = (wl_ptx_split){.row = row, .weight = total};
    return WL_OK;
}

/* Does a machine instruction say where its instruction of PTX is? */
static bool has_place(const weigher *w, int32_t block, int32_t s)
{
    const int32_t i = w->match.of[s];
    if (i < 0 || w->match.extra[s] || w->match.block[block] < 0 || !is_in_region(w, i, block))
        return false;
    const wl_inst_class own = wl_ptx_class_of(ptx_at(w, i));
    return !is_access(own) || w->match.code->list[s].operation->of == own;
}

static wl_status find_places(const weigher *w, wl_arena *arena, wl_arena *scratch, const int32_t **out, wl_error *err)
{
    const wl_ptx_flow *flow = &w->match.machine;
    const int32_t count = w->function->instruction_count;
    int32_t *places = WL_ARENA_NEW(arena, int32_t, (size_t)WL_PTX_ROUND * (size_t)count + 1);
    int32_t *often = WL_ARENA_NEW(scratch, int32_t, count + 1), *seen = WL_ARENA_NEW(scratch, int32_t, count + 1);
    if (!places || !often || !seen)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < WL_PTX_ROUND * count; i++)
        places[i] = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t b = 0; b < flow->block_count; b++)
            for (int32_t s = flow->first[b]; s < flow->first[b + 1]; s++) {
                if (!has_place(w, b, s))
                    continue;
                const int32_t i = w->match.of[s];
                const int32_t copies = w->match.copies[w->match.ptx.block_of[i]] == WL_PTX_ROUND ? WL_PTX_ROUND : 1;
                for (int32_t c = 0; c < copies && pass == 1; c++)
                    if ((int64_t)c * often[i] / copies == seen[i])
                        places[WL_PTX_ROUND * i + c] = s;
                (pass == 0 ? often : seen)[i]++;
            }
    *out = places;
    return WL_OK;
}

/* Loops with remainders: copies of four trips are those whose rungs are counted. */
static int32_t unrolled_end(const weigher *w, int32_t i)
{
    const wl_machine_match *m = &w->match;
    const int32_t block = m->ptx.block_of[i], loop = m->ptx.loop_of[block], last = m->ptx.first[block + 1] - 1;
    const bool alone = loop >= 0 && m->main[loop] >= 0 && m->ptx.loops[loop].header == block &&
                       wl_ptx_branch_target(ptx_at(w, last)) == m->ptx.first[block];
    return alone && m->copies[block] == WL_PTX_ROUND ? last : -1;
}

static wl_status write(const weigher *w, wl_arena *arena, const double **weight, wl_ptx_counting *counting,
                       wl_error *err)
{
    const wl_machine_match *m = &w->match;
    const int32_t count = w->function->instruction_count;
    double *weights = WL_ARENA_NEW(arena, double, count + 1);
    wl_ptx_split *splits = WL_ARENA_NEW(arena, wl_ptx_split, count + 1);
    int32_t *as = WL_ARENA_NEW(arena, int32_t, count + 1), *unrolled = WL_ARENA_NEW(arena, int32_t, count + 1);
    uint8_t *multiplies = WL_ARENA_NEW(arena, uint8_t, count + 1);
    if (!weights || !splits || !as || !unrolled || !multiplies)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < count; i++) {
        const int32_t joined = m->joined[m->ptx.block_of[i]];
        as[i] = joined >= 0 ? m->ptx.first[joined + 1] - 1 : i;
        unrolled[i] = unrolled_end(w, i);
        if (w->by_itself[i]) {
            weights[i] = w->counting->split[i].row ? w->counting->split[i].weight : w->rules[i];
            splits[i] = w->counting->split[i];
            multiplies[i] = w->counting->multiplies[i];
            continue;
        }
        const sums *s = &w->sums[i];
        weights[i] = total_of(s);
        WL_TRY(split(w, i, weights[i], arena, &splits[i], err));
        const bool wide = s->multiplies[WL_MULTIPLY_WIDE] > s->multiplies[WL_MULTIPLY_NARROW];
        if (s->multiplies[WL_MULTIPLY_WIDE] + s->multiplies[WL_MULTIPLY_NARROW] > 0)
            multiplies[i] = (uint8_t)(1 + (wide ? WL_MULTIPLY_WIDE : WL_MULTIPLY_NARROW));
    }
    *weight = weights;
    *counting = (wl_ptx_counting){as, unrolled, w->repeated, splits, multiplies, NULL};
    return WL_OK;
}

static wl_status weigh(weigher *w, const wl_machine_kernel *code, wl_arena *arena, wl_arena *scratch,
                       const double **weight, wl_ptx_counting *counting, const char **why, wl_error *err)
{
    *why = calls(w->function) ? "it calls functions" : NULL;
    if (*why)
        return WL_OK;
    WL_TRY(find_sequences(w, scratch, err));
    WL_TRY(wl_machine_match_make(code, w->function, w->by_itself, scratch, &w->match, why, err));
    if (*why)
        return WL_OK;
    w->sums = WL_ARENA_NEW(scratch, sums, w->function->instruction_count + 1);
    w->repeated = WL_ARENA_NEW(arena, int32_t, w->function->instruction_count + 1);
    if (!w->sums || !w->repeated)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < w->function->instruction_count; i++)
        w->repeated[i] = -1;
    const wl_ptx_flow *flow = &w->match.machine;
    for (int32_t b = 0; b < flow->block_count; b++)
        for (int32_t s = flow->first[b]; w->match.block[b] >= 0 && s < flow->first[b + 1]; s++)
            charge_machine_instruction(w, b, s);
    WL_TRY(write(w, arena, weight, counting, err));
    return find_places(w, arena, scratch, &counting->places, err);
}

wl_status wl_ptx_weigh_machine_code(const wl_machine_kernel *code, const wl_ptx_function *function, wl_arena *arena,
                                    const double **weight, wl_ptx_counting *counting, bool *spills, const char **why,
                                    wl_error *err)
{
    weigher w = {.function = function, .rules = *weight, .counting = counting};
    wl_arena scratch = {0};
    wl_ptx_counting read = *counting;
    const wl_status status = weigh(&w, code, arena, &scratch, weight, &read, why, err);
    wl_arena_free(&scratch);
    *counting = read;
    *spills = w.spills;
    return status;
}
