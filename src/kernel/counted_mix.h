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
    /* loads on which the control flow of their loop depends: each must arrive before the next */
    double serial;
    /* dependent loads: the lengths of their chains within basic blocks, added up */
    double rounds;
} wl_longest_warp;

/* Blocks that execute the same, or about as much. */
typedef struct wl_block_kind {
    double blocks; /* of the launch */
    /* warp instructions of one block; loads and stores of global memory */
    double instructions, loads, stores;
    double most; /* instructions of the longest block */
    /* their numbers in launch order: lowest, highest, mean */
    double first, last, middle;
    wl_longest_warp longest; /* of the longest block */
} wl_block_kind;

/* The kinds of blocks of a launch, for the time models; none if all blocks are about alike. */
#define WL_KINDS_MAX 16
typedef struct wl_kinds {
    int count;
    wl_block_kind list[WL_KINDS_MAX]; /* most instructions first */
} wl_kinds;

/* Do some blocks execute so much more than the mean that kinds must be distinguished? The list
 * begins with the kind of most instructions. */
bool wl_kinds_differ(const wl_block_kind *list, int count);
/* Merges kinds of about the same length; none if kinds do not differ. */
void wl_kinds_join(const wl_block_kind *list, int count, wl_kinds *out);

/* Conversions that GPU generations execute on different pipes: integers of up to 32 bits to f32, on
 * the integer pipe or the special-function unit; from and to 64 bits, on the special-function unit
 * or a separate pipe; between f32 and halves, on the pipe of f32. */
typedef enum wl_convert_kind { WL_CONVERT_INT, WL_CONVERT_WIDE, WL_CONVERT_HALF, WL_CONVERT_COUNT } wl_convert_kind;

/* Products of integers, by the size of the result. */
typedef enum wl_multiply_kind { WL_MULTIPLY_NARROW, WL_MULTIPLY_WIDE, WL_MULTIPLY_COUNT } wl_multiply_kind;

/* Arithmetic outside tensor cores, by width. */
typedef enum wl_float_kind { WL_FLOAT_F16, WL_FLOAT_F32, WL_FLOAT_F64, WL_FLOAT_COUNT } wl_float_kind;

/* Launch totals of machine instructions. For PTX: what an instruction becomes by the cost table. */
typedef struct wl_mix {
    double warp[WL_INST_CLASS_COUNT];   /* warp instructions */
    double thread[WL_INST_CLASS_COUNT]; /* warp instructions times active lanes */
    /* thread instructions, all classes, whose predicate is on */
    double thread_on;
    /* of all lanes; known if the instructions are emulated */
    double flops;
    double flops_of[WL_FLOAT_COUNT]; /* the same by type; */
    double fma_of[WL_FLOAT_COUNT];   /* of these: in fused multiply-adds */
    double branches, divergent;      /* warp branches, and divergent ones */
    bool in_turns;                   /* blocks draw their work, and so end together */
    bool locks;                      /* a warp repeats an atomic until it gets what others hold */
    bool chained;                    /* each block waits for what the one before it tells it, */
    int32_t at_once;                 /* as wl_ptx_ordering */
    /* warp instructions that only the integer pipe executes */
    double integer_pipe;
    /* warp instructions: of integer_pipe, and of the classes special and fp32 */
    double converts[WL_CONVERT_COUNT];
    /* warp instructions of sequences: all of those that stand for a special function of
     * floating-point numbers (a root, an exponential, a division), by class; those of the class
     * special that stand for a division of integers */
    double of_functions[WL_INST_CLASS_COUNT], of_divisions;
    double multiplies[WL_MULTIPLY_COUNT]; /* warp instructions of the class int */
    bool has_multiplies;                  /* known where there is an instruction stream */
    /* warp shuffles: they use the data stage of the L1 */
    double shuffles;
    /* wavefronts in which warp groups (wgmma) read operands from shared memory, and those of
     * barriers of a cluster and groups of asynchronous copies */
    double operands;
    /* memory instructions without an active lane: they use the data stage, too */
    double idle_accesses;
    double tensor[WL_TENSOR_KIND_COUNT];        /* flops of matrix products */
    double tensor_groups[WL_TENSOR_KIND_COUNT]; /* of these: by warp groups (wgmma) */
    /* of the class tensor: warp instructions that devices with smaller ones execute as several, and
     * their flops */
    double divisible, divisible_flops;
    /* executed by warps; with at least one active lane */
    double memory[WL_MEMORY_COUNT];
    double memory_on[WL_MEMORY_COUNT];
    bool has_memory, has_memory_on; /* known where there is an instruction stream */
    wl_longest_warp longest;        /* 0: unknown, or like the others */
    wl_kinds kinds;                 /* of blocks that do unequal work */
    bool sampled;                   /* from a sample of blocks: */
    double followed, blocks;        /* its size, and blocks of the launch */
    double error;                   /* the largest relative standard error */
} wl_mix;

/* Of all classes. */
double wl_inst_total(const double of_class[WL_INST_CLASS_COUNT]);

#endif /* WL_KERNEL_COUNTED_MIX_H */
