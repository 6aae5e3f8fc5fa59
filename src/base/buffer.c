/* buffer.c - see buffer.h. SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/print.h"

bool wl_buffer_grow(wl_buffer *b, size_t more)
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
    char *to = n > 0 ? wl_buffer_room(b, (size_t)n) : NULL;
    if (to) {
        if (wl_print_list(to, (size_t)n + 1, format, again) == n)
            b->length += (size_t)n;
        else
            b->failed = true;
    }
    va_end(again);
}

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

void wl_buffer_drop_part(wl_buffer *part, wl_buffer *whole)
{
    whole->failed = whole->failed || part->failed;
    wl_buffer_drop(part);
}

wl_status wl_buffer_take(wl_buffer *b, char **out, wl_error *err)
{
    if (!wl_buffer_grow(b, 0)) {
        wl_buffer_drop(b);
        return wl_fail_memory(err);
    }
    b->text[b->length] = '\0';
    *out = b->text;
    *b = (wl_buffer){0};
    return WL_OK;
}
