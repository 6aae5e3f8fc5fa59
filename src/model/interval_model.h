/* interval_model.h - shared by the interval models: how warps take turns, and the components of
 * contention.
 *
 * A representative warp issues, then stalls (timeline/life_interval.h). Other warps issue in the
 * meantime; instructions that they issue after its stall, when it could continue, are not
 * overlapped (GPUMech: Huang et al. 2014). That gives the cycles C_i of an interval without
 * contention. The models differ in what they add for the L1's miss registers (MSHRs), the network
 * (NoC) and DRAM: one small file each.
 *
 *   gpumech       DRAM as a queue M/D/1; mean wait for a miss register at the latency without
 *                 contention
 *   gpumech_plus  a request waits for half of the others in both queues; registers at that latency
 *   mdm_queue     where the registers run out, a request waits for all of the others
 *   mdm_mshr      where the registers run out, requests go in batches
 *   mdm           both (Wang et al. 2019, equations 1 to 8)
 *
 * Layer  model (uses timeline). Units: cycles; requests are sectors of the L1.
 * Maths  docs/model.md, "Interval models". Oracle: tests/unit/test_interval_model.c, and an event
 *        simulator: tests/simulator
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_INTERVAL_MODEL_H
#define WL_MODEL_INTERVAL_MODEL_H

#include <stdbool.h>

#include "model/stack.h"
#include "timeline/life_interval.h"

/* As scheduler_policy of a device states it. */
typedef enum wl_warp_order { WL_ORDER_ROUND_ROBIN = 1, WL_ORDER_GREEDY = 2 } wl_warp_order;

/* Numbers of the device. */
typedef struct wl_interval_machine {
    double sms;       /* multiprocessors */
    double pools;     /* sub-cores: schedulers, each with its own warps */
    double issue;     /* warp instructions per cycle and pool */
    double mshrs;     /* miss registers of an L1 */
    double clock;     /* Hz */
    double request;   /* bytes */
    double noc, dram; /* bytes per second */
    /* cycles of an L1 miss; additional cycles if it also misses the L2 */
    double l2_latency, dram_latency;
    double launch; /* seconds */
    wl_warp_order order;
} wl_interval_machine;

/* The launch: `blocks` alike, at most `resident` of them on one multiprocessor. */
typedef struct wl_interval_launch {
    double blocks, resident, warps_per_block;
} wl_interval_launch;

/* What all warps of a multiprocessor request in one interval, and how long one request takes. */
typedef struct wl_contention {
    double reads; /* of all its warps: they need a miss register each */
    double mshrs; /* registers */
    /* requests of all multiprocessors in flight together: SMs M of equation 4 */
    double flying;
    double noc_service;  /* cycles the network, or DRAM, is busy with one request, */
    double dram_service; /* the second times the share that misses the L2 */
    double dram_one;     /* the same of one that does */
    double latency;      /* cycles of a miss without contention (equation 6) */
    double alone;        /* cycles of the interval without other warps */
} wl_contention;

/* Cycles that contention adds to an interval. */
typedef struct wl_contended {
    double mshr, noc, dram;
} wl_contended;

typedef wl_contended wl_contention_model(const wl_contention *);
wl_contention_model wl_gpumech, wl_gpumech_plus, wl_mdm_queue, wl_mdm_mshr, wl_mdm;

/* ---- what they are made of ---- */

/* More reads than registers: a memory-divergent interval. */
bool wl_divergent(const wl_contention *c);
/* Batches in which the reads go: ceil(reads / mshrs), at least 1. */
double wl_batches(const wl_contention *c);
/* The mean number of batches before that of a request: (1/q) sum of ceil(j / mshrs) for j = 1 .. q,
 * less 1. */
double wl_mean_wait(const wl_contention *c);
/* Both queues: each request waits for half of those in flight, or for all of them. */
wl_contended wl_half_queues(const wl_contention *c);
wl_contended wl_saturated_queues(const wl_contention *c);

/* Sums over a life, which tell how often its warp could issue. */
typedef struct wl_life_sums {
    double passes, instructions, stall; /* of all intervals, times their executions */
    double reads, misses;
} wl_life_sums;
wl_life_sums wl_life_add_up(const wl_life_profile *life);

/* Instructions that the `warps` - 1 other warps of a pool issue when this interval could already
 * continue. */
double wl_not_overlapped(const wl_life_interval *interval, const wl_life_sums *life, double warps,
                         const wl_interval_machine *machine);

/* Cycles of a pool of `warps` without contention: C_i of all intervals, never less than they take
 * to issue. */
double wl_pool_cycles(const wl_life_profile *life, const wl_life_sums *sums, double warps,
                      const wl_interval_machine *machine);

/* ---- one round of resident warps, and a launch ---- */

typedef struct wl_round {
    double warps; /* on one multiprocessor */
    double sms;   /* that are as busy */
} wl_round;

/* Adds `weight` times the cycles until the warps have ended to cycles, by part, and those of each
 * interval to rows, if not NULL. */
void wl_interval_round(wl_contention_model *model, const wl_life_profile *life, const wl_interval_machine *machine,
                       const wl_round *round, double weight, double cycles[WL_STACK_PART_COUNT], wl_stack_row *rows);

/* `lives` are the kinds of warps of the launch; rows, if not NULL, has room for every interval of
 * every life. */
void wl_interval_stack(wl_contention_model *model, const wl_life_profile *lives, size_t count,
                       const wl_interval_machine *machine, const wl_interval_launch *launch, wl_stack *out,
                       wl_stack_row *rows);

#endif /* WL_MODEL_INTERVAL_MODEL_H */
