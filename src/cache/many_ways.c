/* many_ways.c - see many_ways.h. SPDX-License-Identifier: MIT */
#include "cache/many_ways.h"

#include <stdlib.h>

#define USES_PER_WAY 4 /* entries of a queue */
#define AHEAD 32       /* entries of the queue that are fetched ahead */

bool wl_many_make(wl_cache *c)
{
    const size_t groups = wl_cache_groups(c);
    c->index = calloc(groups * sizeof *c->groups + WL_MEMORY_LINE, 1);
    c->queues = calloc(c->spread.sets, sizeof *c->queues);
    c->places = calloc((size_t)c->shape.lines, sizeof *c->places);
    if (!c->index || !c->queues || !c->places)
        return false;
    c->groups = (wl_group *)(void *)((uint8_t *)c->index + (WL_MEMORY_LINE - (uintptr_t)c->index % WL_MEMORY_LINE));
    for (uint64_t s = 0; s < c->spread.sets; s++)
        c->queues[s].holes.count = c->ways;
    if (c->shape.policy != WL_POLICY_LRU)
        return true;
    c->queue_room = ((uint32_t)c->ways * USES_PER_WAY + 63) / 64 * 64;
    c->entries = wl_cache_memory(c->spread.sets * c->queue_room * sizeof *c->entries, &c->queue_memory);
    c->last_uses = calloc(c->spread.sets * c->queue_room / 64, sizeof *c->last_uses);
    return c->entries && c->last_uses;
}

/* ---- the table ---- */

void wl_many_enter(wl_cache *c, wl_key key, int32_t slot)
{
    uint64_t at = key.group;
    uint32_t free_places;
    while ((free_places = wl_places_with(&c->groups[at], 0)) == 0) {
        c->groups[at].passed++;
        at = (at + 1) & c->group_mask;
    }
    const int place = __builtin_ctz(free_places);
    c->groups[at].tags[place] = (uint16_t)key.tag;
    c->groups[at].slots[place] = (uint32_t)slot;
    c->places[slot] = ((uint32_t)at * WL_PLACES + (uint32_t)place) | (at != key.group ? WL_PASSED_ON : 0);
}

/* Groups that passed a line on forget it. */
static void leave(wl_cache *c, wl_key key, int32_t slot)
{
    const uint32_t place = c->places[slot] & ~WL_PASSED_ON;
    for (uint64_t at = key.group; at != place / WL_PLACES; at = (at + 1) & c->group_mask)
        c->groups[at].passed--;
    c->groups[place / WL_PLACES].tags[place % WL_PLACES] = 0;
}

/* ---- recency ---- */

void wl_many_shorten(wl_cache *c, uint64_t set)
{
    wl_queue *q = &c->queues[set];
    uint32_t *entries = c->entries + set * c->queue_room, kept = 0;
    uint64_t *last_uses = c->last_uses + set * c->queue_room / 64;
    for (uint32_t word = q->head / 64; word < c->queue_room / 64; word++)
        for (uint64_t bits = last_uses[word]; bits; bits &= bits - 1) {
            const uint32_t slot = entries[64 * word + (uint32_t)__builtin_ctzll(bits)];
            entries[kept] = slot;
            c->slots[slot].used = kept++;
        }
    memset(last_uses, 0, c->queue_room / 64 * sizeof *last_uses);
    memset(last_uses, -1, kept / 64 * sizeof *last_uses);
    last_uses[kept / 64] = ((uint64_t)1 << kept % 64) - 1;
    q->head = 0;
    q->tail = kept;
}

/* Slots, and half way to them the groups of their lines. */
void wl_many_fetch_ahead(const wl_cache *c, uint64_t set, uint32_t from, uint32_t to)
{
    const uint32_t *entries = c->entries + set * c->queue_room, end = c->queues[set].tail;
    for (uint32_t i = from + AHEAD; i < to + AHEAD && i < end; i++) {
        wl_fetch_ahead(&c->slots[entries[i]]);
        wl_fetch_ahead(&c->places[entries[i]]);
    }
    for (uint32_t i = from + AHEAD / 2; i < to + AHEAD / 2 && i < end; i++)
        wl_fetch_ahead(&c->groups[c->places[entries[i]] % WL_PASSED_ON / WL_PLACES]);
}

/* The slot of a full set that was used least recently; its use is forgotten. */
static int32_t take_oldest(wl_cache *c, uint64_t set)
{
    wl_queue *q = &c->queues[set];
    const uint32_t slot = wl_many_oldest(c, set, q);
    wl_many_forget_use(c, set, q->head);
    return (int32_t)slot;
}

/* ---- eviction ---- */

static void evict(wl_cache *c, uint64_t set, wl_holes *holes, int32_t first)
{
    const bool lru = c->shape.policy == WL_POLICY_LRU;
    holes->first = lru ? take_oldest(c, set) - first : wl_cache_draw(c, c->ways);
    holes->count = c->run;
    for (int32_t i = 0; i < holes->count; i++) {
        const int32_t way = holes->first + i < c->ways ? holes->first + i : holes->first + i - c->ways;
        wl_slot *gone = &c->slots[first + way];
        const wl_key key = wl_key_of(&c->spread, gone->line, WL_MANY_LRU);
        wl_cache_note_evicted(c, i, gone);
        leave(c, key, first + way);
        gone->line = WL_NO_LINE;
    }
}

int32_t wl_many_place(wl_cache *c, wl_key key)
{
    wl_holes *holes = &c->queues[key.set].holes;
    const int32_t first = (int32_t)(key.set * (uint64_t)c->ways);
    c->evicted_count = 0;
    if (holes->count == 0) {
        evict(c, key.set, holes, first);
        c->evicted_count = (uint8_t)holes->count;
    }
    const int32_t at = first + holes->first;
    holes->first = holes->first + 1 == c->ways ? 0 : holes->first + 1;
    holes->count--;
    wl_slot_clear(&c->slots[at], key.line);
    wl_many_enter(c, key, at);
    if (c->shape.policy == WL_POLICY_LRU)
        wl_many_note_use(c, key.set, at);
    return at;
}
