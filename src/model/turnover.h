/* turnover.h - the model "turnover": latency hiding by resident blocks that take turns.
 *
 * A block occupies the busiest unit of its multiprocessor for its own work, and it waits: for its
 * start, and as long as the life of its longest warp. Other resident blocks hide that
 * wait with their own work. The resulting time, that of the L2 and that of DRAM are combined by a
 * norm. The block launch rate bounds it from below, and heavy last blocks add a tail effect. Blocks
 * that do unequal work are of several kinds: turnover_kinds.c computes how long a block of each
 * kind works and waits, filling.h how they fill the GPU.
 *
 * Layer  model. Units: cycles, seconds.
 * Maths docs/model.md, "Time: model turnover". Oracle: tests/unit/test_turnover.c,
 * test_turnover_lives.c, test_turnover_waits.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_TURNOVER_H
#define WL_MODEL_TURNOVER_H

#include "count/atomics.h"
#include "kernel/counted_mix.h"
#include "laws/thread.h"
#include "laws/volumes.h"
#include "metrics/prediction.h"
#include "model/stack.h"
#include "timeline/waiting.h"
#include "warpline/device.h"
#include "warpline/predict.h"

/* What the units of the multiprocessors have to do. Cycles are those of one multiprocessor that
 * does all of it; instructions are those of warps. */
typedef struct wl_sm_work {
    double l1_wavefronts, tag_wavefronts;
    double global_inst; /* loads and stores of 64-bit addresses */
    double instructions, integer_inst;
    double multiplies, wide_multiplies; /* of addresses */
    double results;                     /* floating-point ones */
    double fp_cycles, integer_cycles, tensor_cycles;
    double group_cycles;    /* of these, products of warp groups, */
    double turn_cycles;     /* and with the arithmetic that takes turns with them */
    double special_cycles;  /* special functions of an update: model limiter */
    double remote_cycles;   /* of shared memory of other blocks */
    double constant_cycles; /* of the cache of constants */
    double port_cycles;     /* of the way to the L2 */
    double tensor_load;     /* tensor cores at their full rate: see tensor_clock.h */
} wl_sm_work;

/* What is not the same for all blocks. */
typedef struct wl_uneven_work {
    const wl_kinds *kinds;   /* NULL or none: all are about alike */
    wl_longest_warp longest; /* 0: like the others */
    double last_block;       /* wavefronts of the heaviest of the last blocks; 0: like the others */
    bool in_turns;           /* blocks draw their work: they end together */
    /* blocks that take the same lock, by one atomic; another one releases it */
    double lock_takers;
    bool chained;   /* each block waits for what the one before it tells it; */
    double at_once; /* for the parts of so many, which they tell first; 0: for the whole */
} wl_uneven_work;

/* Between the L2 and memory, in bytes. */
typedef struct wl_dram_work {
    double read, written;
    /* the part of `read` that hits the memory-side cache, loaded earlier in the launch */
    double cached;
} wl_dram_work;

/* What a launch asks of the device, as the stages before count it: launch totals unless noted. */
typedef struct wl_demand {
    double warps; /* with work */
    double blocks, blocks_per_sm;
    double block_warps; /* of a block, with work or without; 0: not known */
    wl_sm_work sm;
    wl_requests requests; /* between L1 and L2, and how lines are used */
    double l2_loaded;     /* bytes */
    /* what a launch that finds its data in the L2 loads beyond these bytes; negative: less */
    double l2_again;
    double l1_hits, l2_hits; /* shares of loads; of those that miss the L1 */
    wl_dram_work dram;
    double footprint; /* bytes that it touches, loads and stores */
    bool cold;        /* no earlier launch has left any of them in a cache */
    wl_atomics atomics;
    wl_thread thread; /* fresh loads: also those that miss the L2 for lack of room */
    double barriers;  /* of one thread */
    /* shares of stores to lines of which several requests change parts: see delayed() */
    double in_place[2];
    wl_uneven_work uneven;
    /* of a block, from the lives of its warps; NULL or not `known`: it is assumed */
    const wl_waiting *waiting;
    /* of a block whose warp leads others through the same data; NULL or not `known`: unknown */
    const wl_waiting *leading;
} wl_demand;

/* The device's numbers, by what they belong to. */
typedef struct wl_turnover {
    double sms, clock, norm;
    struct {
        double wavefront_rate, line, fill_width;
        double latency; /* 0: not known */
    } l1;
    struct {
        double issue_rate, schedulers, lanes, fp32_rate, narrow_multiply, wide_multiply, dispatch[4];
        double instruction_wait, overlap_growth;
        double barrier_latency; /* 0: not known */
        /* instructions that the instruction caches hold; cycles of waiting for others */
        double code[4];
        double clock_loss[2]; /* with any products of tensor cores; in addition, with all busy */
    } sm;
    struct {
        double unit, bandwidth, read_bandwidth, lone_rate, write_cost, piece_rate, latency, in_place_wait[2];
        double size, room, steepness; /* for data that an earlier launch has left there */
    } l2;
    struct {
        double bandwidth, write_cost, request_overhead, region_loss, random_rate, fetch, turnaround;
        double latency, queue_wait, write_wait;
        double cache, cache_bandwidth; /* of the memory-side cache */
    } dram;
    struct {
        double rate, address_rate, word_rate[2], latency;
    } atomic;
    struct {
        double block_rate, turnover, store_wait, duration;
    } launch;
} wl_turnover;

/* False if the device lacks a number; *missing names it. */
bool wl_turnover_read(const wl_device *device, wl_turnover *out, const char **missing);

/* assumed_wait.c: the life of a block's longest warp, as it was followed; if it was not, or does
 * not repeat anything, as it is assumed from the accesses. */
wl_waiting wl_life_of_block(const wl_turnover *numbers, const wl_demand *demand);
/* Cycles that loads in flight together wait for the caches. */
double wl_wait_of_phase(const wl_turnover *numbers);
/* Cycles of an instruction of a lone warp, without waits for loads; 0: latencies are unknown. */
double wl_instruction_wait(const wl_device *device);

/* The waits of a life that is so many times as long; `cold` is the share of DRAM traffic that the
 * L2 does not save. Without the start, and without the queue of DRAM. */
wl_block_waits wl_waits_of_life(const wl_waiting *life, double cold, double times);
double wl_waits_sum(const wl_block_waits *waits);

/* The time of the L1, whichever stage is busier, with what other blocks of a cluster load and
 * store: one after the other, measured. */
double wl_l1_seconds(const wl_model_result *result);

/* turnover_kinds.c: the part of the launch's loads and stores that this kind of blocks has. */
double wl_kind_traffic(const wl_block_kind *kind, const wl_kinds *all);

/* turnover_kinds.c: cycles of all blocks until the last one ends. `own` is that of a mean block;
 * bounds are known, `memory` is the time of L2 and DRAM together. Fills the kinds of the result. */
struct wl_residents; /* residence.h */
double wl_turnover_fill(const wl_turnover *numbers, const wl_demand *demand, double own,
                        const struct wl_residents *mean, double memory, wl_model_result *out);

void wl_turnover_apply(const wl_turnover *numbers, const wl_demand *demand, wl_model_result *out);

/* A wait, or a part of the time, is shorter by this much when its weight is found. */
#define WL_LITTLE 1e-6

/* turnover_stack.c: the result if each part took that many times as long; factors by part. */
void wl_turnover_what_if(const wl_turnover *numbers, const wl_demand *demand, const double factors[WL_STACK_PART_COUNT],
                         wl_model_result *out);

/* The parts of the cycles of that result; they add up to its time. */
void wl_turnover_stack(const wl_turnover *numbers, const wl_demand *demand, const wl_model_result *result,
                       wl_stack *out);

#endif /* WL_MODEL_TURNOVER_H */
