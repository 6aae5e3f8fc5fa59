/* complete.c - see complete.h. SPDX-License-Identifier: MIT */
#include "complete.h"

#include <stdio.h>
#include <string.h>

#include "choices.h"
#include "help_examples.h"

#define MEANING_LENGTH 72 /* characters shown beside a word */

typedef struct wanted {
    const char *whole;  /* the word typed so far */
    const char *prefix; /* its beginning, which is kept: "--device=" or "column:8," */
    size_t prefix_length;
} wanted;

/* One line, cut short after a word. */
static void print_line(const char *prefix, size_t prefix_length, const char *word, const char *meaning)
{
    size_t length = strcspn(meaning, "\n\t");
    if (length > MEANING_LENGTH)
        for (length = MEANING_LENGTH; length > 0 && meaning[length] != ' ';)
            length--;
    printf("%.*s%s\t%.*s\n", (int)prefix_length, prefix, word, (int)length, meaning);
}

static void offer_device(const wanted *w, const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    const bool read = wl_device_builtin(name, &device, &err) == WL_OK;
    print_line(w->prefix, w->prefix_length, name, read ? wl_device_title(device) : "");
    wl_device_free(device);
}

/* Prints a candidate if it continues the typed text. */
static void offer(void *user, const char *word, const char *meaning)
{
    const wanted *w = user;
    const char *typed = w->whole + w->prefix_length;
    if (strncmp(word, typed, strlen(typed)) != 0)
        return;
    if (meaning)
        print_line(w->prefix, w->prefix_length, word, meaning);
    else
        offer_device(w, word);
}

/* In a list, the last value is completed. */
static void offer_values(const command *c, const char *option, size_t before, wanted w)
{
    const char *comma = strrchr(w.whole + w.prefix_length, ',');
    if (comma && choices_are_list(c, option)) {
        w.prefix = w.whole;
        w.prefix_length = (size_t)(comma + 1 - w.whole);
    }
    if (choices_of(c, option, before, offer, &w))
        printf("@file\n");
}

static const command *find_command(const command *commands, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void offer_commands(const command *commands, size_t count, const char *typed, bool also_help)
{
    wanted w = {typed, "", 0};
    for (size_t i = 0; i < count; i++)
        offer(&w, commands[i].name, commands[i].summary);
    if (!also_help)
        return;
    offer(&w, "help", "what a command does, and its options");
    offer(&w, "--help", "lists the commands");
    offer(&w, "--version", "the version");
}

/* The option of that name, or of its short form. */
static bool find_option(const command *c, const char *word, size_t length, option_text *out)
{
    const bool output = length == 2 && strncmp(word, "-o", 2) == 0;
    for (size_t i = 0; options_at(c, i, out); i++)
        if (output ? strcmp(out->name, "--output") == 0
                   : strlen(out->name) == length && strncmp(out->name, word, length) == 0)
            return true;
    return false;
}

static bool is_given(const char *const *words, size_t count, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 1; i + 1 < count; i++)
        if (strncmp(words[i], name, length) == 0 && (words[i][length] == '\0' || words[i][length] == '='))
            return true;
    return false;
}

/* Options that may still be given. */
static void offer_options(const command *c, const char *const *words, size_t count)
{
    option_text option;
    wanted w = {words[count - 1], "", 0};
    for (size_t i = 0; options_at(c, i, &option); i++)
        if (option.repeatable || !is_given(words, count, option.name))
            offer(&w, option.name, option.help);
}

/* Arguments among the words after the command and before the last word. */
static size_t arguments_before(const command *c, const char *const *words, size_t count)
{
    size_t n = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        option_text option;
        if (words[i][0] != '-' || words[i][1] == '\0')
            n++;
        else if (!strchr(words[i], '=') && find_option(c, words[i], strlen(words[i]), &option) && option.value)
            i++; /* its value */
    }
    return n;
}

static void complete_for(const command *c, const char *const *words, size_t count)
{
    const char *typed = words[count - 1], *before = words[count - 2];
    const size_t length = strcspn(typed, "=");
    option_text option;
    if (typed[0] == '-' && typed[length] == '=' && find_option(c, typed, length, &option))
        offer_values(c, option.name, 0, (wanted){typed, typed, length + 1});
    else if (count > 2 && before[0] == '-' && find_option(c, before, strlen(before), &option) && option.value)
        offer_values(c, option.name, 0, (wanted){typed, "", 0});
    else if (typed[0] == '-')
        offer_options(c, words, count);
    else
        offer_values(c, NULL, arguments_before(c, words, count), (wanted){typed, "", 0});
}

int complete(const command *commands, size_t count, const char *const *words, size_t word_count)
{
    if (word_count == 0)
        return EXIT_OK;
    const command *c = word_count > 1 ? find_command(commands, count, words[0]) : NULL;
    if (word_count == 1)
        offer_commands(commands, count, words[0], true);
    else if (word_count == 2 && strcmp(words[0], "help") == 0)
        offer_commands(commands, count, words[1], false);
    else if (c)
        complete_for(c, words, word_count);
    return EXIT_OK;
}

/* ---- tables ---- */

typedef struct row {
    const char *command, *option;
} row;

static void print_value(void *user, const char *word, const char *meaning)
{
    const row *r = user;
    (void)meaning;
    printf("value\t%s\t%s\t%s\n", r->command, r->option, word);
}

static void print_values(const command *c, const char *option, size_t before)
{
    row r = {c->name, option ? option : ""};
    if (choices_of(c, option, before, print_value, &r))
        print_value(&r, "@file", "");
}

static void print_examples(const command *c)
{
    size_t length;
    for (const char *lines = help_examples_of(c->name); *lines; lines += length + 1) {
        length = strcspn(lines, "\n");
        printf("example\t%s\t%.*s\n", c->name, (int)length, lines);
    }
}

int print_tables(const command *commands, size_t count)
{
    option_text option;
    for (size_t i = 0; i < count; i++) {
        const command *c = &commands[i];
        printf("command\t%s\t%s\t%s\t%s\n", c->name, c->arguments, c->summary, c->formats);
        for (size_t o = 0; options_at(c, o, &option); o++) {
            printf("option\t%s\t%s\t%s\t%s\t%s\n", c->name, option.name, option.value ? option.value : "",
                   !option.value       ? "flag"
                   : option.repeatable ? "many"
                                       : "one",
                   option.help);
            print_values(c, option.name, 0);
        }
        print_values(c, NULL, 0);
        print_examples(c);
    }
    return EXIT_OK;
}
