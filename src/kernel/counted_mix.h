/* counted_mix.h - how many instructions of each class a launch executes.
 *
 * Layer  kernel. Units: launch totals of machine instructions; PTX counts by its cost table.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_COUNTED_MIX_H
#define WL_KERNEL_COUNTED_MIX_H

#include "warpline/mix.h"

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
    bool sampled;                               /* from a sample of blocks, */
    double error;                               /* with this largest relative standard error */
} wl_mix;

#endif /* WL_KERNEL_COUNTED_MIX_H */
