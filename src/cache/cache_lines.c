/* cache_lines.c - see cache_lines.h. SPDX-License-Identifier: MIT */
#include "cache/cache_lines.h"

#include <string.h>

#define SEARCHED_MAX 16             /* more ways are hashed */
#define MEMORY_LINE ((uintptr_t)64) /* of the host, or more */

bool wl_lines_make(wl_lines *l, int64_t places, int64_t ways, wl_arena *arena)
{
    uint64_t buckets = 1;
    while ((int64_t)buckets < places)
        buckets *= 2;
    *l = (wl_lines){.count = (int32_t)places, .ways = (int32_t)ways, .mask = buckets - 1};
    l->places = WL_ARENA_NEW(arena, wl_line, places);
    l->buckets = ways > SEARCHED_MAX ? WL_ARENA_NEW(arena, int32_t, buckets) : NULL;
    if (!l->places || (ways > SEARCHED_MAX && !l->buckets))
        return false;
    wl_lines_clear(l);
    return true;
}

void wl_lines_clear(wl_lines *l)
{
    for (int32_t i = 0; i < l->count; i++)
        l->places[i] = (wl_line){.number = WL_NO_LINE};
    if (l->buckets)
        memset(l->buckets, -1, (l->mask + 1) * sizeof *l->buckets);
}

void wl_lines_expect(const wl_lines *l, uint64_t line, int32_t first, bool soon)
{
    if (!l->buckets) {
        const char *set = (const char *)&l->places[first];
        for (size_t at = 0; !soon && at < (size_t)l->ways * sizeof *l->places; at += MEMORY_LINE)
            wl_fetch_ahead(set + at);
        return;
    }
    const int32_t *bucket = wl_lines_bucket(l, line);
    if (!soon)
        wl_fetch_ahead(bucket);
    else if (*bucket >= 0)
        wl_fetch_ahead(&l->places[*bucket]);
}
