/* interleave.c - see interleave.h. SPDX-License-Identifier: MIT */
#include "ptx/life/interleave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kernel is read before its device is known: cycles until a result can be used, and for which an
 * instruction occupies its pipe, as on most. */
#define ARITHMETIC 4
#define SPECIAL 16
#define PRODUCT 24
static const float busy[WL_BUSY_COUNT] = {
    [WL_BUSY_SPECIAL] = 8, [WL_BUSY_FP64] = 2, [WL_BUSY_INTEGER] = 2, [WL_BUSY_TENSOR] = 8};

typedef struct wl_ptx_node {
    double at;      /* when its operands are ready */
    double height;  /* cycles from its issue to the end of all that depends on it */
    int32_t first;  /* of its edges; -1: none */
    int32_t before; /* operations that it still waits for */
} node;

/* To an operation that stays behind another, by so many cycles. */
typedef struct wl_ptx_edge {
    int32_t to, next;
    float cycles;
} edge;

/* Of a register: the last operation that writes it, and the reads since, as edges of no one. */
typedef struct wl_ptx_use {
    int32_t writer, reads; /* + 1; 0: none */
} use;

typedef struct heap {
    int32_t *list, count;
    const node *nodes;
    bool by_height;
} heap;

static bool comes_before(const heap *h, int32_t a, int32_t b)
{
    const node *x = &h->nodes[a], *y = &h->nodes[b];
    if (h->by_height && x->height != y->height)
        return x->height > y->height;
    if (!h->by_height && x->at != y->at)
        return x->at < y->at;
    return a < b;
}

static void push(heap *h, int32_t item)
{
    int32_t at = h->count++;
    for (; at > 0 && comes_before(h, item, h->list[(at - 1) / 2]); at = (at - 1) / 2)
        h->list[at] = h->list[(at - 1) / 2];
    h->list[at] = item;
}

static int32_t pop(heap *h)
{
    const int32_t first = h->list[0], item = h->list[--h->count];
    int32_t at = 0;
    for (int32_t child = 1; child < h->count; child = 2 * at + 1) {
        child += child + 1 < h->count && comes_before(h, h->list[child + 1], h->list[child]);
        if (!comes_before(h, h->list[child], item))
            break;
        h->list[at] = h->list[child];
        at = child;
    }
    h->list[at] = item;
    return first;
}

static float latency(const wl_op *op)
{
    const float sequence = SPECIAL * op->steps[0] + ARITHMETIC * (op->steps[1] + op->steps[2]);
    if (sequence > 0 || op->issue <= 0)
        return op->issue > 0 ? sequence : 0;
    switch (op->kind) {
    case WL_OP_SPECIAL:
    case WL_OP_SHUFFLE:
    case WL_OP_CONVERT: return SPECIAL;
    case WL_OP_TENSOR: return PRODUCT;
    default: return ARITHMETIC;
    }
}

static bool make_room(wl_ptx_interleave *s, const wl_op *ops, const int32_t *list, int32_t count, int32_t registers)
{
    int32_t edges = 1;
    for (int32_t i = 0; i < count; i++)
        edges += 3 * ops[list[i]].reads + ops[list[i]].writes;
    if (count <= s->room && edges <= s->edge_room && registers <= s->register_room)
        return true;
    wl_ptx_interleave_free(s);
    s->room = 2 * count;
    s->edge_room = 2 * edges;
    s->register_room = 2 * registers;
    s->nodes = malloc((size_t)s->room * sizeof *s->nodes);
    s->edges = malloc((size_t)s->edge_room * sizeof *s->edges);
    s->uses = calloc((size_t)s->register_room, sizeof *s->uses);
    s->ready = malloc((size_t)s->room * sizeof *s->ready);
    s->later = malloc((size_t)s->room * sizeof *s->later);
    return s->nodes && s->edges && s->uses && s->ready && s->later;
}

/* Edges from writers to readers, and from both to what overwrites the register. */
static void find_edges(wl_ptx_interleave *s, const wl_op *ops, const int32_t *list, int32_t count)
{
    int32_t used = 0;
    for (int32_t i = 0; i < count; i++) {
        const wl_op *op = &ops[list[i]];
        s->nodes[i] = (node){.first = -1};
        for (int k = 0; k < op->reads + op->writes; k++) {
            use *r = &s->uses[op->regs[k]];
            const int32_t from = r->writer - 1;
            if (from >= 0 && from != i) {
                s->edges[used] = (edge){i, s->nodes[from].first, k < op->reads ? latency(&ops[list[from]]) : 0};
                s->nodes[from].first = used++;
                s->nodes[i].before++;
            }
            if (k < op->reads) {
                s->edges[used] = (edge){i, r->reads - 1, 0};
                r->reads = ++used;
                continue;
            }
            for (int32_t e = r->reads - 1, next; e >= 0; e = next) {
                const int32_t reader = s->edges[e].to;
                next = s->edges[e].next;
                if (reader == i)
                    continue;
                s->edges[e] = (edge){i, s->nodes[reader].first, 0};
                s->nodes[reader].first = e;
                s->nodes[i].before++;
            }
            *r = (use){.writer = i + 1};
        }
    }
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < ops[list[i]].reads + ops[list[i]].writes; k++)
            s->uses[ops[list[i]].regs[k]] = (use){0};
}

bool wl_ptx_interleave_apply(wl_ptx_interleave *s, const wl_op *ops, int32_t *list, int32_t count, int32_t registers)
{
    if (count < 2)
        return true;
    if (!make_room(s, ops, list, count, registers))
        return false;
    find_edges(s, ops, list, count);
    heap ready = {s->ready, 0, s->nodes, true}, later = {s->later, 0, s->nodes, false};
    for (int32_t i = count - 1; i >= 0; i--) {
        for (int32_t e = s->nodes[i].first; e >= 0; e = s->edges[e].next)
            s->nodes[i].height = fmax(s->nodes[i].height, s->edges[e].cycles + s->nodes[s->edges[e].to].height);
        if (s->nodes[i].before == 0)
            push(&later, i);
    }
    double now = 0, free_at[WL_BUSY_COUNT] = {0};
    int32_t *order = malloc((size_t)count * sizeof *order), done = 0;
    while (order && done < count) {
        if (ready.count == 0)
            now = fmax(now, s->nodes[later.list[0]].at);
        while (later.count > 0 && s->nodes[later.list[0]].at <= now)
            push(&ready, pop(&later));
        const int32_t i = pop(&ready);
        node *n = &s->nodes[i];
        const wl_op *op = &ops[list[i]];
        for (int p = 0; p < WL_BUSY_COUNT; p++)
            n->at = op->on[p] > 0 ? fmax(n->at, free_at[p]) : n->at;
        if (n->at > now) { /* its pipe is busy */
            push(&later, i);
            continue;
        }
        for (int p = 0; p < WL_BUSY_COUNT; p++)
            free_at[p] = op->on[p] > 0 ? now + op->on[p] * busy[p] : free_at[p];
        for (int32_t e = n->first; e >= 0; e = s->edges[e].next) {
            node *to = &s->nodes[s->edges[e].to];
            to->at = fmax(to->at, now + s->edges[e].cycles);
            if (--to->before == 0)
                push(&later, s->edges[e].to);
        }
        order[done++] = list[i];
        now += op->issue;
    }
    if (order)
        memcpy(list, order, (size_t)count * sizeof *list);
    free(order);
    return order != NULL;
}

void wl_ptx_interleave_free(wl_ptx_interleave *s)
{
    free(s->nodes);
    free(s->edges);
    free(s->uses);
    free(s->ready);
    free(s->later);
    *s = (wl_ptx_interleave){0};
}
