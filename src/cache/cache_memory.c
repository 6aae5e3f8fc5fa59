/* cache_memory.c - the memory of a cache. SPDX-License-Identifier: MIT */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include <stdlib.h>

#include "cache/cache_internal.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* Accesses of a large cache go everywhere: with pages of 4 KiB most of them would wait for an
 * address. */
static void prefer_huge_pages(void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

void *wl_cache_memory(size_t bytes, void **allocated)
{
    const size_t boundary = bytes >= HUGE_PAGE ? HUGE_PAGE : 2 * WL_MEMORY_LINE;
    *allocated = calloc(bytes + boundary, 1);
    if (!*allocated)
        return NULL;
    uint8_t *memory = (uint8_t *)*allocated + (boundary - (uintptr_t)*allocated % boundary);
    if (bytes >= HUGE_PAGE)
        prefer_huge_pages(memory, bytes);
    return memory;
}

wl_slot *wl_cache_slots(size_t lines)
{
    wl_slot *slots = calloc(lines, sizeof *slots);
    for (size_t i = 0; slots && i < lines; i++)
        slots[i].line = WL_NO_LINE;
    return slots;
}

void wl_cache_free_memory(wl_cache *c)
{
    free(c->slots);
    free(c->index);
    free(c->queues);
    free(c->queue_memory);
    free(c->last_uses);
    free(c->places);
    free(c->homes);
    free(c->holes);
    free(c->draws);
    free(c->low);
    free(c->written);
    wl_cache_forget_memory(c);
}

void wl_cache_forget_memory(wl_cache *c)
{
    c->slots = NULL;
    c->index = NULL;
    c->packed = NULL;
    c->wide_sets = NULL;
    c->sets = NULL;
    c->groups = NULL;
    c->buckets = NULL;
    c->queues = NULL;
    c->entries = NULL;
    c->queue_memory = NULL;
    c->last_uses = NULL;
    c->places = NULL;
    c->homes = NULL;
    c->holes = NULL;
    c->draws = NULL;
    c->low = NULL;
    c->written = NULL;
}

size_t wl_cache_groups(wl_cache *c)
{
    int bits = 1;
    while ((int64_t)WL_GROUP_LINES << bits < c->shape.lines)
        bits++;
    c->spread.group_shift = 64 - bits;
    c->group_mask = ((size_t)1 << bits) - 1;
    return (size_t)1 << bits;
}
