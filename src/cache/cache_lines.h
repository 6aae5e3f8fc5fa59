/* cache_lines.h - the lines of a cache, in numbered places: finds the place of a line, and knows
 * which was used last.
 *
 * What simulated caches (cache.h) and those of replays (line_shelf.h) have in common. The caller
 * decides which lines make a set, and what else is known of a line.
 *
 * Places are hashed: they have groups of fifteen, of which a table keeps a byte of the hash each,
 * the finger. The fingers of a group are compared at once, and nearly always only the place of the
 * line is read, if it is there. A full group passes lines on to the next one and counts them: a
 * search goes on only where something was passed on. (Sets of few ways: few_ways.h.)
 *
 * The order of use is a list of all uses, of which only the last one of each place counts: a bit
 * tells which do, so that the oldest place is found without visiting others, and a use changes no
 * other place than its own. A full list is shortened.
 *
 * In caches larger than the host's, accesses wait for memory: wl_lines_expect fetches it before.
 *
 * Layer  cache (uses base). Units: lines.
 * Oracle  tests/property/prop_cache.c, tests/unit/test_line_shelf.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_CACHE_LINES_H
#define WL_CACHE_CACHE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cache/byte_lanes.h"

typedef struct wl_line {
    uint64_t number;
    uint32_t sectors; /* the caller's */
    uint32_t used;    /* the last use */
} wl_line;

#define WL_GROUP WL_LANES        /* places; the last one has no line, .. */
#define WL_PASSED (WL_GROUP - 1) /* .. but counts lines for which there was no room */

#define WL_PASSED_ON (-1)

typedef struct wl_lines {
    wl_line *places;
    int8_t *fingers; /* 0: no line; WL_PASSED_ON: any line that was passed on */
    uint64_t mask;   /* of groups */
    bool far;        /* from the core, in the host's memory */
} wl_lines;

/* What follows from the number of a line. */
typedef struct wl_key {
    uint64_t line, hash;
    int8_t finger;
} wl_key;

WL_ALWAYS_INLINE wl_key wl_key_of(uint64_t line)
{
    const uint64_t hash = wl_hash_word(line);
    return (wl_key){line, hash, (int8_t)(uint8_t)(1 + ((hash >> 56) * 254 >> 8))}; /* 1 to 254 */
}

/* Zeros, where memory lines of the host begin; much memory in large pages, where the system has
 * them: with small ones, accesses that go everywhere would also wait for addresses. NULL: none. */
void *wl_lines_memory(wl_arena *arena, size_t bytes);

/* Are caches of so many lines farther from the core than its nearby caches? */
bool wl_lines_are_far(int64_t lines);

/* Room for so many lines; none is there. False: no memory. */
bool wl_lines_make(wl_lines *lines, int64_t count, wl_arena *arena);
WL_ALWAYS_INLINE int64_t wl_lines_places(const wl_lines *l) { return (int64_t)(l->mask + 1) * WL_GROUP; }
/* All lines leave. */
void wl_lines_clear(wl_lines *lines);

WL_ALWAYS_INLINE void wl_fetch_ahead(const void *memory)
{
#if defined(__GNUC__)
    __builtin_prefetch(memory, 1, 3);
    /* gcc drops calls of functions that do nothing else */
    __asm__ volatile("" : : "r"(memory));
#else
    (void)memory;
#endif
}

/* ---- the table ---- */

/* The first place of a group. */
WL_ALWAYS_INLINE int64_t wl_lines_group(const wl_lines *l, uint64_t hash)
{
    return (int64_t)(hash & l->mask) * WL_GROUP;
}

/* A bit for each place of a group with this finger. */
WL_ALWAYS_INLINE uint32_t wl_group_with(const wl_lines *l, int64_t group, int8_t finger)
{
    return wl_lanes_with(wl_lanes_from(&l->fingers[group]), finger) & ((1u << WL_PASSED) - 1);
}

/* The first place of these or, if there are none, of others; if neither, one without a line. */
WL_ALWAYS_INLINE int64_t wl_first_of(uint32_t places, uint32_t others)
{
    return __builtin_ctz(places | others << WL_GROUP | 1u << 31) % WL_GROUP;
}

/* The next functions for lines that were passed on, or have to be. */
int32_t wl_lines_find_passed(const wl_lines *lines, wl_key key);
int32_t wl_lines_enter_passed(wl_lines *lines, wl_key key);
void wl_lines_leave_passed(wl_lines *lines, int32_t at);

/* The place of a line; -1: it is not there. */
WL_ALWAYS_INLINE int32_t wl_lines_find(const wl_lines *l, wl_key key)
{
    const int64_t group = wl_lines_group(l, key.hash);
    for (uint32_t alike = wl_group_with(l, group, key.finger); alike; alike &= alike - 1) {
        const int64_t at = group + __builtin_ctz(alike);
        if (l->places[at].number == key.line)
            return (int32_t)at;
    }
    return l->fingers[group + WL_PASSED] == 0 ? -1 : wl_lines_find_passed(l, key);
}

/* Gives a line that is not there a place, which keeps what the caller noted of an earlier one. */
WL_ALWAYS_INLINE int32_t wl_lines_enter(wl_lines *l, wl_key key)
{
    const int64_t group = wl_lines_group(l, key.hash);
    const uint32_t empty = wl_group_with(l, group, 0);
    if (!empty)
        return wl_lines_enter_passed(l, key);
    const int64_t at = group + __builtin_ctz(empty);
    l->fingers[at] = key.finger;
    l->places[at].number = key.line;
    return (int32_t)at;
}

/* Finds a line, or gives it a place. Whether it is there is often unknown: no branch depends on
 * it. */
WL_ALWAYS_INLINE int32_t wl_lines_use(wl_lines *l, wl_key key, bool *there)
{
    const int64_t group = wl_lines_group(l, key.hash);
    const uint32_t alike = wl_group_with(l, group, key.finger), empty = wl_group_with(l, group, 0);
    const int64_t at = group + wl_first_of(alike, empty);
    const bool passes = (empty == 0) | (l->fingers[group + WL_PASSED] != 0);
    const uint64_t other = (l->places[at].number ^ key.line) & wl_all_if(alike != 0);
    if (other | (passes & (alike == 0))) { /* rare */
        const int32_t found = wl_lines_find(l, key);
        *there = found >= 0;
        return *there ? found : wl_lines_enter(l, key);
    }
    *there = alike != 0;
    l->fingers[at] = key.finger;
    l->places[at].number = key.line;
    return (int32_t)at;
}

/* A place loses its line, if `leaves`. Its memory, which may be far, is hardly ever read. */
WL_ALWAYS_INLINE void wl_lines_leave(wl_lines *l, int32_t at, bool leaves)
{
    const int8_t finger = l->fingers[at];
    if ((finger == WL_PASSED_ON) & leaves)
        wl_lines_leave_passed(l, at);
    l->fingers[at] = finger & (int8_t)wl_all_if(!leaves);
}

/* A search for this line will follow: some accesses before it, where it begins (soon: false); then
 * what it finds there, or where the line enters. */
WL_ALWAYS_INLINE void wl_lines_expect(const wl_lines *l, wl_key key, bool soon)
{
    const int64_t group = wl_lines_group(l, key.hash);
    if (!soon) {
        wl_fetch_ahead(&l->fingers[group]);
        return;
    }
    const uint32_t alike = wl_group_with(l, group, key.finger), empty = wl_group_with(l, group, 0);
    wl_fetch_ahead(&l->places[group + wl_first_of(alike, empty)]);
}

/* ---- order of use ---- */

typedef struct wl_uses {
    int32_t *places;           /* one for each use */
    uint64_t *last;            /* a bit for each use: it is the last one of its place */
    uint32_t begin, end, room; /* none before `begin`, a multiple of 64, is a last one */
} wl_uses;

/* No uses, of so many places at most. False: no memory. */
bool wl_uses_make(wl_uses *uses, int64_t places, wl_arena *arena);
void wl_uses_clear(wl_uses *uses);
/* Leaves out uses that are not the last ones. */
void wl_uses_shorten(wl_uses *uses, wl_lines *lines);
/* The oldest of the uses has come to this word of bits: fetches what the table has of the next
 * ones, whose lines will leave. */
void wl_uses_expect(const wl_uses *uses, const wl_lines *lines, uint32_t word);

/* A place is used again, or for the first time since it was forgotten. */
WL_ALWAYS_INLINE void wl_uses_add(wl_uses *u, wl_lines *l, int32_t at, bool again)
{
    if (u->end == u->room)
        wl_uses_shorten(u, l);
    const uint32_t before = l->places[at].used;
    u->last[before / 64] &= ~((uint64_t)again << before % 64);
    u->places[u->end] = at;
    u->last[u->end / 64] |= (uint64_t)1 << u->end % 64;
    l->places[at].used = u->end++;
}

/* The place that was not used for the longest time, whose use is forgotten if `take`; -1: none was
 * used. */
WL_ALWAYS_INLINE int32_t wl_uses_oldest(wl_uses *u, const wl_lines *l, bool take)
{
    /* the word of the next use stays, even if all before it are forgotten */
    while (u->end - u->begin >= 64 && !u->last[u->begin / 64]) {
        u->begin += 64;
        if (l->far)
            wl_uses_expect(u, l, u->begin / 64);
    }
    uint64_t *last = &u->last[u->begin / 64];
    if (u->begin == u->end || !*last)
        return -1;
    const int32_t oldest = u->places[u->begin + (uint32_t)__builtin_ctzll(*last)];
    *last &= *last - take;
    return oldest;
}

#endif /* WL_CACHE_CACHE_LINES_H */
