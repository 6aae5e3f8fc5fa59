/* command_table.h - the commands whose allocations fail, and the files they read.
 *
 *   @ FILE          a file of the working folder, with the lines below it
 *   : text
 *   make FILE ARGUMENTS   a file: what this command of the tool prints
 *   $ ARGUMENTS           a command; '< FILE' at its end is its standard input
 *
 * $ROOT is the source tree; 'one word' is one. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_MEMORY_COMMAND_TABLE_H
#define WL_TESTS_MEMORY_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define WORDS_MAX 48

typedef struct table_command {
    char *line; /* as it stands in the table */
    int argc;   /* argv[0] is the tool */
    char *argv[WORDS_MAX + 1];
    char *words;      /* what argv points into */
    const char *in;   /* standard input; NULL: none */
    const char *make; /* the file to write; NULL: a command to test */
} table_command;

typedef struct command_table {
    table_command *commands;
    size_t count;
} command_table;

/* Writes the files into the current folder. False, with a message on stderr, where a line is not
 * understood. */
bool command_table_read(const char *path, const char *root, command_table *table);
void command_table_free(command_table *table);

#endif /* WL_TESTS_MEMORY_COMMAND_TABLE_H */
