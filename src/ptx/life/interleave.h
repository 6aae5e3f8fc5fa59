/* interleave.h - in which order the assembler issues operations that only their operands order:
 * first those that most others wait for, others while their operands or pipe are not ready.
 *
 * Layer  ptx/life. Units: cycles, about. Oracle: tests/unit/test_ptx_life.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_LIFE_INTERLEAVE_H
#define WL_PTX_LIFE_INTERLEAVE_H

#include "timeline/life.h"

/* Scratch, kept from call to call. */
typedef struct wl_ptx_interleave {
    struct wl_ptx_node *nodes;
    struct wl_ptx_edge *edges;
    struct wl_ptx_use *uses; /* by register: of the operations of this call */
    int32_t *ready, *later;  /* heaps */
    int32_t room, edge_room, register_room;
} wl_ptx_interleave;

/* Puts `list`, numbers of operations in the order of the program, into that order. `registers`:
 * their number. False: no memory. */
bool wl_ptx_interleave_apply(wl_ptx_interleave *scratch, const wl_op *ops, int32_t *list, int32_t count,
                             int32_t registers);
void wl_ptx_interleave_free(wl_ptx_interleave *scratch);

#endif /* WL_PTX_LIFE_INTERLEAVE_H */
