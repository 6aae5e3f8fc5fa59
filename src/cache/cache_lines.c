/* cache_lines.c - see cache_lines.h. SPDX-License-Identifier: MIT */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "cache/cache_lines.h"

#include <stdint.h>
#include <string.h>

#define MEMORY_LINE ((size_t)64) /* of the host, or more */
#define LARGE_PAGE ((size_t)2 << 20)
#define BUCKET_LINES 4             /* of a bucket on average, if all lines are there */
#define FACTOR 0x9e3779b97f4a7c15u /* 2^64 / golden ratio: spreads neighbouring lines */
#define USES_PER_LINE 4            /* of the ring of times, or more */

/* ---- memory ---- */

void *wl_lines_memory(wl_arena *arena, size_t bytes)
{
    const bool large = bytes >= LARGE_PAGE / 4;
    const size_t boundary = large ? LARGE_PAGE : MEMORY_LINE, whole = (bytes + boundary - 1) / boundary * boundary;
    char *memory = wl_arena_alloc(arena, whole + boundary, 1);
    if (!memory)
        return NULL;
    memory += boundary - (uintptr_t)memory % boundary;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (large)
        (void)madvise(memory, whole, MADV_HUGEPAGE);
#endif
    return memory;
}

bool wl_lines_make(wl_lines *l, int64_t count, bool lru, wl_arena *arena)
{
    const uint64_t buckets = 2 + (uint64_t)count / BUCKET_LINES;
    uint32_t ring = 64;
    /* where a size has 32 bits, not all caches have room */
    if (buckets > SIZE_MAX / 2 / sizeof *l->buckets || buckets > SIZE_MAX / 2 / (WL_PLACES * sizeof *l->numbers))
        return false;
    while (ring < USES_PER_LINE * count)
        ring *= 2;
    *l = (wl_lines){.lru = lru, .count = buckets, .bits = WL_TAG_BITS, .places = (int64_t)(WL_PLACES * buckets)};
    while (buckets >> (l->bits + 1 - WL_TAG_BITS))
        l->bits++;
    l->buckets = wl_lines_memory(arena, (size_t)buckets * sizeof *l->buckets);
    l->numbers = wl_lines_memory(arena, (size_t)l->places * sizeof *l->numbers);
    if (lru) {
        l->ring = ring - 1;
        l->order = wl_lines_memory(arena, ring * sizeof *l->order);
        l->last = wl_lines_memory(arena, ring / 64 * sizeof *l->last);
    }
    if (!l->buckets || !l->numbers || (lru && (!l->order || !l->last)))
        return false;
    wl_lines_clear(l);
    return true;
}

void wl_lines_clear(wl_lines *l)
{
    memset(l->buckets, 0, (size_t)l->count * sizeof *l->buckets);
    l->below = (uint64_t)1 << l->bits;
    /* so that the product has as many bits, at the top */
    l->factor = (FACTOR >> (64 - l->bits) | 1) << (64 - l->bits);
    l->first = l->next = 1;
}

/* ---- the table ---- */

static wl_bucket *bucket_of(const wl_lines *l, int32_t place) { return &l->buckets[place / WL_PLACES]; }

/* The bucket to which one passes lines on. */
static wl_bucket *next_bucket(const wl_lines *l, const wl_bucket *b)
{
    return b + 1 < l->buckets + l->count ? &l->buckets[b + 1 - l->buckets] : l->buckets;
}

static int32_t place_in(const wl_lines *l, const wl_bucket *b, uint64_t lanes)
{
    return (int32_t)(b - l->buckets) * WL_PLACES + wl_first_lane(lanes);
}

/* The place with this line, of those in a bucket. */
static int32_t find_in(const wl_lines *l, const wl_bucket *b, uint32_t tag, uint64_t line)
{
    for (uint64_t alike = wl_bucket_alike(b, tag) & ~wl_bucket_open(b, l->first); alike; alike &= alike - 1) {
        const int32_t at = place_in(l, b, alike);
        if ((l->below && tag < WL_PASSED_ON) || l->numbers[at] == line)
            return at;
    }
    return -1;
}

int32_t wl_lines_find(const wl_lines *l, uint64_t line)
{
    const wl_home home = wl_home_of(l, line);
    const wl_bucket *b = &l->buckets[home.bucket];
    if (line >= l->below && l->below)
        return -1;
    int32_t at = find_in(l, b, home.tag, line);
    while (at < 0 && b->passed >= l->first) {
        b = next_bucket(l, b);
        at = find_in(l, b, home.tag | WL_PASSED_ON, line);
    }
    return at;
}

uint64_t wl_lines_number(const wl_lines *l, int32_t place)
{
    __extension__ typedef unsigned __int128 product;
    const uint32_t tag = bucket_of(l, place)->tags[place % WL_PLACES];
    if (!l->below || tag & WL_PASSED_ON)
        return l->numbers[place];
    const int shift = 64 - l->bits;
    const product all = (product)(uint64_t)(place / WL_PLACES) << 64 | (uint64_t)tag << (64 - WL_TAG_BITS);
    const uint64_t hash = (uint64_t)((all + ((product)l->count << shift) - 1) / ((product)l->count << shift));
    const uint64_t factor = l->factor >> shift;
    uint64_t inverse = factor; /* of 3 bits; each step doubles them */
    for (int known = 3; known < l->bits; known *= 2)
        inverse *= 2 - factor * inverse;
    return hash * inverse & (l->below - 1);
}

/* From here on, the numbers of all lines are kept. If there is none yet, hashes can have all
 * bits. */
static void keep_numbers(wl_lines *l)
{
    bool any = false;
    for (int32_t at = 0; at < (int32_t)l->places; at++)
        if (bucket_of(l, at)->used[at % WL_PLACES] >= l->first) {
            l->numbers[at] = wl_lines_number(l, at);
            any = true;
        }
    l->below = 0;
    l->factor = any ? l->factor : FACTOR;
}

static int32_t enter(wl_lines *l, uint64_t line)
{
    if (line >= l->below && l->below)
        keep_numbers(l);
    const wl_home home = wl_home_of(l, line);
    uint32_t tag = home.tag;
    wl_bucket *b = &l->buckets[home.bucket];
    uint64_t open = wl_bucket_open(b, l->first), before = open & wl_bucket_alike(b, tag);
    while (!open) {
        b->passed += !l->lru;
        tag |= WL_PASSED_ON;
        b = next_bucket(l, b);
        open = wl_bucket_open(b, l->first);
    }
    const int32_t at = place_in(l, b, before ? before : open);
    b->tags[at % WL_PLACES] = (uint16_t)tag;
    b->used[at % WL_PLACES] |= !l->lru;
    if (!l->below || tag & WL_PASSED_ON)
        l->numbers[at] = line;
    return at;
}

/* A line that was passed on is used: the buckets that did it must know. */
static void note_passed(wl_lines *l, int32_t place, uint32_t time)
{
    wl_bucket *b = &l->buckets[wl_home_of(l, l->numbers[place]).bucket];
    for (const wl_bucket *end = bucket_of(l, place); b != end; b = next_bucket(l, b))
        b->passed = time;
}

static bool is_passed_on(const wl_lines *l, int32_t place)
{
    return bucket_of(l, place)->tags[place % WL_PLACES] & WL_PASSED_ON;
}

void wl_lines_leave(wl_lines *l, int32_t place)
{
    wl_bucket *own = bucket_of(l, place);
    own->used[place % WL_PLACES] = 0;
    if (!is_passed_on(l, place))
        return;
    wl_bucket *b = &l->buckets[wl_home_of(l, l->numbers[place]).bucket];
    for (; b != own; b = next_bucket(l, b))
        b->passed--;
}

/* ---- order of use ---- */

/* A line gets the next time, and the bit for it. */
static void renumber_one(wl_lines *l, int32_t place)
{
    const uint32_t now = l->next & l->ring;
    l->order[now] = place;
    l->last[now / 64] |= (uint64_t)1 << now % 64;
    bucket_of(l, place)->used[place % WL_PLACES] = l->next;
    if (is_passed_on(l, place))
        note_passed(l, place, l->next);
    l->next++;
}

/* Gives lines new times. The first one keeps its position in the ring, the others move up to it:
 * what is written has been read. */
static void renumber(wl_lines *l)
{
    const uint32_t begin = l->first, end = l->next;
    l->first = l->next = begin & l->ring ? begin & l->ring : l->ring + 1;
    for (uint64_t b = 0; b < l->count; b++) {
        l->buckets[b].passed = 0;
        for (int i = 0; i < WL_PLACES; i++)
            l->buckets[b].used[i] = l->buckets[b].used[i] < begin ? 0 : l->buckets[b].used[i];
    }
    for (uint32_t time = begin, after; time < end; time = after) {
        after = (time | 63) + 1 < end ? (time | 63) + 1 : end;
        uint64_t *word = &l->last[(time & l->ring) / 64];
        uint64_t last = *word & ~(uint64_t)0 >> (64 - (after - time)) << time % 64;
        *word &= ~last;
        for (; last; last &= last - 1)
            renumber_one(l, l->order[(time & l->ring) / 64 * 64 + (uint32_t)__builtin_ctzll(last)]);
    }
}

wl_spot wl_lines_use(wl_lines *l, uint64_t line)
{
    if (l->lru && (l->next - l->first >= l->ring || l->next >= INT32_MAX))
        renumber(l);
    const int32_t found = wl_lines_find(l, line), at = found >= 0 ? found : enter(l, line);
    wl_spot s = wl_spot_of(at);
    s.there = found >= 0;
    s.used = l->buckets[s.bucket].used[s.at];
    if (l->lru && is_passed_on(l, at))
        note_passed(l, at, l->next);
    return s;
}
