/* machine_match.h - machine code beside the PTX that it was made of: which instruction and basic
 * block each machine instruction stands for, and how many copies of a block there are.
 *
 * Layer  ptx/cost (uses base, machine, ptx/module). Oracle: tests/unit/test_machine_weights.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_MACHINE_MATCH_H
#define WL_PTX_COST_MACHINE_MATCH_H

#include "machine/machine_code.h"
#include "ptx/module/flow.h"

/* Yet another copy of a block, elsewhere than most: a first or last trip of its loop. */
typedef enum wl_machine_copy {
    WL_MACHINE_NO_COPY,
    WL_MACHINE_COPY,       /* executed instead of another one, or skipped */
    WL_MACHINE_PREDICATED, /* executed whenever the loop is, mostly by no lane */
} wl_machine_copy;

typedef struct wl_machine_match {
    const wl_ptx_function *function;
    const wl_machine_kernel *code;
    wl_ptx_flow ptx, machine;
    int32_t *of;     /* by machine instruction: that of PTX; -1: not known */
    int32_t *block;  /* by machine block: the block of PTX that is executed as often; -1: seldom */
    int32_t *loop;   /* by machine loop: that of PTX; -1: none */
    int32_t *main;   /* by loop of PTX: its machine loop, that of the most copies; -1: none */
    int32_t *copies; /* by block of PTX: how many there are where it is executed most */
    uint8_t *extra;  /* by machine instruction: wl_machine_copy */
    /* by block of PTX: it has no machine block of its own, but is part of this one's; -1: it has */
    int32_t *joined;
} wl_machine_match;

/* by_itself: by instruction of PTX; its machine instructions are not looked at. Atomics with
 * branches are added to these. *why: what does not
 * fit, and nothing is matched; NULL: all does. */
wl_status wl_machine_match_make(const wl_machine_kernel *code, const wl_ptx_function *function, bool *by_itself,
                                wl_arena *arena, wl_machine_match *out, const char **why, wl_error *err);
/* Are machine blocks like this one executed once for each copy of a block of PTX? */
bool wl_machine_match_is_region(const wl_machine_match *match, int32_t ptx_block, int32_t machine_block);
/* Is a block of PTX executed in every trip of its loop, but perhaps the last one? */
bool wl_machine_match_every_trip(const wl_machine_match *match, int32_t ptx_block);

#endif /* WL_PTX_COST_MACHINE_MATCH_H */
