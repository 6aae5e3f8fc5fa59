/* def_use.c - see def_use.h.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/def_use.h"

#include <string.h>

#include "base/fail.h"

static void visit_elements(const wl_ptx_function *function, const wl_ptx_operand *o, bool written,
                           wl_ptx_register_visit visit, void *user)
{
    for (int32_t i = o->first; i < o->first + o->count; i++) {
        const wl_ptx_operand *e = &function->lists[i];
        if (e->kind == WL_PTX_OPERAND_REG && e->reg >= 0)
            visit(user, e->reg, written);
    }
}

static void visit_operand(const wl_ptx_function *function, const wl_ptx_operand *o, bool written,
                          wl_ptx_register_visit visit, void *user)
{
    if (o->kind == WL_PTX_OPERAND_VECTOR) {
        visit_elements(function, o, written, visit, user);
        return;
    }
    if (o->kind != WL_PTX_OPERAND_REG && o->kind != WL_PTX_OPERAND_ADDRESS)
        return;
    const bool address = o->kind == WL_PTX_OPERAND_ADDRESS;
    if (address) /* coordinates */
        visit_elements(function, o, false, visit, user);
    if (o->reg >= 0)
        visit(user, o->reg, written && !address);
    if (wl_ptx_second_of(o) >= 0)
        visit(user, wl_ptx_second_of(o), written && !address);
}

void wl_ptx_registers_of(const wl_ptx_function *function, const wl_ptx_instruction *in, wl_ptx_register_visit visit,
                         void *user)
{
    const bool none = !wl_ptx_writes_first(in);
    if (in->guard >= 0)
        visit(user, in->guard, false);
    for (int i = 0; i < in->operand_count; i++)
        visit_operand(function, &in->operands[i], i == 0 && !none, visit, user);
}

int32_t wl_ptx_branch_target(const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_bra || in->operand_count < 1 || in->operands[0].kind != WL_PTX_OPERAND_LABEL)
        return -1;
    return (int32_t)in->operands[0].value;
}

const wl_ptx_instruction *wl_ptx_definition_of(const wl_ptx_def_use *def_use, const wl_ptx_instruction *in, int which)
{
    if (which >= in->operand_count || in->operands[which].kind != WL_PTX_OPERAND_REG || in->operands[which].reg < 0)
        return NULL;
    const int32_t at = def_use->definition[in->operands[which].reg];
    return at >= 0 ? &def_use->function->instructions[at] : NULL;
}

typedef struct scan {
    wl_ptx_def_use *def_use;
    int32_t at;     /* the instruction being scanned */
    int32_t *fill;  /* next free entry of each register's readers; NULL: readers are only counted */
    bool *marks;    /* by register: divergent, or differs */
    bool divergent; /* some input of the instruction divergent between lanes */
    bool changed;
} scan;

static void note_definition(void *user, int32_t reg, bool written)
{
    scan *s = user;
    if (!written)
        s->def_use->first_reader[reg + 1]++;
    else
        s->def_use->definition[reg] =
            s->def_use->definition[reg] == WL_PTX_NO_DEFINITION ? s->at : WL_PTX_SEVERAL_DEFINITIONS;
}

static void note_reader(void *user, int32_t reg, bool written)
{
    scan *s = user;
    if (!written)
        s->def_use->readers[s->fill[reg]++] = s->at;
}

static void check_inputs(void *user, int32_t reg, bool written)
{
    scan *s = user;
    s->divergent = s->divergent || (!written && s->marks[reg]);
}

static void mark_outputs(void *user, int32_t reg, bool written)
{
    scan *s = user;
    if (written && !s->marks[reg])
        s->marks[reg] = s->changed = true;
}

/* The result differs between lanes even where all inputs are uniform. */
static bool is_source_of_divergence(const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_wgmma || in->op == WL_PTX_OP_mma)
        return true; /* a matrix lies across the lanes */
    if (in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_ldu)
        return in->space != WL_PTX_PARAM && in->space != WL_PTX_CONST;
    if (in->op == WL_PTX_OP_tex || in->op == WL_PTX_OP_suld)
        return true;
    if (in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_shfl || in->op == WL_PTX_OP_elect || in->op == WL_PTX_OP_match)
        return true;
    if (in->op != WL_PTX_OP_mov || in->operand_count < 2 || in->operands[1].kind != WL_PTX_OPERAND_SPECIAL)
        return false;
    const int64_t s = in->operands[1].value;
    return s <= WL_PTX_TID_Z || s == WL_PTX_LANEID || (s >= WL_PTX_LANEMASK_EQ && s <= WL_PTX_LANEMASK_GT);
}

/* A loop-carried value needs a second pass; more than a few only in contrived code. */
#define DIVERGENCE_PASSES_MAX 8

/* What all lanes load from one address is the same. */
static bool loads_alike(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_ld && in->space != WL_PTX_LOCAL && !(in->modifiers & WL_PTX_MOD_VOLATILE);
}

static void find_divergent(wl_ptx_def_use *def_use, bool *marks)
{
    const wl_ptx_function *f = def_use->function;
    scan s = {.def_use = def_use, .marks = marks, .changed = true};
    for (int pass = 0; pass < DIVERGENCE_PASSES_MAX && s.changed; pass++) {
        s.changed = false;
        for (int32_t i = 0; i < f->instruction_count; i++) {
            s.divergent = is_source_of_divergence(&f->instructions[i]) &&
                          (marks == def_use->divergent || !loads_alike(&f->instructions[i]));
            if (!s.divergent)
                wl_ptx_registers_of(f, &f->instructions[i], check_inputs, &s);
            if (s.divergent)
                wl_ptx_registers_of(f, &f->instructions[i], mark_outputs, &s);
        }
    }
}

/* A loop spans the instructions from a back edge's target to the branch. The scan goes
 * backwards. Open loops form a stack that is threaded through loop_end of their branches. */
static int32_t close_loops(wl_ptx_def_use *def_use, int32_t open, int32_t above)
{
    while (open >= 0 && wl_ptx_branch_target(&def_use->function->instructions[open]) > above) {
        const int32_t outer = def_use->loop_end[open];
        def_use->loop_end[open] = open;
        open = outer;
    }
    return open;
}

static void find_loops(wl_ptx_def_use *def_use)
{
    const wl_ptx_function *f = def_use->function;
    int32_t open = -1;
    for (int32_t i = f->instruction_count - 1; i >= 0; i--) {
        const int32_t to = wl_ptx_branch_target(&f->instructions[i]);
        open = close_loops(def_use, open, i);
        def_use->loop_end[i] = open;
        if (to >= 0 && to <= i)
            open = i;
        if (to >= 0 && to < f->instruction_count)
            def_use->target[to] = true;
    }
    (void)close_loops(def_use, open, -1);
}

static void mark_table_targets(wl_ptx_def_use *def_use)
{
    const wl_ptx_function *f = def_use->function;
    for (int32_t i = 0; i < f->list_count; i++)
        if (f->lists[i].kind == WL_PTX_OPERAND_LABEL && f->lists[i].value >= 0 &&
            f->lists[i].value < f->instruction_count)
            def_use->target[f->lists[i].value] = true;
}

static wl_status find_readers(wl_ptx_def_use *def_use, wl_arena *arena, wl_error *err)
{
    const wl_ptx_function *f = def_use->function;
    scan s = {.def_use = def_use};
    for (s.at = 0; s.at < f->instruction_count; s.at++)
        wl_ptx_registers_of(f, &f->instructions[s.at], note_definition, &s);
    for (int32_t r = 0; r < f->register_count; r++)
        def_use->first_reader[r + 1] += def_use->first_reader[r];
    def_use->readers = WL_ARENA_NEW(arena, int32_t, def_use->first_reader[f->register_count] + 1);
    s.fill = WL_ARENA_NEW(arena, int32_t, f->register_count + 1);
    if (!def_use->readers || !s.fill)
        return wl_fail_memory(err);
    for (int32_t r = 0; r < f->register_count; r++)
        s.fill[r] = def_use->first_reader[r];
    for (s.at = 0; s.at < f->instruction_count; s.at++)
        wl_ptx_registers_of(f, &f->instructions[s.at], note_reader, &s);
    return WL_OK;
}

wl_status wl_ptx_def_use_make(const wl_ptx_function *function, wl_arena *arena, wl_ptx_def_use *out, wl_error *err)
{
    *out = (wl_ptx_def_use){.function = function,
                            .definition = WL_ARENA_NEW(arena, int32_t, function->register_count + 1),
                            .first_reader = WL_ARENA_NEW(arena, int32_t, function->register_count + 1),
                            .divergent = WL_ARENA_NEW(arena, bool, function->register_count + 1),
                            .differs = WL_ARENA_NEW(arena, bool, function->register_count + 1),
                            .target = WL_ARENA_NEW(arena, bool, function->instruction_count + 1),
                            .loop_end = WL_ARENA_NEW(arena, int32_t, function->instruction_count + 1)};
    if (!out->definition || !out->first_reader || !out->divergent || !out->differs || !out->target || !out->loop_end)
        return wl_fail_memory(err);
    for (int32_t r = 0; r < function->register_count; r++)
        out->definition[r] = WL_PTX_NO_DEFINITION;
    WL_TRY(find_readers(out, arena, err));
    find_divergent(out, out->divergent);
    find_divergent(out, out->differs);
    find_loops(out);
    mark_table_targets(out);
    return WL_OK;
}

/* The module keeps no directives, but it keeps the text between two instructions. */
bool wl_ptx_forbids_unrolling(const wl_ptx_function *f, int32_t first)
{
    static const char word[] = "nounroll";
    const wl_ptx_instruction *in = &f->instructions[first];
    if (first == 0)
        return false;
    for (const char *at = in [-1].text + in [-1].text_length; at + sizeof word <= in->text; at++)
        if (memcmp(at, word, sizeof word - 1) == 0)
            return true;
    return false;
}
