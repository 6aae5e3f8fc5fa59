/* recover_internal.h - shared by recover.c (paths through a function), recover_loops.c (loops
 * that are kept), loop_conditions.c, split_warps.c and recover_execute.c (single instructions).
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_INTERNAL_H
#define WL_PTX_RECOVER_RECOVER_INTERNAL_H

#include "ptx/module/flow.h"
#include "ptx/recover/recover.h"
#include "ptx/recover/recover_value.h"

#define WL_PTX_FORKS_MAX 24 /* nested divergent branches */

#define WL_PTX_OPEN_LOOPS_MAX 16 /* nested loops */

/* A loop that is being executed. */
typedef struct wl_ptx_open_loop {
    int32_t loop;     /* number in the flow graph */
    int forks;        /* open divergent branches where it began */
    bool at_header;   /* an iteration begins */
    bool is_symbolic; /* all iterations at once: `var` counts them */
    wl_var var;
    int64_t trips;   /* trips that are examined together */
    int64_t at_most; /* trips that conditions met so far seem to allow */
    bool is_shorter; /* a condition does not hold for all these trips: `trips` was lowered */
} wl_ptx_open_loop;

/* Symbolic execution of a function by all threads of a launch. */
typedef struct wl_ptx_executor {
    const wl_ptx_launch *launch;
    const wl_ptx_function *f;
    const wl_ptx_flow *flow;
    wl_ptx_values values;
    wl_ptx_cause *unknown; /* by register: why it is unknown, if it is */
    wl_ptx_recovery *out;
    wl_arena *arena, *scratch; /* of what is left; of the rest */
    /* condition of the current path; NULL: every thread of the domain */
    const wl_symbol *when;
    int forks;                                  /* open divergent branches */
    const wl_symbol **before[WL_PTX_FORKS_MAX]; /* registers before each of them */
    const wl_symbol **first[WL_PTX_FORKS_MAX];  /* registers at the end of its first side */
    int32_t *inside;                            /* by instruction: the last region skipped, */
    int32_t region_count;                       /* of so many */
    int32_t *open;                              /* worklist of that region */
    bool ended;                                 /* all threads of the path have exited */
    bool any_traced;
    int32_t *loop_at; /* by instruction: the loop it is the header of; -1: none */
    wl_ptx_open_loop open_loops[WL_PTX_OPEN_LOOPS_MAX];
    int open_loop_count;
    int symbolic_count; /* of them, symbolic ones */
    int unwind;         /* the open loop whose symbolic execution ends here; -1: none */
    int32_t kept;       /* the kept loop that new steps belong to; -1: none */
    uint8_t *failures;  /* by loop: in how many ways it could not be kept */
    struct wl_ptx_loop_state *states[WL_PTX_OPEN_LOOPS_MAX]; /* memory of recover_loops.c */
    /* of them, those of loops that are being tried, the innermost last */
    struct wl_ptx_loop_state *attempts[WL_PTX_OPEN_LOOPS_MAX];
    int attempt_count;
    /* by instruction: the last fork with a step of it on the first side; and the lanes that
     * executed it and have ended since, NULL: none (split_warps.c) */
    int32_t *side_of, side_count;
    const wl_symbol **left_behind;
    /* instructions executed, and nodes of addresses; in attempts to keep loops that failed */
    int64_t work, wasted;
    int64_t work_max; /* of each */
    wl_error *err;
} wl_ptx_executor;

/* Executes from *pc to `stop`, to the end of the threads, or to where the innermost open loop
 * starts its next iteration or is left. */
wl_status wl_ptx_execute_path(wl_ptx_executor *r, int32_t *pc, int32_t stop);

/* Executes a loop from its header until it is left: iterations that execute the same at once,
 * others one by one. */
wl_status wl_ptx_execute_loop(wl_ptx_executor *r, int32_t loop, int32_t *pc, int32_t stop);
/* Must be called before the counts of an instruction change. */
void wl_ptx_keep_counts(wl_ptx_executor *r, int32_t pc);
/* Ends the symbolic execution of loops here: the code that follows differs between iterations, or
 * leaves the loop. */
void wl_ptx_abandon_loop(wl_ptx_executor *r);
/* Is a condition the same in all iterations of the symbolic loops: decided in the same way, or
 * open? If not, the loop is undone and tried again with fewer iterations. */
bool wl_ptx_same_in_loops(wl_ptx_executor *r, const wl_symbol *condition);
/* Do equally many threads get here in all iterations of the symbolic loops, because neither the
 * condition nor that of the path depends on them? If not, a loop is unwound. For instructions that
 * are only counted: a step keeps its condition. */
bool wl_ptx_counts_in_loops(wl_ptx_executor *r, const wl_symbol *condition);
/* Whether an instruction is in the innermost symbolic loop, if there is one. */
bool wl_ptx_stays_in_loop(const wl_ptx_executor *r, int32_t pc);

/* The steps of both sides of a divergent branch: from begin, from middle to end. */
typedef struct wl_ptx_sides {
    const wl_symbol *first, *second; /* conditions of the sides */
    size_t begin, middle, end;
    bool first_ended, second_ended;
} wl_ptx_sides;
/* Traces the instructions that both sides execute, if the branch splits a warp. */
void wl_ptx_compare_sides(wl_ptx_executor *r, const wl_ptx_sides *sides);
/* Did lanes of a split warp that have ended execute this, too? Then it is traced. */
bool wl_ptx_is_left_behind(wl_ptx_executor *r, int32_t pc, const wl_symbol *when);

/* Executes an instruction that neither branches nor exits. condition: the lanes that execute it;
 * NULL: all lanes of the path. */
wl_status wl_ptx_execute_instruction(wl_ptx_executor *r, int32_t pc, const wl_symbol *condition);

/* Marks what an instruction writes as unknown. */
void wl_ptx_set_result_unknown(wl_ptx_executor *r, const wl_ptx_instruction *in, wl_ptx_cause cause);
/* Why the result of an instruction, or a register that it reads, is unknown. */
wl_ptx_cause wl_ptx_cause_of(const wl_ptx_executor *r, int32_t pc);

#endif /* WL_PTX_RECOVER_RECOVER_INTERNAL_H */
