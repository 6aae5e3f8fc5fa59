/* segments.h - the instructions of a function in the order of machine code: loads first, loops
 * unrolled, short branches predicated.
 *
 * A segment is a basic block, up to a barrier or call. If the assembler predicates the body of a
 * branch, the block before it, the body and the block after it are one segment. Within a segment, a
 * load moves up as far as its address allows: past arithmetic, but not past stores that may change
 * what it loads, nor past uses of its register. A loop of one segment that the assembler unrolls
 * has a second form with the operations of WL_PTX_ROUND trips.
 *
 * Layer  ptx/life (uses base, timeline, ptx/module, ptx/cost, ptx/emulate). Oracle:
 * tests/unit/test_ptx_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_LIFE_SEGMENTS_H
#define WL_PTX_LIFE_SEGMENTS_H

#include "ptx/cost/cost.h"
#include "ptx/emulate/emulate.h"
#include "ptx/module/flow.h"
#include "timeline/life.h"

typedef struct wl_ptx_segment {
    int32_t from, to;         /* instructions of the function */
    int32_t first, count;     /* operations */
    int32_t many, many_count; /* operations of WL_PTX_ROUND trips; count 0: it is not unrolled */
} wl_ptx_segment;

typedef struct wl_ptx_segments {
    wl_ptx_flow flow;
    wl_ptx_segment *list;
    int32_t count;
    int32_t *of; /* by instruction: its segment */
} wl_ptx_segments;

/* Operations of all functions of a module. */
typedef struct wl_ptx_ops {
    wl_op *list;
    int32_t count, room;
    int32_t registers; /* registers numbered so far */
} wl_ptx_ops;

/* Information about a function besides its text. */
typedef struct wl_ptx_life_input {
    const wl_ptx_module *module;
    const wl_ptx_function *function;
    const double *weight;            /* by instruction */
    const wl_ptx_counting *counting; /* of it */
    const int32_t *field;            /* by instruction; -1: none */
    const int32_t *fields;           /* the same over all functions, which copies are numbered by */
    const wl_ptx_ring *rings;        /* by instruction */
    bool clusters;                   /* blocks of the launch form clusters */
    const bool *polls;               /* by instruction, as wl_ptx_polls; NULL: none does */
    const int32_t *spilled;          /* by instruction, as wl_ptx_spills; NULL: none */
    int32_t registers;               /* of a thread; 0: as many as early loads need */
} wl_ptx_life_input;

wl_status wl_ptx_segments_make(const wl_ptx_life_input *input, wl_arena *arena, wl_ptx_ops *ops, wl_ptx_segments *out,
                               wl_error *err);

#endif /* WL_PTX_LIFE_SEGMENTS_H */
