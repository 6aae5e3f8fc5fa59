/* symbol_bounds.c - bounds of symbols, facts that narrow them, and values. See symbol.h. SPDX-License-Identifier: MIT
 */
#include "base/ckd.h"
#include "ptx/recover/symbol_internal.h"

static const wl_bounds unknown = {-WL_FAR, WL_FAR};

static int64_t clamp(wl_wide v) { return v < -WL_FAR ? -WL_FAR : v > WL_FAR ? WL_FAR : (int64_t)v; }
static bool is_far(wl_bounds b) { return b.lo <= -WL_FAR || b.hi >= WL_FAR; }
static wl_bounds meet(wl_bounds a, wl_bounds b) { return (wl_bounds){wl_max(a.lo, b.lo), wl_min(a.hi, b.hi)}; }

/* ---- atoms ---- */

static wl_bounds product_bounds(wl_bounds a, wl_bounds b)
{
    const wl_wide corners[4] = {(wl_wide)a.lo * b.lo, (wl_wide)a.lo * b.hi, (wl_wide)a.hi * b.lo, (wl_wide)a.hi * b.hi};
    wl_wide lo = corners[0], hi = corners[0];
    for (int i = 1; i < 4; i++) {
        lo = corners[i] < lo ? corners[i] : lo;
        hi = corners[i] > hi ? corners[i] : hi;
    }
    return (wl_bounds){clamp(lo), clamp(hi)};
}

/* Divisors are positive. */
static wl_bounds quotient_bounds(wl_bounds a, wl_bounds b)
{
    if (b.lo <= 0)
        return unknown;
    return (wl_bounds){a.lo <= -WL_FAR ? -WL_FAR : wl_floor_div(a.lo, a.lo < 0 ? b.lo : b.hi),
                       a.hi >= WL_FAR ? WL_FAR : wl_floor_div(a.hi, a.hi < 0 ? b.hi : b.lo)};
}

static wl_bounds remainder_bounds(wl_bounds a, wl_bounds b)
{
    if (b.lo <= 0)
        return unknown;
    const bool inside = a.lo >= 0 && a.hi < b.lo;
    return inside ? a : (wl_bounds){0, a.lo >= 0 ? wl_min(a.hi, b.hi - 1) : b.hi - 1};
}

/* Below the next power of two of the larger one. */
static wl_bounds bit_bounds(wl_atom_op op, wl_bounds a, wl_bounds b)
{
    const int64_t hi = wl_max(a.hi, b.hi);
    if (a.lo < 0 || b.lo < 0 || hi >= WL_FAR)
        return unknown;
    if (op == WL_ATOM_AND)
        return (wl_bounds){0, wl_min(a.hi, b.hi)};
    const int64_t power =
        hi > 0 ? (int64_t)2 << wl_log2((int64_t)1 << (63 - __builtin_clzll((unsigned long long)hi))) : 1;
    return (wl_bounds){op == WL_ATOM_OR ? wl_max(a.lo, b.lo) : 0, power - 1};
}

static wl_bounds truth_bounds(const wl_atom *atom, wl_bounds a, wl_bounds b)
{
    switch (atom->op) {
    case WL_ATOM_GE0: return (wl_bounds){a.lo >= 0, a.hi >= 0};
    case WL_ATOM_EQ0: return (wl_bounds){a.lo == 0 && a.hi == 0, a.lo <= 0 && a.hi >= 0};
    case WL_ATOM_BOTH: return (wl_bounds){wl_min(a.lo, b.lo), wl_min(a.hi, b.hi)};
    default: return (wl_bounds){wl_max(a.lo, b.lo), wl_max(a.hi, b.hi)};
    }
}

static wl_bounds atom_bounds(wl_symbols *s, wl_atom *atom, wl_bounds_at at)
{
    const wl_bounds a = atom->a ? wl_sym_bounds(s, atom->a, at) : unknown,
                    b = atom->b ? wl_sym_bounds(s, atom->b, at) : unknown;
    switch (atom->op) {
    case WL_ATOM_VAR: return s->vars[at][atom->var];
    case WL_ATOM_PRODUCT: return product_bounds(a, b);
    case WL_ATOM_DIV: return quotient_bounds(a, b);
    case WL_ATOM_MOD: return remainder_bounds(a, b);
    case WL_ATOM_SCALED:
        return is_far(a) ? unknown
                         : (wl_bounds){clamp((wl_wide)a.lo * atom->factor >> atom->shift),
                                       clamp((wl_wide)a.hi * atom->factor >> atom->shift)};
    case WL_ATOM_MIN: return (wl_bounds){wl_min(a.lo, b.lo), wl_min(a.hi, b.hi)};
    case WL_ATOM_MAX: return (wl_bounds){wl_max(a.lo, b.lo), wl_max(a.hi, b.hi)};
    case WL_ATOM_AND:
    case WL_ATOM_OR:
    case WL_ATOM_XOR: return bit_bounds(atom->op, a, b);
    case WL_ATOM_GE0:
    case WL_ATOM_EQ0:
    case WL_ATOM_BOTH:
    case WL_ATOM_EITHER: return truth_bounds(atom, a, b);
    case WL_ATOM_SELECT: return (wl_bounds){wl_min(a.lo, b.lo), wl_max(a.hi, b.hi)};
    }
    return unknown;
}

static wl_bounds bounds_of_atom(wl_symbols *s, wl_atom *atom, wl_bounds_at at)
{
    if (atom->epoch != s->epoch) {
        for (int i = 0; i < WL_BOUNDS_COUNT; i++)
            atom->bounds[i] = atom_bounds(s, atom, (wl_bounds_at)i);
        for (int f = 0; f < s->fact_count; f++)
            for (int i = 0; i < WL_BOUNDS_COUNT && s->facts[f].atom == atom; i++)
                atom->bounds[i] = meet(atom->bounds[i], s->facts[f].bounds);
        atom->epoch = s->epoch;
    }
    return atom->bounds[at];
}

/* ---- sums ---- */

static void add_bounds(wl_wide *lo, wl_wide *hi, int64_t k, wl_bounds b)
{
    *lo += (wl_wide)k * (k > 0 ? b.lo : b.hi);
    *hi += (wl_wide)k * (k > 0 ? b.hi : b.lo);
}

/* The factors of cells and threads, where a sum has both: they move together. */
static bool cells_and_threads(const wl_symbol *a, int64_t cell[3], int64_t thread[3])
{
    bool both = false;
    for (int d = 0; d < 3; d++)
        cell[d] = thread[d] = 0;
    for (int i = 0; i < a->count; i++) {
        const wl_atom *atom = a->terms[i].atom;
        if (atom->op != WL_ATOM_VAR)
            continue;
        if (atom->var <= WL_VAR_Z)
            cell[atom->var - WL_VAR_X] = a->terms[i].k;
        else if (atom->var >= WL_VAR_THREAD_X && atom->var <= WL_VAR_THREAD_Z)
            thread[atom->var - WL_VAR_THREAD_X] = a->terms[i].k;
    }
    for (int d = 0; d < 3; d++)
        both = both || (cell[d] && thread[d]);
    return both;
}

static wl_bounds sum_bounds(wl_symbols *s, const wl_symbol *a, wl_bounds_at at)
{
    wl_wide lo = a->c, hi = a->c;
    for (int i = 0; i < a->count; i++) {
        const wl_bounds b = bounds_of_atom(s, a->terms[i].atom, at),
                        term = product_bounds(b, (wl_bounds){a->terms[i].k, a->terms[i].k});
        if (is_far(b) || is_far(term)) /* not even where terms cancel: sums are computed term by term */
            return unknown;
        add_bounds(&lo, &hi, a->terms[i].k, b);
    }
    wl_bounds result = {clamp(lo), clamp(hi)};
    int64_t cell[3], thread[3];
    if (at != WL_AT_LAUNCH || !cells_and_threads(a, cell, thread))
        return result;
    /* again, with cells as blocks and threads */
    lo = hi = a->c;
    for (int i = 0; i < a->count; i++) {
        const wl_atom *atom = a->terms[i].atom;
        const bool split = atom->op == WL_ATOM_VAR &&
                           (atom->var <= WL_VAR_Z || (atom->var >= WL_VAR_THREAD_X && atom->var <= WL_VAR_THREAD_Z));
        if (!split)
            add_bounds(&lo, &hi, a->terms[i].k, bounds_of_atom(s, a->terms[i].atom, at));
    }
    for (int d = 0; d < 3; d++) {
        add_bounds(&lo, &hi, cell[d] + thread[d], s->vars[at][WL_VAR_THREAD_X + d]);
        const wl_bounds blocks = s->vars[at][WL_VAR_BLOCK_X + d];
        add_bounds(&lo, &hi, cell[d], (wl_bounds){blocks.lo * s->block[d], blocks.hi * s->block[d]});
    }
    return meet(result, (wl_bounds){clamp(lo), clamp(hi)});
}

wl_bounds wl_sym_bounds(wl_symbols *s, const wl_symbol *a, wl_bounds_at at)
{
    wl_symbol *symbol = (wl_symbol *)a; /* bounds are a memory of what can be computed at any time */
    if (symbol->epoch != s->epoch) {
        for (int i = 0; i < WL_BOUNDS_COUNT; i++)
            symbol->bounds[i] = sum_bounds(s, a, (wl_bounds_at)i);
        symbol->epoch = s->epoch;
    }
    return symbol->bounds[at];
}

/* ---- facts ---- */

static void add_fact(wl_symbols *s, const wl_atom *atom, wl_bounds bounds)
{
    if (s->fact_count == WL_FACTS_MAX)
        return;
    s->facts[s->fact_count++] = (wl_fact){atom, bounds};
    s->epoch++;
}

/* k x + c >= 0 bounds x. */
static void assume_not_negative(wl_symbols *s, const wl_symbol *a)
{
    if (a->count != 1)
        return;
    const int64_t k = a->terms[0].k;
    add_fact(s, a->terms[0].atom,
             k > 0 ? (wl_bounds){wl_ceil_div(-a->c, k), WL_FAR} : (wl_bounds){-WL_FAR, wl_floor_div(a->c, -k)});
}

void wl_sym_assume(wl_symbols *s, const wl_symbol *truth, bool holds)
{
    if (!truth)
        return;
    if (!holds)
        truth = wl_sym_not(s, truth);
    if (!truth || truth->count != 1 || truth->terms[0].k != 1 || truth->c != 0)
        return;
    const wl_atom *atom = truth->terms[0].atom;
    if (atom->op == WL_ATOM_BOTH) {
        wl_sym_assume(s, atom->a, true);
        wl_sym_assume(s, atom->b, true);
    } else if (atom->op == WL_ATOM_GE0) {
        assume_not_negative(s, atom->a);
    } else if (atom->op == WL_ATOM_EQ0) {
        assume_not_negative(s, atom->a);
        assume_not_negative(s, wl_sym_scale(s, atom->a, -1));
    }
    add_fact(s, atom, (wl_bounds){1, 1});
}

void wl_sym_forget(wl_symbols *s, int fact_count)
{
    if (s->fact_count == fact_count)
        return;
    s->fact_count = fact_count;
    s->epoch++;
}

void wl_sym_limit(wl_symbols *s, wl_var var, wl_bounds limits)
{
    for (int i = 0; i < WL_BOUNDS_COUNT; i++)
        s->vars[i][var] = meet(s->vars[i][var], limits);
    s->epoch++;
}

/* ---- values ---- */

static bool narrowed(wl_wide value, int64_t *out)
{
    *out = (int64_t)value;
    return *out == value;
}

static bool eval_atom(const wl_atom *atom, const int64_t values[WL_VAR_COUNT], int64_t *out)
{
    int64_t a = 0, b = 0, c = 0;
    if ((atom->a && !wl_sym_eval(atom->a, values, &a)) || (atom->b && !wl_sym_eval(atom->b, values, &b)) ||
        (atom->c && !wl_sym_eval(atom->c, values, &c)))
        return false;
    switch (atom->op) {
    case WL_ATOM_VAR: *out = values[atom->var]; return true;
    case WL_ATOM_PRODUCT: return !__builtin_mul_overflow(a, b, out);
    case WL_ATOM_DIV: *out = b > 0 ? wl_floor_div(a, b) : 0; return b > 0;
    case WL_ATOM_MOD: *out = b > 0 ? wl_floor_mod(a, b) : 0; return b > 0;
    case WL_ATOM_SCALED: return narrowed((wl_wide)a * atom->factor >> atom->shift, out);
    case WL_ATOM_MIN: *out = wl_min(a, b); return true;
    case WL_ATOM_MAX: *out = wl_max(a, b); return true;
    case WL_ATOM_AND: *out = a & b; return true;
    case WL_ATOM_OR: *out = a | b; return true;
    case WL_ATOM_XOR: *out = a ^ b; return true;
    case WL_ATOM_GE0: *out = a >= 0; return true;
    case WL_ATOM_EQ0: *out = a == 0; return true;
    case WL_ATOM_BOTH: *out = a && b; return true;
    case WL_ATOM_EITHER: *out = a || b; return true;
    case WL_ATOM_SELECT: *out = c ? a : b; return true;
    }
    return false;
}

bool wl_sym_eval(const wl_symbol *a, const int64_t values[WL_VAR_COUNT], int64_t *out)
{
    int64_t sum = a->c;
    for (int i = 0; i < a->count; i++) {
        int64_t value, product;
        if (!eval_atom(a->terms[i].atom, values, &value) || __builtin_mul_overflow(value, a->terms[i].k, &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return false;
    }
    *out = sum;
    return true;
}

uint32_t wl_sym_vars(const wl_symbol *a)
{
    uint32_t vars = 0;
    for (int i = 0; a && i < a->count; i++) {
        const wl_atom *atom = a->terms[i].atom;
        vars |= atom->op == WL_ATOM_VAR ? 1u << atom->var
                                        : wl_sym_vars(atom->a) | wl_sym_vars(atom->b) | wl_sym_vars(atom->c);
    }
    return vars;
}
