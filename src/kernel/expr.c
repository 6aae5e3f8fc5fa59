/* expr.c - see expr.h. SPDX-License-Identifier: MIT */
#include "kernel/expr.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

static wl_status too_large(const wl_expr *e, wl_error *err)
{
    return wl_fail(err, WL_E_RANGE, e->loc, "the expression leaves the range +-2^60");
}

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

bool wl_form_bounds(const wl_form *form, const wl_ranges *ranges, int64_t *lo, int64_t *hi)
{
    *lo = *hi = form->c;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++) {
        int64_t a, b;
        if (form->k[v] == 0)
            continue;
        if (!wl_mul(form->k[v], ranges->lo[v], &a) || !wl_mul(form->k[v], ranges->hi[v], &b) ||
            !wl_add(*lo, wl_min(a, b), lo) || !wl_add(*hi, wl_max(a, b), hi))
            return false;
    }
    return true;
}

/* a / b and a % b for a constant b: affine when b divides every coefficient, or when the whole range of a
 * lies in one period. */
static bool form_divide(const wl_form *a, int64_t b, bool remainder, const wl_ranges *ranges, wl_form *out)
{
    const int64_t divisor = b < 0 ? -b : b;
    bool divides = b > 0;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        divides = divides && a->k[v] % divisor == 0;
    if (divides) {
        memset(out, 0, sizeof *out);
        if (remainder) {
            out->c = wl_floor_mod(a->c, b);
        } else {
            out->c = wl_floor_div(a->c, b);
            for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
                out->k[v] = a->k[v] / b;
        }
        return true;
    }
    int64_t lo, hi;
    if (b < 0 || !wl_form_bounds(a, ranges, &lo, &hi) || wl_floor_div(lo, b) != wl_floor_div(hi, b))
        return false;
    const int64_t quotient = wl_floor_div(lo, b);
    if (!remainder) {
        *out = (wl_form){.c = quotient};
        return true;
    }
    *out = *a;
    out->c -= quotient * b;
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

/* What floor division means for a negative divisor: round towards minus infinity, remainder has its sign. */
static int64_t floor_div_any(int64_t a, int64_t b) { return b > 0 ? wl_floor_div(a, b) : wl_floor_div(-a, -b); }

static wl_status fold_constants(const wl_expr *e, int64_t a, int64_t b, int64_t *out, wl_error *err)
{
    bool ok = true;
    switch (e->op) {
    case WL_EXPR_ADD: ok = wl_add(a, b, out); break;
    case WL_EXPR_SUB: ok = wl_add(a, -b, out); break;
    case WL_EXPR_MUL: ok = wl_mul(a, b, out); break;
    case WL_EXPR_DIV:
    case WL_EXPR_MOD:
        if (b == 0)
            return wl_fail(err, WL_E_INPUT, e->loc, "division by zero");
        *out = floor_div_any(a, b);
        if (e->op == WL_EXPR_MOD)
            *out = a - *out * b;
        break;
    case WL_EXPR_MIN: *out = wl_min(a, b); break;
    case WL_EXPR_MAX: *out = wl_max(a, b); break;
    case WL_EXPR_RANDOM:
        if (b <= 0)
            return wl_fail(err, WL_E_INPUT, e->loc, "random() needs a range above 0");
        *out = wl_random_below(a, b);
        break;
    case WL_EXPR_CONST:
    case WL_EXPR_VAR: break;
    }
    return ok ? WL_OK : too_large(e, err);
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

wl_status wl_expr_form(const wl_expr *e, const wl_ranges *ranges, bool *affine, wl_form *form, wl_error *err)
{
    *affine = true;
    if (e->op == WL_EXPR_CONST || e->op == WL_EXPR_VAR)
        return leaf_form(e, ranges, form);
    wl_form a, b;
    bool affine_a, affine_b;
    WL_TRY(wl_expr_form(e->a, ranges, &affine_a, &a, err));
    WL_TRY(wl_expr_form(e->b, ranges, &affine_b, &b, err));
    *affine = affine_a && affine_b;
    const bool const_b = affine_b && form_is_const(&b);
    if (const_b && b.c == 0 && (e->op == WL_EXPR_DIV || e->op == WL_EXPR_MOD))
        return wl_fail(err, WL_E_INPUT, e->loc, "division by zero");
    if (const_b && b.c <= 0 && e->op == WL_EXPR_RANDOM)
        return wl_fail(err, WL_E_INPUT, e->loc, "random() needs a range above 0");
    if (!*affine)
        return WL_OK;
    const bool const_a = form_is_const(&a);
    if (const_a && const_b) {
        memset(form, 0, sizeof *form);
        return fold_constants(e, a.c, b.c, &form->c, err);
    }
    switch (e->op) {
    case WL_EXPR_ADD: return form_add(&a, &b, 1, form) ? WL_OK : too_large(e, err);
    case WL_EXPR_SUB: return form_add(&a, &b, -1, form) ? WL_OK : too_large(e, err);
    case WL_EXPR_MUL:
        *affine = const_a || const_b;
        if (!*affine)
            return WL_OK;
        return form_add(&(wl_form){0}, const_a ? &b : &a, const_a ? a.c : b.c, form) ? WL_OK : too_large(e, err);
    case WL_EXPR_DIV:
    case WL_EXPR_MOD: *affine = const_b && form_divide(&a, b.c, e->op == WL_EXPR_MOD, ranges, form); return WL_OK;
    case WL_EXPR_MIN:
    case WL_EXPR_MAX: *affine = form_choose(&a, &b, e->op == WL_EXPR_MIN, ranges, form); return WL_OK;
    case WL_EXPR_RANDOM: *affine = false; return WL_OK;
    case WL_EXPR_CONST:
    case WL_EXPR_VAR: break;
    }
    return WL_OK;
}

wl_status wl_expr_eval(const wl_expr *e, const wl_lane_values *values, int64_t *out, wl_error *err)
{
    const int n = values->lanes;
    if (e->op == WL_EXPR_CONST) {
        for (int i = 0; i < n; i++)
            out[i] = e->value;
        return WL_OK;
    }
    if (e->op == WL_EXPR_VAR) {
        memcpy(out, values->at[e->var], (size_t)n * sizeof *out);
        return WL_OK;
    }
    int64_t b[WL_LANES_MAX];
    WL_TRY(wl_expr_eval(e->a, values, out, err));
    WL_TRY(wl_expr_eval(e->b, values, b, err));
    for (int i = 0; i < n; i++)
        WL_TRY(fold_constants(e, out[i], b[i], &out[i], err));
    return WL_OK;
}

uint32_t wl_expr_vars(const wl_expr *e)
{
    if (e->op == WL_EXPR_CONST)
        return 0;
    if (e->op == WL_EXPR_VAR)
        return 1u << e->var;
    return wl_expr_vars(e->a) | wl_expr_vars(e->b);
}

bool wl_expr_is_random(const wl_expr *e)
{
    return e->op == WL_EXPR_RANDOM || (e->a && (wl_expr_is_random(e->a) || wl_expr_is_random(e->b)));
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
    if (e->op != WL_EXPR_MUL)
        return false;
    const wl_expr *constant = e->a->op == WL_EXPR_CONST ? e->a : e->b, *other = constant == e->a ? e->b : e->a;
    if (constant->op != WL_EXPR_CONST || !wl_expr_loop_strides(other, strides))
        return false;
    bool ok = true;
    for (int i = 0; i < 3 && ok; i++)
        ok = wl_mul(strides[i], constant->value, &strides[i]);
    return ok;
}

static bool product_bounds(const int64_t a[2], const int64_t b[2], int64_t *lo, int64_t *hi)
{
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t p;
        if (!wl_mul(a[i & 1], b[i >> 1], &p))
            return false;
        *lo = wl_min(*lo, p);
        *hi = wl_max(*hi, p);
    }
    return true;
}

bool wl_expr_bounds(const wl_expr *e, const wl_ranges *ranges, int64_t *lo, int64_t *hi)
{
    int64_t a[2], b[2];
    if (e->op == WL_EXPR_CONST || e->op == WL_EXPR_VAR) {
        *lo = e->op == WL_EXPR_CONST ? e->value : ranges->lo[e->var];
        *hi = e->op == WL_EXPR_CONST ? e->value : ranges->hi[e->var];
        return true;
    }
    if (!wl_expr_bounds(e->a, ranges, &a[0], &a[1]) || !wl_expr_bounds(e->b, ranges, &b[0], &b[1]))
        return false;
    switch (e->op) {
    case WL_EXPR_ADD: return wl_add(a[0], b[0], lo) && wl_add(a[1], b[1], hi);
    case WL_EXPR_SUB: return wl_add(a[0], -b[1], lo) && wl_add(a[1], -b[0], hi);
    case WL_EXPR_MUL: return product_bounds(a, b, lo, hi);
    case WL_EXPR_MIN:
        *lo = wl_min(a[0], b[0]);
        *hi = wl_min(a[1], b[1]);
        return true;
    case WL_EXPR_MAX:
        *lo = wl_max(a[0], b[0]);
        *hi = wl_max(a[1], b[1]);
        return true;
    case WL_EXPR_DIV:
        *lo = b[0] > 0 ? wl_min(wl_floor_div(a[0], b[0]), wl_floor_div(a[0], b[1])) : 0;
        *hi = b[0] > 0 ? wl_max(wl_floor_div(a[1], b[0]), wl_floor_div(a[1], b[1])) : 0;
        return b[0] > 0;
    case WL_EXPR_RANDOM:
        *lo = 0;
        *hi = b[1] - 1;
        return b[0] > 0;
    case WL_EXPR_MOD:
        *lo = 0;
        *hi = a[0] >= 0 ? wl_min(a[1], b[1] - 1) : b[1] - 1;
        return b[0] > 0;
    default: return false;
    }
}
