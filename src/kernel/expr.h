/* expr.h - expressions over thread coordinates, and their affine forms.
 *
 * Where an address is affine once the launch is known, it becomes a wl_form and is counted in
 * closed form. Everything else is evaluated lane by lane.
 *
 * Layer  kernel (uses base, expr). Units: elements of a field.
 * Oracle  tests/unit/test_expr.c; tests/property compare forms with evaluation
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_EXPR_H
#define WL_KERNEL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "expr/tree.h"
#include "warpline/kernel.h"
#include "warpline/status.h"

/* The variables of an expression: X..Z are global cell coordinates, LOOP_0.. the loop variables. */
typedef enum wl_var {
    WL_VAR_X,
    WL_VAR_Y,
    WL_VAR_Z, /* cell */
    WL_VAR_THREAD_X,
    WL_VAR_THREAD_Y,
    WL_VAR_THREAD_Z, /* threadIdx */
    WL_VAR_BLOCK_X,
    WL_VAR_BLOCK_Y,
    WL_VAR_BLOCK_Z, /* blockIdx */
    WL_VAR_LOOP_0,
    WL_VAR_LOOP_1,
    WL_VAR_LOOP_2,
    WL_VAR_FORM_COUNT, /* forms range over the above */
    WL_VAR_BLOCKDIM_X = WL_VAR_FORM_COUNT,
    WL_VAR_BLOCKDIM_Y,
    WL_VAR_BLOCKDIM_Z,
    WL_VAR_GRIDDIM_X,
    WL_VAR_GRIDDIM_Y,
    WL_VAR_GRIDDIM_Z,
    WL_VAR_COUNT
} wl_var;

/* c + sum k[v] * v */
typedef struct wl_form {
    int64_t c, k[WL_VAR_FORM_COUNT];
} wl_form;

/* floor(rest / divisor), which is between lo and hi by the ranges and assumed to be `value`. */
typedef struct wl_quotient {
    wl_form rest;
    int64_t divisor, lo, hi, value;
} wl_quotient;

#define WL_QUOTIENTS_MAX 3
typedef struct wl_quotients {
    int count;
    wl_quotient known[WL_QUOTIENTS_MAX];
    bool has_open; /* a form needs a further quotient: `open` */
    wl_quotient open;
    /* cells of a block if each thread has one, so that a cell is thread + block * blockIdx; else
     * 0 */
    int64_t block[3];
} wl_quotients;

/* Inclusive ranges of the variables at this launch; blockDim and gridDim are fixed. */
typedef struct wl_ranges {
    int64_t lo[WL_VAR_COUNT], hi[WL_VAR_COUNT];
    wl_quotients *quotients; /* assumed values; NULL: none, and open ones are not recorded */
} wl_ranges;

/* Sets *affine, and *form if so. Division, remainder, min, max, comparisons and bit operations
 * become affine where the ranges decide them. WL_E_INPUT: division by zero, shift out of range.
 * WL_E_RANGE: beyond +-2^60. */
wl_status wl_expr_form(const wl_expr *expr, const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err);

/* Inclusive bounds of an expression, not necessarily tight; false when unknown or beyond +-2^60. */
bool wl_expr_bounds(const wl_expr *expr, const wl_ranges *ranges, int64_t *lo, int64_t *hi);

/* For all values in the ranges: no operation fails, no value exceeds +-2^60. False: perhaps one
 * does. */
bool wl_expr_never_fails(const wl_expr *expr, const wl_ranges *ranges);

/* For all values in the ranges: 0 if it is always 0, 1 if it never is, -1 if unknown. */
wl_status wl_expr_truth(const wl_expr *expr, const wl_ranges *ranges, int *truth, wl_error *err);

/* Inclusive bounds of a form; false beyond +-2^60. */
bool wl_form_bounds(const wl_form *form, const wl_ranges *ranges, int64_t *lo, int64_t *hi);

/* The coordinates of up to WL_LANES_MAX lanes. */
#define WL_LANES_MAX 64
typedef struct wl_lane_values {
    int lanes;
    int64_t at[WL_VAR_COUNT][WL_LANES_MAX];
} wl_lane_values;
/* Plain evaluation for all lanes: the oracle for program.h, which the library uses. */
wl_status wl_expr_eval(const wl_expr *expr, const wl_lane_values *values, int64_t *out, wl_error *err);

/* The same for one lane. */
wl_status wl_expr_eval_lane(const wl_expr *expr, const wl_lane_values *values, int lane, int64_t *out, wl_error *err);

/* Does the expression advance by a constant per step of each loop? Returns those constants. */
bool wl_expr_loop_strides(const wl_expr *expr, int64_t strides[3]);

/* Does it name anything but cells and loop variables? */
bool wl_expr_depends_on_launch(const wl_expr *expr);

#endif /* WL_KERNEL_EXPR_H */
