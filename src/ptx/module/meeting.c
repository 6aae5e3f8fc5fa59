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

/* ---- searches in order ---- */

/* Forward edges lead to later places, so a search that visits the blocks it has reached in order of
 * their places knows all about a block when it visits it. It can stop where two sides meet, and
 * costs what lies between a branch and its meeting point. (Where loops have two entries, an edge
 * may lead to an earlier place; such a block is visited next.) */
typedef struct search {
    int32_t number;       /* of this search */
    int32_t *at, *side;   /* by block: the last search that reached it, and from which side */
    int32_t *heap, count; /* blocks to visit, the first place on top */
} search;

typedef struct finder {
    const wl_ptx_flow *flow;
    search sides, after;          /* from the sides of a branch; from its meeting point */
    int32_t *pending;             /* by side: blocks to visit */
    int32_t active;               /* sides that have such blocks */
    bool have_met;                /* two sides have reached the same block */
    int32_t *exit_first;          /* by loop: its first exit edge */
    int32_t *exit_from, *exit_to; /* exit edges */
    int32_t *mark, *stack, walk;  /* mark: the walk that reached a block last */
} finder;

#define BOTH (-1) /* the side of a block that two sides have reached */

static void push(const wl_ptx_flow *flow, search *s, int32_t block)
{
    const int32_t *place = flow->place;
    int32_t k = s->count++;
    for (; k > 0 && place[block] < place[s->heap[(k - 1) / 2]]; k = (k - 1) / 2)
        s->heap[k] = s->heap[(k - 1) / 2];
    s->heap[k] = block;
}

static int32_t pop(const wl_ptx_flow *flow, search *s)
{
    const int32_t *place = flow->place, top = s->heap[0], last = s->heap[--s->count];
    int32_t k = 0;
    for (int32_t child = 1; child < s->count; child = 2 * k + 1) {
        if (child + 1 < s->count && place[s->heap[child + 1]] < place[s->heap[child]])
            child++;
        if (place[last] <= place[s->heap[child]])
            break;
        s->heap[k] = s->heap[child];
        k = child;
    }
    s->heap[k] = last;
    return top;
}

static void start(search *s)
{
    s->number++;
    s->count = 0;
}

/* ---- meeting ---- */

static void reach(finder *f, int32_t block, int32_t side)
{
    search *s = &f->sides;
    if (block >= f->flow->block_count)
        return;
    if (s->at[block] != s->number) {
        s->at[block] = s->number;
        s->side[block] = side;
        f->active += f->pending[side]++ == 0;
        push(f->flow, s, block);
    } else if (s->side[block] != side && s->side[block] != BOTH) {
        s->side[block] = BOTH;
        f->have_met = true;
        push(f->flow, s, block); /* it may have been visited */
    }
}

static void start_sides(finder *f, int32_t count)
{
    start(&f->sides);
    f->active = 0;
    f->have_met = false;
    memset(f->pending, 0, (size_t)count * sizeof *f->pending);
}

/* The first block that two sides reach; -1: none. */
static int32_t where_sides_meet(finder *f)
{
    const wl_ptx_flow *flow = f->flow;
    search *s = &f->sides;
    while (s->count > 0 && (f->active > 1 || f->have_met)) {
        const int32_t b = pop(flow, s), side = s->side[b];
        if (side == BOTH)
            return b;
        f->active -= --f->pending[side] == 0;
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1]; e++)
            if (!wl_ptx_flow_is_back(flow, b, flow->edges[e]))
                reach(f, flow->edges[e], side);
    }
    return -1;
}

/* The first block that two successors reach. */
static int32_t first_common(finder *f, int32_t block)
{
    const wl_ptx_flow *flow = f->flow;
    const int32_t first = flow->edge_first[block], end = flow->edge_first[block + 1];
    start_sides(f, end - first);
    for (int32_t e = first; e < end; e++)
        reach(f, flow->edges[e], e - first);
    return where_sides_meet(f);
}

/* A branch that leaves its loop for `out`. Other lanes leave it at other exits, or here later: all
 * reconverge there, unless only the lanes that leave here execute `out` before they join the
 * others. */
static int32_t meet_outside(finder *f, int32_t block, int32_t loop, int32_t out)
{
    const wl_ptx_flow *flow = f->flow;
    if (block == flow->loops[loop].header)
        return out;
    for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++)
        if (wl_ptx_flow_is_back(flow, block, flow->edges[e]))
            return out;
    start_sides(f, 2);
    reach(f, out, 0);
    for (int32_t e = f->exit_first[loop]; e < f->exit_first[loop + 1]; e++)
        if (f->exit_from[e] != block)
            reach(f, f->exit_to[e], 1);
    const int32_t met = where_sides_meet(f);
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

/* Do forward edges lead from the meeting point to a block? The search from there goes on to its
 * place. */
static bool follows(finder *f, int32_t block)
{
    const wl_ptx_flow *flow = f->flow;
    search *s = &f->after;
    while (s->count > 0 && flow->place[s->heap[0]] <= flow->place[block]) {
        const int32_t b = pop(flow, s);
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1]; e++) {
            const int32_t to = flow->edges[e];
            if (to >= flow->block_count || s->at[to] == s->number || wl_ptx_flow_is_back(flow, b, to))
                continue;
            s->at[to] = s->number;
            push(flow, s, to);
        }
    }
    return s->at[block] == s->number;
}

/* Can lanes bypass the meeting point only by exiting? Then all remaining lanes join there. */
static bool joins_all(finder *f, const wl_ptx_function *function, int32_t block, int32_t met)
{
    const wl_ptx_flow *flow = f->flow;
    int32_t depth = 0;
    const int32_t seen = ++f->walk;
    start(&f->after);
    f->after.at[met] = f->after.number;
    push(flow, &f->after, met);
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
            if (turns_back || follows(f, to))
                return false;
            f->mark[to] = seen;
            f->stack[depth++] = to;
        }
    }
    return true;
}

/* ---- exits of loops ---- */

/* Adds the edge to every loop that it leaves or, without room for exits, counts it. */
static void add_exit(finder *f, const int32_t *depth, int32_t from, int32_t to)
{
    const wl_ptx_flow *flow = f->flow;
    int32_t inside = flow->loop_of[from], outside = to < flow->block_count ? flow->loop_of[to] : -1;
    while (inside != outside) {
        if ((inside < 0 ? 0 : depth[inside]) < (outside < 0 ? 0 : depth[outside])) {
            outside = flow->loops[outside].parent; /* a loop that the edge enters */
            continue;
        }
        const int32_t at = f->exit_first[inside + 1]++;
        if (f->exit_to) {
            f->exit_from[at] = from;
            f->exit_to[at] = to;
        }
        inside = flow->loops[inside].parent;
    }
}

static void add_exits(finder *f, const int32_t *depth)
{
    const wl_ptx_flow *flow = f->flow;
    for (int32_t b = 0; b < flow->block_count; b++)
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1] && flow->reached[b]; e++)
            add_exit(f, depth, b, flow->edges[e]);
}

static wl_status find_exits(finder *f, wl_arena *arena, wl_error *err)
{
    const wl_ptx_flow *flow = f->flow;
    const int32_t loops = flow->loop_count;
    int32_t *depth = WL_ARENA_NEW(arena, int32_t, loops + 1);
    f->exit_first = WL_ARENA_NEW(arena, int32_t, loops + 2);
    if (!depth || !f->exit_first)
        return wl_fail_memory(err);
    for (int32_t l = 0; l < loops; l++)
        for (int32_t outer = l; outer >= 0; outer = flow->loops[outer].parent)
            depth[l]++;
    add_exits(f, depth); /* afterwards: how many, one place further */
    for (int32_t l = 0; l < loops; l++)
        f->exit_first[l + 1] += f->exit_first[l];
    const int32_t count = f->exit_first[loops];
    f->exit_from = WL_ARENA_NEW(arena, int32_t, count + 1);
    f->exit_to = WL_ARENA_NEW(arena, int32_t, count + 1);
    if (!f->exit_from || !f->exit_to)
        return wl_fail_memory(err);
    for (int32_t l = loops; l > 0; l--)
        f->exit_first[l] = f->exit_first[l - 1]; /* filling moves them back */
    add_exits(f, depth);
    return WL_OK;
}

static bool search_make(search *s, int32_t blocks, wl_arena *arena)
{
    s->at = WL_ARENA_NEW(arena, int32_t, blocks + 1);
    s->side = WL_ARENA_NEW(arena, int32_t, blocks + 1);
    /* each when it is reached, and when sides meet there */
    s->heap = WL_ARENA_NEW(arena, int32_t, 2 * blocks + 2);
    return s->at && s->side && s->heap;
}

wl_status wl_ptx_flow_find_meetings(const wl_ptx_function *function, wl_ptx_flow *flow, wl_arena *arena, wl_error *err)
{
    const int32_t n = flow->block_count, edges = flow->edge_first[n];
    flow->place = WL_ARENA_NEW(arena, int32_t, n + 1);
    flow->meeting = WL_ARENA_NEW(arena, int32_t, n + 1);
    flow->join = WL_ARENA_NEW(arena, int32_t, n + 1);
    sorter s = {
        .flow = flow, .waits_for = WL_ARENA_NEW(arena, int32_t, n + 1), .ready = WL_ARENA_NEW(arena, int32_t, n + 1)};
    finder f = {.flow = flow,
                .pending = WL_ARENA_NEW(arena, int32_t, edges + 2),
                .mark = WL_ARENA_NEW(arena, int32_t, n + 1),
                .stack = WL_ARENA_NEW(arena, int32_t, n + 1)};
    if (!flow->place || !flow->meeting || !flow->join || !s.waits_for || !s.ready || !f.pending || !f.mark ||
        !f.stack || !search_make(&f.sides, n, arena) || !search_make(&f.after, n, arena))
        return wl_fail_memory(err);
    sort_blocks(&s);
    WL_TRY(find_exits(&f, arena, err));
    for (int32_t b = 0; b < n; b++) {
        const int32_t met = flow->reached[b] ? meet(&f, b) : -1;
        flow->meeting[b] = met < 0 ? -1 : flow->first[met];
        flow->join[b] = flow->reconvergence[b];
        if (met >= 0 && flow->meeting[b] != flow->join[b] && joins_all(&f, function, b, met))
            flow->join[b] = flow->meeting[b];
    }
    return WL_OK;
}
