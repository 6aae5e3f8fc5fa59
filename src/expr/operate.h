/* operate.h - the operators of expressions, and what they make of numbers.
 *
 * Two kinds of arithmetic: that of kernel files and launches, where numbers stay within 2^60 and division rounds down;
 * and that of PTX, 64 bits that wrap around and division towards 0, signed or not. Layer  expr (uses base).
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
    WL_EXPR_SHIFT_RIGHT, /* rounds down; shifts are by 0 to WL_SHIFT_MAX */
    WL_EXPR_SELECT,      /* b is an EITHER: its a where this a is not 0, else its b; only that one is looked at */
    WL_EXPR_EITHER       /* inside a SELECT only */
} wl_expr_op;

static inline bool wl_op_compares(wl_expr_op op) { return op >= WL_EXPR_LESS && op <= WL_EXPR_UNEQUAL; }

typedef enum wl_problem {
    WL_PROBLEM_NONE,
    WL_PROBLEM_ZERO,  /* division by zero */
    WL_PROBLEM_RANGE, /* beyond 2^60 */
    WL_PROBLEM_SHIFT, /* by too much */
    WL_PROBLEM_EMPTY  /* a random number below 1 */
} wl_problem;

/* a op b, checked; *out is left alone where there is a problem. */
wl_problem wl_operate(wl_expr_op op, int64_t a, int64_t b, int64_t *out);
/* Fails with what the problem is; WL_OK where there is none. */
wl_status wl_operate_status(wl_problem problem, wl_loc loc, wl_error *err);

/* a op b in PTX, both unsigned or both signed. False: division by zero, or an operator that PTX does not have. */
bool wl_operate_wrapping(wl_expr_op op, bool is_unsigned, uint64_t a, uint64_t b, uint64_t *out);

/* random(key, n), n > 0. */
static inline int64_t wl_random_below(int64_t key, int64_t n)
{
    uint64_t z = (uint64_t)key * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    z = (z ^ z >> 29) * 0xa0761d6478bd642fu;
    return (int64_t)((z ^ z >> 32) % (uint64_t)n);
}

#endif /* WL_EXPR_OPERATE_H */
