/* emulate_trips.c - counts trips of a loop without executing them.
 *
 * A run that only follows the control flow executes little of a loop such as the inner loop of a
 * matrix product: increments of registers by loop invariants, and the comparison that ends it. How
 * many trips all lanes still take together then follows from one division per lane. Those trips are
 * counted at once, and the registers are set to what they would hold.
 *
 * A loop is of this kind if it is one basic block whose steps, as far as the control flow needs
 * them, add an amount to a register in place or compare integers, and if nothing but its branch has
 * a guard.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_trips.c executes every trip.
 * SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/ckd.h"
#include "base/fail.h"

#define SKIP_STEPS 8 /* the cost of skipping trips, in instructions */

/* ---- finding such loops ---- */

/* Where a register is written in steps from .. to; -1: nowhere, -2: more than once. */
static int32_t written_at(const wl_ptx_turn *form, int32_t from, int32_t to, int32_t slot)
{
    int32_t at = -1;
    for (int32_t i = from; i <= to; i++)
        if (!form[i].idle && form[i].step->to == slot)
            at = at == -1 ? i : -2;
    return at;
}

static bool is_fixed(const wl_ptx_turn *form, int32_t from, int32_t to, int32_t slot)
{
    return written_at(form, from, to, slot) == -1;
}

/* q = q + amount, or q - amount. */
static bool grows_in_place(const wl_ptx_turn *form, int32_t from, int32_t to, int32_t at)
{
    const wl_ptx_step *s = form[at].step;
    return s->kind == WL_PTX_STEP_APPLY && (s->in->op == WL_PTX_OP_add || s->in->op == WL_PTX_OP_sub) &&
           wl_ptx_integer_index(s->in->type) >= 0 && !(s->in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_CC)) &&
           s->from[0] == s->to && is_fixed(form, from, to, s->from[1]) && written_at(form, from, to, s->to) == at;
}

bool wl_ptx_compares_integers(const wl_ptx_step *s)
{
    return s->kind == WL_PTX_STEP_TEST && s->in->op == WL_PTX_OP_setp && wl_ptx_integer_index(s->in->type) >= 0 &&
           s->in->compare <= WL_PTX_GE;
}

/* The comparison that guards the branch: of a growing register with a loop invariant. */
static bool find_test(const wl_ptx_program *p, int32_t from, int32_t to, wl_ptx_counted *out)
{
    const wl_ptx_turn *form = p->flow_only;
    out->test = written_at(form, from, to, form[to].step->guard);
    if (out->test < 0 || !wl_ptx_compares_integers(form[out->test].step))
        return false;
    const wl_ptx_step *test = form[out->test].step;
    out->swapped = is_fixed(form, from, to, test->from[0]);
    const int32_t grown = written_at(form, from, to, test->from[out->swapped]);
    if (grown < 0 || !is_fixed(form, from, to, test->from[!out->swapped]))
        return false;
    out->grown = grown;
    return wl_ptx_type_bits(form[grown].step->in->type) == wl_ptx_type_bits(test->in->type);
}

static bool is_counted(const wl_ptx_program *p, int32_t to, wl_ptx_counted *out)
{
    const wl_ptx_turn *form = p->flow_only;
    const wl_ptx_step *branch = form[to].step;
    const int32_t from = branch->target;
    if (branch->in->op != WL_PTX_OP_bra || !branch->back || branch->spins || branch->guard < 0 || from > to ||
        p->flow.block_of[from] != p->flow.block_of[to])
        return false;
    for (int32_t i = from; i < to; i++) {
        const wl_ptx_step *s = form[i].step;
        if (s->guard >= 0 || (!form[i].idle && s->kind != WL_PTX_STEP_NOTHING && !wl_ptx_compares_integers(s) &&
                              !grows_in_place(form, from, to, i)))
            return false;
    }
    for (int32_t i = from; i <= to; i = form[i].next)
        out->looked++;
    return find_test(p, from, to, out);
}

wl_status wl_ptx_find_counted(wl_ptx_machine *m, wl_ptx_program *p, wl_error *err)
{
    for (int32_t i = 0; i < p->function->instruction_count; i++) {
        wl_ptx_counted found = {0};
        if (p->steps[i].kind != WL_PTX_STEP_BRANCH || !is_counted(p, i, &found))
            continue;
        wl_ptx_counted *kept = WL_ARENA_NEW(&m->arena, wl_ptx_counted, 1);
        wl_ptx_step *branch = wl_ptx_own_step(m, p, p->flow_only, i);
        if (!kept || !branch)
            return wl_fail_memory(err);
        *kept = found;
        branch->counted = kept;
    }
    return WL_OK;
}

/* ---- how many trips ---- */

/* Sums of 64-bit numbers and their products with trips. */
__extension__ typedef __int128 wide;

static wide as_type(uint64_t value, wl_ptx_type type)
{
    const uint64_t extended = wl_ptx_extended(value, type);
    return wl_ptx_type_is_signed(type) ? (int64_t)extended : (wide)extended;
}

/* Trips until a growing value leaves a range, at most WL_PTX_TRIPS_MAX; 0: it is outside already.
 * Most numbers need no 128 bits, which take long to divide. */
static int64_t trips_within(wide lo, wide hi, wide value, wide growth)
{
    if (value < lo || value > hi)
        return 0;
    if (growth == 0)
        return WL_PTX_TRIPS_MAX;
    const wide way = growth > 0 ? hi - value : value - lo, each = growth > 0 ? growth : -growth;
    const wide trips = way <= INT64_MAX && each <= INT64_MAX ? (int64_t)way / (int64_t)each : way / each;
    return trips > WL_PTX_TRIPS_MAX ? WL_PTX_TRIPS_MAX : (int64_t)trips;
}

/* The differences a - b for which a comparison has the same result as for this one. */
static void staying(wl_ptx_compare compare, bool holds, wide difference, wide *lo, wide *hi)
{
    static const wl_ptx_compare negated[] = {[WL_PTX_EQ] = WL_PTX_NE, [WL_PTX_NE] = WL_PTX_EQ, [WL_PTX_LT] = WL_PTX_GE,
                                             [WL_PTX_LE] = WL_PTX_GT, [WL_PTX_GT] = WL_PTX_LE, [WL_PTX_GE] = WL_PTX_LT};
    const wl_ptx_compare c = holds ? compare : negated[compare];
    *hi = (wide)1 << 100;
    *lo = -*hi;
    if (c == WL_PTX_LT || c == WL_PTX_LE || c == WL_PTX_EQ || (c == WL_PTX_NE && difference < 0))
        *hi = c == WL_PTX_LT || c == WL_PTX_NE ? -1 : 0;
    if (c == WL_PTX_GT || c == WL_PTX_GE || c == WL_PTX_EQ || (c == WL_PTX_NE && difference >= 0))
        *lo = c == WL_PTX_GT || c == WL_PTX_NE ? 1 : 0;
}

int64_t wl_ptx_trips_alike(const wl_ptx_step *test, bool holds, uint64_t a, uint64_t more_a, uint64_t b,
                           uint64_t more_b)
{
    const wl_ptx_type type = test->in->type;
    const int bits = wl_ptx_type_bits(type);
    const wide values = (wide)1 << bits, least = wl_ptx_type_is_signed(type) ? -values / 2 : 0;
    const wide x = as_type(a, type), y = as_type(b, type), most = least + values - 1;
    const wide grows_x = wl_ptx_as_signed(more_a, bits), grows_y = wl_ptx_as_signed(more_b, bits);
    wide lo, hi;
    staying(test->in->compare, holds, x - y, &lo, &hi);
    return wl_min(trips_within(lo, hi, x - y, grows_x - grows_y),
                  wl_min(trips_within(least, most, x, grows_x), trips_within(least, most, y, grows_y)));
}

/* The growth of a register per trip, in one lane. */
static uint64_t growth_of(const wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lane)
{
    const uint64_t amount = frame->value[s->from[1]][lane];
    return s->in->op == WL_PTX_OP_sub ? 0 - amount : amount;
}

/* The trips that a lane takes for certain after the one it has just ended. */
static int64_t trips_of(const wl_ptx_frame *frame, const wl_ptx_step *branch, uint32_t lane)
{
    const wl_ptx_counted *c = branch->counted;
    const wl_ptx_turn *form = frame->program->flow_only;
    const wl_ptx_step *test = form[c->test].step, *grown = form[c->grown].step;
    const uint64_t growth = growth_of(frame, grown, lane), other = frame->value[test->from[!c->swapped]][lane];
    /* what the test has just seen */
    const uint64_t seen = frame->value[grown->to][lane] - (c->test < c->grown ? growth : 0);
    if (wl_ptx_as_signed(growth, wl_ptx_type_bits(test->in->type)) == 0)
        return 0;
    return c->swapped ? wl_ptx_trips_alike(test, !branch->guard_negated, other, 0, seen, growth)
                      : wl_ptx_trips_alike(test, !branch->guard_negated, seen, growth, other, 0);
}

/* Whether two lanes compare and add the same. */
static bool is_same(const wl_ptx_frame *frame, const wl_ptx_step *branch, uint32_t lane, uint32_t other)
{
    const wl_ptx_turn *form = frame->program->flow_only;
    const wl_ptx_step *test = form[branch->counted->test].step;
    const uint64_t *amount = frame->value[form[branch->counted->grown].step->from[1]];
    const uint64_t *a = frame->value[test->from[0]], *b = frame->value[test->from[1]];
    return a[lane] == a[other] && b[lane] == b[other] && amount[lane] == amount[other];
}

/* ---- skipping them ---- */

/* Whether all that decides the trips is known. */
static bool is_known(const wl_ptx_frame *frame, const wl_ptx_step *branch, uint32_t lanes)
{
    const wl_ptx_turn *form = frame->program->flow_only;
    const wl_ptx_step *test = form[branch->counted->test].step;
    uint32_t unknown = frame->unknown[test->from[0]] | frame->unknown[test->from[1]];
    for (int32_t i = branch->target; i < branch->number; i++)
        if (!form[i].idle && form[i].step->kind == WL_PTX_STEP_APPLY)
            unknown |= frame->unknown[form[i].step->to] | frame->unknown[form[i].step->from[1]];
    return !(unknown & lanes);
}

static void grow(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes, int64_t trips)
{
    uint64_t *value = frame->value[s->to];
    const int unused = 64 - wl_ptx_type_bits(s->in->type);
    WL_PTX_FOR_LANES(lane, lanes)
    {
        value[lane] = (value[lane] + (uint64_t)trips * growth_of(frame, s, lane)) << unused >> unused;
    }
}

/* Records the operands of the comparison in the last skipped trip: those of earlier trips are in
 * between. */
static void record_last(wl_ptx_machine *m, const wl_ptx_step *branch, uint32_t lanes, int64_t trips)
{
    const wl_ptx_counted *c = branch->counted;
    const wl_ptx_frame *frame = m->frame;
    const wl_ptx_turn *form = frame->program->flow_only;
    const wl_ptx_step *test = form[c->test].step, *grown = form[c->grown].step;
    uint64_t seen[WL_PTX_LANES];
    memcpy(seen, frame->value[grown->to], sizeof seen);
    WL_PTX_FOR_LANES(lane, c->test < c->grown ? lanes : 0) seen[lane] -= growth_of(frame, grown, lane);
    wl_ptx_record_run(m, branch->target, branch->number + 1, lanes, trips);
    wl_ptx_record_test(m, test, lanes, c->swapped ? frame->value[test->from[0]] : seen,
                       c->swapped ? seen : frame->value[test->from[1]]);
}

void wl_ptx_skip_trips(wl_ptx_machine *m, const wl_ptx_step *branch, uint32_t lanes)
{
    wl_ptx_frame *frame = m->frame;
    const wl_ptx_turn *form = frame->program->flow_only;
    const int32_t length = branch->number + 1 - branch->target;
    if (!is_known(frame, branch, lanes))
        return;
    int64_t trips = wl_min(WL_PTX_TRIPS_MAX, m->launch.budget / length + 1);
    uint32_t before = WL_PTX_LANES;
    WL_PTX_FOR_LANES(lane, lanes)
    {
        if (before == WL_PTX_LANES || !is_same(frame, branch, before, lane))
            trips = wl_min(trips, trips_of(frame, branch, lane));
        before = lane;
    }
    if (trips < WL_PTX_TRIPS_MIN)
        return;
    for (int32_t i = branch->target; i < branch->number; i++)
        if (!form[i].idle && form[i].step->kind == WL_PTX_STEP_APPLY)
            grow(frame, form[i].step, lanes, trips);
    m->warp->executed += (uint64_t)(trips * length);
    m->repeated_header = branch->target;
    m->repeated = trips + 1;
    m->looked_at += SKIP_STEPS;
    m->skipped += trips * (branch->counted->looked + WL_PTX_PATH_STEPS);
    if (m->tally.on) {
        wl_ptx_tally_add(m, frame->program, branch->target, branch->number + 1, lanes, trips);
        m->warp->trips += trips;
    }
    if (m->recording)
        record_last(m, branch, lanes, trips);
}
