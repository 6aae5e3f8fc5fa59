/* warp_queue.c - see warp_queue.h. SPDX-License-Identifier: MIT */
#include "replay/warp_queue.h"

/* By age: oldest block first, then longest ready; equal ones by number, so the order is total. By
 * time: in any order if equal, for all of them leave together. Without branches, which no processor
 * would predict. */
static inline bool is_before(const wl_queued *a, const wl_queued *b, bool by_age)
{
    const bool earlier = a->ready < b->ready, same = a->ready == b->ready;
    if (!by_age)
        return earlier;
    return (a->age < b->age) | ((a->age == b->age) & (earlier | (same & (a->warp < b->warp))));
}

static inline void rise(wl_queue_heap *h, int64_t at, const wl_queued *w, bool by_age)
{
    for (int64_t parent; at > 0 && (parent = (at - 1) / 2, is_before(w, &h->at[parent], by_age)); at = parent)
        h->at[at] = h->at[parent];
    h->at[at] = *w;
}

/* The gap goes down to a leaf, where the last one mostly belongs. */
static inline wl_queued pop(wl_queue_heap *h, bool by_age)
{
    const wl_queued first = h->at[0], last = h->at[--h->count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 2) < h->count; at = child) {
        child -= is_before(&h->at[child - 1], &h->at[child], by_age);
        h->at[at] = h->at[child];
    }
    if (2 * at + 1 < h->count) {
        h->at[at] = h->at[2 * at + 1];
        at = 2 * at + 1;
    }
    rise(h, at, &last, by_age);
    return first;
}

bool wl_warp_queue_make(wl_warp_queue *q, int64_t warps, int64_t schedulers, wl_arena *arena)
{
    *q = (wl_warp_queue){.schedulers = schedulers, .most_waiting = warps};
    q->ready = WL_ARENA_NEW(arena, wl_queue_heap, schedulers);
    q->later.at = WL_ARENA_NEW(arena, wl_queued, warps);
    bool ok = q->later.at && q->ready;
    for (int64_t n = 0; n < schedulers && ok; n++) {
        q->ready[n].at = WL_ARENA_NEW(arena, wl_queued, warps / schedulers + 1);
        ok = q->ready[n].at;
    }
    return ok;
}

void wl_warp_queue_clear(wl_warp_queue *q)
{
    q->later.count = q->waiting = 0;
    for (int64_t n = 0; n < q->schedulers; n++)
        q->ready[n].count = 0;
}

void wl_warp_queue_add(wl_warp_queue *q, const wl_queued *warp)
{
    q->waiting += warp->loads;
    rise(&q->later, q->later.count++, warp, false);
}

int32_t wl_warp_queue_next(wl_warp_queue *q, double *now)
{
    for (;;) {
        while (q->later.count > 0 && q->later.at[0].ready <= *now) {
            const wl_queued w = pop(&q->later, false);
            q->waiting -= w.loads;
            wl_queue_heap *to = &q->ready[w.warp % q->schedulers];
            rise(to, to->count++, &w, true);
        }
        for (int64_t d = 0; d < q->schedulers && q->waiting < q->most_waiting; d++) {
            const int64_t n = (q->turn + d) % q->schedulers;
            if (q->ready[n].count > 0) {
                q->turn = n + 1;
                return pop(&q->ready[n], true).warp;
            }
        }
        if (q->later.count == 0)
            return -1;
        *now = q->later.at[0].ready;
    }
}
