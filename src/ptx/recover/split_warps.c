/* split_warps.c - instructions that divergent lanes of one warp reach on several paths.
 *
 * A path ends where all its threads reconverge with others. If only some do (`break` or `continue`
 * inside a condition), recovery follows both sides of the branch separately, and an instruction
 * after the reconvergence point becomes one step of each side. But lanes of one warp that
 * reconverge there execute it together: two steps would count it twice. If the branch diverges
 * within a warp, the instruction is emulated; if it never does, each warp executes one of the two
 * steps.
 * Layer  ptx/recover. Oracle: tests/property/prop_ptx_predict.c. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "ptx/recover/recover_internal.h"

/* threads whose conditions are evaluated; larger launches count as unknown */
#define THREADS_MOST (1 << 14)

void wl_ptx_thread_values(const wl_ptx_launch *l, const int64_t block[3], int64_t thread, int64_t values[WL_VAR_COUNT])
{
    const int64_t index[3] = {thread % l->block[0], thread / l->block[0] % l->block[1],
                              thread / l->block[0] / l->block[1]};
    memset(values, 0, WL_VAR_COUNT * sizeof *values);
    for (int d = 0; d < 3; d++) {
        values[WL_VAR_THREAD_X + d] = index[d];
        values[WL_VAR_BLOCK_X + d] = block[d];
        values[WL_VAR_X + d] = block[d] * l->block[d] + index[d];
        values[WL_VAR_BLOCKDIM_X + d] = l->block[d];
        values[WL_VAR_GRIDDIM_X + d] = l->grid[d];
    }
}

bool wl_ptx_in_domain(const wl_ptx_recovery *r, const int64_t values[WL_VAR_COUNT])
{
    bool inside = true;
    for (int d = 0; d < 3; d++)
        inside =
            inside && values[WL_VAR_X + d] >= r->first[d] && (!r->domain[d] || values[WL_VAR_X + d] < r->domain[d]);
    return inside;
}

/* ---- two paths ---- */

static bool reads_lanes(const wl_ptx_launch *l, const wl_symbol *condition)
{
    const bool rows = l->block[0] % WL_PTX_LANES == 0; /* the lanes of a warp differ in x only */
    uint32_t lanes = 1u << WL_VAR_X | 1u << WL_VAR_THREAD_X;
    if (!rows)
        lanes |= 1u << WL_VAR_Y | 1u << WL_VAR_Z | 1u << WL_VAR_THREAD_Y | 1u << WL_VAR_THREAD_Z;
    return wl_sym_vars(condition) & lanes;
}

/* A condition of NULL: every thread. */
static bool reads_loops(const wl_symbol *condition)
{
    return condition && wl_sym_vars(condition) & (1u << WL_VAR_LOOP_0 | 1u << WL_VAR_LOOP_1 | 1u << WL_VAR_LOOP_2);
}

/* Whether a thread may take the path. */
static bool takes(const wl_symbol *when, const int64_t values[WL_VAR_COUNT])
{
    int64_t holds = 1;
    return !when || !wl_sym_eval(when, values, &holds) || holds;
}

static bool share_a_warp_of(const wl_ptx_executor *r, const int64_t block[3], const wl_symbol *a, const wl_symbol *b)
{
    const int64_t *extent = r->launch->block, threads = extent[0] * extent[1] * extent[2];
    bool on_a = false, on_b = false;
    for (int64_t t = 0; t < threads && !(on_a && on_b); t++) {
        int64_t values[WL_VAR_COUNT];
        if (t % WL_PTX_LANES == 0)
            on_a = on_b = false;
        wl_ptx_thread_values(r->launch, block, t, values);
        if (!wl_ptx_in_domain(r->out, values))
            continue;
        on_a = on_a || takes(a, values);
        on_b = on_b || takes(b, values);
    }
    return on_a && on_b;
}

/* Whether one warp of the launch may have lanes on both of two paths that no thread shares. */
static bool share_a_warp(wl_ptx_executor *r, const wl_symbol *a, const wl_symbol *b)
{
    const wl_ptx_launch *l = r->launch;
    const int64_t *g = l->grid;
    int64_t blocks, threads;
    /* all lanes of a warp take that path, or none */
    if ((a && !reads_lanes(l, a)) || (b && !reads_lanes(l, b)))
        return false;
    if (reads_loops(a) || reads_loops(b) || !wl_mul(g[0] * g[1], g[2], &blocks) ||
        !wl_mul(blocks, l->block[0] * l->block[1] * l->block[2], &threads) || threads > THREADS_MOST)
        return true;
    r->work += threads;
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t block[3] = {i % g[0], i / g[0] % g[1], i / g[0] / g[1]};
        if (share_a_warp_of(r, block, a, b))
            return true;
    }
    return false;
}

/* ---- their steps ---- */

static void trace_split(wl_ptx_executor *r, int32_t pc)
{
    wl_ptx_trace(r->out, pc, (wl_ptx_cause){WL_PTX_WHY_SPLIT, pc});
    r->any_traced = true;
}

/* Lanes on this path have ended: others may execute its instructions later. */
static void leave_behind(wl_ptx_executor *r, size_t begin, size_t end, const wl_symbol *when)
{
    for (size_t i = begin; i < end; i++) {
        const wl_symbol **left = &r->left_behind[r->out->steps[i].instruction];
        const wl_symbol *either = *left && *left != when ? wl_sym_either(r->values.symbols, *left, when) : when;
        if (either)
            *left = either;
        else /* too long: it cannot be compared */
            trace_split(r, r->out->steps[i].instruction);
    }
}

void wl_ptx_compare_sides(wl_ptx_executor *r, const wl_ptx_sides *s)
{
    const wl_ptx_recovery *o = r->out;
    const int32_t mark = ++r->side_count;
    bool common = false;
    if (s->first_ended != s->second_ended && s->first_ended)
        leave_behind(r, s->begin, s->middle, s->first);
    else if (s->second_ended && !s->first_ended)
        leave_behind(r, s->middle, s->end, s->second);
    for (size_t i = s->begin; i < s->middle; i++)
        r->side_of[o->steps[i].instruction] = mark;
    for (size_t i = s->middle; i < s->end && !common; i++)
        common = r->side_of[o->steps[i].instruction] == mark;
    if (!common || !share_a_warp(r, s->first, s->second))
        return;
    for (size_t i = s->middle; i < s->end; i++)
        if (r->side_of[o->steps[i].instruction] == mark)
            trace_split(r, o->steps[i].instruction);
}

bool wl_ptx_is_left_behind(wl_ptx_executor *r, int32_t pc, const wl_symbol *when)
{
    const wl_symbol *left = r->left_behind[pc];
    const bool is_split = left && !r->out->traced[pc] && share_a_warp(r, left, when);
    if (is_split)
        trace_split(r, pc);
    return is_split;
}
