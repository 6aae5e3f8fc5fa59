/* barrier_object.c - see barrier_object.h. SPDX-License-Identifier: MIT */
#include "ptx/async/barrier_object.h"

#define COUNT_BITS 20 /* of arrivals; and one more for bytes, with a sign */
#define COUNT_MAX (((int64_t)1 << COUNT_BITS) - 1)
#define BYTES_ZERO ((int64_t)1 << COUNT_BITS) /* stands for no bytes */

wl_ptx_barrier_state wl_ptx_barrier_unpack(uint64_t word)
{
    return (wl_ptx_barrier_state){.pending = (int64_t)(word & COUNT_MAX),
                                  .expected = (int64_t)(word >> COUNT_BITS & COUNT_MAX),
                                  .bytes = (int64_t)(word >> 2 * COUNT_BITS & (2 * COUNT_MAX + 1)) - BYTES_ZERO,
                                  .copies = word >> 61 & 1,
                                  .copied = word >> 62 & 1,
                                  .parity = word >> 63};
}

uint64_t wl_ptx_barrier_pack(const wl_ptx_barrier_state *b)
{
    return (uint64_t)(b->pending & COUNT_MAX) | (uint64_t)(b->expected & COUNT_MAX) << COUNT_BITS |
           (uint64_t)((b->bytes + BYTES_ZERO) & (2 * COUNT_MAX + 1)) << 2 * COUNT_BITS | (uint64_t)b->copies << 61 |
           (uint64_t)b->copied << 62 | (uint64_t)b->parity << 63;
}

static void end_phase_if_due(wl_ptx_barrier_state *b)
{
    if (b->pending > 0 || b->bytes != 0)
        return;
    b->parity = !b->parity;
    b->pending = b->expected;
    b->copied = b->copies;
    b->copies = false;
}

void wl_ptx_barrier_act(const wl_ptx_barrier_form *form, int64_t number, wl_ptx_barrier_state *b)
{
    const int64_t arrivals = form->expects ? 1 : number;
    switch (form->action) {
    case WL_PTX_BARRIER_INIT: *b = (wl_ptx_barrier_state){.pending = number, .expected = number}; return;
    case WL_PTX_BARRIER_COMPLETE: b->bytes -= number; break;
    case WL_PTX_BARRIER_ARRIVE: b->pending -= arrivals; break;
    case WL_PTX_BARRIER_LEAVE:
        b->pending -= arrivals;
        b->expected -= arrivals;
        break;
    default: break;
    }
    b->bytes += form->expects ? number : 0;
    b->copies = b->copies || form->expects;
    end_phase_if_due(b);
}

void wl_ptx_barrier_deliver(int64_t bytes, wl_ptx_barrier_state *b)
{
    b->bytes -= bytes;
    b->copies = true;
    end_phase_if_due(b);
}
