/* compare_schedule.c - the schedule of a measured row, by its entry of the map.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_job.h"

/* The value of a param of "a=1;b=2", not ended; NULL: there is none. */
static const char *value_of(const char *params, const char *name, size_t length)
{
    for (const char *at = params; *at; at += strcspn(at, ";"), at += *at == ';') {
        at += strspn(at, " ");
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

/* Replaces names in braces by the row's params; false: one is unknown, or the text is too long. */
static bool fill_in(const char *pattern, const char *params, char *text, size_t size)
{
    size_t used = 0;
    while (*pattern) {
        const char *from = pattern;
        size_t length = 1;
        if (*pattern == '{') {
            const size_t name = strcspn(pattern + 1, "}");
            from = value_of(params, pattern + 1, name);
            if (!from || pattern[name + 1] != '}')
                return false;
            length = strcspn(from, "; ");
            pattern += name + 2;
        } else {
            pattern++;
        }
        if (used + length >= size)
            return false;
        memcpy(text + used, from, length);
        used += length;
    }
    text[used] = '\0';
    return true;
}

bool names_param(const char *pattern, const char *name)
{
    for (const char *at = pattern ? strchr(pattern, '{') : NULL; at; at = strchr(at + 1, '{'))
        if (strncmp(at + 1, name, strlen(name)) == 0 && at[strlen(name) + 1] == '}')
            return true;
    return false;
}

wl_status row_schedule(const char *pattern, const wl_measurement *row, const int64_t domain[3], wl_schedule *out,
                       wl_error *err)
{
    char text[WL_SCHEDULE_TEXT_MAX];
    if (!fill_in(pattern, row->params, text, sizeof text)) {
        err->code = WL_E_INPUT;
        snprintf(err->message, sizeof err->message, "a param that the map's schedule %.60s names is missing", pattern);
        return err->code;
    }
    const char *colon = strrchr(text, ':');
    const bool whole_rows = strcmp(text, "linear") == 0 || (colon && strcmp(colon, ":0") == 0);
    if (!whole_rows)
        return wl_schedule_parse(text, out, err);
    /* a row of threads over a domain of several dimensions: columns as wide as it */
    const bool flat = row->block[1] * row->block[2] == 1 && row->grid[1] * row->grid[2] == 1;
    *out = flat && domain[1] * domain[2] > 1 ? (wl_schedule){WL_SCHEDULE_COLUMN, domain[0], 0} : (wl_schedule){0};
    return WL_OK;
}
