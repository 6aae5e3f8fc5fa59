/* l1_replay.h - the loads of some multiprocessors, replayed through an L1 of their size.
 *
 * For kernels whose addresses depend on data. Only the addresses themselves show which lines are
 * hot, what blocks share and what streams through; there is no closed form. A multiprocessor gets
 * every n-th block of the launch; if blocks load different amounts, multiprocessors are drawn in
 * proportion to what their blocks load. As many blocks as are resident run at the same time. A warp
 * issues the loads up to its next wait, a line per cycle, once its last ones are there; who has
 * been ready for longest goes first. A missing line replaces the older of two random ones, which is
 * between the random and the least-recently-used policy. Multiprocessors come in pairs: what both
 * miss within the latency of the L2 is requested once.
 *
 * Layer  replay (uses base, kernel, launch, cache). Units: sectors.
 * Oracle  tests/unit/test_replay.c; measured: validate/data/h200_data.csv, h200_uneven.csv
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPLAY_L1_REPLAY_H
#define WL_REPLAY_L1_REPLAY_H

#include "kernel/kernel_internal.h"
#include "launch/geometry.h"

typedef struct wl_replay_input {
    const wl_kernel *kernel; /* its source visits loads */
    const wl_geometry *geometry;
    int64_t sms, line, sector; /* multiprocessors; bytes */
    int64_t schedulers;
    double hit, miss; /* cycles until a load is there: from the L1, the L2 */
    /* that may be replayed; if fewer than are resident, a part of each of those */
    double blocks;
    double loads; /* of a block; 0: not known, blocks are replayed in full */
} wl_replay_input;

/* Shares of the requested sectors that are requested from the L2, by field. */
typedef struct wl_replay {
    bool known;     /* false: the kernel's source visits no loads */
    bool *replayed; /* by field: some load was replayed */
    double *missed; /* by field */
    double *found;  /* by field: share that hits, and is not in flight any more */
    double *units;  /* by field: pairs of sectors requested together / sectors requested */
    /* by field: share of pairs with a single sector, the only requested one of its line */
    double *lone;
} wl_replay;

wl_status wl_replay_loads(const wl_replay_input *input, wl_arena *arena, wl_replay *out, wl_error *err);

#endif /* WL_REPLAY_L1_REPLAY_H */
