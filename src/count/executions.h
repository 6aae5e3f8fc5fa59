/* executions.h - start addresses of a pattern's executions: every block of a class, every loop
 * step, every warp.
 *
 * Layer  count (uses footprint). Units: bytes.
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_EXECUTIONS_H
#define WL_COUNT_EXECUTIONS_H

#include "footprint/residues.h"
#include "count/pattern.h"

/* Start addresses of blocks over all loop steps: the same for every warp, so they are cached while
 * the blocks stay the same. */
#define WL_PERIODS_MAX 4
#define WL_SAMPLES_KEPT 1024
typedef struct wl_block_starts {
    int64_t stride[3]; /* bytes from block to block */
    int count;
    wl_residues at[WL_PERIODS_MAX];
    uint64_t sampled;
    /* the first ones of the evenly spread sample, relative to the first block */
    int64_t sample[WL_SAMPLES_KEPT];
} wl_block_starts;

typedef struct wl_executions {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    const wl_instruction_group *group;
    const wl_block_class *blocks;
    wl_block_starts *starts; /* of these blocks */
    int warps;               /* of each block */
    const int64_t *start;    /* per warp: bytes from thread 0 of its block */
} wl_executions;

/* Resets the cache for other blocks or another group. */
void wl_block_starts_clear(wl_block_starts *starts, const wl_instruction_group *group, const wl_geometry *geometry);

/* Histogram of start addresses modulo a period, without the instruction's own offset, over several
 * classes of blocks; the starts of their warps are stored back to back. The period is the longest
 * power of two between two of them that gives at most so many classes. False: there is none. */
bool wl_executions_positions(const wl_executions *parts, int count, int64_t shortest, int64_t longest, int most,
                             wl_residues *out);

/* Do all executions start at a few positions modulo a power of two, because strides and starts of
 * warps are whole periods or too short to fill one? Then random addresses would not represent
 * them. */
bool wl_executions_in_step(const wl_executions *parts, int count, int64_t period);

int64_t wl_executions_count(const wl_executions *e);

/* Start address, without the instruction's offset, of the i-th execution in a fixed order, and of
 * the i-th of an evenly spread sample. */
int64_t wl_executions_nth(const wl_executions *e, int64_t i);
int64_t wl_executions_spread(const wl_executions *e, uint64_t i);

#endif /* WL_COUNT_EXECUTIONS_H */
