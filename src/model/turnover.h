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

#include "kernel/counted_mix.h"
#include "metrics/prediction.h"
#include "model/stack.h"
#include "timeline/waiting.h"
#include "warpline/device.h"
#include "warpline/predict.h"

/* The demand of the kernel: launch totals unless noted. */
typedef struct wl_demand {
    double warps; /* with work */
    double blocks, blocks_per_sm;
    double block_warps; /* of a block, with work or without; 0: not known */
    double l1_wavefronts, tag_wavefronts;
    double global_inst;  /* loads and stores of 64-bit addresses */
    double instructions; /* warp instructions */
    /* of the arithmetic pipes, as if one multiprocessor did all the work */
    double fp_cycles;
    /* of the special functions of an update, likewise: model limiter */
    double special_cycles;
    double tensor_cycles;               /* of the tensor cores, likewise */
    double remote_cycles;               /* of shared memory of other blocks, likewise */
    double port_cycles;                 /* of the way to the L2, likewise */
    double tensor_load;                 /* the same at their full rate: see tensor_clock.h */
    double integer_cycles;              /* of the integer pipe, likewise */
    double integer_inst;                /* its warp instructions */
    double multiplies, wide_multiplies; /* warp instructions, of addresses */
    double results;                     /* floating-point ones, warp instructions */
    double l2_moved, l2_loaded;         /* bytes between L1 and L2; of these, bytes loaded */
    /* what a launch that finds its data in the L2 loads beyond these bytes; negative: less */
    double l2_again;
    /* share of a warp's loads that others of its block have loaded at another step */
    double shared_later;
    double read_units, lone_units, written_units, pieces, lone_pieces;
    /* shares of stores to lines of which several requests change parts: see delayed() */
    double in_place[2];
    /* random_read: bytes of random fetches */
    double dram_read, dram_write, random_read, random_fetches, cleaned;
    double dram_left;          /* bytes stored that are in the L2 when the launch ends */
    double chunk, write_chunk; /* bytes of a line that one request of a block moves */
    double planes;
    double atomics; /* sectors of atomics */
    /* of these, in the busiest group of lines; their squares, summed over groups; requests to the
     * busiest line; sums of floating-point numbers that wait for one another */
    double atomics_on_one, atomics_squared, atomic_requests_on_one, sums_on_one;
    double phases, barriers, thread_instructions; /* of one thread */
    double steps;                                 /* iterations of loops in which it loads */
    bool stores;                                  /* to global memory */
    double fresh_phases;                          /* of these phases: those that wait for DRAM */
    bool serial;                                  /* these waits do not overlap */
    bool in_turns;                                /* blocks draw their work: they end together */
    /* blocks that take the same lock, by one atomic; another one releases it */
    double lock_takers;
    wl_longest_warp longest; /* 0: like the others */
    double loads_per_phase;
    /* wavefronts of the heaviest of the last blocks; 0: like the others */
    double last_block;
    /* of a block, from the lives of its warps; NULL or not `known`: it is assumed */
    const wl_waiting *waiting;
    /* of a block whose warp leads others through the same data; NULL or not `known`: unknown */
    const wl_waiting *leading;
    double footprint; /* bytes that it touches, loads and stores */
    bool cold;        /* no earlier launch has left any of them in a cache */
    /* the part of dram_read that hits the memory-side cache, loaded earlier in the launch */
    double cached;
    /* of blocks that do unequal work; NULL or none: all are about alike */
    const wl_kinds *kinds;
    double l1_hits, l2_hits; /* shares of loads; of those that miss the L1 */
} wl_demand;

/* The device's numbers. */
typedef struct wl_turnover {
    double sms, clock, line, unit;
    double wavefront_rate, issue_rate, schedulers;
    double block_rate, turnover, instruction_wait, dram_write_wait, growth;
    double l2_latency, dram_latency;
    double l1_latency, barrier_latency; /* 0: not known */
    double narrow_multiply, wide_multiply, lanes, fp32_rate;
    double l2_bandwidth, l2_read_bandwidth, lone_rate, l2_write_cost, piece_rate;
    double in_place_wait[2], dispatch[4];
    /* instructions that the instruction caches hold; cycles of waiting for others */
    double code[4];
    double clock_loss[2]; /* with any products of tensor cores; in addition, with all busy */
    double dram_bandwidth, dram_write_cost, request_overhead, region_loss, random_rate;
    double atomic_rate, atomic_address_rate, atomic_word_rate[2], atomic_latency, norm, launch;
    double queue_wait, store_wait, turnaround, fill_width;
    double room, steepness; /* of the L2, for data that an earlier launch has left there */
    double l2_size;
    double cache, cache_bandwidth; /* of the memory-side cache */
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
double wl_turnover_fill(const wl_turnover *numbers, const wl_demand *demand, double own, double memory,
                        wl_model_result *out);

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
