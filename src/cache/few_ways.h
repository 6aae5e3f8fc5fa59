/* few_ways.h - sets of up to 64 ways: which way has a line, and which was used last.
 *
 * A set of up to 16 ways is one memory line of the host: for each way a tag of two bytes, one byte
 * for its age, and one for its sectors; sixteen are compared or changed at once. Sets of more ways
 * have four such lines. So what an access needs is known without a search, and can be fetched
 * ahead. Set and tag together are the number of the line. If the set follows from a hash, tags
 * have four bytes, and are the number.
 *
 * After a line with a number too large for that, tags are parts of hashes, and numbers are kept
 * apart, and compared.
 *
 * Layer  cache.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_FEW_WAYS_H
#define WL_CACHE_FEW_WAYS_H

#include "cache/byte_lanes.h"
#include "cache/cache_lines.h"

#define WL_FEW_WAYS_MAX 64

typedef struct wl_few_ways {
    wl_lanes *lanes; /* of each set: bytes of tags, lower ones first, ages or room, sectors */
    int32_t tag_bytes;
    int32_t ways, vectors;  /* vectors of bytes: 1, or 4 if there are more than 16 ways */
    int32_t sets, set_bits; /* bits: of a power of two, else -1 */
    bool hashed;            /* the set follows from a hash of the line, else from its number */
    uint64_t below;         /* numbers of all lines are; 0: they are kept */
    uint64_t *numbers;      /* by way */
} wl_few_ways;

/* What follows from the number of a line. A tag is not 0. */
typedef struct wl_few_key {
    uint64_t line;
    int32_t set;
    uint32_t tag;
} wl_few_key;

/* Empty ways of a set with a random policy follow each other, the last is followed by the first. */
typedef struct wl_few_room {
    uint8_t first_empty, empty;
} wl_few_room;

/* Makes empty sets; ways, sets and `hashed` are given. With lru, the first way is the oldest.
 * False: no memory. */
bool wl_few_make(wl_few_ways *few, bool lru, wl_arena *arena);
/* From here on, the numbers of all lines are kept. */
void wl_few_keep_numbers(wl_few_ways *few);
/* The number of the line of a way. */
uint64_t wl_few_number(const wl_few_ways *few, int32_t set, int32_t way);

WL_ALWAYS_INLINE wl_few_key wl_few_key_of(const wl_few_ways *f, uint64_t line)
{
    const uint64_t hash = wl_hash_word(line), sets = (uint64_t)f->sets, of_set = f->hashed ? hash : line;
    const uint64_t set = f->set_bits >= 0 ? of_set & (sets - 1) : of_set % sets, top = hash >> (64 - 8 * f->tag_bytes);
    uint64_t tag = f->hashed ? line + 1 : 1 + (f->set_bits >= 0 ? line >> f->set_bits : line / sets);
    if (!f->below)
        tag = top + (top == 0);
    return (wl_few_key){line, (int32_t)set, (uint32_t)tag};
}

/* Vectors of a set. */
WL_ALWAYS_INLINE wl_lanes *wl_few_tags(const wl_few_ways *f, int32_t set, int byte)
{
    return f->lanes + ((int64_t)set * (f->tag_bytes + 2) + byte) * f->vectors;
}
WL_ALWAYS_INLINE wl_lanes *wl_few_ages(const wl_few_ways *f, int32_t set) { return wl_few_tags(f, set, f->tag_bytes); }
WL_ALWAYS_INLINE wl_few_room *wl_few_room_of(const wl_few_ways *f, int32_t set)
{
    return (wl_few_room *)(void *)wl_few_ages(f, set);
}
WL_ALWAYS_INLINE uint8_t *wl_few_sectors(const wl_few_ways *f, int32_t set, int32_t way)
{
    return (uint8_t *)wl_few_tags(f, set, f->tag_bytes + 1) + way;
}

/* The tag of a way; 0: it is empty. */
WL_ALWAYS_INLINE uint32_t wl_few_tag(const wl_few_ways *f, int32_t set, int32_t way)
{
    uint32_t tag = 0;
    for (int i = 0; i < f->tag_bytes; i++)
        tag |= (uint32_t)((const uint8_t *)wl_few_tags(f, set, i))[way] << 8 * i;
    return tag;
}
WL_ALWAYS_INLINE void wl_few_set_tag(const wl_few_ways *f, int32_t set, int32_t way, uint32_t tag)
{
    for (int i = 0; i < 2; i++)
        ((uint8_t *)wl_few_tags(f, set, i))[way] = (uint8_t)(tag >> 8 * i);
    for (int i = 2; f->hashed && i < 4; i++)
        ((uint8_t *)wl_few_tags(f, set, i))[way] = (uint8_t)(tag >> 8 * i);
}

/* Bits for each way with lanes of all bits, .. */
WL_ALWAYS_INLINE uint64_t wl_few_bits(const wl_few_ways *f, const wl_lanes *lanes)
{
    return f->vectors == 1 ? wl_lane_mask(lanes[0]) : wl_lane_bits_of_64(lanes);
}
/* .. and the first such way. */
WL_ALWAYS_INLINE int32_t wl_few_first(const wl_few_ways *f, uint64_t ways)
{
    return __builtin_ctzll(ways) / (f->vectors == 1 ? WL_LANE_BITS : 1);
}

/* Lanes that have the byte of a tag. */
WL_ALWAYS_INLINE wl_lanes wl_few_with(const wl_few_ways *f, wl_few_key key, int byte, int vector)
{
    return (wl_lanes)(wl_few_tags(f, key.set, byte)[vector] == wl_lanes_of((int8_t)(uint8_t)(key.tag >> 8 * byte)));
}

WL_ALWAYS_INLINE uint64_t wl_few_alike(const wl_few_ways *f, wl_few_key key)
{
    wl_lanes alike[WL_FEW_WAYS_MAX / WL_LANES];
    for (int i = 0; i < f->vectors; i++) {
        alike[i] = wl_few_with(f, key, 0, i) & wl_few_with(f, key, 1, i);
        if (f->hashed)
            alike[i] &= wl_few_with(f, key, 2, i) & wl_few_with(f, key, 3, i);
    }
    return wl_few_bits(f, alike);
}

/* The way of a line; -1: it is not there. */
WL_ALWAYS_INLINE int32_t wl_few_find(const wl_few_ways *f, wl_few_key key)
{
    for (uint64_t alike = wl_few_alike(f, key); alike; alike &= alike - 1) {
        const int32_t way = wl_few_first(f, alike);
        if (f->below || f->numbers[(int64_t)key.set * f->ways + way] == key.line)
            return way;
    }
    return -1;
}

/* The way that was not used for the longest time. */
WL_ALWAYS_INLINE int32_t wl_few_oldest(const wl_few_ways *f, int32_t set)
{
    const wl_lanes *ages = wl_few_ages(f, set), last = wl_lanes_of((int8_t)(f->ways - 1));
    wl_lanes oldest[WL_FEW_WAYS_MAX / WL_LANES];
    for (int32_t i = 0; i < f->vectors; i++)
        oldest[i] = (wl_lanes)(ages[i] == last);
    return wl_few_first(f, wl_few_bits(f, oldest));
}

/* Ages of a set are 0, 1, .., in some order: those below that of the way grow by one. */
WL_ALWAYS_INLINE void wl_few_use(const wl_few_ways *f, int32_t set, int32_t way)
{
    const wl_lanes numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    wl_lanes *ages = wl_few_ages(f, set);
    const wl_lanes age = wl_lanes_of(((const int8_t *)ages)[way]);
    const wl_lanes own = wl_lanes_of((int8_t)way);
    for (int32_t i = 0; i < f->vectors; i++) {
        const wl_lanes others = (wl_lanes)(numbers + (int8_t)(i * WL_LANES) != own);
        ages[i] = (ages[i] - (wl_lanes)(ages[i] < age)) & others;
    }
}

/* A line enters a way. */
WL_ALWAYS_INLINE void wl_few_enter(const wl_few_ways *f, wl_few_key key, int32_t way)
{
    wl_few_set_tag(f, key.set, way, key.tag);
    if (!f->below)
        f->numbers[(int64_t)key.set * f->ways + way] = key.line;
}

/* A search for this line will follow. */
WL_ALWAYS_INLINE void wl_few_expect(const wl_few_ways *f, uint64_t line)
{
    const wl_few_key key = wl_few_key_of(f, line);
    wl_fetch_ahead(wl_few_tags(f, key.set, 0));
    for (int i = 1; f->vectors > 1 && i < f->tag_bytes + 1; i++)
        wl_fetch_ahead(wl_few_tags(f, key.set, i));
    if (f->vectors > 1 || f->hashed)
        wl_fetch_ahead(wl_few_sectors(f, key.set, WL_LANES - 1));
    for (int32_t way = 0; !f->below && way < f->ways && way < WL_LANES; way += 8)
        wl_fetch_ahead(&f->numbers[(int64_t)key.set * f->ways + way]);
}

#endif /* WL_CACHE_FEW_WAYS_H */
