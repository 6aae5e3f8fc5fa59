/* remapping.c - see remapping.h. SPDX-License-Identifier: MIT */
#include "count/remapping.h"

/* Besides the divisions, the machine code of nvcc 13 for sm_90 has these instructions: for sums,
 * products and the narrower last column. */
#define ZIGZAG_TURNS 6 /* to test whether the row runs backwards */
#define TILE_BANDS 7   /* which band, and how high it is */
#define SWIZZLE_GRID 8 /* the number of the block, from the grid */

/* The curves descend a level at a time; a warp visits as many quadrants as its lanes need. Emulated
 * for squares of 256 to 4096 cells. */
#define MORTON_START 36
#define MORTON_LEVEL 33
#define HILBERT_START 72
#define HILBERT_LEVEL 54

static int levels_of(const wl_kernel *k)
{
    int levels = 0;
    const int64_t rows = k->domain[1] * k->domain[2];
    while (((int64_t)1 << levels) < k->domain[0] || ((int64_t)1 << levels) < rows)
        levels++;
    return levels;
}

bool wl_remapping_is_idle(const wl_kernel *k, const wl_geometry *g)
{
    const bool blocks = g->schedule.kind == WL_SCHEDULE_SWIZZLE;
    return g->schedule.kind != WL_SCHEDULE_LINEAR &&
           wl_schedule_is_linear(&g->schedule, blocks ? g->grid_dim : k->domain);
}

double wl_remapping_instructions(const wl_kernel *k, const wl_geometry *g, double division)
{
    const double unfold = k->dims > 2 ? division : 0; /* y and z from the row */
    if (g->schedule.kind == WL_SCHEDULE_SWIZZLE)
        return 2 * division + SWIZZLE_GRID;
    if (wl_remapping_is_idle(k, g))
        return k->dims > 1 ? division + unfold : 0;
    switch (g->schedule.kind) {
    case WL_SCHEDULE_COLUMN: return 2 * division + unfold;
    case WL_SCHEDULE_ZIGZAG: return 2 * division + ZIGZAG_TURNS + unfold;
    case WL_SCHEDULE_TILE: return 3 * division + TILE_BANDS + unfold;
    case WL_SCHEDULE_HILBERT: return HILBERT_START + HILBERT_LEVEL * levels_of(k) + unfold;
    case WL_SCHEDULE_MORTON: return MORTON_START + MORTON_LEVEL * levels_of(k) + unfold;
    default: return 0;
    }
}

void wl_remapping_add(const wl_geometry *launched, int warp_size, double instructions, wl_executed *out)
{
    wl_census census;
    if (!out->known || instructions == 0)
        return;
    wl_census_take(launched, warp_size, &census);
    out->warp += instructions * census.warps;
    out->thread += instructions * census.threads;
    if (!out->by_class)
        return;
    out->mix.warp[WL_INST_int] += instructions * census.warps;
    out->mix.thread[WL_INST_int] += instructions * census.threads;
    out->mix.thread_on += instructions * census.threads;
}
