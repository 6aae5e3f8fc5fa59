/* instructions.h - the memory instructions of one thread: its accesses over all folded cells, each
 * address once.
 *
 * Layer  count (uses footprint). Units: bytes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_INSTRUCTIONS_H
#define WL_COUNT_INSTRUCTIONS_H

#include "footprint/shape.h"

typedef struct wl_instruction {
    /* the access it comes from (the first, if several folded cells share the address) */
    size_t access;
    size_t group;   /* instructions with equal strides and width */
    int64_t number; /* in its group */
    int64_t offset; /* address for thread 0 of block 0 */
    uint64_t cells; /* folded cells that need it, as bits x + fold.x * (y + fold.y * z) */
    size_t order;   /* in program order, for a thread that works on its cells one after another */
} wl_instruction;

typedef struct wl_instruction_group {
    wl_linear linear;
    int32_t width;
    uint32_t loops; /* bit set of the loops the accesses name; each step executes them */
} wl_instruction_group;

typedef struct wl_instructions {
    wl_instruction *list; /* sorted by group */
    size_t count;
    size_t loads, stores; /* to global memory */
    size_t *by_place;     /* of these, loads before stores, sorted by field, group and offset */
    size_t *by_order;     /* of the loads, as indices into by_place, in execution order */
    wl_instruction_group *groups;
    size_t group_count;
} wl_instructions;

/* From the affine accesses. Of the geometry only the folding matters, unless an access depends on
 * the launch. */
wl_status wl_instructions_make(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                               wl_arena *scratch, wl_instructions *out, wl_error *err);

#endif /* WL_COUNT_INSTRUCTIONS_H */
