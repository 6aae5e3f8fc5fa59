/* cache_lines.c - see cache_lines.h. SPDX-License-Identifier: MIT */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "cache/cache_lines.h"

#include <string.h>

#define MEMORY_LINE ((size_t)64) /* of the host, or more */
#define LARGE_PAGE ((size_t)2 << 20)
#define NEARBY_LINES 8192
#define GROUP_LINES 10  /* of a group on average, if all lines are there; half of them, or more */
#define USES_PER_LINE 4 /* of a list */

/* ---- memory ---- */

bool wl_lines_are_far(int64_t lines) { return lines > NEARBY_LINES; }

void *wl_lines_memory(wl_arena *arena, size_t bytes)
{
    const size_t boundary = bytes >= LARGE_PAGE ? LARGE_PAGE : MEMORY_LINE;
    char *memory = wl_arena_alloc(arena, bytes + boundary, 1);
    if (!memory)
        return NULL;
    memory += boundary - (uintptr_t)memory % boundary;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= LARGE_PAGE)
        (void)madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return memory;
}

/* ---- the table ---- */

bool wl_lines_make(wl_lines *l, int64_t count, wl_arena *arena)
{
    uint64_t groups = 1;
    while ((int64_t)groups * GROUP_LINES < count)
        groups *= 2;
    *l = (wl_lines){.mask = groups - 1, .far = wl_lines_are_far(count)};
    l->places = wl_lines_memory(arena, (size_t)wl_lines_places(l) * sizeof *l->places);
    l->fingers = wl_lines_memory(arena, (size_t)wl_lines_places(l));
    return l->places && l->fingers;
}

void wl_lines_clear(wl_lines *l) { memset(l->fingers, 0, (size_t)wl_lines_places(l)); }

/* Lines that a group passed on. More than a byte can count are never forgotten: then searches go on
 * in vain, but find what is there. */
static void count_passed(wl_lines *l, int64_t group, int by)
{
    uint8_t *passed = (uint8_t *)&l->fingers[group + WL_PASSED];
    if (*passed < UINT8_MAX)
        *passed = (uint8_t)(*passed + by);
}

int32_t wl_lines_find_passed(const wl_lines *l, wl_key key)
{
    for (uint64_t hash = key.hash; l->fingers[wl_lines_group(l, hash) + WL_PASSED] != 0; hash++) {
        const int64_t group = wl_lines_group(l, hash + 1);
        for (uint32_t alike = wl_group_with(l, group, WL_PASSED_ON); alike; alike &= alike - 1) {
            const int64_t at = group + __builtin_ctz(alike);
            if (l->places[at].number == key.line)
                return (int32_t)at;
        }
    }
    return -1;
}

int32_t wl_lines_enter_passed(wl_lines *l, wl_key key)
{
    uint32_t empty = 0;
    uint64_t hash = key.hash;
    for (; !empty; hash++) {
        count_passed(l, wl_lines_group(l, hash), 1);
        empty = wl_group_with(l, wl_lines_group(l, hash + 1), 0);
    }
    const int64_t at = wl_lines_group(l, hash) + __builtin_ctz(empty);
    l->fingers[at] = WL_PASSED_ON;
    l->places[at].number = key.line;
    return (int32_t)at;
}

void wl_lines_leave_passed(wl_lines *l, int32_t at)
{
    const uint64_t from = wl_hash_word(l->places[at].number);
    for (uint64_t hash = from; wl_lines_group(l, hash) != at - at % WL_GROUP; hash++)
        count_passed(l, wl_lines_group(l, hash), -1);
}

/* ---- order of use ---- */

bool wl_uses_make(wl_uses *u, int64_t places, wl_arena *arena)
{
    *u = (wl_uses){.room = (uint32_t)(places * USES_PER_LINE + 63) / 64 * 64};
    u->places = wl_lines_memory(arena, u->room * sizeof *u->places);
    u->last = WL_ARENA_NEW(arena, uint64_t, u->room / 64);
    return u->places && u->last;
}

void wl_uses_clear(wl_uses *u)
{
    memset(u->last, 0, u->room / 64 * sizeof *u->last);
    u->begin = u->end = 0;
}

void wl_uses_shorten(wl_uses *u, wl_lines *l)
{
    uint32_t kept = 0;
    for (uint32_t word = u->begin / 64; word < u->room / 64; word++)
        for (uint64_t bits = u->last[word]; bits; bits &= bits - 1) {
            const int32_t at = u->places[64 * word + (uint32_t)__builtin_ctzll(bits)];
            u->places[kept] = at;
            l->places[at].used = kept++;
        }
    memset(u->last, 0, u->room / 64 * sizeof *u->last);
    memset(u->last, -1, kept / 64 * sizeof *u->last);
    u->last[kept / 64] = ((uint64_t)1 << kept % 64) - 1;
    u->begin = 0;
    u->end = kept;
}

void wl_uses_expect(const wl_uses *u, const wl_lines *l, uint32_t word)
{
    for (uint64_t bits = word + 1 < u->room / 64 ? u->last[word + 1] : 0; bits; bits &= bits - 1)
        wl_fetch_ahead(&l->fingers[u->places[64 * (word + 1) + (uint32_t)__builtin_ctzll(bits)]]);
}
