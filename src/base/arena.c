/* arena.c - see arena.h. Chunks double in size. Under AddressSanitizer every object is its own
 * chunk, so that an overrun is caught at the object's edge.
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define CHUNK_BYTES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_BYTES 0
#endif
#endif
#ifndef CHUNK_BYTES
#define CHUNK_BYTES 8192
#endif

#define FIRST_ITEMS 64 /* of an array that grows */

struct wl_arena_chunk {
    wl_arena_chunk *next;
    size_t used, size;
    bool dirty; /* used before: zero it again */
    max_align_t data[];
};

static size_t align_up(size_t bytes)
{
    const size_t unit = sizeof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

void *wl_arena_alloc(wl_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    const size_t bytes = align_up(count * size > 0 ? count * size : 1);
    wl_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        const size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = calloc(1, sizeof *chunk + room);
        if (!chunk)
            return NULL;
        chunk->size = room;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *p = (char *)chunk->data + chunk->used;
    if (chunk->dirty)
        memset(p, 0, bytes);
    chunk->used += bytes;
    return p;
}

char *wl_arena_text(wl_arena *arena, const char *text, size_t length)
{
    char *copy = wl_arena_alloc(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

bool wl_arena_room(wl_arena *arena, void *array, size_t count, size_t size, size_t *room)
{
    void *items; /* POSIX: all pointers to objects look alike */
    const size_t larger = *room ? 2 * *room : FIRST_ITEMS;
    void *copy = wl_arena_alloc(arena, larger, size);
    if (!copy)
        return false;
    memcpy(&items, array, sizeof items);
    if (count > 0)
        memcpy(copy, items, count * size);
    memcpy(array, &copy, sizeof copy);
    *room = larger;
    return true;
}

/* Keeps one chunk that is large enough for all of the last round, so later rounds allocate
 * nothing. */
void wl_arena_reset(wl_arena *arena)
{
    size_t total = 0;
    if (!arena->chunks)
        return;
    for (const wl_arena_chunk *c = arena->chunks; c; c = c->next)
        total += c->size;
    if (arena->chunks->next || CHUNK_BYTES == 0) {
        wl_arena_free(arena);
        if (CHUNK_BYTES == 0)
            return;
        wl_arena_chunk *chunk = calloc(1, sizeof *chunk + total);
        if (!chunk)
            return;
        chunk->size = total;
        arena->chunks = chunk;
        return;
    }
    arena->chunks->used = 0;
    arena->chunks->dirty = true;
}

void wl_arena_free(wl_arena *arena)
{
    for (wl_arena_chunk *chunk = arena->chunks; chunk;) {
        wl_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
}
