/* instructions.h - the memory instructions of one thread: its accesses over all folded cells, each address once.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_INSTRUCTIONS_H
#define WL_COUNT_INSTRUCTIONS_H

#include "footprint/shape.h"

typedef struct wl_instruction {
    size_t access;  /* the access it stems from (the first, where several folded cells share the address) */
    size_t group;   /* instructions with the same strides and width */
    int64_t offset; /* bytes, of thread 0 of block 0 */
    uint64_t cells; /* which of the folded cells need it, bit x + fold.x * (y + fold.y * z) */
    size_t order;   /* in the program of a thread that works on its cells one after the other */
} wl_instruction;

typedef struct wl_instruction_group {
    wl_linear linear;
    int32_t width;
    uint32_t loops; /* that the accesses name, bit by bit: each step executes them */
} wl_instruction_group;

typedef struct wl_instructions {
    wl_instruction *list; /* sorted by group */
    size_t count;
    size_t loads, stores; /* to global memory */
    size_t *by_place;     /* of these, loads before stores: by field, group and offset */
    size_t *by_order;     /* of the loads, numbered by place: as a thread executes them */
    wl_instruction_group *groups;
    size_t group_count;
} wl_instructions;

/* Of the affine accesses. Of the geometry only the folding matters, where no access depends on the launch. */
wl_status wl_instructions_make(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                               wl_arena *scratch, wl_instructions *out, wl_error *err);

#endif /* WL_COUNT_INSTRUCTIONS_H */
