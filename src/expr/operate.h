/* operate.h - the operators of expressions and their arithmetic on integers.
 *
 * There are two kinds. Kernel files and launches: checked, within +-2^60, division rounds down.
 * PTX: 64 bits that wrap around, division truncates, signed or unsigned.
 *
 * Layer  expr (uses base). Oracle: tests/unit/test_expr.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_EXPR_OPERATE_H
#define WL_EXPR_OPERATE_H

#include <stdint.h>

#include "base/interval.h"
#include "warpline/status.h"

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
    WL_EXPR_RANDOM, /* random(key, b): pseudo-random in 0 .. b - 1, a function of the key */
    WL_EXPR_LESS,
    WL_EXPR_LESS_EQUAL,
    WL_EXPR_EQUAL,
    WL_EXPR_UNEQUAL, /* comparisons, and the two below, give 1 or 0 */
    WL_EXPR_BOTH,
    WL_EXPR_ANY, /* && and || short-circuit */
    WL_EXPR_BIT_AND,
    WL_EXPR_BIT_OR,
    WL_EXPR_BIT_XOR,
    WL_EXPR_SHIFT_LEFT,
    WL_EXPR_SHIFT_RIGHT, /* rounds down; shift counts are 0 to WL_SHIFT_MAX */
    /* b is an EITHER: its a if this a is not 0, else its b; only that one is evaluated */
    WL_EXPR_SELECT,
    WL_EXPR_EITHER /* inside a SELECT only */
} wl_expr_op;

static inline bool wl_op_compares(wl_expr_op op) { return op >= WL_EXPR_LESS && op <= WL_EXPR_UNEQUAL; }

typedef enum wl_problem {
    WL_PROBLEM_NONE,
    WL_PROBLEM_ZERO,  /* division by zero */
    WL_PROBLEM_RANGE, /* beyond 2^60 */
    WL_PROBLEM_SHIFT, /* shift count out of range */
    WL_PROBLEM_EMPTY  /* random() of an empty range */
} wl_problem;

/* a op b, checked; on a problem *out is left alone. */
wl_problem wl_operate(wl_expr_op op, int64_t a, int64_t b, int64_t *out);
/* Turns a problem into an error; WL_OK if there is none. */
wl_status wl_operate_status(wl_problem problem, wl_loc loc, wl_error *err);

/* a op b in PTX, both unsigned or both signed. False: division by zero, or not a PTX operator. */
bool wl_operate_wrapping(wl_expr_op op, bool is_unsigned, uint64_t a, uint64_t b, uint64_t *out);

/* random(key, n), n > 0. */
static inline int64_t wl_random_below(int64_t key, int64_t n)
{
    uint64_t z = (uint64_t)key * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    z = (z ^ z >> 29) * 0xa0761d6478bd642fu;
    z ^= z >> 32;
    const uint64_t below = (uint64_t)n, power = below & (below - 1);
    /* dividing takes longer than all the rest */
    return (int64_t)(power == 0 ? z & (below - 1) : z % below);
}

#endif /* WL_EXPR_OPERATE_H */
