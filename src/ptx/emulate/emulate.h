/* emulate.h - what the warps of a block execute and touch.
 *
 * The lanes of a warp run in lockstep with a stack of reconvergence points. Values are exact where they are known;
 * what depends on memory nobody supplied is unknown, lane by lane, and stays so. An unknown lane's value is what it
 * would be if everything unknown were 0, so that an unknown address still lies in the buffer it points into.
 *
 * What cannot be known is decided by rule and noted once per instruction: a condition is what it would be if unknown data were
 * 0 (but a loop is left); an access to an unknown address goes to a random element of its buffer.
 * What blocks write, others do not see: each starts from the launch's arguments. A block sees its own writes.
 *
 * Layer  ptx (uses base). Oracle: tests/unit/test_ptx_emulate.c. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_EMULATE_H
#define WL_PTX_EMULATE_EMULATE_H

#include "ptx/emulate/arguments.h"
#include "ptx/module/module.h"

#define WL_PTX_LANES 32

typedef struct wl_ptx_launch {
    const wl_ptx_module *module;
    const wl_ptx_function *entry;
    const wl_ptx_arguments *arguments;
    int64_t block[3], grid[3];
    int64_t dynamic_shared; /* bytes */
    int64_t budget;         /* warp instructions of one block */
} wl_ptx_launch;

/* How often each instruction was executed; those of function f start at first[f]. */
typedef struct wl_ptx_profile {
    int32_t *first;
    int32_t count;
    double *warps;      /* executions by warps */
    double *threads;    /* the same times active lanes */
    double *threads_on; /* active lanes whose guard lets them through */
    double *diverged;   /* branches whose lanes went different ways */
} wl_ptx_profile;
wl_status wl_ptx_profile_make(const wl_ptx_module *module, wl_arena *arena, wl_ptx_profile *out, wl_error *err);

/* One execution of a memory instruction by one warp. */
typedef struct wl_ptx_touch {
    int32_t function, instruction; /* numbers */
    int32_t warp;
    wl_ptx_space space;             /* resolved: never generic */
    bool store, atomic;             /* an atomic is both */
    int bytes;                      /* of one lane */
    uint32_t lanes;                 /* that take part */
    uint32_t unknown;               /* whose address was assumed */
    uint64_t address[WL_PTX_LANES]; /* by lane: full address; shared, local: offset in that space */
} wl_ptx_touch;
typedef wl_status (*wl_ptx_visit)(void *user, const wl_ptx_touch *touch, wl_error *err);

/* Something that was assumed, with the instruction it happened at; at most one of a kind for each instruction. */
typedef enum wl_ptx_assumed {
    WL_PTX_ASSUMED_BRANCH,  /* a condition depends on unknown data */
    WL_PTX_ASSUMED_ADDRESS, /* an address does */
    WL_PTX_ASSUMED_LOOP,    /* a loop was left because its condition does */
    WL_PTX_ASSUMED_RESULT,  /* an instruction whose result is not computed */
    WL_PTX_ASSUMED_BARRIER, /* a barrier that some warps never reach */
    WL_PTX_ASSUMED_CALL     /* a call of a function that is not in the module */
} wl_ptx_assumed;
typedef struct wl_ptx_assumption {
    wl_ptx_assumed what;
    int32_t function, instruction;
} wl_ptx_assumption;

typedef struct wl_ptx_emulator wl_ptx_emulator;
wl_status wl_ptx_emulator_new(const wl_ptx_launch *launch, wl_ptx_emulator **out, wl_error *err);
void wl_ptx_emulator_free(wl_ptx_emulator *emulator);

/* Runs one block; `only_warp` >= 0 runs that warp alone (barriers are passed, other warps' shared data is unknown).
 * profile and visit may be NULL.
 * WL_E_INPUT: an address outside the buffers that were supplied, named with instruction, thread and block;
 * WL_E_LIMIT: the budget is spent. */
wl_status wl_ptx_emulate_block(wl_ptx_emulator *emulator, const int64_t block[3], int only_warp,
                               wl_ptx_profile *profile, wl_ptx_visit visit, void *user, wl_error *err);

size_t wl_ptx_assumption_count(const wl_ptx_emulator *emulator);
wl_ptx_assumption wl_ptx_assumption_at(const wl_ptx_emulator *emulator, size_t index);

#endif /* WL_PTX_EMULATE_EMULATE_H */
