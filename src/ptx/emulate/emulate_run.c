/* emulate_run.c - the main loop of a warp: guards and arithmetic. emulate_divergence.c handles
 * branches.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"
#include "ptx/emulate/native_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "ptx/module/source_place.h"

#define ALL_LANES UINT32_MAX

wl_status wl_ptx_assume(wl_ptx_machine *m, const wl_ptx_step *step, wl_ptx_assumed what, wl_error *err)
{
    const int32_t at = m->first[step->function] + step->number;
    uint16_t *bits = m->alone ? &m->assumed_alone[at] : &m->assumed[at];
    const uint16_t bit = (uint16_t)(1u << what);
    if (m->is_cut) /* others may wait for a warp that nobody looks at any more */
        return WL_OK;
    if ((m->assumed[at] | *bits) & bit)
        return WL_OK;
    *bits |= bit;
    if (!m->alone && m->assumed_alone[at] & bit)
        return WL_OK; /* is in the list */
    if (!WL_ROOM(m->assumptions, m->assumption_count + 1, m->assumption_room))
        return wl_fail_memory(err);
    m->assumptions[m->assumption_count++] =
        (wl_ptx_assumption){.what = what, .function = step->function, .instruction = step->number};
    return WL_OK;
}

/* ---- results ---- */

#ifdef __AVX2__ /* all bits are compared at once; without, tables are faster */
#define BIT(n) (uint64_t)1 << (n)
#define BITS(n) BIT(n), BIT(n + 1), BIT(n + 2), BIT(n + 3), BIT(n + 4), BIT(n + 5), BIT(n + 6), BIT(n + 7)
static const uint64_t lane_bit[WL_PTX_LANES] = {BITS(0), BITS(8), BITS(16), BITS(24)};

void wl_ptx_choose(uint64_t *to, uint32_t mask, const uint64_t *a, const uint64_t *b)
{
    WL_PTX_EACH_LANE
    {
        const uint64_t on = 0 - (uint64_t)((mask & lane_bit[i]) != 0);
        to[i] = (b[i] & ~on) | (a[i] & on);
    }
}
#else
/* All bits set for the lanes of a mask of four. */
#define ON(bit) (0 - (uint64_t)(bit))
#define ROW(n)                                                                                                         \
    {                                                                                                                  \
        ON((n)&1), ON((n) >> 1 & 1), ON((n) >> 2 & 1), ON((n) >> 3 & 1)                                                \
    }
static const uint64_t lanes_on[16][4] = {ROW(0), ROW(1), ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),
                                         ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15)};

void wl_ptx_choose(uint64_t *to, uint32_t mask, const uint64_t *a, const uint64_t *b)
{
    for (int k = 0; k < WL_PTX_LANES; k += 4) {
        const uint64_t *on = lanes_on[mask >> k & 15];
        for (int i = 0; i < 4; i++)
            to[k + i] = (b[k + i] & ~on[i]) | (a[k + i] & on[i]);
    }
}
#endif

#define FEW_LANES 4 /* that are written faster one by one */

void wl_ptx_write(wl_ptx_frame *frame, int32_t slot, uint32_t mask, const uint64_t *values, uint32_t unknown)
{
    uint64_t *to = frame->value[slot];
    if (mask == ALL_LANES)
        memcpy(to, values, sizeof frame->value[0]);
    else if (wl_ptx_lanes_in(mask) <= FEW_LANES)
        WL_PTX_FOR_LANES(lane, mask) to[lane] = values[lane];
    else
        wl_ptx_choose(to, mask, values, to);
    frame->unknown[slot] = (frame->unknown[slot] & ~mask) | (unknown & mask);
    frame->partly[slot] &= ~mask;
}

void wl_ptx_write_same(wl_ptx_frame *frame, int32_t slot, uint32_t mask, uint64_t value, bool unknown)
{
    uint64_t values[WL_PTX_LANES];
    for (int i = 0; i < WL_PTX_LANES; i++)
        values[i] = value;
    wl_ptx_write(frame, slot, mask, values, unknown ? mask : 0);
}

void wl_ptx_write_unknown(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    for (int e = 0; e < s->elements; e++)
        wl_ptx_write_same(frame, frame->program->lists[s->list + e], mask, 0, true);
    if (s->other != frame->program->spare)
        wl_ptx_write_predicate(frame, s->other, mask, 0, mask);
}

void wl_ptx_write_predicate(wl_ptx_frame *frame, int32_t slot, uint32_t mask, uint32_t values, uint32_t unknown)
{
    uint64_t *to = frame->value[slot];
    to[0] = ((uint32_t)to[0] & ~mask) | (values & mask);
    frame->unknown[slot] = (frame->unknown[slot] & ~mask) | (unknown & mask);
}

static void apply_to_some(wl_ptx_frame *frame, const wl_ptx_step *s, const uint64_t *const from[4], uint32_t mask,
                          uint32_t unknown)
{
    uint64_t result[WL_PTX_LANES];
    s->of.apply(result, from, s->in);
    wl_ptx_write(frame, s->to, mask, result, unknown);
}

static uint32_t unknown_of(const wl_ptx_frame *frame, const wl_ptx_step *s)
{
    const uint32_t *u = frame->unknown;
    return u[s->from[0]] | u[s->from[1]] | u[s->from[2]] | u[s->from[3]];
}

/* A factor that is known to be 0 makes the product of a lane known. */
static uint32_t unknown_product(const wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const int32_t a = s->from[0], b = s->from[1];
    uint32_t product = (frame->unknown[a] | frame->unknown[b]) & mask;
    const int bits = wl_ptx_type_bits(s->in->type);
    const uint64_t low = bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    WL_PTX_FOR_LANES(lane, product)
    {
        const bool zero = (!(frame->unknown[a] >> lane & 1) && !(frame->value[a][lane] & low)) ||
                          (!(frame->unknown[b] >> lane & 1) && !(frame->value[b][lane] & low));
        product &= ~((uint32_t)zero << lane);
    }
    return product | frame->unknown[s->from[2]] | frame->unknown[s->from[3]];
}

/* written: lanes that are to change. */
static inline void run_apply(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask, uint32_t written)
{
    const uint64_t *const from[4] = {frame->value[s->from[0]], frame->value[s->from[1]], frame->value[s->from[2]],
                                     frame->value[s->from[3]]};
    uint32_t unknown = unknown_of(frame, s);
    if (unknown & mask && s->kind == WL_PTX_STEP_PRODUCT)
        unknown = unknown_product(frame, s, mask);
    if (written == ALL_LANES) {
        s->of.apply(frame->value[s->to], from, s->in);
        frame->unknown[s->to] = unknown;
    } else {
        apply_to_some(frame, s, from, written, unknown);
    }
}

static void run_copy(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *from = frame->value[s->from[0]];
    if (mask == ALL_LANES) {
        memmove(frame->value[s->to], from, sizeof frame->value[0]);
        frame->unknown[s->to] = frame->unknown[s->from[0]];
    } else {
        wl_ptx_write(frame, s->to, mask, from, frame->unknown[s->from[0]]);
    }
}

static void run_test(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *const from[2] = {frame->value[s->from[0]], frame->value[s->from[1]]};
    const uint32_t unknown = frame->unknown[s->from[0]] | frame->unknown[s->from[1]];
    wl_ptx_write_predicate(frame, s->to, mask, s->of.test(from, s->in), unknown);
}

/* ---- guards ---- */

/* Decides a branch or exit for lanes with an unknown guard: as if unknown data were 0. But they
 * take no back edge, and they do take the only exit of a loop. */
static wl_status decide(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t unknown, uint32_t *taken, wl_error *err)
{
    wl_ptx_assumed what = WL_PTX_ASSUMED_BRANCH;
    if (s->loop >= 0 && s->back) {
        *taken = 0;
        what = WL_PTX_ASSUMED_LOOP;
    } else if (s->loop >= 0 && s->taken_leaves != s->other_leaves) {
        uint16_t *rounds = &m->warp->rounds[s->loop];
        const uint32_t stay = s->taken_leaves ? unknown & ~*taken : *taken;
        /* no exit test was known in all those iterations */
        if (s->only_exit || (stay && ++*rounds > 64)) {
            *taken = s->taken_leaves ? unknown : 0;
            what = WL_PTX_ASSUMED_LOOP;
        }
    }
    return wl_ptx_assume(m, s, what, err);
}

/* The active lanes whose guard predicate is true. */
static wl_status guarded(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t *mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const uint32_t unknown = frame->unknown[s->guard] & active, value = wl_ptx_predicate(frame, s->guard);
    *mask = (s->guard_negated ? ~value : value) & active & ~unknown;
    const bool control = s->kind == WL_PTX_STEP_BRANCH || s->kind == WL_PTX_STEP_LEAVE;
    if (!unknown) {
        if (control && s->loop >= 0 && s->taken_leaves != s->other_leaves)
            m->warp->rounds[s->loop] = 0;
        return WL_OK;
    }
    uint32_t taken = (s->guard_negated ? ~value : value) & unknown;
    if (control)
        WL_TRY(decide(m, s, unknown, &taken, err));
    else if (s->kind == WL_PTX_STEP_COMPUTE || s->kind == WL_PTX_STEP_RUN || s->kind == WL_PTX_STEP_BARRIER)
        WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_BRANCH, err));
    *mask |= taken;
    return WL_OK;
}

/* Results under an unknown guard are unknown. */
static void set_unknown(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes)
{
    if (!lanes || s->kind > WL_PTX_STEP_RUN)
        return;
    frame->unknown[s->to] |= lanes;
    frame->unknown[s->other] |= lanes;
    frame->partly[s->to] = 0;
    if (s->kind >= WL_PTX_STEP_COMPUTE && wl_ptx_writes_first(s->in))
        for (int k = 0; k < s->elements; k++)
            if (frame->program->lists[s->list + k] <= frame->program->spare) {
                frame->unknown[frame->program->lists[s->list + k]] |= lanes;
                frame->partly[frame->program->lists[s->list + k]] = 0;
            }
}

/* ---- main loop ---- */

static wl_status over_budget(const wl_ptx_machine *m, const wl_ptx_step *s, wl_error *err)
{
    (void)wl_fail(err, WL_E_LIMIT, WL_NOWHERE,
                  "block (%lld, %lld, %lld) is not done after %lld warp instructions: a loop that does not end? "
                  "--emulate allows more",
                  (long long)m->block[0], (long long)m->block[1], (long long)m->block[2], (long long)m->launch.budget);
    (void)wl_ptx_fail_at(err, m->launch.module, s->in);
    return WL_E_LIMIT;
}

/* The active lanes whose guard is true; where the guard is unknown, the results of the step become
 * unknown. */
static wl_status pass_guard(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t *mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    WL_TRY(guarded(m, s, active, mask, err));
    const uint32_t unknown = frame->unknown[s->guard] & active;
    if (unknown)
        set_unknown(frame, s, unknown & ~*mask);
    if (m->tally.on)
        wl_ptx_tally_guard(m, s, active, *mask, 1);
    if (m->recording)
        wl_ptx_record_guard(m, s, active, *mask);
    return WL_OK;
}

static const wl_ptx_turn *form_of(const wl_ptx_machine *m, const wl_ptx_program *p)
{
    if (m->back_edge) /* which inspects all registers */
        return p->all;
    return m->visit || (m->order.rehearses && m->order.by_address) ? p->addresses : p->flow_only;
}

/* Executes a step for the lanes of `mask`; *leaves: it may have changed the path, which ends here.
 * dead: lanes that nothing reads again, and to which writing, too, is faster. */
static inline wl_status run_step(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, uint32_t dead,
                                 bool *leaves, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    switch (s->kind) {
    case WL_PTX_STEP_APPLY:
    case WL_PTX_STEP_PRODUCT: run_apply(frame, s, mask, mask | dead); break;
    case WL_PTX_STEP_COPY: run_copy(frame, s, mask | dead); break;
    case WL_PTX_STEP_TEST: run_test(frame, s, mask); break;
    case WL_PTX_STEP_COMPUTE:
        if (mask)
            s->of.compute(frame, s, mask);
        break;
    case WL_PTX_STEP_RUN: return mask ? s->of.run(m, s, mask, err) : WL_OK;
    case WL_PTX_STEP_BRANCH: *leaves = true; return wl_ptx_run_branch(m, s, active, mask, err);
    case WL_PTX_STEP_LEAVE:
        *leaves = true;
        wl_ptx_run_leave(m, s, active, mask);
        break;
    case WL_PTX_STEP_BARRIER:
        wl_ptx_run_barrier(m, s, active, mask);
        *leaves = m->warp->state == WL_PTX_WARP_WAITS;
        break;
    case WL_PTX_STEP_WAIT:
        WL_TRY(wl_ptx_run_wait(m, s, mask, err));
        *leaves = m->warp->state == WL_PTX_WARP_WAITS;
        break;
    case WL_PTX_STEP_NOTHING: break;
    }
    return WL_OK;
}

wl_status wl_ptx_run_step(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, bool *leaves,
                          wl_error *err)
{
    return run_step(m, s, active, mask, 0, leaves, err);
}

/* The top path is executed to its end, `at`: its lanes wait where it meets another, or end. */
static void end_path(wl_ptx_machine *m, int32_t at)
{
    wl_ptx_frame *frame = m->frame;
    wl_ptx_path *path = &frame->paths[frame->path_count - 1];
    const uint32_t active = path->mask;
    if (at != path->until) { /* the code ends, without a ret, before these lanes reconverge with the
                              * others */
        path->at = frame->program->function->instruction_count;
        wl_ptx_run_end(m, active);
        return;
    }
    frame->path_count--;
    if (frame->path_count == 0 && m->warp->depth == 1) /* the entry ends without a ret */
        wl_ptx_lanes_end(m->warp, active);
}

/* Executes the top path to its end or to a step that changes paths. *to: the step after the last
 * one executed. */
static wl_status run_steps(wl_ptx_machine *m, int32_t *to, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const wl_ptx_path *path = &frame->paths[frame->path_count - 1];
    const wl_ptx_turn *form = form_of(m, frame->program);
    const uint32_t active = path->mask;
    const int32_t until = path->until, from = path->at, end = frame->program->function->instruction_count;
    const uint64_t before = m->warp->executed;
    const bool partial = frame->program->partial;
    int32_t at = from;
    bool leaves = false;
    m->looked_at += WL_PTX_PATH_STEPS;
    for (; at != until && at != end; at = form[at].next) {
        const wl_ptx_step *s = form[at].step;
        uint32_t mask = active;
        m->looked_at++;
        *to = at + 1;
        /* identifies the execution of an instruction, whichever part of the program is executed */
        m->warp->executed = before + (uint64_t)(*to - from);
        if (s->guard >= 0)
            WL_TRY(pass_guard(m, s, active, &mask, err));
        if (form[at].idle)
            continue;
        if (s->place)
            wl_ptx_record_place(m, s, mask);
        WL_TRY(run_step(m, s, active, mask, 0, &leaves, err));
        if (leaves)
            return WL_OK;
        if (s->kind == WL_PTX_STEP_TEST && partial)
            wl_ptx_decide_test(frame, s, mask);
        if (s->kind == WL_PTX_STEP_TEST && m->recording)
            wl_ptx_record_test(m, s, mask, frame->value[s->from[0]], frame->value[s->from[1]]);
        if (partial)
            wl_ptx_track_hidden(frame, s, mask);
    }
    *to = at;
    m->warp->executed = before + (uint64_t)(at - from);
    end_path(m, at);
    return WL_OK;
}

/* The same of a launch that is carried out: every step, and without what only predictions need. */
static wl_status carry_out(wl_ptx_machine *m, int32_t *to, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const wl_ptx_path *path = &frame->paths[frame->path_count - 1];
    const wl_ptx_step *steps = frame->program->steps;
    const uint32_t active = path->mask, dead = ~m->warp->live;
    const int32_t from = path->at, end = frame->program->function->instruction_count;
    const int32_t stop = path->until >= from ? path->until : end;
    const uint64_t before = m->warp->executed;
    const int64_t looked_at = m->looked_at + WL_PTX_PATH_STEPS;
    bool leaves = false;
    int32_t at = from;
    while (at != stop && !leaves) {
        const wl_ptx_step *s = &steps[at++];
        uint32_t mask = active;
        if (s->kind <= WL_PTX_STEP_PRODUCT && s->guard < 0) { /* most steps */
            run_apply(frame, s, active, active | dead);
            continue;
        }
        if (s->kind >= WL_PTX_STEP_RUN) { /* some of these look at the time */
            m->looked_at = looked_at + (at - from);
            m->warp->executed = before + (uint64_t)(at - from);
        }
        if (s->guard >= 0)
            WL_TRY(pass_guard(m, s, active, &mask, err));
        WL_TRY(run_step(m, s, active, mask, dead, &leaves, err));
    }
    *to = at;
    m->looked_at = looked_at + (at - from);
    m->warp->executed = before + (uint64_t)(at - from);
    if (!leaves)
        end_path(m, at);
    return WL_OK;
}

static void tell(wl_ptx_machine *m, const wl_ptx_program *program, int32_t depth, int32_t from, int32_t to,
                 uint32_t active)
{
    m->ran(m->ran_user, &(wl_ptx_ran){.warp = m->warp->number,
                                      .depth = depth,
                                      .function = program->number,
                                      .from = from,
                                      .to = to,
                                      .lanes = active,
                                      .header = m->repeated_header,
                                      .trips = m->repeated});
}

/* A launch that is carried out, by code that somebody has compiled where there is some. */
static wl_status carry_on(wl_ptx_machine *m, int32_t *to, wl_error *err)
{
    const wl_native_run run = m->launch.native ? m->launch.native[m->frame->program->number] : NULL;
    bool ends = false;
    if (!run)
        return carry_out(m, to, err);
    WL_TRY(wl_native_run_path(m, run, to, &ends, err));
    if (ends)
        end_path(m, *to);
    return WL_OK;
}

static wl_status run_path(wl_ptx_machine *m, uint64_t limit, wl_error *err)
{
    const wl_ptx_program *program = m->frame->program;
    const wl_ptx_path *path = &m->frame->paths[m->frame->path_count - 1];
    const int32_t from = path->at;
    const uint32_t active = path->mask;
    const int32_t depth = m->warp->depth;
    int32_t to = from;
    m->repeated = 0;
    WL_TRY(m->launch.in_place ? carry_on(m, &to, err) : run_steps(m, &to, err));
    if (m->tally.on)
        wl_ptx_tally_add(m, program, from, to, active, 1);
    if (m->ran)
        tell(m, program, depth, from, to, active);
    if (m->recording)
        wl_ptx_record_run(m, from, to, active, 1);
    if (m->looked_at > m->looked_most)
        return WL_E_LIMIT; /* only a rehearsal, which needs no message */
    return m->warp->executed > limit ? over_budget(m, &program->steps[to - 1], err) : WL_OK;
}

wl_status wl_ptx_warp_run(wl_ptx_machine *m, wl_ptx_warp *warp, wl_error *err)
{
    const uint64_t before = warp->executed;
    const uint64_t limit = before + (uint64_t)(m->launch.budget - m->executed);
    wl_status status = WL_OK;
    m->warp = warp;
    warp->state = WL_PTX_WARP_READY;
    warp->yields = false;
    warp->stalls = 0;
    while (status == WL_OK && warp->state == WL_PTX_WARP_READY && !warp->yields) {
        m->frame = warp->frames[warp->depth - 1];
        wl_ptx_paths_drop(m->frame);
        if (m->frame->path_count > 0)
            status = run_path(m, limit, err);
        else if (warp->depth > 1)
            wl_ptx_frame_return(m);
        else
            warp->state = WL_PTX_WARP_DONE;
        if (m->out_of_memory)
            status = wl_fail_memory(err);
    }
    m->executed += (int64_t)(warp->executed - before);
    return status;
}
