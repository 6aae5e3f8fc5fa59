/* wrap.h - wraps long lines of text between words.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_WRAP_H
#define WL_CLI_WRAP_H

#include <stdbool.h>
#include <stdio.h>

/* Columns of standard output: $COLUMNS, else those of the terminal, else (files and pipes) 100.
 * 0: any number, since $COLUMNS is huge or the terminal too narrow. */
int wrap_columns(void);
/* The same of another file. */
int wrap_columns_of(int descriptor);
/* Columns of the terminal that shows standard output; 0: any number. For tables, which files and
 * pipes get as they are. */
int wrap_terminal_columns(void);
/* Does a terminal show it? mpirun gives its processes one without a size, whatever its own output
 * goes to. */
bool wrap_is_terminal(int descriptor);

/* Prints a line, of which `used` columns are printed already. Further lines begin in column
 * `indent`. */
void wrap_print(const char *line, int used, int indent, int columns);

#endif /* WL_CLI_WRAP_H */
