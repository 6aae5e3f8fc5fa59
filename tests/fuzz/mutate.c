/* mutate.c - see mutate.h. SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <ctype.h>
#include <string.h>

#define LINES_MAX 512
#define PIECE_LENGTH 1024
#define DEPTH_MAX 4
#define CHANGES_MAX 3

static uint64_t state;

static size_t draw(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

typedef struct piece {
    char text[PIECE_LENGTH];
    size_t length;
} piece;

static const char *pick(char symbol, int depth)
{
    for (size_t i = 0; i < fuzz_grammar.rule_count; i++) {
        const mutate_rule *r = &fuzz_grammar.rules[i];
        size_t count = 0;
        if (r->symbol != symbol)
            continue;
        while (r->texts[count])
            count++;
        const size_t chosen = draw(count);
        return r->texts[depth < DEPTH_MAX ? chosen : 0];
    }
    return "";
}

static void expand(char symbol, int depth, piece *out)
{
    for (const char *c = pick(symbol, depth); *c && out->length < PIECE_LENGTH - 1; c++) {
        if (*c == '$' && c[1])
            expand(*++c, depth + 1, out);
        else
            out->text[out->length++] = *c;
    }
}

/* The text being changed. */
typedef struct text {
    uint8_t *data;
    size_t size, room;
} text;

static void splice(text *t, size_t at, size_t removed, const char *with, size_t length)
{
    if (t->size - removed + length > t->room)
        return;
    memmove(t->data + at + length, t->data + at + removed, t->size - at - removed);
    if (length > 0)
        memcpy(t->data + at, with, length);
    t->size = t->size - removed + length;
}

/* A random line: where it starts, and its length with its end. */
static size_t pick_line(const text *t, size_t *length)
{
    size_t begin[LINES_MAX + 1], n = 0;
    for (size_t i = 0; i < t->size && n < LINES_MAX; i++)
        if (i == 0 || t->data[i - 1] == '\n')
            begin[n++] = i;
    begin[n] = t->size;
    const size_t i = n > 0 ? draw(n) : 0;
    *length = n > 0 ? begin[i + 1] - begin[i] : 0;
    return n > 0 ? begin[i] : 0;
}

static size_t next_line(const text *t, size_t at)
{
    const uint8_t *end = at < t->size ? memchr(t->data + at, '\n', t->size - at) : NULL;
    return end ? (size_t)(end - t->data) + 1 : t->size;
}

/* The line of the same key with what is indented below it; false: none. */
static bool find_key(const text *t, const piece *line, size_t *at, size_t *length)
{
    const char *colon = memchr(line->text, ':', line->length);
    const size_t key = colon ? (size_t)(colon - line->text) + 1 : 0;
    for (*at = 0; key > 0 && *at + key <= t->size; *at = next_line(t, *at)) {
        size_t end = next_line(t, *at);
        if (memcmp(t->data + *at, line->text, key) != 0)
            continue;
        while (end < t->size && t->data[end] == ' ' && line->text[0] != ' ')
            end = next_line(t, end);
        *length = end - *at;
        return true;
    }
    return false;
}

static void put_line(text *t, bool instead)
{
    piece line = {.length = 0};
    size_t length = 0, at = pick_line(t, &length);
    expand(fuzz_grammar.line_symbol ? fuzz_grammar.line_symbol(t->data, t->size, at) : 'L', 0, &line);
    line.text[line.length++] = '\n';
    size_t same = 0, same_length = 0;
    if (fuzz_grammar.keyed && find_key(t, &line, &same, &same_length))
        at = same, length = same_length;
    else if (!instead)
        length = 0;
    splice(t, at, length, line.text, line.length);
}

static void copy_line(text *t)
{
    char line[PIECE_LENGTH];
    size_t length = 0, ignored = 0;
    const size_t from = pick_line(t, &length), to = pick_line(t, &ignored);
    if (length > sizeof line)
        return;
    memcpy(line, t->data + from, length);
    splice(t, to, 0, line, length);
}

static void remove_line(text *t)
{
    size_t length = 0;
    const size_t at = pick_line(t, &length);
    splice(t, at, length, "", 0);
}

static bool is_word(uint8_t c) { return isalnum(c) || c == '_' || c == '.'; }

/* The word at a place, or the next one; its length, 0: none. */
static size_t word_at(const text *t, size_t *at)
{
    size_t length = 0;
    while (*at > 0 && is_word(t->data[*at]) && is_word(t->data[*at - 1]))
        --*at;
    while (*at < t->size && !is_word(t->data[*at]))
        ++*at;
    while (*at + length < t->size && is_word(t->data[*at + length]))
        length++;
    return length;
}

/* A number or a word in the place of another; a word is often one of the text. */
static void change_word(text *t)
{
    piece word = {.length = 0};
    size_t at = draw(t->size), from = draw(t->size);
    const size_t length = word_at(t, &at), copied = word_at(t, &from);
    if (length == 0)
        return;
    const bool is_number = isdigit(t->data[at]);
    if (!is_number && draw(2) > 0 && copied > 0 && copied < PIECE_LENGTH) {
        memcpy(word.text, t->data + from, copied);
        word.length = copied;
    } else {
        expand(is_number && draw(8) > 0 ? 'N' : 'W', 0, &word);
    }
    splice(t, at, length, word.text, word.length);
}

/* Another text in double quotes, at or behind a random place. */
static void change_quoted(text *t)
{
    piece inside = {.length = 0};
    const size_t start = draw(t->size);
    const uint8_t *open = memchr(t->data + start, '"', t->size - start);
    if (!open || !fuzz_grammar.quoted)
        return;
    const size_t at = (size_t)(open - t->data) + 1;
    const uint8_t *close = at < t->size ? memchr(t->data + at, '"', t->size - at) : NULL;
    if (!close)
        return;
    expand(fuzz_grammar.quoted, 0, &inside);
    splice(t, at, (size_t)(close - t->data) - at, inside.text, inside.length);
}

static void write_anew(text *t)
{
    piece whole = {.length = 0};
    expand('Z', 0, &whole);
    if (whole.length > 0)
        splice(t, 0, t->size, whole.text, whole.length);
}

static void put_member(text *t)
{
    piece member = {.length = 0};
    const size_t start = draw(t->size);
    for (size_t i = 0; i < t->size; i++) {
        const size_t at = (start + i) % t->size;
        if (!t->data[at] || !strchr(fuzz_grammar.joints, t->data[at]))
            continue;
        expand('M', 0, &member);
        splice(t, at + 1, 0, member.text, member.length);
        return;
    }
}

static void change(text *t)
{
    switch (t->size > 0 ? draw(16) : 1) {
    case 0: t->size = LLVMFuzzerMutate(t->data, t->size, t->room); break;
    case 1:
    case 2: put_line(t, false); break;
    case 3: put_line(t, true); break;
    case 4:
        if (fuzz_grammar.keyed)
            write_anew(t);
        else
            copy_line(t);
        break;
    case 5: remove_line(t); break;
    case 6:
    case 7: put_member(t); break;
    case 8:
    case 9:
    case 10: change_quoted(t); break;
    default: change_word(t); break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    text t = {data, size, max_size};
    state = seed;
    for (size_t i = draw(4) > 0 ? 1 : 2 + draw(CHANGES_MAX - 1); i > 0; i--)
        change(&t);
    return t.size;
}
