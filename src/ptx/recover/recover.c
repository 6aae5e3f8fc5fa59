/* recover.c - see recover.h. SPDX-License-Identifier: MIT */
#include "ptx/recover/recover.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/module/flow.h"
#include "ptx/recover/recover_domain.h"
#include "ptx/recover/recover_value.h"
#include "ptx/recover/loop_rolling.h"

#define WORK_MAX (1 << 22)    /* instructions followed, and nodes of what they touch */
#define STEPS_MAX (1 << 18)   /* memory accesses of a thread */
#define SYMBOLS_MAX (1 << 20) /* a hundred bytes each */
#define BYTES_MAX 32          /* of an access of a kernel file */
#define FORKS_MAX 24          /* conditions inside each other that part the threads */

typedef struct follower {
    const wl_ptx_launch *launch;
    const wl_ptx_function *f;
    const wl_ptx_flow *flow;
    wl_ptx_values values;
    wl_ptx_recovery *out;
    wl_arena *arena;
    const wl_symbol *when; /* condition of the path; NULL: every thread of the domain */
    int forks;             /* open ones */
    const wl_symbol **before[FORKS_MAX], **first[FORKS_MAX]; /* registers at each, and at the end of its first way */
    bool *inside;                                            /* of what is stepped over: instructions met */
    int32_t *open;                                           /* and those to look at */
    bool ended;                                              /* all threads of the path are home */
    bool any_traced;
    int64_t work, work_max;
    wl_error *err;
} follower;

/* ---- memory ---- */

static wl_status add_step(follower *r, int32_t pc, bool store, wl_ptx_space space, const wl_symbol *address,
                          const wl_symbol *when)
{
    wl_ptx_recovery *o = r->out;
    if (o->step_count == STEPS_MAX) {
        o->gave_up = true;
        return WL_OK;
    }
    if (o->step_count == o->step_room) {
        const size_t room = o->step_room ? 2 * o->step_room : 256;
        wl_ptx_step *larger = WL_ARENA_NEW(r->arena, wl_ptx_step, room);
        if (!larger)
            return wl_fail_memory(r->err);
        if (o->step_count > 0)
            memcpy(larger, o->steps, o->step_count * sizeof *larger);
        o->steps = larger;
        o->step_room = room;
    }
    o->steps[o->step_count++] = (wl_ptx_step){pc, store, space, address, when};
    r->work += address->size + (when ? when->size : 0); /* they are evaluated for many threads */
    return WL_OK;
}

/* The space a generic address lies in. */
static wl_ptx_space space_of(const follower *r, wl_ptx_space named, const wl_symbol *address)
{
    if (named != WL_PTX_GENERIC || !address)
        return named;
    return wl_ptx_buffer_near(r->launch->arguments, (uint64_t)address->c) ? WL_PTX_GLOBAL : WL_PTX_GENERIC;
}

static wl_status touch(follower *r, int32_t pc, const wl_ptx_operand *at, wl_ptx_space named, bool store,
                       const wl_symbol *when)
{
    if (named == WL_PTX_PARAM || named == WL_PTX_CONST || named == WL_PTX_LOCAL)
        return WL_OK;
    const wl_symbol *address = wl_ptx_address_value(&r->values, at);
    const wl_ptx_space space = space_of(r, named, address);
    if (!address || space == WL_PTX_GENERIC || wl_ptx_access_bytes(&r->f->instructions[pc]) > BYTES_MAX) {
        r->out->traced[pc] = r->any_traced = true;
        return WL_OK;
    }
    return add_step(r, pc, store, space, address, when);
}

/* Where a parameter of the entry lies in what it was called with; -1: it is none. */
static int64_t param_place(const follower *r, const wl_ptx_operand *at)
{
    int64_t place;
    for (int i = 0; i < r->f->param_count; i++)
        if (r->f->params[i] == at->variable && at->reg < 0)
            return wl_add(r->launch->arguments->param_offset[i], at->value, &place) ? place : -1;
    return -1;
}

/* What is loaded, where arguments say so: parameters, and constants at known places. */
static const wl_symbol *loaded(const follower *r, const wl_ptx_instruction *in, const wl_ptx_operand *at, int element)
{
    const wl_ptx_arguments *a = r->launch->arguments;
    const int bytes = wl_ptx_type_bits(in->type) / 8;
    const wl_symbol *address = in->space == WL_PTX_PARAM ? NULL : wl_ptx_address_value(&r->values, at);
    uint8_t data[8] = {0};
    if (bytes < 1 || bytes > 8 || wl_ptx_type_is_float(in->type))
        return NULL;
    if (in->space == WL_PTX_PARAM) {
        const int64_t place = param_place(r, at);
        if (place < 0 || place + (element + 1) * bytes > a->param_bytes)
            return NULL;
        memcpy(data, a->params + place + element * bytes, (size_t)bytes);
    } else {
        if (!address || !wl_sym_is_const(address))
            return NULL;
        const uint64_t place = (uint64_t)address->c + (uint64_t)(element * bytes);
        const wl_ptx_buffer *buffer = in->space == WL_PTX_CONST ? wl_ptx_buffer_at(a, place) : NULL;
        if (!buffer || (int64_t)(place - buffer->base) > buffer->bytes - bytes ||
            !wl_ptx_buffer_read(buffer, (int64_t)(place - buffer->base), bytes, data))
            return NULL;
    }
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | data[i];
    const int unused = 64 - 8 * bytes;
    return wl_sym_const(r->values.symbols, (int64_t)(value << unused) >> unused);
}

/* ---- results ---- */

static void set(follower *r, int32_t reg, const wl_symbol *value, const wl_symbol *truth)
{
    if (reg >= 0)
        r->values.registers[reg] =
            truth ? wl_sym_select(r->values.symbols, truth, value, r->values.registers[reg]) : value;
}

/* Nobody knows what an instruction leaves behind. */
static void forget_result(follower *r, const wl_ptx_instruction *in)
{
    const wl_ptx_operand *to = &in->operands[0];
    if (in->operand_count == 0 || !wl_ptx_writes_first(in))
        return;
    if (to->kind == WL_PTX_OPERAND_REG) {
        r->values.registers[to->reg] = NULL;
        if (to->other >= 0)
            r->values.registers[to->other] = NULL;
    }
    for (int i = 0; to->kind == WL_PTX_OPERAND_VECTOR && i < to->count; i++)
        if (r->f->lists[to->first + i].kind == WL_PTX_OPERAND_REG)
            r->values.registers[r->f->lists[to->first + i].reg] = NULL;
}

static void load_results(follower *r, const wl_ptx_instruction *in, const wl_symbol *truth)
{
    const wl_ptx_operand *to = &in->operands[0];
    if (to->kind == WL_PTX_OPERAND_REG)
        set(r, to->reg, loaded(r, in, &in->operands[1], 0), truth);
    for (int i = 0; to->kind == WL_PTX_OPERAND_VECTOR && i < to->count; i++)
        if (r->f->lists[to->first + i].kind == WL_PTX_OPERAND_REG)
            set(r, r->f->lists[to->first + i].reg, loaded(r, in, &in->operands[1], i), truth);
}

/* mov of 64 bits into two halves. */
static void unpack(follower *r, const wl_ptx_instruction *in)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_operand *to = &in->operands[0];
    const wl_symbol *whole = wl_ptx_operand_value(&r->values, &in->operands[1]);
    for (int i = 0; i < to->count; i++) {
        const wl_ptx_operand *part = &r->f->lists[to->first + i];
        if (part->kind != WL_PTX_OPERAND_REG)
            continue;
        const bool halves = to->count == 2 && wl_ptx_type_bits(in->type) == 64;
        r->values.registers[part->reg] = !halves ? NULL
                                         : i     ? wl_sym_div(s, whole, wl_sym_const(s, (int64_t)1 << 32))
                                                 : whole;
    }
}

/* A condition and another; where they cannot be written, what the instruction does is emulated. NULL: all lanes. */
static const wl_symbol *also(follower *r, int32_t pc, const wl_symbol *when, const wl_symbol *truth)
{
    const wl_symbol *both = when && truth ? wl_sym_both(r->values.symbols, when, truth) : when ? when : truth;
    if (!both && (when || truth))
        r->out->traced[pc] = r->any_traced = true;
    return both;
}

/* The lanes whose address ldmatrix looks at: eight for each matrix. */
static const wl_symbol *rows_of(follower *r, int32_t pc, const wl_symbol *when)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_operand *to = &r->f->instructions[pc].operands[0];
    const int matrices = to->kind == WL_PTX_OPERAND_VECTOR ? to->count : 1;
    if (8 * matrices >= WL_PTX_LANES)
        return when;
    const wl_ptx_operand lane = {.kind = WL_PTX_OPERAND_SPECIAL, .value = WL_PTX_LANEID};
    const wl_symbol *last = wl_sym_const(s, 8 * matrices - 1);
    const wl_symbol *takes_part = wl_sym_not_negative(s, wl_sym_sub(s, last, wl_ptx_operand_value(&r->values, &lane)));
    return also(r, pc, when, takes_part);
}

/* An instruction that neither branches nor ends. truth: the lanes that execute it; NULL: all of the path. */
static wl_status execute(follower *r, int32_t pc, const wl_symbol *truth)
{
    const wl_ptx_instruction *in = &r->f->instructions[pc];
    const wl_symbol *when = also(r, pc, r->when, truth);
    const wl_symbol *other;
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
        WL_TRY(touch(r, pc, &in->operands[1], in->space, false, when));
        load_results(r, in, truth);
        return WL_OK;
    case WL_PTX_OP_st: return touch(r, pc, &in->operands[0], in->space, true, when);
    case WL_PTX_OP_red: return touch(r, pc, &in->operands[0], in->space, true, when);
    case WL_PTX_OP_atom: forget_result(r, in); return touch(r, pc, &in->operands[1], in->space, true, when);
    case WL_PTX_OP_cp_async:
        WL_TRY(touch(r, pc, &in->operands[1], WL_PTX_GLOBAL, false, when));
        return touch(r, pc, &in->operands[0], WL_PTX_SHARED, true, when);
    case WL_PTX_OP_ldmatrix: /* each lane has the address of a row, as many as there are */
        forget_result(r, in);
        return touch(r, pc, &in->operands[1], in->space, false, rows_of(r, pc, when));
    case WL_PTX_OP_cp_bulk:
    case WL_PTX_OP_wmma_load:
    case WL_PTX_OP_wmma_store:
    case WL_PTX_OP_stmatrix:
    case WL_PTX_OP_st_async:
        r->out->traced[pc] = r->any_traced = true;
        forget_result(r, in);
        return WL_OK;
    case WL_PTX_OP_call:
        r->any_traced = true;
        r->out->calls = true;
        r->out->uniform = false;
        return WL_OK;
    case WL_PTX_OP_bar:
        r->out->barriers += !(in->modifiers & WL_PTX_MOD_WARP);
        if (in->modifiers & WL_PTX_MOD_RED)
            forget_result(r, in);
        return WL_OK;
    case WL_PTX_OP_mov:
        if (in->operands[0].kind == WL_PTX_OPERAND_VECTOR) {
            unpack(r, in);
            return WL_OK;
        }
        break;
    default: break;
    }
    if (in->operand_count == 0 || in->operands[0].kind != WL_PTX_OPERAND_REG || !wl_ptx_writes_first(in)) {
        forget_result(r, in);
        return WL_OK;
    }
    const wl_symbol *value = wl_ptx_result(&r->values, in, &other);
    set(r, in->operands[0].reg, value, truth);
    set(r, in->operands[0].other, other, truth);
    return WL_OK;
}

/* ---- the domain ---- */

/* Does the path from here end without doing anything? */
static bool goes_home(const follower *r, int32_t pc)
{
    for (int hops = 0; hops < 8 && pc < r->f->instruction_count; hops++) {
        const wl_ptx_instruction *in = &r->f->instructions[pc];
        if (in->guard >= 0)
            return false;
        if (in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit)
            return true;
        if (in->op != WL_PTX_OP_bra)
            return false;
        pc = (int32_t)in->operands[0].value;
    }
    return pc >= r->f->instruction_count;
}

/* Nothing has happened yet that a limit would have to hold for. */
static bool at_start(const follower *r)
{
    return !r->when && !r->forks && r->out->step_count == 0 && !r->any_traced && r->out->barriers == 0;
}

/* The path goes on with those threads for which a truth holds too. */
static void narrow(follower *r, const wl_symbol *when, const wl_symbol *truth)
{
    r->when = when ? wl_sym_both(r->values.symbols, when, truth) : truth;
    if (!r->when) /* too long to be written */
        r->out->gave_up = true;
}

/* Threads for which `stay` does not hold are home. */
static void send_home(follower *r, const wl_symbol *stay)
{
    wl_ptx_recovery *o = r->out;
    wl_ptx_limits box = wl_ptx_no_limits;
    if (!stay) {
        o->gave_up = true;
        return;
    }
    const wl_symbol *rest = at_start(r) ? wl_ptx_take_limits(r->values.symbols, stay, &box) : stay;
    if (wl_ptx_holds_cells(o, &box))
        wl_ptx_limit_domain(o, &box);
    else
        rest = stay;
    memcpy(o->idle, o->executed, (size_t)r->f->instruction_count * sizeof *o->idle);
    if (!rest)
        return;
    o->uniform = false;
    narrow(r, r->when, rest);
    wl_sym_assume(r->values.symbols, rest, true);
}

/* ---- branches ---- */

/* Where the ways from a branch meet again. */
static int32_t join_of(const follower *r, int32_t pc) { return r->flow->meets[r->flow->block_of[pc]]; }

static wl_status follow(follower *r, int32_t pc, int32_t stop);

/* Notes an instruction to look at; each once. */
static void reach(follower *r, int64_t at, int32_t join, int32_t *open_count)
{
    if (at >= r->f->instruction_count || at == join || r->inside[at])
        return;
    r->inside[at] = true;
    r->open[(*open_count)++] = (int32_t)at;
}

/* Steps over everything between a branch that depends on data and where its ways meet again. */
static void step_over(follower *r, int32_t pc, int32_t join)
{
    int32_t n = 0;
    memset(r->inside, 0, (size_t)r->f->instruction_count * sizeof *r->inside);
    r->out->uniform = false;
    r->any_traced = true;
    reach(r, pc, join, &n);
    for (; n > 0; r->work++) {
        const int32_t at = r->open[--n];
        const wl_ptx_instruction *in = &r->f->instructions[at];
        forget_result(r, in);
        r->out->traced[at] = true;
        r->out->calls = r->out->calls || in->op == WL_PTX_OP_call;
        const bool ends = in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit || in->op == WL_PTX_OP_trap;
        if (in->op == WL_PTX_OP_bra)
            reach(r, in->operands[0].value, join, &n);
        for (int i = 0; in->op == WL_PTX_OP_brx && i < in->operands[1].count; i++)
            reach(r, r->f->lists[in->operands[1].first + i].value, join, &n);
        if (!((ends || in->op == WL_PTX_OP_bra || in->op == WL_PTX_OP_brx) && in->guard < 0))
            reach(r, at + 1, join, &n);
    }
}

/* Room for the registers at a fork; kept for the next one that is as deep. */
static bool fork_room(follower *r, size_t registers)
{
    const wl_symbol ***before = &r->before[r->forks], ***first = &r->first[r->forks];
    if (!*before)
        *before = WL_ARENA_NEW(r->arena, const wl_symbol *, registers + 1);
    if (!*first)
        *first = WL_ARENA_NEW(r->arena, const wl_symbol *, registers + 1);
    return *before && *first;
}

/* Both ways of a branch, one after the other, and what registers hold where they meet. */
static wl_status fork_path(follower *r, int32_t taken, int32_t next, int32_t join, const wl_symbol *truth)
{
    wl_symbols *s = r->values.symbols;
    const size_t registers = (size_t)r->f->register_count;
    if (!fork_room(r, registers))
        return wl_fail_memory(r->err);
    const wl_symbol **before = r->before[r->forks], **first = r->first[r->forks], **now = r->values.registers;
    const wl_symbol *when = r->when, *otherwise = wl_sym_not(s, truth);
    const int facts = s->fact_count;
    r->out->uniform = false;
    memcpy(before, now, registers * sizeof *now);
    r->work += (int64_t)registers / 8;
    r->forks++;
    narrow(r, when, truth);
    wl_sym_assume(s, truth, true);
    WL_TRY(follow(r, taken, join));
    wl_sym_forget(s, facts);
    const bool first_ended = r->ended;
    memcpy(first, now, registers * sizeof *now);
    memcpy(now, before, registers * sizeof *now);
    r->ended = false;
    narrow(r, when, otherwise);
    wl_sym_assume(s, otherwise, true);
    WL_TRY(follow(r, next, join));
    wl_sym_forget(s, facts);
    r->forks--;
    const bool second_ended = r->ended;
    r->ended = first_ended && second_ended;
    if (first_ended != second_ended) { /* the others go on alone */
        const wl_symbol *left = first_ended ? otherwise : truth;
        if (second_ended)
            memcpy(now, first, registers * sizeof *now);
        narrow(r, when, left);
        wl_sym_assume(s, left, true);
        return WL_OK;
    }
    for (size_t i = 0; i < registers && !r->ended; i++)
        now[i] = first[i] == now[i] ? now[i] : wl_sym_select(s, truth, first[i], now[i]);
    r->when = when;
    return WL_OK;
}

static bool past_limits(follower *r)
{
    const wl_symbols *s = r->values.symbols;
    if (++r->work > r->work_max || r->out->step_count >= STEPS_MAX || s->symbol_count >= SYMBOLS_MAX ||
        s->out_of_memory)
        r->out->gave_up = true;
    return r->out->gave_up;
}

/* Is it a test for threads outside a box, and nothing else? Such a one is the domain, also where all threads of this
 * launch pass it. */
static bool only_limits(follower *r, const wl_symbol *stay)
{
    wl_ptx_limits box = wl_ptx_no_limits;
    return stay && !wl_sym_is_const(stay) && at_start(r) && !wl_ptx_take_limits(r->values.symbols, stay, &box) &&
           wl_ptx_holds_cells(r->out, &box);
}

/* Goes one way, both ways or over it; *pc is where to go on. */
static wl_status branch(follower *r, int32_t *pc, int32_t taken, const wl_symbol *truth)
{
    wl_symbols *s = r->values.symbols;
    const int32_t next = *pc + 1, join = join_of(r, *pc);
    const bool taken_home = goes_home(r, taken), home = taken_home || goes_home(r, next);
    const wl_symbol *stay = truth && home ? (taken_home ? wl_sym_not(s, truth) : truth) : NULL;
    int64_t value;
    if (only_limits(r, stay)) {
        send_home(r, stay);
        *pc = taken_home ? next : taken;
        return WL_OK;
    }
    if (truth && wl_sym_decided(r->values.symbols, truth, &value)) {
        *pc = value ? taken : next;
        return WL_OK;
    }
    if (!truth || r->forks == FORKS_MAX) {
        step_over(r, *pc, join);
        *pc = join;
        return WL_OK;
    }
    if (stay) {
        send_home(r, stay);
        *pc = taken_home ? next : taken;
        return WL_OK;
    }
    WL_TRY(fork_path(r, taken, next, join, truth));
    *pc = join;
    return WL_OK;
}

/* The condition of a guard; NULL with *is_known: all lanes. */
static const wl_symbol *guard_of(const follower *r, const wl_ptx_instruction *in, bool *is_known)
{
    *is_known = true;
    if (in->guard < 0)
        return NULL;
    const wl_symbol *truth = r->values.registers[in->guard];
    *is_known = truth != NULL;
    return truth && in->guard_negated ? wl_sym_not(r->values.symbols, truth) : truth;
}

static wl_status follow(follower *r, int32_t pc, int32_t stop)
{
    while (pc != stop && !r->ended && !past_limits(r)) {
        if (pc >= r->f->instruction_count) {
            r->ended = true;
            break;
        }
        const wl_ptx_instruction *in = &r->f->instructions[pc];
        bool is_known;
        const wl_symbol *truth = guard_of(r, in, &is_known);
        int64_t value = 1;
        r->out->executed[pc] += 1;
        if (in->op == WL_PTX_OP_bra) {
            const int32_t taken = (int32_t)in->operands[0].value;
            if (in->guard < 0)
                pc = taken;
            else
                WL_TRY(branch(r, &pc, taken, truth));
            continue;
        }
        if (in->op == WL_PTX_OP_brx) {
            const wl_symbol *index = wl_ptx_operand_value(&r->values, &in->operands[0]);
            if (index && wl_sym_decided(r->values.symbols, index, &value) && value >= 0 &&
                value < in->operands[1].count) {
                pc = (int32_t)r->f->lists[in->operands[1].first + value].value;
                continue;
            }
            step_over(r, pc, join_of(r, pc));
            pc = join_of(r, pc);
            continue;
        }
        const bool decided = truth && wl_sym_decided(r->values.symbols, truth, &value);
        if (in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit || in->op == WL_PTX_OP_trap) {
            if (!is_known) /* some lanes may be home: which do the rest depends on data */
                step_over(r, pc, r->f->instruction_count);
            else if (in->guard >= 0 && !decided)
                send_home(r, wl_sym_not(r->values.symbols, truth));
            r->ended = !is_known || in->guard < 0 || (decided && value);
            pc++;
            continue;
        }
        if (!is_known) {
            r->out->uniform = false;
            r->out->traced[pc] = true;
            forget_result(r, in);
        } else if (!decided || value) {
            WL_TRY(execute(r, pc, in->guard < 0 || decided ? NULL : truth));
        }
        pc++;
    }
    return WL_OK;
}

wl_status wl_ptx_recover(const wl_ptx_launch *launch, wl_arena *arena, wl_ptx_recovery *out, wl_error *err)
{
    const wl_ptx_function *f = launch->entry;
    wl_ptx_flow flow;
    *out = (wl_ptx_recovery){.uniform = true};
    wl_symbols_start(&out->symbols, launch->block, launch->grid);
    out->traced = WL_ARENA_NEW(arena, bool, f->instruction_count + 1);
    out->executed = WL_ARENA_NEW(arena, double, f->instruction_count + 1);
    out->idle = WL_ARENA_NEW(arena, double, f->instruction_count + 1);
    follower r = {.launch = launch,
                  .f = f,
                  .flow = &flow,
                  .values = {&out->symbols, launch, WL_ARENA_NEW(arena, const wl_symbol *, f->register_count + 1)},
                  .out = out,
                  .inside = WL_ARENA_NEW(arena, bool, f->instruction_count + 1),
                  .open = WL_ARENA_NEW(arena, int32_t, f->instruction_count + 1),
                  .work_max = wl_min(WORK_MAX, launch->budget),
                  .arena = arena,
                  .err = err};
    if (!out->traced || !out->executed || !out->idle || !r.values.registers || !r.inside || !r.open)
        return wl_fail_memory(err);
    WL_TRY(wl_ptx_flow_make(f, arena, &flow, err));
    WL_TRY(follow(&r, 0, f->instruction_count));
    if (out->symbols.out_of_memory)
        return wl_fail_memory(err);
    if (out->gave_up)
        out->uniform = false;
    wl_sym_forget(&out->symbols, 0);
    if (!r.any_traced)
        wl_ptx_share_limits(out);
    return WL_OK;
}

void wl_ptx_recovery_free(wl_ptx_recovery *recovery) { wl_symbols_free(&recovery->symbols); }
