/* loop_period.c - see loop_period.h. SPDX-License-Identifier: MIT */
#include "kernel/loop_period.h"

#include <stdlib.h>

#include "base/ckd.h"

#define PERIOD_MOST ((int64_t)1 << 31) /* longer periods save nothing */
#define STRIDE_MOST ((int64_t)1 << 40)

/* How a value changes from step to step: by the same amount each time, or in a cycle, or both if it
 * does not change. */
typedef struct change {
    bool even;
    int64_t stride; /* of even ones */
    int64_t period; /* 1: it does not change; 0: no cycle */
} change;

static const change unknown = {false, 0, 0}, constant = {true, 0, 1};

static change even_by(int64_t stride)
{
    if (stride == 0)
        return constant;
    return llabs(stride) <= STRIDE_MOST ? (change){true, stride, 0} : unknown;
}

static change repeating(int64_t period)
{
    if (period == 1)
        return (change){false, 0, 1};
    return period <= PERIOD_MOST ? (change){false, 0, period} : unknown;
}

/* The period of two cycles together; 0: none. */
static int64_t common_period(int64_t a, int64_t b) { return a && b ? a / wl_gcd(a, b) * b : 0; }

static bool does_not_change(change c) { return c.period == 1; }

/* How a value that changes like `a` changes modulo `modulus`, which may be a mask of low bits. */
static change remainder_of(change a, int64_t modulus)
{
    if (a.period)
        return repeating(a.period);
    if (!a.even || modulus <= 0)
        return unknown;
    return repeating(modulus / wl_gcd(modulus, llabs(a.stride) % modulus));
}

/* A product with a constant; a value that merely does not change may differ between lanes. */
static change product_of(const wl_program_node *by, change a)
{
    int64_t stride;
    if (by->op != WL_EXPR_CONST || !a.even || !wl_mul(a.stride, by->value, &stride))
        return unknown;
    return even_by(stride);
}

static change change_of(const wl_program *p, const wl_program_node *n, const change *known)
{
    if (n->op == WL_EXPR_CONST)
        return constant;
    if (n->op == WL_EXPR_VAR)
        return (int)n->var == (int)WL_VAR_LOOP_0 + p->innermost ? even_by(1) : constant;
    const change a = known[n->a], b = known[n->b], c = n->c >= 0 ? known[n->c] : constant;
    const int64_t period = common_period(common_period(a.period, b.period), c.period);
    const wl_program_node *second = &p->nodes[n->b];
    const bool by_number = second->op == WL_EXPR_CONST;
    if (does_not_change(a) && does_not_change(b) && does_not_change(c))
        return constant;
    if (n->op == WL_EXPR_MOD && by_number)
        return remainder_of(a, second->value);
    if (n->op == WL_EXPR_BIT_AND && by_number && wl_is_pow2(second->value + 1))
        return remainder_of(a, second->value + 1);
    if (period)
        return repeating(period);
    if (n->op == WL_EXPR_ADD && a.even && b.even)
        return even_by(a.stride + b.stride);
    if (n->op == WL_EXPR_SUB && a.even && b.even)
        return even_by(a.stride - b.stride);
    if (n->op == WL_EXPR_MUL)
        return by_number ? product_of(second, a) : product_of(&p->nodes[n->a], b);
    return unknown;
}

bool wl_loop_period_find(wl_program *p, wl_arena *arena)
{
    p->period = 0;
    if (p->innermost < 0 || p->access->traced)
        return true;
    change *known = WL_ARENA_NEW(arena, change, p->count);
    if (!known)
        return false;
    for (int i = 0; i < p->count; i++)
        known[i] = change_of(p, &p->nodes[i], known);
    const int64_t of_index = known[p->index].period, of_when = p->when < 0 ? 1 : known[p->when].period;
    p->period = repeating(common_period(of_index, of_when)).period;
    return true;
}
