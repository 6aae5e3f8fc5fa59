/* executions.h - where the executions of a pattern start: every block of a class, every loop step, every warp.
 * Layer  count (uses footprint). SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_EXECUTIONS_H
#define WL_COUNT_EXECUTIONS_H

#include "footprint/residues.h"
#include "count/pattern.h"

/* Where blocks start, all loop steps counted: the same for every warp, so it is kept while the blocks stay the same. */
#define WL_PERIODS_MAX 4
#define WL_SAMPLES_KEPT 1024
typedef struct wl_block_starts {
    int64_t stride[3]; /* bytes from block to block */
    int count;
    wl_residues at[WL_PERIODS_MAX];
    uint64_t sampled;
    int64_t sample[WL_SAMPLES_KEPT]; /* bytes from the first block: the first ones of the evenly spread sample */
} wl_block_starts;

typedef struct wl_executions {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    const wl_instruction_group *group;
    const wl_block_class *blocks;
    wl_block_starts *starts; /* of these blocks */
    int warps;               /* of each block */
    const int64_t *start;    /* of each warp: bytes from thread 0 of its block */
} wl_executions;

/* Starts afresh: for other blocks, or another group. */
void wl_block_starts_clear(wl_block_starts *starts, const wl_instruction_group *group, const wl_geometry *geometry);

/* How many start where, modulo `period` and but for the instruction's own offset, those of several classes of blocks
 * together; the starts of their warps lie one behind the other. False when that makes more than `most` classes. */
bool wl_executions_positions(const wl_executions *parts, int count, int64_t period, int most, wl_residues *out);

int64_t wl_executions_count(const wl_executions *e);

/* The address, but for the instruction's offset, of the i-th execution in a fixed order, and of the i-th of an evenly
 * spread sample. */
int64_t wl_executions_nth(const wl_executions *e, int64_t i);
int64_t wl_executions_spread(const wl_executions *e, uint64_t i);

#endif /* WL_COUNT_EXECUTIONS_H */
