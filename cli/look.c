/* look.c - see look.h. Few parts have a style, and none uses red or green for bad or good. Blue and
 * orange of the 256-colour palette are readable on light and dark backgrounds; bold is the
 * terminal's own. SPDX-License-Identifier: MIT */
#include "look.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "warpline/predict.h"
#include "wrap.h"

static enum { AUTO, ALWAYS, NEVER } colour = AUTO;

void look_set_colour(const char *when)
{
    colour = strcmp(when, "always") == 0 ? ALWAYS : strcmp(when, "never") == 0 ? NEVER : AUTO;
}

/* -1: neither. */
static int descriptor_of(const FILE *file)
{
    return file == stdout ? STDOUT_FILENO : file == stderr ? STDERR_FILENO : -1;
}

static bool is_terminal(const FILE *file)
{
    const int fd = descriptor_of(file);
    return fd >= 0 && wrap_is_terminal(fd);
}

bool look_has_colour(const FILE *file)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (colour != AUTO || descriptor_of(file) < 0)
        return colour == ALWAYS && descriptor_of(file) >= 0;
    return !(no && *no) && term && *term && strcmp(term, "dumb") != 0 && is_terminal(file);
}

const char *look_code(look_style style, const FILE *file)
{
    static const char *const codes[] = {
        [LOOK_PLAIN] = "\033[0m",        [LOOK_STRONG] = "\033[1m",         [LOOK_LIMIT] = "\033[38;5;166m",
        [LOOK_BEST] = "\033[1;38;5;33m", [LOOK_ALARM] = "\033[1;38;5;166m", [LOOK_NOTE] = "\033[38;5;33m",
    };
    return look_has_colour(file) ? codes[style] : "";
}

/* ---- marked text ---- */

static bool is_mark(char byte) { return (byte >= WL_MARK_END && byte <= WL_MARK_WIDE) || byte == WL_MARK_ROW; }
static bool starts_line(char byte) { return byte == WL_MARK_LINE || byte == WL_MARK_NOTE || byte == WL_MARK_ROW; }

static look_style style_of(char mark)
{
    static const look_style styles[] = {[WL_MARK_END] = LOOK_PLAIN,
                                        [WL_MARK_HEADLINE] = LOOK_STRONG,
                                        [WL_MARK_LIMITER] = LOOK_LIMIT,
                                        [WL_MARK_BEST] = LOOK_BEST,
                                        [WL_MARK_FAILURE] = LOOK_ALARM};
    return styles[(int)mark];
}

/* Where text is printed; properties of the terminal are queried once. Messages on standard error
 * that go to a file or a pipe stay one line each, so that they can be searched. */
typedef struct page {
    FILE *file;
    bool coloured;
    int columns;   /* to which lines may be wrapped; 0: any number */
    bool narrowed; /* tables are made to fit a terminal; never in files and pipes */
} page;

static page page_of(FILE *file)
{
    const bool terminal = is_terminal(file);
    return (page){.file = file,
                  .coloured = look_has_colour(file),
                  .columns = terminal || file != stderr ? wrap_columns_of(descriptor_of(file)) : 0,
                  .narrowed = terminal};
}

static void put(const page *p, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t plain = 0;
        while (i + plain < length && !is_mark(text[i + plain]))
            plain++;
        fwrite(text + i, 1, plain, p->file);
        i += plain;
        if (i < length && starts_line(text[i]))
            i++; /* its indentation */
        else if (i < length && p->coloured && text[i] != WL_MARK_WIDE)
            fputs(look_code(style_of(text[i]), p->file), p->file);
    }
}

/* Visible characters; of a multibyte character, only the first byte counts. */
static int width_of(const char *text, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; i++)
        width += !is_mark(text[i]) && ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static size_t blanks_at(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && text[n] == ' ')
        n++;
    return n;
}

/* Up to the next blank at which a line may end: "38 %" stays together. */
static size_t word_at(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (text[n] != ' ' || (n + 1 < length && text[n + 1] == '%')))
        n++;
    return n;
}

/* From this column on. */
static void put_wrapped(const page *p, const char *text, size_t length, int column, int indent)
{
    for (size_t i = 0; i < length;) {
        const size_t blanks = blanks_at(text + i, length - i), word = word_at(text + i + blanks, length - i - blanks);
        const int width = width_of(text + i + blanks, word);
        if ((i > 0 || column > indent) && column + (int)blanks + width > p->columns) {
            fprintf(p->file, "\n%*s", indent, "");
            column = indent + width;
            put(p, text + i + blanks, word);
        } else {
            put(p, text + i, blanks + word);
            column += (int)blanks + width;
        }
        i += blanks + word;
    }
}

static void put_line(const page *p, const char *text, size_t length, int column, int indent)
{
    if (p->columns > indent)
        put_wrapped(p, text, length, column, indent);
    else
        put(p, text, length);
}

/* "note:" has a style of its own; the rest is plain. */
static void put_note(const page *p, const char *text, size_t length, int indent)
{
    const char *colon = memchr(text, ':', length);
    const size_t blanks = blanks_at(text, length), head = colon ? (size_t)(colon + 1 - text) : 0;
    if (head > 0) {
        put(p, text, blanks);
        fputs(p->coloured ? look_code(LOOK_NOTE, p->file) : "", p->file);
        put(p, text + blanks, head - blanks);
        fputs(p->coloured ? look_code(LOOK_PLAIN, p->file) : "", p->file);
    }
    put_line(p, text + head, length - head, (int)head, indent);
}

void look_print_note(const char *text, int column, int indent, FILE *file)
{
    const page p = page_of(file);
    put_line(&p, text, strlen(text), column, indent);
}

static void put_any(const page *p, const char *text, size_t length)
{
    const int indent = length >= 2 && starts_line(text[0]) ? text[1] - ' ' : 0;
    if (length < 2 || !starts_line(text[0]))
        put(p, text, length);
    else if (text[0] == WL_MARK_NOTE)
        put_note(p, text + 2, length - 2, indent);
    else if (text[0] == WL_MARK_ROW && !p->narrowed)
        put(p, text + 2, length - 2);
    else
        put_line(p, text + 2, length - 2, 0, indent);
}

/* ---- tables that are wider than the terminal ---- */

static size_t line_at(const char *text, size_t length)
{
    const char *stop = memchr(text, '\n', length);
    return stop ? (size_t)(stop - text) : length;
}

/* The visible width of a line, including the mark that begins it. */
static int line_width(const char *text, size_t length)
{
    const size_t head = length >= 2 && starts_line(text[0]) ? 2 : 0;
    return width_of(text + head, length - head);
}

/* Up to the end of the next empty line: the part that is narrowed together. */
static size_t table_at(const char *text, size_t length)
{
    size_t i = 0;
    bool goes_on = true;
    while (i < length && goes_on) {
        const size_t line = line_at(text + i, length - i);
        goes_on = line_width(text + i, line) > 0;
        i += line + 1;
    }
    return i < length ? i : length;
}

/* Is a line with parts that can be left out longer than the terminal is wide? */
static bool is_too_wide(const char *text, size_t length, int columns)
{
    for (size_t i = 0; i < length;) {
        const size_t line = line_at(text + i, length - i);
        if (memchr(text + i, WL_MARK_WIDE, line) && line_width(text + i, line) > columns)
            return true;
        i += line + 1;
    }
    return false;
}

/* Removes those parts, and blanks at the end of lines; returns the remaining length. */
static size_t narrow(char *text, size_t length)
{
    bool wide = false;
    size_t left = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == WL_MARK_WIDE) {
            wide = !wide;
            continue;
        }
        while (!wide && text[i] == '\n' && left > 1 && text[left - 1] == ' ' && !starts_line(text[left - 2]))
            left--;
        if (!wide)
            text[left++] = text[i];
    }
    return left;
}

static void print_lines(const page *p, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const size_t line = line_at(text + i, length - i);
        if (text[i] != WL_MARK_NOTE || !diag_is_quiet()) {
            put_any(p, text + i, line);
            fputs(i + line < length ? "\n" : "", p->file);
        }
        i += line + 1;
    }
}

static void print_table(const page *p, const char *text, size_t length)
{
    char *copy = is_too_wide(text, length, p->columns) ? malloc(length) : NULL;
    if (!copy) { /* without memory, the table stays wide */
        print_lines(p, text, length);
        return;
    }
    memcpy(copy, text, length);
    print_lines(p, copy, narrow(copy, length));
    free(copy);
}

void look_print(const char *text, size_t length, FILE *file)
{
    const page p = page_of(file);
    if (p.columns == 0 || !p.narrowed) {
        print_lines(&p, text, length);
        return;
    }
    for (size_t i = 0; i < length;) {
        const size_t table = table_at(text + i, length - i);
        print_table(&p, text + i, table);
        i += table;
    }
}
