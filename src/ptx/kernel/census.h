/* census.h - what the blocks of a launch execute: their control flow, followed block by block.
 *
 * Following a block costs much less than tracing its addresses, so as many blocks are followed as
 * the effort allows. If these are all blocks, the totals are exact. Otherwise they are a sample,
 * stratified by position, that grows where blocks differ, and the totals have a standard error. If
 * recovery has proved that all threads of the domain execute the same, blocks differ only by how
 * the domain's edges cut them, and one block of each such kind is enough.
 *
 * Blocks that execute the same are of one kind. If there are too many kinds, blocks of about the
 * same length are one kind.
 * Layer  ptx/kernel. Oracle: tests/unit/test_ptx_census.c follows every block.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_CENSUS_H
#define WL_PTX_KERNEL_CENSUS_H

#include "kernel/counted_mix.h"
#include "ptx/recover/recover.h"

#define WL_PTX_KINDS_MAX 64

/* A block that was followed. */
typedef struct wl_ptx_census_block {
    uint64_t signature;
    int64_t number; /* in the grid, x fastest */
    int64_t instructions;
    int32_t loads, stores; /* of global memory */
    int32_t longest[4];    /* warp: see wl_ptx_longest */
    int32_t stratum;
    int64_t last; /* numbers of the blocks it represents: the last, the mean */
    double middle;
    double weight; /* blocks it represents */
} wl_ptx_census_block;

typedef struct wl_ptx_kind {
    size_t first, count;                      /* of the list of blocks */
    double blocks;                            /* of the launch */
    double instructions, loads, stores, most; /* of one block: means, and the most instructions */
    int64_t from, to;                         /* numbers of its first and last block, */
    double middle;                            /* and on average */
    wl_ptx_longest longest;                   /* of the block with the most instructions */
} wl_ptx_kind;

typedef struct wl_ptx_census {
    wl_arena arena;
    wl_ptx_profile total;      /* of the launch */
    wl_ptx_census_block *list; /* sorted by kind, then number */
    size_t count, room;
    wl_ptx_kind kinds[WL_PTX_KINDS_MAX]; /* most instructions first */
    /* roughness: how far blocks of one kind may differ; 0: they execute the same */
    int kind_count, roughness;
    bool complete; /* every block was followed, or is equal to one that was */
    /* the largest relative standard error of instructions, loads and stores */
    double error;
    double work, skipped;   /* steps executed, and those of iterations that were skipped */
    wl_ptx_longest longest; /* of the blocks followed */
    /* blocks that each execute an instruction which no earlier block executes */
    int64_t *witness;
    size_t witness_count, witness_room;
} wl_ptx_census;

/* Follows blocks for about `affordable` steps. Recovery provides which blocks are known to execute
 * the same. */
wl_status wl_ptx_census_take(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, const wl_ptx_recovery *recovery,
                             double affordable, wl_ptx_census *out, wl_error *err);
void wl_ptx_census_free(wl_ptx_census *census);

/* The kind of a followed block; -1: no kind of the census. */
int wl_ptx_census_kind(const wl_ptx_census *census, const wl_ptx_followed *followed);

/* A block that represents those of its kind. */
typedef struct wl_ptx_representative {
    int64_t number; /* in the grid, x fastest */
    double blocks;  /* that it represents */
} wl_ptx_representative;

/* One block of each kind, at most so many: blocks of further kinds, which execute less, are
 * represented by the kind of the nearest length. Returns how many. */
int wl_ptx_census_represent(const wl_ptx_census *census, int most, wl_ptx_representative *out);

/* A kind as the kernel model has it; PTX instructions. */
wl_block_kind wl_ptx_kind_of_blocks(const wl_ptx_kind *kind);

/* The coordinates of a block from its number in the grid. */
void wl_ptx_block_of(const wl_ptx_launch *launch, int64_t number, int64_t block[3]);

#endif /* WL_PTX_KERNEL_CENSUS_H */
