/* alike.h - blocks that behave alike under affine conditions.
 *
 * Conditions cut the launch into boxes of blocks: in some, every thread takes the same decision;
 * through others, a condition cuts. Two blocks are alike if the condition cuts both at the same
 * position relative to the block: a triangle of any size has a few kinds of blocks on its long
 * side. One block of each kind is counted; the others touch the same addresses, shifted by a
 * multiple of the strides.
 *
 * The same for tiles of blocks (rows and layers of the grid), and for steps of loops.
 *
 * Layer  count (uses footprint). Units: tiles, loop steps.
 * Oracle  tests/property/prop_guards.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_ALIKE_H
#define WL_COUNT_ALIKE_H

#include "base/arena.h"
#include "footprint/guard.h"

typedef struct wl_alike_input {
    const wl_geometry *geometry;
    int64_t tile[3]; /* blocks of a tile */
    const wl_guard *const *guards;
    int guard_count;
    bool anywhere; /* include tiles where no guard holds */
    int64_t steps[WL_LOOPS_MAX];
    /* bit set of the loops whose steps are distinguished; others belong to every tile */
    uint32_t outer;
} wl_alike_input;

/* A box of tiles, and of steps of the outer loops. Tiles count from the first block of the grid. */
typedef struct wl_tiles {
    int64_t first[3], count[3];
    int64_t first_step[WL_LOOPS_MAX], steps[WL_LOOPS_MAX]; /* 0 and 1 for other loops */
    size_t kind;
} wl_tiles;

/* Boxes in order of their kind; those of kind k are list[first[k]] .. list[first[k + 1] - 1]. */
typedef struct wl_alike {
    wl_tiles *list;
    size_t count;
    size_t *first;
    size_t kinds;
} wl_alike;

/* WL_E_LIMIT: too many boxes. */
wl_status wl_alike_find(const wl_alike_input *input, wl_arena *arena, wl_alike *out, wl_error *err);

/* All coordinates that occur in a box of tiles, on the axes that a guard uses. */
wl_axis_box wl_tiles_coordinates(const wl_alike_input *input, const wl_guard *guard, const wl_tiles *tiles);

/* Distinguishes kinds: how the comparisons of a condition are decided in a box, and the ranges of
 * those that are not. */
typedef struct wl_signature {
    uint64_t a, b; /* two independent hashes */
} wl_signature;
wl_signature wl_signature_start(uint64_t value);
void wl_signature_mix(wl_signature *signature, uint64_t value);
/* Returns wl_guard_truth. */
int wl_signature_mix_guard(wl_signature *signature, const wl_guard *guard, const wl_axis_box *box);

/* The blocks of one tile. */
wl_box3 wl_tile_blocks(const wl_geometry *geometry, const int64_t tile[3], const int64_t at[3]);

#endif /* WL_COUNT_ALIKE_H */
