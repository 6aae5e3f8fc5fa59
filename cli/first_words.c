/* first_words.c - see first_words.h. SPDX-License-Identifier: MIT */
#include "first_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 100

typedef enum layout { WRAPPED, ONE_PER_LINE, ONE_LINE } layout;

/* A text that grows; NULL text after a failure. */
typedef struct growing {
    char *text;
    size_t length, room;
    size_t column;
    layout layout;
} growing;

static void put(growing *g, const char *text, size_t length)
{
    if (!g->text)
        return;
    if (g->length + length + 1 > g->room) {
        g->room = 2 * (g->length + length + 1);
        char *larger = realloc(g->text, g->room);
        if (!larger)
            free(g->text);
        g->text = larger;
        if (!larger)
            return;
    }
    memcpy(g->text + g->length, text, length);
    g->length += length;
    g->text[g->length] = '\0';
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_./:=,+%@-", c);
}

static bool needs_quotes(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!is_plain(*c))
            return true;
    return !*word;
}

static size_t quoted_length(const char *word) { return word ? strlen(word) + (needs_quotes(word) ? 2 : 0) + 1 : 0; }

static void put_word(growing *g, const char *word)
{
    const bool quotes = needs_quotes(word);
    put(g, "'", quotes);
    for (const char *c = word; *c; c++) {
        if (*c == '\'') /* as shells and @FILE both read it */
            put(g, "'\"'\"'", 5);
        else
            put(g, c, 1);
    }
    put(g, "'", quotes);
}

/* An option with its value (NULL: a word alone), on a new line where it does not fit. */
static void put_option(growing *g, const char *option, const char *value)
{
    const size_t length = strlen(option) + quoted_length(value) + 1;
    if (g->length > 0 && g->layout == ONE_PER_LINE) {
        put(g, "\n", 1);
    } else if (g->length > 0 && g->layout == WRAPPED && g->column + length + 2 > COLUMNS) {
        put(g, " \\\n ", 4);
        g->column = 1;
    }
    if (g->length > 0 && g->layout != ONE_PER_LINE)
        put(g, " ", 1);
    put(g, option, strlen(option));
    if (value) {
        put(g, " ", 1);
        put_word(g, value);
    }
    g->column += length;
}

static growing start(layout how)
{
    growing g = {.text = malloc(256), .room = 256, .layout = how};
    if (g.text)
        g.text[0] = '\0';
    return g;
}

static void put_each(growing *g, const char *option, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_option(g, option, values[i]);
}

static void put_if(growing *g, const char *option, const char *value)
{
    if (value)
        put_option(g, option, value);
}

static void put_arguments(growing *g, const wl_first_launch *launch)
{
    for (size_t i = 0; launch->sets[i]; i++)
        put_option(g, "--set", launch->sets[i]);
    for (size_t i = 0; launch->args[i]; i++)
        put_option(g, "--arg", launch->args[i]);
}

static void put_all(growing *g, const options *o, const char *device, const char *entry, const wl_first_launch *launch)
{
    put_if(g, "--kernel", entry);
    put_option(g, "--device", device);
    put_each(g, "--with", o->with, o->with_count);
    put_option(g, "--block", launch->block);
    put_option(g, "--grid", launch->grid);
    put_if(g, "--dynamic-shared", launch->shared);
    put_if(g, "--compiler", o->compiler);
    put_if(g, "--arch", o->arch);
    put_if(g, "--module", o->module);
    put_each(g, "--define", o->defines, o->define_count);
    put_each(g, "--include", o->includes, o->include_count);
    for (size_t i = 0; i < o->compiler_option_count; i++) /* they begin with '-' */
        put_option(g, "--compiler-option", o->compiler_options[i]);
    put_arguments(g, launch);
}

char *first_words_command(const options *o, const char *device, const char *entry, const wl_first_launch *launch)
{
    growing g = start(WRAPPED);
    put_option(&g, "warpline predict", o->arguments[0]);
    put_all(&g, o, device, entry, launch);
    return g.text;
}

char *first_words_file(const options *o, const char *device, const char *entry, const wl_first_launch *launch)
{
    growing g = start(ONE_PER_LINE);
    put_word(&g, o->arguments[0]);
    put_all(&g, o, device, entry, launch);
    return g.text;
}

char *first_words_arguments(const wl_first_launch *launch)
{
    growing g = start(ONE_LINE);
    put_arguments(&g, launch);
    return g.text;
}
