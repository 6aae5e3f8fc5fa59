/* unrolled_steps.h - the steps of a thread one by one; those of kept loops, once per trip.
 *
 * Layer  ptx/recover (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_RECOVER_UNROLLED_STEPS_H
#define WL_PTX_RECOVER_UNROLLED_STEPS_H

#include "kernel/kernel_internal.h"
#include "ptx/recover/recover.h"

/* One execution of a step: the trip of each kept loop around it, by variable. */
typedef struct wl_ptx_execution {
    size_t step; /* step_count: the end */
    int64_t trip[WL_LOOPS_MAX];
} wl_ptx_execution;

/* The first and the next execution, in program order, of the steps in a sorted list; list NULL:
 * of all steps. */
void wl_ptx_first_execution(const wl_ptx_recovery *recovery, const size_t *list, size_t count, wl_ptx_execution *out);
void wl_ptx_next_execution(const wl_ptx_recovery *recovery, const size_t *list, size_t count, wl_ptx_execution *at);

/* How often a thread executes a step, and all of them; WL_FAR: too often to be counted. */
int64_t wl_ptx_trips_of(const wl_ptx_recovery *recovery, size_t step);
int64_t wl_ptx_execution_count(const wl_ptx_recovery *recovery);

/* Writes the trips into the values of loop variables. */
void wl_ptx_set_trips(const wl_ptx_execution *at, int64_t values[WL_VAR_COUNT]);

#define WL_PTX_PLACES_MAX 256 /* constants in one address and its condition */

/* The constants of a step's symbols ("places": of the address, then of the condition). If it is
 * even, they grow by fixed amounts per trip of each loop, and the symbols differ in nothing
 * else. */
typedef struct wl_ptx_step_form {
    const wl_symbol *address, *when; /* in the first trips; address NULL: too large to be written */
    bool even;
    int places; /* -1: too many */
    int64_t *constants, *growth[WL_LOOPS_MAX];
} wl_ptx_step_form;
/* fix: the extents of block and grid become constants. */
wl_status wl_ptx_step_form_make(wl_ptx_recovery *recovery, size_t step, bool fix, wl_arena *arena,
                                wl_ptx_step_form *out, wl_error *err);

/* The symbols of one execution without loop variables; false: too large to be written. */
bool wl_ptx_symbols_at(wl_ptx_recovery *recovery, const wl_ptx_execution *at, bool fix, const wl_symbol **address,
                       const wl_symbol **when);
/* Their constants; -1: too many. */
int wl_ptx_constants_of(const wl_symbol *address, const wl_symbol *when, int64_t out[WL_PTX_PLACES_MAX]);

/* The order in which terms are visited to number constants: `order` gets their indices. */
void wl_ptx_term_order(const wl_symbol *symbol, int *order);

#endif /* WL_PTX_RECOVER_UNROLLED_STEPS_H */
