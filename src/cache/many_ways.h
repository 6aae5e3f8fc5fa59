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
 * Where some lines are there and some are not, no branch depends on that (wl_many_touch_mixed): the
 * slot is the one that was found or the oldest, its last use is forgotten and a new one noted, and
 * its line enters the table, or a spare group.
 *
 * A large cache of one set has a table of its own: line_table.h.
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

/* wl_many_touch with least recently used policy, for where it is rare. */
typedef struct wl_found {
    uint32_t at;
    bool resident;
} wl_found;
wl_found wl_many_touch_apart(wl_cache *c, wl_key key);

/* What many loads of a cache of one set need, apart from the cache: no store to its tables can
 * change it. */
typedef struct wl_mixed {
    wl_group *groups;
    wl_slot *slots;
    uint32_t *entries, *places;
    uint64_t *last_uses;
    uint32_t head, tail, room;
    int64_t evicted;
} wl_mixed;

WL_ALWAYS_INLINE void wl_mixed_begin(const wl_cache *c, wl_mixed *m)
{
    m->groups = c->groups;
    m->slots = c->slots;
    m->entries = c->entries;
    m->places = c->places;
    m->last_uses = c->last_uses;
    m->head = c->queues[0].head;
    m->tail = c->queues[0].tail;
    m->room = c->queue_room;
    m->evicted = 0;
}

WL_ALWAYS_INLINE void wl_mixed_end(wl_cache *c, wl_mixed *m)
{
    c->queues[0].head = m->head;
    c->queues[0].tail = m->tail;
    c->counts.evicted_lines += m->evicted;
}

/* By the usual way. */
WL_ALWAYS_INLINE uint32_t wl_mixed_leave(wl_cache *c, wl_mixed *m, wl_key key, wl_touched *touched)
{
    wl_mixed_end(c, m);
    const wl_found found = wl_many_touch_apart(c, key);
    touched->resident = found.resident;
    wl_mixed_begin(c, m);
    return found.at;
}

/* As wl_many_touch with least recently used policy, of a cache without holes. spare: where a line
 * is entered that is there already. */
WL_ALWAYS_INLINE uint32_t wl_many_touch_mixed(wl_cache *c, wl_mixed *m, wl_group *spare, wl_key key, bool large,
                                              wl_touched *touched)
{
    wl_group *g = &m->groups[key.group];
    wl_tags tags;
    memcpy(&tags, g->tags, sizeof tags);
    const uint32_t both = wl_tag_bits((wl_tags)(tags == wl_every_tag(key.tag)), (wl_tags)(tags == 0)),
                   alike = both & 0xff, open = both >> WL_PLACES;
    const uint32_t there = (uint32_t) - (alike != 0); /* a mask: all bits or none */
    const uint32_t found = g->slots[__builtin_ctz(alike | 1u << (WL_PLACES - 1))];
    const uint64_t wrong = (m->slots[found].line ^ key.line) & (uint64_t)(int64_t)(int32_t)there;
    if (wrong || open == 0 || (g->passed & ~there) || m->tail == m->room) /* few */
        return wl_mixed_leave(c, m, key, touched);
    uint32_t word = m->head / 64;
    while (m->last_uses[word] == 0)
        word++;
    const uint32_t last = 64 * word + (uint32_t)__builtin_ctzll(m->last_uses[word]);
    const uint32_t oldest = m->entries[last], at = (found & there) | (oldest & ~there), place = m->places[at];
    wl_slot *s = &m->slots[at];
    if (place & ~there & WL_PASSED_ON)
        return wl_mixed_leave(c, m, key, touched);
    if (large)
        wl_many_fetch_ahead(c, 0, m->head, last);
    m->head = last;
    if ((s->sectors & ~there) >> WL_DIRTY_SHIFT)
        wl_cache_count_written(c, s);
    touched->resident = there;
    m->evicted += ~there & 1;
    wl_group *leaves = wl_either_of(there, spare, &m->groups[place / WL_PLACES]);
    leaves->tags[place % WL_PLACES] = 0;
    wl_group *enters = wl_either_of(there, spare, g);
    const uint32_t to = (uint32_t)__builtin_ctz(open), now = (uint32_t)key.group * WL_PLACES + to;
    enters->tags[to] = (uint16_t)key.tag;
    enters->slots[to] = at;
    m->places[at] = (place & there) | (now & ~there);
    s->line = key.line;
    s->sectors &= there;
    m->last_uses[s->used / 64] &= ~((uint64_t)1 << s->used % 64);
    m->entries[m->tail] = at;
    m->last_uses[m->tail / 64] |= (uint64_t)1 << m->tail % 64;
    s->used = m->tail++;
    return at;
}

/* False: no memory. */
bool wl_many_make(wl_cache *c);

#endif /* WL_CACHE_MANY_WAYS_H */
