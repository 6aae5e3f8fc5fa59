/* markdown_to_roff.c - see markdown_to_roff.h. What our documents use, and no more.
 * SPDX-License-Identifier: MIT */
#include "markdown_to_roff.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16
/* A table this wide or less is set as it is; of a wider one long cells are filled. man sets lines
 * of 78 columns on a terminal of 80 and indents text by 7; the last gap is counted, too. */
#define GAP 3
#define NARROW (78 - 7 + GAP)
#define NARROW_CELL 24 /* a column of such cells keeps its width, where there is room for it */
#define LEAST_CELL 8

/* ---- documents ---- */

static char *read_whole(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    size_t used = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    while (text) {
        used += fread(text + used, 1, capacity - used - 1, f);
        if (used < capacity - 1)
            break;
        char *larger = realloc(text, capacity *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    fclose(f);
    if (text)
        text[used] = '\0';
    return text;
}

bool document_read(const char *path, document *out)
{
    *out = (document){.text = read_whole(path)};
    size_t lines = 1;
    for (const char *p = out->text; p && *p; p++)
        lines += *p == '\n';
    out->lines = out->text ? malloc(lines * sizeof *out->lines) : NULL;
    if (!out->lines)
        return false;
    for (char *p = out->text; *p;) {
        char *end = p + strcspn(p, "\n");
        const bool more = *end == '\n';
        *end = '\0';
        for (char *last = end; last > p && isspace((unsigned char)last[-1]);)
            *--last = '\0';
        out->lines[out->count++] = p;
        p = end + more;
    }
    return true;
}

void document_free(document *d)
{
    free(d->lines);
    free(d->text);
}

/* ---- kinds of lines ---- */

int heading_level(const char *line, const char **title)
{
    const int level = (int)strspn(line, "#");
    *title = line + level + strspn(line + level, " ");
    return level <= 6 && line[level] == ' ' ? level : 0;
}

static bool is_fence(const char *line) { return strncmp(line, "```", 3) == 0; }
static bool is_table(const char *line) { return line[0] == '|'; }

/* "- " or "1. ": where its text begins; 0: no item. */
static size_t item_mark(const char *line)
{
    const size_t digits = strspn(line, "0123456789");
    if (line[0] == '-' && line[1] == ' ')
        return 2;
    return digits > 0 && line[digits] == '.' && line[digits + 1] == ' ' ? digits + 2 : 0;
}

static bool starts_block(const char *line)
{
    const char *title;
    return !*line || is_fence(line) || is_table(line) || item_mark(line) > 0 || heading_level(line, &title) > 0;
}

/* ---- blocks ---- */

typedef struct state {
    FILE *out;
    const document *document;
    size_t last;
    page_links *links;
    bool fresh; /* nothing since the heading: no .PP yet */
} state;

/* One line of running text: not taken for a request. */
static void put_text(state *s, const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", s->out);
    put_inline(s->out, text, length, s->links);
    fputc('\n', s->out);
}

static void put_paragraph_break(state *s)
{
    if (!s->fresh)
        fputs(".PP\n", s->out);
    s->fresh = false;
}

/* Marks may span lines, so a paragraph is one text; its lines are not kept. The first `skip`
 * letters are left out. */
static size_t put_paragraph(state *s, size_t at, size_t skip)
{
    size_t end = at + 1, length = 0, used = 0;
    while (end < s->last && !starts_block(s->document->lines[end]))
        end++;
    for (size_t i = at; i < end; i++)
        length += strlen(s->document->lines[i]) + 1;
    char *text = malloc(length + 1);
    for (size_t i = at; text && i < end; i++) {
        const char *line = s->document->lines[i];
        line += i == at ? skip : strspn(line, " ");
        used += (size_t)snprintf(text + used, length + 1 - used, "%s%s", i == at ? "" : " ", line);
    }
    put_text(s, text ? text : "", used);
    free(text);
    return end;
}

static void put_code_line(FILE *out, const char *line)
{
    if (*line == '.' || *line == '\'')
        fputs("\\&", out);
    put_literal(out, line, strlen(line));
    fputc('\n', out);
}

static void put_code_start(state *s)
{
    put_paragraph_break(s);
    fputs(".in +4n\n.nf\n", s->out);
}

static void put_code_end(state *s) { fputs(".fi\n.in\n", s->out); }

static size_t put_fenced(state *s, size_t at)
{
    put_code_start(s);
    for (at++; at < s->last && !is_fence(s->document->lines[at]); at++)
        put_code_line(s->out, s->document->lines[at]);
    put_code_end(s);
    return at + 1;
}

static size_t put_indented(state *s, size_t at)
{
    put_code_start(s);
    for (; at < s->last && strncmp(s->document->lines[at], "    ", 4) == 0; at++)
        put_code_line(s->out, s->document->lines[at] + 4);
    put_code_end(s);
    return at;
}

static size_t put_item(state *s, size_t at)
{
    const char *line = s->document->lines[at];
    const size_t mark = item_mark(line);
    if (line[0] == '-')
        fputs(".IP \\(bu 2\n", s->out);
    else
        fprintf(s->out, ".IP %.*s 4\n", (int)mark - 1, line);
    s->fresh = false;
    return put_paragraph(s, at, mark);
}

/* ---- tables ---- */

typedef struct cell {
    const char *text;
    size_t length;
} cell;

/* Cells of "| a | b |"; `code` and \| may hold bars. */
static size_t split_row(const char *line, cell cells[COLUMNS_MAX])
{
    size_t n = 0;
    const char *p = line + 1;
    while (*p && n < COLUMNS_MAX) {
        const char *end = p;
        while (*end && *end != '|')
            end += *end == '\\' && end[1] ? 2 : 1;
        cells[n] = (cell){p, (size_t)(end - p)};
        while (cells[n].length > 0 && *cells[n].text == ' ')
            cells[n].text++, cells[n].length--;
        while (cells[n].length > 0 && cells[n].text[cells[n].length - 1] == ' ')
            cells[n].length--;
        n++;
        p = *end ? end + 1 : end;
    }
    return n;
}

/* Two columns are terms and what they mean; their heads, where both have one, slanted. */
static void put_terms(state *s, size_t head, size_t first, size_t end)
{
    cell cells[COLUMNS_MAX];
    if (split_row(s->document->lines[head], cells) == 2 && cells[0].length > 0 && cells[1].length > 0) {
        fputs(".TP\n\\fI", s->out);
        put_inline(s->out, cells[0].text, cells[0].length, s->links);
        fputs("\\fR\n\\fI", s->out);
        put_inline(s->out, cells[1].text, cells[1].length, s->links);
        fputs("\\fR\n", s->out);
    }
    for (size_t i = first; i < end; i++) {
        const size_t n = split_row(s->document->lines[i], cells);
        fputs(".TP\n", s->out);
        put_text(s, cells[0].text, cells[0].length);
        put_text(s, n > 1 ? cells[1].text : "", n > 1 ? cells[1].length : 0);
    }
}

/* Characters of the longest part of a cell in which no line can end. */
static size_t longest_part(const cell *c)
{
    size_t longest = 0, part = 0;
    for (size_t i = 0; i < c->length; i++) {
        part = strchr(" ],:=(|/", c->text[i]) ? 0 : part + !strchr("`*", c->text[i]);
        longest = part > longest ? part : longest;
    }
    return longest;
}

/* Of a column. */
typedef struct measures {
    size_t width; /* of its widest cell */
    size_t part;  /* the longest in which no line can end */
} measures;

static size_t measure(const state *s, size_t head, size_t first, size_t end, measures out[COLUMNS_MAX])
{
    cell cells[COLUMNS_MAX];
    const size_t columns = split_row(s->document->lines[head], cells);
    memset(out, 0, COLUMNS_MAX * sizeof *out);
    for (size_t i = head; i < end; i = i == head ? first : i + 1) {
        const size_t n = split_row(s->document->lines[i], cells);
        for (size_t c = 0; c < n && c < columns; c++) {
            const size_t width = inline_width(cells[c].text, cells[c].length), part = longest_part(&cells[c]);
            out[c].width = width > out[c].width ? width : out[c].width;
            out[c].part = part > out[c].part ? part : out[c].part;
        }
    }
    return columns;
}

static void put_cell(state *s, const cell *c, bool filled, bool bold)
{
    if (filled)
        fputs("T{\n", s->out);
    if (c->length > 0 && (*c->text == '.' || *c->text == '\'' || *c->text == '-' || *c->text == '='))
        fputs("\\&", s->out); /* no request, and no rule of a table */
    if (bold && c->length > 0)
        fputs("\\fB", s->out);
    put_inline(s->out, c->text, c->length, s->links);
    if (bold && c->length > 0)
        fputs("\\fR", s->out);
    if (filled)
        fputs("\nT}", s->out);
}

static void put_row(state *s, const char *line, size_t columns, const bool filled[COLUMNS_MAX], bool head)
{
    cell cells[COLUMNS_MAX];
    const size_t n = split_row(line, cells);
    const cell none = {"", 0};
    for (size_t c = 0; c < columns; c++) {
        if (c > 0)
            fputc('\t', s->out);
        put_cell(s, c < n ? &cells[c] : &none, filled[c], head);
    }
    fputc('\n', s->out);
}

/* A filled column should not become narrower than those that are not. */
static size_t least_filled(size_t limit) { return limit < NARROW_CELL ? limit : NARROW_CELL; }

/* Filled columns share what the others leave, and have room for their longest words. */
static bool words_fit(const measures of[COLUMNS_MAX], size_t columns, const bool filled[COLUMNS_MAX])
{
    size_t taken = 0, sharing = 0, longest = 0;
    for (size_t c = 0; c < columns; c++) {
        taken += GAP + (filled[c] ? 0 : of[c].width);
        sharing += filled[c];
        longest = filled[c] && of[c].part > longest ? of[c].part : longest;
    }
    /* the first ones get what is left of the division */
    return sharing == 0 || longest <= (NARROW - taken + sharing - 1) / sharing;
}

/* Which columns are filled, so that the table fits: the widest ones. False: it does not,
 * however many are. */
static bool choose_filled(const measures of[COLUMNS_MAX], size_t columns, bool filled[COLUMNS_MAX])
{
    size_t fixed = NARROW + 1;
    for (size_t limit = NARROW; limit >= LEAST_CELL && fixed > NARROW; limit -= LEAST_CELL) {
        fixed = 0;
        for (size_t c = 0; c < columns; c++) {
            filled[c] = of[c].width > limit;
            fixed += GAP + (filled[c] ? least_filled(limit) : of[c].width);
        }
    }
    return fixed <= NARROW && words_fit(of, columns, filled);
}

/* A row too wide for a page: its first cell, and below it the others, each with the head of its
 * column. */
static void put_record(state *s, const cell heads[COLUMNS_MAX], size_t columns, const char *line)
{
    cell cells[COLUMNS_MAX];
    const size_t n = split_row(line, cells);
    fputs(".TP\n", s->out);
    put_text(s, cells[0].text, cells[0].length);
    for (size_t c = 1; c < n && c < columns; c++) {
        fputs(c > 1 ? ";\n\\fI" : "\\fI", s->out);
        put_inline(s->out, heads[c].text, heads[c].length, s->links);
        fputs("\\fR ", s->out);
        put_inline(s->out, cells[c].text, cells[c].length, s->links);
    }
    fputc('\n', s->out);
}

static void put_records(state *s, size_t head, size_t first, size_t end)
{
    cell heads[COLUMNS_MAX];
    const size_t columns = split_row(s->document->lines[head], heads);
    for (size_t i = first; i < end; i++)
        put_record(s, heads, columns, s->document->lines[i]);
}

static void put_columns(state *s, size_t head, size_t first, size_t end)
{
    measures of[COLUMNS_MAX];
    bool filled[COLUMNS_MAX] = {false};
    const size_t columns = measure(s, head, first, end, of);
    if (!choose_filled(of, columns, filled)) {
        put_records(s, head, first, end);
        return;
    }
    put_paragraph_break(s);
    fputs(".TS\n", s->out);
    for (size_t c = 0; c < columns; c++)
        fprintf(s->out, "%sl%s", c ? " " : "", filled[c] ? "x" : "");
    fputs(".\n", s->out);
    put_row(s, s->document->lines[head], columns, filled, true);
    for (size_t i = first; i < end; i++)
        put_row(s, s->document->lines[i], columns, filled, false);
    fputs(".TE\n", s->out);
}

static size_t put_table(state *s, size_t at)
{
    cell cells[COLUMNS_MAX];
    const size_t head = at, columns = split_row(s->document->lines[at], cells);
    size_t end = at;
    while (end < s->last && is_table(s->document->lines[end]))
        end++;
    const size_t first = head + 2 < end ? head + 2 : end; /* behind |---|---| */
    if (columns <= 2)
        put_terms(s, head, first, end);
    else
        put_columns(s, head, first, end);
    s->fresh = false;
    return end;
}

/* ---- all of it ---- */

static void put_heading(state *s, int level, int top, const char *title)
{
    fputs(level <= top ? ".SH " : ".SS ", s->out);
    char upper[256];
    size_t n = 0;
    bool code = false;
    for (; title[n] && n + 1 < sizeof upper; n++) {
        code ^= title[n] == '`';
        upper[n] = (char)(level <= top && !code ? toupper((unsigned char)title[n]) : title[n]);
    }
    put_inline(s->out, upper, n, s->links);
    fputc('\n', s->out);
    s->fresh = true;
}

void put_markdown(FILE *out, const document *d, size_t first, size_t last, int top, page_links *links)
{
    state s = {.out = out, .document = d, .last = last, .links = links, .fresh = true};
    for (size_t at = first; at < last;) {
        const char *line = d->lines[at], *title;
        const int level = heading_level(line, &title);
        if (level > 0) {
            put_heading(&s, level, top, title);
            at++;
        } else if (!*line) {
            at++;
        } else if (is_fence(line)) {
            at = put_fenced(&s, at);
        } else if (is_table(line)) {
            at = put_table(&s, at);
        } else if (item_mark(line) > 0) {
            at = put_item(&s, at);
        } else if (strncmp(line, "    ", 4) == 0) {
            at = put_indented(&s, at);
        } else {
            put_paragraph_break(&s);
            at = put_paragraph(&s, at, 0);
        }
    }
}
