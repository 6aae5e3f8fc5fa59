/* lanes.c - see lanes.h. SPDX-License-Identifier: MIT */
#include "launch/lanes.h"

#include "base/ckd.h"

static void next_index(const wl_geometry *g, int64_t index[3])
{
    for (int d = 0; d < 3; d++) {
        if (++index[d] < g->block[d] || d == 2)
            return;
        index[d] = 0;
    }
}

int wl_lanes_fill(const wl_geometry *g, const wl_warp_id *warp, int warp_size, const int64_t fold[3],
                  wl_lane_values *values, uint8_t lane[WL_LANES_MAX])
{
    int n = 0;
    const int64_t last = wl_min(warp->first_thread + warp_size, g->threads);
    int64_t index[3], cell[3];
    wl_thread_index(g, warp->first_thread, index);
    for (int64_t thread = warp->first_thread; thread < last; thread++, next_index(g, index)) {
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            const int64_t lowest = (warp->block[d] * g->block[d] + index[d]) * g->fold[d];
            cell[d] = fold[d] == WL_FOLD_ANY ? wl_max(lowest, wl_min(g->first[d], lowest + g->fold[d] - 1))
                                             : lowest + fold[d];
            inside = inside && cell[d] >= g->first[d] && cell[d] < g->cells[d];
        }
        if (!inside)
            continue;
        for (int d = 0; d < 3; d++) {
            values->at[WL_VAR_X + d][n] = cell[d];
            values->at[WL_VAR_THREAD_X + d][n] = index[d];
            values->at[WL_VAR_BLOCK_X + d][n] = warp->block[d];
            values->at[WL_VAR_BLOCKDIM_X + d][n] = g->block[d];
            values->at[WL_VAR_GRIDDIM_X + d][n] = g->grid_dim[d];
        }
        lane[n++] = (uint8_t)(thread - warp->first_thread);
    }
    values->lanes = n;
    return n;
}
