/* counted_mix.h - how many instructions of each class a launch executes.
 *
 * Layer  kernel. Units: launch totals of machine instructions; PTX counts by its cost table.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_COUNTED_MIX_H
#define WL_KERNEL_COUNTED_MIX_H

#include "warpline/mix.h"

/* Accesses to memory: global, shared and local. */
typedef enum wl_memory_op {
    WL_MEMORY_LOAD,
    WL_MEMORY_STORE,
    WL_MEMORY_ATOMIC,
    WL_MEMORY_SHARED_LOAD,
    WL_MEMORY_SHARED_STORE,
    WL_MEMORY_SHARED_ATOMIC,
    WL_MEMORY_LOCAL_LOAD,
    WL_MEMORY_LOCAL_STORE,
    WL_MEMORY_COUNT
} wl_memory_op;

/* The warp that executes the most. */
typedef struct wl_longest_warp {
    double instructions, loads; /* of global memory */
    double serial;              /* loads in a loop whose way they decide: the next one waits for each */
} wl_longest_warp;

/* Launch totals of machine instructions. For PTX: what an instruction becomes by the cost table. */
typedef struct wl_mix {
    double warp[WL_INST_CLASS_COUNT];           /* warp instructions */
    double thread[WL_INST_CLASS_COUNT];         /* warp instructions times active lanes */
    double thread_on;                           /* thread instructions, all classes, whose predicate is on */
    double flops;                               /* of all lanes; known if the instructions are emulated */
    double branches, divergent;                 /* warp branches, and divergent ones */
    double shuffles;                            /* warp shuffles: they use the data stage of the L1 */
    double idle_accesses;                       /* memory instructions without an active lane: they use it, too */
    double tensor[WL_TENSOR_KIND_COUNT];        /* flops of matrix products */
    double tensor_groups[WL_TENSOR_KIND_COUNT]; /* of them, those of warp groups (wgmma) */
    double memory[WL_MEMORY_COUNT];             /* executed by a warp, and of these with an active lane; */
    double memory_on[WL_MEMORY_COUNT];
    bool has_memory, has_memory_on; /* known where there is an instruction stream */
    wl_longest_warp longest;        /* 0: not known, like the others */
    bool sampled;                   /* from a sample of blocks, */
    double error;                   /* with this largest relative standard error */
} wl_mix;

#endif /* WL_KERNEL_COUNTED_MIX_H */
