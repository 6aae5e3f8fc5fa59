/* diag.c - see diag.h. The only file that prints errors. SPDX-License-Identifier: MIT */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "look.h"
#include "options.h"

#define INPUTS_MAX 256
#define LINE_MAX_SHOWN 160 /* columns: stored predictions can be lines of thousands */

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

void diag_forget_text(const char *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < input_count; i++)
        if (inputs[i].text != text)
            inputs[kept++] = inputs[i];
    input_count = kept;
}

void diag_forget(void) { input_count = 0; }

static bool quiet;
void diag_be_quiet(void) { quiet = true; }
bool diag_is_quiet(void) { return quiet; }

static void put_styled(look_style style, const char *text, size_t length)
{
    fputs(look_code(style, stderr), stderr);
    fwrite(text, 1, length, stderr);
    fputs(look_code(LOOK_PLAIN, stderr), stderr);
}

/* The length of the kind that starts a message: "error:", "warning:" or "note:". */
static size_t kind_of(const char *message, look_style *style)
{
    static const struct {
        const char *word;
        look_style style;
    } kinds[] = {{"error:", LOOK_ALARM}, {"warning:", LOOK_ALARM}, {"note:", LOOK_NOTE}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t length = strlen(kinds[i].word);
        *style = kinds[i].style;
        if (strncmp(message, kinds[i].word, length) == 0)
            return length;
    }
    return 0;
}

#define NAME "warpline:"
#define NOTE_INDENT 10

/* Wraps notes to the terminal, but not errors, so that programs find each in one line. */
static void put_message(const char *text)
{
    look_style style;
    const size_t kind = kind_of(text, &style);
    put_styled(kind ? LOOK_STRONG : LOOK_ALARM, NAME, strlen(NAME));
    fputc(' ', stderr);
    if (kind)
        put_styled(style, text, kind);
    if (kind && style == LOOK_NOTE)
        look_print_note(text + kind, (int)(strlen(NAME " ") + kind), NOTE_INDENT, stderr);
    else
        fputs(text + kind, stderr);
}

#define MESSAGE_MAX 1024 /* bytes that are styled; a longer one is printed as it is */

void usage_no_device(void) { usage_error("which device? Give --device NAME ('warpline devices' lists them)"); }

void usage_error(const char *format, ...)
{
    char text[MESSAGE_MAX];
    va_list args, again;
    if (quiet && strncmp(format, "note: ", strlen("note: ")) == 0)
        return;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(text, sizeof text, format, args);
    if (length >= 0 && (size_t)length < sizeof text) {
        put_message(text);
    } else {
        fputs(NAME " ", stderr);
        vfprintf(stderr, format, again);
    }
    fputc('\n', stderr);
    va_end(again);
    va_end(args);
}

static void put_place(const char *input, int line, int column)
{
    char place[64];
    const int length = snprintf(place, sizeof place, ":%d:%d:", line, column);
    put_styled(LOOK_STRONG, input, strlen(input));
    put_styled(LOOK_STRONG, place, (size_t)length);
    fputc(' ', stderr);
    put_styled(LOOK_ALARM, "error:", strlen("error:"));
    fputc(' ', stderr);
}

const char *did_you_mean(const char *word, const char *const *names, size_t count)
{
    static _Thread_local char text[96];
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

/* The line, or the part of a long line around the position, and carets under columns col ..
 * col+len-1. */
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
    fputs(look_code(LOOK_ALARM, stderr), stderr);
    fputc('^', stderr);
    for (int i = 1; i < loc.len && loc.col + i <= shown; i++)
        fputc('~', stderr);
    fputs(look_code(LOOK_PLAIN, stderr), stderr);
    fputc('\n', stderr);
}

void option_error(const char *option, const char *value, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_place(option, 1, column);
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

static char hint[MESSAGE_MAX];

void diag_hint(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(hint, sizeof hint, format, args);
    va_end(args);
}

/* In one line, so that it can be copied. */
static void show_hint(void)
{
    if (hint[0] && !quiet) {
        put_styled(LOOK_STRONG, NAME, strlen(NAME));
        fputc(' ', stderr);
        put_styled(LOOK_NOTE, "note:", strlen("note:"));
        fprintf(stderr, " %s\n", hint);
    }
    hint[0] = '\0';
}

int diag_report(const wl_error *err)
{
    if (strcmp(err->input, "--incomplete") == 0)
        diag_hint("an incomplete prediction is not compared with others; --incomplete allow compares it all the same");
    if (err->loc.line > 0) {
        put_place(err->input, (int)err->loc.line, (int)err->loc.col);
        fprintf(stderr, "%s\n", err->message);
        for (size_t i = 0; i < input_count; i++)
            if (strncmp(inputs[i].input, err->input, sizeof err->input - 1) ==
                0) /* errors store only the start of a long name */
                show_line(inputs[i].text, err->loc);
    } else {
        put_message("error:");
        fprintf(stderr, " %s%s%s\n", err->input, err->input[0] ? ": " : "", err->message);
    }
    show_hint();
    return exit_code(err->code);
}

void diag_say_set(wl_error *err)
{
    static const char start[] = "an expression knows no '";
    const size_t used = strlen(err->message);
    if (strncmp(err->message, start, strlen(start)) != 0)
        return;
    char name[40];
    (void)snprintf(name, sizeof name, "%s", err->message + strlen(start));
    name[strcspn(name, "'")] = '\0';
    if (strchr(name, '.')) /* names of --set have no dots, unlike "block.w" */
        return;
    (void)snprintf(err->message + used, sizeof err->message - used, " (--set %s=NUMBER gives it a value)", name);
}
