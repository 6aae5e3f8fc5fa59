/* wrapped_text.c - see wrapped_text.h. SPDX-License-Identifier: MIT */
#include "report/common/wrapped_text.h"

#include <string.h>

#include "report/common/marks.h"

void wl_wrapped_text(const char *text, int width, wl_buffer *out)
{
    int column = 0;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (strncmp(word + length, " %", 2) == 0) /* "38 %" stays together */
            length += 1 + (int)strcspn(word + length + 1, " ");
        if (column > 0 && column + 1 + length > width) {
            wl_buffer_text(out, "\n");
            column = 0;
        }
        if (column == 0)
            wl_mark_line(out, 2); /* for a narrower terminal */
        wl_buffer_add(out, "%s%.*s", column ? " " : "  ", length, word);
        column += length + (column > 0);
        word += length + (word[length] == ' ');
    }
    wl_buffer_text(out, "\n");
}

/* The distance to the next blank at which a line may end: a number and its unit stay together. */
static size_t piece_length(const char *text)
{
    size_t length = strcspn(text, " ");
    while (text[length] == ' ' && length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9' &&
           ((text[length + 1] >= 'A' && text[length + 1] <= 'Z') || text[length + 1] == '%'))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

void wl_hanging_text(const char *head, const char *text, size_t width, wl_buffer *out)
{
    const size_t indent = strlen(head);
    size_t column = indent;
    wl_buffer_text(out, head);
    for (const char *word = text; *word;) {
        const size_t length = piece_length(word);
        if (column > indent && column + 1 + length > width) {
            wl_buffer_add(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        wl_buffer_add(out, "%s%.*s", column > indent ? " " : "", (int)length, word);
        column += length + (column > indent);
        word += length + (word[length] == ' ');
    }
    wl_buffer_text(out, "\n");
}
