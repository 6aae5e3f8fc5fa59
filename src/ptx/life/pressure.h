/* pressure.h - register pressure of a segment. If no register is left, the assembler issues
 * instructions in PTX order, instead of the next load, until registers are free.
 *
 * A value takes registers from its definition to its last use: one, two with 64 bits; none if it is
 * a predicate or a parameter. Segments that load only from shared memory are not changed:
 * validate/notes/waits.md, "Registers".
 *
 * Layer  ptx/life (uses base, timeline, ptx/module). Units: registers of 32 bits. Oracle:
 * tests/unit/test_ptx_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_LIFE_PRESSURE_H
#define WL_PTX_LIFE_PRESSURE_H

#include "ptx/module/flow.h"
#include "timeline/life.h"

/* Of a function. */
typedef struct wl_ptx_liveness {
    int32_t limit;  /* registers of a thread */
    uint8_t *width; /* by register: 32-bit registers that it takes */
    int32_t *last;  /* by register: the last instruction at which it is live, including loops */
    int32_t *at;    /* by instruction: registers taken by earlier values */
} wl_ptx_liveness;
wl_status wl_ptx_liveness_make(const wl_ptx_function *function, const wl_ptx_flow *flow, int32_t limit, wl_arena *arena,
                               wl_ptx_liveness *out, wl_error *err);

/* Registers that ptxas saves to local memory, and PTX does not show. Where products of four warps
 * or the ends of loops leave no other order, all values that are live must be in registers; those
 * that are the same in all lanes are in registers of their own. If a loop does not access enough of
 * them, these are stored before it and loaded behind it, which costs little. Otherwise as many as
 * are too many are stored and loaded in each trip, and products wait for each other: what ptxas 13
 * reports, and two measured launches (validate/notes/waits.md, "Registers"). */
typedef struct wl_ptx_spills {
    /* by instruction: registers that are stored and loaded where it is executed; NULL: none */
    int32_t *words;
    int32_t most;
} wl_ptx_spills;
/* limit: registers that a thread may have at most. */
wl_status wl_ptx_spills_find(const wl_ptx_function *function, const wl_ptx_flow *flow, int32_t limit, wl_arena *arena,
                             wl_ptx_spills *out, wl_error *err);

/* Operations of a segment in the order of PTX. */
typedef struct wl_ptx_unordered {
    const wl_op *ops;
    int32_t count;
    int32_t from, to;      /* instructions of the function */
    const int32_t *origin; /* by number of a register: the register of the function; -1: none */
    /* the number of the function's first register; how many numbers there are */
    int32_t base, numbers;
    /* by operation: 0: a load, or an operand of its address; 1: others; 2: the end of the
     * segment */
    const uint8_t *rest;
} wl_ptx_unordered;

/* Changes an order with early loads where no registers are free for their results. */
wl_status wl_ptx_limit_live(const wl_ptx_liveness *live, const wl_ptx_unordered *segment, int32_t *order,
                            wl_error *err);

/* Is it a load? Is it a store, to shared memory or to other memory? */
bool wl_op_is_load(const wl_op *op);
bool wl_op_is_store(const wl_op *op, bool shared);

#endif /* WL_PTX_LIFE_PRESSURE_H */
