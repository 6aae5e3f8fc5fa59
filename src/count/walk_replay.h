/* walk_replay.h - replays, over time, the blocks of one multiprocessor whose loops read the same
 * data.
 *
 * Whether a block finds in the L1 what another has loaded depends on how far apart they are. A
 * multiprocessor issues for its oldest block first. If it has more warps than it can keep busy, the
 * younger blocks fall behind and share nothing any more, unless all the data fits. If it has fewer,
 * a block that is behind hits, catches up with the one ahead, and then waits for the same lines.
 * There is no closed form for that, so it is replayed: the loops in chunks of some steps, each an
 * event of one warp that takes the cycles of its wavefronts and waits for its lines once per few
 * steps.
 *
 * Layer  count (uses base, expr, kernel, launch, footprint). Units: sectors, cycles.
 * Oracle  tests/unit/test_places.c; measured: validate/data/h200_fit.csv, h200_schedules.csv
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WALK_REPLAY_H
#define WL_COUNT_WALK_REPLAY_H

#include "count/view.h"
#include "count/warps.h"

typedef struct wl_walk_input {
    const wl_view *view;
    const wl_geometry *geometry;
    const wl_access_cost *costs;
    int64_t sms, warp_size, line, sector; /* multiprocessors; lanes; bytes */
    double hit, miss, wavefront;          /* cycles until a load is there; that a wavefront takes */
    /* chunks are as long as when numbers were fitted with the replay, whatever the L1 holds */
    bool long_chunks;
} wl_walk_input;

/* Reads the numbers of a replay from a device: walk_cycles, or the latencies and the wavefront rate
 * of the device. False: it lacks one of them; those of the H200 stand for it, for all GPUs share
 * their order of magnitude: a miss takes ten times as long as a hit, and much longer than what a
 * warp issues. */
bool wl_walk_read(const wl_device *device, wl_walk_input *out);

/* Shares of the requested sectors that miss the L1, by field. */
typedef struct wl_walked {
    bool known; /* false: no loops, or addresses that they do not move alike */
    /* by field; the latter: share of a line that a request for it wants */
    double *missed, *whole_lines;
} wl_walked;

wl_status wl_walk_replay(const wl_walk_input *input, wl_arena *arena, wl_walked *out, wl_error *err);

#endif /* WL_COUNT_WALK_REPLAY_H */
