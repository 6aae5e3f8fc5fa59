/* arena.h - memory that is freed all at once. One arena per parsed object, owned by it; nodes are never
 * freed singly. Memory comes zeroed and aligned for any type. SPDX-License-Identifier: MIT */
#ifndef WL_BASE_ARENA_H
#define WL_BASE_ARENA_H

#include <stddef.h>

typedef struct wl_arena_chunk wl_arena_chunk;
typedef struct wl_arena {
    wl_arena_chunk *chunks;
} wl_arena;

/* NULL when memory is short. */
void *wl_arena_alloc(wl_arena *arena, size_t count, size_t size);
char *wl_arena_text(wl_arena *arena, const char *text, size_t length);
/* Takes everything back but keeps the memory for the next round. */
void wl_arena_reset(wl_arena *arena);
void wl_arena_free(wl_arena *arena);

#define WL_ARENA_NEW(arena, type, count) ((type *)wl_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif /* WL_BASE_ARENA_H */
