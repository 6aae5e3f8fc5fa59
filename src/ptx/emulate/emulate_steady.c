/* emulate_steady.c - counts trips of a loop that equal the last two without executing them.
 *
 * Two trips of a warp are recorded: the executed instructions and the operands of comparisons.
 * Candidates are loops whose steps, as far as the control flow depends on them, add, copy, multiply
 * by loop invariants, and compare. As long as its trips have the same control flow, the registers
 * after a trip are an affine function of those before it, modulo their width. If the registers have
 * changed by the same amounts in both trips, they change by these amounts in every further one, and
 * so do the operands of comparisons: one division for each comparison and lane gives the trips with
 * the same control flow. They are counted like the last one, and the registers are set to what they
 * would hold.
 *
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_trips.c executes every trip.
 * SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/ckd.h"
#include "base/fail.h"

#define EVENTS_MAX 320   /* of a trip */
#define TESTS_MAX 80     /* of them */
#define FAILURES_MAX 200 /* of a loop, one after another */
#define REPEAT_STEPS 32  /* the cost of comparing two trips, in instructions */

typedef enum event_kind { RUN, GUARD, DIVERGED, RUNGS, TEST } event_kind;

/* One thing that a trip has done. */
typedef struct event {
    event_kind kind;
    int32_t from, to; /* steps; from: that with the guard, the branch or the comparison */
    uint32_t active, mask;
    int64_t times;
} event;

/* The operands of a comparison. */
typedef struct operands {
    int32_t step;
    uint32_t active, holds;
    uint64_t a[WL_PTX_LANES], b[WL_PTX_LANES];
} operands;

typedef struct trip {
    event events[EVENTS_MAX];
    operands tests[TESTS_MAX];
    int count, test_count;
    /* instructions that the warp had executed by its end */
    uint64_t ended;
    int64_t looked_at;                                      /* steps by then */
    uint64_t values[WL_PTX_STEADY_REGISTERS][WL_PTX_LANES]; /* of registers at its end */
    bool unknown[WL_PTX_STEADY_REGISTERS];                  /* in some lane */
} trip;

typedef struct wl_ptx_recorder {
    const wl_ptx_step *branch; /* of the loop */
    const wl_ptx_warp *warp;
    uint32_t lanes;
    int trips;     /* trips that have ended since recording began, including the one before */
    trip *list[3]; /* the one that is recorded, the last, the one before that */
} wl_ptx_recorder;

/* ---- finding such loops ---- */

static bool is_written(const wl_ptx_program *p, int32_t loop, int32_t slot)
{
    for (int32_t i = 0; i < p->function->instruction_count; i++)
        if (!p->flow_only[i].idle && p->flow_only[i].step->to == slot &&
            wl_ptx_flow_in_loop(&p->flow, loop, p->flow.block_of[i]))
            return true;
    return false;
}

/* Is the result an affine function of the registers that the loop changes? */
static bool is_affine(const wl_ptx_program *p, int32_t loop, const wl_ptx_step *s)
{
    const bool plain = wl_ptx_integer_index(s->in->type) >= 0 &&
                       !(s->in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_CC | WL_PTX_MOD_HI | WL_PTX_MOD_WIDE));
    if (s->kind == WL_PTX_STEP_APPLY)
        return plain && (s->in->op == WL_PTX_OP_add || s->in->op == WL_PTX_OP_sub);
    if (s->kind == WL_PTX_STEP_PRODUCT)
        return plain && (s->in->op == WL_PTX_OP_mul || s->in->op == WL_PTX_OP_mad) &&
               (!is_written(p, loop, s->from[0]) || !is_written(p, loop, s->from[1]));
    return s->kind == WL_PTX_STEP_COPY && plain;
}

static bool add_register(wl_ptx_steady *out, int32_t slot)
{
    for (int32_t k = 0; k < out->count; k++)
        if (out->registers[k] == slot)
            return true;
    if (out->count == WL_PTX_STEADY_REGISTERS)
        return false;
    out->registers[out->count++] = slot;
    return true;
}

/* Only branches may have guards; guarded results would depend on the lane. */
static bool fits(const wl_ptx_program *p, int32_t loop, const wl_ptx_turn *turn, wl_ptx_steady *out)
{
    const wl_ptx_step *s = turn->step;
    if (s->kind == WL_PTX_STEP_BRANCH)
        return s->in->op == WL_PTX_OP_bra && !s->spins;
    if (s->guard >= 0 || s->kind == WL_PTX_STEP_LEAVE || s->kind == WL_PTX_STEP_BARRIER)
        return false;
    if (turn->idle || s->kind == WL_PTX_STEP_NOTHING || wl_ptx_compares_integers(s))
        return true;
    return is_affine(p, loop, s) && add_register(out, s->to);
}

static bool is_steady(const wl_ptx_program *p, const wl_ptx_step *branch, wl_ptx_steady *out)
{
    const int32_t header = p->flow.block_of[branch->target];
    out->loop = p->flow.loop_of[header];
    if (out->loop < 0 || p->flow.loops[out->loop].header != header)
        return false;
    for (int32_t i = 0; i < p->function->instruction_count; i++)
        if (wl_ptx_flow_in_loop(&p->flow, out->loop, p->flow.block_of[i]) && !fits(p, out->loop, &p->flow_only[i], out))
            return false;
    return true;
}

static wl_status make_recorder(wl_ptx_machine *m, wl_error *err)
{
    m->recorder = WL_ARENA_NEW(&m->arena, wl_ptx_recorder, 1);
    for (int k = 0; m->recorder && k < 3; k++)
        if (!(m->recorder->list[k] = WL_ARENA_NEW(&m->arena, trip, 1)))
            return wl_fail_memory(err);
    return m->recorder ? WL_OK : wl_fail_memory(err);
}

wl_status wl_ptx_find_steady(wl_ptx_machine *m, wl_ptx_program *p, wl_error *err)
{
    for (int32_t i = 0; i < p->function->instruction_count; i++) {
        wl_ptx_step *branch = p->flow_only[i].step;
        wl_ptx_steady found = {0};
        if (branch->kind != WL_PTX_STEP_BRANCH || !branch->back || branch->counted || branch->in->op != WL_PTX_OP_bra ||
            !is_steady(p, branch, &found))
            continue;
        branch = wl_ptx_own_step(m, p, p->flow_only, i);
        if (!branch || !(branch->steady = WL_ARENA_NEW(&m->arena, wl_ptx_steady, 1)))
            return wl_fail_memory(err);
        *branch->steady = found;
        if (!m->recorder)
            WL_TRY(make_recorder(m, err));
    }
    return WL_OK;
}

/* ---- recording ---- */

void wl_ptx_recorder_stop(wl_ptx_machine *m) { m->recording = false; }

static void fail(wl_ptx_machine *m)
{
    m->recorder->branch->steady->failures++;
    wl_ptx_recorder_stop(m);
}

/* The next event of the trip; NULL: too many events, or another warp. */
static event *next_event(wl_ptx_machine *m)
{
    trip *t = m->recorder->list[0];
    if (m->recorder->warp == m->warp && t->count < EVENTS_MAX)
        return &t->events[t->count++];
    if (m->recorder->warp == m->warp)
        fail(m);
    wl_ptx_recorder_stop(m);
    return NULL;
}

static void record(wl_ptx_machine *m, event_kind kind, int32_t from, int32_t to, uint32_t active, uint32_t mask,
                   int64_t times)
{
    event *e = next_event(m);
    if (!e)
        return;
    e->kind = kind;
    e->from = from;
    e->to = to;
    e->active = active;
    e->mask = mask;
    e->times = times;
}

void wl_ptx_record_run(wl_ptx_machine *m, int32_t from, int32_t to, uint32_t active, int64_t times)
{
    const wl_ptx_flow *flow = &m->frame->program->flow;
    if (wl_ptx_flow_in_loop(flow, m->recorder->branch->steady->loop, flow->block_of[to - 1]))
        record(m, RUN, from, to, active, 0, times);
    else
        wl_ptx_recorder_stop(m); /* the loop was left */
}

void wl_ptx_record_guard(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask)
{
    record(m, GUARD, s->number, 0, active, mask, 1);
    if (m->recording && m->frame->unknown[s->guard] & active)
        fail(m);
}

void wl_ptx_record_diverged(wl_ptx_machine *m, const wl_ptx_step *s) { record(m, DIVERGED, s->number, 0, 0, 0, 1); }

void wl_ptx_record_rungs(wl_ptx_machine *m, const wl_ptx_step *s, int64_t rungs)
{
    record(m, RUNGS, s->number, 0, 0, 0, rungs);
}

void wl_ptx_record_test(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, const uint64_t *a, const uint64_t *b)
{
    const uint64_t *const from[2] = {a, b};
    trip *t = m->recorder->list[0];
    const uint32_t unknown = m->frame->unknown[s->from[0]] | m->frame->unknown[s->from[1]];
    if (m->recorder->warp != m->warp) {
        wl_ptx_recorder_stop(m);
        return;
    }
    if (unknown & active || t->test_count == TESTS_MAX) {
        fail(m);
        return;
    }
    operands *o = &t->tests[t->test_count++];
    o->step = s->number;
    o->active = active;
    o->holds = s->of.test(from, s->in) & active;
    memcpy(o->a, a, sizeof o->a);
    memcpy(o->b, b, sizeof o->b);
    record(m, TEST, s->number, 0, active, o->holds, 1);
}

/* ---- trips ---- */

static bool are_alike(const trip *a, const trip *b)
{
    bool same = a->count == b->count;
    for (int i = 0; i < a->count && same; i++) {
        const event *x = &a->events[i], *y = &b->events[i];
        same = x->kind == y->kind && x->from == y->from && x->to == y->to && x->active == y->active &&
               x->mask == y->mask && x->times == y->times;
    }
    return same;
}

static int bits_of(const wl_ptx_program *p, int32_t reg) { return wl_ptx_type_bits(p->function->registers[reg].type); }

static bool uses(const wl_ptx_turn *turn, int32_t slot)
{
    const wl_ptx_step *s = turn->step;
    return !turn->idle && (s->to == slot || s->from[0] == slot || s->from[1] == slot || s->from[2] == slot);
}

/* Whether the last trip has read or written a register. */
static bool touches(const wl_ptx_recorder *r, const wl_ptx_program *p, int32_t slot)
{
    for (int i = 0; i < r->list[0]->count; i++) {
        const event *e = &r->list[0]->events[i];
        for (int32_t at = e->from; e->kind == RUN && at < e->to; at++)
            if (uses(&p->flow_only[at], slot))
                return true;
    }
    return false;
}

/* Whether all that the last trip has used is known. */
static bool is_known(const wl_ptx_recorder *r, const wl_ptx_program *p)
{
    const wl_ptx_steady *s = r->branch->steady;
    for (int32_t k = 0; k < s->count; k++)
        if ((r->list[0]->unknown[k] || r->list[1]->unknown[k] || r->list[2]->unknown[k]) &&
            touches(r, p, s->registers[k]))
            return false;
    return true;
}

/* Have the registers changed by the same amounts as in the previous trip? */
static bool changes_alike(const wl_ptx_recorder *r, const wl_ptx_program *p)
{
    const wl_ptx_steady *s = r->branch->steady;
    for (int32_t k = 0; k < s->count; k++) {
        const int unused = 64 - bits_of(p, s->registers[k]);
        const uint64_t *now = r->list[0]->values[k], *last = r->list[1]->values[k], *first = r->list[2]->values[k];
        WL_PTX_FOR_LANES(lane, r->lanes)
        {
            if ((now[lane] - last[lane]) << unused != (last[lane] - first[lane]) << unused)
                return false;
        }
    }
    return true;
}

/* Whether two lanes compare the same numbers. */
static bool is_same(const operands *now, const operands *last, uint32_t x, uint32_t y)
{
    return now->a[x] == now->a[y] && now->b[x] == now->b[y] && last->a[x] == last->a[y] && last->b[x] == last->b[y];
}

static int64_t common_trips(const wl_ptx_recorder *r, const wl_ptx_program *p, int64_t most)
{
    for (int i = 0; i < r->list[0]->test_count && most >= WL_PTX_TRIPS_MIN; i++) {
        const operands *now = &r->list[0]->tests[i], *last = &r->list[1]->tests[i];
        uint32_t before = WL_PTX_LANES;
        WL_PTX_FOR_LANES(lane, now->active)
        {
            if (before == WL_PTX_LANES || !is_same(now, last, before, lane))
                most = wl_min(most, wl_ptx_trips_alike(p->flow_only[now->step].step, now->holds >> lane & 1,
                                                       now->a[lane], now->a[lane] - last->a[lane], now->b[lane],
                                                       now->b[lane] - last->b[lane]));
            before = lane;
        }
    }
    return most;
}

static void count(wl_ptx_machine *m, const event *e, int64_t trips)
{
    const wl_ptx_program *p = m->frame->program;
    switch (e->kind) {
    case RUN: wl_ptx_tally_add(m, p, e->from, e->to, e->active, trips * e->times); break;
    case GUARD: wl_ptx_tally_guard(m, p->flow_only[e->from].step, e->active, e->mask, trips); break;
    case DIVERGED: wl_ptx_tally_diverged(m, p->flow_only[e->from].step, trips); break;
    case RUNGS: wl_ptx_tally_rungs(m, p->flow_only[e->from].step, trips * e->times); break;
    case TEST: break;
    }
}

/* Counts further trips like the last one. */
static void repeat(wl_ptx_machine *m, int64_t trips)
{
    const wl_ptx_recorder *r = m->recorder;
    const wl_ptx_steady *s = r->branch->steady;
    m->repeated_header = r->branch->target;
    m->repeated = trips + 1;
    for (int i = 0; i < r->list[0]->count; i++)
        count(m, &r->list[0]->events[i], trips);
    for (int32_t k = 0; k < s->count; k++) {
        const int unused = 64 - bits_of(m->frame->program, s->registers[k]);
        uint64_t *value = m->frame->value[s->registers[k]];
        const uint64_t *now = r->list[0]->values[k], *last = r->list[1]->values[k];
        WL_PTX_FOR_LANES(lane, r->lanes)
        value[lane] = (value[lane] + (uint64_t)trips * (now[lane] - last[lane])) << unused >> unused;
    }
    if (r->branch->alone && m->tally.on)
        m->warp->trips += trips;
    m->warp->executed += (uint64_t)trips * (r->list[0]->ended - r->list[1]->ended);
    m->skipped += trips * (r->list[0]->looked_at - r->list[1]->looked_at);
}

/* Ends the trip that is recorded. */
static void end_trip(wl_ptx_machine *m, const wl_ptx_steady *s, uint32_t lanes)
{
    trip *t = m->recorder->list[0];
    t->ended = m->warp->executed;
    t->looked_at = m->looked_at + m->skipped;
    for (int32_t k = 0; k < s->count; k++) {
        t->unknown[k] = m->frame->unknown[s->registers[k]] & lanes;
        memcpy(t->values[k], m->frame->value[s->registers[k]], sizeof t->values[k]);
    }
}

static void begin_trip(wl_ptx_recorder *r)
{
    trip *oldest = r->list[2];
    r->list[2] = r->list[1];
    r->list[1] = r->list[0];
    r->list[0] = oldest;
    oldest->count = oldest->test_count = 0;
    r->trips++;
}

/* Starts to record a loop, unless an outer loop is being recorded. */
static void begin(wl_ptx_machine *m, const wl_ptx_step *branch, uint32_t lanes)
{
    wl_ptx_recorder *r = m->recorder;
    const wl_ptx_flow *flow = &m->frame->program->flow;
    if (branch->steady->failures > FAILURES_MAX ||
        (m->recording && r->branch != branch && r->warp == m->warp &&
         wl_ptx_flow_in_loop(flow, r->branch->steady->loop, flow->block_of[branch->number])))
        return;
    m->recording = true;
    r->branch = branch;
    r->warp = m->warp;
    r->lanes = lanes;
    r->trips = 0;
    r->list[0]->count = r->list[0]->test_count = 0;
    end_trip(m, branch->steady, lanes);
    begin_trip(r);
}

void wl_ptx_repeat_trips(wl_ptx_machine *m, const wl_ptx_step *branch, uint32_t lanes)
{
    wl_ptx_recorder *r = m->recorder;
    if (!m->recording || r->branch != branch || r->warp != m->warp || r->lanes != lanes) {
        begin(m, branch, lanes);
        return;
    }
    end_trip(m, branch->steady, lanes);
    if (r->trips >= 2) {
        const int64_t length = (int64_t)(r->list[0]->ended - r->list[1]->ended);
        const bool alike =
            are_alike(r->list[0], r->list[1]) && is_known(r, m->frame->program) && changes_alike(r, m->frame->program);
        const int64_t trips =
            alike ? common_trips(r, m->frame->program, wl_min(WL_PTX_TRIPS_MAX, m->launch.budget / length + 1)) : 0;
        m->looked_at += REPEAT_STEPS;
        if (trips >= WL_PTX_TRIPS_MIN) {
            repeat(m, trips);
            branch->steady->failures = 0;
            wl_ptx_recorder_stop(m);
            return;
        }
        branch->steady->failures += !alike;
    }
    begin_trip(r);
}
