/* emulate_divergence.c - divergence and reconvergence: a stack of divergent paths, each with a
 * lane mask and the place where it ends; exits and barriers.
 *
 * The lanes of a path are also in the masks of the paths below it, which wait for them: a path ends
 * where a path below begins. Lanes that jump past such a reconvergence point (`break` inside a
 * condition) are removed from the masks of the paths that wait there.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_emulate.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <string.h>

#include "base/fail.h"

#define SPINS_MAX 1000 /* iterations of a spin loop before others get a turn */
#define STALLS_MAX 64  /* trips in which lanes of a warp wait, before other warps get a turn */

void wl_ptx_paths_drop(wl_ptx_frame *frame)
{
    while (frame->path_count > 0 && frame->paths[frame->path_count - 1].mask == 0)
        frame->path_count--;
}

static void remove_lanes(wl_ptx_frame *frame, uint32_t lanes)
{
    for (int32_t k = 0; k < frame->path_count; k++)
        frame->paths[k].mask &= ~lanes;
}

void wl_ptx_lanes_end(wl_ptx_warp *warp, uint32_t lanes)
{
    warp->live &= ~lanes;
    for (int32_t k = 0; k < warp->depth; k++)
        remove_lanes(warp->frames[k], lanes);
}

static int32_t place_of(const wl_ptx_frame *frame, int32_t at)
{
    const wl_ptx_flow *flow = &frame->program->flow;
    return flow->place[flow->block_of[at]];
}

static bool is_past(const wl_ptx_frame *frame, int32_t at, int32_t until)
{
    return place_of(frame, at) > place_of(frame, until);
}

/* Lanes of the top path jump past its end, to `at`, where they wait for the lanes of the paths that
 * they leave. */
static bool leave_path(wl_ptx_frame *frame, int32_t at, uint32_t lanes)
{
    int32_t k = frame->path_count - 1;
    /* nothing is past the end of the function */
    for (; is_past(frame, at, frame->paths[k].until); k--)
        frame->paths[k].mask &= ~lanes;
    const wl_ptx_path path = frame->paths[k];
    frame->paths[k].mask &= ~lanes;
    if (at == path.until)
        return true;
    if (!wl_ptx_path_push(frame, 0, 0, 0))
        return false;
    memmove(&frame->paths[k + 1], &frame->paths[k], (size_t)(frame->path_count - 1 - k) * sizeof *frame->paths);
    frame->paths[k + 1].until = at;
    frame->paths[k] = (wl_ptx_path){at, path.until, path.mask};
    return true;
}

/* All lanes of the top path continue at `at`. */
static bool jump(wl_ptx_frame *frame, int32_t at)
{
    wl_ptx_path *path = &frame->paths[frame->path_count - 1];
    if (is_past(frame, at, path->until))
        return leave_path(frame, at, path->mask);
    path->at = at;
    return true;
}

/* Splits the top path into one per target. They reconverge where the step says, if that is before
 * the end of the path. */
static bool diverge(wl_ptx_frame *frame, const wl_ptx_step *s, const int32_t *targets, const uint32_t *masks, int count)
{
    const int32_t end = frame->paths[frame->path_count - 1].until;
    const bool meets = s->meeting >= 0 && s->meeting != end && !is_past(frame, s->meeting, end);
    const int32_t until = meets ? s->meeting : end;
    if (meets)
        frame->paths[frame->path_count - 1].at = until;
    for (int k = 0; k < count; k++)
        if (is_past(frame, targets[k], until) && !leave_path(frame, targets[k], masks[k]))
            return false;
    if (!meets)
        frame->path_count--; /* the path below waits there for the same lanes */
    for (int k = 0; k < count; k++)
        if (targets[k] != until && !is_past(frame, targets[k], until) &&
            !wl_ptx_path_push(frame, targets[k], until, masks[k]))
            return false;
    return true;
}

static void count_diverged(wl_ptx_machine *m, const wl_ptx_step *s)
{
    if (m->tally.on)
        wl_ptx_tally_diverged(m, s, 1);
    if (m->recording)
        wl_ptx_record_diverged(m, s);
}

/* brx.idx: groups lanes by target. An index that is unknown or outside the table takes the first
 * entry. */
static wl_status run_table(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const wl_ptx_operand *table = &s->in->operands[1];
    int32_t targets[WL_PTX_LANES + 1];
    uint32_t masks[WL_PTX_LANES + 1];
    int count = 0;
    if (active & ~mask) {
        targets[count] = s->number + 1;
        masks[count++] = active & ~mask;
    }
    if (frame->unknown[s->from[0]] & mask || table->count == 0)
        WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_BRANCH, err));
    WL_PTX_FOR_LANES(lane, table->count == 0 ? 0 : mask)
    {
        const uint32_t index = (uint32_t)frame->value[s->from[0]][lane];
        const int32_t target =
            (int32_t)frame->program->function->lists[table->first + (int)(index < table->count ? index : 0)].value;
        int k = 0;
        while (k < count && targets[k] != target)
            k++;
        if (k == count) {
            targets[count] = target;
            masks[count++] = 0;
        }
        masks[k] |= (uint32_t)1 << lane;
    }
    if (count < 2) {
        return jump(frame, count ? targets[0] : s->number + 1) ? WL_OK : wl_fail_memory(err);
    }
    count_diverged(m, s);
    return diverge(frame, s, targets, masks, count) ? WL_OK : wl_fail_memory(err);
}

/* Lanes that seem to spin on a lock yield to the lanes of the path below, or to other warps, since
 * a GPU guarantees progress to all. They reconverge where the path below ends. */
static void yield(wl_ptx_warp *warp, wl_ptx_frame *frame)
{
    wl_ptx_path *top = &frame->paths[frame->path_count - 1];
    warp->spins = 0;
    if (warp->stalls <= STALLS_MAX && frame->path_count > 1 && top[-1].mask & ~top->mask) {
        const wl_ptx_path below = {top[-1].at, top[-1].until, top[-1].mask & ~top->mask};
        top[-1] = (wl_ptx_path){top->at, below.until, top->mask};
        *top = below;
    } else {
        warp->yields = true;
    }
}

wl_status wl_ptx_run_branch(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    wl_ptx_path *path = &frame->paths[frame->path_count - 1];
    if (s->in->op == WL_PTX_OP_call) {
        path->at = s->number + 1;
        return mask ? wl_ptx_run_call(m, s, mask, err) : WL_OK;
    }
    if (s->in->op == WL_PTX_OP_brx && mask)
        return run_table(m, s, active, mask, err);
    if (m->warp->leaves == s->loop + 1 && m->warp->leaves && s->taken_leaves != s->other_leaves) {
        mask = s->taken_leaves ? active : 0; /* it has waited for long enough */
        m->warp->leaves = 0;
    }
    if (s->alone && m->tally.on)
        wl_ptx_tally_trip(m, s, active, mask);
    if (mask == active || mask == 0) {
        if (!jump(frame, mask ? s->target : s->number + 1))
            return wl_fail_memory(err);
        if (s->back && mask && m->back_edge && m->warp->depth == 1)
            m->back_edge(m->user, s->target, mask, (wl_ptx_registers){frame->value, frame->unknown});
        if (s->counted && mask)
            wl_ptx_skip_trips(m, s, mask);
        if (s->steady && mask && m->tally.on)
            wl_ptx_repeat_trips(m, s, mask);
        if (s->of.waits && mask && wl_ptx_is_stalled(m, s, mask)) {
            if (m->warp->gives_up)
                return wl_ptx_give_up_wait(m, s, mask, err);
            m->warp->stalls++;
            yield(m->warp, frame);
        } else if (s->spins && mask && ++m->warp->spins > SPINS_MAX) {
            yield(m->warp, frame);
        }
        return WL_OK;
    }
    const int32_t targets[2] = {s->number + 1, s->target};
    const uint32_t masks[2] = {active & ~mask, mask};
    count_diverged(m, s);
    return diverge(frame, s, targets, masks, 2) ? WL_OK : wl_fail_memory(err);
}

void wl_ptx_run_end(wl_ptx_machine *m, uint32_t lanes)
{
    if (m->warp->depth > 1)
        remove_lanes(m->frame, lanes);
    else
        wl_ptx_lanes_end(m->warp, lanes);
}

void wl_ptx_run_leave(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask)
{
    if (mask && mask != active)
        count_diverged(m, s);
    m->frame->paths[m->frame->path_count - 1].at = s->number + 1;
    if (s->in->op == WL_PTX_OP_ret)
        wl_ptx_run_end(m, mask);
    else
        wl_ptx_lanes_end(m->warp, mask);
}

void wl_ptx_run_barrier(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask)
{
    wl_ptx_warp *warp = m->warp;
    wl_ptx_frame *frame = m->frame;
    frame->paths[frame->path_count - 1].at = s->number + 1;
    if (!mask)
        return;
    const bool votes = s->in->modifiers & WL_PTX_MOD_RED;
    if (m->alone) {
        if (votes)
            frame->unknown[s->to] |= active;
        return;
    }
    const uint32_t lane = wl_ptx_lane_first(mask);
    const int32_t number = (int32_t)(frame->value[s->from[0]][lane] % WL_PTX_BARRIERS);
    wl_ptx_barrier *barrier = &m->barriers[number];
    if (s->in->modifiers & WL_PTX_MOD_ARRIVE) {
        barrier->arrived += WL_PTX_LANES;
        return;
    }
    if (votes) {
        const uint32_t yes = wl_ptx_predicate(frame, s->from[2]);
        const bool negated = s->in->operands[s->in->operand_count - 1].negated;
        barrier->votes += wl_ptx_lanes_in((negated ? ~yes : yes) & mask);
        barrier->voters += wl_ptx_lanes_in(mask);
        barrier->unknown = barrier->unknown || frame->unknown[s->from[2]] & mask;
    }
    warp->state = WL_PTX_WARP_WAITS;
    warp->barrier = s;
    warp->barrier_lanes = mask;
    warp->barrier_number = number;
    warp->barrier_threads = (int64_t)(uint32_t)frame->value[s->from[1]][lane];
}
