/* roff.c - see roff.h. SPDX-License-Identifier: MIT */
#include "roff.h"

#include <ctype.h>
#include <string.h>

bool page_of_document(const page_links *links, const char *document, char *name, size_t size, char *section)
{
    for (size_t i = 0; links->known[i]; i++)
        if (strcmp(links->known[i], document) == 0) {
            snprintf(name, size, "warpline-%.*s", (int)strcspn(document, "."), document);
            *section = strcmp(document, "input.md") == 0 ? '5' : '7';
            return true;
        }
    return false;
}

void add_link(page_links *links, const char *name, char section)
{
    char text[sizeof links->names[0]];
    snprintf(text, sizeof text, "%s(%c)", name, section);
    for (size_t i = 0; i < links->count; i++)
        if (strcmp(links->names[i], text) == 0)
            return;
    if (links->count < LINKS_MAX)
        memcpy(links->names[links->count++], text, sizeof text);
}

/* ---- letters ---- */

/* The code point at *text, of valid UTF-8; *text moves behind it. */
static unsigned next_letter(const char **text, const char *end)
{
    const unsigned char first = (unsigned char)*(*text)++;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    unsigned letter = more == 3 ? first & 7u : more == 2 ? first & 15u : more == 1 ? first & 31u : first;
    for (; more > 0 && *text < end; more--)
        letter = letter << 6 | ((unsigned char)*(*text)++ & 63u);
    return letter;
}

static void put_letter(FILE *out, unsigned letter, bool literal)
{
    static const struct {
        unsigned letter;
        const char *text;
        bool literal; /* only where it is to be copied */
    } special[] = {{'\\', "\\e", false}, {'-', "\\-", true},    {'\'', "\\(aq", true},
                   {'`', "\\(ga", true}, {'^', "\\(ha", false}, {'~', "\\(ti", false}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (special[i].letter == letter && (literal || !special[i].literal)) {
            fputs(special[i].text, out);
            return;
        }
    if (letter < 0x80)
        fputc((int)letter, out);
    else
        fprintf(out, "\\[u%04X]", letter);
}

static void put_letters(FILE *out, const char *text, size_t length, bool literal)
{
    for (const char *end = text + length; text < end;)
        put_letter(out, next_letter(&text, end), literal);
}

void put_literal(FILE *out, const char *text, size_t length) { put_letters(out, text, length, true); }

/* ---- marks ---- */

typedef struct span {
    enum { PLAIN, CODE, BOLD, SLANTED, LINK, PICTURE } kind;
    const char *text, *target;
    size_t length, target_length, whole; /* whole: with its marks */
} span;

static bool marked(const char *at, const char *end, const char *mark, span *out)
{
    const size_t n = strlen(mark);
    if ((size_t)(end - at) < 2 * n || strncmp(at, mark, n) != 0 || isspace((unsigned char)at[n]))
        return false;
    for (const char *p = at + n; p + n <= end; p++)
        if (strncmp(p, mark, n) == 0 && p > at + n && (*mark == '`' || !isspace((unsigned char)p[-1]))) {
            out->text = at + n;
            out->length = (size_t)(p - out->text);
            out->whole = out->length + 2 * n;
            return true;
        }
    return false;
}

/* [text](target) */
static bool is_link(const char *at, const char *end, span *out)
{
    const bool picture = *at == '!';
    const char *open = at + picture;
    if (open >= end || *open != '[')
        return false;
    const char *close = memchr(open, ']', (size_t)(end - open));
    const char *stop = close && close + 1 < end && close[1] == '(' ? memchr(close, ')', (size_t)(end - close)) : NULL;
    if (!stop)
        return false;
    *out = (span){.kind = picture ? PICTURE : LINK,
                  .text = open + 1,
                  .length = (size_t)(close - open - 1),
                  .target = close + 2,
                  .target_length = (size_t)(stop - close - 2),
                  .whole = (size_t)(stop + 1 - at)};
    return true;
}

/* What begins here; letters without a mark come one by one. */
static span span_at(const char *start, const char *at, const char *end)
{
    span s = {.kind = PLAIN, .text = at, .length = 1, .whole = 1};
    const bool word_starts = at == start || !isalnum((unsigned char)at[-1]);
    if (*at == '\\' && at + 1 < end && ispunct((unsigned char)at[1])) {
        s.text++;
        s.whole = 2;
    } else if (marked(at, end, "`", &s)) {
        s.kind = CODE;
    } else if (marked(at, end, "**", &s)) {
        s.kind = BOLD;
    } else if (word_starts && at + 1 < end && isalpha((unsigned char)at[1]) && marked(at, end, "*", &s)) {
        s.kind = SLANTED;
    } else if ((*at == '[' || *at == '!') && is_link(at, end, &s)) {
        return s;
    } else {
        while (at + s.length < end && (at[s.length] & 0xc0) == 0x80) /* the rest of a letter */
            s.length++;
        s.whole = s.length;
    }
    return s;
}

/* "[model.md](model.md#x)" becomes the page's name; other links only their text. */
static void put_link(FILE *out, const span *s, page_links *links)
{
    char document[64], name[64], section;
    snprintf(document, sizeof document, "%.*s", (int)(s->target_length < 60 ? s->target_length : 60), s->target);
    document[strcspn(document, "#")] = '\0';
    const bool has_page = page_of_document(links, document, name, sizeof name, &section);
    if (has_page)
        add_link(links, name, section);
    if (has_page && s->length == strlen(document) && strncmp(s->text, document, s->length) == 0) {
        fputs("\\fB", out);
        put_literal(out, name, strlen(name));
        fprintf(out, "\\fR(%c)", section);
        return;
    }
    put_inline(out, s->text, s->length, links);
}

#define LONG_WORD 20 /* columns: a line, or a cell of a table, may have no room for more */

/* Inside tables, bars of code are written \| */
static void put_code(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;
    for (size_t word; text < end;) {
        for (word = 0; text + word < end && text[word] != ' ';)
            word++;
        const char *stop = text + word < end ? text + word + 1 : end;
        while (text < stop) {
            text += *text == '\\' && text + 1 < end && text[1] == '|';
            const char *letter = text;
            put_letter(out, next_letter(&text, end), true);
            if (word > LONG_WORD && text < stop && strchr("],:=(|/", *letter))
                fputs("\\:", out); /* a line may end here */
        }
    }
}

void put_inline(FILE *out, const char *text, size_t length, page_links *links)
{
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        const span s = span_at(text, at, end);
        if (s.kind == LINK || s.kind == PICTURE) {
            put_link(out, &s, links);
        } else if (s.kind == PLAIN) {
            put_letters(out, s.text, s.length, false);
        } else {
            fputs(s.kind == SLANTED ? "\\fI" : "\\fB", out);
            if (s.kind == CODE)
                put_code(out, s.text, s.length);
            else
                put_letters(out, s.text, s.length, false);
            fputs("\\fR", out);
        }
        at += s.whole;
    }
}

size_t inline_width(const char *text, size_t length)
{
    size_t width = 0;
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        const span s = span_at(text, at, end);
        for (size_t i = 0; i < s.length; i++)
            width += (s.text[i] & 0xc0) != 0x80;
        at += s.whole;
    }
    return width;
}
