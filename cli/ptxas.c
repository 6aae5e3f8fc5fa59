/* ptxas.c - see ptxas.h. SPDX-License-Identifier: MIT */
#include "ptxas.h"

#include <stdlib.h>
#include <string.h>

/* Messages of all releases look like this; commas separate the amounts, whose order differs:
 *   ptxas info    : Compiling entry function 'name' for 'sm_90'
 *   ptxas info    : Function properties for name
 *       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *   ptxas info    : Used 32 registers, used 1 barriers, 4224+0 bytes smem, 400 bytes cmem[0]
 * Functions that are not inlined have properties of their own, but nothing "used". */

/* Is `word` at the start of what is left of the line? */
static bool starts(const char *at, const char *word) { return strncmp(at, word, strlen(word)) == 0; }

/* The position after the first occurrence of the word in the line; NULL: none. */
static const char *behind(const char *line, size_t length, const char *word)
{
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (memcmp(line + i, word, n) == 0)
            return line + i + n;
    return NULL;
}

static ptxas_entry *add_entry(ptxas_report *r, const char *name, size_t length)
{
    ptxas_entry *larger = realloc(r->entries, (r->count + 1) * sizeof *larger);
    if (!larger)
        return NULL;
    r->entries = larger;
    char *own = malloc(length + 1);
    if (!own)
        return NULL;
    memcpy(own, name, length);
    own[length] = '\0';
    r->entries[r->count] = (ptxas_entry){.name = own};
    return &r->entries[r->count++];
}

/* A number, or a sum as older releases wrote it: "4096+0". Moves *at past it. */
static bool take_sum(const char **at, int64_t *value)
{
    char *end = NULL;
    *value = 0;
    for (;;) {
        if (**at < '0' || **at > '9')
            return false;
        *value += strtoll(*at, &end, 10);
        *at = end;
        if (**at != '+')
            return true;
        ++*at;
    }
}

/* Every "N something" between commas. */
static void read_amounts(const char *line, size_t length, ptxas_entry *e)
{
    const struct {
        const char *what;
        int64_t *value;
    } known[] = {{" registers", &e->registers},
                 {" bytes smem", &e->shared_bytes},
                 {" bytes stack frame", &e->stack_bytes},
                 {" bytes spill stores", &e->spill_store_bytes},
                 {" bytes spill loads", &e->spill_load_bytes}};
    for (const char *at = line, *end = line + length; at < end;) {
        int64_t value = 0;
        if (*at < '0' || *at > '9' || !take_sum(&at, &value)) {
            at++;
            continue;
        }
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (starts(at, known[i].what))
                *known[i].value = value;
        while (at < end && *at != ',')
            at++;
    }
}

static bool is_named(const ptxas_entry *e, const char *name)
{
    const size_t length = strlen(e->name);
    return strncmp(name, e->name, length) == 0 && (unsigned char)name[length] <= ' ';
}

bool ptxas_read(const char *text, ptxas_report *report)
{
    ptxas_entry *entry = NULL; /* the entry that "Used" refers to */
    bool own = false;          /* are the properties those of the entry? */
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\r\n");
        const char *name = behind(line, length, "Compiling entry function '");
        const char *function = behind(line, length, "Function properties for ");
        const char *used = behind(line, length, ": Used ");
        if (name) {
            entry = add_entry(report, name, strcspn(name, "'\r\n"));
            if (!entry)
                return false;
            own = true;
        } else if (function) {
            own = entry && is_named(entry, function);
        } else if (used && entry) {
            read_amounts(used, length - (size_t)(used - line), entry);
        } else if (entry && own && behind(line, length, " bytes stack frame")) {
            read_amounts(line, length, entry);
        }
        line += length;
        line += strspn(line, "\r\n");
    }
    return true;
}

const ptxas_entry *ptxas_find(const ptxas_report *report, const char *name)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->entries[i].name, name) == 0)
            return &report->entries[i];
    return NULL;
}

void ptxas_free(ptxas_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        free(report->entries[i].name);
    free(report->entries);
    *report = (ptxas_report){0};
}
