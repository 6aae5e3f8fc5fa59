/* expr.c - see expr.h. SPDX-License-Identifier: MIT */
#include "kernel/expr.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/interval.h"

static wl_status too_large(const wl_expr *e, wl_error *err) { return wl_operate_status(WL_PROBLEM_RANGE, e->loc, err); }

static bool form_is_const(const wl_form *f)
{
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        if (f->k[v])
            return false;
    return true;
}

/* *out = a + scale * b */
static bool form_add(const wl_form *a, const wl_form *b, int64_t scale, wl_form *out)
{
    int64_t t;
    if (!wl_mul(b->c, scale, &t) || !wl_add(a->c, t, &out->c))
        return false;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        if (!wl_mul(b->k[v], scale, &t) || !wl_add(a->k[v], t, &out->k[v]))
            return false;
    return true;
}

/* Unknown where some value may exceed +-2^60. */
static wl_interval in_range(wl_interval a) { return wl_in_range(a.lo) && wl_in_range(a.hi) ? a : WL_INTERVAL_UNKNOWN; }

bool wl_form_bounds(const wl_form *form, const wl_ranges *ranges, int64_t *lo, int64_t *hi)
{
    wl_interval sum = wl_interval_one(form->c);
    for (int v = 0; v < WL_VAR_FORM_COUNT && wl_interval_is_known(sum); v++) {
        if (form->k[v] == 0)
            continue;
        const wl_interval term = wl_interval_scale((wl_interval){ranges->lo[v], ranges->hi[v]}, form->k[v]);
        sum = wl_in_range(term.lo) && wl_in_range(term.hi) ? in_range(wl_interval_add(sum, term)) : WL_INTERVAL_UNKNOWN;
    }
    *lo = sum.lo;
    *hi = sum.hi;
    return wl_interval_is_known(sum);
}

static bool form_same(const wl_form *a, const wl_form *b) { return memcmp(a, b, sizeof *a) == 0; }

/* The quotient of a rest that spans several periods, if a value is assumed for it; else the
 * quotient is open. */
static bool known_quotient(wl_quotients *q, const wl_quotient *wanted, int64_t *value)
{
    for (int i = 0; q && i < q->count; i++)
        if (q->known[i].divisor == wanted->divisor && form_same(&q->known[i].rest, &wanted->rest)) {
            *value = q->known[i].value;
            return true;
        }
    if (q && !q->has_open) {
        q->has_open = true;
        q->open = *wanted;
    }
    return false;
}

/* Writes cells as blocks and threads if a block holds whole periods: then only a quotient of
 * threads is left of x/32, the same in all blocks. */
static void split_cells(const wl_quotients *q, int64_t b, wl_form *multiples, wl_form *rest)
{
    for (int d = 0; q && d < 3; d++) {
        const int64_t k = rest->k[WL_VAR_X + d];
        int64_t of_block;
        if (k == 0 || q->block[d] <= 0 || !wl_mul(k, q->block[d], &of_block) || of_block % b != 0 ||
            !wl_add(rest->k[WL_VAR_THREAD_X + d], k, &rest->k[WL_VAR_THREAD_X + d]))
            continue;
        multiples->k[WL_VAR_BLOCK_X + d] += of_block / b;
        rest->k[WL_VAR_X + d] = 0;
    }
}

/* a / b and a % b for a constant b: affine if a, without multiples of b, stays in one period, or if
 * its period is assumed. */
static bool form_divide(const wl_form *a, int64_t b, bool remainder, const wl_ranges *ranges, wl_form *out)
{
    wl_form multiples = {0}, rest = {.c = a->c};
    int64_t lo, hi;
    if (b <= 0)
        return false;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++) {
        if (a->k[v] % b == 0)
            multiples.k[v] = a->k[v] / b;
        else
            rest.k[v] = a->k[v];
    }
    split_cells(ranges->quotients, b, &multiples, &rest);
    if (!wl_form_bounds(&rest, ranges, &lo, &hi))
        return false;
    wl_quotient q = {rest, b, wl_floor_div(lo, b), wl_floor_div(hi, b), wl_floor_div(lo, b)};
    if (q.lo != q.hi && !known_quotient(ranges->quotients, &q, &q.value))
        return false;
    *out = remainder ? rest : multiples;
    out->c += q.value * (remainder ? -b : 1);
    return true;
}

static bool form_choose(const wl_form *a, const wl_form *b, bool want_min, const wl_ranges *ranges, wl_form *out)
{
    wl_form difference;
    int64_t lo, hi;
    if (!form_add(a, b, -1, &difference) || !wl_form_bounds(&difference, ranges, &lo, &hi))
        return false;
    if (hi <= 0)
        *out = want_min ? *a : *b;
    else if (lo >= 0)
        *out = want_min ? *b : *a;
    else
        return false;
    return true;
}

static wl_status leaf_form(const wl_expr *e, const wl_ranges *ranges, wl_form *form)
{
    memset(form, 0, sizeof *form);
    if (e->op == WL_EXPR_CONST)
        form->c = e->value;
    else if (e->var >= WL_VAR_FORM_COUNT || ranges->lo[e->var] == ranges->hi[e->var])
        form->c = ranges->lo[e->var];
    else
        form->k[e->var] = 1;
    return WL_OK;
}

/* ---- bits ---- */

/* The largest power of two, at most 2^60, that divides every value of a form. */
static int64_t form_unit(const wl_form *f)
{
    uint64_t bits = (uint64_t)f->c | (uint64_t)1 << 60;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        bits |= (uint64_t)f->k[v];
    return (int64_t)(bits & -bits);
}

/* a & b for a constant b that is a mask of low bits, or the complement of one. */
static bool form_mask(const wl_form *a, int64_t b, const wl_ranges *ranges, wl_form *out)
{
    wl_form rest;
    if (b >= 0 && wl_is_pow2(b + 1))
        return form_divide(a, b + 1, true, ranges, out);
    return b < 0 && wl_is_pow2(-b) && form_divide(a, -b, true, ranges, &rest) && form_add(a, &rest, -1, out);
}

/* a | b and a ^ b equal a + b when no bit can be set in both: b lies below the unit of a. */
static bool form_join(const wl_form *a, const wl_form *b, const wl_ranges *ranges, wl_form *out)
{
    int64_t lo, hi;
    return wl_form_bounds(b, ranges, &lo, &hi) && lo >= 0 && hi < form_unit(a) && form_add(a, b, 1, out);
}

/* A bit operation on two forms, not both constant, if the result is affine. */
static bool form_bits(wl_expr_op op, const wl_form *a, const wl_form *b, const wl_ranges *ranges, wl_form *out)
{
    if (op == WL_EXPR_BIT_AND)
        return (form_is_const(b) && form_mask(a, b->c, ranges, out)) ||
               (form_is_const(a) && form_mask(b, a->c, ranges, out));
    static const wl_form ones = {.c = -1};
    if (op == WL_EXPR_BIT_XOR && form_is_const(b) && b->c == -1)
        return form_add(&ones, a, -1, out);
    if (op == WL_EXPR_BIT_XOR && form_is_const(a) && a->c == -1)
        return form_add(&ones, b, -1, out);
    return form_join(a, b, ranges, out) || form_join(b, a, ranges, out);
}

/* ---- conditions ---- */

/* Truth value of a condition: 0, 1, or -1 for unknown. */
static int decided(wl_interval truth) { return truth.lo == truth.hi ? (int)truth.lo : -1; }

static wl_interval compared(wl_expr_op op, wl_interval a, wl_interval b)
{
    switch (op) {
    case WL_EXPR_LESS: return wl_interval_less(a, b);
    case WL_EXPR_LESS_EQUAL: return wl_interval_less_equal(a, b);
    case WL_EXPR_EQUAL: return wl_interval_equal(a, b);
    default: return wl_interval_not(wl_interval_equal(a, b));
    }
}

/* Subtracts the sides so that common variables cancel. NULL: a side is not affine. */
static int comparison(const wl_expr *e, const wl_form *a, const wl_form *b, const wl_ranges *ranges)
{
    wl_form difference;
    wl_interval left, right;
    if (a && b)
        return form_add(a, b, -1, &difference) && wl_form_bounds(&difference, ranges, &left.lo, &left.hi)
                   ? decided(compared(e->op, left, wl_interval_one(0)))
                   : -1;
    return wl_expr_bounds(e->a, ranges, &left.lo, &left.hi) && wl_expr_bounds(e->b, ranges, &right.lo, &right.hi)
               ? decided(compared(e->op, left, right))
               : -1;
}

wl_status wl_expr_truth(const wl_expr *e, const wl_ranges *ranges, int *truth, wl_error *err)
{
    wl_form form;
    bool affine;
    wl_interval value;
    WL_TRY(wl_expr_form(e, ranges, &affine, &form, err));
    const bool bounded =
        affine ? wl_form_bounds(&form, ranges, &value.lo, &value.hi) : wl_expr_bounds(e, ranges, &value.lo, &value.hi);
    *truth = bounded ? decided(wl_interval_truth(value)) : -1;
    return WL_OK;
}

/* && and ||. If the left side is undecided, an error on the right side may affect no lane:
 * evaluation decides. */
static wl_status logic_form(const wl_expr *e, const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err)
{
    const int deciding = e->op == WL_EXPR_ANY; /* the value of one side that decides the result */
    int a, b = -1;
    WL_TRY(wl_expr_truth(e->a, ranges, &a, err));
    wl_error ignored = {0};
    if (a == !deciding)
        WL_TRY(wl_expr_truth(e->b, ranges, &b, err));
    else if (a < 0 && wl_expr_truth(e->b, ranges, &b, &ignored) != WL_OK)
        b = -1;
    *affine = a == deciding || b == deciding || (a >= 0 && b >= 0);
    *form = (wl_form){.c = a == deciding || b == deciding ? deciding : !deciding};
    return WL_OK;
}

static wl_status select_form(const wl_expr *e, const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err)
{
    int condition;
    WL_TRY(wl_expr_truth(e->a, ranges, &condition, err));
    *affine = condition >= 0;
    return *affine ? wl_expr_form(condition ? e->b->a : e->b->b, ranges, affine, form, err) : WL_OK;
}

/* Rejects a constant divisor, random range or shift count that is out of range. */
static wl_status check_constant(const wl_expr *e, int64_t b, wl_error *err)
{
    int64_t ignored;
    const bool may_fail = e->op == WL_EXPR_DIV || e->op == WL_EXPR_MOD || e->op == WL_EXPR_RANDOM ||
                          e->op == WL_EXPR_SHIFT_LEFT || e->op == WL_EXPR_SHIFT_RIGHT;
    return may_fail ? wl_operate_status(wl_operate(e->op, 0, b, &ignored), e->loc, err) : WL_OK;
}

static wl_status scale_form(const wl_expr *e, const wl_form *a, int64_t by, wl_form *out, wl_error *err)
{
    return form_add(&(wl_form){0}, a, by, out) ? WL_OK : too_large(e, err);
}

/* An operation on forms that are not both constant. */
static wl_status operation_form(const wl_expr *e, const wl_form *a, const wl_form *b, const wl_ranges *ranges,
                                bool *affine, wl_form *form, wl_error *err)
{
    const bool const_a = form_is_const(a), const_b = form_is_const(b);
    switch (e->op) {
    case WL_EXPR_ADD: return form_add(a, b, 1, form) ? WL_OK : too_large(e, err);
    case WL_EXPR_SUB: return form_add(a, b, -1, form) ? WL_OK : too_large(e, err);
    case WL_EXPR_MUL:
        *affine = const_a || const_b;
        return *affine ? scale_form(e, const_a ? b : a, const_a ? a->c : b->c, form, err) : WL_OK;
    case WL_EXPR_SHIFT_LEFT:
        *affine = const_b;
        return const_b ? scale_form(e, a, (int64_t)1 << b->c, form, err) : WL_OK;
    case WL_EXPR_DIV:
    case WL_EXPR_MOD: *affine = const_b && form_divide(a, b->c, e->op == WL_EXPR_MOD, ranges, form); return WL_OK;
    case WL_EXPR_SHIFT_RIGHT:
        *affine = const_b && form_divide(a, (int64_t)1 << b->c, false, ranges, form);
        return WL_OK;
    case WL_EXPR_MIN:
    case WL_EXPR_MAX: *affine = form_choose(a, b, e->op == WL_EXPR_MIN, ranges, form); return WL_OK;
    case WL_EXPR_BIT_AND:
    case WL_EXPR_BIT_OR:
    case WL_EXPR_BIT_XOR: *affine = form_bits(e->op, a, b, ranges, form); return WL_OK;
    default: *affine = false; return WL_OK;
    }
}

wl_status wl_expr_form(const wl_expr *e, const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err)
{
    *affine = true;
    if (e->op == WL_EXPR_CONST || e->op == WL_EXPR_VAR)
        return leaf_form(e, ranges, form);
    if (e->op == WL_EXPR_BOTH || e->op == WL_EXPR_ANY)
        return logic_form(e, ranges, affine, form, err);
    if (e->op == WL_EXPR_SELECT)
        return select_form(e, ranges, affine, form, err);
    wl_form a, b;
    bool affine_a, affine_b;
    WL_TRY(wl_expr_form(e->a, ranges, &affine_a, &a, err));
    WL_TRY(wl_expr_form(e->b, ranges, &affine_b, &b, err));
    *affine = affine_a && affine_b;
    if (affine_b && form_is_const(&b))
        WL_TRY(check_constant(e, b.c, err));
    if (wl_op_compares(e->op)) {
        const int truth = comparison(e, *affine ? &a : NULL, *affine ? &b : NULL, ranges);
        *affine = truth >= 0;
        *form = (wl_form){.c = truth};
        return WL_OK;
    }
    if (!*affine)
        return WL_OK;
    if (form_is_const(&a) && form_is_const(&b)) {
        memset(form, 0, sizeof *form);
        return wl_operate_status(wl_operate(e->op, a.c, b.c, &form->c), e->loc, err);
    }
    return operation_form(e, &a, &b, ranges, affine, form, err);
}

/* ---- evaluation ---- */

wl_status wl_expr_eval_lane(const wl_expr *e, const wl_lane_values *values, int lane, int64_t *out, wl_error *err)
{
    return wl_expr_value(e, &values->at[0][lane], WL_LANES_MAX, out, err);
}

wl_status wl_expr_eval(const wl_expr *e, const wl_lane_values *values, int64_t *out, wl_error *err)
{
    for (int i = 0; i < values->lanes; i++)
        WL_TRY(wl_expr_eval_lane(e, values, i, &out[i], err));
    return WL_OK;
}

bool wl_expr_depends_on_launch(const wl_expr *e)
{
    const uint32_t cells = (1u << WL_VAR_THREAD_X) - 1;
    const uint32_t loops = 1u << WL_VAR_LOOP_0 | 1u << WL_VAR_LOOP_1 | 1u << WL_VAR_LOOP_2;
    return (wl_expr_vars(e) & ~(cells | loops)) != 0;
}

static bool names_loops(const wl_expr *e)
{
    return (wl_expr_vars(e) & (1u << WL_VAR_LOOP_0 | 1u << WL_VAR_LOOP_1 | 1u << WL_VAR_LOOP_2)) != 0;
}

bool wl_expr_loop_strides(const wl_expr *e, int64_t strides[3])
{
    int64_t b[3];
    memset(strides, 0, 3 * sizeof *strides);
    if (!names_loops(e))
        return true;
    if (e->op == WL_EXPR_VAR) {
        strides[e->var - WL_VAR_LOOP_0] = 1;
        return true;
    }
    if (e->op == WL_EXPR_ADD || e->op == WL_EXPR_SUB) {
        bool ok = wl_expr_loop_strides(e->a, strides) && wl_expr_loop_strides(e->b, b);
        for (int i = 0; i < 3 && ok; i++)
            ok = wl_add(strides[i], e->op == WL_EXPR_ADD ? b[i] : -b[i], &strides[i]);
        return ok;
    }
    if (e->op != WL_EXPR_MUL && e->op != WL_EXPR_SHIFT_LEFT)
        return false;
    const bool product = e->op == WL_EXPR_MUL;
    const wl_expr *constant = product && e->a->op == WL_EXPR_CONST ? e->a : e->b,
                  *other = constant == e->a ? e->b : e->a;
    if (constant->op != WL_EXPR_CONST || !wl_expr_loop_strides(other, strides))
        return false;
    bool ok = product || (constant->value >= 0 && constant->value <= WL_SHIFT_MAX);
    for (int i = 0; i < 3 && ok; i++)
        ok = wl_mul(strides[i], product ? constant->value : (int64_t)1 << constant->value, &strides[i]);
    return ok;
}

/* ---- bounds ---- */

static wl_interval bounds_of(const wl_expr *e, const wl_ranges *ranges);

static wl_interval condition_bounds(const wl_expr *e, const wl_ranges *ranges)
{
    const wl_interval a = bounds_of(e->a, ranges), of_a = wl_interval_truth(a);
    if (e->op == WL_EXPR_SELECT && of_a.lo == of_a.hi)
        return bounds_of(of_a.lo ? e->b->a : e->b->b, ranges);
    if (e->op == WL_EXPR_SELECT)
        return in_range(wl_interval_join(bounds_of(e->b->a, ranges), bounds_of(e->b->b, ranges)));
    const wl_interval b = bounds_of(e->b, ranges), of_b = wl_interval_truth(b);
    if (wl_op_compares(e->op))
        return compared(e->op, a, b);
    return e->op == WL_EXPR_BOTH ? wl_interval_min(of_a, of_b) : wl_interval_max(of_a, of_b);
}

static wl_interval bounds_of(const wl_expr *e, const wl_ranges *ranges)
{
    if (e->op == WL_EXPR_CONST || e->op == WL_EXPR_VAR)
        return e->op == WL_EXPR_CONST ? wl_interval_one(e->value)
                                      : (wl_interval){ranges->lo[e->var], ranges->hi[e->var]};
    if (wl_op_compares(e->op) || e->op == WL_EXPR_BOTH || e->op == WL_EXPR_ANY || e->op == WL_EXPR_SELECT)
        return condition_bounds(e, ranges);
    const wl_interval a = bounds_of(e->a, ranges), b = bounds_of(e->b, ranges);
    if (!wl_interval_is_known(a) || !wl_interval_is_known(b))
        return WL_INTERVAL_UNKNOWN;
    switch (e->op) {
    case WL_EXPR_ADD: return in_range(wl_interval_add(a, b));
    case WL_EXPR_SUB: return in_range(wl_interval_sub(a, b));
    case WL_EXPR_MUL: return in_range(wl_interval_mul(a, b));
    case WL_EXPR_DIV: return wl_interval_div(a, b);
    case WL_EXPR_MOD: return wl_interval_mod(a, b);
    case WL_EXPR_MIN: return wl_interval_min(a, b);
    case WL_EXPR_MAX: return wl_interval_max(a, b);
    case WL_EXPR_RANDOM: return b.lo > 0 ? (wl_interval){0, b.hi - 1} : WL_INTERVAL_UNKNOWN;
    case WL_EXPR_BIT_AND: return in_range(wl_interval_and(a, b));
    case WL_EXPR_BIT_OR: return in_range(wl_interval_or(a, b));
    case WL_EXPR_BIT_XOR: return in_range(wl_interval_xor(a, b));
    case WL_EXPR_SHIFT_LEFT: return in_range(wl_interval_shift_left(a, b));
    case WL_EXPR_SHIFT_RIGHT: return wl_interval_shift_right(a, b);
    default: return WL_INTERVAL_UNKNOWN;
    }
}

bool wl_expr_bounds(const wl_expr *e, const wl_ranges *ranges, int64_t *lo, int64_t *hi)
{
    const wl_interval bounds = bounds_of(e, ranges);
    *lo = bounds.lo;
    *hi = bounds.hi;
    return wl_interval_is_known(bounds);
}

bool wl_expr_never_fails(const wl_expr *e, const wl_ranges *ranges)
{
    if (e->op == WL_EXPR_CONST || e->op == WL_EXPR_VAR)
        return true;
    if (!wl_interval_is_known(bounds_of(e, ranges)))
        return false;
    if (e->op == WL_EXPR_SELECT) /* b holds both values */
        return wl_expr_never_fails(e->a, ranges) && wl_expr_never_fails(e->b->a, ranges) &&
               wl_expr_never_fails(e->b->b, ranges);
    return wl_expr_never_fails(e->a, ranges) && wl_expr_never_fails(e->b, ranges);
}
