/* volumes.h - estimators of the data volumes between L1, L2 and DRAM.
 *
 * There are three estimators; the output names the one used.
 *
 *   reuse-sets     (reuse_sets.c; Ernst et al. 2022, sections 4.3-4.5), for every device. Counts
 *                  one wave in the middle of the launch, the blocks one row and one layer of blocks
 *                  before it, and both together. Fitted curves of the device say how much of the
 *                  overlap still is in the L2.
 *   l2-partitions  (traffic_laws.c), for devices that have the numbers of the measured laws: all
 *                  built-in ones. Where its counts are too expensive, reuse-sets gives the L2 side.
 *   simulated      (simulated_volumes.c), if asked for: replaces what caches decide by what
 *                  simulated ones do.
 *
 * Layer  laws (uses count, device). Units: bytes per launch.
 * Maths  docs/model.md. Oracle: tests/unit/test_laws.c, test_laws_l2.c, test_paper.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_VOLUMES_H
#define WL_LAWS_VOLUMES_H

#include "count/traffic.h"
#include "warpline/predict.h"

typedef enum wl_volume_estimator {
    WL_VOLUMES_REUSE_SETS,
    WL_VOLUMES_L2_PARTITIONS,
    WL_VOLUMES_SIMULATED
} wl_volume_estimator;

/* Launch totals in bytes, of one field or of all. */
typedef struct wl_volume {
    double l2_compulsory, l2_capacity, l2_store;
    /* loops of its blocks were replayed (replay/walk_replay.h), also for a launch that finds its
     * data in the L2: what that loads beyond these bytes; negative: less */
    bool walked;
    double l2_again;
    /* requests past the L1 that join those of other warps: not read from the L2 once more, but
     * waited for */
    double l2_joined;
    bool replayed; /* its L2 loads come from a replay, of loops or of single loads: an estimate */
    double dram_compulsory, dram_reuse[3], dram_capacity, dram_partial, dram_store;
} wl_volume;

/* All that is loaded from DRAM. */
double wl_volume_dram_loads(const wl_volume *volume);

/* How the volumes are requested: what a time model needs besides bytes. Launch totals. */
typedef struct wl_requests {
    double read_units, written_units; /* units in which the L2 serves requests */
    /* of the read ones, those of scattered sectors, alone in their lines */
    double lone_units;
    /* bytes of one line that a block loads, on average; without random loads */
    double chunk;
    double pieces;        /* partial writes, weighted by their cost */
    double random;        /* random fetches from DRAM */
    double lone_pieces;   /* of the partial writes, those alone in their line */
    double changed_lines; /* lines that are loaded and stored in place */
    double shared_lines;  /* of these, lines that several requests modify in part */
    /* bytes stored that stay in the L2; a later launch has them written */
    double left;
    /* of the sectors that a warp loads: those that others of its block load at other steps */
    double shared_later;
    double group;       /* warps of a block that load the same at the same step */
    double cleaned;     /* sectors read and written before they were complete */
    double write_chunk; /* bytes of one line that a store fills, on average */
} wl_requests;

/* What was simulated. */
typedef struct wl_simulation {
    bool used;
    bool dram; /* volumes of DRAM are simulated, too, else they come from this estimator: */
    wl_volume_estimator dram_estimator;
    int64_t blocks, simulated_blocks, sms, simulated_sms;
    int64_t waves; /* of the simulated blocks */
    double addresses;
    size_t by_laws; /* fields whose volumes are not simulated: atomics */
} wl_simulation;

typedef struct wl_volumes {
    wl_volume *fields; /* one per field */
    wl_volume local;   /* of local memory: see local_volumes.h */
    wl_volume total;   /* of fields and local memory */
    bool known;        /* false: too much to enumerate; only the L1 side is known */
    /* where not: bytes loaded from and stored to DRAM at least (least_volumes.h) */
    double least[2];
    bool has_distinct;
    /* bytes of the elements loaded, and stored, each once; for the model simple */
    double distinct[2];
    /* blocks of the smallest sample behind the L2 loads; 0: no sample */
    int64_t sampled;
    wl_replay_size replay_size; /* of walks */
    bool unreplayed;            /* a replay was left out, as the input asked */
    bool partial_unknown;       /* it is unknown which sectors are only partially written */
    double l1_alloc_bytes, l1_oversubscription, l1_miss_rate;
    double l2_alloc_bytes, waves;
    double footprint; /* bytes of all fields that the launch touches, about */
    bool cold;        /* no earlier launch has left any of them in a cache */
    /* of the loads from DRAM, bytes that hit a memory-side cache; 0: none */
    double cached;
    wl_reuse reuse[3];
    double pages;
    bool requests_known;
    wl_requests requests;
    wl_volume_estimator estimator; /* of the L2 side */
    wl_simulation simulation;
} wl_volumes;

struct wl_laws;

/* Fills *out: by the measured laws if `traffic` is given, or by the curves. */
wl_status wl_volumes_estimate(const wl_traffic_input *input, const wl_traffic *traffic, const struct wl_laws *laws,
                              wl_counter *counter, wl_arena *scratch, wl_volumes *out, wl_error *err);

/* The total of the volumes of `count` fields, without local memory. */
void wl_volumes_add_up(size_t count, wl_volumes *out);

/* By the laws alone; `fields` has one entry per field. The L2 side is known if the traffic's
 * windows are. */
void wl_volumes_by_laws(const wl_traffic *traffic, const struct wl_laws *laws, wl_volume *fields, wl_volumes *out);

/* The estimator "reuse-sets": its L1 side, and its L2 side, which needs an L1 side. */
wl_status wl_reuse_sets_l1(const wl_traffic_input *input, wl_counter *counter, wl_volumes *out, wl_error *err);
wl_status wl_reuse_sets_l2(const wl_traffic_input *input, wl_counter *counter, wl_volumes *out, wl_error *err);

#endif /* WL_LAWS_VOLUMES_H */
