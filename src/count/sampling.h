/* sampling.h - a sample of a launch's blocks, in strata, and the error of sums estimated from it.
 *
 * Each sampled block of a stratum represents the same number of its blocks. The error of a sum is
 * the standard error of the estimate, from how much the blocks of neighbouring strata differ. A
 * stratum whose blocks are all in the sample adds none.
 *
 * Layer  count (uses launch). Oracle: tests/unit/test_sampling.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_SAMPLING_H
#define WL_COUNT_SAMPLING_H

#include <stdbool.h>

#include "base/arena.h"
#include "kernel/source.h"
#include "launch/geometry.h"
#include "warpline/status.h"

typedef struct wl_stratum {
    double blocks; /* all of them */
    double chosen;
    /* coordinates in the grid; not set where all blocks are one stratum */
    int64_t first[3], count[3];
} wl_stratum;

typedef struct wl_sample {
    int64_t count;
    int64_t *number; /* of each block, in launch order; those of a stratum next to each other */
    bool launched;   /* numbers are those of the whole launch, blocks outside the domain included */
    int *stratum;
    wl_stratum *strata;
    int stratum_count;
} wl_sample;

/* `count` blocks spread evenly over the launch, all in one stratum. */
wl_status wl_sample_evenly(int64_t count, int64_t blocks, wl_arena *arena, wl_sample *out, wl_error *err);

/* At most about `most` blocks of those that a kernel from PTX has chosen to trace, in strata of its
 * kinds; without a population, all blocks. */
wl_status wl_sample_traced(const wl_population *population, const wl_geometry *geometry, int64_t most, wl_arena *arena,
                           wl_sample *out, wl_error *err);

void wl_sample_block_at(const wl_sample *sample, const wl_geometry *geometry, int64_t i, int64_t block[3]);

/* For blocks that differ: strata are the boxes of a coarse grid over the launch, of which about
 * `count` blocks are chosen. `grid` is that of the launch. */
wl_status wl_sample_by_place(const int64_t grid[3], int64_t count, wl_arena *arena, wl_sample *out, wl_error *err);

/* The same in two steps: wl_sample_pilot chooses a few blocks of each stratum; given what these add
 * to a sum, wl_sample_refine chooses `count` blocks, more where the blocks of a stratum differ
 * more. */
wl_status wl_sample_pilot(const int64_t grid[3], int64_t count, wl_arena *arena, wl_sample *out, wl_error *err);
wl_status wl_sample_refine(const int64_t grid[3], const wl_sample *pilot, const double *added, int64_t count,
                           wl_arena *arena, wl_sample *out, wl_error *err);

/* The number of blocks that block i of the sample represents. */
static inline double wl_sample_weight(const wl_sample *s, int64_t i)
{
    return s->strata[s->stratum[i]].blocks / s->strata[s->stratum[i]].chosen;
}

static inline bool wl_sample_is_all(const wl_sample *s)
{
    for (int h = 0; h < s->stratum_count; h++)
        if (s->strata[h].chosen < s->strata[h].blocks)
            return false;
    return true;
}

/* The standard error of a sum over the launch, given what each block of the sample adds to it, its
 * weight included. */
double wl_sample_error(const wl_sample *sample, const double *added);

/* If all n blocks of a sample are alike, blocks that differ are rare, at most one in n, but such a
 * block may do nothing, or twice as much: the relative standard error that follows from this. */
double wl_sample_rare(const wl_sample *sample);

#endif /* WL_COUNT_SAMPLING_H */
