/* expr.h - integer expressions over a thread's coordinates, and their affine forms.
 *
 * An address is written as an expression; wherever it is affine once the launch is known, it becomes a
 * wl_form and is counted in closed form. What is left is evaluated lane by lane.
 *
 * Layer   kernel (uses base)
 * Oracle  tests/unit/test_expr.c; tests/property compare forms with evaluation
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_EXPR_H
#define WL_KERNEL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/interval.h"
#include "warpline/kernel.h"
#include "warpline/status.h"

/* What an expression may name. X..Z are global cell coordinates, L0.. the loop variables. */
typedef enum wl_var {
    WL_VAR_X,
    WL_VAR_Y,
    WL_VAR_Z, /* cell                 */
    WL_VAR_THREAD_X,
    WL_VAR_THREAD_Y,
    WL_VAR_THREAD_Z, /* threadIdx            */
    WL_VAR_BLOCK_X,
    WL_VAR_BLOCK_Y,
    WL_VAR_BLOCK_Z, /* blockIdx             */
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

typedef enum wl_expr_op {
    WL_EXPR_CONST,
    WL_EXPR_VAR,
    WL_EXPR_ADD,
    WL_EXPR_SUB,
    WL_EXPR_MUL,
    WL_EXPR_DIV,
    WL_EXPR_MOD,
    WL_EXPR_MIN,
    WL_EXPR_MAX,
    WL_EXPR_RANDOM, /* of a key: a number from 0 to below b that looks random, the same for the same key */
    WL_EXPR_LESS,
    WL_EXPR_LESS_EQUAL,
    WL_EXPR_EQUAL,
    WL_EXPR_UNEQUAL, /* comparisons, and the two below, give 1 or 0 */
    WL_EXPR_BOTH,
    WL_EXPR_ANY, /* && and ||: where a decides, b is not looked at */
    WL_EXPR_BIT_AND,
    WL_EXPR_BIT_OR,
    WL_EXPR_BIT_XOR,
    WL_EXPR_SHIFT_LEFT,
    WL_EXPR_SHIFT_RIGHT, /* rounds down; shifts are by 0 to 62 */
    WL_EXPR_SELECT,      /* b is an EITHER: its a where this a is not 0, else its b; only that one is looked at */
    WL_EXPR_EITHER       /* inside a SELECT only */
} wl_expr_op;

typedef struct wl_expr {
    wl_expr_op op;
    wl_var var;
    int64_t value;
    const struct wl_expr *a, *b;
    wl_loc loc;
} wl_expr;

/* c + sum k[v] * v */
typedef struct wl_form {
    int64_t c, k[WL_VAR_FORM_COUNT];
} wl_form;

/* What the variables may be at this launch: inclusive ranges; blockDim and gridDim are fixed. */
typedef struct wl_ranges {
    int64_t lo[WL_VAR_COUNT], hi[WL_VAR_COUNT];
} wl_ranges;

/* Sets *affine, and *form when it is. Division, remainder, min, max, comparisons and bits become affine where the
 * ranges decide them. WL_E_INPUT: division by zero, a shift out of range; WL_E_RANGE: a value leaves 2^60. */
wl_status wl_expr_form(const wl_expr *expr, const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err);

/* Inclusive bounds of an expression, not always the tightest; false when they are not known or leave 2^60. */
bool wl_expr_bounds(const wl_expr *expr, const wl_ranges *ranges, int64_t *lo, int64_t *hi);

/* Whether an expression is 0 wherever the ranges allow (0), nowhere (1), or that is not known (-1). */
wl_status wl_expr_truth(const wl_expr *expr, const wl_ranges *ranges, int *truth, wl_error *err);

/* Inclusive bounds of a form; false if they leave 2^60. */
bool wl_form_bounds(const wl_form *form, const wl_ranges *ranges, int64_t *lo, int64_t *hi);

/* The coordinates of up to WL_LANES_MAX lanes. */
#define WL_LANES_MAX 64
typedef struct wl_lane_values {
    int lanes;
    int64_t at[WL_VAR_COUNT][WL_LANES_MAX];
} wl_lane_values;
/* Evaluates an expression for all lanes, plainly: what program.h, which the library uses, is tested against. */
wl_status wl_expr_eval(const wl_expr *expr, const wl_lane_values *values, int64_t *out, wl_error *err);

/* The same for one lane. */
wl_status wl_expr_eval_lane(const wl_expr *expr, const wl_lane_values *values, int lane, int64_t *out, wl_error *err);

/* Which variables an expression names, as a bit set. */
uint32_t wl_expr_vars(const wl_expr *expr);

/* Whether an expression is its value at the first loop step plus step times a constant, loop by loop; the constants. */
bool wl_expr_loop_strides(const wl_expr *expr, int64_t strides[3]);

/* random(key, n), n > 0. */
static inline int64_t wl_random_below(int64_t key, int64_t n)
{
    uint64_t z = (uint64_t)key * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    z = (z ^ z >> 29) * 0xa0761d6478bd642fu;
    return (int64_t)((z ^ z >> 32) % (uint64_t)n);
}

/* Whether it draws random numbers. */
bool wl_expr_is_random(const wl_expr *expr);

/* Whether it names anything but cells and loop variables. */
bool wl_expr_depends_on_launch(const wl_expr *expr);

#endif /* WL_KERNEL_EXPR_H */
