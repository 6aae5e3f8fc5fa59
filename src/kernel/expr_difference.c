/* expr_difference.c - see expr_difference.h. SPDX-License-Identifier: MIT */
#include "kernel/expr_difference.h"

#include <string.h>

#include "base/ckd.h"

#define PARTS_MAX 8 /* different parts that are not affine; addresses have one or two */

/* form + sum count[i] * part[i] */
typedef struct sum {
    wl_form form;
    int parts;
    const wl_expr *part[PARTS_MAX];
    int64_t count[PARTS_MAX];
} sum;

static bool equal(const wl_expr *a, const wl_expr *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->op != b->op)
        return false;
    if (a->op == WL_EXPR_CONST)
        return a->value == b->value;
    if (a->op == WL_EXPR_VAR)
        return a->var == b->var;
    return a->vars == b->vars && equal(a->a, b->a) && equal(a->b, b->b);
}

static bool add_part(sum *s, const wl_expr *e, int64_t factor)
{
    int i = 0;
    while (i < s->parts && !equal(s->part[i], e))
        i++;
    if (i == PARTS_MAX)
        return false;
    if (i == s->parts) {
        s->part[s->parts++] = e;
        s->count[i] = 0;
    }
    return wl_add(s->count[i], factor, &s->count[i]);
}

/* Adds factor * e. */
static bool add(sum *s, const wl_expr *e, int64_t factor)
{
    int64_t product;
    switch (e->op) {
    case WL_EXPR_CONST: return wl_mul(e->value, factor, &product) && wl_add(s->form.c, product, &s->form.c);
    case WL_EXPR_VAR:
        if (e->var < WL_VAR_FORM_COUNT)
            return wl_add(s->form.k[e->var], factor, &s->form.k[e->var]);
        return add_part(s, e, factor);
    case WL_EXPR_ADD: return add(s, e->a, factor) && add(s, e->b, factor);
    case WL_EXPR_SUB: return add(s, e->a, factor) && add(s, e->b, -factor);
    case WL_EXPR_MUL:
        if (e->a->op == WL_EXPR_CONST)
            return wl_mul(e->a->value, factor, &product) && add(s, e->b, product);
        if (e->b->op == WL_EXPR_CONST)
            return wl_mul(e->b->value, factor, &product) && add(s, e->a, product);
        return add_part(s, e, factor);
    default: return add_part(s, e, factor);
    }
}

bool wl_expr_difference(const wl_expr *a, const wl_expr *b, wl_form *out)
{
    sum s = {0};
    if (!add(&s, b, 1) || !add(&s, a, -1))
        return false;
    for (int i = 0; i < s.parts; i++)
        if (s.count[i] != 0)
            return false;
    *out = s.form;
    return true;
}
