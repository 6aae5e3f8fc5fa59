/* line_shelf.h - an L1 in a replay of walks: lines, from the most to the least recently used.
 *
 * Lines that are loaded together are one piece, so that a chunk of loop steps is one entry.
 *
 * Layer  count (uses base). Units: lines, cycles.
 * Oracle  tests/unit/test_places.c, by walk_replay.h
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_LINE_SHELF_H
#define WL_COUNT_LINE_SHELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Lines that are loaded together. */
typedef struct wl_shelf_piece {
    uint64_t key;
    uint32_t sectors; /* a bit for each that is present or in flight */
    int32_t lines, newer, older, chained;
    double there; /* when they arrive */
} wl_shelf_piece;

typedef struct wl_shelf {
    wl_shelf_piece *pieces;
    int32_t *buckets, count, newest, oldest, unused;
    uint64_t mask;
    int64_t room, used;
} wl_shelf;

/* False: no memory. */
bool wl_shelf_make(wl_shelf *shelf, int64_t lines, wl_arena *arena);

/* Makes it as empty as it was. */
void wl_shelf_clear(wl_shelf *shelf);

/* The piece with this key, which is then the most recently used. A new one has no sectors; the
 * least recently used ones make room for it. */
wl_shelf_piece *wl_shelf_use(wl_shelf *shelf, uint64_t key, int64_t lines);

#endif /* WL_COUNT_LINE_SHELF_H */
