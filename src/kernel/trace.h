/* trace.h - accesses as they were executed, block by block: for addresses that no expression gives.
 *
 * An access whose address depends on data is `traced`: whoever made the kernel (an emulator) says what the warps of one
 * block do. Blocks are asked for one at a time, in any order, often several times; whoever answers keeps what is dear.
 *
 * Layer  kernel (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_TRACE_H
#define WL_KERNEL_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

/* One execution of one access by one warp. Addresses are bytes from the base of the access's field, those of active
 * lanes only, lowest lane first. */
typedef struct wl_execution {
    uint32_t access, warp;  /* numbers: of the kernel's access, of the warp in its block */
    uint64_t lanes;         /* active */
    const int64_t *address; /* one per active lane */
} wl_execution;

/* All executions of one block, sorted by access, then warp, then time. */
typedef struct wl_block_trace {
    const wl_execution *executions;
    size_t count;
    const size_t *first; /* of access a: executions[first[a]] .. executions[first[a + 1] - 1] */
} wl_block_trace;

typedef struct wl_tracer {
    void *context;
    int warp_size;      /* threads of a warp: at most 64 */
    int64_t affordable; /* blocks that may well be asked for; beyond them it takes long */
    /* The trace is valid until the next call. */
    wl_status (*block)(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err);
    void (*free)(void *context);
} wl_tracer;

#endif /* WL_KERNEL_TRACE_H */
