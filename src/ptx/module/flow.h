/* flow.h - the control flow graph of a function: basic blocks, dominators, natural loops, and
 * where divergent lanes reconverge.
 *
 * All lanes that do not exit pass the immediate post-dominator of a branch, its reconvergence
 * point. Most of them reconverge earlier (meeting.c).
 * Layer  ptx/module (uses base, kernel). Oracle: tests/unit/test_ptx_flow.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_FLOW_H
#define WL_PTX_MODULE_FLOW_H

#include "ptx/module/module.h"

typedef struct wl_ptx_loop {
    int32_t header;     /* basic block */
    int32_t parent;     /* the enclosing loop; -1: none */
    int32_t exit_count; /* exit edges, and returns inside the loop */
} wl_ptx_loop;

typedef struct wl_ptx_flow {
    int32_t block_count;
    /* first instruction of each block; first[block_count]: number of instructions */
    int32_t *first;
    int32_t *block_of; /* basic block of each instruction */
    /* successors of block b: edges[edge_first[b] .. edge_first[b + 1]); block_count: the end */
    int32_t *edge_first, *edges;
    int32_t *in_first, *in; /* the same for predecessors, also of the end */
    /* per block: reconvergence point of its branch, an instruction; their number: the end */
    int32_t *reconvergence;
    /* per block: the instruction where the lanes of its branch reconverge; -1: nowhere */
    int32_t *meeting;
    /* per block: the meeting point if all lanes that do not exit pass it, or the reconvergence
     * point */
    int32_t *join;
    int32_t *place;     /* per block, and the end: see meeting.c */
    int32_t *dominator; /* immediate dominator per block; -1: none, or unreachable */
    bool *reached;
    /* per block: what it dominates has the numbers from this one on, and how many they are */
    int32_t *number, *dominated;
    wl_ptx_loop *loops; /* natural loops; loops with one header are merged */
    int32_t loop_count;
    int32_t *loop_of;    /* innermost loop per block; -1: none */
    bool *live_at_entry; /* registers that may be read before they are written */
} wl_ptx_flow;

wl_status wl_ptx_flow_make(const wl_ptx_function *function, wl_arena *arena, wl_ptx_flow *out, wl_error *err);

/* Does an edge lead back to a block that dominates its start? */
bool wl_ptx_flow_is_back(const wl_ptx_flow *flow, int32_t from, int32_t to);
bool wl_ptx_flow_dominates(const wl_ptx_flow *flow, int32_t a, int32_t b);
/* Whether a block belongs to a loop or to a loop nested in it. The end of the function is in no
 * loop. */
bool wl_ptx_flow_in_loop(const wl_ptx_flow *flow, int32_t loop, int32_t block);

/* meeting.c; part of wl_ptx_flow_make. */
wl_status wl_ptx_flow_find_meetings(const wl_ptx_function *function, wl_ptx_flow *flow, wl_arena *arena, wl_error *err);

#endif /* WL_PTX_MODULE_FLOW_H */
