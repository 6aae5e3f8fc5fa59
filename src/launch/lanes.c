/* lanes.c - see lanes.h. SPDX-License-Identifier: MIT */
#include "launch/lanes.h"

#include "base/ckd.h"
#include "schedule/walk.h"

static void next_index(const wl_geometry *g, int64_t index[3])
{
    for (int d = 0; d < 3; d++) {
        if (++index[d] < g->block[d] || d == 2)
            return;
        index[d] = 0;
    }
}

static void set_lane(const int64_t cell[3], const int64_t index[3], int n, wl_lane_values *values)
{
    for (int d = 0; d < 3; d++) {
        values->at[WL_VAR_X + d][n] = cell[d];
        values->at[WL_VAR_THREAD_X + d][n] = index[d];
    }
}

/* What all lanes have in common, row by row. */
static int set_block(const wl_geometry *g, const wl_warp_id *warp, int lanes, wl_lane_values *values)
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < lanes; i++) {
            values->at[WL_VAR_BLOCK_X + d][i] = warp->block[d];
            values->at[WL_VAR_BLOCKDIM_X + d][i] = g->block[d];
            values->at[WL_VAR_GRIDDIM_X + d][i] = g->grid_dim[d];
        }
    values->lanes = lanes;
    return lanes;
}

/* Threads that are ordered: a block is a row of them, each has one cell. */
static int fill_ordered(const wl_geometry *g, const wl_warp_id *warp, int warp_size, wl_lane_values *values,
                        uint8_t lane[WL_LANES_MAX])
{
    int64_t at[3][WL_LANES_MAX];
    int n = 0;
    const int64_t start = warp->block[0] * g->threads + warp->first_thread;
    const int64_t threads = wl_min(warp_size, g->threads - warp->first_thread);
    const int64_t count = wl_max(wl_min(threads, g->positions - start), 0);
    wl_walk walk;
    wl_walk_start(&walk, &g->order, count ? start : 0, count);
    (void)wl_walk_fill(&walk, count, at[0], at[1], at[2]);
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell[3] = {at[0][i], at[1][i], at[2][i]}, index[3] = {warp->first_thread + i, 0, 0};
        if (cell[0] < g->first[0] || cell[1] < g->first[1] || cell[2] < g->first[2])
            continue;
        set_lane(cell, index, n, values);
        lane[n++] = (uint8_t)i;
    }
    return set_block(g, warp, n, values);
}

int wl_lanes_fill(const wl_geometry *g, const wl_warp_id *warp, int warp_size, const int64_t fold[3],
                  wl_lane_values *values, uint8_t lane[WL_LANES_MAX])
{
    if (wl_threads_are_ordered(g))
        return fill_ordered(g, warp, warp_size, values, lane);
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
        set_lane(cell, index, n, values);
        lane[n++] = (uint8_t)(thread - warp->first_thread);
    }
    return set_block(g, warp, n, values);
}
