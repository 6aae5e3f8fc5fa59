/* recover_internal.h - shared by recover.c (paths through a function) and recover_execute.c
 * (single instructions).
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_INTERNAL_H
#define WL_PTX_RECOVER_RECOVER_INTERNAL_H

#include "ptx/module/flow.h"
#include "ptx/recover/recover.h"
#include "ptx/recover/recover_value.h"

#define WL_PTX_STEPS_MAX (1 << 18) /* memory accesses per thread */
#define WL_PTX_FORKS_MAX 24        /* nested divergent branches */

/* Symbolic execution of a function by all threads of a launch. */
typedef struct wl_ptx_executor {
    const wl_ptx_launch *launch;
    const wl_ptx_function *f;
    const wl_ptx_flow *flow;
    wl_ptx_values values;
    wl_ptx_recovery *out;
    wl_arena *arena;
    /* condition of the current path; NULL: every thread of the domain */
    const wl_symbol *when;
    int forks;                                  /* open divergent branches */
    const wl_symbol **before[WL_PTX_FORKS_MAX]; /* registers before each of them */
    const wl_symbol **first[WL_PTX_FORKS_MAX];  /* registers at the end of its first side */
    bool *inside;                               /* by instruction: in the region being skipped */
    int32_t *open;                              /* worklist of that region */
    bool ended;                                 /* all threads of the path have exited */
    bool any_traced;
    int64_t work, work_max;
    wl_error *err;
} wl_ptx_executor;

/* Executes an instruction that neither branches nor exits. condition: the lanes that execute it;
 * NULL: all lanes of the path. */
wl_status wl_ptx_execute_instruction(wl_ptx_executor *r, int32_t pc, const wl_symbol *condition);

/* Marks what an instruction writes as unknown. */
void wl_ptx_set_result_unknown(wl_ptx_executor *r, const wl_ptx_instruction *in);

#endif /* WL_PTX_RECOVER_RECOVER_INTERNAL_H */
