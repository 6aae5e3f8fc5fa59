/* diag.c - see diag.h. The only file that prints errors. SPDX-License-Identifier: MIT */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

#define INPUTS_MAX 256
#define LINE_MAX_SHOWN 160 /* columns; stored predictions are lines of thousands */

static struct {
    const char *input, *text;
} inputs[INPUTS_MAX];
static size_t input_count;

void diag_remember(const char *input, const char *text)
{
    for (size_t i = 0; i < input_count; i++) {
        if (strcmp(inputs[i].input, input) == 0) {
            inputs[i].text = text;
            return;
        }
    }
    if (input_count < INPUTS_MAX) {
        inputs[input_count].input = input;
        inputs[input_count++].text = text;
    }
}

void diag_forget(void) { input_count = 0; }

static bool quiet;
void diag_be_quiet(void) { quiet = true; }
bool diag_is_quiet(void) { return quiet; }

void usage_error(const char *format, ...)
{
    va_list args;
    if (quiet && strncmp(format, "note: ", strlen("note: ")) == 0)
        return;
    va_start(args, format);
    fputs("warpline: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

const char *did_you_mean(const char *word, const char *const *names, size_t count)
{
    static char text[96];
    const char *near = wl_nearest_name(word, names, count);
    text[0] = '\0';
    if (near)
        (void)snprintf(text, sizeof text, "; did you mean '%s'?", near);
    return text;
}

void diag_quote(const char *text)
{
    const size_t length = strlen(text);
    fputs(text, stderr);
    if (length > 0 && text[length - 1] != '\n')
        fputc('\n', stderr);
}

/* The line, or of a long one the piece around the place, and carets under columns col .. col+len-1. */
static void show_line(const char *text, wl_loc loc)
{
    for (int32_t line = 1; line < loc.line; line++) {
        text = strchr(text, '\n');
        if (!text)
            return;
        text++;
    }
    const int length = (int)strcspn(text, "\r\n");
    const int first = length > LINE_MAX_SHOWN && loc.col > LINE_MAX_SHOWN / 2 ? loc.col - LINE_MAX_SHOWN / 2 : 0;
    const int width = first < length ? length - first : 0, shown = width < LINE_MAX_SHOWN ? width : LINE_MAX_SHOWN;
    text += first < length ? first : length;
    loc.col -= first;
    fputs("    ", stderr);
    for (int i = 0; i < shown; i++)
        fputc(((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 127 ? '?' : text[i], stderr);
    fputs("\n    ", stderr);
    for (int i = 1; i < loc.col && i <= shown; i++)
        fputc(text[i - 1] == '\t' ? '\t' : ' ', stderr);
    fputc('^', stderr);
    for (int i = 1; i < loc.len && loc.col + i <= shown; i++)
        fputc('~', stderr);
    fputc('\n', stderr);
}

void option_error(const char *option, const char *value, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:1:%d: error: ", option, column);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    show_line(value, (wl_loc){1, column, 1});
}

static int exit_code(wl_status status)
{
    switch (status) {
    case WL_OK: return EXIT_OK;
    case WL_E_INPUT:
    case WL_E_RANGE:
    case WL_E_BOUNDS:
    case WL_E_IO: return EXIT_INPUT;
    case WL_E_UNSUPPORTED:
    case WL_E_LIMIT: return EXIT_UNSUPPORTED;
    case WL_E_NOMEM: return EXIT_INTERNAL;
    }
    return EXIT_INTERNAL;
}

int diag_report(const wl_error *err)
{
    if (err->loc.line > 0) {
        fprintf(stderr, "%s:%d:%d: error: %s\n", err->input, (int)err->loc.line, (int)err->loc.col, err->message);
        for (size_t i = 0; i < input_count; i++)
            if (strncmp(inputs[i].input, err->input, sizeof err->input - 1) ==
                0) /* an error keeps the start of a long name */
                show_line(inputs[i].text, err->loc);
    } else {
        fprintf(stderr, "warpline: error: %s%s%s\n", err->input, err->input[0] ? ": " : "", err->message);
    }
    return exit_code(err->code);
}
