/* flow.h - the paths through a function: basic blocks, where lanes that part meet again, and loops.
 *
 * Lanes that part at a branch meet at the first instruction all their paths share, the immediate post-dominator.
 * Layer  ptx (uses base). Oracle: tests/unit/test_ptx_flow.c. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_FLOW_H
#define WL_PTX_MODULE_FLOW_H

#include "ptx/module/module.h"

typedef struct wl_ptx_loop {
    int32_t header;     /* block */
    int32_t parent;     /* the loop around it, -1: none */
    int32_t exit_count; /* ways out: edges to blocks outside, and returns inside */
} wl_ptx_loop;

typedef struct wl_ptx_flow {
    int32_t block_count;
    int32_t *first;    /* instruction of each block; first[block_count]: their number */
    int32_t *block_of; /* of each instruction */
    int32_t *edge_first,
        *edges; /* successors of block b: edges[edge_first[b] .. edge_first[b + 1]); block_count: the end */
    int32_t
        *reconvergence; /* per block: the instruction where lanes that part at its end meet; their number: at the end */
    int32_t *dominator; /* immediate, per block; -1: none, or never reached */
    bool *reached;
    int32_t *order;     /* of blocks: each before what it dominates */
    wl_ptx_loop *loops; /* natural loops, those with the same header as one */
    int32_t loop_count;
    int32_t *loop_of;    /* innermost, per block; -1: none */
    bool *live_at_entry; /* registers that may be read before they are written */
} wl_ptx_flow;

wl_status wl_ptx_flow_make(const wl_ptx_function *function, wl_arena *arena, wl_ptx_flow *out, wl_error *err);

bool wl_ptx_flow_dominates(const wl_ptx_flow *flow, int32_t a, int32_t b);
/* Whether a loop has a block in it, itself or in a loop inside; the end of the function is in none. */
bool wl_ptx_flow_in_loop(const wl_ptx_flow *flow, int32_t loop, int32_t block);

#endif /* WL_PTX_MODULE_FLOW_H */
