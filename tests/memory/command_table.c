/* command_table.c - see command_table.h. SPDX-License-Identifier: MIT */
#include "command_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One word, without its quotes and with the root in its place; where the line goes on. `to` gets
 * its end. */
static const char *copy_word(const char *at, const char *root, char **to)
{
    bool quoted = false;
    for (; *at && (quoted || *at != ' '); at++) {
        if (*at == '\'') {
            quoted = !quoted;
        } else if (strncmp(at, "$ROOT", 5) == 0) {
            *to = stpcpy(*to, root);
            at += 4;
        } else {
            *(*to)++ = *at;
        }
    }
    *(*to)++ = '\0';
    return at + strspn(at, " ");
}

static bool split(table_command *c, const char *text, const char *root)
{
    static char tool[] = "warpline";
    const size_t roots = strlen(text) / 5 + 1;
    c->words = malloc(strlen(text) + 2 + roots * strlen(root));
    if (!c->words)
        return false;
    char *to = c->words;
    c->argv[c->argc++] = tool;
    while (*text && c->argc < WORDS_MAX) {
        c->argv[c->argc++] = to;
        text = copy_word(text, root, &to);
    }
    if (c->argc >= 3 && strcmp(c->argv[c->argc - 2], "<") == 0) {
        c->in = c->argv[c->argc - 1];
        c->argc -= 2;
    }
    c->argv[c->argc] = NULL;
    return *text == '\0';
}

static bool add_command(command_table *t, const char *text, const char *root, bool makes)
{
    table_command *more = realloc(t->commands, (t->count + 1) * sizeof *more);
    if (!more)
        return false;
    t->commands = more;
    table_command *c = &more[t->count++];
    *c = (table_command){.line = strdup(text)};
    if (!c->line || !split(c, text, root) || c->argc < 2)
        return false;
    if (makes) {
        c->make = c->argv[1];
        memmove(&c->argv[1], &c->argv[2], (size_t)(c->argc - 1) * sizeof c->argv[0]);
        c->argc--;
    }
    return true;
}

/* `file` is the one being written. */
static bool read_line(command_table *t, const char *line, const char *root, FILE **file)
{
    if (line[0] == ':' && *file)
        return fprintf(*file, "%s\n", line + (line[1] == ' ' ? 2 : 1)) > 0;
    if (*file)
        fclose(*file);
    *file = NULL;
    if (line[0] == '\0' || line[0] == '#')
        return true;
    if (strncmp(line, "@ ", 2) == 0)
        return (*file = fopen(line + 2, "w")) != NULL;
    if (strncmp(line, "make ", 5) == 0)
        return add_command(t, line + 5, root, true);
    return strncmp(line, "$ ", 2) == 0 && add_command(t, line + 2, root, false);
}

bool command_table_read(const char *path, const char *root, command_table *table)
{
    FILE *f = fopen(path, "r"), *file = NULL;
    char *line = NULL;
    size_t capacity = 0, number = 0;
    bool ok = f != NULL;
    while (ok && getline(&line, &capacity, f) >= 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        ok = read_line(table, line, root, &file);
    }
    if (!ok)
        fprintf(stderr, "%s:%zu: cannot read this line\n", path, number);
    if (file)
        fclose(file);
    if (f)
        fclose(f);
    free(line);
    return ok;
}

void command_table_free(command_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->commands[i].line);
        free(table->commands[i].words);
    }
    free(table->commands);
}
