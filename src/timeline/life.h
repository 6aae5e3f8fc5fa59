/* life.h - what representative warps of a launch execute, in the order of machine code: operations
 * with their registers, and loops, not unrolled.
 *
 * The source of a kernel provides it (kernel/source.h); profile.h turns it into intervals. A life
 * contains no latencies: they depend on the device and on the cache level that holds the data.
 *
 * Layer  timeline (uses base). Units: warp instructions. Oracle: tests/unit/test_fit_lives.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_TIMELINE_LIFE_H
#define WL_TIMELINE_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "warpline/mix.h"
#include "warpline/status.h"

/* What determines the latency of an operation. */
typedef enum wl_op_kind {
    /* no machine instruction, or one that nothing waits for: its results are available at once */
    WL_OP_FREE,
    WL_OP_INT,
    WL_OP_FP32,
    WL_OP_FP64,
    WL_OP_HALF,
    WL_OP_SPECIAL,
    WL_OP_CONVERT,
    WL_OP_SHUFFLE,
    WL_OP_SHARED,   /* load or atomic of shared memory */
    WL_OP_LOAD,     /* of global or local memory, or of a texture */
    WL_OP_CONSTANT, /* of constant memory, at addresses that differ by lane */
    WL_OP_ATOMIC,   /* of global memory */
    WL_OP_STORE,
    WL_OP_BRANCH,
    WL_OP_BARRIER,
    WL_OP_TENSOR,
    WL_OP_KIND_COUNT
} wl_op_kind;

/* Products of warp groups (wgmma) run in order, beside the warps that issue them. They are put
 * together in batches, and a warp waits until at most so many batches are left. Of products in
 * tensor memory (tcgen05), one warp issues all; others wait for them. */
typedef enum wl_group_step {
    WL_GROUP_NONE, /* another operation */
    WL_GROUP_PRODUCT,
    WL_GROUP_BATCH,
    WL_GROUP_WAIT,
    WL_GROUP_RESULT /* a wait for products of another warp */
} wl_group_step;

/* Pipes that take more than a cycle for a warp instruction: the next one waits. */
typedef enum wl_busy_pipe {
    WL_BUSY_SPECIAL,
    WL_BUSY_FP64,
    WL_BUSY_INTEGER,
    WL_BUSY_TENSOR, /* products of one warp: those of groups run beside their warps */
    WL_BUSY_COUNT
} wl_busy_pipe;

/* A machine instruction, or several that come from one of PTX. */
typedef struct wl_op {
    wl_op_kind kind;
    float issue;             /* machine instructions, */
    float on[WL_BUSY_COUNT]; /* and how many of these each pipe executes */
    /* of these: length of the dependent chain; latencies until its results are ready */
    float chain;
    /* of a sequence of several kinds: special functions, f64 operations and others that depend on
     * each other; all 0: chain */
    float steps[3];
    /* a sequence with a branch in it: nothing issues until its result is there */
    bool blocks;
    bool rejoins;        /* its lanes may take different sides of it, and meet again behind it */
    int32_t field;       /* that it loads from or stores to; -1: none, or unknown */
    const int32_t *regs; /* numbers of registers: those it reads, then those it writes */
    uint8_t reads, writes;
    bool constant; /* a load of data that no store changes */
    bool remote;   /* of other blocks of the cluster: an access to shared memory, or a barrier */
    bool swaps;    /* an atomic on shared memory that is a loop of compare-and-swap */
    bool fences;   /* waits until all copies in flight have arrived */
    bool polls;    /* repeated until another block has written what it reads; here, once */
    /* A wait for asynchronous copies, or for products of another warp, and how many such waits
     * ahead of it they can be issued, on average; 0: right before it. */
    bool awaits_copies;
    bool for_copies; /* a wait for copies, whether or not others are ahead of them */
    float ahead;
    float bytes; /* of bulk copies; 0: of others */
    wl_group_step group_step;
    /* of a product of a warp, of a warp group: of all its warps; of all that a wait is for */
    float flops;
    wl_tensor_kind product;
    int32_t left;                    /* batches of products that a wait leaves in flight */
    bool in_turn;                    /* a product that the warp waits for at once */
    int32_t line, file, source_line; /* of PTX; of the source, file -1: not known */
    const char *text;                /* of PTX, so many characters */
    int32_t text_length;
} wl_op;

/* A part of a life: operations in a row, or a loop over the parts that follow it. */
typedef struct wl_stretch {
    bool loop;
    /* operations; of a loop: count is the number of following parts that belong to it */
    int32_t first, count;
    double times; /* trips of a loop, on average */
} wl_stretch;

/* One warp that represents warps that execute about the same. */
typedef struct wl_life {
    const wl_stretch *parts;
    size_t count;
    double warps;        /* of the launch, that it stands for */
    double blocks;       /* its kind of block: of the launch, */
    int kind;            /* and its number */
    double instructions; /* of one warp */
} wl_life;

typedef struct wl_lives {
    const wl_op *ops;
    int32_t op_count, register_count;
    const wl_life *list; /* those that represent the most instructions first */
    size_t count;
    int kind_count;
    const char *const *files; /* of source lines */
} wl_lives;

/* A copy that outlives the kernel; without texts and files. */
wl_status wl_lives_copy(const wl_lives *from, wl_arena *arena, wl_lives *out, wl_error *err);

#endif /* WL_TIMELINE_LIFE_H */
