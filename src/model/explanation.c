/* explanation.c - see explanation.h. SPDX-License-Identifier: MIT */
#include "model/explanation.h"

#include "model/stacks.h"

#define WORTH_NAMING 0.05 /* share of the time: less is not named beside the limiter */

wl_bound_id wl_stack_part_bound(const wl_model_result *m, wl_stack_part part)
{
    switch (part) {
    case WL_STACK_ISSUE: return WL_BOUND_ISSUE;
    case WL_STACK_FP: return WL_BOUND_FP;
    case WL_STACK_TENSOR: return WL_BOUND_TENSOR;
    case WL_STACK_MULTIPLY: return WL_BOUND_MULTIPLY;
    case WL_STACK_INTEGER: return WL_BOUND_INTEGER;
    case WL_STACK_L1_QUEUE:
        return wl_larger_bound(m, wl_larger_bound(m, wl_larger_bound(m, WL_BOUND_L1, WL_BOUND_TAG), WL_BOUND_DSMEM),
                               WL_BOUND_CONSTANT);
    case WL_STACK_NOC: return wl_larger_bound(m, WL_BOUND_L2, WL_BOUND_PIECES);
    case WL_STACK_DRAM_QUEUE: return wl_larger_bound(m, WL_BOUND_DRAM, WL_BOUND_RANDOM);
    case WL_STACK_ATOMICS: return WL_BOUND_ATOMICS;
    case WL_STACK_LAUNCH: return WL_BOUND_LAUNCH;
    case WL_STACK_IMBALANCE:
    case WL_STACK_TAIL: return WL_BOUND_COUNT;
    default: return WL_BOUND_LATENCY;
    }
}

static wl_limit limit_of(const wl_model_result *m, const wl_explanation *e, wl_bound_id bound)
{
    return (wl_limit){.bound = bound,
                      .share = e->share[bound],
                      .busy = m->bound_known[bound] && m->time_s > 0 ? m->bound_s[bound] / m->time_s : 0};
}

static void add_shares(const wl_prediction *p, const wl_stack *stack, wl_explanation *e)
{
    double longest = 0;
    for (int i = 0; i < WL_STACK_PART_COUNT; i++) {
        const wl_stack_part part = (wl_stack_part)i;
        const wl_bound_id bound = wl_stack_part_bound(&p->model, part);
        const double share = wl_stack_part_share(stack, part);
        if (bound == WL_BOUND_COUNT)
            e->idle += share;
        else
            e->share[bound] += share;
        if (bound == WL_BOUND_LATENCY && share > longest) {
            longest = share;
            e->wait = part;
        }
    }
}

/* The bound with the largest share but one; `without` WL_BOUND_COUNT: with the largest of all. */
static wl_bound_id heaviest(const wl_explanation *e, wl_bound_id without)
{
    int most = -1;
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (i != (int)without && (most < 0 || e->share[i] > e->share[most]))
            most = i;
    return (wl_bound_id)most;
}

wl_explanation wl_explanation_of(const wl_prediction *p)
{
    const wl_model_result *m = &p->model;
    wl_explanation e = {.known = p->stacks && p->stacks->known[m->id], .wait = WL_STACK_PART_COUNT};
    if (!e.known) {
        e.first = limit_of(m, &e, m->limiter);
        if (m->next != m->limiter)
            e.next = limit_of(m, &e, m->next);
        return e;
    }
    add_shares(p, &p->stacks->stack[m->id], &e);
    e.first = limit_of(m, &e, heaviest(&e, WL_BOUND_COUNT));
    const wl_bound_id next = heaviest(&e, e.first.bound);
    if (e.share[next] >= WORTH_NAMING)
        e.next = limit_of(m, &e, next);
    return e;
}
