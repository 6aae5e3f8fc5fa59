/* look.h - formats texts for people: colour, lines wrapped to the width of a terminal (in files and
 * pipes to 100 columns), notes left out (--quiet). Files that the tool opens itself get no colour.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_LOOK_H
#define WL_CLI_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* "auto" (the default), "always" or "never"; auto: on a terminal, unless $NO_COLOR is set or $TERM
 * is dumb. */
void look_set_colour(const char *when);
bool look_has_colour(const FILE *file);

typedef enum look_style { LOOK_PLAIN, LOOK_STRONG, LOOK_LIMIT, LOOK_BEST, LOOK_ALARM, LOOK_NOTE } look_style;
/* The code that switches a style on; LOOK_PLAIN switches it off. "": no colour in this file. */
const char *look_code(look_style style, const FILE *file);

/* Prints text of WL_FORMAT_MARKED. */
void look_print(const char *text, size_t length, FILE *file);
/* Prints the rest of a line from this column on, without its end, wrapped to the terminal; further
 * lines are indented. */
void look_print_note(const char *text, int column, int indent, FILE *file);

#endif /* WL_CLI_LOOK_H */
