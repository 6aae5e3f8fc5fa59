/* swaps.h - atomics on shared memory that the hardware does not have: sums of floating-point
 * numbers, and of 64-bit ones.
 *
 * Compilers write them as a loop: load the word, compute, compare and swap, and once more if
 * another lane was faster. So lanes of a warp on one word take turns, one *round* each; and a warp
 * loses a round to each lane of another warp of its block that changes the word meanwhile. Warps
 * are taken to be spread evenly over the atomics that they execute.
 *
 * Layer  count (uses base). Units: launch totals of rounds, wavefronts. Oracle:
 * tests/unit/test_swaps.c. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_SWAPS_H
#define WL_COUNT_SWAPS_H

#include "base/arena.h"
#include "count/warp_law.h"

/* Launch totals. */
typedef struct wl_swaps {
    double executions; /* by warps */
    double rounds;     /* for lanes of the same warp */
    double lost;       /* and to other warps */
    double lanes;      /* active in all rounds */
    double wavefronts; /* of lost rounds */
} wl_swaps;

typedef struct wl_swap_words wl_swap_words; /* words of the current block; in an arena */
wl_swap_words *wl_swap_words_new(wl_arena *arena);

/* Starts a block, which represents `scale` of them. */
void wl_swaps_begin(wl_swap_words *words, double scale);
/* Adds one execution by a warp of it, with at least one lane. Returns the wavefronts of its
 * rounds. */
double wl_swaps_add(wl_swap_words *words, const wl_l1_rules *rules, int warp, const wl_warp_access *access);
/* Ends the block and adds its totals. */
void wl_swaps_end(wl_swap_words *words, wl_swaps *totals);

/* Totals of so many executions. */
void wl_swaps_scale(wl_swaps *totals, double executions);

#endif /* WL_COUNT_SWAPS_H */
