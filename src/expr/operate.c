/* operate.c - see operate.h. SPDX-License-Identifier: MIT */
#include "expr/operate.h"

#include "base/fail.h"

static wl_problem range(bool inside) { return inside ? WL_PROBLEM_NONE : WL_PROBLEM_RANGE; }

/* Rounds towards minus infinity; the remainder has the divisor's sign. */
static wl_problem divide(bool remainder, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return WL_PROBLEM_ZERO;
    const int64_t quotient = b > 0 ? wl_floor_div(a, b) : wl_floor_div(-a, -b);
    *out = remainder ? a - quotient * b : quotient;
    return WL_PROBLEM_NONE;
}

static wl_problem shift(bool left, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b > WL_SHIFT_MAX)
        return WL_PROBLEM_SHIFT;
    if (left)
        return range(wl_mul(a, (int64_t)1 << b, out));
    *out = wl_shift_down(a, (int)b);
    return WL_PROBLEM_NONE;
}

static wl_problem draw(int64_t key, int64_t n, int64_t *out)
{
    if (n <= 0)
        return WL_PROBLEM_EMPTY;
    *out = wl_random_below(key, n);
    return WL_PROBLEM_NONE;
}

wl_problem wl_operate(wl_expr_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case WL_EXPR_ADD: return range(wl_add(a, b, out));
    case WL_EXPR_SUB: return range(wl_add(a, -b, out));
    case WL_EXPR_MUL: return range(wl_mul(a, b, out));
    case WL_EXPR_DIV:
    case WL_EXPR_MOD: return divide(op == WL_EXPR_MOD, a, b, out);
    case WL_EXPR_MIN: *out = wl_min(a, b); break;
    case WL_EXPR_MAX: *out = wl_max(a, b); break;
    case WL_EXPR_RANDOM: return draw(a, b, out);
    case WL_EXPR_LESS: *out = a < b; break;
    case WL_EXPR_LESS_EQUAL: *out = a <= b; break;
    case WL_EXPR_EQUAL: *out = a == b; break;
    case WL_EXPR_UNEQUAL: *out = a != b; break;
    case WL_EXPR_BOTH: *out = a && b; break;
    case WL_EXPR_ANY: *out = a || b; break;
    case WL_EXPR_BIT_AND: return range(wl_add(a & b, 0, out));
    case WL_EXPR_BIT_OR: return range(wl_add(a | b, 0, out));
    case WL_EXPR_BIT_XOR: return range(wl_add(a ^ b, 0, out));
    case WL_EXPR_SHIFT_LEFT:
    case WL_EXPR_SHIFT_RIGHT: return shift(op == WL_EXPR_SHIFT_LEFT, a, b, out);
    case WL_EXPR_CONST:
    case WL_EXPR_VAR:
    case WL_EXPR_SELECT:
    case WL_EXPR_EITHER: break; /* not binary operators on numbers */
    }
    return WL_PROBLEM_NONE;
}

wl_status wl_operate_status(wl_problem problem, wl_loc loc, wl_error *err)
{
    switch (problem) {
    case WL_PROBLEM_NONE: return WL_OK;
    case WL_PROBLEM_ZERO: return wl_fail(err, WL_E_INPUT, loc, "division by zero");
    case WL_PROBLEM_RANGE: return wl_fail(err, WL_E_RANGE, loc, "the expression leaves the range +-2^60");
    case WL_PROBLEM_SHIFT: return wl_fail(err, WL_E_INPUT, loc, "a shift must be by 0 to %d", WL_SHIFT_MAX);
    case WL_PROBLEM_EMPTY: return wl_fail(err, WL_E_INPUT, loc, "random() needs a range above 0");
    }
    return WL_OK;
}

/* ---- 64-bit arithmetic that wraps ---- */

static uint64_t wrapping_quotient(bool remainder, bool is_unsigned, uint64_t a, uint64_t b)
{
    const int64_t x = (int64_t)a, y = (int64_t)b;
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (y == -1) /* INT64_MIN / -1 would overflow */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t wrapping_shift(bool left, bool is_unsigned, uint64_t a, uint64_t by)
{
    const bool negative = !is_unsigned && (int64_t)a < 0;
    if (by >= 64)
        return left || !negative ? 0 : UINT64_MAX;
    if (left)
        return a << by;
    return negative ? ~(~a >> by) : a >> by;
}

bool wl_operate_wrapping(wl_expr_op op, bool is_unsigned, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (op) {
    case WL_EXPR_ADD: *out = a + b; return true;
    case WL_EXPR_SUB: *out = a - b; return true;
    case WL_EXPR_MUL: *out = a * b; return true;
    case WL_EXPR_DIV:
    case WL_EXPR_MOD:
        if (b == 0)
            return false;
        *out = wrapping_quotient(op == WL_EXPR_MOD, is_unsigned, a, b);
        return true;
    case WL_EXPR_LESS: *out = is_unsigned ? a < b : (int64_t)a < (int64_t)b; return true;
    case WL_EXPR_LESS_EQUAL: *out = is_unsigned ? a <= b : (int64_t)a <= (int64_t)b; return true;
    case WL_EXPR_EQUAL: *out = a == b; return true;
    case WL_EXPR_UNEQUAL: *out = a != b; return true;
    case WL_EXPR_BOTH: *out = a && b; return true;
    case WL_EXPR_ANY: *out = a || b; return true;
    case WL_EXPR_BIT_AND: *out = a & b; return true;
    case WL_EXPR_BIT_OR: *out = a | b; return true;
    case WL_EXPR_BIT_XOR: *out = a ^ b; return true;
    case WL_EXPR_SHIFT_LEFT:
    case WL_EXPR_SHIFT_RIGHT: *out = wrapping_shift(op == WL_EXPR_SHIFT_LEFT, is_unsigned, a, b); return true;
    default: return false;
    }
}
