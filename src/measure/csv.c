/* csv.c - see csv.h. No line is read more than LINES_MAX + 1 times, whatever the quotes.
 * SPDX-License-Identifier: MIT */
#include "measure/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"

#define LINES_MAX 16 /* line breaks in one record */
#define CELL_MAX 65536
#define CELLS_MAX 65536

static const char too_long[] = "a cell that is too long";
static const char no_memory[] = "out of memory"; /* ends reading, unlike other problems */

void wl_csv_open(wl_csv *csv, const char *text, size_t length)
{
    *csv = (wl_csv){.text = text, .length = length, .next_line = 1};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        csv->at = 3;
}

void wl_csv_free(wl_csv *csv)
{
    free(csv->bytes);
    free(csv->starts);
    csv->bytes = NULL;
    csv->starts = NULL;
}

const char *wl_csv_cell(const wl_csv *csv, size_t index) { return csv->bytes + csv->starts[index]; }

size_t wl_csv_find(const wl_csv *csv, const char *name)
{
    size_t i = 0;
    while (i < csv->count && strcmp(wl_csv_cell(csv, i), name) != 0)
        i++;
    return i;
}

static bool push(wl_csv *csv, const char *bytes, size_t count)
{
    if (count == 0)
        return true;
    if (!WL_ROOM(csv->bytes, csv->used + count, csv->capacity))
        return false;
    memcpy(csv->bytes + csv->used, bytes, count);
    csv->used += count;
    return true;
}

static const char *open_cell(wl_csv *csv)
{
    if (csv->count == CELLS_MAX)
        return "too many cells";
    if (!WL_ROOM(csv->starts, csv->count + 1, csv->starts_capacity))
        return no_memory;
    csv->starts[csv->count++] = csv->used;
    return NULL;
}

/* Reads the rest of a quoted cell; moves *p from after the opening quote to after the closing
 * one. */
static const char *read_quoted(wl_csv *csv, const char **p, const char *end, int32_t *breaks)
{
    for (const char *from = *p, *at = from;; at++) {
        if (at == end || (*at == '\n' && ++*breaks > LINES_MAX))
            return "a quote that is not closed";
        if ((size_t)(at - from) > CELL_MAX)
            return too_long;
        if (*at != '"')
            continue;
        if (!push(csv, from, (size_t)(at - from)))
            return no_memory;
        if (at + 1 < end && at[1] == '"') {
            from = ++at; /* a doubled quote is one quote, which begins the next piece */
            continue;
        }
        *p = at + 1;
        return NULL;
    }
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *read_plain(wl_csv *csv, const char **p, const char *end)
{
    const char *from = *p, *to = from;
    while (to < end && *to != ',' && *to != '\n')
        to++;
    if ((size_t)(to - from) > CELL_MAX)
        return too_long;
    *p = to;
    while (to > from && is_blank(to[-1]))
        to--;
    return push(csv, from, (size_t)(to - from)) ? NULL : no_memory;
}

/* Reads the record at *p and moves *p past it. */
static const char *read_record(wl_csv *csv, const char **p, const char *end, int32_t *breaks)
{
    const char *const start = *p;
    for (;; (*p)++) {
        while (*p < end && is_blank(**p))
            (*p)++;
        const char *problem = open_cell(csv);
        if (!problem && *p < end && **p == '"') {
            (*p)++;
            problem = read_quoted(csv, p, end, breaks);
            while (!problem && *p < end && is_blank(**p))
                (*p)++;
            if (!problem && *p < end && **p != ',' && **p != '\n')
                problem = "text behind a closing quote";
        } else if (!problem) {
            problem = read_plain(csv, p, end);
        }
        if (!problem && !push(csv, "", 1))
            problem = no_memory;
        if (problem)
            return problem;
        if (*p == end || **p == '\n')
            return memchr(start, '\0', (size_t)(*p - start)) ? "a zero byte" : NULL;
    }
}

wl_status wl_csv_next(wl_csv *csv, bool *more, wl_error *err)
{
    const char *const end = csv->text + csv->length;
    const char *start = csv->text + csv->at;
    *more = false;
    for (const char *p = start; p < end && (is_blank(*p) || *p == '\n'); p++) {
        if (*p == '\n') {
            start = p + 1;
            csv->next_line += csv->next_line < INT32_MAX;
        }
    }
    csv->at = (size_t)(start - csv->text);
    const char *p = start;
    while (p < end && is_blank(*p))
        p++;
    if (p == end)
        return WL_OK;
    int32_t breaks = 0;
    p = start;
    csv->used = csv->count = 0;
    csv->line = csv->next_line;
    csv->problem = read_record(csv, &p, end, &breaks);
    if (csv->problem == no_memory)
        return wl_fail_memory(err);
    if (csv->problem) {
        const char *line_end = memchr(start, '\n', (size_t)(end - start));
        p = line_end ? line_end : end;
        breaks = 0;
    }
    csv->cut = p == end;
    csv->at = (size_t)(p - csv->text) + (p < end);
    csv->next_line = csv->next_line > INT32_MAX - 1 - breaks ? INT32_MAX : csv->next_line + 1 + breaks;
    *more = true;
    return WL_OK;
}
