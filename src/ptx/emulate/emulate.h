/* emulate.h - emulates the warps of a block: what they execute and which addresses they touch.
 *
 * The lanes of a warp run in lockstep, with a stack of reconvergence points. A value is exact or
 * unknown, lane by lane: values computed from memory without supplied contents are unknown. An
 * unknown value is kept as if all unknown data were 0, so that an unknown address still points into
 * its buffer.
 *
 * Rules for unknown values, noted once per instruction: a branch condition is evaluated as if
 * unknown data were 0, but a loop is left; an access to an unknown address goes to a random element
 * of its buffer. A block sees its own writes. Those of other blocks it sees only where an atomic's
 * result or a polled load tells blocks of each other: then blocks are taken to run in launch order,
 * and each sees what those before it have left; a warp that waits for what no earlier block does
 * continues. Otherwise each block starts from the launch's arguments.
 *
 * Layer  ptx/emulate (uses base, kernel, ptx/module). Oracle: tests/unit/test_ptx_emulate.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_EMULATE_H
#define WL_PTX_EMULATE_EMULATE_H

#include "kernel/gaps.h"
#include "kernel/line_sample.h"
#include "ptx/emulate/arguments.h"
#include "ptx/module/def_use.h"
#include "ptx/module/flow.h"
#include "ptx/module/module.h"
#include "../share/templates/native_types.h"

struct wl_buffer;

#define WL_PTX_LANES 32
#define WL_PTX_REQUEST_LANES 4 /* lanes that request texels together, with float coordinates */

typedef struct wl_ptx_launch {
    const wl_ptx_module *module;
    const wl_ptx_function *entry;
    const wl_ptx_arguments *arguments;
    int64_t block[3], grid[3];
    int64_t cluster[3];     /* blocks of a cluster */
    int64_t dynamic_shared; /* bytes */
    int64_t budget;         /* warp instructions per block */
    int64_t rehearsal;      /* steps, to find what blocks leave to later ones; 0: as by default */
    bool unroll;            /* recovery unrolls all loops: an oracle for those that it keeps */
    bool lenient;           /* an access outside of all buffers goes nowhere; it is no error */
    /* compute all results, even those that nothing depends on; each block by itself, or in order */
    bool everything, in_order;
    /* carry the launch out: writes go to the program's memory, and memory that nothing has written
     * holds zeros; implies everything */
    bool in_place;
    bool one_thread; /* no other thread carries out blocks of this launch */
    /* functions in machine code, by number; NULL: none. See native.h */
    const wl_native_run *native;
} wl_ptx_launch;

/* Execution counts by instruction; those of function f start at first[f]. */
typedef struct wl_ptx_profile {
    int32_t *first;
    int32_t count;
    double *warps;      /* executions by a warp */
    double *warps_on;   /* of these, with at least one lane whose guard predicate is true */
    double *threads;    /* sum of active lanes */
    double *threads_on; /* sum of active lanes whose guard predicate is true */
    double *diverged;   /* executions as a divergent branch */
    /* At the back edge of a loop without another branch: how much more often a warp executes the
     * loop if it is unrolled into copies of four, two and one trips, since lanes with unequal trip
     * counts reconverge later. */
    double *rungs;
} wl_ptx_profile;
wl_status wl_ptx_profile_make(const wl_ptx_module *module, wl_arena *arena, wl_ptx_profile *out, wl_error *err);

/* One execution of a memory instruction by one warp. */
typedef struct wl_ptx_touch {
    int32_t function, instruction; /* numbers */
    int32_t warp;
    wl_ptx_space space; /* resolved, never generic */
    bool store, atomic; /* an atomic is both load and store */
    /* continues the previous touch: one instruction with more addresses than lanes */
    bool more;
    /* in the shared memory of other blocks of the cluster; addresses differ from block to block */
    bool remote;
    int bytes;        /* per lane */
    uint32_t lanes;   /* lane mask */
    uint32_t unknown; /* lanes with an assumed address */
    /* by lane: full address; for shared and local memory an offset */
    uint64_t address[WL_PTX_LANES];
} wl_ptx_touch;
typedef wl_status (*wl_ptx_visit)(void *user, const wl_ptx_touch *touch, wl_error *err);

/* A kind of assumption; each is noted at most once per instruction. */
typedef enum wl_ptx_assumed {
    WL_PTX_ASSUMED_BRANCH,  /* a branch condition is unknown */
    WL_PTX_ASSUMED_ADDRESS, /* an address is unknown */
    WL_PTX_ASSUMED_LOOP,    /* a loop was left because its condition is unknown */
    WL_PTX_ASSUMED_RESULT,  /* the result of the instruction is not computed */
    WL_PTX_ASSUMED_BARRIER, /* some warps never reach the barrier */
    WL_PTX_ASSUMED_CALL,    /* the called function is not in the module */
    WL_PTX_ASSUMED_TEXTURE, /* the texture or surface is not described: nothing is touched */
    WL_PTX_ASSUMED_WAIT,    /* a warp continues that waits for what no earlier block does */
    WL_PTX_ASSUMED_START    /* a counter or flag without contents starts with 0 */
} wl_ptx_assumed;
typedef struct wl_ptx_assumption {
    wl_ptx_assumed what;
    int32_t function, instruction;
    bool alone; /* only by warps that ran alone, without what others had written to shared memory */
} wl_ptx_assumption;

typedef struct wl_ptx_emulator wl_ptx_emulator;
wl_status wl_ptx_emulator_new(const wl_ptx_launch *launch, wl_ptx_emulator **out, wl_error *err);
void wl_ptx_emulator_free(wl_ptx_emulator *emulator);

/* Runs one block. only_warp >= 0 runs that warp alone: it passes barriers, and shared data of other
 * warps is unknown. profile and visit may be NULL. Instructions on which neither the control flow
 * nor, with a visitor, an address depends are counted but not computed. WL_E_BOUNDS: an address
 * outside all buffers; the message names instruction, thread and block. WL_E_LIMIT: the budget is
 * spent. */
wl_status wl_ptx_emulate_block(wl_ptx_emulator *emulator, const int64_t block[3], int only_warp,
                               wl_ptx_profile *profile, wl_ptx_visit visit, void *user, wl_error *err);
/* From within a visit, which is to return this status: the warp ends, as if it had left the kernel.
 * Where blocks run in an order of their own it does not. */
wl_status wl_ptx_end_warp(wl_ptx_emulator *emulator);

/* Of a launch that is carried out: the next launch of the same kernel, with the same block and
 * shared memory, and variables at the same addresses. Only arguments and grid may differ. */
#define WL_PTX_READS 1
#define WL_PTX_WRITES 2
/* What it has done to buffer `index` so far: an or of these. */
int wl_ptx_buffer_use(const wl_ptx_emulator *emulator, int index);
/* Between blocks: the same functions in machine code, from now on. */
void wl_ptx_emulator_take_code(wl_ptx_emulator *emulator, const wl_native_run *code);
/* Appends functions in C that carry the launch out, of the entry and of what it calls, as far as
 * they can be written so. False: the entry cannot. */
bool wl_ptx_emulator_text(const wl_ptx_emulator *emulator, struct wl_buffer *out);
wl_status wl_ptx_emulator_renew(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, wl_error *err);

/* Bulk copies visit only the lines of a sample, which must stay; NULL: all. */
void wl_ptx_sample_lines(wl_ptx_emulator *emulator, const wl_line_sample *sample);
/* Instructions of the current block, or of the warp that runs alone, that were processed so far. */
int64_t wl_ptx_steps_done(const wl_ptx_emulator *emulator);

/* When a load is issued: after a chain of `depth` - 1 dependent loads of its basic block. Loads of
 * one depth are issued together; if the assembler unrolls the block, those of `trips` trips. */
typedef struct wl_ptx_round {
    int32_t block, depth, trips;
} wl_ptx_round;
wl_ptx_round wl_ptx_round_of(const wl_ptx_emulator *emulator, int32_t function, int32_t instruction);

/* Waits of an instruction for barrier objects that copies signal. In a ring of stages, a copy
 * can be issued when a warp has freed its stage: some waits ahead of the one for that copy. */
typedef struct wl_ptx_ring {
    int64_t waits;
    int64_t counted, ahead; /* of these, for copies that such a warp let go; waits ahead, in all */
    int64_t bytes;          /* that the copies moved, in all */
    int32_t copy;           /* number of a copy that signals such an object */
    /* waits for products, their flops in all and their kind; of these waits, for products that
     * another warp let go, and waits ahead, in all */
    int64_t product_waits, product_counted, product_ahead;
    double flops;
    wl_tensor_kind kind;
} wl_ptx_ring;
/* Of a function, by instruction, in all blocks that were followed so far. NULL: no warp waits for
 * barrier objects. */
const wl_ptx_ring *wl_ptx_rings_of(const wl_ptx_emulator *emulator, int32_t function);
/* Does a warp wait for barrier objects? */
bool wl_ptx_waits_for_objects(const wl_ptx_emulator *emulator);

/* The warp that executes the most. */
typedef struct wl_ptx_longest {
    int64_t instructions;
    int64_t loads; /* of global memory */
    /* of these: loads on which the control flow of their loop depends, so that the next one waits
     * for each */
    int64_t serial;
    /* dependent loads: lengths of chains within basic blocks, added up, in units of 1 /
     * WL_PTX_ROUND */
    int64_t rounds;
} wl_ptx_longest;

/* Follows the control flow of one block. The emulator adds up what is executed. */
typedef struct wl_ptx_followed {
    uint64_t signature;   /* blocks that execute the same have the same */
    int64_t instructions; /* of its warps */
    int64_t steps;        /* the work it took: instructions that were processed */
    /* further instructions that it would have processed if no trips had been skipped */
    int64_t skipped;
    int64_t loads, stores; /* of these, from and to global memory */
    bool fresh;            /* executes an instruction that no earlier block executed */
    wl_ptx_longest longest;
} wl_ptx_followed;
wl_status wl_ptx_follow_block(wl_ptx_emulator *emulator, const int64_t block[3], wl_ptx_followed *out, wl_error *err);
/* One warp alone, which passes barriers; nothing is counted. */
wl_status wl_ptx_follow_warp(wl_ptx_emulator *emulator, const int64_t block[3], int warp, wl_error *err);
/* Adds what was followed since the last call to the profile, each execution `weight` times. */
void wl_ptx_collect(wl_ptx_emulator *emulator, double weight, wl_ptx_profile *profile);
/* Whether some block followed so far has reached every instruction of the entry. */
bool wl_ptx_reached_all(const wl_ptx_emulator *emulator);
/* Drops all counts, as if nothing had been followed. */
void wl_ptx_forget(wl_ptx_emulator *emulator);
/* Whether control flow depends on what memory holds, and not on the launch alone. */
bool wl_ptx_flow_reads_data(const wl_ptx_emulator *emulator);
/* Do all blocks of a box execute the same if the blocks at its corners have the same signature? */
bool wl_ptx_flow_is_even(const wl_ptx_emulator *emulator);
/* Called when all active lanes of a warp take a back edge of the entry together. It may change the
 * registers of those lanes, as if iterations had been executed. NULL: not called. `user` is that
 * of the visitor. */
typedef struct wl_ptx_registers {
    uint64_t (*value)[WL_PTX_LANES]; /* by register of the entry */
    uint32_t *unknown;               /* lane masks */
} wl_ptx_registers;
typedef void (*wl_ptx_back_edge)(void *user, int32_t header, uint32_t lanes, wl_ptx_registers registers);
void wl_ptx_on_back_edge(wl_ptx_emulator *emulator, wl_ptx_back_edge call);

/* What a warp has executed while a block is followed: consecutive instructions; and, if they end a
 * trip of a loop whose further trips are only counted, how many trips this one represents. */
typedef struct wl_ptx_ran {
    int32_t warp, depth; /* depth: of calls */
    int32_t function, from, to;
    uint32_t lanes;
    int32_t header; /* the first instruction of the loop, */
    /* and the trips, including the one that ends there; 0: only those instructions */
    int64_t trips;
} wl_ptx_ran;
typedef void (*wl_ptx_ran_visit)(void *user, const wl_ptx_ran *ran);
/* visit NULL: nothing is reported. */
void wl_ptx_on_run(wl_ptx_emulator *emulator, wl_ptx_ran_visit visit, void *user);

/* Accesses outside of all buffers so far, one per instruction; returns how many. */
size_t wl_ptx_outside(const wl_ptx_emulator *emulator, const wl_outside **list);

/* How blocks tell each other, if they do. */
typedef struct wl_ptx_ordering {
    bool ordered;     /* some instruction tells blocks of each other */
    bool in_turns;    /* blocks draw from a counter until its numbers run out, in turns */
    bool kept;        /* what blocks leave to later ones is kept, */
    int64_t followed; /* of so many blocks; more: extrapolated */
    /* Each block waits for what the one before it tells it, and tells the next one. at_once: it
     * tells its own part first, and looks at the parts of so many blocks at a time; 0: it has
     * nothing to tell before. */
    bool chained;
    int32_t at_once;
} wl_ptx_ordering;
wl_ptx_ordering wl_ptx_ordering_of(const wl_ptx_emulator *emulator);

/* Control flow of the entry. */
const wl_ptx_flow *wl_ptx_entry_flow(const wl_ptx_emulator *emulator);
/* Is the instruction only counted, so that its results are unknown and what it accesses is not
 * visited? */
bool wl_ptx_is_only_counted(const wl_ptx_emulator *emulator, int32_t function, int32_t instruction);

/* Does a warp repeat the instruction until another block has written what it reads? */
bool wl_ptx_polls(const wl_ptx_emulator *emulator, int32_t function, int32_t instruction);

size_t wl_ptx_assumption_count(const wl_ptx_emulator *emulator);
wl_ptx_assumption wl_ptx_assumption_at(const wl_ptx_emulator *emulator, size_t index);

#endif /* WL_PTX_EMULATE_EMULATE_H */
