/* buffer.h - a string that grows. The first failed allocation is remembered and reported by
 * wl_buffer_take, so appending needs no check.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_BUFFER_H
#define WL_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "warpline/status.h"

typedef struct wl_buffer {
    char *text; /* ends in a 0; NULL: nothing was appended */
    size_t length, capacity;
    bool failed;
    bool marked; /* of report/common/marks.h: marks are wanted, too */
} wl_buffer;

void wl_buffer_add(wl_buffer *buffer, const char *format, ...) WL_PRINTF(2, 3);
void wl_buffer_add_list(wl_buffer *buffer, const char *format, va_list args) WL_PRINTF(2, 0);
/* Reserves `most` bytes at the end; the caller writes some of them and says how many. NULL: out of
 * memory. */
static inline char *wl_buffer_room(wl_buffer *buffer, size_t most);
static inline void wl_buffer_wrote(wl_buffer *buffer, size_t length);
static inline void wl_buffer_put(wl_buffer *buffer, const char *text, size_t length);
static inline void wl_buffer_text(wl_buffer *buffer, const char *text);
void wl_buffer_repeat(wl_buffer *buffer, const char *piece, int times);
/* Hands the text to the caller. */
wl_status wl_buffer_take(wl_buffer *buffer, char **out, wl_error *err);
/* Frees the text instead. */
void wl_buffer_drop(wl_buffer *buffer);
/* Likewise, if the text was a part of what `whole` holds: that it failed is not forgotten. */
void wl_buffer_drop_part(wl_buffer *part, wl_buffer *whole);
/* The text so far; "" if there is none. */
static inline const char *wl_buffer_string(const wl_buffer *buffer) { return buffer->text ? buffer->text : ""; }

/* ---- inline, because texts consist of many small pieces ---- */

/* False: out of memory, now or before. */
bool wl_buffer_grow(wl_buffer *buffer, size_t more);

static inline char *wl_buffer_room(wl_buffer *buffer, size_t most)
{
    const bool fits = !buffer->failed && buffer->length + most + 1 <= buffer->capacity;
    return fits || wl_buffer_grow(buffer, most) ? buffer->text + buffer->length : NULL;
}

static inline void wl_buffer_wrote(wl_buffer *buffer, size_t length)
{
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

static inline void wl_buffer_put(wl_buffer *buffer, const char *text, size_t length)
{
    char *to = length > 0 ? wl_buffer_room(buffer, length) : NULL;
    if (!to)
        return;
    memcpy(to, text, length);
    wl_buffer_wrote(buffer, length);
}

static inline void wl_buffer_text(wl_buffer *buffer, const char *text) { wl_buffer_put(buffer, text, strlen(text)); }

#endif /* WL_BASE_BUFFER_H */
