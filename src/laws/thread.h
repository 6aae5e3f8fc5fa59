/* thread.h - the execution of one thread, in program order: how often it waits, and for what.
 *
 * A time model needs to know which loads are in flight together (a phase: memory-level
 * parallelism), which phases wait for DRAM, and roughly how many instructions there are. All of it
 * follows from the accesses: a load goes to DRAM if no earlier row or layer of blocks has touched
 * its line, and the thread with the most such loads finishes last.
 *
 * Layer  laws (uses footprint, device). Units: per thread with work.
 * Oracle  tests/unit/test_thread.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_THREAD_H
#define WL_LAWS_THREAD_H

#include "count/instructions.h"
#include "count/warps.h"
#include "laws/estimates.h"
#include "warpline/device.h"

/* Per thread with work. */
typedef struct wl_thread {
    double loads, stores;           /* executed */
    double loads_per_phase, phases; /* loads whose latencies overlap; number of such groups */
    double steps;                   /* iterations of loops in which it loads; 1: no loops */
    /* phases that load new lines; of the thread of a block with the most */
    double fresh_loads;
    double instructions; /* of all kinds; estimated unless the kernel states them */
    bool instructions_stated;
    double multiplies, wide_multiplies; /* of addresses, if they are computed for every access */
    /* latencies do not overlap: each loop step uses its loaded values */
    bool serial;
    /* stores to addresses that it has loaded: [1] in later steps, [0] others */
    double in_place[2];
    double planes; /* cells of a block along the outermost dimension */
} wl_thread;

/* `costs` of the accesses give how often conditions hold; NULL: blocks are sampled for that. */
wl_status wl_thread_profile(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                            const wl_instructions *instructions, const wl_access_cost *costs, int64_t line,
                            const wl_estimates *estimates, wl_arena *scratch, wl_thread *out, wl_error *err);

#endif /* WL_LAWS_THREAD_H */
