/* turnover.h - the model "turnover": blocks take turns on their multiprocessor.
 *
 * A block keeps the busiest unit of its multiprocessor for its own work, and waits: to be started, for its instructions
 * to follow one another, for phases of loads, for device memory. The other resident blocks fill that wait as far as
 * their own work reaches. The time this gives, the L2's and the memory's then combine as a norm; no launch starts more
 * blocks than the device can, and its last blocks may be heavier than the rest.
 *
 * Layer  model. Maths  docs/model.md, "Block turnover". SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_TURNOVER_H
#define WL_MODEL_TURNOVER_H

#include "metrics/prediction.h"
#include "warpline/device.h"
#include "warpline/predict.h"

/* What the kernel asks for. Launch totals, unless said. */
typedef struct wl_demand {
    double blocks, blocks_per_sm;
    double l1_wavefronts, tag_wavefronts, memory_inst;
    double instructions;                /* of warps                                                       */
    double fp_cycles;                   /* of the arithmetic units, as if one multiprocessor did it all   */
    double tensor_cycles;               /* of the tensor cores, likewise                                  */
    double multiplies, wide_multiplies; /* of warps */
    double read_units, written_units, pieces, lone_pieces;
    double dram_read, dram_write, random_fetches;
    double chunk, write_chunk; /* bytes of a line that one request of a block moves */
    double planes, streams;
    double atomics, atomic_lines;                  /* sectors of atomics; different lines */
    double atomics_on_one, atomic_requests_on_one; /* of the busiest line: lanes after one another; instructions */
    double phases, barriers, thread_instructions;  /* of one thread */
    double fresh_phases;                           /* of them, those that wait for device memory */
    bool serial;                                   /* none of these waits overlaps with another */
    double last_block; /* wavefronts of the heaviest of the last blocks; 0: like the others */
} wl_demand;

/* The device's numbers. */
typedef struct wl_turnover {
    double sms, clock, line, unit;
    double wavefront_rate, issue_rate;
    double block_rate, turnover, instruction_wait, phase_wait, dram_first, dram_next, dram_write_wait, overlap, growth;
    double overlap_norm, lsu_issue, narrow_multiply, wide_multiply;
    double l2_bandwidth, l2_write_cost, l2_fill_cost, piece_rate;
    double dram_bandwidth, dram_write_cost, request_overhead, region_loss, stream_loss, streams, random_rate;
    double atomic_rate, atomic_address_rate, atomic_line_rate, atomic_spread, norm, launch_overhead;
} wl_turnover;

/* False when the device lacks one of the numbers; *missing names it. */
bool wl_turnover_read(const wl_device *device, wl_turnover *out, const char **missing);

void wl_turnover_apply(const wl_turnover *numbers, const wl_demand *demand, wl_model_result *out);

#endif /* WL_MODEL_TURNOVER_H */
