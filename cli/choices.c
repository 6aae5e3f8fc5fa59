/* choices.c - see choices.h. Names come from the library's tables; the others are those in the help
 * of the option, as tests/completion checks. SPDX-License-Identifier: MIT */
#include "choices.h"

#include <stdio.h>
#include <string.h>

#include "option_values.h"

#define WORD_LENGTH 96
#define EVERY EVERY_COMMAND

/* ---- names of the library ---- */

static void each_device(choice_sink sink, void *user)
{
    for (size_t i = 0; i < wl_device_builtin_count(); i++)
        sink(user, wl_device_builtin_name(i), NULL);
}

static void each_kernel(choice_sink sink, void *user)
{
    for (size_t i = 0; i < wl_kernel_builtin_count(); i++)
        sink(user, wl_kernel_builtin_name(i), "built-in kernel");
}

/* "column:32" is completed as far as "column:" */
static void each_schedule(choice_sink sink, void *user)
{
    for (int k = 0; k < WL_SCHEDULE_KIND_COUNT; k++) {
        char text[WL_SCHEDULE_TEXT_MAX];
        const wl_schedule schedule = {.kind = (wl_schedule_kind)k, .width = 1, .height = 1};
        wl_schedule_print(&schedule, text);
        const size_t end = strcspn(text, ":");
        text[end + (text[end] == ':')] = '\0';
        sink(user, text, "");
    }
}

static void each_key(choice_sink sink, void *user)
{
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        char word[WORD_LENGTH];
        snprintf(word, sizeof word, "%s=", wl_device_key_name((wl_device_key)k));
        sink(user, word, wl_device_key_meaning((wl_device_key)k));
    }
}

static void each_metric(choice_sink sink, void *user)
{
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        sink(user, wl_metric_name((wl_metric)m), wl_metric_meaning((wl_metric)m));
}

static const struct {
    const char *name;
    void (*each)(choice_sink sink, void *user);
} names[] = {
    {"@devices", each_device}, {"@kernels", each_kernel}, {"@schedules", each_schedule},
    {"@keys", each_key},       {"@metrics", each_metric},
};

/* ---- which of them an option takes ---- */

/* Values in addition to those in option_values.c. Letters of commands as in options.c. Words are
 * separated by blanks; @file: any file, @list: several with commas. */
static const struct {
    const char *option, *commands, *words;
} table[] = {
    {"--device", EVERY, "@devices auto @file"},
    {"--with", EVERY, "@keys"},
    {"--like", "d", "@devices @file"},
    {"--schedule", EVERY, "@schedules"},
    {"--schedules", "r", "@schedules all @list"},
    {"--orders", "S", "linear column zigzag tile hilbert morton swizzle @list"},
    {"--type", EVERY, "f16 f32 f64 i8 i16 i32 i64"},
    {"--example", "T", "stencil stencil: matmul matmul:"},
    {"--metric", "m", "@metrics time"},
    {"--export", "r", "kernel-tuner= kernel-tuner-cache= triton="},
    {"--devices", "a", "all"},
    {"--l1-samples", EVERY, "all"},
    {"--budget", "c", "@metrics time occupancy items_per_s"},
    {"--registers-file", EVERY, "@file"},
    {"--space", EVERY, "@file"},
    {"--batch", EVERY, "@file"},
    {"--baseline", EVERY, "@file"},
    {"--output", EVERY, "@file"},
    {"--plot", EVERY, "@file"},
    {"--junit", EVERY, "@file"},
    {"--measured", EVERY, "@file"},
    {"--map", EVERY, "@file"},
    {"--args", EVERY, "@file"},
    {"--trace", "p", "@file"},
    {"--compiler", EVERY, "@file"},
    {"--include", EVERY, "@file"},
};

/* The same for arguments: the number of the argument (-1: any). */
static const struct {
    const char *commands;
    int place;
    const char *words;
} arguments[] = {
    {"k", 0, "list show"},       {"k", 1, "@kernels"},  {"d", 0, "list show check compare derive"},
    {"d", -1, "@devices @file"}, {"e", -1, "@metrics"}, {"D", 0, "@kernels @file"},
    {"D", -1, "@file"},          {"xi", -1, "@file"},   {"ptcarsRPTSE", -1, "@kernels @file"},
    {"m", 0, "@kernels @file"},  {"mf", -1, "@file"},
};

static const char *words_of(const command *c, const char *option, size_t before)
{
    for (size_t i = 0; option && i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].option, option) == 0 && command_is_of(c, table[i].commands))
            return table[i].words;
    for (size_t i = 0; !option && i < sizeof arguments / sizeof arguments[0]; i++)
        if (command_is_of(c, arguments[i].commands) && (arguments[i].place < 0 || (size_t)arguments[i].place == before))
            return arguments[i].words;
    return option ? value_words(c, option) : NULL;
}

/* True: file names are allowed. */
static bool give(const char *word, choice_sink sink, void *user)
{
    if (strcmp(word, "@file") == 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, word) == 0) {
            names[i].each(sink, user);
            return false;
        }
    if (word[0] != '@')
        sink(user, word, "");
    return false;
}

bool choices_of(const command *c, const char *option, size_t before, choice_sink sink, void *user)
{
    bool files = false;
    const char *words = words_of(c, option, before);
    while (words && *words) {
        char word[WORD_LENGTH];
        const size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        files = give(word, sink, user) || files;
        words += length + strspn(words + length, " ");
    }
    return files;
}

bool choices_are_list(const command *c, const char *option)
{
    const char *words = words_of(c, option, 0);
    return words && strstr(words, "@list");
}
