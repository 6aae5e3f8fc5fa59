/* wrap.c - see wrap.h. SPDX-License-Identifier: MIT */
#include "wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_LEAST 40 /* a narrower terminal breaks lines itself */
#define COLUMNS_FILE 100 /* files and pipes: editors and mails show so many columns in one line */

static bool has_size(int descriptor, struct winsize *size)
{
    return isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, size) == 0 && size->ws_col > 0;
}

int wrap_columns(void) { return wrap_columns_of(STDOUT_FILENO); }

int wrap_columns_of(int descriptor)
{
    const char *told = getenv("COLUMNS");
    struct winsize size = {0};
    long columns = told ? strtol(told, NULL, 10) : 0;
    if (columns <= 0)
        columns = has_size(descriptor, &size) ? size.ws_col : COLUMNS_FILE;
    return columns >= COLUMNS_LEAST && columns < 10000 ? (int)columns : 0;
}

bool wrap_is_terminal(int descriptor)
{
    struct winsize size = {0};
    return has_size(descriptor, &size);
}

int wrap_terminal_columns(void) { return wrap_is_terminal(STDOUT_FILENO) ? wrap_columns() : 0; }

/* How much of the text fits: up to a blank, or a word that is too long for any line. */
static int fitting(const char *text, int room)
{
    const int length = (int)strlen(text);
    int end = room < length ? room : length;
    while (end < length && end > 0 && text[end] != ' ')
        end--;
    return end > 0 ? end : (int)strcspn(text, " ");
}

void wrap_print(const char *line, int used, int indent, int columns)
{
    while (columns > 0 && used + (int)strlen(line) > columns) {
        const int n = fitting(line, columns - used);
        printf("%.*s\n", n, line);
        line += n + (int)strspn(line + n, " ");
        if (*line == '\0')
            return;
        printf("%*s", indent, "");
        used = indent;
    }
    printf("%s\n", line);
}
