/* recover_internal.h - what the parts of recover.c share: recover.c follows the ways through a function,
 * recover_execute.c does what a single instruction does. Layer  ptx/recover. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_INTERNAL_H
#define WL_PTX_RECOVER_RECOVER_INTERNAL_H

#include "ptx/module/flow.h"
#include "ptx/recover/recover.h"
#include "ptx/recover/recover_value.h"

#define WL_PTX_STEPS_MAX (1 << 18) /* memory accesses of a thread */
#define WL_PTX_FORKS_MAX 24        /* conditions inside each other that part the threads */

/* All threads of a launch on their way through a function. */
typedef struct wl_ptx_executor {
    const wl_ptx_launch *launch;
    const wl_ptx_function *f;
    const wl_ptx_flow *flow;
    wl_ptx_values values;
    wl_ptx_recovery *out;
    wl_arena *arena;
    const wl_symbol *when;                      /* condition of the path; NULL: every thread of the domain */
    int forks;                                  /* open ones */
    const wl_symbol **before[WL_PTX_FORKS_MAX]; /* registers at each */
    const wl_symbol **first[WL_PTX_FORKS_MAX];  /* and at the end of its first way */
    bool *inside;                               /* of what is stepped over: instructions met */
    int32_t *open;                              /* and those to look at */
    bool ended;                                 /* all threads of the path are home */
    bool any_traced;
    int64_t work, work_max;
    wl_error *err;
} wl_ptx_executor;

/* An instruction that neither branches nor ends. condition: the lanes that execute it; NULL: all of the path. */
wl_status wl_ptx_execute_instruction(wl_ptx_executor *r, int32_t pc, const wl_symbol *condition);

/* Nobody knows what an instruction leaves behind. */
void wl_ptx_set_result_unknown(wl_ptx_executor *r, const wl_ptx_instruction *in);

#endif /* WL_PTX_RECOVER_RECOVER_INTERNAL_H */
