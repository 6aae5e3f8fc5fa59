/* kept_counts.h - the counts of earlier launches.
 *
 * What warps touch depends on the kernel, the block, the folding, the grid and the schedule; what
 * waves touch also on how many blocks are resident, so on registers and shared memory. Lines of a
 * batch ask for the same blocks again: with other registers, for another model, or by another
 * search. A kept answer equals a counted one. Memory is bounded: newer launches replace older ones.
 *
 * Layer  predict (uses everything up to metrics). Oracle: tests/unit/test_kept.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KEPT_COUNTS_H
#define WL_KEPT_COUNTS_H

#include "metrics/counts.h"

/* Start with zeros. */
typedef struct wl_kept_counts {
    struct wl_kept_launch **slots; /* NULL until the first launch; sets of WL_KEPT_WAYS */
    size_t sets;                   /* a power of two */
    size_t accesses, fields;       /* of the kernel */
    bool bypasses_l1;              /* some load of the kernel does */
    unsigned turn;                 /* which of a set is replaced next */
} wl_kept_counts;

/* What is kept of a launch. */
typedef struct wl_recalled {
    bool warps, traffic;
} wl_recalled;

/* Fills in what is kept: the costs of accesses and the warps; traffic and method of the counts.
 * Only traffic that was replayed as far as `replays` says. */
wl_recalled wl_kept_counts_find(const wl_kept_counts *kept, const wl_launch *launch, int64_t samples,
                                wl_replays replays, wl_access_cost *costs, wl_counts *out);

/* Keeps the same, where there is memory for it. */
void wl_kept_counts_add(wl_kept_counts *kept, const wl_kernel *kernel, const wl_launch *launch, int64_t samples,
                        const wl_access_cost *costs, const wl_counts *counts);

/* Distinct bytes that are loaded and stored, which only one model asks for, and how they were
 * counted. */
typedef struct wl_kept_distinct {
    bool known;
    double bytes[2];
    wl_count_method method;
} wl_kept_distinct;

/* Those of a launch that is kept. NULL: it is not; they are filled in by who needs them, and last
 * until another launch is added. */
wl_kept_distinct *wl_kept_distinct_of(const wl_kept_counts *kept, const wl_launch *launch, int64_t samples);

void wl_kept_counts_free(wl_kept_counts *kept);

#endif /* WL_KEPT_COUNTS_H */
