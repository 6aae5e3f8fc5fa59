/* place_kinds.h - kinds of blocks that depend on position: by affine conditions, and blocks outside
 * the domain.
 *
 * The blocks are counted exactly (block_kinds.h). A block of a kind executes the accesses whose
 * condition holds in it, and their share of the instructions.
 *
 * Layer  count (uses footprint). Units: blocks, warp instructions.
 * Oracle  tests/unit/test_place_kinds.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_PLACE_KINDS_H
#define WL_COUNT_PLACE_KINDS_H

#include "base/arena.h"
#include "footprint/shape.h"

typedef struct wl_place_input {
    const wl_kernel *kernel;
    const wl_bound *bounds;
    const wl_geometry *launched, *busy; /* the launch, and the same without idle blocks */
    int warp_size;
    double instructions; /* of a thread with work, on average */
    double start;        /* of these: instructions that every thread executes */
} wl_place_input;

/* None where all blocks do about the same, or where conditions cut the launch into too many
 * boxes. */
wl_status wl_place_kinds(const wl_place_input *input, wl_kinds *out, wl_error *err);

#endif /* WL_COUNT_PLACE_KINDS_H */
