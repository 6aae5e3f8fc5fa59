/* replay_traffic.h - the stage between counts and laws: what hits the L1 without a closed form.
 *
 * Two kinds of launches are replayed, block by block on a few multiprocessors: those whose
 * addresses depend on data (l1_replay.h), and those of several waves whose blocks loop through the
 * same data (walk_replay.h). Both have one queue of warps with a clock (warp_queue.h), and one
 * cache (cache/line_shelf.h). Replays are samples with random draws: their results are estimates,
 * unlike counts.
 *
 * Layer  replay (uses base, expr, device, kernel, launch, count, cache). Units: sectors.
 * Oracle  tests/unit/test_replay.c, test_places.c, test_first_touch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPLAY_REPLAY_TRAFFIC_H
#define WL_REPLAY_REPLAY_TRAFFIC_H

#include "count/traffic.h"

/* Adds to the counts of a launch what its replays give, where it has any. WL_REPLAYS_ALL: the time
 * wanted is that of a repeated launch, so walks are also replayed with their data in the L2.
 * WL_REPLAYS_NONE: only sets traffic->replays. */
wl_status wl_replay_traffic(const wl_traffic_input *input, wl_replays replays, wl_arena *arena, wl_traffic *traffic,
                            wl_error *err);

#endif /* WL_REPLAY_REPLAY_TRAFFIC_H */
