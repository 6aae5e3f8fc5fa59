/* marks.c - see marks.h. SPDX-License-Identifier: MIT */
#include "report/common/marks.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/print.h"

wl_buffer wl_text_buffer(wl_format format) { return (wl_buffer){.marked = format == WL_FORMAT_MARKED}; }

void wl_mark_add(wl_buffer *out, wl_text_mark mark)
{
    const char byte = (char)mark;
    if (out->marked)
        wl_buffer_put(out, &byte, 1);
}

static void line_mark(wl_buffer *out, wl_text_mark mark, int indent)
{
    const char bytes[] = {(char)mark, (char)(' ' + indent)};
    if (out->marked)
        wl_buffer_put(out, bytes, sizeof bytes);
}

void wl_mark_line(wl_buffer *out, int indent) { line_mark(out, WL_MARK_LINE, indent); }
void wl_mark_row(wl_buffer *out, int indent) { line_mark(out, WL_MARK_ROW, indent); }

void wl_line(wl_buffer *out, int indent, const char *format, ...)
{
    va_list args;
    wl_mark_line(out, indent);
    va_start(args, format);
    wl_buffer_add_list(out, format, args);
    va_end(args);
}

void wl_note_line(wl_buffer *out, const char *lead, const char *format, ...)
{
    va_list args;
    line_mark(out, WL_MARK_NOTE, (int)(strlen(lead) + strlen("note: ")));
    wl_buffer_add(out, "%snote: ", lead);
    va_start(args, format);
    wl_buffer_add_list(out, format, args);
    va_end(args);
    wl_buffer_text(out, "\n");
}

void wl_note_lines(wl_buffer *out, const char *lead, const char *first, size_t size, int count)
{
    for (int i = 0; i < count; i++)
        wl_note_line(out, lead, "%s", first + (size_t)i * size);
}

void wl_note_start(wl_buffer *out) { line_mark(out, WL_MARK_NOTE, (int)strlen("note: ")); }

void wl_note_gap(wl_buffer *out)
{
    line_mark(out, WL_MARK_NOTE, 0);
    wl_buffer_text(out, "\n");
}

void wl_mark_wide(wl_buffer *out, const char *format, ...)
{
    va_list args;
    wl_mark_add(out, WL_MARK_WIDE);
    va_start(args, format);
    wl_buffer_add_list(out, format, args);
    va_end(args);
    wl_mark_add(out, WL_MARK_WIDE);
}

void wl_mark_if(wl_buffer *out, bool condition, wl_text_mark mark)
{
    if (condition)
        wl_mark_add(out, mark);
}

void wl_cells(wl_buffer *out, const wl_cell_place *places, size_t count, const char *const *cells)
{
    bool wide = false;
    for (size_t i = 0; i < count; wide = places[i++].wide) {
        wl_mark_if(out, places[i].wide != wide, WL_MARK_WIDE);
        wl_buffer_add(out, " %*s", places[i].width, cells[i]);
    }
    wl_mark_if(out, wide, WL_MARK_WIDE);
}

wl_short wl_cell_number(const char *format, double value)
{
    return isnan(value) ? wl_short_of("-") : wl_short_of(format, value);
}

void wl_headline(wl_buffer *out, const char *format, ...)
{
    va_list args;
    wl_mark_add(out, WL_MARK_HEADLINE);
    va_start(args, format);
    wl_buffer_add_list(out, format, args);
    va_end(args);
    wl_mark_add(out, WL_MARK_END);
}

void wl_mark_text(wl_buffer *out, wl_text_mark mark, const char *text)
{
    wl_mark_add(out, mark);
    wl_buffer_text(out, text);
    wl_mark_add(out, WL_MARK_END);
}
