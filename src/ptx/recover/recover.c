/* recover.c - see recover.h: the paths through a function.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/recover_internal.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/recover/recover_domain.h"

#define WORK_MAX (1 << 22)    /* instructions executed, plus nodes of their addresses */
#define SYMBOLS_MAX (1 << 20) /* about a hundred bytes each */

/* ---- the domain ---- */

static bool is_exit(const wl_ptx_function *f, int32_t pc)
{
    return pc >= f->instruction_count || f->instructions[pc].op == WL_PTX_OP_ret ||
           f->instructions[pc].op == WL_PTX_OP_exit;
}

/* Whether the path from here exits without any effect. */
static bool exits_early(const wl_ptx_executor *r, int32_t pc)
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

/* Nothing that a limit of the domain would affect has been executed yet. */
static bool at_start(const wl_ptx_executor *r)
{
    return !r->when && !r->forks && r->out->step_count == 0 && !r->any_traced && r->out->barriers == 0;
}

static void give_up(wl_ptx_executor *r, int32_t pc)
{
    if (!r->out->gave_up)
        r->out->gave_up_at = pc;
    r->out->gave_up = true;
}

/* Restricts the path to the threads for which the condition holds. */
static void narrow(wl_ptx_executor *r, int32_t pc, const wl_symbol *when, const wl_symbol *condition)
{
    r->when = when ? wl_sym_both(r->values.symbols, when, condition) : condition;
    if (!r->when) /* too large to be written */
        give_up(r, pc);
}

/* Records what a thread executes that exits at `pc`: everything so far, and the path from `to` to
 * its exit; -1: `pc` is the exit itself. */
static wl_status note_exit(wl_ptx_executor *r, int32_t pc, int32_t to)
{
    wl_ptx_recovery *o = r->out;
    const wl_ptx_instruction *all = r->f->instructions;
    if (o->exit_count > WL_IDLE_STAGES_MAX) {
        o->idle_differs = true;
        return WL_OK;
    }
    wl_ptx_exit *e = &o->exits[o->exit_count++];
    memcpy(e->first, o->first, sizeof e->first);
    memcpy(e->domain, o->domain, sizeof e->domain);
    e->executed = WL_ARENA_NEW(r->arena, double, r->f->instruction_count + 1);
    if (!e->executed)
        return wl_fail_memory(r->err);
    memcpy(e->executed, o->executed, (size_t)r->f->instruction_count * sizeof *e->executed);
    /* lanes that do not jump directly to an exit cost their warp one more instruction */
    if (to >= 0 && !(all[pc].operands[0].value == to && is_exit(r->f, to)))
        o->idle_differs = true;
    while (to >= 0 && to < r->f->instruction_count) {
        e->executed[to] += 1;
        to = is_exit(r->f, to) ? -1 : (int32_t)all[to].operands[0].value;
    }
    return WL_OK;
}

/* Ends the threads for which `stay` does not hold; they go to `to`, -1: they end at pc. */
static wl_status exit_unless(wl_ptx_executor *r, int32_t pc, int32_t to, const wl_symbol *stay)
{
    wl_ptx_recovery *o = r->out;
    wl_ptx_limits box = wl_ptx_no_limits;
    if (r->symbolic_count > 0) {
        wl_ptx_abandon_loop(r);
        return WL_OK;
    }
    if (!stay) {
        give_up(r, pc);
        return WL_OK;
    }
    WL_TRY(note_exit(r, pc, to));
    const wl_symbol *rest = at_start(r) ? wl_ptx_take_limits(r->values.symbols, stay, &box) : stay;
    if (wl_ptx_holds_cells(o, &box))
        wl_ptx_limit_domain(o, &box);
    else
        rest = stay;
    if (!rest)
        return WL_OK;
    o->uniform = false;
    narrow(r, pc, r->when, rest);
    wl_sym_assume(r->values.symbols, rest, true);
    return WL_OK;
}

/* ---- branches ---- */

/* The reconvergence point of a branch. */
static int32_t reconvergence_of(const wl_ptx_executor *r, int32_t pc)
{
    return r->flow->reconvergence[r->flow->block_of[pc]];
}

/* Executes one side of a fork at `pc`, for the threads of `when` for which the condition holds;
 * *entered is their condition. Afterwards r->when is that of those who have not ended. */
static wl_status execute_side(wl_ptx_executor *r, int32_t pc, int32_t from, int32_t join, const wl_symbol *when,
                              const wl_symbol *condition, const wl_symbol **entered)
{
    wl_symbols *s = r->values.symbols;
    const int facts = s->fact_count;
    r->ended = false;
    narrow(r, pc, when, condition);
    wl_sym_assume(s, condition, true);
    *entered = r->when;
    const wl_status status = wl_ptx_execute_path(r, &from, join);
    wl_sym_drop_facts(s, facts);
    return status;
}

/* Adds an instruction to the worklist, once. */
static void reach(wl_ptx_executor *r, int64_t at, int32_t join, int32_t *open_count)
{
    if (at >= r->f->instruction_count || at == join || r->inside[at] == r->region_count)
        return;
    r->inside[at] = r->region_count;
    r->open[(*open_count)++] = (int32_t)at;
}

/* Skips the region between a data-dependent branch and its reconvergence point: its memory
 * instructions are traced, its results unknown. */
static void skip_region(wl_ptx_executor *r, int32_t pc, int32_t join, wl_ptx_cause cause)
{
    int32_t n = 0;
    if (!wl_ptx_stays_in_loop(r, join)) {
        wl_ptx_abandon_loop(r);
        return;
    }
    r->region_count++;
    r->out->uniform = false;
    r->any_traced = true;
    reach(r, pc, join, &n);
    for (; n > 0; r->work++) {
        const int32_t at = r->open[--n];
        const wl_ptx_instruction *in = &r->f->instructions[at];
        wl_ptx_set_result_unknown(r, in, cause);
        wl_ptx_trace(r->out, at, cause);
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

/* Room to save the registers at a fork; kept for the next fork at that depth. */
static bool fork_room(wl_ptx_executor *r, size_t registers)
{
    const wl_symbol ***before = &r->before[r->forks], ***first = &r->first[r->forks];
    if (!*before)
        *before = WL_ARENA_NEW(r->arena, const wl_symbol *, registers + 1);
    if (!*first)
        *first = WL_ARENA_NEW(r->arena, const wl_symbol *, registers + 1);
    return *before && *first;
}

/* Executes both sides of a divergent branch; where they join, registers become selects. Threads may
 * have exited inside a side. */
static wl_status fork_path(wl_ptx_executor *r, int32_t pc, int32_t taken, int32_t join, const wl_symbol *condition)
{
    wl_symbols *s = r->values.symbols;
    const size_t registers = (size_t)r->f->register_count;
    if (!wl_ptx_stays_in_loop(r, join)) {
        wl_ptx_abandon_loop(r);
        return WL_OK;
    }
    if (!fork_room(r, registers))
        return wl_fail_memory(r->err);
    const wl_symbol **before = r->before[r->forks], **first = r->first[r->forks], **now = r->values.registers;
    const wl_symbol *when = r->when, *otherwise = wl_sym_not(s, condition);
    wl_ptx_sides sides = {.begin = r->out->step_count};
    r->out->uniform = false;
    memcpy(before, now, registers * sizeof *now);
    r->work += (int64_t)registers / 8;
    r->forks++;
    WL_TRY(execute_side(r, pc, taken, join, when, condition, &sides.first));
    const wl_symbol *first_when = r->when;
    const bool first_ended = sides.first_ended = r->ended;
    sides.middle = r->out->step_count;
    memcpy(first, now, registers * sizeof *now);
    memcpy(now, before, registers * sizeof *now);
    WL_TRY(execute_side(r, pc, pc + 1, join, when, otherwise, &sides.second));
    const wl_symbol *second_when = r->when;
    const bool some_left = first_when != sides.first || second_when != sides.second;
    r->forks--;
    const bool second_ended = sides.second_ended = r->ended;
    sides.end = r->out->step_count;
    r->ended = first_ended && second_ended;
    if (r->unwind < 0 && !r->out->gave_up)
        wl_ptx_compare_sides(r, &sides);
    if (first_ended != second_ended && r->symbolic_count > 0)
        wl_ptx_abandon_loop(r);
    if (first_ended != second_ended) { /* the threads of the other side continue alone */
        const wl_symbol *left = first_ended ? otherwise : condition;
        if (second_ended)
            memcpy(now, first, registers * sizeof *now);
        r->when = first_ended ? second_when : first_when;
        wl_sym_assume(s, left, true);
        return WL_OK;
    }
    for (size_t i = 0; i < registers && !r->ended; i++) {
        if (first[i] == now[i])
            continue;
        if (first[i] && now[i]) /* the select is too long; otherwise one side gives the cause */
            r->unknown[i] = (wl_ptx_cause){WL_PTX_WHY_LONG, pc};
        now[i] = wl_sym_select(s, condition, first[i], now[i]);
    }
    r->when = when;
    if (some_left && !r->ended) {
        r->when = first_when && second_when ? wl_sym_select(s, condition, first_when, second_when) : NULL;
        if (!r->when)
            give_up(r, pc);
    }
    return WL_OK;
}

static bool past_limits(wl_ptx_executor *r, int32_t pc)
{
    const wl_symbols *s = r->values.symbols;
    if (++r->work > r->work_max || r->out->step_count >= WL_PTX_STEPS_MAX || s->symbol_count >= SYMBOLS_MAX ||
        s->out_of_memory)
        give_up(r, pc);
    return r->out->gave_up;
}

/* Whether the condition only excludes threads outside a box. Such a test is the domain, even
 * where all threads of this launch pass it. */
static bool only_limits(wl_ptx_executor *r, const wl_symbol *stay)
{
    wl_ptx_limits box = wl_ptx_no_limits;
    return stay && !wl_sym_is_const(stay) && at_start(r) && !wl_ptx_take_limits(r->values.symbols, stay, &box) &&
           wl_ptx_holds_cells(r->out, &box);
}

/* Takes one side, both sides, or skips the region; *pc is where execution continues. */
static wl_status branch(wl_ptx_executor *r, int32_t *pc, int32_t taken, const wl_symbol *condition)
{
    wl_symbols *s = r->values.symbols;
    const int32_t next = *pc + 1, join = reconvergence_of(r, *pc);
    const bool taken_exits = exits_early(r, taken), exits = taken_exits || exits_early(r, next);
    const wl_symbol *stay = condition && exits ? (taken_exits ? wl_sym_not(s, condition) : condition) : NULL;
    int64_t value;
    if (only_limits(r, stay)) {
        WL_TRY(exit_unless(r, *pc, taken_exits ? taken : next, stay));
        *pc = taken_exits ? next : taken;
        return WL_OK;
    }
    if (!wl_ptx_same_in_loops(r, condition))
        return WL_OK;
    if (condition && wl_sym_decided(r->values.symbols, condition, &value)) {
        r->out->on[*pc] += value != 0;
        *pc = value ? taken : next;
        return WL_OK;
    }
    if (!condition || r->forks == WL_PTX_FORKS_MAX) {
        skip_region(r, *pc, join, condition ? (wl_ptx_cause){WL_PTX_WHY_DEEP, *pc} : wl_ptx_cause_of(r, *pc));
        *pc = join;
        return WL_OK;
    }
    if (stay) {
        WL_TRY(exit_unless(r, *pc, taken_exits ? taken : next, stay));
        *pc = taken_exits ? next : taken;
        return WL_OK;
    }
    const int32_t all_join = r->flow->join[r->flow->block_of[*pc]];
    WL_TRY(fork_path(r, *pc, taken, all_join, condition));
    *pc = all_join;
    return WL_OK;
}

/* The condition of a guard; NULL with *is_known: all lanes. */
static const wl_symbol *guard_of(const wl_ptx_executor *r, const wl_ptx_instruction *in, bool *is_known)
{
    *is_known = true;
    if (in->guard < 0)
        return NULL;
    const wl_symbol *condition = r->values.registers[in->guard];
    *is_known = condition != NULL;
    return condition && in->guard_negated ? wl_sym_not(r->values.symbols, condition) : condition;
}

/* At the first instruction of a basic block: does the innermost open loop end its iteration here,
 * or is it left? */
static bool ends_iteration(wl_ptx_executor *r, int32_t pc)
{
    wl_ptx_open_loop *top = r->open_loop_count > 0 ? &r->open_loops[r->open_loop_count - 1] : NULL;
    if (!top || r->flow->first[r->flow->block_of[pc]] != pc)
        return false;
    if (r->loop_at[pc] == top->loop && top->at_header) {
        top->at_header = false;
        return false;
    }
    if (r->forks == top->forks)
        return r->loop_at[pc] == top->loop || !wl_ptx_flow_in_loop(r->flow, top->loop, r->flow->block_of[pc]);
    if (r->loop_at[pc] == top->loop && top->is_symbolic)
        wl_ptx_abandon_loop(r);
    return r->unwind >= 0;
}

/* Whether a loop begins here. */
static bool begins_loop(const wl_ptx_executor *r, int32_t pc)
{
    const int32_t loop = r->loop_at[pc];
    return loop >= 0 && r->open_loop_count < WL_PTX_OPEN_LOOPS_MAX &&
           (r->open_loop_count == 0 || r->open_loops[r->open_loop_count - 1].loop != loop);
}

wl_status wl_ptx_execute_path(wl_ptx_executor *r, int32_t *at, int32_t stop)
{
    int32_t pc = *at;
    for (; pc != stop && !r->ended && r->unwind < 0 && !past_limits(r, pc); *at = pc) {
        if (pc >= r->f->instruction_count) {
            r->ended = true;
            break;
        }
        if (ends_iteration(r, pc))
            break;
        if (begins_loop(r, pc)) {
            WL_TRY(wl_ptx_execute_loop(r, r->loop_at[pc], &pc, stop));
            continue;
        }
        const wl_ptx_instruction *in = &r->f->instructions[pc];
        bool is_known;
        const wl_symbol *condition = guard_of(r, in, &is_known);
        int64_t value = 1;
        wl_ptx_keep_counts(r, pc);
        r->out->executed[pc] += 1;
        if (in->op == WL_PTX_OP_bra) {
            const int32_t taken = (int32_t)in->operands[0].value;
            r->out->on[pc] += in->guard < 0;
            if (in->guard < 0)
                pc = taken;
            else
                WL_TRY(branch(r, &pc, taken, condition));
            continue;
        }
        if (in->op == WL_PTX_OP_brx) {
            r->out->on[pc] += in->guard < 0;
            const wl_symbol *index = wl_ptx_operand_value(&r->values, &in->operands[0]);
            if (!wl_ptx_same_in_loops(r, index))
                continue;
            if (index && wl_sym_decided(r->values.symbols, index, &value) && value >= 0 &&
                value < in->operands[1].count) {
                pc = (int32_t)r->f->lists[in->operands[1].first + value].value;
                continue;
            }
            skip_region(r, pc, reconvergence_of(r, pc), wl_ptx_cause_of(r, pc));
            pc = reconvergence_of(r, pc);
            continue;
        }
        if (!wl_ptx_same_in_loops(r, condition))
            continue;
        const bool decided = condition && wl_sym_decided(r->values.symbols, condition, &value);
        r->out->on[pc] += in->guard < 0 || (decided && value);
        if (in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit || in->op == WL_PTX_OP_trap) {
            if (!is_known) /* an early exit that depends on data: all that follows is traced */
                skip_region(r, pc, r->f->instruction_count, wl_ptx_cause_of(r, pc));
            else if (in->guard >= 0 && !decided)
                WL_TRY(exit_unless(r, pc, -1, wl_sym_not(r->values.symbols, condition)));
            r->ended = !is_known || in->guard < 0 || (decided && value);
            pc++;
            continue;
        }
        if (!is_known) {
            r->out->uniform = false;
            wl_ptx_trace(r->out, pc, wl_ptx_cause_of(r, pc));
            wl_ptx_set_result_unknown(r, in, wl_ptx_cause_of(r, pc));
        } else if (!decided || value) {
            WL_TRY(wl_ptx_execute_instruction(r, pc, in->guard < 0 || decided ? NULL : condition));
        }
        pc++;
    }
    *at = pc;
    return WL_OK;
}

/* Records where loops begin. */
static bool find_headers(wl_ptx_executor *r)
{
    r->loop_at = WL_ARENA_NEW(r->scratch, int32_t, r->f->instruction_count + 1);
    r->failures = WL_ARENA_NEW(r->scratch, uint8_t, r->flow->loop_count + 1);
    for (int32_t i = 0; r->loop_at && i <= r->f->instruction_count; i++)
        r->loop_at[i] = -1;
    for (int32_t l = 0; r->loop_at && l < r->flow->loop_count; l++)
        r->loop_at[r->flow->first[r->flow->loops[l].header]] = l;
    return r->loop_at && r->failures;
}

/* What is left of it is in `arena`. */
static wl_status recover(const wl_ptx_launch *launch, wl_arena *scratch, wl_arena *arena, wl_ptx_recovery *out,
                         wl_error *err)
{
    const wl_ptx_function *f = launch->entry;
    wl_ptx_flow flow;
    *out = (wl_ptx_recovery){.uniform = true, .gave_up_at = -1};
    wl_symbols_start(&out->symbols, launch->block, launch->grid);
    out->traced = WL_ARENA_NEW(arena, bool, f->instruction_count + 1);
    out->cause = WL_ARENA_NEW(arena, wl_ptx_cause, f->instruction_count + 1);
    out->executed = WL_ARENA_NEW(arena, double, f->instruction_count + 1);
    out->on = WL_ARENA_NEW(arena, double, f->instruction_count + 1);
    wl_ptx_executor r = {
        .launch = launch,
        .f = f,
        .flow = &flow,
        .values = {&out->symbols, launch, WL_ARENA_NEW(scratch, const wl_symbol *, f->register_count + 1)},
        .unknown = WL_ARENA_NEW(scratch, wl_ptx_cause, f->register_count + 1),
        .out = out,
        .inside = WL_ARENA_NEW(scratch, int32_t, f->instruction_count + 1),
        .open = WL_ARENA_NEW(scratch, int32_t, f->instruction_count + 1),
        .side_of = WL_ARENA_NEW(scratch, int32_t, f->instruction_count + 1),
        .left_behind = WL_ARENA_NEW(scratch, const wl_symbol *, f->instruction_count + 1),
        .unwind = -1,
        .kept = -1,
        .work_max = wl_min(WORK_MAX, launch->budget),
        .arena = arena,
        .scratch = scratch,
        .err = err};
    if (!out->traced || !out->cause || !r.unknown || !out->executed || !out->on || !r.values.registers || !r.inside ||
        !r.open || !r.side_of || !r.left_behind)
        return wl_fail_memory(err);
    WL_TRY(wl_ptx_flow_make(f, scratch, &flow, err));
    if (!find_headers(&r))
        return wl_fail_memory(err);
    int32_t pc = 0;
    WL_TRY(wl_ptx_execute_path(&r, &pc, f->instruction_count));
    if (out->symbols.out_of_memory)
        return wl_fail_memory(err);
    if (out->gave_up)
        out->uniform = false;
    wl_sym_drop_facts(&out->symbols, 0);
    if (!r.any_traced)
        wl_ptx_share_limits(out);
    return WL_OK;
}

wl_status wl_ptx_recover(const wl_ptx_launch *launch, wl_arena *arena, wl_ptx_recovery *out, wl_error *err)
{
    wl_arena scratch = {0};
    const wl_status status = recover(launch, &scratch, arena, out, err);
    wl_arena_free(&scratch);
    return status;
}

void wl_ptx_trace(wl_ptx_recovery *recovery, int32_t instruction, wl_ptx_cause cause)
{
    if (!recovery->traced[instruction])
        recovery->cause[instruction] = cause;
    recovery->traced[instruction] = true;
}

void wl_ptx_recovery_free(wl_ptx_recovery *recovery) { wl_symbols_free(&recovery->symbols); }
