/* wrapped_text.c - see wrapped_text.h. SPDX-License-Identifier: MIT */
#include "report/wrapped_text.h"

#include <string.h>

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
        wl_buffer_add(out, "%s%.*s", column ? " " : "  ", length, word);
        column += length + (column > 0);
        word += length + (word[length] == ' ');
    }
    wl_buffer_text(out, "\n");
}
