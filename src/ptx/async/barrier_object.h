/* barrier_object.h - barrier objects in shared memory (mbarrier): arrivals, and bytes that copies
 * still have to deliver.
 *
 * The hardware's 64 bits are opaque; ours hold the arrivals and bytes that the current phase still
 * waits for, the arrivals of a phase, and the parity of the phase.
 *
 * Layer  ptx/async (uses base, ptx/module). Oracle: tests/unit/test_ptx_emulate.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_ASYNC_BARRIER_OBJECT_H
#define WL_PTX_ASYNC_BARRIER_OBJECT_H

#include "ptx/async/async_form.h"

typedef struct wl_ptx_barrier_state {
    int64_t pending, expected; /* arrivals that are missing, of those in a phase */
    int64_t bytes;             /* that copies of this phase still deliver */
    bool copies, copied;       /* copies deliver to this phase; they did to the last one */
    bool parity;
} wl_ptx_barrier_state;

wl_ptx_barrier_state wl_ptx_barrier_unpack(uint64_t word);
uint64_t wl_ptx_barrier_pack(const wl_ptx_barrier_state *b);

/* What an arrival does, with its number of arrivals or bytes. */
void wl_ptx_barrier_act(const wl_ptx_barrier_form *form, int64_t number, wl_ptx_barrier_state *b);
/* Bytes of a copy arrive. */
void wl_ptx_barrier_deliver(int64_t bytes, wl_ptx_barrier_state *b);

#endif /* WL_PTX_ASYNC_BARRIER_OBJECT_H */
