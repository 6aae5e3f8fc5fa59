/* symbol_ops.c - quotients, bits, conditions, and registers that wrap around. See symbol.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/ckd.h"
#include "ptx/recover/symbol_internal.h"

static const wl_symbol *operation(wl_symbols *s, wl_atom_op op, const wl_symbol *a, const wl_symbol *b)
{
    return a && b ? wl_symbol_of(s, &(wl_atom){.op = op, .a = a, .b = b}) : NULL;
}

/* ---- quotients ---- */

/* a / d where d divides every factor. */
static const wl_symbol *divide_exactly(wl_symbols *s, const wl_symbol *a, int64_t d)
{
    if (!a)
        return NULL;
    const wl_symbol *sum = wl_sym_const(s, a->c / d);
    for (int i = 0; i < a->count; i++)
        sum = wl_sym_add(s, sum, wl_symbol_keep(s, 0, &(wl_term){a->terms[i].k / d, a->terms[i].atom}, 1));
    return sum;
}

static int64_t common_factor(const wl_symbol *a)
{
    int64_t g = 0;
    for (int i = 0; i < a->count; i++)
        g = wl_gcd(g, a->terms[i].k);
    return g;
}

/* floor(a / d) where d divides the factors of all atoms, but not necessarily the constant. */
static const wl_symbol *divide_factors(wl_symbols *s, const wl_symbol *a, int64_t d)
{
    return wl_sym_add(s, divide_exactly(s, wl_sym_sub(s, a, wl_sym_const(s, a->c)), d),
                      wl_sym_const(s, wl_floor_div(a->c, d)));
}

/* The d for which floor(a * factor / 2^shift) is floor(a / d): compilers divide by a constant
 * this way. It holds for 0 <= a <= hi if factor * d exceeds 2^shift by less than 2^shift / hi. */
static int64_t divisor_of(int64_t factor, int shift, int64_t hi)
{
    const wl_wide power = (wl_wide)1 << shift;
    const wl_wide least = (power + factor - 1) / factor; /* smallest d that is not too small */
    if (least >= WL_ADDRESS_LIMIT)
        return 0;
    const int64_t d = (int64_t)least, excess = (int64_t)((wl_wide)factor * d - power);
    return (wl_wide)excess * hi < power ? d : 0;
}

const wl_symbol *wl_sym_scaled(wl_symbols *s, const wl_symbol *a, int64_t factor, int shift)
{
    if (!a || !wl_in_range(factor) || shift < 0 || shift > 96)
        return NULL;
    if (factor < 0 && shift <= 62) { /* integer multiples of a are split off */
        const int64_t power = (int64_t)1 << shift, times = wl_ceil_div(-factor, power);
        return wl_sym_sub(s, wl_sym_scaled(s, a, factor + times * power, shift), wl_sym_scale(s, a, times));
    }
    const wl_interval b = wl_sym_bounds(s, a, WL_AT_LAUNCH);
    if (factor <= 0 || b.lo < 0 || !wl_interval_is_known(b))
        return factor == 0 ? wl_sym_const(s, 0) : NULL;
    const int64_t d = divisor_of(factor, shift, b.hi);
    if (d > 0)
        return wl_sym_div(s, a, wl_sym_const(s, d));
    if (shift <= 60 && (wl_wide)b.hi * factor < WL_FAR)
        return wl_sym_div(s, wl_sym_scale(s, a, factor), wl_sym_const(s, (int64_t)1 << shift));
    return wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_SCALED, .a = a, .factor = factor, .shift = shift});
}

static const wl_symbol *divide_by_const(wl_symbols *s, const wl_symbol *a, int64_t d)
{
    if (d == 1 || !a)
        return a;
    if (wl_sym_is_const(a))
        return wl_sym_const(s, wl_floor_div(a->c, d));
    if (common_factor(a) % d == 0)
        return divide_factors(s, a, d);
    const wl_interval b = wl_sym_bounds(s, a, WL_AT_LAUNCH);
    /* a lies in one period of d */
    if (wl_interval_is_known(b) && wl_floor_div(b.lo, d) == wl_floor_div(b.hi, d)) {
        const wl_interval any = wl_sym_bounds(s, a, WL_AT_ANY_LAUNCH);
        if (!wl_interval_is_known(any) || wl_floor_div(any.lo, d) != wl_floor_div(any.hi, d))
            s->launch_bound = true;
        return wl_sym_const(s, wl_floor_div(b.lo, d));
    }
    if (wl_sym_is_atom(a)) {
        const wl_atom *inner = a->terms[0].atom;
        int64_t both;
        if (inner->op == WL_ATOM_DIV && wl_sym_is_const(inner->b) && wl_mul(inner->b->c, d, &both))
            return divide_by_const(s, inner->a, both);
        if (inner->op == WL_ATOM_SCALED && wl_is_pow2(d))
            return wl_sym_scaled(s, inner->a, inner->factor, inner->shift + wl_log2(d));
    }
    const int64_t g = common_factor(a);
    const wl_symbol *part = wl_is_pow2(d) && g > 1 && a->c == 0 ? divide_exactly(s, a, g) : NULL;
    if (part) {
        const wl_interval of_part = wl_sym_bounds(s, part, WL_AT_LAUNCH);
        const int64_t unmasked =
            of_part.lo >= 0 && wl_interval_is_known(of_part) ? divisor_of(g, wl_log2(d), of_part.hi) : 0;
        if (unmasked > 0)
            return wl_sym_div(s, part, wl_sym_const(s, unmasked));
    }
    const int64_t shared = wl_gcd(g, d);
    if (shared > 1) /* floor((g x + c) / d): the part of c below g has no effect */
        return divide_by_const(s, divide_factors(s, a, shared), d / shared);
    return operation(s, WL_ATOM_DIV, a, wl_sym_const(s, d));
}

const wl_symbol *wl_sym_div(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    if (!a || !b)
        return NULL;
    if (wl_sym_is_const(b))
        return b->c > 0   ? divide_by_const(s, a, b->c)
               : b->c < 0 ? divide_by_const(s, wl_sym_scale(s, a, -1), -b->c)
                          : NULL;
    if (wl_sym_bounds(s, b, WL_AT_LAUNCH).lo <= 0)
        return NULL;
    if (a == b)
        return wl_sym_const(s, 1);
    return operation(s, WL_ATOM_DIV, a, b);
}

const wl_symbol *wl_sym_mod(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    if (!a || !b)
        return NULL;
    if (!wl_sym_is_const(b))
        return wl_sym_bounds(s, b, WL_AT_LAUNCH).lo > 0 ? operation(s, WL_ATOM_MOD, a, b) : NULL;
    if (b->c <= 0)
        return NULL;
    if (common_factor(a) % b->c == 0)
        return wl_sym_const(s, wl_floor_mod(a->c, b->c));
    const wl_symbol *quotient = divide_by_const(s, a, b->c);
    if (wl_sym_is_const(quotient))
        return wl_sym_sub(s, a, wl_sym_const(s, quotient->c * b->c));
    /* multiples of b vanish, and an inner remainder by a multiple of b is redundant */
    wl_symbol const *rest = wl_sym_const(s, wl_floor_mod(a->c, b->c));
    for (int i = 0; i < a->count; i++) {
        const wl_atom *atom = a->terms[i].atom;
        if (a->terms[i].k % b->c == 0)
            continue;
        if (atom->op == WL_ATOM_MOD && wl_sym_is_const(atom->b) && atom->b->c % b->c == 0)
            rest = wl_sym_add(s, rest, wl_sym_scale(s, atom->a, a->terms[i].k));
        else
            rest = wl_sym_add(s, rest, wl_symbol_keep(s, 0, &a->terms[i], 1));
    }
    if (rest && rest != a && wl_interval_is_known(wl_sym_bounds(s, rest, WL_AT_LAUNCH)))
        return wl_sym_mod(s, rest, b);
    return operation(s, WL_ATOM_MOD, a, b);
}

const wl_symbol *wl_sym_quotient(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    if (!a || !b)
        return NULL;
    if (wl_sym_is_const(b) && b->c < 0)
        return wl_sym_scale(s, wl_sym_quotient(s, a, wl_sym_const(s, -b->c)), -1);
    if (wl_sym_bounds(s, a, WL_AT_LAUNCH).lo >= 0)
        return wl_sym_div(s, a, b);
    if (wl_sym_is_const(a) && wl_sym_is_const(b))
        return b->c ? wl_sym_const(s, a->c / b->c) : NULL;
    /* for a < 0, rounding up equals rounding a + b - 1 down */
    const wl_symbol *negative = wl_sym_not(s, wl_sym_not_negative(s, a));
    return wl_sym_div(s, wl_sym_add(s, a, wl_sym_mul(s, negative, wl_sym_sub(s, b, wl_sym_const(s, 1)))), b);
}

/* ---- minimum, maximum, bits ---- */

const wl_symbol *wl_sym_extreme(wl_symbols *s, bool largest, const wl_symbol *a, const wl_symbol *b)
{
    if (!a || !b)
        return NULL;
    if (a == b)
        return a;
    if (wl_sym_is_const(a) && wl_sym_is_const(b))
        return (a->c > b->c) == largest ? a : b;
    const bool swap = wl_sym_is_const(a); /* constants last */
    return operation(s, largest ? WL_ATOM_MAX : WL_ATOM_MIN, swap ? b : a, swap ? a : b);
}

/* Does `power` divide it for all values of its atoms? */
static bool is_multiple_of(const wl_symbol *a, int64_t power)
{
    return common_factor(a) % power == 0 && a->c % power == 0;
}

static const wl_symbol *and_mask(wl_symbols *s, const wl_symbol *a, int64_t mask)
{
    if (mask == 0)
        return wl_sym_const(s, 0);
    const int low = __builtin_ctzll((unsigned long long)mask);
    const int64_t bits = mask >> low;
    if (mask < 0 ? bits != -1 : (bits & (bits + 1)) != 0)
        return NULL;
    /* a mask with one run of ones: a mod 2^top less a mod 2^bottom; negative: no top */
    const wl_symbol *below_top = mask < 0 ? a : wl_sym_mod(s, a, wl_sym_const(s, mask + ((int64_t)1 << low)));
    return wl_sym_sub(s, below_top, wl_sym_mod(s, a, wl_sym_const(s, (int64_t)1 << low)));
}

const wl_symbol *wl_sym_bits(wl_symbols *s, wl_atom_op op, const wl_symbol *a, const wl_symbol *b)
{
    if (!a || !b)
        return NULL;
    if (wl_sym_is_const(a)) {
        const wl_symbol *swap = a;
        a = b;
        b = swap;
    }
    if (wl_sym_is_const(a) && wl_sym_is_const(b))
        return wl_sym_const(s, op == WL_ATOM_AND ? a->c & b->c : op == WL_ATOM_OR ? a->c | b->c : a->c ^ b->c);
    if (wl_sym_is_const(b) && b->c == 0)
        return op == WL_ATOM_AND ? b : a;
    if (op == WL_ATOM_AND && wl_sym_is_const(b)) {
        const wl_symbol *masked = b->c < ((int64_t)1 << 60) ? and_mask(s, a, b->c) : NULL;
        if (masked)
            return masked;
    }
    const wl_interval of_a = wl_sym_bounds(s, a, WL_AT_LAUNCH), of_b = wl_sym_bounds(s, b, WL_AT_LAUNCH);
    if (of_a.lo < 0 || of_b.lo < 0 || !wl_interval_is_known(of_a) || !wl_interval_is_known(of_b))
        return NULL;
    /* all bits that the other can have are set */
    if (op == WL_ATOM_OR && wl_sym_is_const(b) && wl_is_pow2(b->c + 1) &&
        wl_sym_bounds(s, a, WL_AT_ANY_LAUNCH).lo >= 0 && wl_sym_bounds(s, a, WL_AT_ANY_LAUNCH).hi <= b->c)
        return b;
    if (op != WL_ATOM_AND) { /* disjoint bits add up */
        for (int shift = 1; shift < 60; shift++) {
            const int64_t power = (int64_t)1 << shift;
            if ((is_multiple_of(a, power) && of_b.hi < power) || (is_multiple_of(b, power) && of_a.hi < power))
                return wl_sym_add(s, a, b);
        }
    }
    return operation(s, op, a, b);
}

/* ---- conditions ---- */

bool wl_sym_decided(wl_symbols *s, const wl_symbol *a, int64_t *value)
{
    if (!a)
        return false;
    const wl_interval here = wl_sym_bounds(s, a, WL_AT_LAUNCH);
    if (here.lo != here.hi || !wl_interval_is_known(here))
        return false;
    const wl_interval any = wl_sym_bounds(s, a, WL_AT_ANY_LAUNCH);
    if (any.lo != any.hi)
        s->launch_bound = true;
    *value = here.lo;
    return true;
}

const wl_symbol *wl_sym_not_negative(wl_symbols *s, const wl_symbol *a)
{
    if (!a)
        return NULL;
    if (wl_sym_is_const(a))
        return wl_sym_const(s, a->c >= 0);
    const int64_t g = common_factor(a); /* g x + c >= 0 is x + floor(c / g) >= 0 */
    if (g > 1)
        a = divide_factors(s, a, g);
    return a ? wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_GE0, .a = a}) : NULL;
}

const wl_symbol *wl_sym_is_zero(wl_symbols *s, const wl_symbol *a)
{
    if (!a)
        return NULL;
    if (wl_sym_is_const(a))
        return wl_sym_const(s, a->c == 0);
    if (a->terms[0].k < 0)
        a = wl_sym_scale(s, a, -1);
    return a ? wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_EQ0, .a = a}) : NULL;
}

/* The atom of a condition that is a single atom, or NULL. */
static const wl_atom *plain(const wl_symbol *condition)
{
    return wl_sym_is_atom(condition) ? condition->terms[0].atom : NULL;
}

const wl_symbol *wl_sym_not(wl_symbols *s, const wl_symbol *condition)
{
    if (!condition)
        return NULL;
    const wl_atom *atom = plain(condition);
    if (atom && atom->op == WL_ATOM_GE0) /* not (a >= 0) is -a - 1 >= 0 */
        return wl_sym_not_negative(s, wl_sym_sub(s, wl_sym_const(s, -1), atom->a));
    if (atom && (atom->op == WL_ATOM_BOTH || atom->op == WL_ATOM_EITHER)) {
        const wl_symbol *not_a = wl_sym_not(s, atom->a), *not_b = wl_sym_not(s, atom->b);
        return atom->op == WL_ATOM_BOTH ? wl_sym_either(s, not_a, not_b) : wl_sym_both(s, not_a, not_b);
    }
    return wl_sym_sub(s, wl_sym_const(s, 1), condition);
}

static const wl_symbol *connect(wl_symbols *s, wl_atom_op op, const wl_symbol *a, const wl_symbol *b)
{
    const int64_t decides = op == WL_ATOM_EITHER; /* the value that decides the result */
    if (a && wl_sym_is_const(a))
        return a->c == decides ? a : b;
    if (b && wl_sym_is_const(b))
        return b->c == decides ? b : a;
    return a == b ? a : operation(s, op, a, b);
}

const wl_symbol *wl_sym_both(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    return connect(s, WL_ATOM_BOTH, a, b);
}

const wl_symbol *wl_sym_either(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    return connect(s, WL_ATOM_EITHER, a, b);
}

const wl_symbol *wl_sym_select(wl_symbols *s, const wl_symbol *condition, const wl_symbol *a, const wl_symbol *b)
{
    int64_t value;
    if (a == b)
        return a;
    if (condition && wl_sym_decided(s, condition, &value))
        return value ? a : b;
    if (!condition || !a || !b)
        return NULL;
    if (wl_sym_is_const(a) && wl_sym_is_const(b) && a->c == 1 && b->c == 0)
        return condition;
    return wl_symbol_of(s, &(wl_atom){.op = WL_ATOM_SELECT, .a = a, .b = b, .c = condition});
}

/* ---- wrap-around ---- */

const wl_symbol *wl_sym_wrap(wl_symbols *s, const wl_symbol *a, int bits, bool is_signed)
{
    if (!a || bits < 1)
        return NULL;
    const wl_interval b = wl_sym_bounds(s, a, WL_AT_LAUNCH);
    if (bits >= 62) /* any number with known bounds fits */
        return wl_interval_is_known(b) && (is_signed || b.lo >= 0) ? a : NULL;
    const int64_t power = (int64_t)1 << bits, half = is_signed ? power / 2 : 0;
    if (b.lo >= -half && b.hi < power - half)
        return a;
    if (b.lo <= -WL_ADDRESS_LIMIT || b.hi >= WL_ADDRESS_LIMIT)
        return NULL;
    const wl_symbol *moved = wl_sym_add(s, a, wl_sym_const(s, half));
    return wl_sym_sub(s, wl_sym_mod(s, moved, wl_sym_const(s, power)), wl_sym_const(s, half));
}

/* ---- other operands, coordinates as constants ---- */

/* The same operation on other operands. */
static const wl_symbol *rebuilt(wl_symbols *s, const wl_atom *atom, const wl_symbol *a, const wl_symbol *b,
                                const wl_symbol *c)
{
    switch (atom->op) {
    case WL_ATOM_PRODUCT: return wl_sym_mul(s, a, b);
    case WL_ATOM_DIV: return wl_sym_div(s, a, b);
    case WL_ATOM_MOD: return wl_sym_mod(s, a, b);
    case WL_ATOM_SCALED: return wl_sym_scaled(s, a, atom->factor, atom->shift);
    case WL_ATOM_MIN: return wl_sym_extreme(s, false, a, b);
    case WL_ATOM_MAX: return wl_sym_extreme(s, true, a, b);
    case WL_ATOM_GE0: return wl_sym_not_negative(s, a);
    case WL_ATOM_EQ0: return wl_sym_is_zero(s, a);
    case WL_ATOM_BOTH: return wl_sym_both(s, a, b);
    case WL_ATOM_EITHER: return wl_sym_either(s, a, b);
    case WL_ATOM_SELECT: return wl_sym_select(s, c, a, b);
    default: return wl_sym_bits(s, atom->op, a, b);
    }
}

static const wl_symbol *fix_atom(wl_symbols *s, wl_atom *atom)
{
    if (atom->op == WL_ATOM_VAR)
        return atom->var >= WL_VAR_BLOCKDIM_X ? wl_sym_const(s, s->vars[WL_AT_LAUNCH][atom->var].lo)
                                              : wl_sym_var(s, atom->var);
    const wl_symbol *a = wl_sym_fix(s, atom->a), *b = wl_sym_fix(s, atom->b), *c = wl_sym_fix(s, atom->c);
    return rebuilt(s, atom, a, b, c);
}

const wl_symbol *wl_sym_fix(wl_symbols *s, const wl_symbol *a)
{
    if (!a)
        return NULL;
    const wl_symbol *sum = wl_sym_const(s, a->c);
    for (int i = 0; i < a->count; i++) {
        wl_atom *atom = a->terms[i].atom;
        if (!atom->fixed)
            atom->fixed = fix_atom(s, atom);
        sum = wl_sym_add(s, sum, wl_sym_scale(s, atom->fixed, a->terms[i].k));
    }
    return sum;
}

static const wl_symbol *atom_at(wl_symbols *s, const wl_atom *atom, uint32_t vars, const int64_t *values)
{
    if (atom->op == WL_ATOM_VAR)
        return vars >> atom->var & 1 ? wl_sym_const(s, values[atom->var]) : wl_sym_var(s, atom->var);
    const wl_symbol *a = wl_sym_at(s, atom->a, vars, values), *b = wl_sym_at(s, atom->b, vars, values);
    const wl_symbol *c = wl_sym_at(s, atom->c, vars, values);
    return rebuilt(s, atom, a, b, c);
}

const wl_symbol *wl_sym_at(wl_symbols *s, const wl_symbol *a, uint32_t vars, const int64_t *values)
{
    if (!a || !(wl_sym_vars(a) & vars))
        return a;
    const wl_symbol *sum = wl_sym_const(s, a->c);
    for (int i = 0; i < a->count; i++)
        sum = wl_sym_add(s, sum, wl_sym_scale(s, atom_at(s, a->terms[i].atom, vars, values), a->terms[i].k));
    return sum;
}
