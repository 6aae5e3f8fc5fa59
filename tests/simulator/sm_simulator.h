/* sm_simulator.h - an event simulator of multiprocessors, the reference for the interval models.
 *
 * Every cycle each sub-core issues from warps whose registers are there. A load hands its requests
 * to the load-store unit, which sends one a cycle and needs a miss register for each: without one
 * it blocks, and with it every memory instruction behind it. Stores need none, and nobody waits for
 * them. What happens to requests then is in memory_simulator.h.
 *
 * It shares no formula with the models: no mean, no interval, no batch.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_SM_SIMULATOR_H
#define WL_TESTS_SM_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/memory_simulator.h"

#define SIM_REGISTERS 32
#define SIM_NO_REGISTER (-1)

typedef enum sim_kind { SIM_ALU, SIM_LOAD, SIM_STORE } sim_kind;

typedef struct sim_instruction {
    sim_kind kind;
    int to;      /* register written; SIM_NO_REGISTER: none */
    int from[2]; /* registers read */
    /* ALU: cycles until the result is there; a load without requests hits the L1 */
    double latency;
    int requests;      /* of loads and stores */
    double miss_ratio; /* of the L2: share of requests, drawn by a hash of where they come from */
    bool scattered;    /* lines anywhere; else those of all warps follow one another */
} sim_instruction;

/* A loop: `trips` times the body. */
typedef struct sim_program {
    const sim_instruction *body;
    size_t length;
    int trips;
} sim_program;

typedef struct sim_machine {
    sim_memory_numbers memory; /* with the number of multiprocessors */
    int sub_cores, warps;      /* of each; warps are dealt out in turns */
    int issue;                 /* instructions per cycle and sub-core */
    int mshrs;                 /* per multiprocessor */
    int memory_queue;          /* memory instructions the load-store unit holds */
    bool greedy;               /* one warp until it stalls, then the oldest; else in turns */
    int stagger;               /* cycles between the starts of two multiprocessors */
} sim_machine;

typedef struct sim_result {
    double cycles; /* until the last warp has ended and the last request is done */
    double instructions;
    int most_misses; /* in flight on one multiprocessor */
    /* cycles of all ports to the multiprocessors, and of all channels */
    double port_busy, dram_busy;
} sim_result;

/* False without memory, or where a program never ends within 2^40 cycles. */
bool sim_run(const sim_machine *machine, const sim_program *program, sim_result *out);

#endif /* WL_TESTS_SM_SIMULATOR_H */
