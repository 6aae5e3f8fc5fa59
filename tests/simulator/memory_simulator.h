/* memory_simulator.h - the memory behind the multiprocessors of the event simulator: a crossbar,
 * slices of the L2 and one DRAM channel behind each.
 *
 * Lines are dealt out over the slices. A slice takes one request a cycle, in order; a load that
 * misses needs one of its miss registers and blocks those behind it until there is one. Its answers
 * leave in order, too: one occupies the port of the slice and that of the multiprocessor, so an
 * answer that waits for a busy multiprocessor holds up those behind it. A DRAM channel serves the
 * oldest request among a few whose bank is ready, those for an open row first.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_MEMORY_SIMULATOR_H
#define WL_TESTS_MEMORY_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim_memory_numbers {
    int sms, slices;
    double port_cycles; /* that a line occupies a port */
    int slice_mshrs;    /* misses a slice keeps track of */
    /* of a lone request: to the L2 and back; on top if it misses */
    double l2_latency, dram_latency;
    double burst;                 /* cycles a line occupies its channel */
    int banks, row_lines, window; /* of a channel; lines of a row; requests it looks at */
    /* cycles from one row of a bank to the next; 0: rows cost nothing */
    double row_cycle;
} sim_memory_numbers;

typedef struct sim_request {
    int sm, warp, to; /* who waits; a store: to < 0 */
    uint64_t line;
    bool misses; /* the L2 */
    /* filled in by the memory: */
    int bank;
    uint64_t row;
    double arrived; /* at the slice; later: when its data is there */
} sim_request;

typedef struct sim_memory sim_memory;
sim_memory *sim_memory_new(const sim_memory_numbers *numbers);
void sim_memory_free(sim_memory *memory);

/* A request leaves its multiprocessor now. False without memory. */
bool sim_memory_send(sim_memory *memory, sim_request request, double now);

/* One cycle. Answers are handed to `deliver` with the time at which their multiprocessor has
 * them. */
typedef void sim_deliver(void *context, const sim_request *request, double back);
bool sim_memory_step(sim_memory *memory, double now, sim_deliver *deliver, void *context);

/* When something can happen next; INFINITY: nothing is under way. */
double sim_memory_next(const sim_memory *memory, double now);

/* Cycles that ports towards the multiprocessors, or channels, were busy, added up; when the last
 * request was done. */
double sim_memory_port_busy(const sim_memory *memory);
double sim_memory_dram_busy(const sim_memory *memory);
double sim_memory_last(const sim_memory *memory);

#endif /* WL_TESTS_MEMORY_SIMULATOR_H */
