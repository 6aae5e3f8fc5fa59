/* walk_replay.h - replays, over time, the blocks of a multiprocessor whose loops read the same
 * data; of three, one after the other, as they differ by chance.
 *
 * Whether a block finds in the L1 what another has loaded depends on how far apart they are. A
 * multiprocessor issues for its oldest block first. If it has more warps than it can keep busy, the
 * younger blocks fall behind and share nothing any more, unless all the data fits. If it has fewer,
 * a block that is behind hits, catches up with the one ahead, and then waits for the same lines.
 * Blocks that are the first to load their data wait for memory, and stay together even more; a
 * launch that finds its data in the L2 is replayed separately. When a block ends, the next of the
 * launch takes its place; blocks that end together are replaced by neighbours. There is no closed
 * form for that, so it is replayed: the loops in chunks of some steps, each an event of one warp
 * that takes the cycles of its wavefronts and waits for its lines once per few steps.
 *
 * Layer  replay (uses base, expr, device, kernel, launch, count, cache). Units: sectors, cycles.
 * Oracle  tests/unit/test_places.c; measured: validate/data/h200_fit.csv, h200_schedules.csv,
 *         validate/probes/h200_product_caches.csv, h200_product_waves.csv, h200_product_blocks.csv
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPLAY_WALK_REPLAY_H
#define WL_REPLAY_WALK_REPLAY_H

#include "replay/first_touch.h"
#include "replay/walk_loops.h"

/* Reads the numbers of a replay from a device. False: it lacks the latency of its L1 or its L2, and
 * is not replayed. A file without dram_latency: data is in the L2; without block_rate: all blocks
 * start at once; without l1_mshr: no limit. */
bool wl_walk_read(const wl_device *device, wl_walk_input *out);

typedef struct wl_walked {
    bool known; /* false: no loops, or addresses that they do not move alike */
    wl_replay_size size;
    double *missed; /* by field: share of the requested sectors that misses the L1 */
    wl_replayed_walk *fields;
} wl_walked;

wl_status wl_walk_replay(const wl_walk_input *input, wl_arena *arena, wl_walked *out, wl_error *err);

#endif /* WL_REPLAY_WALK_REPLAY_H */
