/* traffic.h - the exact counts behind the measured laws: what warps, blocks and runs of blocks
 * touch.
 *
 * Nothing here depends on a fitted number, so a fit counts each launch once and can apply the laws
 * (laws/traffic_laws.h) repeatedly.
 *
 * Layer  count (uses footprint). Units: sectors, lines, fetch units, bytes; launch totals.
 * Oracle  tests/unit/test_laws_l2.c; footprints: tests/property/prop_footprint.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_TRAFFIC_H
#define WL_COUNT_TRAFFIC_H

#include "count/view.h"
#include "count/warps.h"

/* Windows: runs of blocks in launch order whose data the next run may reuse. A row of blocks, a
 * layer, and the launch; in a one-dimensional grid, runs of doubling length; of threads in tiles, a
 * row of a tile, a tile, a band of them; where threads are enumerated, two waves, and what the
 * second adds to the first is extrapolated to the launch. */
#define WL_WINDOWS_MAX 12

/* Steps: the working set of a block while its loops take 1, 4, 16, .. steps, up to all of them.
 * Data that is reused within a few steps must stay cached only that long. A kernel without loops
 * has one step. */
#define WL_STEPS_MAX 12

/* Steps of a loop that compilers unroll, if it has so many: their loads are issued together, and
 * runs of up to so many steps are also counted per warp. */
#define WL_UNROLLED 16

#define WL_REGISTER_BYTES 4 /* a load of more waits in several */

/* Blocks that load a sector at the same step as one of them, that one included: of the blocks
 * in a row that share a GPC, and of a wave. */
typedef struct wl_readers {
    double near, wave;
    int64_t samples;
} wl_readers;

/* What became of the sectors of one field that miss the L1. */
typedef struct wl_replayed_walk {
    /* share that misses the L1 in a launch that finds its data in the L2, as one of many alike; if
     * that is not replayed, as in the first */
    double missed_again;
    double whole_lines; /* share of a line that a request for it wants */
    /* share of the misses whose line other multiprocessors request from memory within `within`
     * cycles of one another */
    double lockstep, within;
    wl_readers readers;
} wl_replayed_walk;

/* Of a replayed walk: blocks, on how many multiprocessors; the share of their loops' steps. */
typedef struct wl_replay_size {
    int64_t blocks, multiprocessors;
    double steps;
} wl_replay_size;

/* How far replays (replay/replay_traffic.h) went: not at all, of one launch, or of a repeated one,
 * too. A launch that needs none has them all. */
typedef enum wl_replays { WL_REPLAYS_NONE, WL_REPLAYS_FIRST, WL_REPLAYS_ALL } wl_replays;

/* The loads of one field: sectors, lines and units, summed over all warps, blocks or runs. */
typedef struct wl_field_loads {
    double requested;                               /* sectors per load instruction, summed */
    double block_sectors, block_units, block_lines; /* distinct per block */
    double warp_sectors, warp_lines;                /* distinct per warp */
    /* distinct per block and run of steps, summed over runs */
    double step_sectors[WL_STEPS_MAX];
    /* the same per warp; 0: not counted, for long runs */
    double step_warp_sectors[WL_STEPS_MAX];
    double step_runs[WL_STEPS_MAX]; /* runs of a block; all 0: not counted */
    double wave_sectors;            /* distinct in one wave */
    double launch_sectors;          /* distinct in the launch: a lower bound */
    bool far_common;                /* blocks that are not neighbours may load the same data */
    bool random;                    /* most sectors are loaded from unknown addresses, by data */
    /* share of a block's sectors that a neighbour has requested at the same moment */
    double in_step;
    bool copied; /* by bulk copies alone, through a ring: neighbours drift apart with each wave */
} wl_field_loads;

/* The stores and atomics of one field. */
typedef struct wl_field_stores {
    double written, written_lines, written_units; /* per store instruction, summed */
    double written_full, inst;                    /* sectors that one fills; instructions */
    double warp, warp_full;                       /* sectors: distinct per warp, and filled by it */
    double apart;                                 /* share of further stores too late to combine */
    double block, block_full, block_lines;        /* the same per block */
    double sectors, partly;                       /* of the launch: distinct, never filled */
    /* windows after which blocks store to the same sectors again; 0: see the next window */
    double again;
    bool again_assumed;
    double steps; /* of the loops around the stores; 1: no loop */
    /* of the sectors that several blocks fill together: the share that is filled in one step */
    double in_step;
    double atomics;  /* sectors per atomic, summed */
    bool atomic;     /* some stores are atomics, which read what they change */
    bool loaded_too; /* the field is also loaded */
} wl_field_stores;

/* What replays add (replay/replay_traffic.h): estimates, no counts. */
typedef struct wl_field_replay {
    bool replayed;        /* loads were: `missed` is the share of those requested that misses */
    double missed, found; /* found: hits of lines that are not in flight any more */
    /* units per sector that misses; share of these with one sector, alone in its line */
    double units, lone;
    /* loops were replayed: `missed` is as above, before requests merge */
    bool walked;
    wl_replayed_walk walk;
} wl_field_replay;

/* Distinct in one window, of loads and of stores. */
typedef struct wl_field_windows {
    double units[WL_WINDOWS_MAX], lines[WL_WINDOWS_MAX], store_lines[WL_WINDOWS_MAX];
    /* 0: not counted, for instance because blocks fill all sectors they store to */
    double store_sectors[WL_WINDOWS_MAX];
} wl_field_windows;

/* One field; sums over all blocks or warps of the launch. */
typedef struct wl_field_traffic {
    wl_field_loads loads;
    wl_field_stores stores;
    wl_field_replay replay;
    wl_field_windows windows;
    double wave_lines, wave_pages; /* distinct in one wave, loads and stores */
} wl_field_traffic;

typedef struct wl_traffic {
    size_t field_count;
    wl_field_traffic *fields;
    double blocks, wave_blocks, warps, l1_bytes, sms;
    double wavefronts; /* of all loads and stores in the L1 */
    /* for which products compute on the bytes that bulk copies have in flight; 0: there are none;
     * INFINITY: blocks differ in length */
    double ring_cycles;
    double rounds; /* times that a warp executes a store: tiles of a persistent block */
    /* blocks on one multiprocessor: as many as fit, or as the launch has for it */
    double resident;
    double sector, line, unit, fetch, l2_line; /* bytes */
    /* share of a block's sectors that other blocks on its multiprocessor also load: fields with
     * far_common */
    double common;
    int step_count;
    /* the results of four steps do not fit into the registers of a thread: it waits in each step */
    bool waits_each_step;
    /* of all loads of one block in one run of steps: its working set */
    double step_lines[WL_STEPS_MAX];
    /* the same in sectors, without fields that another nest of loops accesses */
    double step_distinct[WL_STEPS_MAX];
    double step_share[WL_STEPS_MAX]; /* share of all steps that a run has */
    int window_count;
    int window_direction[WL_WINDOWS_MAX]; /* dimension in which the next window lies */
    double window_blocks[WL_WINDOWS_MAX];
    double window_repeats[WL_WINDOWS_MAX]; /* windows in the launch */
    /* blocks of the smallest sample behind the loads; 0: no sample */
    int64_t sampled;
    bool windows_known, partly_unknown;
    wl_replays replays;
    wl_replay_size replay_size;
    double evaluated; /* addresses without a closed form that were evaluated one by one */
    /* waves differ: so many were enumerated; relative standard error */
    double waves_sampled, waves_error;
    /* of the loads, in bytes: decides whether a repeated launch finds them in the L2 */
    double footprint;
    bool any_room; /* as in the input */
    /* The same with only the loads that use the L1, before replays: what the laws of the L1 read.
     * NULL: all loads do. Windows, waves and stores are those of the whole launch. */
    struct wl_traffic *of_l1;
} wl_traffic;

/* The input of the counts and of the estimators (laws/volumes.h). */
typedef struct wl_traffic_input {
    const wl_view *view;
    const wl_geometry *geometry;
    const wl_device *device;
    const wl_access_cost *costs; /* per access, of the same launch */
    int64_t page_bytes;
    /* For a schedule of threads: the kernel as a function of cells, in closed form. NULL: no such
     * schedule, or no closed form. */
    const wl_view *cells;
    /* The counts must hold for every `l2_reuse_room`: what a repeated launch misses is replayed in
     * any case, not only if this device's L2 keeps some of its data. */
    bool any_room;
    bool unreplayed; /* estimators leave out replays of their own */
} wl_traffic_input;

/* The share of a footprint that `room` bytes of a cache still hold when the same launch repeats,
 * and whether that is enough to change what it misses. */
double wl_data_remains(double footprint, double room, double steepness);
bool wl_data_stays(double footprint, double room, double steepness);

/* windows_known is false where counting would take too long. */
wl_status wl_traffic_count(const wl_traffic_input *input, wl_counter *counter, wl_arena *arena, wl_traffic *out,
                           wl_error *err);

/* Copies counts together with their fields, which lie in `room`: so many bytes for so many fields.
 * `of_l1`: some load leaves the L1 alone. */
size_t wl_traffic_room(size_t fields, bool of_l1);
void wl_traffic_copy(const wl_traffic *from, void *room, wl_traffic *to);

#endif /* WL_COUNT_TRAFFIC_H */
