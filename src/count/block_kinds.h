/* block_kinds.h - kinds of blocks: one block, or tile of blocks, that represents others, and how
 * many it represents. What is counted over a launch is counted for one block of each kind.
 *
 * Exact kinds: the domain's edges and affine conditions cut the launch into boxes of blocks: in
 * some, every thread takes the same decision; through others, a condition cuts. Two blocks are
 * alike if edges and conditions cut both at the same position relative to the block: a triangle of
 * any size has a few kinds of blocks on its long side. The others of a kind touch the same
 * addresses, shifted by a multiple of the strides. The same for tiles of blocks (rows and layers of
 * the grid), and for steps of loops.
 *
 * Sampled kinds: where blocks have no such form, some are drawn, in strata; each one drawn from a
 * stratum represents the same number of its blocks. Strata are parts of the launch or, for accesses
 * of PTX that are traced, the kinds of blocks that the census found: blocks that do rare work are
 * drawn as well. The error of a sum is the standard error of the estimate, from how much the blocks
 * of neighbouring strata differ. A stratum that is drawn completely adds none.
 *
 * Layer  count (uses footprint). Units: blocks, tiles, loop steps.
 * Oracle  tests/property/prop_guards.c, tests/unit/test_sampling.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_BLOCK_KINDS_H
#define WL_COUNT_BLOCK_KINDS_H

#include "base/arena.h"
#include "footprint/guard.h"
#include "kernel/source.h"

/* A box of tiles, and of steps of the outer loops. Tiles count from the first block of the grid. */
typedef struct wl_tiles {
    int64_t first[3], count[3];
    int64_t first_step[WL_LOOPS_MAX], steps[WL_LOOPS_MAX]; /* 0 and 1 for other loops */
    size_t kind;
} wl_tiles;

typedef struct wl_representative {
    int64_t block[3]; /* coordinates in the grid; of a tile, its first block */
    double blocks;    /* blocks or tiles that it represents, itself included */
    int stratum;      /* sampled kinds only */
    /* all that it represents, itself first; exact kinds only */
    const wl_tiles *boxes;
    size_t box_count;
} wl_representative;

typedef struct wl_stratum {
    double blocks; /* all of them */
    double chosen;
    /* coordinates in the grid; not set where strata are not boxes */
    int64_t first[3], count[3];
} wl_stratum;

typedef struct wl_block_kinds {
    wl_representative *list; /* those of a stratum next to each other */
    size_t count;
    wl_stratum *strata; /* NULL: kinds are exact */
    int stratum_count;
} wl_block_kinds;

/* Does every block of the launch equal its representative? */
bool wl_kinds_are_exact(const wl_block_kinds *kinds);

/* ---- exact kinds ---- */

/* Where only the domain's edges cut, each kind is one box; for tiles of so many blocks. The result
 * lives in `room`. */
typedef struct wl_edge_kinds {
    wl_representative list[WL_BLOCK_CLASSES_MAX];
    wl_tiles boxes[WL_BLOCK_CLASSES_MAX];
} wl_edge_kinds;
void wl_kinds_by_edges(const wl_geometry *geometry, const int64_t tile[3], wl_edge_kinds *room, wl_block_kinds *out);

typedef struct wl_cut_input {
    const wl_geometry *geometry;
    int64_t tile[3]; /* blocks of a tile */
    const wl_guard *const *guards;
    int guard_count; /* 0: only the domain's edges cut, and loops are left out */
    bool anywhere;   /* include tiles where no guard holds */
    int64_t steps[WL_LOOPS_MAX];
    /* bit set of the loops whose steps are distinguished; others belong to every tile */
    uint32_t outer;
} wl_cut_input;

/* WL_E_LIMIT: too many boxes. */
wl_status wl_kinds_by_cuts(const wl_cut_input *input, wl_arena *arena, wl_block_kinds *out, wl_error *err);

/* Adds a guard, or NULL, to a list of different ones. False: more than `most`. */
bool wl_guards_add(const wl_guard *guard, const wl_guard **list, int *count, int most);

/* All coordinates that occur in a box of tiles, on the axes that a guard uses. */
wl_axis_box wl_tiles_coordinates(const wl_cut_input *input, const wl_guard *guard, const wl_tiles *tiles);

/* Distinguishes kinds: how the comparisons of a condition are decided in a box, and the ranges of
 * those that are not. */
typedef struct wl_signature {
    uint64_t a, b; /* two independent hashes */
} wl_signature;
wl_signature wl_signature_start(uint64_t value);
void wl_signature_mix(wl_signature *signature, uint64_t value);
/* Returns wl_guard_truth. */
int wl_signature_mix_guard(wl_signature *signature, const wl_guard *guard, const wl_axis_box *box);

/* ---- sampled kinds ---- */

/* `count` blocks spread evenly over the launch, all in one stratum; all blocks if it has no
 * more. */
wl_status wl_kinds_evenly(const wl_geometry *geometry, int64_t count, wl_arena *arena, wl_block_kinds *out,
                          wl_error *err);

/* For blocks that differ by position: strata are the boxes of a coarse grid over the launch, of
 * which about `count` blocks are chosen; all blocks if it has no more. */
wl_status wl_kinds_by_place(const wl_geometry *geometry, int64_t count, wl_arena *arena, wl_block_kinds *out,
                            wl_error *err);

/* The same in two steps: wl_kinds_pilot chooses a few blocks of each stratum; given what these add
 * to a sum, wl_kinds_refine chooses `count` blocks, more where the blocks of a stratum differ
 * more. */
wl_status wl_kinds_pilot(const wl_geometry *geometry, int64_t count, wl_arena *arena, wl_block_kinds *out,
                         wl_error *err);
wl_status wl_kinds_refine(const wl_geometry *geometry, const wl_block_kinds *pilot, const double *added, int64_t count,
                          wl_arena *arena, wl_block_kinds *out, wl_error *err);

/* At most about `most` blocks of those that a kernel from PTX has chosen to trace, in strata of the
 * kinds of its census; without a population, evenly. */
wl_status wl_kinds_traced(const wl_population *population, const wl_geometry *geometry, int64_t most, wl_arena *arena,
                          wl_block_kinds *out, wl_error *err);

/* The standard error of a sum over the launch, given what each block of the sample adds to it,
 * times the blocks it represents. */
double wl_kinds_error(const wl_block_kinds *kinds, const double *added);

/* If all n blocks of a sample are alike, blocks that differ are rare, at most one in n, but such a
 * block may do nothing, or twice as much: the relative standard error that follows from this. */
double wl_kinds_rare(const wl_block_kinds *kinds);

#endif /* WL_COUNT_BLOCK_KINDS_H */
