/* few_ways.h - sets of up to 64 ways: which way has a line, and which was used last.
 *
 * A set has a byte of its lines' hashes for each way, its finger, and, with the least recently used
 * policy, a byte for the age; sixteen are compared or changed at once. So a search reads 16 bytes
 * for each 16 ways, and then, nearly always, only the place of the line that it looks for.
 *
 * Layer  cache.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_FEW_WAYS_H
#define WL_CACHE_FEW_WAYS_H

#include "cache/byte_lanes.h"
#include "cache/cache_lines.h"

#define WL_FEW_WAYS_MAX 64

typedef struct wl_few_ways {
    wl_lanes *lanes;       /* of each set: fingers, then ages or, of random policies, its room */
    int32_t ways, vectors; /* vectors of a set: 1, or 4 if it has more than 16 ways */
} wl_few_ways;

/* Empty ways of a set with a random policy follow each other, the last is followed by the first. */
typedef struct wl_few_room {
    uint8_t first_empty, empty;
} wl_few_room;

/* All ways are empty; the first is the oldest. False: no memory. */
bool wl_few_make(wl_few_ways *few, int64_t sets, int32_t ways, bool lru, wl_arena *arena);

WL_ALWAYS_INLINE wl_lanes *wl_few_fingers(const wl_few_ways *f, int32_t set)
{
    return f->lanes + 2 * (int64_t)set * f->vectors;
}
WL_ALWAYS_INLINE wl_lanes *wl_few_ages(const wl_few_ways *f, int32_t set)
{
    return wl_few_fingers(f, set) + f->vectors;
}
WL_ALWAYS_INLINE wl_few_room *wl_few_room_of(const wl_few_ways *f, int32_t set)
{
    return (wl_few_room *)(void *)wl_few_ages(f, set);
}

/* The finger of a way; 0: it is empty. */
WL_ALWAYS_INLINE int8_t *wl_few_finger(const wl_few_ways *f, int32_t set, int32_t way)
{
    return (int8_t *)wl_few_fingers(f, set) + way;
}

/* A bit for each way with this number. */
WL_ALWAYS_INLINE uint64_t wl_few_with(const wl_few_ways *f, const wl_lanes *lanes, int8_t number)
{
    return f->vectors == 1 ? wl_lanes_with(lanes[0], number) : wl_lanes_with_of_64(lanes, number);
}

/* The way of a line whose set has these places; -1: it is not there. */
WL_ALWAYS_INLINE int32_t wl_few_find(const wl_few_ways *f, int32_t set, const wl_line *places, wl_key key)
{
    for (uint64_t alike = wl_few_with(f, wl_few_fingers(f, set), key.finger); alike; alike &= alike - 1) {
        const int32_t way = __builtin_ctzll(alike);
        if (places[way].number == key.line)
            return way;
    }
    return -1;
}

/* The first of these ways; another if there are none. */
WL_ALWAYS_INLINE int32_t wl_first_way(uint64_t ways, int32_t other)
{
    const uint32_t any = (uint32_t)wl_all_if(ways != 0);
    return (int32_t)(((uint32_t)__builtin_ctzll(ways | (uint64_t)1 << 63) & any) | ((uint32_t)other & ~any));
}

/* The same, but another way if it is not there: no branch depends on it. */
WL_ALWAYS_INLINE int32_t wl_few_find_or(const wl_few_ways *f, int32_t set, const wl_line *places, wl_key key,
                                        int32_t other, bool *there)
{
    uint64_t alike = wl_few_with(f, wl_few_fingers(f, set), key.finger);
    int32_t way = wl_first_way(alike, other);
    while ((places[way].number ^ key.line) & wl_all_if(alike != 0)) { /* rare */
        alike &= alike - 1;
        way = wl_first_way(alike, other);
    }
    *there = alike != 0;
    return way;
}

/* The way that was not used for the longest time. */
WL_ALWAYS_INLINE int32_t wl_few_oldest(const wl_few_ways *f, int32_t set)
{
    return __builtin_ctzll(wl_few_with(f, wl_few_ages(f, set), (int8_t)(f->ways - 1)));
}

/* Ages of a set are 0, 1, .., in some order: those below that of the way grow by one. */
WL_ALWAYS_INLINE void wl_few_use(const wl_few_ways *f, int32_t set, int32_t way)
{
    const wl_lanes numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    wl_lanes *ages = wl_few_ages(f, set);
    const wl_lanes age = wl_lanes_of(((const int8_t *)ages)[way]);
    for (int32_t i = 0; i < f->vectors; i++) {
        const wl_lanes others = (wl_lanes)(numbers != wl_lanes_of((int8_t)(way - i * WL_LANES)));
        ages[i] = (ages[i] - (wl_lanes)(ages[i] < age)) & others;
    }
}

/* As wl_lines_expect, for a line of this set. */
WL_ALWAYS_INLINE void wl_few_expect(const wl_few_ways *f, int32_t set, const wl_line *places, wl_key key, bool soon,
                                    bool lru)
{
    if (!soon) {
        wl_fetch_ahead(wl_few_fingers(f, set));
        if (f->vectors > 1)
            wl_fetch_ahead(wl_few_ages(f, set));
        return;
    }
    const uint64_t alike = wl_few_with(f, wl_few_fingers(f, set), key.finger);
    const int32_t other = lru ? wl_few_oldest(f, set) : 0;
    wl_fetch_ahead(&places[set * f->ways + wl_first_way(alike, other)]);
}

#endif /* WL_CACHE_FEW_WAYS_H */
