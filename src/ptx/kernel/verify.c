/* verify.c - checks recovered addresses against emulated warps. See ptx_source.h.
 *
 * In a loop that recovery kept, the first trips, one in the middle and the last are emulated; at
 * the back edges in between, registers are set to the values that recovery gives.
 *
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

#define BLOCKS 5           /* emulated, two warps of each */
#define WARPS_LEAST 2      /* emulated, however long they are */
#define REST_MAX (1 << 12) /* the most executions of an instruction without an active lane */
#define COMMON_MAX 2048    /* steps */

/* The steps of one instruction in one direction. */
typedef struct list {
    int32_t instruction;
    const size_t *steps;
    size_t count;
    wl_ptx_execution next; /* the next execution that the warp has not reached yet */
} list;

/* What all executions of a step by one warp have in common. */
typedef struct common {
    /* its number among the checked warps, from 1; 0: none yet */
    int64_t warp;
    /* neither the active lanes nor the distances of their addresses depend on the iteration */
    bool alike;
    uint32_t lanes;                /* active lanes */
    int64_t address[WL_PTX_LANES]; /* in trip 0 of every loop */
} common;

typedef struct verifier {
    const wl_ptx_source *source;
    int64_t block[3];
    uint32_t inside;                            /* lanes of the warp in the domain */
    int64_t values[WL_PTX_LANES][WL_VAR_COUNT]; /* coordinates of the lanes */
    list *lists;                                /* those with steps */
    int32_t list_count;
    int32_t *list_of; /* by instruction and direction: one more than its number; 0: none */
    common *common;   /* of the first steps */
    int64_t checked;  /* warps */
    double steps;     /* that they took */
    bool has_last;
    wl_ptx_execution last; /* the last execution that the warp has reached */
    int32_t resumed;       /* the loop in which trips were skipped last; -1: none */
    wl_ptx_execution from; /* and the trip with which the warp continued */
    bool differs;
    int32_t where;
} verifier;

/* The coordinates of the lanes of a warp. */
static void set_warp(verifier *v, int64_t warp)
{
    const wl_ptx_launch *l = &v->source->launch;
    const wl_ptx_recovery *r = &v->source->recovery;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2];
    v->inside = 0;
    for (int lane = 0; lane < WL_PTX_LANES && warp * WL_PTX_LANES + lane < threads; lane++) {
        int64_t *values = v->values[lane];
        wl_ptx_thread_values(l, v->block, warp * WL_PTX_LANES + lane, values);
        v->inside |= (uint32_t)wl_ptx_in_domain(r, values) << lane;
    }
}

static uint32_t bits_of(wl_var first, int count) { return ((1u << count) - 1) << first; }

static uint32_t vars_of(const wl_atom *atom)
{
    uint32_t vars = atom->op == WL_ATOM_VAR ? 1u << atom->var : 0;
    vars |= atom->a ? wl_sym_vars(atom->a) : 0;
    vars |= atom->b ? wl_sym_vars(atom->b) : 0;
    return vars | (atom->c ? wl_sym_vars(atom->c) : 0);
}

/* Whether every execution moves all lanes by the same amount. */
static bool moves_as_one(const wl_ptx_thread_access *step)
{
    const uint32_t trips = bits_of(WL_VAR_LOOP_0, WL_LOOPS_MAX),
                   lanes = bits_of(WL_VAR_X, 3) | bits_of(WL_VAR_THREAD_X, 3);
    for (int i = 0; i < step->address->count; i++) {
        const uint32_t vars = vars_of(step->address->terms[i].atom);
        if (vars & trips && vars & lanes)
            return false;
    }
    return !step->when || !(wl_sym_vars(step->when) & trips);
}

/* The lanes and addresses in trip 0; false: a value is out of range. */
static bool find_lanes(verifier *v, const wl_ptx_thread_access *step, common *c)
{
    static const wl_ptx_execution first = {0};
    for (uint32_t left = v->inside; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        int64_t holds = 1;
        wl_ptx_set_trips(&first, v->values[lane]);
        if (step->when && !wl_sym_eval(step->when, v->values[lane], &holds))
            return false;
        if (holds && !wl_sym_eval(step->address, v->values[lane], &c->address[lane]))
            return false;
        c->lanes |= (uint32_t)(holds != 0) << lane;
    }
    return true;
}

/* NULL: executions of the step have nothing in common. */
static const common *common_of(verifier *v, size_t number)
{
    const wl_ptx_thread_access *step = &v->source->recovery.steps[number];
    common *c = number < COMMON_MAX ? &v->common[number] : NULL;
    if (c && c->warp != v->checked) {
        *c = (common){.warp = v->checked};
        c->alike = moves_as_one(step) && find_lanes(v, step, c);
    }
    return c && c->alike ? c : NULL;
}

/* The same as lanes_of, from what executions have in common: the address of one lane shows how far
 * all have moved. */
static bool moved_lanes(verifier *v, const common *c, const wl_ptx_execution *at, uint32_t *lanes,
                        uint64_t address[WL_PTX_LANES])
{
    int64_t value = 0;
    *lanes = c->lanes;
    if (!c->lanes)
        return true;
    const int first = __builtin_ctz(c->lanes);
    wl_ptx_set_trips(at, v->values[first]);
    if (!wl_sym_eval(v->source->recovery.steps[at->step].address, v->values[first], &value))
        return false;
    const uint64_t moved = (uint64_t)value - (uint64_t)c->address[first];
    for (int lane = 0; lane < WL_PTX_LANES; lane++)
        address[lane] = (uint64_t)c->address[lane] + moved;
    return true;
}

/* The lane mask of an execution and the lanes' addresses; false: a value is out of range. */
static bool lanes_of(verifier *v, const wl_ptx_execution *at, uint32_t *lanes, uint64_t address[WL_PTX_LANES])
{
    const common *c = common_of(v, at->step);
    if (c)
        return moved_lanes(v, c, at, lanes, address);
    const wl_ptx_thread_access *step = &v->source->recovery.steps[at->step];
    *lanes = 0;
    for (uint32_t left = v->inside; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        int64_t holds = 1, value;
        wl_ptx_set_trips(at, v->values[lane]);
        if (step->when && !wl_sym_eval(step->when, v->values[lane], &holds))
            return false;
        if (!holds)
            continue;
        if (!wl_sym_eval(step->address, v->values[lane], &value))
            return false;
        *lanes |= 1u << lane;
        address[lane] = (uint64_t)value;
    }
    return true;
}

/* No lane executes this: goes to the next execution, past all trips of a loop if the condition is
 * the same in all of them. */
static void skip(const wl_ptx_recovery *r, list *l)
{
    const wl_ptx_thread_access *step = &r->steps[l->next.step];
    const uint32_t vars = wl_sym_vars(step->when);
    for (int32_t i = step->loop; i >= 0 && !(vars >> r->loops[i].var & 1); i = r->loops[i].parent) {
        const wl_ptx_kept_loop *loop = &r->loops[i];
        size_t in_loop = 0;
        for (size_t k = 0; k < l->count; k++)
            in_loop += l->steps[k] >= loop->first && l->steps[k] < loop->end;
        if (in_loop > 1)
            break;
        l->next.trip[loop->var - WL_VAR_LOOP_0] = loop->trips - 1;
    }
    wl_ptx_next_execution(r, l->steps, l->count, &l->next);
}

static wl_status compare(void *user, const wl_ptx_touch *t, wl_error *err)
{
    verifier *v = user;
    const wl_ptx_recovery *r = &v->source->recovery;
    (void)err;
    if (v->differs || t->function != (int32_t)(v->source->launch.entry - v->source->launch.module->functions) ||
        r->traced[t->instruction] || (t->space != WL_PTX_GLOBAL && t->space != WL_PTX_SHARED) || !t->lanes)
        return WL_OK;
    const int32_t number = v->list_of[2 * (size_t)t->instruction + t->store];
    list *l = number > 0 ? &v->lists[number - 1] : NULL;
    uint32_t lanes = 0;
    uint64_t address[WL_PTX_LANES];
    while (l && l->next.step < r->step_count) {
        if (!lanes_of(v, &l->next, &lanes, address))
            break;
        if (lanes) {
            v->last = l->next;
            v->has_last = true;
            wl_ptx_next_execution(r, l->steps, l->count, &l->next);
            break;
        }
        skip(r, l);
    }
    bool same = lanes == t->lanes;
    for (uint32_t left = lanes; left && same; left &= left - 1)
        same = address[__builtin_ctz(left)] == t->address[__builtin_ctz(left)];
    if (!same) {
        v->differs = true;
        v->where = t->instruction;
    }
    return WL_OK;
}

/* ---- trips that are not emulated ---- */

/* The trip to continue with, instead of the next one. */
static int64_t sampled_trip(int64_t next, int64_t trips)
{
    const int64_t middle = trips / 2;
    if (next <= 2 || next == middle || next >= trips - 1)
        return next;
    return next < middle ? middle : trips - 1;
}

/* Gives the lanes the registers of a trip; false: a value is out of range. */
static bool set_registers(verifier *v, const wl_ptx_kept_loop *loop, int64_t trip, uint32_t lanes,
                          wl_ptx_registers registers)
{
    const wl_ptx_register *types = v->source->launch.entry->registers;
    for (int i = 0; i < loop->induction_count; i++) {
        const wl_ptx_induction *in = &loop->inductions[i];
        const int bits = wl_ptx_type_bits(types[in->reg].type);
        uint64_t value[WL_PTX_LANES] = {0};
        for (uint32_t left = lanes; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            int64_t first, growth;
            wl_ptx_set_trips(&v->last, v->values[lane]);
            if (!wl_sym_eval(in->first, v->values[lane], &first) || !wl_sym_eval(in->growth, v->values[lane], &growth))
                return false;
            value[lane] = (uint64_t)first + (uint64_t)trip * (uint64_t)growth;
            value[lane] &= bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
        }
        for (uint32_t left = lanes; left; left &= left - 1)
            registers.value[in->reg][__builtin_ctz(left)] = value[__builtin_ctz(left)];
    }
    return true;
}

/* Sets the next expected step of each instruction to the first one in that trip. */
static void set_trip(verifier *v, const wl_ptx_kept_loop *loop, int64_t trip)
{
    const wl_ptx_recovery *r = &v->source->recovery;
    for (int32_t i = 0; i < v->list_count; i++) {
        list *l = &v->lists[i];
        if (l->next.step < loop->first || l->next.step >= loop->end)
            continue;
        size_t first = 0;
        while (l->steps[first] < loop->first)
            first++;
        wl_ptx_execution at = v->last;
        for (int32_t inner = r->steps[l->steps[first]].loop; &r->loops[inner] != loop; inner = r->loops[inner].parent)
            at.trip[r->loops[inner].var - WL_VAR_LOOP_0] = 0;
        at.step = l->steps[first];
        at.trip[loop->var - WL_VAR_LOOP_0] = trip;
        l->next = at;
    }
}

/* Has the warp executed no access since trips of this loop were skipped? Then its current trip is
 * unknown, and another skip could go back. */
static bool is_lost(const verifier *v, int32_t number)
{
    const wl_ptx_kept_loop *loops = v->source->recovery.loops;
    if (v->resumed != number)
        return false;
    for (int32_t i = loops[number].parent; i >= 0; i = loops[i].parent)
        if (v->last.trip[loops[i].var - WL_VAR_LOOP_0] != v->from.trip[loops[i].var - WL_VAR_LOOP_0])
            return false;
    const int at = (int)loops[number].var - WL_VAR_LOOP_0;
    return v->last.trip[at] < v->from.trip[at];
}

static void skip_trips(void *user, int32_t header, uint32_t lanes, wl_ptx_registers registers)
{
    verifier *v = user;
    const wl_ptx_recovery *r = &v->source->recovery;
    if (!v->has_last || v->differs)
        return;
    int32_t i = r->steps[v->last.step].loop;
    while (i >= 0 && r->loops[i].header != header)
        i = r->loops[i].parent;
    if (i < 0 || v->last.step < r->loops[i].last_part || is_lost(v, i))
        return;
    const wl_ptx_kept_loop *loop = &r->loops[i];
    const int64_t next = v->last.trip[loop->var - WL_VAR_LOOP_0] + 1, trip = sampled_trip(next, loop->trips);
    if (trip == next || !set_registers(v, loop, trip, lanes, registers))
        return;
    set_trip(v, loop, trip);
    v->resumed = i;
    v->from = v->last;
    v->from.trip[loop->var - WL_VAR_LOOP_0] = trip;
}

/* Steps that the warp did not execute must have an empty lane mask. */
static void check_rest(verifier *v)
{
    const wl_ptx_recovery *r = &v->source->recovery;
    for (int32_t i = 0; i < v->list_count && !v->differs; i++) {
        list *l = &v->lists[i];
        for (int n = 0; l->next.step < r->step_count && !r->traced[l->instruction] && n < REST_MAX && !v->differs;
             n++) {
            uint32_t lanes;
            uint64_t address[WL_PTX_LANES];
            if (!lanes_of(v, &l->next, &lanes, address) || lanes) {
                v->differs = true;
                v->where = l->instruction;
            } else {
                skip(r, l);
            }
        }
    }
}

static size_t list_at(const wl_ptx_thread_access *step) { return 2 * (size_t)step->instruction + step->store; }

/* Lists the steps of each instruction and direction. */
static wl_status make_lists(verifier *v, wl_arena *arena, wl_error *err)
{
    const wl_ptx_recovery *r = &v->source->recovery;
    const size_t most = 2 * (size_t)v->source->launch.entry->instruction_count;
    size_t *all = WL_ARENA_NEW(arena, size_t, r->step_count + 1);
    v->list_of = WL_ARENA_NEW(arena, int32_t, most + 1);
    v->common = WL_ARENA_NEW(arena, common, (size_t)wl_min((int64_t)r->step_count, COMMON_MAX) + 1);
    if (!all || !v->list_of || !v->common)
        return wl_fail_memory(err);
    for (size_t i = 0; i < r->step_count; i++)
        v->list_of[list_at(&r->steps[i])]++;
    for (size_t i = 0; i < most; i++)
        v->list_count += v->list_of[i] > 0;
    if (!(v->lists = WL_ARENA_NEW(arena, list, v->list_count + 1)))
        return wl_fail_memory(err);
    for (size_t i = 0, n = 0; i < most; i++) {
        if (v->list_of[i] == 0)
            continue;
        v->lists[n++] = (list){.instruction = (int32_t)(i / 2), .steps = all};
        all += v->list_of[i];
        v->list_of[i] = (int32_t)n;
    }
    for (size_t i = 0; i < r->step_count; i++) {
        list *l = &v->lists[v->list_of[list_at(&r->steps[i])] - 1];
        ((size_t *)l->steps)[l->count++] = i;
    }
    return WL_OK;
}

static wl_status check_warp(verifier *v, int64_t warp, wl_error *err)
{
    const wl_ptx_recovery *r = &v->source->recovery;
    v->has_last = false;
    v->resumed = -1;
    v->checked++;
    set_warp(v, warp);
    for (int32_t i = 0; i < v->list_count; i++)
        wl_ptx_first_execution(r, v->lists[i].steps, v->lists[i].count, &v->lists[i].next);
    wl_ptx_on_back_edge(v->source->emulator, skip_trips);
    const wl_status status = wl_ptx_emulate_block(v->source->emulator, v->block, (int)warp, NULL, compare, v, err);
    wl_ptx_on_back_edge(v->source->emulator, NULL);
    v->steps += (double)wl_ptx_steps_done(v->source->emulator);
    if (status == WL_OK)
        check_rest(v);
    return status;
}

wl_status wl_ptx_verify(const wl_ptx_source *source, bool *agrees, int32_t *where, wl_error *err)
{
    const wl_ptx_launch *l = &source->launch;
    const int64_t blocks = l->grid[0] * l->grid[1] * l->grid[2],
                  warps = wl_ceil_div(l->block[0] * l->block[1] * l->block[2], WL_PTX_LANES);
    wl_arena arena = {0};
    verifier v = {.source = source, .where = -1};
    *agrees = true;
    *where = -1;
    if (source->recovery.gave_up) /* there is nothing to verify */
        return WL_OK;
    const double affordable = wl_ptx_affordable(source, WL_PTX_VERIFY_SHARE);
    wl_status status = make_lists(&v, &arena, err);
    for (int64_t i = 0, n = wl_min(blocks, BLOCKS); i < 2 * n && status == WL_OK && !v.differs; i++) {
        if (v.checked >= WARPS_LEAST && v.steps * (double)(v.checked + 1) / (double)v.checked > affordable)
            break;
        wl_ptx_sample_block(l, i / 2, n, v.block);
        status = check_warp(&v, i % 2 ? warps - 1 - i % wl_max(1, warps / 2) : i % warps, err);
    }
    wl_arena_free(&arena);
    *agrees = !v.differs;
    *where = v.where;
    return status;
}
