/* few_ways.h - sets of up to 64 ways: all ways are compared at once, sixteen bytes at a time.
 *
 * A set has a tag of 16 bits for each way, a hash of its line, 0 for an empty one, and an age of 8
 * bits: how many ways were used after it. Ages are a permutation. Using a way makes those younger
 * than it one older, and it 0; the oldest has age ways - 1. Empty ways start as the oldest, the
 * first of them first. Nothing here branches on whether a line hits: that is unpredictable, and a
 * mispredicted branch costs more than the rest.
 *
 * Random policies have no ages; the set's holes lie in their place.
 *
 * Layer  cache.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_FEW_WAYS_H
#define WL_CACHE_FEW_WAYS_H

#include "cache/cache_internal.h"

/* Narrow sets have room for 16 ways, wide ones for 64. */
#define WL_SET_WAYS(wide) ((wide) ? 64 : 16)
#define WL_SET_TAGS(wide) (WL_SET_WAYS(wide) / WL_TAGS) /* vectors */
#define WL_SET_AGES(wide) (WL_SET_WAYS(wide) / WL_AGES)
/* whole memory lines */
#define WL_SET_ALL(wide) ((wide) ? 16 : 4)
/* a tag behind the ages */
#define WL_SET_SPARE(wide) ((uint32_t)(WL_SET_TAGS(wide) + WL_SET_AGES(wide)) * WL_TAGS)

WL_ALWAYS_INLINE wl_tags *wl_few_set(const wl_cache *c, uint64_t set, bool wide)
{
    return c->sets + set * (uint64_t)WL_SET_ALL(wide);
}

WL_ALWAYS_INLINE wl_ages *wl_few_ages(wl_tags *set, bool wide) { return (wl_ages *)(set + WL_SET_TAGS(wide)); }

/* A bit for each way with this tag. */
WL_ALWAYS_INLINE uint64_t wl_few_alike(const wl_tags *set, uint32_t tag, bool wide)
{
#if defined(__AVX2__)
    if (wide)
        return wl_same_of_64(set, tag);
#endif
    const wl_tags wanted = wl_every_tag(tag);
    uint64_t alike = 0;
    for (int i = 0; i < WL_SET_TAGS(wide); i += 2)
        alike |= (uint64_t)wl_tag_bits((wl_tags)(set[i] == wanted), (wl_tags)(set[i + 1] == wanted)) << (i * WL_TAGS);
    return alike;
}

WL_ALWAYS_INLINE uint32_t wl_few_oldest(const wl_cache *c, const wl_ages *ages, bool wide)
{
#if defined(__AVX2__)
    if (wide)
        return (uint32_t)__builtin_ctzll(wl_aged_of_64(ages, (int8_t)(c->ways - 1)));
#endif
    uint64_t oldest = 0;
    for (int i = 0; i < WL_SET_AGES(wide); i++)
        oldest |= (uint64_t)wl_age_bits((wl_ages)(ages[i] == c->last_age)) << (i * WL_AGES);
    return (uint32_t)__builtin_ctzll(oldest);
}

WL_ALWAYS_INLINE void wl_few_use(wl_ages *ages, uint32_t used, bool wide)
{
#if defined(__AVX2__)
    if (wide) {
        wl_use_of_64(ages, used);
        return;
    }
#endif
    const wl_ages age = wl_every_age(((const uint8_t *)ages)[used]); /* no other way has it */
    for (int i = 0; i < WL_SET_AGES(wide); i++) {
        const wl_ages younger = (wl_ages)(ages[i] < age), others = (wl_ages)(ages[i] != age);
        ages[i] = (ages[i] - younger) & others;
    }
}

static inline int32_t wl_few_first(const wl_cache *c, wl_key key) { return (int32_t)key.set * c->ways; }

/* The slot of a line; -1: it is not there. */
static inline int32_t wl_few_find(const wl_cache *c, wl_key key)
{
    const wl_tags *set = wl_few_set(c, key.set, c->wide);
    uint64_t alike = c->wide ? wl_few_alike(set, key.tag, true) : wl_few_alike(set, key.tag, false);
    for (; alike; alike &= alike - 1) {
        const int32_t at = wl_few_first(c, key) + __builtin_ctzll(alike);
        if (c->slots[at].line == key.line)
            return at;
    }
    return -1;
}

/* Finds or makes a line, and makes it the last used one; least recently used policy. note: what it
 * evicts. */
WL_ALWAYS_INLINE int32_t wl_few_touch_lru(wl_cache *c, wl_key key, bool wide, bool note, wl_touched *touched)
{
    wl_tags *set = wl_few_set(c, key.set, wide);
    const uint32_t first = (uint32_t)wl_few_first(c, key), oldest = wl_few_oldest(c, wl_few_ages(set, wide), wide);
    const uint64_t alike = wl_few_alike(set, key.tag, wide);
    uint32_t there = (uint32_t) - (alike != 0); /* a mask: all bits or none */
    uint32_t way = ((uint32_t)__builtin_ctzll(alike | (uint64_t)1 << 63) & there) | (oldest & ~there);
    if (((c->slots[first + way].line ^ key.line) & (uint64_t)(int64_t)(int32_t)there) != 0) {
        /* one in thousands */
        const int32_t found = wl_few_find(c, key);
        there = (uint32_t) - (found >= 0);
        way = found >= 0 ? (uint32_t)found - first : oldest;
    }
    wl_slot *s = &c->slots[first + way];
    uint32_t evicts = ~there & 1;
    if (c->empty > 0) {
        evicts &= s->line != WL_NO_LINE;
        c->empty -= s->line == WL_NO_LINE;
    }
    if ((s->sectors & ~there) >> WL_DIRTY_SHIFT)
        wl_cache_count_written(c, s);
    if (note)
        c->evicted[0] = (wl_evicted){s->line, wl_present(s), wl_dirty(s)};
    touched->resident = there;
    touched->evicted = (uint8_t)evicts;
    c->counts.evicted_lines += evicts;
    s->line = key.line;
    s->sectors &= there;
    /* not where it stands already: a search just after a store to a part of what it reads has to
     * wait */
    const uint32_t to = (way & ~there) | (WL_SET_SPARE(wide) & there);
    set[to / WL_TAGS][to % WL_TAGS] = (uint16_t)key.tag;
    wl_few_use(wl_few_ages(set, wide), way, wide);
    return (int32_t)(first + way);
}

/* A slot for a line that is not there; random policies. */
int32_t wl_few_place(wl_cache *c, wl_key key);

static inline int32_t wl_few_touch_random(wl_cache *c, wl_key key, wl_touched *touched)
{
    const int32_t at = wl_few_find(c, key);
    touched->resident = at >= 0;
    if (at >= 0)
        return at;
    const int32_t placed = wl_few_place(c, key);
    touched->evicted = c->evicted_count;
    return placed;
}

/* False: no memory. */
bool wl_few_make(wl_cache *c);

#endif /* WL_CACHE_FEW_WAYS_H */
