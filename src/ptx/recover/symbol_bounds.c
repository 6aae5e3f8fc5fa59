/* symbol_bounds.c - bounds of symbols, path facts that narrow them, and evaluation. See
 * symbol.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "ptx/recover/symbol_internal.h"

/* ---- atoms ---- */

static wl_interval atom_bounds(wl_symbols *s, wl_atom *atom, wl_bounds_at at)
{
    const wl_interval a = atom->a ? wl_sym_bounds(s, atom->a, at) : WL_INTERVAL_UNKNOWN,
                      b = atom->b ? wl_sym_bounds(s, atom->b, at) : WL_INTERVAL_UNKNOWN;
    switch (atom->op) {
    case WL_ATOM_VAR: return s->vars[at][atom->var];
    case WL_ATOM_PRODUCT: return wl_interval_mul(a, b);
    case WL_ATOM_DIV: return wl_interval_div(a, b);
    case WL_ATOM_MOD: return wl_interval_mod(a, b);
    case WL_ATOM_SCALED:
        return !wl_interval_is_known(a) ? WL_INTERVAL_UNKNOWN
                                        : wl_interval_clamp((wl_wide)a.lo * atom->factor >> atom->shift,
                                                            (wl_wide)a.hi * atom->factor >> atom->shift);
    case WL_ATOM_BOTH: /* of conditions */
    case WL_ATOM_MIN: return wl_interval_min(a, b);
    case WL_ATOM_EITHER:
    case WL_ATOM_MAX: return wl_interval_max(a, b);
    case WL_ATOM_AND: return wl_interval_and(a, b);
    case WL_ATOM_OR: return wl_interval_or(a, b);
    case WL_ATOM_XOR: return wl_interval_xor(a, b);
    case WL_ATOM_GE0: return wl_interval_less_equal(wl_interval_one(0), a);
    case WL_ATOM_EQ0: return wl_interval_equal(a, wl_interval_one(0));
    case WL_ATOM_SELECT: return wl_interval_join(a, b);
    }
    return WL_INTERVAL_UNKNOWN;
}

static wl_interval bounds_of_atom(wl_symbols *s, wl_atom *atom, wl_bounds_at at)
{
    if (atom->epoch != s->epoch) {
        for (int i = 0; i < WL_BOUNDS_COUNT; i++)
            atom->bounds[i] = atom_bounds(s, atom, (wl_bounds_at)i);
        for (int f = 0; f < s->fact_count; f++)
            for (int i = 0; i < WL_BOUNDS_COUNT && s->facts[f].atom == atom; i++)
                atom->bounds[i] = wl_interval_meet(atom->bounds[i], s->facts[f].bounds);
        atom->epoch = s->epoch;
    }
    return atom->bounds[at];
}

/* ---- sums ---- */

/* Sums the ends without clamping: terms may cancel. Clamped once at the end. */
static void add_bounds(wl_wide *lo, wl_wide *hi, int64_t k, wl_interval b)
{
    *lo += (wl_wide)k * (k > 0 ? b.lo : b.hi);
    *hi += (wl_wide)k * (k > 0 ? b.hi : b.lo);
}

/* The factors of cells and threads, where a sum has both: the two are correlated. */
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

static wl_interval sum_bounds(wl_symbols *s, const wl_symbol *a, wl_bounds_at at)
{
    wl_wide lo = a->c, hi = a->c;
    for (int i = 0; i < a->count; i++) {
        const wl_interval b = bounds_of_atom(s, a->terms[i].atom, at), term = wl_interval_scale(b, a->terms[i].k);
        /* unknown even if terms cancel: evaluation goes term by term */
        if (!wl_interval_is_known(b) || !wl_interval_is_known(term))
            return WL_INTERVAL_UNKNOWN;
        add_bounds(&lo, &hi, a->terms[i].k, b);
    }
    const wl_interval result = wl_interval_clamp(lo, hi);
    int64_t cell[3], thread[3];
    if (at != WL_AT_LAUNCH || !cells_and_threads(a, cell, thread))
        return result;
    /* once more, with cell = blockIdx * blockDim + threadIdx: the tighter bounds count */
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
        const wl_interval blocks = s->vars[at][WL_VAR_BLOCK_X + d];
        add_bounds(&lo, &hi, cell[d], (wl_interval){blocks.lo * s->block[d], blocks.hi * s->block[d]});
    }
    return wl_interval_meet(result, wl_interval_clamp(lo, hi));
}

wl_interval wl_sym_bounds(wl_symbols *s, const wl_symbol *a, wl_bounds_at at)
{
    wl_symbol *symbol = (wl_symbol *)a; /* bounds are a cache, so the symbol is logically const */
    if (symbol->epoch != s->epoch) {
        for (int i = 0; i < WL_BOUNDS_COUNT; i++)
            symbol->bounds[i] = sum_bounds(s, a, (wl_bounds_at)i);
        symbol->epoch = s->epoch;
    }
    return symbol->bounds[at];
}

/* ---- facts ---- */

static void add_fact(wl_symbols *s, const wl_atom *atom, wl_interval bounds)
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
             k > 0 ? (wl_interval){wl_ceil_div(-a->c, k), WL_FAR} : (wl_interval){-WL_FAR, wl_floor_div(a->c, -k)});
}

void wl_sym_assume(wl_symbols *s, const wl_symbol *condition, bool holds)
{
    if (!condition)
        return;
    if (!holds)
        condition = wl_sym_not(s, condition);
    if (!condition || condition->count != 1 || condition->terms[0].k != 1 || condition->c != 0)
        return;
    const wl_atom *atom = condition->terms[0].atom;
    if (atom->op == WL_ATOM_BOTH) {
        wl_sym_assume(s, atom->a, true);
        wl_sym_assume(s, atom->b, true);
    } else if (atom->op == WL_ATOM_GE0) {
        assume_not_negative(s, atom->a);
    } else if (atom->op == WL_ATOM_EQ0) {
        assume_not_negative(s, atom->a);
        assume_not_negative(s, wl_sym_scale(s, atom->a, -1));
    }
    add_fact(s, atom, (wl_interval){1, 1});
}

void wl_sym_drop_facts(wl_symbols *s, int fact_count)
{
    if (s->fact_count == fact_count)
        return;
    s->fact_count = fact_count;
    s->epoch++;
}

void wl_sym_limit(wl_symbols *s, wl_var var, wl_interval limits)
{
    for (int i = 0; i < WL_BOUNDS_COUNT; i++)
        s->vars[i][var] = wl_interval_meet(s->vars[i][var], limits);
    s->epoch++;
}

void wl_sym_range(wl_symbols *s, wl_var var, wl_interval range)
{
    for (int i = 0; i < WL_BOUNDS_COUNT; i++)
        s->vars[i][var] = range;
    s->epoch++;
}

/* ---- evaluation ---- */

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
