/* emulate_mbarrier.c - barrier objects in shared memory (mbarrier): arrivals, bytes that copies
 * deliver, and warps that wait for a phase to end. Copies are complete when they are issued, so a
 * warp waits only for other warps.
 *
 * Blocks of a cluster run the same code, but one at a time here. What a block does to the barriers
 * of others counts for its own: the others do the same to it.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_emulate.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/async/barrier_object.h"
#include "ptx/module/source_place.h"

/* ---- places ---- */

int64_t wl_ptx_shared_offset(uint64_t address) { return (int64_t)(address & (((uint64_t)1 << WL_PTX_RANK_SHIFT) - 1)); }

static wl_status check(const wl_ptx_machine *m, const wl_ptx_step *s, int64_t at, wl_error *err)
{
    if (at % 8 == 0 && at + 8 <= m->shared_bytes)
        return WL_OK;
    (void)wl_fail(err, WL_E_BOUNDS, WL_NOWHERE,
                  "block (%lld, %lld, %lld): a barrier object at offset %lld of shared memory, which has %lld bytes",
                  (long long)m->block[0], (long long)m->block[1], (long long)m->block[2], (long long)at,
                  (long long)m->shared_bytes);
    return wl_ptx_fail_at(err, m->launch.module, s->in);
}

/* Reads the barrier at the address of a lane; *known is false if it was never initialized. */
static wl_status read_at(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t address, wl_ptx_barrier_state *b,
                         bool *known, wl_error *err)
{
    bool unknown = false;
    const int64_t at = wl_ptx_shared_offset(address);
    WL_TRY(check(m, s, at, err));
    *b = wl_ptx_barrier_unpack(wl_ptx_region_read(&m->shared, at, 8, &unknown));
    *known = !unknown;
    return WL_OK;
}

static void write_at(wl_ptx_machine *m, uint64_t address, const wl_ptx_barrier_state *b)
{
    wl_ptx_region_write(&m->shared, wl_ptx_shared_offset(address), 8, wl_ptx_barrier_pack(b), false);
}

/* ---- copies ---- */

wl_status wl_ptx_mbarrier_deliver(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t address, int64_t bytes,
                                  wl_error *err)
{
    wl_ptx_barrier_state b;
    bool known = false;
    WL_TRY(read_at(m, s, address, &b, &known, err));
    if (!known)
        return WL_OK;
    const bool parity = b.parity;
    wl_ptx_barrier_deliver(bytes, &b);
    write_at(m, address, &b);
    if (m->objects) {
        wl_ptx_object *o = &m->objects[wl_ptx_shared_offset(address) / 8];
        o->moving += bytes;
        if (b.parity != parity) {
            o->moved = o->moving;
            o->moving = 0;
        }
        o->issued = m->warp->waits > 0 ? m->warp->waits : m->warp->freed;
        o->copy = m->first[s->function] + s->number;
    }
    return WL_OK;
}

/* ---- arrivals ---- */

static wl_status run_arrival(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const wl_ptx_barrier_form *form = &s->async->barrier;
    const bool arrives =
        form->action == WL_PTX_BARRIER_LEAVE || (form->action == WL_PTX_BARRIER_ARRIVE && !form->expects);
    const uint32_t hidden = (frame->unknown[s->from[0]] | frame->unknown[s->from[1]]) & mask;
    uint64_t address[WL_PTX_LANES], before[WL_PTX_LANES] = {0};
    wl_ptx_addresses(m, s, address);
    if (hidden)
        WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_BARRIER, err));
    WL_PTX_FOR_LANES(lane, m->alone ? 0 : mask & ~hidden)
    {
        wl_ptx_barrier_state b;
        bool known = false;
        WL_TRY(read_at(m, s, address[lane], &b, &known, err));
        if (!known && form->action != WL_PTX_BARRIER_INIT)
            continue;
        before[lane] = wl_ptx_barrier_pack(&b);
        int64_t number = s->target ? 1 : (int64_t)(uint32_t)frame->value[s->from[1]][lane];
        if (form->sharers > 0)
            number = wl_max(1, wl_ptx_lanes_in((uint32_t)number & UINT16_MAX) / form->sharers);
        wl_ptx_barrier_act(form, number, &b);
        write_at(m, address[lane], &b);
        if (m->objects && arrives) {
            wl_ptx_object *o = &m->objects[wl_ptx_shared_offset(address[lane]) / 8];
            o->arrived = m->warp->waits;
            o->read = m->warp->product_waits;
            if (form->products)
                wl_ptx_products_signal(m->warp, o);
        }
    }
    wl_ptx_write(frame, s->to, mask, before, m->alone ? mask : hidden);
    return WL_OK;
}

wl_ptx_run wl_ptx_find_mbarrier(const wl_ptx_barrier_form *form)
{
    return form->action == WL_PTX_BARRIER_NONE || form->action == WL_PTX_BARRIER_WAIT ? NULL : run_arrival;
}

/* ---- waiting ---- */

/* Counts a wait for copies, and how many such waits ahead of it the copy was let go. */
static void note_wait(wl_ptx_machine *m, wl_ptx_warp *warp, const wl_ptx_step *s, const wl_ptx_object *o)
{
    wl_ptx_ring *ring = &m->rings[m->first[s->function] + s->number];
    warp->waits++;
    ring->waits++;
    ring->bytes += o->moved;
    ring->copy = o->copy;
    if (o->issued > 0) {
        ring->counted++;
        ring->ahead += warp->waits - o->issued;
    }
}

/* Has the phase that each of these lanes waits for ended? */
static wl_status is_over(wl_ptx_machine *m, wl_ptx_warp *warp, const wl_ptx_step *s, uint32_t mask, uint32_t *over,
                         wl_error *err)
{
    const wl_ptx_frame *frame = warp->frames[warp->depth - 1];
    const uint32_t hidden = (frame->unknown[s->from[0]] | frame->unknown[s->from[1]]) & mask;
    *over = hidden;
    if (hidden)
        WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_BARRIER, err));
    WL_PTX_FOR_LANES(lane, mask & ~hidden)
    {
        wl_ptx_barrier_state b;
        bool known = false;
        const uint64_t address = frame->value[s->from[0]][lane] + (uint64_t)s->offset;
        const uint64_t state = frame->value[s->from[1]][lane];
        WL_TRY(read_at(m, s, address, &b, &known, err));
        const bool parity = s->async->barrier.by_parity ? state & 1 : state >> 63;
        if (!known)
            WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_BARRIER, err));
        *over |= (uint32_t)(!known || b.parity != parity) << lane;
        if (!known || b.parity == parity || lane != wl_ptx_lane_first(mask))
            continue;
        const wl_ptx_object *o = &m->objects[wl_ptx_shared_offset(address) / 8];
        if (b.copied) {
            note_wait(m, warp, s, o);
        } else {
            warp->freed = o->arrived;
            warp->products_freed = wl_max(warp->products_freed, o->read);
            wl_ptx_products_await(m, warp, s, o);
        }
    }
    return WL_OK;
}

wl_status wl_ptx_run_wait(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    wl_ptx_warp *warp = m->warp;
    wl_ptx_frame *frame = m->frame;
    uint32_t over = mask;
    frame->paths[frame->path_count - 1].at = s->number + 1;
    if (!mask)
        return WL_OK;
    if (!m->alone)
        WL_TRY(is_over(m, warp, s, mask, &over, err));
    if (over == mask || !s->async->barrier.tries) {
        wl_ptx_write_predicate(frame, s->to, mask, over, 0);
        warp->yields = over != mask; /* a loop of tests: others run first */
        return WL_OK;
    }
    warp->state = WL_PTX_WARP_WAITS;
    warp->barrier = s;
    warp->barrier_lanes = mask;
    warp->barrier_number = WL_PTX_AT_MBARRIER;
    return WL_OK;
}

wl_status wl_ptx_wake(wl_ptx_machine *m, wl_ptx_warp *warp, bool all, wl_error *err)
{
    uint32_t over = warp->barrier_lanes;
    if (!all)
        WL_TRY(is_over(m, warp, warp->barrier, warp->barrier_lanes, &over, err));
    if (over != warp->barrier_lanes)
        return WL_OK;
    warp->state = WL_PTX_WARP_READY;
    wl_ptx_write_predicate(warp->frames[warp->depth - 1], warp->barrier->to, over, over, 0);
    return WL_OK;
}
