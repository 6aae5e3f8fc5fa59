/* arena.h - memory that is freed all at once. Each parsed object owns one arena; single nodes are
 * never freed. Memory is zeroed and aligned for any type.
 *
 * Layer  base. Oracle: tests/unit/test_arena.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_ARENA_H
#define WL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wl_arena_chunk wl_arena_chunk;
typedef struct wl_arena {
    wl_arena_chunk *chunks;
} wl_arena;

/* NULL: out of memory. */
void *wl_arena_alloc(wl_arena *arena, size_t count, size_t size);
char *wl_arena_text(wl_arena *arena, const char *text, size_t length);
/* Makes room for one more item in an array of the arena, which may move; `room` (size_t) says for
 * how many there is. False: out of memory. */
#define WL_ARENA_ROOM(arena, array, count, room)                                                                       \
    ((size_t)(count) < (room) || wl_arena_room((arena), (void *)&(array), (size_t)(count), sizeof *(array), &(room)))
bool wl_arena_room(wl_arena *arena, void *array, size_t count, size_t size, size_t *room);
/* Frees all objects but keeps the memory for the next round. */
void wl_arena_reset(wl_arena *arena);
void wl_arena_free(wl_arena *arena);

#define WL_ARENA_NEW(arena, type, count) ((type *)wl_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif /* WL_BASE_ARENA_H */
