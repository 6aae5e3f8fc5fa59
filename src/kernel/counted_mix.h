/* counted_mix.h - how many instructions of which class a launch executes. Layer  kernel. SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_COUNTED_MIX_H
#define WL_KERNEL_COUNTED_MIX_H

#include "warpline/mix.h"

/* Launch totals. Machine instructions: where they come from PTX, what a PTX instruction usually becomes is counted. */
typedef struct wl_mix {
    double warp[WL_INST_CLASS_COUNT];    /* warp instructions                                  */
    double thread[WL_INST_CLASS_COUNT];  /* the same times active lanes                        */
    double thread_on;                    /* thread instructions, all classes, that their predicate lets through */
    double flops;                        /* of all lanes; known where the instructions are emulated */
    double branches, divergent;          /* warp branches, and those whose lanes part          */
    double shuffles;                     /* warp shuffles: they pass the data stage of the L1  */
    double idle_accesses;                /* of memory, with all lanes switched off: these, too */
    double tensor[WL_TENSOR_KIND_COUNT]; /* flops of matrix products                           */
    double tensor_groups[WL_TENSOR_KIND_COUNT]; /* of them, those that four warps do together         */
    bool sampled;                               /* from some blocks                                   */
} wl_mix;

#endif /* WL_KERNEL_COUNTED_MIX_H */
