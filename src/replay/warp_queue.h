/* warp_queue.h - the warps of a multiprocessor in a replay: which of them is next, and when.
 *
 * A warp is ready from some moment on. Each scheduler has every n-th warp; in turn they choose the
 * oldest block of theirs that has a warp ready, and of its warps the one that has been so for
 * longest; if all have one age, who has been ready for longest. If too many warps wait for their
 * loads, none is chosen until one has them.
 *
 * Two kinds of heaps, so that an event costs the logarithm of the number of warps: those that are
 * not ready yet, by time, and for each scheduler those that are, by age.
 *
 * Layer  replay (uses base). Units: cycles.
 * Oracle  tests/unit/test_warp_queue.c: a scan of all warps
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPLAY_WARP_QUEUE_H
#define WL_REPLAY_WARP_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct wl_queued {
    double ready;
    int64_t age; /* number of its block in the order of their start */
    int32_t warp;
    bool loads; /* until then it waits for loads */
} wl_queued;

typedef struct wl_queue_heap {
    wl_queued *at;
    int64_t count;
} wl_queue_heap;

typedef struct wl_warp_queue {
    wl_queue_heap later, *ready; /* ready: one per scheduler */
    int64_t schedulers;
    int64_t waiting, most_waiting; /* warps that wait for loads */
    int64_t turn;                  /* of the schedulers */
} wl_warp_queue;

/* False: no memory. */
bool wl_warp_queue_make(wl_warp_queue *queue, int64_t warps, int64_t schedulers, wl_arena *arena);

/* Makes it empty; whose turn it is remains. */
void wl_warp_queue_clear(wl_warp_queue *queue);

/* A warp that is not in the queue. */
void wl_warp_queue_add(wl_warp_queue *queue, const wl_queued *warp);

/* Takes the next warp out, and moves *now on to when it can be chosen. -1: the queue is empty. */
int32_t wl_warp_queue_next(wl_warp_queue *queue, double *now);

#endif /* WL_REPLAY_WARP_QUEUE_H */
