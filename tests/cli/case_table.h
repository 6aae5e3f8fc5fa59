/* case_table.h - tables of command-line tests, read and written (README.md says how they look).
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_CLI_CASE_TABLE_H
#define WL_TESTS_CLI_CASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum expect_kind {
    EXPECT_LINE,    /* the line as it stands          */
    EXPECT_PATTERN, /* a line that fnmatch() accepts  */
    EXPECT_RUN      /* any number of lines: "..."     */
} expect_kind;

typedef struct expectation {
    expect_kind kind;
    const char *text;
} expectation;

typedef struct expectations {
    expectation *items;
    size_t count, room;
} expectations;

typedef struct text_lines {
    const char **items;
    size_t count, room;
} text_lines;

/* What a case expects of one command. */
typedef struct test_case {
    const char *table, *name;
    size_t line;       /* of its name                                              */
    text_lines head;   /* comments, name, files and command, as they are written   */
    text_lines files;  /* the same lines, those of its files alone ("@ " and ": ") */
    text_lines script; /* the command, without "$ "                                */
    const char *needs; /* what a machine must have, as a command; NULL: nothing    */
    int exit_code;
    expectations out, err;
} test_case;

typedef struct case_table {
    const char *path;
    text_lines foreword; /* the comment at the top */
    test_case *cases;
    size_t count, room;
} case_table;

/* Memory that lives as long as the program; ends it where there is none. */
void *keep(size_t bytes);
const char *keep_text(const char *text, size_t length);

void add_line(text_lines *lines, const char *line);
void add_expectation(expectations *list, expect_kind kind, const char *text);
/* The lines of a text. A last line without an end is followed by "\ no newline at the end"; a NUL
 * byte shows as \0. */
text_lines split_lines(const char *text, size_t length);
/* The content of a file; NULL where it cannot be read. */
char *read_whole(const char *path, size_t *length);

/* Reads a table; says on stderr what is wrong with it and returns false. */
bool table_read(const char *path, case_table *table);
/* Writes it back; false where that fails. */
bool table_write(const case_table *table);

#endif
