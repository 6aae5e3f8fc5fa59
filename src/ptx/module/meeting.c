/* meeting.c - the reconvergence points of divergent branches; see flow.h.
 *
 * Assemblers put a convergence barrier at the first place that both sides of a branch can reach. A
 * lane that jumps elsewhere (`break`, `continue` or `return` inside the sides) leaves the barrier,
 * so that the others still reconverge there. That is not the immediate post-dominator, which a
 * single such lane would move to the end of the loop, or of the kernel.
 *
 * "First" refers to an order of the blocks in which all edges except back edges lead forward, and
 * the blocks of a loop are contiguous.
 * Layer  ptx/module. Oracle: tests/unit/test_ptx_flow.c. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "ptx/module/flow.h"

/* ---- the order ---- */

typedef struct sorter {
    wl_ptx_flow *flow;
    int32_t *waits_for; /* forward edges from blocks without a place; -1: has a place */
    int32_t *ready, ready_count;
} sorter;

/* The first ready block of the innermost loop that has a ready block; else of all blocks. */
static int32_t choose(const sorter *s, int32_t last)
{
    const wl_ptx_flow *flow = s->flow;
    for (int32_t l = last < 0 ? -1 : flow->loop_of[last];; l = flow->loops[l].parent) {
        int32_t found = -1;
        for (int32_t k = 0; k < s->ready_count; k++)
            if ((l < 0 || wl_ptx_flow_in_loop(flow, l, s->ready[k])) && (found < 0 || s->ready[k] < s->ready[found]))
                found = k;
        if (found >= 0 || l < 0)
            return found;
    }
}

/* Loops with two entries have no order: the first block of what is left goes next. */
static void force_one(sorter *s)
{
    for (int32_t b = 0; b < s->flow->block_count; b++)
        if (s->waits_for[b] > 0 && s->flow->reached[b]) {
            s->waits_for[b] = 0;
            s->ready[s->ready_count++] = b;
            return;
        }
}

static void release_successors(sorter *s, int32_t block)
{
    const wl_ptx_flow *flow = s->flow;
    for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++) {
        const int32_t to = flow->edges[e];
        if (to < flow->block_count && !wl_ptx_flow_is_back(flow, block, to) && s->waits_for[to] > 0 &&
            --s->waits_for[to] == 0)
            s->ready[s->ready_count++] = to;
    }
}

static void sort_blocks(sorter *s)
{
    wl_ptx_flow *flow = s->flow;
    int32_t last = -1, places = 0;
    for (int32_t b = 0; b < flow->block_count; b++)
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1] && flow->reached[b]; e++)
            if (flow->edges[e] < flow->block_count && !wl_ptx_flow_is_back(flow, b, flow->edges[e]))
                s->waits_for[flow->edges[e]]++;
    for (int32_t b = 0; b <= flow->block_count; b++)
        flow->place[b] = flow->block_count; /* the end, and what is never reached */
    if (flow->block_count > 0)
        s->ready[s->ready_count++] = 0;
    for (;;) {
        if (s->ready_count == 0)
            force_one(s);
        if (s->ready_count == 0)
            return;
        const int32_t k = choose(s, last);
        last = s->ready[k];
        s->ready[k] = s->ready[--s->ready_count];
        s->waits_for[last] = -1;
        flow->place[last] = places++;
        release_successors(s, last);
    }
}

/* ---- meeting ---- */

typedef struct finder {
    const wl_ptx_flow *flow;
    int32_t *mark, *stack; /* mark: the search that reached a block last */
    int32_t search;
} finder;

/* Marks all blocks that forward edges reach from a block. Returns the first one that an earlier
 * search, from number `since` on, reached; -1: none. */
static int32_t reach(finder *f, int32_t from, int32_t since)
{
    const wl_ptx_flow *flow = f->flow;
    int32_t depth = 0, met = -1;
    f->search++;
    if (from < flow->block_count)
        f->stack[depth++] = from;
    while (depth > 0) {
        const int32_t b = f->stack[--depth];
        if (f->mark[b] == f->search)
            continue;
        if (f->mark[b] >= since && (met < 0 || flow->place[b] < flow->place[met]))
            met = b;
        f->mark[b] = f->search;
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1]; e++)
            if (flow->edges[e] < flow->block_count && !wl_ptx_flow_is_back(flow, b, flow->edges[e]) &&
                f->mark[flow->edges[e]] != f->search)
                f->stack[depth++] = flow->edges[e];
    }
    return met;
}

/* The first block that two successors reach. */
static int32_t first_common(finder *f, int32_t block)
{
    const wl_ptx_flow *flow = f->flow;
    const int32_t since = f->search + 1;
    int32_t first = -1;
    for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++) {
        bool again = false;
        for (int32_t d = flow->edge_first[block]; d < e; d++)
            again = again || flow->edges[d] == flow->edges[e];
        const int32_t met = again ? flow->edges[e] : reach(f, flow->edges[e], since);
        if (met >= 0 && met < flow->block_count && (first < 0 || flow->place[met] < flow->place[first]))
            first = met;
    }
    return first;
}

/* A branch that leaves its loop for `out`. Other lanes leave it at other exits, or here later: all
 * reconverge there, unless only the lanes that leave here execute `out` before they join the
 * others. */
static int32_t meet_outside(finder *f, int32_t block, int32_t loop, int32_t out)
{
    const wl_ptx_flow *flow = f->flow;
    const int32_t since = f->search + 1;
    bool others = false;
    for (int32_t b = 0; b < flow->block_count; b++)
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1] && flow->reached[b]; e++)
            if (b != block && wl_ptx_flow_in_loop(flow, loop, b) && !wl_ptx_flow_in_loop(flow, loop, flow->edges[e])) {
                (void)reach(f, flow->edges[e], since);
                others = true;
            }
    if (!others || f->mark[out] >= since || block == flow->loops[loop].header)
        return out;
    for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++)
        if (wl_ptx_flow_is_back(flow, block, flow->edges[e]))
            return out;
    const int32_t met = reach(f, out, since);
    return met < 0 ? out : met;
}

static int32_t meet(finder *f, int32_t block)
{
    const wl_ptx_flow *flow = f->flow;
    const int32_t loop = flow->loop_of[block];
    int32_t out = -1, outside = 0, inside = 0;
    for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++) {
        if (loop < 0 || wl_ptx_flow_in_loop(flow, loop, flow->edges[e])) {
            inside++;
            continue;
        }
        outside++;
        out = flow->edges[e];
    }
    if (inside + outside < 2)
        return -1;
    if (inside > 0 && outside == 1)
        return out < flow->block_count ? meet_outside(f, block, loop, out) : -1;
    return first_common(f, block);
}

/* ---- joins ---- */

/* A block that only ends its lanes. */
static bool only_returns(const wl_ptx_function *f, const wl_ptx_flow *flow, int32_t block)
{
    const wl_ptx_instruction *in = &f->instructions[flow->first[block]];
    return in->guard < 0 && (in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit);
}

/* Can lanes bypass the meeting point only by exiting? Then all remaining lanes join there. */
static bool joins_all(finder *f, const wl_ptx_function *function, int32_t block, int32_t met)
{
    const wl_ptx_flow *flow = f->flow;
    int32_t depth = 0;
    (void)reach(f, met, INT32_MAX);
    const int32_t after = f->search, seen = ++f->search;
    f->mark[block] = seen;
    f->stack[depth++] = block;
    while (depth > 0) {
        const int32_t b = f->stack[--depth];
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1]; e++) {
            const int32_t to = flow->edges[e];
            if (to >= flow->block_count || to == met || f->mark[to] == seen || only_returns(function, flow, to))
                continue;
            const bool turns_back =
                wl_ptx_flow_is_back(flow, b, to) && wl_ptx_flow_in_loop(flow, flow->loop_of[to], met);
            if (turns_back || f->mark[to] == after)
                return false;
            f->mark[to] = seen;
            f->stack[depth++] = to;
        }
    }
    return true;
}

wl_status wl_ptx_flow_find_meetings(const wl_ptx_function *function, wl_ptx_flow *flow, wl_arena *arena, wl_error *err)
{
    const int32_t n = flow->block_count, edges = flow->edge_first[n];
    flow->place = WL_ARENA_NEW(arena, int32_t, n + 1);
    flow->meeting = WL_ARENA_NEW(arena, int32_t, n + 1);
    flow->join = WL_ARENA_NEW(arena, int32_t, n + 1);
    sorter s = {
        .flow = flow, .waits_for = WL_ARENA_NEW(arena, int32_t, n + 1), .ready = WL_ARENA_NEW(arena, int32_t, n + 1)};
    finder f = {
        .flow = flow, .mark = WL_ARENA_NEW(arena, int32_t, n + 1), .stack = WL_ARENA_NEW(arena, int32_t, edges + 1)};
    if (!flow->place || !flow->meeting || !flow->join || !s.waits_for || !s.ready || !f.mark || !f.stack)
        return wl_fail_memory(err);
    sort_blocks(&s);
    for (int32_t b = 0; b < n; b++) {
        const int32_t met = flow->reached[b] ? meet(&f, b) : -1;
        flow->meeting[b] = met < 0 ? -1 : flow->first[met];
        flow->join[b] = flow->reconvergence[b];
        if (met >= 0 && flow->meeting[b] != flow->join[b] && joins_all(&f, function, b, met))
            flow->join[b] = flow->meeting[b];
    }
    return WL_OK;
}
