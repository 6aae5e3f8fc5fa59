/* lru_table.c - see lru_table.h. SPDX-License-Identifier: MIT */
#include "cache/lru_table.h"

#include <stdlib.h>

#define USES_PER_WAY 4 /* times of the ring, at least */
#define AHEAD 16       /* positions that are fetched ahead */

bool wl_lru_make(wl_cache *c)
{
    size_t room = 2 * WL_AT_ONCE;
    while (room < (size_t)c->ways * USES_PER_WAY)
        room *= 2;
    c->queue_room = (uint32_t)room;
    c->entries = wl_cache_memory(room * sizeof *c->entries, &c->queue_memory);
    c->last_uses = calloc(room / 64, sizeof *c->last_uses);
    /* what was never used was used at 0: before that */
    c->queues[0].head = c->queues[0].tail = 1;
    return c->entries && c->last_uses;
}

bool wl_lru_next(const wl_cache *c, uint32_t *at, uint32_t end, uint32_t *position)
{
    const uint32_t ring = c->queue_room - 1;
    while (*at < end && !(c->last_uses[(*at & ring) / 64] >> *at % 64 & 1))
        ++*at;
    *position = c->entries[*at & ring];
    return *at < end;
}

void wl_lru_are_last(wl_cache *c, uint32_t from, size_t count)
{
    for (uint32_t at = from, left = (uint32_t)count, some; left > 0; at += some, left -= some) {
        some = 64 - at % 64 < left ? 64 - at % 64 : left;
        c->last_uses[(at & (c->queue_room - 1)) / 64] |= UINT64_MAX >> (64 - some) << at % 64;
    }
}

static void forget_use(wl_cache *c, uint32_t time) { wl_lru_forget(c->last_uses, time, c->queue_room - 1, UINT32_MAX); }

/* Makes a line the last used one, of which no use is noted. */
static void note_use(wl_cache *c, uint64_t home, uint32_t position)
{
    const uint32_t time = c->queues[0].tail++, at = time & (c->queue_room - 1);
    c->entries[at] = position;
    wl_lru_are_last(c, time, 1);
    *wl_table_used(c, position) = time;
    for (uint64_t b = home; b != position / WL_POSITIONS; b = (b + 1) & c->group_mask)
        c->buckets[b].passed = time;
}

/* ---- times ---- */

/* Uses all lines, in their order, some at a time, to fetch them ahead. Where they are noted in the
 * ring lies behind what was read. */
static void use_again(wl_cache *c)
{
    wl_queue *q = &c->queues[0];
    const uint32_t end = q->tail;
    uint32_t positions[AHEAD], at = q->head;
    int count;
    do {
        for (count = 0; count < AHEAD && wl_lru_next(c, &at, end, &positions[count]); at++) {
            wl_fetch_ahead(wl_bucket_of(c, positions[count++]));
            forget_use(c, at);
        }
        for (int i = 0; i < count; i++)
            note_use(c, wl_table_home(c, positions[i]), positions[i]);
    } while (count == AHEAD);
    q->head = end;
}

/* Makes all times smaller; their places in the ring stay. */
static void begin_again(wl_cache *c)
{
    wl_queue *q = &c->queues[0];
    const uint32_t less = (q->head - 1) / c->queue_room * c->queue_room;
    for (uint64_t b = 0; b <= c->group_mask; b++) {
        uint32_t *passed = &c->buckets[b].passed;
        *passed = *passed < q->head ? 0 : *passed - less;
        for (uint32_t i = 0; i < wl_table_places(c->dense); i++) {
            uint32_t *used = wl_bucket_used(&c->buckets[b], i, c->dense);
            *used = *used < q->head ? 0 : *used - less;
        }
    }
    q->head -= less;
    q->tail -= less;
}

void wl_lru_make_room(wl_cache *c, size_t uses)
{
    const wl_queue *q = &c->queues[0];
    if (uses > WL_LRU_TIMES - q->tail)
        begin_again(c);
    if (q->tail - q->head + uses > c->queue_room)
        use_again(c);
}

/* ---- one access ---- */

static void evict_oldest(wl_cache *c)
{
    wl_queue *q = &c->queues[0];
    const uint32_t oldest = wl_lru_oldest(c->last_uses, q->head, c->queue_room - 1);
    const wl_slot gone = wl_table_slot(c, c->entries[oldest & (c->queue_room - 1)]);
    wl_cache_note_evicted(c, 0, &gone);
    forget_use(c, oldest);
    q->head = oldest + 1;
}

int32_t wl_lru_touch(wl_cache *c, wl_key key, wl_touched *touched)
{
    wl_lru_make_room(c, 1);
    const int32_t found = wl_table_find(c, key, c->queues[0].head);
    uint32_t at = (uint32_t)found;
    touched->resident = found >= 0;
    if (found >= 0) {
        forget_use(c, *wl_table_used(c, at));
    } else {
        touched->evicted = c->queues[0].holes.count == 0;
        if (touched->evicted)
            evict_oldest(c);
        else
            c->queues[0].holes.count--;
        at = wl_table_enter(c, key);
    }
    note_use(c, key.group, at);
    return (int32_t)at;
}
