/* walk_loops.h - the loops of a kernel, in chunks of some steps, and what each access loads in one.
 *
 * A replay of blocks that loop through the same data (walk_replay.h) has one event per warp and
 * chunk. The bytes of a warp are evaluated once, at the first step of all loops; a chunk adds the
 * same offset to all of them.
 *
 * Layer  replay (uses base, expr, kernel, launch, count). Units: bytes, cycles.
 * Oracle  tests/unit/test_places.c, by walk_replay.h
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPLAY_WALK_LOOPS_H
#define WL_REPLAY_WALK_LOOPS_H

#include "count/traffic.h"
#include "count/view.h"
#include "count/warps.h"
#include "kernel/program.h"
#include "launch/lanes.h"

/* loads and stores of a kernel; with more it is not replayed */
#define WL_WALK_ACCESSES 64
/* runs of bytes that a warp loads with one access; further ones, of folded threads, are left out */
#define WL_WALK_PIECES 32

/* Steps of a loop whose loads the assembler issues before it waits for the first: in 16 steps of a
 * matrix product it waits three times (validate/probes/h200_product_variants.csv). Each load waits
 * in a register: 64-bit loads need two, and half as many steps fit. ptxas 13.0 issues 11 loads of
 * 32 bits of a product before the first use, and 4 of 64 bits; 16 and 8 of a sum; 9 and 5 if a step
 * has three. */
#define WL_STEPS_PER_WAIT (16.0 / 3)

typedef struct wl_walk_input {
    const wl_view *view;
    const wl_geometry *geometry;
    const wl_access_cost *costs;
    int64_t sms, gpc_sms, schedulers, warp_size; /* multiprocessors; of a GPC; of each; lanes */
    int64_t line, sector, fetch;                 /* bytes */
    /* cycles until a load is there: from the L1, the L2, memory; that a wavefront takes */
    double hit, miss, memory, wavefront;
    double miss_spread; /* cycles more for the last of twice as many lines from the L2 */
    /* cycles from the end of a block to the next; between two that start */
    double turnover, apart;
    double in_flight; /* loads that a multiprocessor waits for at a time */
    /* the L2 may hold the data from an earlier launch: that is replayed, too */
    bool repeats;
} wl_walk_input;

/* A chunk is `steps` iterations of one loop, with all of those inside it. */
typedef struct wl_walk_chunks {
    int level;
    int64_t steps, count;
    /* of the loops outside `level`, and in chunks of `level` itself */
    int64_t extent[WL_LOOPS_MAX];
} wl_walk_chunks;

/* What one access does in a chunk. */
typedef struct wl_walker {
    int kind; /* the first that goes from a line to the same others */
    /* of the first: how many do; a loop that the compiler has unrolled already has several */
    int alike;
    int field; /* -1: takes time alone, as shared memory and stores do */
    wl_program program;
    int64_t stride[WL_LOOPS_MAX]; /* bytes; 0: it does not name the loop */
    uint32_t loops;               /* that it names */
    int64_t executions;           /* in one chunk */
    /* bytes that the loops of a chunk add to each piece without a gap */
    int64_t before, beyond;
    int64_t lines_each; /* lines that stand for one: loops with larger strides */
    /* of what it loads: lines that several accesses share have one key */
    uint64_t name;
    double cycles, sectors; /* per execution by one warp */
} wl_walker;

typedef struct wl_walk_loops {
    const wl_walk_input *in;
    wl_walk_chunks chunks;
    wl_walker walkers[WL_WALK_ACCESSES];
    int walker_count;
    int64_t warps_per_block;
    double steps_per_wait;
} wl_walk_loops;

/* The bytes that a warp loads with one access at the first step of all loops. */
typedef struct wl_walk_bytes {
    int count;
    int64_t lo[WL_WALK_PIECES], hi[WL_WALK_PIECES];
} wl_walk_bytes;

/* Registers that a load of a thread needs, at most: as wide as its widest element. */
double wl_load_registers(const wl_kernel *kernel);

/* False: no loops, too many accesses, or addresses that the loops do not move alike. */
bool wl_walk_loops_known(const wl_walk_input *in);

/* In about `pieces` chunks. */
wl_status wl_walk_loops_make(const wl_walk_input *in, int64_t pieces, wl_arena *arena, wl_walk_loops *out,
                             wl_error *err);

/* Where chunk n starts: iterations of each loop. Returns a bit for each loop inside of it. */
uint32_t wl_walk_chunk_start(const wl_walk_chunks *chunks, int64_t n, int64_t at[WL_LOOPS_MAX]);

/* Is an access executed in a chunk whose start has these bits? Once if it names no loop. */
static inline bool wl_walker_runs(const wl_walker *walker, uint32_t bits) { return !(bits & ~walker->loops); }

/* How often a warp waits for the loads of an access in a chunk. */
double wl_walker_waits(const wl_walk_loops *loops, const wl_walker *walker);

/* Lines that a warp loads in one chunk, about. */
double wl_walk_lines(const wl_walk_loops *loops);

/* Adds what a warp of a block loads at the first step, with all cells of its threads, by access. */
wl_status wl_walk_gather(wl_walk_loops *loops, int64_t block, int64_t warp, wl_walk_bytes *by_access, wl_error *err);

#endif /* WL_REPLAY_WALK_LOOPS_H */
