/* axes.h - what an address or a condition can depend on.
 *
 * A dimension counts cells, or, if the kernel treats threadIdx and blockIdx differently, blocks,
 * threads of a block and folded cells of a thread.
 *
 * Layer  footprint (uses launch).
 * SPDX-License-Identifier: MIT */
#ifndef WL_FOOTPRINT_AXES_H
#define WL_FOOTPRINT_AXES_H

#include "launch/geometry.h"

typedef enum wl_axis {
    WL_AXIS_CELL, /* + dimension */
    WL_AXIS_BLOCK = WL_AXIS_CELL + 3,
    WL_AXIS_THREAD = WL_AXIS_BLOCK + 3,
    WL_AXIS_FOLD = WL_AXIS_THREAD + 3,
    WL_AXIS_LOOP = WL_AXIS_FOLD + 3,
    WL_AXIS_COUNT = WL_AXIS_LOOP + WL_LOOPS_MAX
} wl_axis;

/* Coordinates with lo <= coordinate < hi on every axis. */
typedef struct wl_axis_box {
    int64_t lo[WL_AXIS_COUNT], hi[WL_AXIS_COUNT];
} wl_axis_box;

#define WL_MOST_CELLS_PER_BLOCK ((int64_t)4096 * 64) /* largest block times largest fold */

/* threadIdx + blockIdx * blockDim is the cell, where one thread computes one cell. */
void wl_join_thread_and_block(wl_form *form, const wl_geometry *geometry);

#endif /* WL_FOOTPRINT_AXES_H */
