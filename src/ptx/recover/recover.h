/* recover.h - symbolic execution: the memory accesses of a thread as expressions of its
 * coordinates.
 *
 * The kernel is executed once, for all threads together. Registers hold symbols, arguments are
 * numbers. If the launch decides a branch, only that side is executed. Of a divergent branch both
 * sides are executed, and the accesses of each side get its condition. A branch that depends on
 * data is skipped, and the memory instructions in its region are *traced*: their addresses come
 * from emulation. A loop whose registers provably grow by equal amounts is executed once, for all
 * its iterations together (recover_loops.c); other loops run for their real trip count.
 *
 * An early exit of the threads outside a box of cells defines the kernel's domain. So does a
 * condition that all accesses share.
 *
 * Layer  ptx/recover (uses base, kernel, ptx/module, ptx/emulate). Oracle: the emulator, on some
 * warps of every kernel (ptx/kernel/verify.c). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_H
#define WL_PTX_RECOVER_RECOVER_H

#include "kernel/idle_stage.h"
#include "ptx/emulate/emulate.h"
#include "ptx/recover/symbol.h"

#define WL_PTX_STEPS_MAX (1 << 18) /* per thread, one by one */

/* A step: one execution of a memory instruction by a thread, or one per trip of its loops. */
typedef struct wl_ptx_thread_access {
    int32_t instruction;
    /* for an instruction that both loads and stores (cp.async): which of the two */
    bool store;
    wl_ptx_space space;       /* global or shared */
    const wl_symbol *address; /* bytes, as the emulator counts them */
    const wl_symbol *when;    /* NULL: every thread of the domain */
    int32_t loop;             /* the innermost loop that was kept; -1: none */
} wl_ptx_thread_access;

/* A register that grows evenly: its value at the header is first + k * growth in iteration k. */
typedef struct wl_ptx_induction {
    int32_t reg;
    const wl_symbol *first, *growth;
} wl_ptx_induction;

/* A loop that was kept: its steps are executed `trips` times. Their symbols name its variable,
 * which counts the trips from 0. */
typedef struct wl_ptx_kept_loop {
    int32_t header; /* instruction */
    int32_t parent; /* the kept loop around it; -1: none */
    wl_var var;
    int64_t trips;
    size_t first, end; /* its steps */
    /* A trip may take the back edge several times (double buffering); from this step on, it is
     * the last time. */
    size_t last_part;
    const wl_ptx_induction *inductions;
    int induction_count;
} wl_ptx_kept_loop;

/* Why something is not known symbolically, most telling first. */
typedef enum wl_ptx_why {
    WL_PTX_WHY_DATA,      /* it depends on the contents of memory */
    WL_PTX_WHY_FLOAT,     /* it is computed with floating-point numbers */
    WL_PTX_WHY_OPERATION, /* the operation `at` is not supported symbolically */
    WL_PTX_WHY_LONG,      /* the expression of `at` is too long */
    WL_PTX_WHY_DEEP,      /* too many divergent branches are open at `at` */
    WL_PTX_WHY_IRREGULAR, /* too many executions without a pattern */
    WL_PTX_WHY_MANY,      /* the kernel has too many different accesses */
    WL_PTX_WHY_SPLIT,     /* the lanes of a warp reach it on several paths */
    WL_PTX_WHY_RARE,      /* few warps execute it, by an irregular condition */
    WL_PTX_WHY_SWAPS,     /* how often it is executed depends on who meets at an address */
    WL_PTX_WHY_COUNT
} wl_ptx_why;
typedef struct wl_ptx_cause {
    wl_ptx_why why;
    int32_t at; /* instruction */
} wl_ptx_cause;

/* An exit of threads outside the domain. */
typedef struct wl_ptx_exit {
    int64_t first[3], domain[3]; /* the domain so far: threads outside of it have exited */
    double *executed;            /* by instruction: executions of a thread that exits here */
} wl_ptx_exit;

typedef struct wl_ptx_recovery {
    wl_symbols symbols;
    wl_ptx_thread_access *steps; /* in program order */
    size_t step_count, step_room;
    wl_ptx_kept_loop *loops;
    int32_t loop_count;
    size_t loop_room;
    /* by instruction: address or condition of some execution is unknown */
    bool *traced;
    wl_ptx_cause *cause; /* why it is traced */
    bool calls;          /* there are calls: accesses of callees are traced */
    int64_t domain[3];   /* 0: limited by the grid only */
    int64_t first[3];    /* threads with lower coordinates are outside, too */
    /* all threads of the domain execute the same instructions */
    bool uniform;
    /* by instruction: executions per thread of the domain, if uniform */
    double *executed;
    double *on; /* of these: executions whose guard is true */
    /* exits of threads outside the domain, in order */
    wl_ptx_exit exits[WL_IDLE_STAGES_MAX + 1];
    int exit_count;
    /* not all threads outside the domain take these exits, or their warps execute more */
    bool idle_differs;
    double barriers;
    bool gave_up; /* everything is traced */
    /* too much work, or too long a condition, from this instruction on; -1: neither */
    int32_t gave_up_at;
} wl_ptx_recovery;

/* Executes launch->entry symbolically. Memory comes from `arena`, except for symbols. */
wl_status wl_ptx_recover(const wl_ptx_launch *launch, wl_arena *arena, wl_ptx_recovery *out, wl_error *err);
/* Marks an instruction as traced; the first cause counts. */
void wl_ptx_trace(wl_ptx_recovery *recovery, int32_t instruction, wl_ptx_cause cause);
/* The coordinates of one thread, and whether they are in the domain. */
void wl_ptx_thread_values(const wl_ptx_launch *launch, const int64_t block[3], int64_t thread,
                          int64_t values[WL_VAR_COUNT]);
bool wl_ptx_in_domain(const wl_ptx_recovery *recovery, const int64_t values[WL_VAR_COUNT]);
void wl_ptx_recovery_free(wl_ptx_recovery *recovery);

#endif /* WL_PTX_RECOVER_RECOVER_H */
