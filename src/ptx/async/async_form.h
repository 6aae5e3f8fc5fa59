/* async_form.h - what instructions on barrier objects and bulk copies do, read from the mnemonic
 * once, and which of their operands is what.
 *
 * Layer  ptx/async (uses base, ptx/module). Oracle: tests/unit/test_ptx_emulate.c,
 * tests/unit/test_ptx_async.c. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_ASYNC_ASYNC_FORM_H
#define WL_PTX_ASYNC_ASYNC_FORM_H

#include "ptx/async/tensor_map.h"
#include "ptx/module/module.h"

typedef enum wl_ptx_barrier_action {
    WL_PTX_BARRIER_NONE, /* does not change a barrier object */
    WL_PTX_BARRIER_INIT,
    WL_PTX_BARRIER_FORGET,
    WL_PTX_BARRIER_EXPECT,
    WL_PTX_BARRIER_COMPLETE,
    WL_PTX_BARRIER_ARRIVE,
    WL_PTX_BARRIER_LEAVE, /* arrives, now and in all later phases */
    WL_PTX_BARRIER_WAIT
} wl_ptx_barrier_action;

typedef struct wl_ptx_barrier_form {
    wl_ptx_barrier_action action;
    bool expects;          /* announces bytes of copies, as well */
    bool by_parity, tries; /* a wait: for a phase of this parity; it may take a while */
    bool products;         /* arrives when products are done */
    /* the arrivals are those of the blocks of a mask; so many share one; 0: there is no mask */
    int sharers;
} wl_ptx_barrier_form;

/* Of mbarrier, of cp.async that arrives, and of tcgen05.commit. */
wl_ptx_barrier_form wl_ptx_barrier_form_of(const wl_ptx_instruction *in);

typedef struct wl_ptx_copy_form {
    bool loads;   /* to shared memory */
    bool within;  /* a cluster: between the shared memories of its blocks */
    bool tensor;  /* by a tensor map */
    bool reduces; /* adds to what is there, or the like */
    bool paired;  /* both blocks of a pair copy, and signal the object of one */
    wl_ptx_box_mode mode;
    /* operands: both places, how many bytes without a map, the barrier object that is signalled,
     * offsets in an image, and the blocks that a copy is sent to; -1: none */
    int8_t to, from, size, barrier, offsets, blocks;
} wl_ptx_copy_form;

/* False: not a bulk copy that is known here. */
bool wl_ptx_copy_form_of(const wl_ptx_instruction *in, wl_ptx_copy_form *form);

bool wl_ptx_is_bulk_prefetch(const wl_ptx_instruction *in);

/* Whether it changes a barrier object, which other warps may wait for. */
bool wl_ptx_signals(const wl_ptx_instruction *in);

#endif /* WL_PTX_ASYNC_ASYNC_FORM_H */
