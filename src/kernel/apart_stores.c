/* apart_stores.c - see apart_stores.h. SPDX-License-Identifier: MIT */
#include "kernel/apart_stores.h"

#include <math.h>

#include "base/fail.h"

/* The stores of one warp to one field so far. */
typedef struct stores {
    bool any, waited;  /* since the last one */
    double all, apart; /* that follow another one; of these, after a wait */
} stores;

typedef struct walk {
    const wl_lives *lives;
    stores *fields;
    size_t field_count;
} walk;

/* Does something wait for the result of memory, or for other warps? */
static bool waits(const wl_op *op)
{
    switch (op->kind) {
    case WL_OP_LOAD:
    case WL_OP_BARRIER: return true;
    case WL_OP_SHARED:
    case WL_OP_ATOMIC: return op->writes > 0;
    default: return op->awaits_copies || op->fences;
    }
}

static void pass_op(walk *w, const wl_op *op, double times)
{
    if (waits(op))
        for (size_t f = 0; f < w->field_count; f++)
            w->fields[f].waited = true;
    if (op->kind != WL_OP_STORE || op->field < 0 || (size_t)op->field >= w->field_count)
        return;
    stores *s = &w->fields[op->field];
    if (s->any) {
        s->all += times;
        s->apart += s->waited ? times : 0;
    }
    s->any = true;
    s->waited = false;
}

/* The first trip of a loop follows what is before the loop, the others follow each other. */
static void pass_parts(walk *w, const wl_stretch *parts, int32_t count, double times)
{
    for (int32_t i = 0; i < count; i += 1 + (parts[i].loop ? parts[i].count : 0)) {
        const wl_stretch *p = &parts[i];
        if (p->loop) {
            const double trips = fmax(0, p->times), first = fmin(1, trips);
            pass_parts(w, p + 1, p->count, times * first);
            if (trips > first)
                pass_parts(w, p + 1, p->count, times * (trips - first));
            continue;
        }
        for (int32_t o = p->first; o < p->first + p->count; o++)
            pass_op(w, &w->lives->ops[o], times);
    }
}

wl_status wl_lives_stores_apart(const wl_lives *lives, size_t field_count, wl_arena *arena, double *share,
                                wl_error *err)
{
    walk w = {lives, WL_ARENA_NEW(arena, stores, field_count + 1), field_count};
    if (!w.fields)
        return wl_fail_memory(err);
    for (size_t i = 0; i < lives->count; i++) {
        for (size_t f = 0; f < field_count; f++)
            w.fields[f].any = w.fields[f].waited = false;
        pass_parts(&w, lives->list[i].parts, (int32_t)lives->list[i].count, lives->list[i].warps);
    }
    for (size_t f = 0; f < field_count; f++)
        share[f] = w.fields[f].all > 0 ? w.fields[f].apart / w.fields[f].all : 0;
    return WL_OK;
}

wl_status wl_stores_apart(const wl_kernel *k, wl_arena *arena, double *share, wl_error *err)
{
    const wl_lives *lives = NULL;
    for (size_t f = 0; f < k->field_count; f++)
        share[f] = k->fields[f].stores_apart;
    if (!k->source.live)
        return WL_OK;
    WL_TRY(k->source.live(k->source.context, &lives, err));
    return wl_lives_stores_apart(lives, k->field_count, arena, share, err);
}
