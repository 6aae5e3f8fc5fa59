/* schedule.h - the order in which the threads of a launch, or its blocks, visit the domain
 * (docs/schedule.md).
 * SPDX-License-Identifier: MIT */
#ifndef WL_SCHEDULE_H
#define WL_SCHEDULE_H

#include <stdbool.h>

#include "warpline/status.h"

typedef enum wl_schedule_kind {
    /* row by row */
    WL_SCHEDULE_LINEAR,
    /* columns `width` cells wide, each row by row; the last one is narrower */
    WL_SCHEDULE_COLUMN,
    /* the same, every other row backwards */
    WL_SCHEDULE_ZIGZAG,
    /* tiles of `width` x `height` cells, row by row; those at the edges are smaller */
    WL_SCHEDULE_TILE,
    /* along Hilbert's curve, without the cells outside the domain */
    WL_SCHEDULE_HILBERT,
    /* the same along Morton's */
    WL_SCHEDULE_MORTON,
    /* blocks: `width` rows of the grid are walked together, column by column */
    WL_SCHEDULE_SWIZZLE,
    WL_SCHEDULE_KIND_COUNT
} wl_schedule_kind;

typedef struct wl_schedule { /* all-zero is linear */
    wl_schedule_kind kind;
    int64_t width, height;
} wl_schedule;

/* "linear", "column:32", "zigzag:32", "tile:32x8", "hilbert", "morton", "swizzle:8". WL_E_INPUT:
 * anything else. */
WL_FALLIBLE wl_schedule_parse(const char *text, wl_schedule *out, wl_error *err);
#define WL_SCHEDULE_TEXT_MAX 64
WL_API void wl_schedule_print(const wl_schedule *schedule, char text[WL_SCHEDULE_TEXT_MAX]);

/* Does it order blocks, so that extents are those of the grid? The others order threads. */
WL_API bool wl_schedule_orders_blocks(const wl_schedule *schedule);
/* Does it visit a domain of these extents (0 counts as 1) as linear does? */
WL_API bool wl_schedule_is_linear(const wl_schedule *schedule, const int64_t extent[3]);
/* The cells at `count` consecutive positions, and the position of a cell. WL_E_INPUT: outside the
 * domain, or no such schedule; WL_E_RANGE: more than 2^60 cells. */
WL_FALLIBLE wl_schedule_cells(const wl_schedule *schedule, const int64_t extent[3], int64_t first, int64_t count,
                              int64_t (*cells)[3], wl_error *err);
WL_FALLIBLE wl_schedule_position(const wl_schedule *schedule, const int64_t extent[3], const int64_t cell[3],
                                 int64_t *position, wl_error *err);

#endif /* WL_SCHEDULE_H */
