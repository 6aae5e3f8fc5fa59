/* line_shelf.c - see line_shelf.h. SPDX-License-Identifier: MIT */
#include "count/line_shelf.h"

#include <string.h>

#include "base/hash.h"

void wl_shelf_clear(wl_shelf *s)
{
    s->newest = s->oldest = s->unused = -1;
    s->used = s->count = 0;
    memset(s->buckets, -1, ((size_t)s->mask + 1) * sizeof *s->buckets);
}

bool wl_shelf_make(wl_shelf *s, int64_t lines, wl_arena *arena)
{
    *s = (wl_shelf){.room = lines, .mask = 1};
    while ((int64_t)s->mask < lines)
        s->mask *= 2;
    s->pieces = WL_ARENA_NEW(arena, wl_shelf_piece, lines + 1);
    s->buckets = WL_ARENA_NEW(arena, int32_t, s->mask);
    s->mask--;
    if (s->pieces && s->buckets)
        wl_shelf_clear(s);
    return s->pieces && s->buckets;
}

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
    int32_t *link = &s->buckets[wl_hash_end(s->pieces[i].key) & s->mask];
    while (*link != i)
        link = &s->pieces[*link].chained;
    *link = s->pieces[i].chained;
    take_out(s, i);
    s->used -= s->pieces[i].lines;
    s->pieces[i].chained = s->unused;
    s->unused = i;
}

wl_shelf_piece *wl_shelf_use(wl_shelf *s, uint64_t key, int64_t lines)
{
    int32_t *bucket = &s->buckets[wl_hash_end(key) & s->mask], i = *bucket;
    while (i >= 0 && s->pieces[i].key != key)
        i = s->pieces[i].chained;
    if (i >= 0) {
        take_out(s, i);
        put_first(s, i);
        return &s->pieces[i];
    }
    while (s->oldest >= 0 && s->used + lines > s->room)
        drop_oldest(s);
    i = s->unused >= 0 ? s->unused : s->count++;
    if (i == s->unused)
        s->unused = s->pieces[i].chained;
    s->pieces[i] = (wl_shelf_piece){.key = key, .lines = (int32_t)lines, .chained = *bucket};
    *bucket = i;
    s->used += lines;
    put_first(s, i);
    return &s->pieces[i];
}
