/* loop_conditions.c - is a condition the same in all trips of the symbolically executed loops:
 * decided in the same way, or open (threads diverge) in every trip?
 *
 * The bounds of a condition over a range of trips decide it for all of them. If it is open over the
 * range, it need not be open in each trip: under "k < threadIdx.x || k >= threadIdx.x + 60", the
 * threads of a warp diverge at first, then do not, then do again. A condition is made of
 * comparisons. If their operands grow linearly, the trips at which their results can change are
 * known, and the condition is evaluated in these trips.
 *
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "ptx/recover/recover_internal.h"

typedef enum answer { IS_FALSE, IS_TRUE, IS_OPEN } answer;

/* The answer of a condition for all k in a range. */
static answer answer_for(wl_symbols *s, const wl_symbol *condition, wl_var var, int64_t lo, int64_t hi)
{
    wl_sym_range(s, var, (wl_interval){lo, hi});
    const wl_interval b = wl_sym_bounds(s, condition, WL_AT_LAUNCH);
    if (b.lo != b.hi || !wl_interval_is_known(b))
        return IS_OPEN;
    return b.lo ? IS_TRUE : IS_FALSE;
}

/* ---- where comparisons change ---- */

#define CHANGES_MAX 64

typedef struct changes {
    wl_symbols *symbols;
    wl_var var;
    int64_t trips;           /* trips that are examined */
    int64_t at[CHANGES_MAX]; /* the first trip that may differ from the one before, in no order */
    int count;
    bool is_complete; /* the list has all such trips */
} changes;

static void note_change(changes *c, int64_t trip)
{
    if (trip <= 0 || trip >= c->trips)
        return;
    if (c->count < CHANGES_MAX)
        c->at[c->count++] = trip;
    else
        c->is_complete = false;
}

/* Records the trip in which x + k * growth reaches or passes 0. */
static void note_zero(changes *c, int64_t x, int64_t growth)
{
    if (growth == 0)
        return;
    /* not beyond 0 */
    const int64_t last = growth > 0 ? wl_floor_div(-x, growth) : wl_floor_div(x, -growth);
    note_change(c, last);
    note_change(c, last + 1);
}

static bool names(const wl_symbol *a, wl_var var) { return a && wl_sym_vars(a) >> var & 1; }

static bool is_variable(const wl_symbol *a, wl_var var)
{
    return wl_sym_is_atom(a) && a->terms[0].atom->op == WL_ATOM_VAR && a->terms[0].atom->var == var;
}

/* Is a sum linear in k: only multiples of k, and products of k with symbols that do not depend on
 * it? */
static bool is_linear(const wl_symbol *sum, wl_var var)
{
    for (int i = 0; i < sum->count; i++) {
        const wl_atom *t = sum->terms[i].atom;
        const bool is_product = t->op == WL_ATOM_PRODUCT && ((is_variable(t->a, var) && !names(t->b, var)) ||
                                                             (is_variable(t->b, var) && !names(t->a, var)));
        if (t->op != WL_ATOM_VAR && !is_product && (names(t->a, var) || names(t->b, var) || names(t->c, var)))
            return false;
    }
    return true;
}

static wl_interval bounds_in(changes *c, const wl_symbol *a, int64_t trip)
{
    wl_sym_range(c->symbols, c->var, (wl_interval){trip, trip});
    return wl_sym_bounds(c->symbols, a, WL_AT_LAUNCH);
}

static bool is_line(int64_t first, int64_t second, int64_t last, int64_t trips)
{
    return (wl_wide)last - first == ((wl_wide)second - first) * (trips - 1);
}

/* Records the trips in which the bounds of a sum reach the 0 that it is compared with. The bounds
 * are linear, unless a fact of the path limits them; then they are convex or concave, and the last
 * trip shows it. */
static void note_comparison(changes *c, const wl_symbol *sum)
{
    const wl_interval first = bounds_in(c, sum, 0), second = bounds_in(c, sum, 1),
                      last = bounds_in(c, sum, c->trips - 1);
    if (!wl_interval_is_known(first) && is_linear(sum, c->var)) /* open for every k */
        return;
    if (!is_linear(sum, c->var) || !wl_interval_is_known(second) || !wl_interval_is_known(last) ||
        !is_line(first.lo, second.lo, last.lo, c->trips) || !is_line(first.hi, second.hi, last.hi, c->trips)) {
        c->is_complete = false;
        return;
    }
    note_zero(c, first.lo, second.lo - first.lo);
    note_zero(c, first.hi, second.hi - first.hi);
}

static void note_changes(changes *c, const wl_symbol *condition)
{
    for (int i = 0; condition && i < condition->count; i++) {
        const wl_atom *t = condition->terms[i].atom;
        if (t->op == WL_ATOM_GE0 || t->op == WL_ATOM_EQ0) {
            if (names(t->a, c->var))
                note_comparison(c, t->a);
        } else if (t->op == WL_ATOM_BOTH || t->op == WL_ATOM_EITHER || t->op == WL_ATOM_SELECT) {
            note_changes(c, t->a);
            note_changes(c, t->b);
            note_changes(c, t->c);
        } else if (t->op == WL_ATOM_VAR ? t->var == c->var
                                        : names(t->a, c->var) || names(t->b, c->var) || names(t->c, c->var)) {
            c->is_complete = false;
        }
    }
}

/* ---- iterations that execute the same ---- */

/* By bisection: a number of trips below `differs` whose last trip, or all of which (`all`), have
 * this answer. The first trip has it; trip `differs` need not. */
static int64_t bisect(wl_symbols *s, const wl_symbol *condition, wl_var var, answer wanted, bool all, int64_t differs)
{
    int64_t alike = 1;
    while (differs - alike > 1) {
        const int64_t middle = alike + (differs - alike) / 2;
        if (answer_for(s, condition, var, all ? 0 : middle - 1, middle - 1) == wanted)
            alike = middle;
        else
            differs = middle;
    }
    return alike;
}

/* The number of trips, at most `most`, in which a condition that is open in the first stays
 * open. */
static int64_t open_trips(wl_symbols *s, const wl_symbol *condition, wl_var var, int64_t most)
{
    changes c = {.symbols = s, .var = var, .trips = most, .is_complete = true};
    int64_t open = most;
    if (most > 1)
        note_changes(&c, condition);
    for (int i = 0; i < c.count; i++)
        if (c.at[i] < open && answer_for(s, condition, var, c.at[i], c.at[i]) != IS_OPEN)
            open = c.at[i];
    if (c.is_complete || answer_for(s, condition, var, open - 1, open - 1) == IS_OPEN)
        return open;
    /* with remainders and the like, decided trips may lie between open ones. Accesses keep a
     * condition that tells them apart; for what has no condition, wl_ptx_counts_in_loops checks */
    return bisect(s, condition, var, IS_OPEN, false, open);
}

/* The number of trips, at most `most`, in which the condition has the same answer as in the
 * first. */
static int64_t alike_trips(wl_symbols *s, const wl_symbol *condition, wl_var var, int64_t most)
{
    const answer first = answer_for(s, condition, var, 0, 0);
    if (first == IS_OPEN)
        return open_trips(s, condition, var, most);
    if (answer_for(s, condition, var, 0, most - 1) == first)
        return most;
    return bisect(s, condition, var, first, true, most);
}

#define COORDINATES ((1u << WL_VAR_LOOP_0) - 1)

/* Does it name the variable of a symbolic loop around open loop i? */
static bool names_outer(const wl_ptx_executor *r, int i, uint32_t vars)
{
    while (i-- > 0)
        if (r->open_loops[i].is_symbolic && vars >> r->open_loops[i].var & 1)
            return true;
    return false;
}

/* Trips of open loop i in which the condition is the same, whatever the trips of other loops
 * are. */
static int64_t same_trips(const wl_ptx_executor *r, int i, const wl_symbol *condition)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_open_loop *l = &r->open_loops[i];
    const uint32_t vars = wl_sym_vars(condition);
    if (vars & COORDINATES || answer_for(s, condition, l->var, 0, 0) != IS_OPEN)
        return alike_trips(s, condition, l->var, l->trips);
    /* it does not diverge: it is open because it differs between trips of other loops, so those of
     * the outermost are executed one by one */
    return names_outer(r, i, vars) ? l->trips : 1;
}

bool wl_ptx_same_in_loops(wl_ptx_executor *r, const wl_symbol *condition)
{
    wl_symbols *s = r->values.symbols;
    if (r->symbolic_count == 0 || !condition || wl_sym_is_const(condition))
        return true;
    const uint32_t vars = wl_sym_vars(condition);
    for (int i = r->open_loop_count; i-- > 0;) {
        wl_ptx_open_loop *l = &r->open_loops[i];
        if (!l->is_symbolic || !(vars >> l->var & 1))
            continue;
        const int64_t alike = same_trips(r, i, condition);
        if (alike == l->trips && l->at_most > l->trips)
            l->at_most = alike_trips(s, condition, l->var, l->at_most);
        wl_sym_range(s, l->var, (wl_interval){0, l->trips - 1});
        if (alike < l->trips) {
            l->trips = alike;
            l->is_shorter = true;
            r->unwind = i;
            return false;
        }
        r->work += 8;
    }
    return true;
}

bool wl_ptx_counts_in_loops(wl_ptx_executor *r, const wl_symbol *condition)
{
    const uint32_t vars = wl_sym_vars(r->when) | wl_sym_vars(condition);
    for (int i = 0; i < r->open_loop_count; i++)
        if (r->open_loops[i].is_symbolic && vars >> r->open_loops[i].var & 1) {
            r->unwind = i;
            return false;
        }
    return true;
}
