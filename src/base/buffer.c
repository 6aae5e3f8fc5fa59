/* buffer.c - see buffer.h. SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"

static bool make_room(wl_buffer *b, size_t more)
{
    if (b->failed)
        return false;
    if (b->length + more + 1 <= b->capacity)
        return true;
    const size_t capacity = 2 * (b->length + more + 1);
    char *text = realloc(b->text, capacity);
    if (!text) {
        b->failed = true;
        return false;
    }
    b->text = text;
    b->capacity = capacity;
    return true;
}

void wl_buffer_add(wl_buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wl_buffer_add_list(b, format, args);
    va_end(args);
}

void wl_buffer_add_list(wl_buffer *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = wl_print_list(NULL, 0, format, args);
    if (n < 0)
        b->failed = true;
    if (n > 0 && make_room(b, (size_t)n)) {
        if (wl_print_list(b->text + b->length, (size_t)n + 1, format, again) == n)
            b->length += (size_t)n;
        else
            b->failed = true;
    }
    va_end(again);
}

void wl_buffer_put(wl_buffer *b, const char *text, size_t length)
{
    if (length == 0 || !make_room(b, length))
        return;
    memcpy(b->text + b->length, text, length);
    b->length += length;
    b->text[b->length] = '\0';
}

char *wl_buffer_room(wl_buffer *b, size_t most) { return make_room(b, most) ? b->text + b->length : NULL; }

void wl_buffer_wrote(wl_buffer *b, size_t length)
{
    b->length += length;
    b->text[b->length] = '\0';
}

void wl_buffer_text(wl_buffer *b, const char *text) { wl_buffer_put(b, text, strlen(text)); }

void wl_buffer_repeat(wl_buffer *b, const char *piece, int times)
{
    for (int i = 0; i < times; i++)
        wl_buffer_text(b, piece);
}

void wl_buffer_drop(wl_buffer *b)
{
    free(b->text);
    *b = (wl_buffer){0};
}

wl_status wl_buffer_take(wl_buffer *b, char **out, wl_error *err)
{
    if (!make_room(b, 0)) {
        wl_buffer_drop(b);
        return wl_fail_memory(err);
    }
    b->text[b->length] = '\0';
    *out = b->text;
    *b = (wl_buffer){0};
    return WL_OK;
}
