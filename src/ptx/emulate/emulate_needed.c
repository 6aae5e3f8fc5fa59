/* emulate_needed.c - which steps a run must execute, by def-use analysis.
 *
 * A run that only follows the control flow needs the values that branches and guards depend on; a
 * run that visits addresses also needs the values that these depend on. Dependences go through
 * registers and through memory: a needed load makes the stores needed that may have written its
 * value. All else is counted but not computed.
 *
 * Registers are followed without regard to order: every definition of a needed register is needed.
 * Memory is distinguished by state space and, for buffers, by the parameters from which a pointer
 * is derived. Functions that call others keep all their steps.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <string.h>

#include "base/fail.h"
#include "ptx/module/def_use.h"

/* How much of a step is executed. */
typedef enum extent { NOTHING, ADDRESSES, ALL } extent;

#define ANYWHERE UINT64_MAX /* a pointer that may come from anywhere */
#define SERVED_MAX 64       /* kinds of loads that are told apart */

/* What loads may read: all with the same space and origins may read from the same stores. */
typedef struct source {
    wl_ptx_space space;
    uint64_t origins;
} source;

typedef struct analysis {
    wl_ptx_machine *machine;
    wl_ptx_program *program;
    const wl_ptx_function *function;
    /* by register, one more for the carry: its definitions */
    int32_t *first_definition, *definitions;
    uint64_t *origins; /* by register: bit per parameter of the entry that it may be derived from */
    bool *needed;      /* by register */
    uint8_t *extent;   /* by instruction */
    int32_t *work;     /* work list of instructions */
    int32_t work_count;
    bool addresses;            /* those of all accesses are needed */
    source served[SERVED_MAX]; /* loads whose stores are needed */
    int served_count;
    /* state while the registers of one instruction are visited */
    int32_t at;
    uint64_t read;
    bool changed;
} analysis;

static int32_t carry_of(const analysis *a) { return a->function->register_count; }

static bool reads_carry(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_addc || in->op == WL_PTX_OP_subc || in->op == WL_PTX_OP_madc;
}

static bool is_load(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_ldu || in->op == WL_PTX_OP_ldmatrix ||
           in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red || in->op == WL_PTX_OP_cp_async ||
           in->op == WL_PTX_OP_cp_bulk || in->op == WL_PTX_OP_tensormap;
}

static bool is_store(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red ||
           in->op == WL_PTX_OP_cp_async || in->op == WL_PTX_OP_cp_bulk || in->op == WL_PTX_OP_wmma_store ||
           in->op == WL_PTX_OP_tensormap || in->op == WL_PTX_OP_stmatrix;
}

static bool touches(const wl_ptx_instruction *in)
{
    return is_load(in) || is_store(in) || in->op == WL_PTX_OP_wmma_load || in->op == WL_PTX_OP_tex ||
           in->op == WL_PTX_OP_suld || in->op == WL_PTX_OP_sust;
}

/* ---- registers ---- */

static void count_definition(void *user, int32_t reg, bool written)
{
    analysis *a = user;
    a->first_definition[reg + 1] += written;
}

static void place_definition(void *user, int32_t reg, bool written)
{
    analysis *a = user;
    if (written)
        a->definitions[a->first_definition[reg]++] = a->at;
}

static void visit_all(analysis *a, wl_ptx_register_visit visit)
{
    for (a->at = 0; a->at < a->function->instruction_count; a->at++) {
        const wl_ptx_instruction *in = &a->function->instructions[a->at];
        wl_ptx_registers_of(a->function, in, visit, a);
        if (in->modifiers & WL_PTX_MOD_CC)
            visit(a, carry_of(a), true);
    }
}

static wl_status find_definitions(analysis *a, wl_arena *arena, wl_error *err)
{
    const int32_t registers = a->function->register_count + 1;
    a->first_definition = WL_ARENA_NEW(arena, int32_t, registers + 1);
    if (!a->first_definition)
        return wl_fail_memory(err);
    visit_all(a, count_definition);
    for (int32_t r = 0; r < registers; r++)
        a->first_definition[r + 1] += a->first_definition[r];
    a->definitions = WL_ARENA_NEW(arena, int32_t, a->first_definition[registers] + 1);
    if (!a->definitions)
        return wl_fail_memory(err);
    visit_all(a, place_definition); /* afterwards each start is that of the next register */
    for (int32_t r = registers; r > 0; r--)
        a->first_definition[r] = a->first_definition[r - 1];
    a->first_definition[0] = 0;
    return WL_OK;
}

/* ---- where pointers come from ---- */

static void gather_origins(void *user, int32_t reg, bool written)
{
    analysis *a = user;
    a->read |= written ? 0 : a->origins[reg];
}

static void spread_origins(void *user, int32_t reg, bool written)
{
    analysis *a = user;
    if (!written || (a->origins[reg] | a->read) == a->origins[reg])
        return;
    a->origins[reg] |= a->read;
    a->changed = true;
}

/* What the result of an instruction may point to, in addition to what its operands point to. */
static uint64_t own_origins(const analysis *a, const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_ld && in->space == WL_PTX_PARAM) {
        const int32_t variable = wl_ptx_variable_of(&in->operands[1]);
        for (int k = 0; k < a->function->param_count; k++)
            if (a->function->is_entry && a->function->params[k] == variable && k < 63)
                return (uint64_t)1 << k;
        return ANYWHERE;
    }
    /* the address of a variable, or a pointer kept in memory */
    bool pointer = is_load(in) && (wl_ptx_type_bits(in->type) >= 64 || in->type == WL_PTX_NONE);
    for (int k = 1; k < in->operand_count; k++)
        pointer = pointer || in->operands[k].kind == WL_PTX_OPERAND_VARIABLE;
    /* two halves */
    return pointer || (in->op == WL_PTX_OP_mov && in->operands[1].kind == WL_PTX_OPERAND_VECTOR) ? ANYWHERE : 0;
}

static void find_origins(analysis *a)
{
    for (a->changed = true; a->changed;) {
        a->changed = false;
        for (int32_t i = 0; i < a->function->instruction_count; i++) {
            const wl_ptx_instruction *in = &a->function->instructions[i];
            a->read = own_origins(a, in);
            if (!is_load(in)) /* a loaded value does not point to the buffer it was loaded from */
                wl_ptx_registers_of(a->function, in, gather_origins, a);
            wl_ptx_registers_of(a->function, in, spread_origins, a);
        }
    }
}

static uint64_t origins_of(const analysis *a, const wl_ptx_instruction *in)
{
    uint64_t all = 0;
    for (int k = 0; k < in->operand_count; k++) {
        const wl_ptx_operand *o = &in->operands[k];
        if (o->kind == WL_PTX_OPERAND_ADDRESS)
            all |= o->reg >= 0 && o->variable < 0 ? a->origins[o->reg] : ANYWHERE;
    }
    return all ? all : ANYWHERE;
}

static bool may_be_in(wl_ptx_space space, wl_ptx_space wanted)
{
    return space == wanted || space == WL_PTX_GENERIC || space == WL_PTX_SPACE_NONE;
}

/* May the store have written what the load reads? */
static bool may_meet(const analysis *a, const wl_ptx_instruction *store, const wl_ptx_instruction *load)
{
    const bool copies = store->op == WL_PTX_OP_cp_async || store->op == WL_PTX_OP_cp_bulk ||
                        (store->op == WL_PTX_OP_tensormap && store->to_space != WL_PTX_SPACE_NONE);
    const wl_ptx_space to = copies ? store->to_space : store->space;
    static const wl_ptx_space spaces[] = {WL_PTX_SHARED, WL_PTX_LOCAL, WL_PTX_PARAM};
    for (size_t k = 0; k < sizeof spaces / sizeof spaces[0]; k++)
        if (may_be_in(to, spaces[k]) && may_be_in(load->space, spaces[k]))
            return true;
    return may_be_in(to, WL_PTX_GLOBAL) && may_be_in(load->space, WL_PTX_GLOBAL) &&
           (origins_of(a, store) & origins_of(a, load)) != 0;
}

/* ---- what is needed ---- */

static void demand(analysis *a, int32_t instruction, extent how)
{
    if (a->extent[instruction] >= how)
        return;
    /* only plain loads, stores, atomics, asynchronous and bulk copies, ldmatrix and stmatrix can be
     * executed for their addresses alone */
    const wl_ptx_op op = a->function->instructions[instruction].op;
    const bool plain = op == WL_PTX_OP_ld || op == WL_PTX_OP_ldu || op == WL_PTX_OP_st || op == WL_PTX_OP_atom ||
                       op == WL_PTX_OP_red || op == WL_PTX_OP_cp_async || op == WL_PTX_OP_cp_bulk ||
                       op == WL_PTX_OP_ldmatrix || op == WL_PTX_OP_stmatrix;
    a->extent[instruction] = (uint8_t)(plain ? how : ALL);
    a->work[a->work_count++] = instruction; /* at most twice each */
}

static void demand_register(analysis *a, int32_t reg)
{
    if (a->needed[reg])
        return;
    a->needed[reg] = true;
    for (int32_t k = a->first_definition[reg]; k < a->first_definition[reg + 1]; k++)
        demand(a, a->definitions[k], ALL);
}

static void demand_read(void *user, int32_t reg, bool written)
{
    analysis *a = user;
    if (!written)
        demand_register(a, reg);
}

/* Are the stores of such loads needed already? */
static bool is_served(analysis *a, const wl_ptx_instruction *load)
{
    const source what = {load->space, origins_of(a, load)};
    for (int k = 0; k < a->served_count; k++)
        if (a->served[k].space == what.space && a->served[k].origins == what.origins)
            return true;
    if (a->served_count < SERVED_MAX)
        a->served[a->served_count++] = what;
    return false;
}

static void demand_stores(analysis *a, const wl_ptx_instruction *load)
{
    if (is_served(a, load))
        return;
    for (int32_t i = 0; i < a->function->instruction_count; i++)
        if (is_store(&a->function->instructions[i]) && may_meet(a, &a->function->instructions[i], load))
            demand(a, i, ALL);
}

/* The control flow depends on how many bytes a bulk copy moves, and on its barrier object: not on
 * the places. */
static void demand_size(analysis *a, const wl_ptx_instruction *in)
{
    for (int k = 0; k < in->operand_count; k++) {
        const wl_ptx_operand *o = &in->operands[k];
        if (o->reg >= 0 && (o->kind == WL_PTX_OPERAND_REG || k >= 2 || o->count > 0))
            demand_register(a, o->reg);
    }
}

static void demand_inputs(analysis *a, int32_t instruction)
{
    const wl_ptx_instruction *in = &a->function->instructions[instruction];
    if (in->op == WL_PTX_OP_tcgen05_mma)
        return; /* only its flops matter, which the program text gives */
    if (a->extent[instruction] == ADDRESSES && in->op == WL_PTX_OP_cp_bulk && !a->addresses) {
        demand_size(a, in);
        return;
    }
    /* other operands of copies say how much is copied */
    if (a->extent[instruction] == ADDRESSES && in->op != WL_PTX_OP_cp_bulk && in->op != WL_PTX_OP_cp_async) {
        for (int k = 0; k < in->operand_count; k++)
            if (in->operands[k].kind == WL_PTX_OPERAND_ADDRESS && in->operands[k].reg >= 0)
                demand_register(a, in->operands[k].reg);
        return;
    }
    wl_ptx_registers_of(a->function, in, demand_read, a);
    if (reads_carry(in))
        demand_register(a, carry_of(a));
    if (is_load(in) && a->extent[instruction] == ALL)
        demand_stores(a, in);
}

static void demand_all(analysis *a, bool addresses)
{
    const wl_ptx_function *f = a->function;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        const wl_ptx_step_kind kind = a->program->steps[i].kind;
        if (in->guard >= 0)
            demand_register(a, in->guard);
        if (kind == WL_PTX_STEP_BRANCH || kind == WL_PTX_STEP_LEAVE || kind == WL_PTX_STEP_BARRIER ||
            kind == WL_PTX_STEP_WAIT || (kind == WL_PTX_STEP_RUN && wl_ptx_signals(in)))
            demand(a, i, in->op == WL_PTX_OP_cp_bulk ? ADDRESSES : ALL);
        if (in->op == WL_PTX_OP_tcgen05_mma && kind == WL_PTX_STEP_RUN) /* what others wait for */
            demand(a, i, ALL);
        /* maps say how many bytes copies move */
        if (in->op == WL_PTX_OP_tensormap && kind == WL_PTX_STEP_RUN)
            demand(a, i, ALL);
        if (addresses && touches(in) && kind == WL_PTX_STEP_RUN)
            demand(a, i, ADDRESSES);
    }
    while (a->work_count > 0)
        demand_inputs(a, a->work[--a->work_count]);
}

/* The parameter that the addresses of an instruction are derived from; -1: several, or not
 * known. */
static int32_t pointer_of(const analysis *a, const wl_ptx_instruction *in)
{
    const uint64_t all = touches(in) ? origins_of(a, in) : 0;
    int32_t found = -1;
    for (int k = 0; k < a->function->param_count && k < 63; k++) {
        /* sizes and indices are no pointers */
        const bool wide = a->machine->launch.module->variables[a->function->params[k]].bytes >= 8;
        if (!(all >> k & 1) || !wide)
            continue;
        if (found >= 0)
            return -1;
        found = k;
    }
    return all >> 63 ? -1 : found;
}

/* ---- thin programs ---- */

/* Does something that matters depend on the result of an atomic, and not only on the memory that it
 * changes? */
static bool is_wanted(const analysis *a, const wl_ptx_instruction *in)
{
    const wl_ptx_operand *to = &in->operands[0];
    if (in->op != WL_PTX_OP_atom)
        return false;
    return to->kind == WL_PTX_OPERAND_VECTOR || (to->kind == WL_PTX_OPERAND_REG && to->reg >= 0 && a->needed[to->reg]);
}

static wl_ptx_run run_of_places(wl_ptx_op op)
{
    switch (op) {
    case WL_PTX_OP_cp_async: return wl_ptx_run_copy_places;
    case WL_PTX_OP_cp_bulk: return wl_ptx_run_bulk_places;
    case WL_PTX_OP_ldmatrix:
    case WL_PTX_OP_stmatrix: return wl_ptx_run_matrix_places;
    default: return wl_ptx_run_touch;
    }
}

/* Finds the needed steps. A step that is only counted marks its result as unknown. */
static wl_status thin_out(const analysis *a, bool addresses, wl_ptx_turn *form, wl_error *err)
{
    const wl_ptx_program *p = a->program;
    const int32_t count = a->function->instruction_count;
    int32_t next = count;
    for (int32_t i = count; i-- > 0;) {
        wl_ptx_step *s = &p->steps[i];
        s->pointer = pointer_of(a, s->in);
        const bool counted = s->kind == WL_PTX_STEP_RUN && s->of.run == wl_ptx_run_counted;
        const bool idle = a->extent[i] == NOTHING && !(addresses && counted);
        const bool places = a->extent[i] == ADDRESSES && s->kind == WL_PTX_STEP_RUN && !counted;
        const bool unwanted =
            (s->in->op == WL_PTX_OP_atom && !is_wanted(a, s->in)) || (counted && a->extent[i] == NOTHING);
        form[i] = (wl_ptx_turn){s, next, idle};
        if (!idle && (places || unwanted)) {
            if (!(s = wl_ptx_own_step(a->machine, a->program, form, i)))
                return wl_fail_memory(err);
            s->wanted = !unwanted;
            s->of.run = places ? run_of_places(s->in->op) : s->of.run;
        }
        if (!idle || s->guard >= 0 || p->flow.first[p->flow.block_of[i]] == i)
            next = i;
    }
    return WL_OK;
}

/* One form: with the addresses of all accesses, or without. */
static wl_status make_form(analysis *a, bool addresses, wl_ptx_turn **out, wl_error *err)
{
    const int32_t count = a->function->instruction_count;
    if (!(*out = WL_ARENA_NEW(&a->machine->arena, wl_ptx_turn, count + 1)))
        return wl_fail_memory(err);
    memset(a->needed, 0, ((size_t)a->function->register_count + 1) * sizeof *a->needed);
    memset(a->extent, NOTHING, (size_t)count * sizeof *a->extent);
    a->served_count = 0;
    a->addresses = addresses;
    demand_all(a, addresses);
    return thin_out(a, addresses, *out, err);
}

static wl_status make_forms(wl_ptx_machine *m, wl_ptx_program *p, wl_arena *scratch, wl_error *err)
{
    const wl_ptx_function *f = p->function;
    const int32_t registers = f->register_count + 1, count = f->instruction_count;
    analysis a = {.machine = m,
                  .program = p,
                  .function = f,
                  .origins = WL_ARENA_NEW(scratch, uint64_t, registers),
                  .needed = WL_ARENA_NEW(scratch, bool, registers),
                  .extent = WL_ARENA_NEW(scratch, uint8_t, count + 1),
                  .work = WL_ARENA_NEW(scratch, int32_t, 2 * count + 1)};
    if (!a.origins || !a.needed || !a.extent || !a.work)
        return wl_fail_memory(err);
    WL_TRY(find_definitions(&a, scratch, err));
    find_origins(&a);
    WL_TRY(make_form(&a, true, &p->addresses, err));
    WL_TRY(make_form(&a, false, &p->flow_only, err));
    /* does control flow depend on contents? */
    for (int32_t i = 0; i < count && !p->reads_data; i++)
        p->reads_data = a.extent[i] == ALL && is_load(&f->instructions[i]) &&
                        f->instructions[i].op != WL_PTX_OP_tensormap && f->instructions[i].space != WL_PTX_PARAM;
    return WL_OK;
}

/* Gives a form a step of its own in place of a shared one. */
static bool separate(wl_ptx_machine *m, const wl_ptx_program *p, wl_ptx_turn *form, int32_t i)
{
    wl_ptx_step *copy = NULL;
    if (form == p->all || form[i].step != &p->steps[i])
        return true;
    if (!(copy = WL_ARENA_NEW(&m->arena, wl_ptx_step, 1)))
        return false;
    *copy = p->steps[i];
    form[i].step = copy;
    return true;
}

wl_ptx_step *wl_ptx_own_step(wl_ptx_machine *m, wl_ptx_program *p, wl_ptx_turn *form, int32_t i)
{
    const bool ok =
        form != p->all ? separate(m, p, form, i) : separate(m, p, p->addresses, i) && separate(m, p, p->flow_only, i);
    return ok ? form[i].step : NULL;
}

static bool calls(const wl_ptx_function *f)
{
    for (int32_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].op == WL_PTX_OP_call)
            return true;
    return false;
}

wl_status wl_ptx_find_needed(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err)
{
    wl_arena scratch = {0};
    wl_status status = WL_OK;
    const int32_t count = program->function->instruction_count;
    program->flow_only = program->addresses = program->all = WL_ARENA_NEW(&m->arena, wl_ptx_turn, count + 1);
    if (!program->all)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < count; i++) {
        program->steps[i].wanted = true;
        program->all[i] = (wl_ptx_turn){&program->steps[i], i + 1, false};
    }
    program->reads_data = true;
    if (m->launch.everything && !m->launch.in_order)
        return WL_OK;
    if (m->launch.everything || !program->function->is_entry || calls(program->function))
        return wl_ptx_find_order(m, program, err);
    program->reads_data = false;
    status = make_forms(m, program, &scratch, err);
    wl_arena_free(&scratch);
    if (status == WL_OK)
        status = wl_ptx_find_places(m, program, err);
    if (status == WL_OK)
        status = wl_ptx_find_counted(m, program, err);
    if (status == WL_OK)
        status = wl_ptx_find_steady(m, program, err);
    return status == WL_OK ? wl_ptx_find_order(m, program, err) : status;
}
