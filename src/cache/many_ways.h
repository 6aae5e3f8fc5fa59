/* many_ways.h - sets of many ways, or one of all: lines are hashed.
 *
 * The table has groups of eight places, one memory line each; places are compared at once, by tags
 * of 16 bits. A group that is full passes lines on to the next one, and counts them: a search goes
 * on only where something was passed on.
 *
 * Recency is a queue with one entry per use, of which only the last one of each slot counts: a bit
 * tells which do, so that the oldest slot is found without visiting others. A full queue is
 * compacted.
 *
 * A cache of one set has a table of its own (line_table.h), if its policy is least recently used or
 * it is large, its lines have few sectors and their numbers are not too large.
 *
 * Layer  cache.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_MANY_WAYS_H
#define WL_CACHE_MANY_WAYS_H

#include "cache/cache_internal.h"
#include "cache/few_ways.h"

/* A bit for each place of the group with this tag. */
static inline uint32_t wl_places_with(const wl_group *g, uint32_t tag)
{
    wl_tags tags;
    memcpy(&tags, g->tags, sizeof tags);
    tags = (wl_tags)(tags == wl_every_tag(tag));
    return wl_tag_bits(tags, tags) & 0xff;
}

/* The slot of a line; -1: it is not there. */
WL_ALWAYS_INLINE int32_t wl_many_find(const wl_cache *c, wl_key key)
{
    for (uint64_t at = key.group;; at = (at + 1) & c->group_mask) {
        const wl_group *g = &c->groups[at];
        for (uint32_t places = wl_places_with(g, key.tag); places; places &= places - 1) {
            const uint32_t slot = g->slots[__builtin_ctz(places)];
            if (c->slots[slot].line == key.line)
                return (int32_t)slot;
        }
        if (g->passed == 0)
            return -1;
    }
}

void wl_many_shorten(wl_cache *c, uint64_t set);

/* Where the oldest use moves on in a large cache: what the next evictions need. */
void wl_many_fetch_ahead(const wl_cache *c, uint64_t set, uint32_t from, uint32_t to);

static inline void wl_many_forget_use(wl_cache *c, uint64_t set, uint32_t used)
{
    c->last_uses[(set * c->queue_room + used) / 64] &= ~((uint64_t)1 << used % 64);
}

/* Makes a slot the last used one, of which no use is noted. */
static inline void wl_many_note_use(wl_cache *c, uint64_t set, int32_t at)
{
    wl_queue *q = &c->queues[set];
    if (q->tail == c->queue_room)
        wl_many_shorten(c, set);
    c->entries[set * c->queue_room + q->tail] = (uint32_t)at;
    c->last_uses[(set * c->queue_room + q->tail) / 64] |= (uint64_t)1 << q->tail % 64;
    c->slots[at].used = q->tail++;
}

/* Enters a line that is not there into the table. */
void wl_many_enter(wl_cache *c, wl_key key, int32_t slot);

/* A slot for a line that is not there, as the last used one. */
int32_t wl_many_place(wl_cache *c, wl_key key);

/* Finds or makes a line, and makes it the last used one. */
WL_ALWAYS_INLINE int32_t wl_many_touch(wl_cache *c, wl_key key, bool lru, wl_touched *touched)
{
    const int32_t at = wl_many_find(c, key);
    touched->resident = at >= 0;
    if (at < 0) {
        const int32_t placed = wl_many_place(c, key);
        touched->evicted = c->evicted_count;
        return placed;
    }
    if (lru) {
        wl_many_forget_use(c, key.set, c->slots[at].used);
        wl_many_note_use(c, key.set, at);
    }
    return at;
}

/* The oldest slot of a full set. */
WL_ALWAYS_INLINE uint32_t wl_many_oldest(wl_cache *c, uint64_t set, wl_queue *q)
{
    const uint64_t *last_uses = c->last_uses + set * c->queue_room / 64;
    uint32_t word = q->head / 64;
    while (last_uses[word] == 0)
        word++;
    const uint32_t oldest = 64 * word + (uint32_t)__builtin_ctzll(last_uses[word]);
    if (c->large)
        wl_many_fetch_ahead(c, set, q->head, oldest);
    q->head = oldest;
    return c->entries[set * c->queue_room + oldest];
}

/* False: no memory. */
bool wl_many_make(wl_cache *c);

#endif /* WL_CACHE_MANY_WAYS_H */
