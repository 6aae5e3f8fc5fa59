/* traffic.h - the exact counts behind the measured laws: what warps, blocks and runs of blocks touch.
 *
 * Nothing here depends on a fitted number, so a fit counts once and applies the laws (laws/traffic_laws.h) as often
 * as it likes.
 *
 * Layer  count (uses footprint). SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_TRAFFIC_H
#define WL_COUNT_TRAFFIC_H

#include "count/view.h"
#include "count/warps.h"

/* Windows: runs of blocks in launch order whose data the next run may find again. A row of blocks, a layer, and the
 * launch; where the grid has one dimension, runs of doubling length; where threads have to be evaluated one by one, two
 * waves, and what the second adds to the first stands for the rest of the launch. */
#define WL_WINDOWS_MAX 12

/* Steps: how much a block touches while its loops take 1, 4, 16, .. steps, up to all of them. What is read again within
 * a few steps needs room for those few only. A kernel without loops has one. */
#define WL_STEPS_MAX 12

/* Of one field; sums over all blocks or warps of the launch. */
typedef struct wl_field_traffic {
    double requested;                               /* sectors, by load instruction                  */
    double block_sectors, block_units, block_lines; /* distinct in each block, loads                 */
    double warp_sectors, warp_lines;                /* distinct in each warp, loads                  */
    double step_sectors[WL_STEPS_MAX];              /* distinct in each block and run of steps, summed over the runs */
    double step_warp_sectors[WL_STEPS_MAX]; /* the same in each warp; 0: not counted, for runs that are not short */
    double wave_sectors;                    /* distinct in one wave, loads                   */
    double wave_lines, wave_pages;          /* the same, loads and stores                    */
    double written, written_lines, written_units; /* by store instruction                          */
    double written_full, store_inst;              /* sectors one instruction fills; instructions   */
    double store_warp, store_warp_full;           /* sectors: distinct in each warp, and filled    */
    double store_block, store_block_full;         /* the same in each block                        */
    double store_block_lines;
    double stored, stored_partly; /* sectors of the launch: distinct, never filled */
    bool atomic;                  /* stores are atomics, some of them: they read what they change */
    bool loaded_too, random;      /* random: some load goes where nobody knows */
    double window_units[WL_WINDOWS_MAX], window_lines[WL_WINDOWS_MAX], window_store_lines[WL_WINDOWS_MAX];
} wl_field_traffic;

typedef struct wl_traffic {
    size_t field_count;
    wl_field_traffic *fields;
    double blocks, wave_blocks, warps, blocks_per_sm, l1_bytes, sms;
    double sector, line, unit, fetch, l2_line; /* bytes */
    double common; /* share of a block's sectors that the other blocks of its multiprocessor load, too */
    int step_count;
    double step_lines[WL_STEPS_MAX]; /* of all loads of one block in one run of steps */
    int window_count;
    int window_direction[WL_WINDOWS_MAX]; /* in which dimension the next window lies */
    double window_blocks[WL_WINDOWS_MAX];
    double window_repeats[WL_WINDOWS_MAX]; /* windows in the launch */
    bool sampled, windows_known, partly_unknown;
} wl_traffic;

/* Whose volumes: counts start from it, and so do the estimators (laws/volumes.h). */
typedef struct wl_traffic_input {
    const wl_view *view;
    const wl_geometry *geometry;
    const wl_device *device;
    const wl_access_cost *costs; /* per access, of the same launch */
    int64_t page_bytes;
    int64_t own_steps; /* longest run of loop steps that is counted warp by warp, too */
} wl_traffic_input;

/* Counts; windows_known is false where that would take too long. */
wl_status wl_traffic_count(const wl_traffic_input *input, wl_counter *counter, wl_arena *arena, wl_traffic *out,
                           wl_error *err);

#endif /* WL_COUNT_TRAFFIC_H */
