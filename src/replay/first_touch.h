/* first_touch.h - which block of a launch is the first to load some data, and how many load it
 * together.
 *
 * At the start of a launch its data is in memory. The first block that loads a line waits for
 * memory, and so do all that want the line before it is there; blocks that come later find it in
 * the L2. Which block comes first is found among sampled blocks, by the bytes that they load at the
 * first step of their loops.
 *
 * Layer  replay (uses base, expr, kernel, launch, count). Units: blocks, bytes.
 * Oracle  tests/unit/test_first_touch.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPLAY_FIRST_TOUCH_H
#define WL_REPLAY_FIRST_TOUCH_H

#include "count/traffic.h"
#include "replay/walk_loops.h"

/* Runs of bytes that a block loads at the first step. */
#define WL_TOUCH_RUNS 4
typedef struct wl_touch {
    int64_t block;
    int count;
    int64_t lo[WL_TOUCH_RUNS], hi[WL_TOUCH_RUNS];
} wl_touch;

/* Who is the first to load a unit of data: a search that was made before. */
typedef struct wl_touch_found {
    uint64_t key; /* 0: none */
    int64_t block;
} wl_touch_found;

typedef struct wl_touches {
    wl_walk_loops *loops;
    /* by access, in the order of the blocks; NULL: no load */
    wl_touch *of[WL_WALK_ACCESSES];
    int64_t count;
    wl_touch_found *found;
} wl_touches;

/* Samples up to about a thousand blocks, fewer if they have many accesses. */
wl_status wl_touches_make(wl_walk_loops *loops, wl_arena *arena, wl_touches *out, wl_error *err);

/* The first block that loads all of these bytes; `block` itself, which does: none before it. */
int64_t wl_touches_first(wl_touches *touches, int access, int64_t lo, int64_t hi, int64_t block);

/* By field. */
wl_status wl_touches_readers(const wl_touches *touches, wl_readers *by_field, wl_error *err);

#endif /* WL_REPLAY_FIRST_TOUCH_H */
