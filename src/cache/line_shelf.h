/* line_shelf.h - the L1 of a replay: a fully associative cache that remembers when lines came.
 *
 * The simulator (cache.h) knows only what is present. A replay also asks when a line arrives, and
 * what was fetched with it: lines that are on their way hit neither nor miss. Lines that are loaded
 * together are one piece, so that a chunk of loop steps is one entry.
 *
 * Policies: the least recently used pieces make room; or the older of two random ones does, which
 * is between that and a random line. The second has pieces of one line.
 *
 * Layer  cache (uses base, expr). Units: lines; times are the caller's.
 * Oracle  tests/unit/test_line_shelf.c, a linear search of timestamps
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_LINE_SHELF_H
#define WL_CACHE_LINE_SHELF_H

#include "cache/cache_lines.h"

typedef enum wl_shelf_policy { WL_SHELF_LRU, WL_SHELF_OLDER_OF_TWO } wl_shelf_policy;

/* Lines that are loaded together. */
typedef struct wl_shelf_piece {
    double there;     /* when they arrive, or were fetched: the caller's */
    uint32_t sectors; /* a bit for each that is present or in flight: the caller's */
    uint32_t fresh;   /* fetched last: the caller's */
    int64_t lines;
    uint64_t when; /* time of the last use, in uses */
} wl_shelf_piece;

typedef struct wl_shelf {
    wl_shelf_policy policy;
    wl_lines lines;         /* one for each piece */
    wl_shelf_piece *pieces; /* by place */
    int32_t *places;        /* older of two: of all pieces */
    int32_t count;          /* of these */
    uint64_t now;
    int64_t room, used; /* lines */
} wl_shelf;

/* False: no memory. */
bool wl_shelf_make(wl_shelf *shelf, int64_t lines, wl_shelf_policy policy, wl_arena *arena);

/* Makes it empty, with room for so many lines, at most those it was made for. */
void wl_shelf_clear(wl_shelf *shelf, int64_t lines);

/* The piece with this name, which is then the most recently used. A new one has no sectors, and was
 * never fetched (0); others make room for it. */
wl_shelf_piece *wl_shelf_use(wl_shelf *shelf, uint64_t name, int64_t lines);

/* Looks, but does not use it; NULL: it is not there. */
const wl_shelf_piece *wl_shelf_find(const wl_shelf *shelf, uint64_t name);

#endif /* WL_CACHE_LINE_SHELF_H */
