/* answers.c - see answers.h. SPDX-License-Identifier: MIT */
#include "causes/answers.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* The variant is made for its launch. */
static wl_status stay(void *context, const wl_launch *launch, wl_kernel **out, wl_error *err)
{
    (void)context, (void)launch, (void)err;
    *out = NULL;
    return WL_OK;
}

/* ---- executions ---- */

static wl_status trace_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err)
{
    const wl_answers *a = context;
    const wl_block_trace *from = NULL;
    WL_TRY(a->inner->trace_block(a->inner->context, block, &from, err));
    *out = from;
    if (!a->in_a_row)
        return WL_OK;
    wl_arena_reset(a->traced);
    wl_block_trace *trace = WL_ARENA_NEW(a->traced, wl_block_trace, 1);
    wl_execution *list = WL_ARENA_NEW(a->traced, wl_execution, from->count + 1);
    if (!trace || !list)
        return wl_fail_memory(err);
    for (size_t i = 0; i < from->count; i++) {
        list[i] = from->executions[i];
        const int32_t width = a->in_a_row[list[i].access];
        if (width == 0)
            continue;
        list[i].form = WL_EXECUTION_EVEN;
        list[i].base = 0;
        list[i].at.step = width;
    }
    *trace = (wl_block_trace){list, from->count, from->first};
    *out = trace;
    return WL_OK;
}

static wl_status visit_loads(void *context, const int64_t block[3], wl_load_visit visit, void *user, wl_error *err)
{
    const wl_answers *a = context;
    return a->inner->visit_loads(a->inner->context, block, visit, user, err);
}

static wl_status visit_warp(void *context, const int64_t block[3], int warp, const wl_line_sample *sample,
                            wl_load_visit visit, void *user, wl_error *err)
{
    const wl_answers *a = context;
    return a->inner->visit_warp(a->inner->context, block, warp, sample, visit, user, err);
}

static wl_status visit_local(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, wl_error *err)
{
    const wl_answers *a = context;
    return a->inner->visit_local(a->inner->context, block, grid, visit, user, err);
}

/* ---- instructions ---- */

static void shorten(double share, wl_longest_warp *w) { w->instructions *= share; }

/* As if no warp diverged: all lanes of a warp are active in each instruction. */
static void make_uniform(double lanes, double share, wl_mix *mix)
{
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        mix->warp[c] = fmin(mix->warp[c], mix->thread[c] / lanes);
    mix->integer_pipe *= share;
    mix->branches *= share;
    mix->divergent = 0;
    for (int c = 0; c < WL_CONVERT_COUNT; c++)
        mix->converts[c] *= share;
    shorten(share, &mix->longest);
    for (int k = 0; k < mix->kinds.count; k++) {
        wl_block_kind *kind = &mix->kinds.list[k];
        kind->instructions *= share;
        kind->most *= share;
        shorten(share, &kind->longest);
    }
}

static wl_status count_instructions(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                                    const wl_line_mix **lines, size_t *line_count, wl_error *err)
{
    const wl_answers *a = context;
    WL_TRY(a->inner->count_instructions(a->inner->context, block, grid, out, lines, line_count, err));
    if (a->lanes > 0)
        make_uniform(a->lanes, a->instructions, out);
    return WL_OK;
}

/* Arithmetic takes its share of issue slots and latencies; loads and stores are as they were. */
static wl_status live(void *context, const wl_lives **out, wl_error *err)
{
    const wl_answers *a = context;
    const wl_lives *from = NULL;
    WL_TRY(a->inner->live(a->inner->context, &from, err));
    *out = from;
    if (!(a->lanes > 0))
        return WL_OK;
    wl_lives *lives = WL_ARENA_NEW(a->arena, wl_lives, 1);
    wl_op *ops = WL_ARENA_NEW(a->arena, wl_op, from->op_count + 1);
    wl_life *list = WL_ARENA_NEW(a->arena, wl_life, from->count + 1);
    if (!lives || !ops || !list)
        return wl_fail_memory(err);
    *lives = *from;
    for (int32_t i = 0; i < from->op_count; i++) {
        ops[i] = from->ops[i];
        if (ops[i].kind == WL_OP_LOAD || ops[i].kind == WL_OP_STORE || ops[i].kind == WL_OP_ATOMIC)
            continue;
        ops[i].issue *= (float)a->instructions;
        ops[i].chain *= (float)a->instructions;
    }
    for (size_t i = 0; i < from->count; i++) {
        list[i] = from->list[i];
        list[i].instructions *= a->instructions;
    }
    lives->ops = ops;
    lives->list = list;
    *out = lives;
    return WL_OK;
}

/* ---- the source ---- */

wl_status wl_answers_make(const wl_source *inner, wl_arena *arena, wl_arena *traced, wl_source *out, wl_error *err)
{
    *out = *inner;
    out->free = NULL;
    if (!inner->context)
        return WL_OK;
    wl_answers *a = WL_ARENA_NEW(arena, wl_answers, 1);
    if (!a)
        return wl_fail_memory(err);
    *a = (wl_answers){.inner = inner, .arena = arena, .traced = traced};
    out->context = a;
    out->at_launch = inner->at_launch ? stay : NULL;
    out->trace_block = inner->trace_block ? trace_block : NULL;
    out->count_instructions = inner->count_instructions ? count_instructions : NULL;
    out->live = inner->live ? live : NULL;
    out->visit_loads = inner->visit_loads ? visit_loads : NULL;
    out->visit_warp = inner->visit_warp ? visit_warp : NULL;
    out->visit_local = inner->visit_local ? visit_local : NULL;
    out->outside = NULL; /* variants are made of launches that stay inside */
    return WL_OK;
}

wl_answers *wl_answers_of(const wl_source *source) { return source->context; }
