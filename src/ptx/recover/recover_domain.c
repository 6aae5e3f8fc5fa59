/* recover_domain.c - see recover_domain.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/recover_domain.h"

#include <string.h>

#include "base/ckd.h"

const wl_ptx_limits wl_ptx_no_limits = {{0, 0, 0}, {INT64_MAX, INT64_MAX, INT64_MAX}};

/* Whether the condition is x != the lowest coordinate, or the highest; the latter may hold at
 * this launch only. */
static bool excludes_end(wl_symbols *s, const wl_symbol *condition, wl_ptx_limits *out)
{
    if (condition->count != 1 || condition->c != 1 || condition->terms[0].k != -1 ||
        condition->terms[0].atom->op != WL_ATOM_EQ0)
        return false;
    const wl_symbol *zero = condition->terms[0].atom->a; /* k x + c */
    if (zero->count != 1 || zero->terms[0].atom->op != WL_ATOM_VAR || zero->terms[0].atom->var > WL_VAR_Z)
        return false;
    const wl_var d = zero->terms[0].atom->var;
    const wl_interval any = s->vars[WL_AT_ANY_LAUNCH][d], now = s->vars[WL_AT_LAUNCH][d];
    if (zero->c % zero->terms[0].k != 0)
        return false;
    const int64_t end = -zero->c / zero->terms[0].k;
    if (end == any.lo)
        out->first[d] = wl_max(out->first[d], end + 1);
    else if (end == now.hi)
        out->last[d] = wl_min(out->last[d], end - 1);
    s->launch_bound = s->launch_bound || (end == now.hi && end != any.hi);
    return end == any.lo || end == now.hi;
}

const wl_symbol *wl_ptx_take_limits(wl_symbols *s, const wl_symbol *condition, wl_ptx_limits *out)
{
    if (!condition || excludes_end(s, condition, out))
        return NULL;
    if (condition->count != 1 || condition->c != 0 || condition->terms[0].k != 1)
        return condition;
    const wl_atom *atom = condition->terms[0].atom;
    if (atom->op == WL_ATOM_BOTH) {
        const wl_symbol *a = wl_ptx_take_limits(s, atom->a, out), *b = wl_ptx_take_limits(s, atom->b, out);
        return a && b ? wl_sym_both(s, a, b) : a ? a : b;
    }
    if (atom->op != WL_ATOM_GE0 || atom->a->count != 1 || atom->a->terms[0].atom->op != WL_ATOM_VAR ||
        atom->a->terms[0].atom->var > WL_VAR_Z)
        return condition;
    const wl_var d = atom->a->terms[0].atom->var; /* k x + c >= 0 */
    const int64_t k = atom->a->terms[0].k, c = atom->a->c;
    if (k < 0)
        out->last[d] = wl_min(out->last[d], wl_floor_div(c, -k));
    else
        out->first[d] = wl_max(out->first[d], wl_ceil_div(-c, k));
    return NULL;
}

bool wl_ptx_holds_cells(const wl_ptx_recovery *o, const wl_ptx_limits *l)
{
    for (int d = 0; d < 3; d++) {
        const wl_interval now = o->symbols.vars[WL_AT_LAUNCH][d];
        if (wl_max(l->first[d], now.lo) > wl_min(l->last[d], now.hi))
            return false;
    }
    return true;
}

void wl_ptx_limit_domain(wl_ptx_recovery *o, const wl_ptx_limits *l)
{
    for (int d = 0; d < 3; d++) {
        if (l->last[d] != INT64_MAX)
            o->domain[d] = o->domain[d] ? wl_min(o->domain[d], l->last[d] + 1) : l->last[d] + 1;
        o->first[d] = wl_max(o->first[d], l->first[d]);
        wl_sym_limit(&o->symbols, (wl_var)d, (wl_interval){l->first[d], l->last[d]});
    }
}

/* ---- limits that all steps share ---- */

/* The condition without the parts that hold in the whole domain, in all trips; NULL: nothing
 * remains. What is recovered for one launch need not hold at others. */
static const wl_symbol *simplified(wl_symbols *s, const wl_symbol *condition)
{
    const wl_interval of = wl_sym_bounds(s, condition, s->launch_bound ? WL_AT_LAUNCH : WL_AT_ANY_LAUNCH);
    if (of.lo == 1)
        return NULL;
    if (condition->count != 1 || condition->c != 0 || condition->terms[0].k != 1 ||
        condition->terms[0].atom->op != WL_ATOM_BOTH)
        return condition;
    const wl_atom *atom = condition->terms[0].atom;
    const wl_symbol *a = simplified(s, atom->a), *b = simplified(s, atom->b);
    return a && b ? wl_sym_both(s, a, b) : a ? a : b;
}

/* Sets the ranges of the variables of the kept loops around a step: recovery leaves them in their
 * first trip. */
static void range_over_trips(wl_ptx_recovery *o, const wl_ptx_thread_access *step)
{
    for (int32_t l = step->loop; l >= 0; l = o->loops[l].parent)
        wl_sym_range(&o->symbols, o->loops[l].var, (wl_interval){0, o->loops[l].trips - 1});
}

/* Drops the parts of step conditions that hold for every thread of the domain. */
static void simplify_conditions(wl_ptx_recovery *o)
{
    int32_t loop = -1;
    for (size_t i = 0; i < o->step_count; i++) {
        if (!o->steps[i].when)
            continue;
        if (o->steps[i].loop != loop)
            range_over_trips(o, &o->steps[i]);
        loop = o->steps[i].loop;
        o->steps[i].when = simplified(&o->symbols, o->steps[i].when);
    }
    for (int v = WL_VAR_LOOP_0; v <= WL_VAR_LOOP_2; v++)
        wl_sym_range(&o->symbols, (wl_var)v, wl_interval_one(0));
}

void wl_ptx_share_limits(wl_ptx_recovery *o)
{
    wl_ptx_limits widest = {{INT64_MAX, INT64_MAX, INT64_MAX}, {-1, -1, -1}};
    if (o->step_count == 0 || o->calls)
        return;
    for (size_t i = 0; i < o->step_count; i++) {
        wl_ptx_limits own = wl_ptx_no_limits;
        (void)wl_ptx_take_limits(&o->symbols, o->steps[i].when, &own);
        for (int d = 0; d < 3; d++) {
            widest.first[d] = wl_min(widest.first[d], own.first[d]);
            widest.last[d] = wl_max(widest.last[d], own.last[d]);
        }
    }
    if (wl_ptx_holds_cells(o, &widest)) {
        const int64_t domain[3] = {o->domain[0], o->domain[1], o->domain[2]},
                      first[3] = {o->first[0], o->first[1], o->first[2]};
        wl_ptx_limit_domain(o, &widest);
        /* threads outside execute the same as others, except for accesses */
        o->idle_differs = o->idle_differs || memcmp(domain, o->domain, sizeof domain) != 0 ||
                          memcmp(first, o->first, sizeof first) != 0;
    }
    simplify_conditions(o);
}
