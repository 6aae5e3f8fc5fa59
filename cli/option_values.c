/* option_values.c - see option_values.h. SPDX-License-Identifier: MIT */
#include "option_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"

/* ---- one of a few words ---- */

#define EVERY EVERY_COMMAND
#define INTERVAL_MODELS "gpumech gpumech+ mdm-queue mdm-mshr mdm"
#define MODEL_WORDS "turnover limiter " INTERVAL_MODELS " simple four-limiters paper"
#define PUBLISHED "letter-gpumech letter-gpumech+ letter-mdm-queue letter-mdm-mshr letter-mdm thesis"

static const struct {
    const char *option, *commands, *words; /* letters of commands, as in options.c */
    const char *offered;                   /* the words worth completing; NULL: all */
} choices[] = {
    {"--model", "cDraRPS", MODEL_WORDS, NULL},
    {"--model", "p", MODEL_WORDS " " PUBLISHED, NULL},
    {"--model", "m", MODEL_WORDS " " PUBLISHED " all", NULL},
    /* other models have no stack */
    {"--model", "t", MODEL_WORDS " all", "turnover " INTERVAL_MODELS " all"},
    {"--model", "M", "classic hierarchical instruction roofline compare", NULL},
    {"--target", "f",
     "l1_wavefronts l2_load_bytes l2_store_bytes dram_load_bytes dram_store_bytes time ranking l1_curve l2_reuse_curve "
     "l2_store_curve",
     NULL},
    {"--volumes", EVERY, "predicted measured", NULL},
    {"--caches", EVERY, "warm cold", NULL},
    {"--fidelity", EVERY, "model simulate", NULL},
    {"--incomplete", EVERY, "refuse allow", NULL},
    {"--kind", EVERY, "classic hierarchical instruction parallelism", NULL},
    {"--group", EVERY, "family variant params all", NULL},
    {"--as", EVERY, "cuda opencl c", NULL},
    {"--by", EVERY, "thread warp", NULL},
    {"--policy", EVERY, "lru random random4", NULL},
    {"--color", EVERY, "auto always never", NULL},
};

static const char *find_words(const command *c, const char *option, bool offered)
{
    if (strcmp(option, "--format") == 0)
        return c->formats;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (strcmp(choices[i].option, option) == 0 && command_is_of(c, choices[i].commands))
            return offered && choices[i].offered ? choices[i].offered : choices[i].words;
    return NULL;
}

const char *value_words(const command *c, const char *option) { return find_words(c, option, true); }

#define WORDS_MAX 20

static bool is_word(const char *option, const char *value, const char *words)
{
    char list[240], shown[280];
    const char *names[WORDS_MAX];
    size_t n = 0, used = 0;
    (void)snprintf(list, sizeof list, "%s", words);
    for (char *at = list, *end = NULL; at && n < WORDS_MAX; at = end ? end + 1 : NULL) {
        end = strchr(at, ' ');
        if (end)
            *end = '\0';
        if (strcmp(at, value) == 0)
            return true;
        names[n++] = at;
    }
    for (size_t i = 0; i < n && used < sizeof shown; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s", i ? ", " : "", names[i]);
    option_error(option, value, 1, "'%.40s' is none of %s%s", value, shown, did_you_mean(value, names, n));
    return false;
}

/* ---- other forms ---- */

/* YYYY-MM-DD; only the form is checked. */
static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return text[sizeof form - 1] == '\0';
}

static bool is_time(const char *text)
{
    double seconds;
    return read_time(text, &seconds);
}

static bool is_metric(const char *text)
{
    wl_metric metric;
    return strcmp(text, "time") == 0 || wl_metric_find(text, &metric);
}

static bool is_own_picture(const char *path) { return has_suffix(path, ".svg") || has_suffix(path, ".png"); }
static bool is_picture(const char *path) { return is_own_picture(path) || has_suffix(path, ".pdf"); }

static const struct {
    const char *option, *commands;
    bool (*ok)(const char *value);
    const char *needed;
} forms[] = {
    {"--date", "f", is_date, "a date is needed, as in 2026-11-15"},
    {"--min-time", EVERY, is_time, "a time is needed, as in 20us"},
    {"--metric", EVERY, is_metric, "a metric ('warpline explain' lists them) or time is needed"},
    {"--plot", "T", is_own_picture, "a file that ends in .svg or .png is needed"},
    {"--plot", "rmR", is_picture, "a file that ends in .svg, .png or .pdf is needed"},
};

bool value_ok(const command *c, const char *option, const char *value)
{
    const char *words = find_words(c, option, false);
    if (words)
        return is_word(option, value, words);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].option, option) != 0 || !command_is_of(c, forms[i].commands) || forms[i].ok(value))
            continue;
        option_error(option, value, 1, "%s", forms[i].needed);
        return false;
    }
    return true;
}

/* ---- numbers ---- */

bool option_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || v < least || v > most) {
        option_error(option, text, 1, "a whole number from %lld to %lld is needed", (long long)least, (long long)most);
        return false;
    }
    *value = v;
    return true;
}

bool option_number(const char *option, const char *text, double least, double most, double *value)
{
    const char *end = text;
    const double v = wl_number_read(text, &end);
    if (end == text || *end != '\0' || !(v >= least && v <= most)) {
        option_error(option, text, 1, "a number from %g to %g is needed", least, most);
        return false;
    }
    *value = v;
    return true;
}

int value_shape(const char *text, int64_t extent[3], int *column)
{
    const char *p = text;
    extent[0] = extent[1] = extent[2] = 1;
    for (int d = 0;; d++) {
        char *end = NULL;
        errno = 0;
        const long long v = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : 0;
        *column = (int)(p - text) + 1;
        if (d == 3 || !end || v < 1 || errno == ERANGE || v > ((int64_t)1 << 40) || (*end != '\0' && *end != 'x'))
            return 0;
        extent[d] = v;
        if (*end == '\0')
            return d + 1;
        p = end + 1;
    }
}

bool option_shape(const char *option, const char *text, int64_t extent[3])
{
    int column = 1;
    if (value_shape(text, extent, &column))
        return true;
    option_error(option, text, column, SHAPE_NEEDED);
    return false;
}

bool option_bytes(const char *option, const char *text, int64_t least, int64_t most, int64_t *bytes)
{
    double value = 0;
    if (!wl_quantity_read("B", text, &value) || value != floor(value) || !(value >= (double)least) ||
        !(value <= (double)most)) {
        option_error(option, text, 1, "a number of bytes from %lld to %lld is needed, as in 49152 or 48KiB",
                     (long long)least, (long long)most);
        return false;
    }
    *bytes = (int64_t)value;
    return true;
}

bool read_time(const char *text, double *seconds)
{
    const size_t length = strlen(text);
    const bool has_unit = length > 0 && text[length - 1] == 's';
    return wl_quantity_read("s", text, seconds) && *seconds >= 0 && *text != '-' && *text != '+' &&
           (has_unit || *seconds == 0);
}
