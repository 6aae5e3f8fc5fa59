/* source.h - where a kernel comes from, as far as later stages ask it.
 *
 * A kernel file says all there is. A kernel made from instructions (ptx/) has more behind it: it may be another one at
 * another launch, some of its addresses depend on data, its threads differ. Whoever made it answers such questions
 * here: one context, a function for each question, NULL for a question that it does not answer.
 *
 * Layer  kernel (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_SOURCE_H
#define WL_KERNEL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "warpline/kernel.h"
#include "warpline/launch.h"
#include "kernel/counted_mix.h"

/* ---- accesses as they were executed, for addresses that no expression gives ---- */

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

/* ---- local memory ---- */

/* One load or store of local memory by one warp. */
typedef struct wl_local_touch {
    uint32_t warp; /* number in its block */
    bool store;
    int bytes;             /* of one lane */
    uint64_t lanes;        /* active */
    const int64_t *offset; /* bytes from the start of the thread's memory; one per active lane */
} wl_local_touch;
/* touch NULL: a block ends. */
typedef wl_status (*wl_local_visit)(void *user, const wl_local_touch *touch, wl_error *err);

/* ---- the source ---- */

typedef struct wl_source {
    void *context; /* what all functions get */
    /* The same kernel for another launch. NULL: it is the same for all. */
    wl_status (*at_launch)(void *context, const wl_launch *launch, wl_kernel **out, wl_error *err);
    /* What the warps of one block do in traced accesses. Blocks are asked for one at a time, in any order, often
     * several times: the source keeps what is dear. Valid until the next call. NULL: no access is traced. */
    wl_status (*trace_block)(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err);
    int warp_size;             /* of traces: at most 64 */
    int64_t affordable_blocks; /* that may well be traced; beyond them it takes long */
    /* Instructions of a launch of these blocks; lines are those of instructions with a source line, most executed
     * first, valid until the next call. NULL: the kernel has no instructions, it states how many there are. */
    wl_status (*count_instructions)(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                                    const wl_line_mix **lines, size_t *line_count, wl_error *err);
    /* Visits what some blocks do with local memory; *blocks is how many. NULL: there is none. */
    wl_status (*visit_local)(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, int64_t *blocks, wl_error *err);
    void (*free)(void *context); /* called once, with the kernel. NULL: nothing to free */
} wl_source;

#endif /* WL_KERNEL_SOURCE_H */
