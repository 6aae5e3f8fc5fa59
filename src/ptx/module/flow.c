/* flow.c - see flow.h. Dominators and post-dominators by the iterative algorithm of Cooper,
 * Harvey and Kennedy, on the graph and on its reverse.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/flow.h"

#include <string.h>

#include "base/fail.h"
#include "ptx/module/def_use.h"

typedef struct graph {
    int32_t nodes;
    const int32_t *out_first, *out, *in_first, *in; /* successors and predecessors */
    /* nodes in reverse postorder from the root; -1: unreachable */
    int32_t *order, *number;
    int32_t count; /* reachable nodes */
    int32_t *stack, *next;
} graph;

static bool ends_block(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_bra || in->op == WL_PTX_OP_brx || in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit ||
           in->op == WL_PTX_OP_trap;
}

static int32_t target_count(const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_bra)
        return 1;
    return in->op == WL_PTX_OP_brx ? in->operands[1].count : 0;
}

static int64_t target_of(const wl_ptx_function *f, const wl_ptx_instruction *in, int32_t k)
{
    return in->op == WL_PTX_OP_bra ? in->operands[0].value : f->lists[in->operands[1].first + k].value;
}

static wl_status find_blocks(const wl_ptx_function *f, wl_arena *arena, wl_ptx_flow *flow, wl_error *err)
{
    const int32_t n = f->instruction_count;
    bool *leads = WL_ARENA_NEW(arena, bool, n + 1);
    flow->block_of = WL_ARENA_NEW(arena, int32_t, n + 1);
    if (!leads || !flow->block_of)
        return wl_fail_memory(err);
    leads[0] = true;
    for (int32_t i = 0; i < n; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        leads[i + 1] = leads[i + 1] || ends_block(in);
        for (int32_t k = 0; k < target_count(in); k++)
            leads[target_of(f, in, k)] = true;
    }
    for (int32_t i = 0; i < n; i++)
        flow->block_count += leads[i];
    flow->first = WL_ARENA_NEW(arena, int32_t, flow->block_count + 1);
    if (!flow->first)
        return wl_fail_memory(err);
    for (int32_t i = 0, b = -1; i < n; i++) {
        if (leads[i])
            flow->first[++b] = i;
        flow->block_of[i] = b;
    }
    flow->first[flow->block_count] = n;
    /* the end: a label may follow the last instruction */
    flow->block_of[n] = flow->block_count;
    return WL_OK;
}

static wl_status find_edges(const wl_ptx_function *f, wl_arena *arena, wl_ptx_flow *flow, wl_error *err)
{
    int32_t most = 0, n = 0;
    for (int32_t b = 0; b < flow->block_count; b++)
        most += target_count(&f->instructions[flow->first[b + 1] - 1]) + 2;
    flow->edge_first = WL_ARENA_NEW(arena, int32_t, flow->block_count + 2);
    flow->edges = WL_ARENA_NEW(arena, int32_t, most);
    if (!flow->edge_first || !flow->edges)
        return wl_fail_memory(err);
    for (int32_t b = 0; b < flow->block_count; b++) {
        const wl_ptx_instruction *last = &f->instructions[flow->first[b + 1] - 1];
        const int32_t targets = target_count(last);
        for (int32_t k = 0; k < targets; k++)
            flow->edges[n++] = flow->block_of[target_of(f, last, k)];
        if (ends_block(last) && targets == 0)
            flow->edges[n++] = flow->block_count;
        if (!ends_block(last) || last->guard >= 0)
            flow->edges[n++] = b + 1; /* the last block falls through to the end */
        flow->edge_first[b + 1] = n;
    }
    flow->edge_first[flow->block_count + 1] = n;
    return WL_OK;
}

static wl_status reverse_edges(wl_ptx_flow *flow, wl_arena *arena, wl_error *err)
{
    const int32_t nodes = flow->block_count + 1, count = flow->edge_first[flow->block_count];
    int32_t *first = flow->in_first = WL_ARENA_NEW(arena, int32_t, nodes + 2);
    flow->in = WL_ARENA_NEW(arena, int32_t, count);
    if (!first || !flow->in)
        return wl_fail_memory(err);
    for (int32_t e = 0; e < count; e++)
        first[flow->edges[e] + 2]++;
    for (int32_t v = 0; v < nodes; v++)
        first[v + 2] += first[v + 1];
    for (int32_t b = 0; b < flow->block_count; b++)
        for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1]; e++)
            flow->in[first[flow->edges[e] + 1]++] = b;
    return WL_OK;
}

static void number_nodes(graph *g, int32_t root)
{
    int32_t depth = 0, post = g->nodes;
    for (int32_t v = 0; v < g->nodes; v++)
        g->number[v] = -1;
    g->stack[depth] = root;
    g->next[depth++] = g->out_first[root];
    g->number[root] = 0;
    while (depth > 0) {
        const int32_t v = g->stack[depth - 1];
        if (g->next[depth - 1] == g->out_first[v + 1]) {
            g->order[--post] = v;
            depth--;
            continue;
        }
        const int32_t w = g->out[g->next[depth - 1]++];
        if (g->number[w] < 0) {
            g->number[w] = 0;
            g->stack[depth] = w;
            g->next[depth++] = g->out_first[w];
        }
    }
    g->count = g->nodes - post;
    memmove(g->order, g->order + post, (size_t)g->count * sizeof *g->order);
    for (int32_t k = 0; k < g->count; k++)
        g->number[g->order[k]] = k;
}

static int32_t common(const graph *g, const int32_t *parent, int32_t a, int32_t b)
{
    while (a != b) {
        while (g->number[a] > g->number[b])
            a = parent[a];
        while (g->number[b] > g->number[a])
            b = parent[b];
    }
    return a;
}

/* parent[v]: immediate dominator of v; the root's is the root itself; -1: unreachable. */
static void find_dominators(graph *g, int32_t root, int32_t *parent)
{
    number_nodes(g, root);
    for (int32_t v = 0; v < g->nodes; v++)
        parent[v] = -1;
    parent[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t k = 1; k < g->count; k++) {
            const int32_t v = g->order[k];
            int32_t found = -1;
            /* the last first: where a chain of blocks leads to v, each is near what was found */
            for (int32_t e = g->in_first[v + 1]; e-- > g->in_first[v];) {
                const int32_t u = g->in[e];
                if (parent[u] >= 0)
                    found = found < 0 ? u : common(g, parent, u, found);
            }
            changed = changed || parent[v] != found;
            parent[v] = found;
        }
    }
}

/* Numbers blocks so that those that a block dominates follow it: parents come before their children
 * in the order of the graph. */
static void number_dominated(const graph *g, wl_ptx_flow *flow)
{
    int32_t *next = g->next, *parent = flow->dominator; /* next: the number of the next child */
    for (int32_t v = 0; v < g->nodes; v++) {
        flow->dominated[v] = 1;
        flow->number[v] = g->count + v; /* unreachable blocks dominate only themselves */
    }
    for (int32_t k = g->count - 1; k > 0; k--)
        flow->dominated[parent[g->order[k]]] += flow->dominated[g->order[k]];
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t v = g->order[k];
        flow->number[v] = k == 0 ? 0 : next[parent[v]];
        if (k > 0)
            next[parent[v]] += flow->dominated[v];
        next[v] = flow->number[v] + 1;
    }
}

static wl_status find_dominance(wl_ptx_flow *flow, wl_arena *arena, wl_error *err)
{
    const int32_t nodes = flow->block_count + 1;
    graph g = {.nodes = nodes,
               .out_first = flow->edge_first,
               .out = flow->edges,
               .in_first = flow->in_first,
               .in = flow->in,
               .order = WL_ARENA_NEW(arena, int32_t, nodes),
               .number = WL_ARENA_NEW(arena, int32_t, nodes),
               .stack = WL_ARENA_NEW(arena, int32_t, nodes),
               .next = WL_ARENA_NEW(arena, int32_t, nodes)};
    flow->dominator = WL_ARENA_NEW(arena, int32_t, nodes);
    flow->reconvergence = WL_ARENA_NEW(arena, int32_t, nodes);
    flow->reached = WL_ARENA_NEW(arena, bool, nodes);
    flow->number = WL_ARENA_NEW(arena, int32_t, nodes);
    flow->dominated = WL_ARENA_NEW(arena, int32_t, nodes);
    if (!g.order || !g.number || !g.stack || !g.next || !flow->dominator || !flow->reconvergence || !flow->reached ||
        !flow->number || !flow->dominated)
        return wl_fail_memory(err);
    find_dominators(&g, 0, flow->dominator);
    number_dominated(&g, flow);
    for (int32_t b = 0; b < nodes; b++)
        flow->reached[b] = flow->dominator[b] >= 0;
    flow->dominator[0] = -1;
    g.out_first = flow->in_first;
    g.out = flow->in;
    g.in_first = flow->edge_first;
    g.in = flow->edges;
    find_dominators(&g, flow->block_count, flow->reconvergence);
    /* blocks become instructions; no common post-dominator: the end */
    for (int32_t b = 0; b < flow->block_count; b++)
        flow->reconvergence[b] =
            flow->reconvergence[b] < 0 ? flow->first[flow->block_count] : flow->first[flow->reconvergence[b]];
    return WL_OK;
}

bool wl_ptx_flow_dominates(const wl_ptx_flow *flow, int32_t a, int32_t b)
{
    return flow->number[b] >= flow->number[a] && flow->number[b] < flow->number[a] + flow->dominated[a];
}

bool wl_ptx_flow_in_loop(const wl_ptx_flow *flow, int32_t loop, int32_t block)
{
    if (block >= flow->block_count)
        return false;
    for (int32_t l = flow->loop_of[block]; l >= 0; l = flow->loops[l].parent)
        if (l == loop)
            return true;
    return false;
}

bool wl_ptx_flow_is_back(const wl_ptx_flow *flow, int32_t from, int32_t to)
{
    return to < flow->block_count && flow->reached[from] && wl_ptx_flow_dominates(flow, to, from);
}

/* The blocks of the natural loop with that header; 0: there is none. inside: which blocks belong to
 * it. */
static int32_t list_loop(const wl_ptx_flow *flow, int32_t header, bool *inside, int32_t *work, int32_t *list)
{
    int32_t count = 0, waiting = 0;
    for (int32_t e = flow->in_first[header]; e < flow->in_first[header + 1]; e++)
        if (wl_ptx_flow_is_back(flow, flow->in[e], header))
            work[waiting++] = flow->in[e];
    if (waiting == 0)
        return 0;
    inside[header] = true;
    list[count++] = header;
    while (waiting > 0) {
        const int32_t b = work[--waiting];
        if (inside[b])
            continue;
        inside[b] = true;
        list[count++] = b;
        for (int32_t e = flow->in_first[b]; e < flow->in_first[b + 1]; e++)
            if (flow->reached[flow->in[e]] && !inside[flow->in[e]])
                work[waiting++] = flow->in[e];
    }
    return count;
}

/* A block's innermost loop is the smallest that contains it, so sizes are kept while loops are
 * found. Headers come in any order: an outer one may be the first or the last. */
static wl_status find_loops(wl_ptx_flow *flow, wl_arena *arena, wl_error *err)
{
    const int32_t blocks = flow->block_count, edges = flow->edge_first[blocks];
    bool *inside = WL_ARENA_NEW(arena, bool, blocks + 1);
    int32_t *work = WL_ARENA_NEW(arena, int32_t, 2 * edges + 1), *list = WL_ARENA_NEW(arena, int32_t, blocks + 1);
    int32_t *size = WL_ARENA_NEW(arena, int32_t, blocks + 1), *headed = WL_ARENA_NEW(arena, int32_t, blocks + 1);
    flow->loop_of = WL_ARENA_NEW(arena, int32_t, blocks + 1);
    flow->loops = WL_ARENA_NEW(arena, wl_ptx_loop, blocks + 1);
    if (!inside || !work || !list || !size || !headed || !flow->loop_of || !flow->loops)
        return wl_fail_memory(err);
    for (int32_t b = 0; b <= blocks; b++)
        flow->loop_of[b] = headed[b] = -1; /* headed: the loop with that header */
    for (int32_t h = 0; h < blocks; h++) {
        const int32_t count = flow->reached[h] ? list_loop(flow, h, inside, work, list) : 0;
        if (count == 0)
            continue;
        const int32_t id = flow->loop_count++;
        wl_ptx_loop *loop = &flow->loops[id];
        *loop = (wl_ptx_loop){.header = h, .parent = -1};
        size[id] = count;
        for (int32_t k = 0; k < count; k++) {
            const int32_t b = list[k], now = flow->loop_of[b], inner = headed[b];
            if (inner >= 0 && size[inner] < count &&
                (flow->loops[inner].parent < 0 || size[flow->loops[inner].parent] > count))
                flow->loops[inner].parent = id;
            if (b == h && now >= 0 && size[now] > count)
                loop->parent = now;
            if (now < 0 || size[now] > count)
                flow->loop_of[b] = id;
            for (int32_t e = flow->edge_first[b]; e < flow->edge_first[b + 1]; e++)
                loop->exit_count += flow->edges[e] >= blocks || !inside[flow->edges[e]];
        }
        headed[h] = id;
        for (int32_t k = 0; k < count; k++)
            inside[list[k]] = false;
    }
    return WL_OK;
}

/* ---- registers that are live at the entry ---- */

/* A register is live at the entry if some path leads from there to a read without a write. What is
 * looked at are the blocks that read it first, and those that write it on every path. */
typedef struct liveness {
    const wl_ptx_function *function;
    wl_ptx_flow *flow;
    /* blocks that read a register before they write it, and that write it: lists by register, of
     * which the first pass only finds the lengths */
    int32_t *read_first, *reads, *write_first, *writes;
    int32_t *read_in, *written_in; /* by register: the last such block */
    int32_t block;                 /* the one that is scanned */
    bool results;                  /* what is visited: results, else operands */
    int32_t *mark, *work;          /* mark: by block, the last register for which it was visited */
} liveness;

static void note_register(void *user, int32_t reg, bool written)
{
    liveness *l = user;
    if (written != l->results)
        return;
    int32_t *last = written ? l->written_in : l->read_in, *first = written ? l->write_first : l->read_first;
    int32_t *list = written ? l->writes : l->reads;
    if (last[reg] == l->block || l->written_in[reg] == l->block)
        return;
    last[reg] = l->block;
    const int32_t at = first[reg + 1]++;
    if (list)
        list[at] = l->block;
}

static void scan_blocks(liveness *l)
{
    const wl_ptx_function *f = l->function;
    for (int32_t r = 0; r < f->register_count; r++)
        l->read_in[r] = l->written_in[r] = -1;
    for (l->block = 0; l->block < l->flow->block_count; l->block++)
        for (int32_t i = l->flow->first[l->block]; i < l->flow->first[l->block + 1]; i++) {
            const wl_ptx_instruction *in = &f->instructions[i];
            l->results = false;
            wl_ptx_registers_of(f, in, note_register, l);
            l->results = in->guard < 0; /* with a guard, it may keep its value */
            if (l->results)
                wl_ptx_registers_of(f, in, note_register, l);
        }
}

/* Lengths, kept at the next register, become the places that filling a list starts from. Returns
 * their sum. */
static int32_t start_lists(int32_t *first, int32_t registers)
{
    for (int32_t r = 0; r < registers; r++)
        first[r + 1] += first[r];
    const int32_t sum = first[registers];
    for (int32_t r = registers; r > 0; r--)
        first[r] = first[r - 1];
    return sum;
}

/* Do all paths to reads pass the first write? Mostly they do. */
static bool writes_before_reads(const liveness *l, int32_t reg)
{
    if (l->write_first[reg] == l->write_first[reg + 1])
        return false;
    const int32_t block = l->writes[l->write_first[reg]];
    for (int32_t k = l->read_first[reg]; k < l->read_first[reg + 1]; k++)
        if (l->reads[k] == block || !wl_ptx_flow_dominates(l->flow, block, l->reads[k]))
            return false;
    return true;
}

/* Walks back from the reads, up to writes or the entry. */
static bool reaches_entry(liveness *l, int32_t reg)
{
    const wl_ptx_flow *flow = l->flow;
    int32_t count = 0;
    for (int32_t k = l->write_first[reg]; k < l->write_first[reg + 1]; k++)
        l->mark[l->writes[k]] = reg + 1;
    for (int32_t k = l->read_first[reg]; k < l->read_first[reg + 1]; k++) {
        l->mark[l->reads[k]] = reg + 1;
        l->work[count++] = l->reads[k];
    }
    while (count > 0) {
        const int32_t b = l->work[--count];
        if (b == 0)
            return true;
        for (int32_t e = flow->in_first[b]; e < flow->in_first[b + 1]; e++)
            if (l->mark[flow->in[e]] != reg + 1) {
                l->mark[flow->in[e]] = reg + 1;
                l->work[count++] = flow->in[e];
            }
    }
    return false;
}

static wl_status find_live(const wl_ptx_function *f, wl_ptx_flow *flow, wl_arena *arena, wl_error *err)
{
    const int32_t registers = f->register_count, blocks = flow->block_count;
    liveness l = {.function = f,
                  .flow = flow,
                  .read_first = WL_ARENA_NEW(arena, int32_t, registers + 2),
                  .write_first = WL_ARENA_NEW(arena, int32_t, registers + 2),
                  .read_in = WL_ARENA_NEW(arena, int32_t, registers + 1),
                  .written_in = WL_ARENA_NEW(arena, int32_t, registers + 1),
                  .mark = WL_ARENA_NEW(arena, int32_t, blocks + 2),
                  .work = WL_ARENA_NEW(arena, int32_t, blocks + 2)};
    flow->live_at_entry = WL_ARENA_NEW(arena, bool, registers);
    if (!l.read_first || !l.write_first || !l.read_in || !l.written_in || !l.mark || !l.work || !flow->live_at_entry)
        return wl_fail_memory(err);
    scan_blocks(&l);
    int32_t *reads = WL_ARENA_NEW(arena, int32_t, start_lists(l.read_first, registers) + 1);
    int32_t *writes = WL_ARENA_NEW(arena, int32_t, start_lists(l.write_first, registers) + 1);
    if (!reads || !writes)
        return wl_fail_memory(err);
    l.reads = reads;
    l.writes = writes;
    scan_blocks(&l);
    for (int32_t r = 0; r < registers; r++)
        flow->live_at_entry[r] =
            l.read_first[r] < l.read_first[r + 1] && !writes_before_reads(&l, r) && reaches_entry(&l, r);
    return WL_OK;
}

wl_status wl_ptx_flow_make(const wl_ptx_function *function, wl_arena *arena, wl_ptx_flow *out, wl_error *err)
{
    *out = (wl_ptx_flow){0};
    WL_TRY(find_blocks(function, arena, out, err));
    WL_TRY(find_edges(function, arena, out, err));
    WL_TRY(reverse_edges(out, arena, err));
    WL_TRY(find_dominance(out, arena, err));
    WL_TRY(find_loops(out, arena, err));
    WL_TRY(wl_ptx_flow_find_meetings(function, out, arena, err));
    return find_live(function, out, arena, err);
}
