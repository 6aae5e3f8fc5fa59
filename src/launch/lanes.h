/* lanes.h - coordinates of the lanes of a warp.
 *
 * Layer  launch (uses base, kernel).
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_LANES_H
#define WL_LAUNCH_LANES_H

#include "launch/geometry.h"

/* One warp of one block. Threads are numbered x fastest. */
typedef struct wl_warp_id {
    int64_t block[3];
    int64_t first_thread;
} wl_warp_id;

/* threadIdx of thread number `thread` of a block. */
static inline void wl_thread_index(const wl_geometry *g, int64_t thread, int64_t index[3])
{
    const int64_t row = wl_divide(thread, g->block[0]);
    index[0] = thread - row * g->block[0];
    index[2] = wl_divide(row, g->block[1]);
    index[1] = row - index[2] * g->block[1];
}

/* Bounding box of threads first .. last of a block, both ends included. */
static inline void wl_thread_box(const wl_geometry *g, int64_t first, int64_t last, int64_t lo[3], int64_t hi[3])
{
    wl_thread_index(g, first, lo);
    wl_thread_index(g, last, hi);
    for (int d = 1; d >= 0; d--)
        if (hi[d + 1] > lo[d + 1]) {
            lo[d] = 0;
            hi[d] = g->block[d] - 1;
        }
    if (hi[2] > lo[2]) {
        lo[0] = 0;
        hi[0] = g->block[0] - 1;
    }
}

/* Fills the coordinates of the lanes whose folded cell `fold` lies inside the domain, packed; loop
 * variables are left alone. lane[i] is the lane of entry i. Returns how many there are. WL_FOLD_ANY
 * means the first folded cell inside the domain, which may differ from lane to lane. */
#define WL_FOLD_ANY (-1)
int wl_lanes_fill(const wl_geometry *geometry, const wl_warp_id *warp, int warp_size, const int64_t fold[3],
                  wl_lane_values *values, uint8_t lane[WL_LANES_MAX]);

/* The folded cells lo <= fold < hi to evaluate for an access that depends on `vars`: an address
 * that does not name the cell is shared by a thread's folded cells, unless each is guarded. */
static inline void wl_folds_named(const wl_geometry *g, uint32_t vars, bool guarded, int64_t lo[3], int64_t hi[3])
{
    for (int d = 0; d < 3; d++) {
        const bool named = guarded || vars & (1u << (WL_VAR_X + d));
        lo[d] = named ? 0 : WL_FOLD_ANY;
        hi[d] = named ? g->fold[d] : WL_FOLD_ANY + 1;
    }
}

#endif /* WL_LAUNCH_LANES_H */
