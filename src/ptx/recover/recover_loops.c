/* recover_loops.c - loops that are executed once for all their iterations. See recover.h.
 *
 * Some iterations of a loop are executed one by one. Their registers suggest how each register
 * grows from one iteration to the next. Then the body is executed with registers first + k *
 * growth, where k is a symbol with bounds. If every register that was assumed to grow evenly holds
 * first + (k + 1) * growth at the end, induction proves it for all iterations. Registers that fail
 * the test are unknown at the header, and the body is executed again. A condition that is not the
 * same for all k cuts the range of k; the rest of the loop starts again.
 *
 * If this fails, nothing is lost: the loop is executed iteration by iteration. What it took counts
 * apart, so that it takes no work from what is executed.
 *
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/recover/recover_internal.h"

#define NESTED_MAX (WL_VAR_LOOP_2 - WL_VAR_LOOP_0 + 1)
#define PERIODS_MAX 4                /* back edges per trip: double buffering takes two */
#define TRIPS_MIN 4                  /* fewer are executed one by one */
#define TRIPS_MAX ((int64_t)1 << 24) /* examined together */
/* executions of a body, to find the range of k and what grows */
#define ROUNDS_MAX 12
#define FAILURES_MAX 12 /* per loop; then it is not tried again */

/* What is saved around a loop. */
typedef struct wl_ptx_loop_state {
    const wl_symbol **past[PERIODS_MAX]; /* registers at the last headers */
    const wl_symbol **first, **growth;   /* registers at the first trip; growth NULL: unknown */
    double *executed, *on;
    bool *traced;
    /* the instructions executed since, of which alone `executed` and `on` are kept: those of a
     * whole program for each of its loops would take a time that grows with its square */
    int32_t low, high;
} wl_ptx_loop_state;

/* What an attempt changes besides registers and counts. */
typedef struct mark {
    size_t step_count;
    int32_t loop_count, kept;
    double barriers;
    bool uniform, calls, gave_up, any_traced, launch_bound;
    int facts;
    const wl_symbol *when;
} mark;

static wl_ptx_open_loop *top_of(wl_ptx_executor *r) { return &r->open_loops[r->open_loop_count - 1]; }

static int innermost_symbolic(const wl_ptx_executor *r)
{
    int i = r->open_loop_count - 1;
    while (i >= 0 && !r->open_loops[i].is_symbolic)
        i--;
    return i;
}

void wl_ptx_abandon_loop(wl_ptx_executor *r)
{
    if (r->unwind < 0)
        r->unwind = innermost_symbolic(r);
}

bool wl_ptx_stays_in_loop(const wl_ptx_executor *r, int32_t pc)
{
    const int i = innermost_symbolic(r);
    return i < 0 || wl_ptx_flow_in_loop(r->flow, r->open_loops[i].loop, r->flow->block_of[pc]);
}

/* ---- saving and restoring ---- */

static wl_status state_room(wl_ptx_executor *r, wl_ptx_loop_state **out)
{
    wl_ptx_loop_state **state = &r->states[r->open_loop_count - 1];
    const size_t registers = (size_t)r->f->register_count + 1, instructions = (size_t)r->f->instruction_count + 1;
    *out = *state;
    if (*state)
        return WL_OK;
    wl_ptx_loop_state *fresh = WL_ARENA_NEW(r->scratch, wl_ptx_loop_state, 1);
    if (!fresh)
        return wl_fail_memory(r->err);
    fresh->first = WL_ARENA_NEW(r->scratch, const wl_symbol *, registers);
    fresh->growth = WL_ARENA_NEW(r->scratch, const wl_symbol *, registers);
    fresh->executed = WL_ARENA_NEW(r->scratch, double, instructions);
    fresh->on = WL_ARENA_NEW(r->scratch, double, instructions);
    fresh->traced = WL_ARENA_NEW(r->scratch, bool, instructions);
    bool complete = fresh->first && fresh->growth && fresh->executed && fresh->on && fresh->traced;
    for (int i = 0; i < PERIODS_MAX; i++) {
        fresh->past[i] = WL_ARENA_NEW(r->scratch, const wl_symbol *, registers);
        complete = complete && fresh->past[i];
    }
    if (!complete)
        return wl_fail_memory(r->err);
    *state = *out = fresh;
    return WL_OK;
}

static void copy_counts(const wl_ptx_recovery *from, int32_t low, int32_t high, wl_ptx_loop_state *to)
{
    for (int32_t i = low; i < high; i++) {
        to->executed[i] = from->executed[i];
        to->on[i] = from->on[i];
    }
}

/* Keeps the counts of an instruction before they change for the first time, in all attempts that
 * may be undone. What an inner one keeps, those around it keep, too. */
void wl_ptx_keep_counts(wl_ptx_executor *r, int32_t pc)
{
    const wl_ptx_loop_state *inner = r->attempt_count > 0 ? r->attempts[r->attempt_count - 1] : NULL;
    if (!inner || (pc >= inner->low && pc < inner->high))
        return;
    const bool none = inner->low == inner->high;
    const int32_t low = none || pc < inner->low ? pc : inner->low,
                  high = none || pc >= inner->high ? pc + 1 : inner->high;
    for (int i = 0; i < r->attempt_count; i++) {
        wl_ptx_loop_state *s = r->attempts[i];
        const bool first = s->low == s->high;
        const int32_t from = first ? low : (low < s->low ? low : s->low),
                      to = first ? high : (high > s->high ? high : s->high);
        copy_counts(r->out, from, first ? to : s->low, s);
        copy_counts(r->out, first ? to : s->high, to, s);
        s->low = from;
        s->high = to;
    }
}

static mark mark_of(wl_ptx_executor *r, wl_ptx_loop_state *state)
{
    const wl_ptx_recovery *o = r->out;
    state->low = state->high = 0;
    r->attempts[r->attempt_count++] = state;
    memcpy(state->traced, o->traced, (size_t)r->f->instruction_count * sizeof *o->traced);
    return (mark){.step_count = o->step_count,
                  .loop_count = o->loop_count,
                  .kept = r->kept,
                  .barriers = o->barriers,
                  .uniform = o->uniform,
                  .calls = o->calls,
                  .gave_up = o->gave_up,
                  .any_traced = r->any_traced,
                  .launch_bound = r->values.symbols->launch_bound,
                  .facts = r->values.symbols->fact_count,
                  .when = r->when};
}

static void go_back(wl_ptx_executor *r, const wl_ptx_loop_state *state, const mark *m)
{
    wl_ptx_recovery *o = r->out;
    for (int32_t i = state->low; i < state->high; i++) {
        o->executed[i] = state->executed[i];
        o->on[i] = state->on[i];
    }
    memcpy(o->traced, state->traced, (size_t)r->f->instruction_count * sizeof *o->traced);
    o->step_count = m->step_count;
    o->loop_count = m->loop_count;
    o->barriers = m->barriers;
    o->uniform = m->uniform;
    o->calls = m->calls;
    o->gave_up = m->gave_up;
    o->gave_up_at = m->gave_up ? o->gave_up_at : -1;
    r->kept = m->kept;
    r->any_traced = m->any_traced;
    r->when = m->when;
    r->ended = false;
    r->values.symbols->launch_bound = m->launch_bound;
    wl_sym_drop_facts(r->values.symbols, m->facts);
}

/* ---- induction ---- */

/* What the registers of the last two headers, a trip apart, suggest. */
static void guess(wl_ptx_executor *r, wl_ptx_loop_state *state, const wl_symbol **before)
{
    wl_symbols *s = r->values.symbols;
    for (int32_t i = 0; i < r->f->register_count; i++) {
        const wl_symbol *now = r->values.registers[i];
        const bool is_number = r->f->registers[i].type != WL_PTX_PRED || now == before[i];
        state->first[i] = now;
        state->growth[i] = now && is_number ? wl_sym_sub(s, now, before[i]) : NULL;
    }
    r->work += r->f->register_count / 4;
}

static bool grows(const wl_symbol *growth) { return growth && !(wl_sym_is_const(growth) && growth->c == 0); }

static const wl_symbol *in_trip(wl_symbols *s, const wl_ptx_loop_state *state, int32_t reg, const wl_symbol *k)
{
    if (!grows(state->growth[reg]))
        return state->growth[reg] ? state->first[reg] : NULL;
    return wl_sym_add(s, state->first[reg], wl_sym_mul(s, state->growth[reg], k));
}

/* Whether all registers are what they must be after a trip; those that are not become unknown. */
static bool proves(wl_ptx_executor *r, wl_ptx_loop_state *state, const wl_symbol *k)
{
    wl_symbols *s = r->values.symbols;
    const wl_symbol *next = wl_sym_add(s, k, wl_sym_const(s, 1));
    bool all = true;
    for (int32_t i = 0; i < r->f->register_count; i++) {
        if (!state->growth[i])
            continue;
        if (r->values.registers[i] == in_trip(s, state, i, next))
            continue;
        state->growth[i] = NULL;
        all = false;
    }
    return all;
}

/* Executes one trip with k as a symbol; false: it does not return to the header. */
static wl_status execute_trip(wl_ptx_executor *r, wl_ptx_loop_state *state, int period, size_t *last_part,
                              bool *returns)
{
    wl_symbols *s = r->values.symbols;
    const int own = r->open_loop_count - 1;
    wl_ptx_open_loop *l = &r->open_loops[own];
    const int32_t header = r->flow->first[r->flow->loops[l->loop].header];
    wl_sym_range(s, l->var, (wl_interval){0, l->trips - 1});
    const wl_symbol *k = wl_sym_var(s, l->var);
    for (int32_t i = 0; i < r->f->register_count; i++)
        r->values.registers[i] = in_trip(s, state, i, k);
    r->work += r->f->register_count / 4;
    *returns = true;
    for (int i = 0; i < period && *returns; i++) {
        int32_t pc = header;
        l->at_header = true;
        *last_part = r->out->step_count;
        WL_TRY(wl_ptx_execute_path(r, &pc, r->f->instruction_count));
        *returns = r->unwind < 0 && !r->ended && !r->out->gave_up && pc == header;
    }
    return WL_OK;
}

/* No access may be traced only because registers are unknown at the header. */
static bool nothing_lost(const wl_ptx_executor *r, const wl_ptx_loop_state *state)
{
    return memcmp(r->out->traced, state->traced, (size_t)r->f->instruction_count * sizeof *r->out->traced) == 0;
}

/* ---- keeping a loop ---- */

/* Adds a kept loop; new steps then belong to it. */
static wl_status reserve(wl_ptx_executor *r, const wl_ptx_open_loop *l)
{
    wl_ptx_recovery *o = r->out;
    if (!WL_ARENA_ROOM(r->arena, o->loops, o->loop_count, o->loop_room))
        return wl_fail_memory(r->err);
    o->loops[o->loop_count] = (wl_ptx_kept_loop){.header = r->flow->first[r->flow->loops[l->loop].header],
                                                 .parent = r->kept,
                                                 .var = l->var,
                                                 .first = o->step_count};
    r->kept = o->loop_count++;
    return WL_OK;
}

static wl_status note_inductions(wl_ptx_executor *r, const wl_ptx_loop_state *state, wl_ptx_kept_loop *kept)
{
    int n = 0;
    for (int32_t i = 0; i < r->f->register_count; i++)
        n += grows(state->growth[i]);
    wl_ptx_induction *list = WL_ARENA_NEW(r->arena, wl_ptx_induction, n + 1);
    if (!list)
        return wl_fail_memory(r->err);
    for (int32_t i = 0; i < r->f->register_count; i++)
        if (grows(state->growth[i]))
            list[kept->induction_count++] = (wl_ptx_induction){i, state->first[i], state->growth[i]};
    kept->inductions = list;
    return WL_OK;
}

/* All trips are executed: counts them, and gives registers their values after the last. */
static wl_status keep(wl_ptx_executor *r, const wl_ptx_loop_state *state, const mark *m, int32_t number,
                      size_t last_part)
{
    wl_symbols *s = r->values.symbols;
    wl_ptx_recovery *o = r->out;
    const wl_ptx_open_loop *l = top_of(r);
    wl_ptx_kept_loop *kept = &o->loops[number];
    kept->trips = l->trips;
    kept->end = o->step_count;
    kept->last_part = last_part;
    WL_TRY(note_inductions(r, state, kept));
    const double again = (double)(l->trips - 1);
    for (int32_t i = state->low; i < state->high; i++) {
        o->executed[i] += (o->executed[i] - state->executed[i]) * again;
        o->on[i] += (o->on[i] - state->on[i]) * again;
    }
    o->barriers += (o->barriers - m->barriers) * again;
    int64_t values[WL_VAR_COUNT] = {0};
    values[l->var] = l->trips - 1;
    const wl_symbol *end = wl_sym_const(s, l->trips);
    for (int32_t i = 0; i < r->f->register_count; i++)
        r->values.registers[i] =
            state->growth[i] ? in_trip(s, state, i, end) : wl_sym_at(s, r->values.registers[i], 1u << l->var, values);
    r->kept = m->kept;
    return WL_OK;
}

/* Executes the body with k as a symbol until the range of k and what grows are settled. */
static wl_status settle(wl_ptx_executor *r, wl_ptx_loop_state *state, int period, bool *kept)
{
    wl_symbols *s = r->values.symbols;
    const int own = r->open_loop_count - 1;
    wl_ptx_open_loop *l = &r->open_loops[own];
    const mark m = mark_of(r, state);
    const wl_symbol *k = wl_sym_var(s, l->var);
    bool is_probe = true; /* few trips at first: conditions then show how many there are */
    l->trips = TRIPS_MIN;
    l->at_most = TRIPS_MAX;
    for (int round = 0; k && round < ROUNDS_MAX && l->trips >= TRIPS_MIN; round++) {
        size_t last_part = 0;
        bool returns = false;
        l->is_shorter = false;
        const int64_t work = r->work;
        WL_TRY(reserve(r, l));
        const int32_t number = r->kept;
        WL_TRY(execute_trip(r, state, period, &last_part, &returns));
        const bool is_settled = returns && proves(r, state, k);
        if (is_settled && !is_probe && nothing_lost(r, state)) {
            *kept = true;
            return keep(r, state, &m, number, last_part);
        }
        const bool is_lost = is_settled && !nothing_lost(r, state);
        go_back(r, state, &m);
        r->wasted += r->work - work;
        r->work = work;
        r->open_loop_count = own + 1;
        if ((r->unwind >= 0 && r->unwind < own) || is_lost)
            break;
        r->unwind = -1;
        if (!returns && !l->is_shorter)
            break;
        if (is_settled) {
            is_probe = false;
            l->trips = l->at_most;
            l->at_most = 0;
        }
    }
    memcpy(r->values.registers, state->first, (size_t)r->f->register_count * sizeof *state->first);
    return WL_OK;
}

/* Tries to execute all equal iterations at once, given the registers one iteration ago. */
static wl_status try_to_keep(wl_ptx_executor *r, wl_ptx_loop_state *state, const wl_symbol **before, int period,
                             bool *kept)
{
    wl_ptx_open_loop *l = top_of(r);
    *kept = false;
    if (r->launch->unroll || r->symbolic_count == NESTED_MAX || r->failures[l->loop] >= FAILURES_MAX ||
        r->wasted > r->work_max || r->unwind >= 0)
        return WL_OK;
    l->is_symbolic = true;
    l->var = (wl_var)(WL_VAR_LOOP_0 + r->symbolic_count++);
    guess(r, state, before);
    const int attempts = r->attempt_count;
    const wl_status status = settle(r, state, period, kept);
    r->attempt_count = attempts;
    WL_TRY(status);
    wl_sym_range(r->values.symbols, l->var, (wl_interval){0, 0});
    r->symbolic_count--;
    l->is_symbolic = false;
    if (*kept)
        r->failures[l->loop] = 0;
    else if (r->unwind < 0)
        r->failures[l->loop]++;
    return WL_OK;
}

/* Before iteration `number`: tries to keep the loop, with the registers one or more iterations ago
 * as those of the last trip. In the second iteration, values carried from the one before have
 * settled. Conditions may make later iterations more similar than the first ones. */
static wl_status try_periods(wl_ptx_executor *r, wl_ptx_loop_state *state, int number, bool *kept)
{
    const bool is_later = number > PERIODS_MAX && wl_is_pow2(number);
    *kept = false;
    if (number == 1 || number == 2 || is_later)
        WL_TRY(try_to_keep(r, state, state->past[(number - 1) % PERIODS_MAX], 1, kept));
    if (!*kept && is_later)
        WL_TRY(try_to_keep(r, state, state->past[(number - 2) % PERIODS_MAX], 2, kept));
    if (!*kept && number >= 2 && number <= PERIODS_MAX)
        WL_TRY(try_to_keep(r, state, state->past[0], number, kept));
    return WL_OK;
}

wl_status wl_ptx_execute_loop(wl_ptx_executor *r, int32_t loop, int32_t *pc, int32_t stop)
{
    wl_ptx_loop_state *state;
    const int32_t header = *pc;
    const int own = r->open_loop_count++;
    r->open_loops[own] = (wl_ptx_open_loop){.loop = loop, .forks = r->forks};
    WL_TRY(state_room(r, &state));
    for (int number = 0; *pc == header && r->unwind < 0 && !r->ended && !r->out->gave_up; number++) {
        bool kept = false;
        WL_TRY(try_periods(r, state, number, &kept));
        if (kept)
            number = 0;
        if (r->unwind >= 0)
            break;
        memcpy(state->past[number % PERIODS_MAX], r->values.registers,
               (size_t)r->f->register_count * sizeof *state->first);
        r->open_loops[own].at_header = true;
        WL_TRY(wl_ptx_execute_path(r, pc, stop));
        if (*pc == stop)
            break;
    }
    r->open_loop_count = own;
    return WL_OK;
}
