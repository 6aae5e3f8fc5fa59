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

#include "warpline/status.h"

typedef struct wl_buffer {
    char *text; /* ends in a 0; NULL: nothing was appended */
    size_t length, capacity;
    bool failed;
    bool marked; /* of report/marks.h: marks are wanted, too */
} wl_buffer;

void wl_buffer_add(wl_buffer *buffer, const char *format, ...) WL_PRINTF(2, 3);
void wl_buffer_add_list(wl_buffer *buffer, const char *format, va_list args) WL_PRINTF(2, 0);
void wl_buffer_put(wl_buffer *buffer, const char *text, size_t length);
void wl_buffer_text(wl_buffer *buffer, const char *text);
/* Room for `most` more bytes, of which the caller writes some and says how many; NULL: there is none. */
char *wl_buffer_room(wl_buffer *buffer, size_t most);
void wl_buffer_wrote(wl_buffer *buffer, size_t length);
void wl_buffer_repeat(wl_buffer *buffer, const char *piece, int times);
/* Hands the text to the caller. */
wl_status wl_buffer_take(wl_buffer *buffer, char **out, wl_error *err);
/* Frees the text instead. */
void wl_buffer_drop(wl_buffer *buffer);

#endif /* WL_BASE_BUFFER_H */
