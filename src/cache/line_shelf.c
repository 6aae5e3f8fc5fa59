/* line_shelf.c - see line_shelf.h. SPDX-License-Identifier: MIT */
#include "cache/line_shelf.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "expr/operate.h"

void wl_shelf_clear(wl_shelf *s, int64_t lines)
{
    s->newest = s->oldest = s->unused = -1;
    s->used = s->count = 0;
    s->room = lines;
    memset(s->buckets, -1, ((size_t)s->mask + 1) * sizeof *s->buckets);
}

bool wl_shelf_make(wl_shelf *s, int64_t lines, wl_shelf_policy policy, wl_arena *arena)
{
    *s = (wl_shelf){.policy = policy, .mask = 1};
    while ((int64_t)s->mask < lines)
        s->mask *= 2;
    s->pieces = WL_ARENA_NEW(arena, wl_shelf_piece, lines + 1);
    s->buckets = WL_ARENA_NEW(arena, int32_t, s->mask);
    s->mask--;
    if (s->pieces && s->buckets)
        wl_shelf_clear(s, lines);
    return s->pieces && s->buckets;
}

static int32_t *bucket_of(const wl_shelf *s, uint64_t key) { return &s->buckets[wl_hash_word(key) & s->mask]; }

static int32_t number_of(const wl_shelf *s, uint64_t key)
{
    int32_t i = *bucket_of(s, key);
    while (i >= 0 && s->pieces[i].key != key)
        i = s->pieces[i].chained;
    return i;
}

static void leave_bucket(wl_shelf *s, int32_t i)
{
    int32_t *link = bucket_of(s, s->pieces[i].key);
    while (*link != i)
        link = &s->pieces[*link].chained;
    *link = s->pieces[i].chained;
}

/* ---- least recently used: a list ---- */

static void take_out(wl_shelf *s, int32_t i)
{
    const wl_shelf_piece *p = &s->pieces[i];
    *(p->newer >= 0 ? &s->pieces[p->newer].older : &s->newest) = p->older;
    *(p->older >= 0 ? &s->pieces[p->older].newer : &s->oldest) = p->newer;
}

static void put_first(wl_shelf *s, int32_t i)
{
    s->pieces[i].newer = -1;
    s->pieces[i].older = s->newest;
    *(s->newest >= 0 ? &s->pieces[s->newest].newer : &s->oldest) = i;
    s->newest = i;
}

static void drop_oldest(wl_shelf *s)
{
    const int32_t i = s->oldest;
    leave_bucket(s, i);
    take_out(s, i);
    s->used -= s->pieces[i].lines;
    s->pieces[i].chained = s->unused;
    s->unused = i;
}

static int32_t make_room(wl_shelf *s, int64_t lines)
{
    while (s->oldest >= 0 && s->used + lines > s->room)
        drop_oldest(s);
    const int32_t i = s->unused >= 0 ? s->unused : s->count++;
    if (i == s->unused)
        s->unused = s->pieces[i].chained;
    s->used += lines;
    return i;
}

/* ---- the older of two: timestamps ---- */

static int32_t replace_one(wl_shelf *s)
{
    if (s->count < s->room)
        return s->count++;
    const int64_t draw = (int64_t)(2 * s->now);
    const int32_t a = (int32_t)wl_random_below(draw, s->count), b = (int32_t)wl_random_below(draw + 1, s->count);
    const int32_t i = s->pieces[a].used <= s->pieces[b].used ? a : b;
    leave_bucket(s, i);
    return i;
}

/* ---- both ---- */

wl_shelf_piece *wl_shelf_use(wl_shelf *s, uint64_t key, int64_t lines)
{
    const bool lru = s->policy == WL_SHELF_LRU;
    int32_t i = number_of(s, key);
    s->now++;
    if (i < 0) {
        WL_ASSERT(lru || lines == 1);
        i = lru ? make_room(s, lines) : replace_one(s);
        int32_t *bucket = bucket_of(s, key);
        s->pieces[i] = (wl_shelf_piece){.key = key, .lines = (int32_t)lines, .chained = *bucket};
        *bucket = i;
    } else if (lru) {
        take_out(s, i);
    }
    if (lru)
        put_first(s, i);
    else
        s->pieces[i].used = s->now;
    return &s->pieces[i];
}

const wl_shelf_piece *wl_shelf_find(const wl_shelf *s, uint64_t key)
{
    const int32_t i = number_of(s, key);
    return i >= 0 ? &s->pieces[i] : NULL;
}
