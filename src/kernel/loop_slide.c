/* loop_slide.c - see loop_slide.h. SPDX-License-Identifier: MIT */
#include "kernel/loop_slide.h"

#include "base/ckd.h"
#include "base/fail.h"

/* By how much a value of the next thread in the step before exceeds that of this thread now. */
typedef struct change {
    bool known;
    int64_t by;
} change;

static const change unknown = {false, 0};

/* Does a variable count threads in x? */
static bool counts_threads(wl_var var) { return var == WL_VAR_X || var == WL_VAR_THREAD_X; }

static change of_variable(const wl_program *p, wl_var var)
{
    if (counts_threads(var))
        return (change){true, 1};
    return (change){true, (int)var == (int)WL_VAR_LOOP_0 + p->innermost ? -1 : 0};
}

static change change_of(const wl_program *p, const wl_program_node *n, const change *of)
{
    int64_t by = 0;
    if (n->op == WL_EXPR_CONST)
        return (change){true, 0};
    if (n->op == WL_EXPR_VAR)
        return of_variable(p, n->var);
    const change a = of[n->a], b = of[n->b], c = n->c >= 0 ? of[n->c] : (change){true, 0};
    if (!a.known || !b.known || !c.known)
        return unknown;
    if (a.by == 0 && b.by == 0 && c.by == 0)
        return (change){true, 0};
    const wl_program_node *first = &p->nodes[n->a], *second = &p->nodes[n->b];
    const bool fits = n->op == WL_EXPR_ADD   ? wl_add(a.by, b.by, &by)
                      : n->op == WL_EXPR_SUB ? b.by > INT64_MIN && wl_add(a.by, -b.by, &by)
                      : n->op == WL_EXPR_MUL && second->op == WL_EXPR_CONST ? wl_mul(a.by, second->value, &by)
                      : n->op == WL_EXPR_MUL && first->op == WL_EXPR_CONST  ? wl_mul(b.by, first->value, &by)
                                                                            : false;
    return fits ? (change){true, by} : unknown;
}

bool wl_loop_slide_find(wl_program *p, wl_arena *arena)
{
    p->slides = false;
    if (p->innermost < 0 || p->access->traced)
        return true;
    change *of = WL_ARENA_NEW(arena, change, p->count);
    if (!of)
        return false;
    for (int i = 0; i < p->count; i++)
        of[i] = change_of(p, &p->nodes[i], of);
    p->slides =
        of[p->index].known && of[p->index].by == 0 && (p->when < 0 || (of[p->when].known && of[p->when].by == 0));
    return true;
}

/* Is a lane the next thread in x after the lane before it, at the same place otherwise? */
static bool is_next(const wl_lane_values *v, int lane)
{
    for (int var = 0; var < WL_VAR_COUNT; var++) {
        const bool of_loop = var >= WL_VAR_LOOP_0 && var < WL_VAR_FORM_COUNT;
        if (!of_loop && v->at[var][lane] - v->at[var][lane - 1] != counts_threads((wl_var)var))
            return false;
    }
    return true;
}

/* The lanes that are next to none before them. */
static void first_lanes(const wl_lane_values *v, wl_lane_values *out)
{
    out->lanes = 0;
    for (int i = 0; i < v->lanes; i++) {
        if (i > 0 && is_next(v, i))
            continue;
        for (int var = 0; var < WL_VAR_COUNT; var++)
            out->at[var][out->lanes] = v->at[var][i];
        out->lanes++;
    }
}

wl_status wl_loop_slide_run(wl_program *p, wl_lane_values *values, wl_program_visit visit, void *context, wl_error *err)
{
    wl_lane_values firsts;
    if (!p->slides || p->period || p->first != 0 || p->advance != 1)
        return wl_program_run(p, values, visit, context, err);
    first_lanes(values, &firsts);
    if (firsts.lanes == values->lanes)
        return wl_program_run(p, values, visit, context, err);
    WL_TRY(wl_program_run(p, &firsts, visit, context, err));
    p->first = wl_max(0, p->steps[p->innermost] - 1);
    const wl_status status = wl_program_run(p, values, visit, context, err);
    p->first = 0;
    return status;
}
