/* recover.h - what a thread does to memory, as expressions of its coordinates.
 *
 * The kernel is followed once, for all threads together: registers hold symbols, arguments are numbers, loops run as
 * often as they say. A branch whose condition the launch decides is followed one way; one that parts the threads is
 * followed both ways, and what happens there gets the condition; one that depends on data is stepped over, and the
 * memory instructions inside it are *traced*: only emulation tells what they do.
 *
 * A test at the beginning that sends threads outside a box of cells home is the kernel's domain, and so is one that all
 * accesses have in common.
 *
 * Layer  ptx (uses base, kernel). Oracle: the emulator, on some warps of every kernel (verify.h).
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_RECOVER_H
#define WL_PTX_RECOVER_RECOVER_H

#include "ptx/emulate/emulate.h"
#include "ptx/recover/symbol.h"

/* One execution of a memory instruction by a thread. */
typedef struct wl_ptx_thread_access {
    int32_t instruction;
    bool store;               /* of an instruction that does both (cp.async): which */
    wl_ptx_space space;       /* global or shared */
    const wl_symbol *address; /* bytes, as the emulator counts them */
    const wl_symbol *when;    /* NULL: every thread of the domain */
} wl_ptx_thread_access;

typedef struct wl_ptx_recovery {
    wl_symbols symbols;
    wl_ptx_thread_access *steps; /* in the order of the program */
    size_t step_count, step_room;
    bool *traced;      /* by instruction: some execution's address or condition is not known */
    bool calls;        /* functions are called: what they touch is traced */
    int64_t domain[3]; /* 0: no limit but the grid */
    int64_t first[3];  /* threads below it have nothing to do, either */
    bool uniform;      /* all threads of the domain execute the same */
    double *executed;  /* by instruction: times a thread of the domain executes it, where uniform */
    double *idle;      /* the same for a thread outside */
    double barriers;
    bool gave_up; /* too long: everything is traced */
} wl_ptx_recovery;

/* Follows launch->entry. Memory comes from `arena`, but for the symbols. */
wl_status wl_ptx_recover(const wl_ptx_launch *launch, wl_arena *arena, wl_ptx_recovery *out, wl_error *err);
void wl_ptx_recovery_free(wl_ptx_recovery *recovery);

#endif /* WL_PTX_RECOVER_RECOVER_H */
