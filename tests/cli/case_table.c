/* case_table.c - reads and writes tables of command-line tests.
 * The first characters of a line say what it is.
 * SPDX-License-Identifier: MIT */
#include "case_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything kept hangs here, so that a leak checker sees that it is in use. */
static void **kept;

void *keep(size_t bytes)
{
    void **block = calloc(1, sizeof *block + bytes);
    if (!block) {
        fprintf(stderr, "cli_tables: out of memory\n");
        exit(2);
    }
    block[0] = kept;
    kept = block;
    return block + 1;
}

const char *keep_text(const char *text, size_t length)
{
    char *copy = keep(length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* Room for one more in a list of count items: the list, or a copy twice as long. */
static void *grown(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? 2 * *room : 8;
    void *longer = keep(*room * size);
    if (count)
        memcpy(longer, items, count * size);
    return longer;
}

void add_line(text_lines *lines, const char *line)
{
    lines->items = grown(lines->items, lines->count, &lines->room, sizeof *lines->items);
    lines->items[lines->count++] = line;
}

void add_expectation(expectations *list, expect_kind kind, const char *text)
{
    list->items = grown(list->items, list->count, &list->room, sizeof *list->items);
    list->items[list->count++] = (expectation){kind, text};
}

/* A line with its NUL bytes made visible. */
static const char *line_text(const char *text, size_t length)
{
    char *line = keep(2 * length + 1), *to = line;
    for (size_t i = 0; i < length; i++) {
        if (text[i]) {
            *to++ = text[i];
        } else {
            *to++ = '\\';
            *to++ = '0';
        }
    }
    return line;
}

text_lines split_lines(const char *text, size_t length)
{
    text_lines lines = {0};
    while (length) {
        const char *end = memchr(text, '\n', length);
        size_t line_length = end ? (size_t)(end - text) : length;
        add_line(&lines, line_text(text, line_length));
        if (!end) {
            add_line(&lines, "\\ no newline at the end");
            break;
        }
        text = end + 1;
        length -= line_length + 1;
    }
    return lines;
}

char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t room = 1 << 16, got = 0;
    char *text = keep(room);
    for (size_t n; (n = fread(text + got, 1, room - got, file)) > 0;) {
        got += n;
        if (got == room) {
            text = memcpy(keep(2 * room), text, got);
            room *= 2;
        }
    }
    bool bad = ferror(file);
    fclose(file);
    *length = got;
    return bad ? NULL : text;
}

static bool wrong(const case_table *table, size_t line, const char *what)
{
    fprintf(stderr, "%s:%zu: %s\n", table->path, line, what);
    return false;
}

static bool starts(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

/* The text after a mark such as ">" and one space; NULL where the line has another mark.
 * An empty text needs no space. */
static const char *after_mark(const char *line, const char *mark)
{
    if (!starts(line, mark))
        return NULL;
    const char *rest = line + strlen(mark);
    return *rest == ' ' ? rest + 1 : *rest ? NULL : rest;
}

/* One expected line of stdout (mark ">") or stderr ("2>"); false where the line is none. */
static bool read_expectation(const char *line, const char *mark, const char *pattern_mark, expectations *list)
{
    const char *text = after_mark(line, mark), *pattern = after_mark(line, pattern_mark);
    if (pattern)
        add_expectation(list, EXPECT_PATTERN, pattern);
    else if (text)
        add_expectation(list, strcmp(text, "...") == 0 ? EXPECT_RUN : EXPECT_LINE, text);
    return text || pattern;
}

static bool read_expected(test_case *now, const char *line)
{
    if (starts(line, "exit ")) {
        char *end;
        long code = strtol(line + 5, &end, 10);
        now->exit_code = (int)code;
        return end != line + 5 && !*end && code >= 0 && code <= 255 && !now->out.count && !now->err.count;
    }
    return read_expectation(line, ">", ">~", &now->out) || read_expectation(line, "2>", "2>~", &now->err);
}

/* A line above the expectations: a comment, a file, the command. */
static bool read_head(test_case *now, const char *line)
{
    const char *command = after_mark(line, "$");
    bool file = after_mark(line, "@") != NULL, content = after_mark(line, ":") != NULL;
    if (command)
        add_line(&now->script, command);
    else if (starts(line, "needs ") && !now->needs)
        now->needs = line + 6;
    else if (file || (content && now->files.count))
        add_line(&now->files, line);
    else if (line[0] != '#')
        return false;
    add_line(&now->head, line);
    return true;
}

static test_case *new_case(case_table *table, size_t line)
{
    table->cases = grown(table->cases, table->count, &table->room, sizeof *table->cases);
    test_case *now = &table->cases[table->count++];
    *now = (test_case){.table = table->path, .line = line};
    return now;
}

/* Does a list say anything about what is printed? Runs and patterns of stars alone do not. */
static bool says_something(const expectations *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const expectation *e = &list->items[i];
        if (e->kind == EXPECT_LINE || (e->kind == EXPECT_PATTERN && e->text[strspn(e->text, "*?")]))
            return true;
    }
    return list->count == 0;
}

/* The exit codes with which a command printed everything, but could draw no picture, or found an
 * access out of bounds. */
#define NO_PICTURE 6
#define OUTSIDE 7

/* A case that would accept anything, or nothing, is no test. */
static bool check_case(const case_table *table, const test_case *c)
{
    if (!c->script.count)
        return wrong(table, c->line, "no command");
    if (!says_something(&c->out) || !says_something(&c->err))
        return wrong(table, c->line, "accepts any output");
    if (c->exit_code == 0 && !c->out.count && !c->err.count)
        return wrong(table, c->line, "success and no output show nothing: let the command print what was found");
    if (c->exit_code > 1 && c->exit_code != NO_PICTURE && c->exit_code != OUTSIDE && c->out.count)
        return wrong(table, c->line, "a command that fails prints nothing on stdout");
    return true;
}

/* "[name]" starts a case; the comment right above it, collected in pending, belongs to it. */
static bool start_case(case_table *table, text_lines *pending, const char *line, size_t number)
{
    size_t length = strlen(line);
    if (length < 3 || line[length - 1] != ']')
        return wrong(table, number, "a name in brackets is needed");
    test_case *now = new_case(table, number);
    now->name = keep_text(line + 1, length - 2);
    for (size_t i = 0; i < pending->count; i++)
        add_line(&now->head, pending->items[i]);
    add_line(&now->head, line);
    *pending = (text_lines){0};
    return true;
}

/* A line between two cases: a comment, or nothing; the first comment is the table's. */
static bool read_between(case_table *table, text_lines *pending, const char *line, size_t number)
{
    if (line[0] == '#') {
        add_line(pending, line);
        return true;
    }
    if (*line)
        return wrong(table, number, "not in a case: a name in brackets starts one");
    if (!table->count && !table->foreword.count)
        table->foreword = *pending;
    else if (pending->count)
        return wrong(table, number, "a comment with nothing below it");
    *pending = (text_lines){0};
    return true;
}

bool table_read(const char *path, case_table *table)
{
    *table = (case_table){.path = path};
    size_t length;
    char *text = read_whole(path, &length);
    if (!text)
        return wrong(table, 0, "cannot read the table");
    text_lines lines = split_lines(text, length), pending = {0};
    test_case *now = NULL;
    for (size_t i = 0; i < lines.count; i++) {
        const char *line = lines.items[i];
        if (line[0] == '[') {
            if (!start_case(table, &pending, line, i + 1))
                return false;
            now = &table->cases[table->count - 1];
        } else if (!*line || !now) {
            now = NULL;
            if (!read_between(table, &pending, line, i + 1))
                return false;
        } else if (!read_expected(now, line)) {
            if (now->out.count || now->err.count || now->exit_code || !read_head(now, line))
                return wrong(table, i + 1, "not understood here (a case ends with an empty line)");
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        if (!check_case(table, &table->cases[i]))
            return false;
    }
    return pending.count ? wrong(table, lines.count, "a comment with nothing below it") : true;
}

static void write_expectations(FILE *file, const char *mark, const expectations *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const expectation *e = &list->items[i];
        fprintf(file, "%s%s%s%s\n", mark, e->kind == EXPECT_PATTERN ? "~" : "", *e->text ? " " : "", e->text);
    }
}

static void write_case(FILE *file, const test_case *c)
{
    for (size_t i = 0; i < c->head.count; i++)
        fprintf(file, "%s\n", c->head.items[i]);
    if (c->exit_code)
        fprintf(file, "exit %d\n", c->exit_code);
    write_expectations(file, ">", &c->out);
    write_expectations(file, "2>", &c->err);
}

bool table_write(const case_table *table)
{
    FILE *file = fopen(table->path, "wb");
    if (!file)
        return false;
    for (size_t i = 0; i < table->foreword.count; i++)
        fprintf(file, "%s\n", table->foreword.items[i]);
    for (size_t i = 0; i < table->count; i++) {
        if (i || table->foreword.count)
            fputc('\n', file);
        write_case(file, &table->cases[i]);
    }
    bool bad = ferror(file);
    return fclose(file) == 0 && !bad;
}
