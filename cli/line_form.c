/* line_form.c - see line_form.h. SPDX-License-Identifier: MIT */
#include "line_form.h"

#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* Numbers of a launch, in the order of `which`. */
enum { BLOCK, FOLD = 3, GRID = 6, REGISTERS = 9, SHARED_BYTES, NONE = -1 };

#define DIGITS_MAX 15 /* of a number */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The first number of a member of a line; NONE: its numbers are not of the launch. */
static int numbers_of(const char *key, size_t length)
{
    static const struct {
        const char *name;
        int which;
    } members[] = {
        {"block", BLOCK}, {"fold", FOLD}, {"grid", GRID}, {"registers", REGISTERS}, {"shared_bytes", SHARED_BYTES}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (strlen(members[i].name) == length && memcmp(members[i].name, key, length) == 0)
            return members[i].which;
    return NONE;
}

/* Behind the text that starts at this quote. */
static size_t skip_text(const char *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at + 1;
}

static size_t skip_digits(const char *text, size_t length, size_t at)
{
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

/* Where a scan of a line is. */
typedef struct scan {
    int depth;
    bool key;  /* a key comes next */
    int which; /* the next number, if it is one of the launch */
} scan;

static void step_over(scan *s, char c)
{
    s->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c == '{' && s->depth == 1)
        s->key = true;
    if (c == ',' && s->depth == 1) {
        s->key = true;
        s->which = NONE;
    } else if (c == ',' && s->depth == 2 && s->which != NONE) {
        s->which++;
    }
}

/* Finds the numbers of the launch. The line is known to be valid. */
static void find_numbers(line_form *f)
{
    scan s = {.which = NONE};
    for (size_t at = 0, next; at < f->length; at = next) {
        const char c = f->text[at];
        next = at + 1;
        if (c == '"') {
            next = skip_text(f->text, f->length, at);
            if (s.key)
                s.which = numbers_of(f->text + at + 1, next - at - 2);
            s.key = false;
        } else if (is_digit(c)) {
            next = skip_digits(f->text, f->length, at);
            if (s.which != NONE && f->count < LINE_NUMBERS_MAX) {
                f->number[f->count].at = at;
                f->number[f->count].end = next;
                f->number[f->count++].which = s.which;
            }
        } else {
            step_over(&s, c);
        }
    }
}

bool line_form_make(const char *text, size_t length, const wl_launch *launch, line_form *out)
{
    line_form_free(out);
    out->text = malloc(length);
    if (!out->text)
        return false;
    memcpy(out->text, text, length);
    out->length = length;
    out->launch = *launch;
    find_numbers(out);
    return true;
}

void line_form_free(line_form *form)
{
    free(form->text);
    *form = (line_form){0};
}

/* Reads a whole number without sign or leading zeros. Returns its length; 0: there is none. */
static size_t read_number(const char *text, size_t length, int64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; n < length && n <= DIGITS_MAX && is_digit(text[n]); n++)
        *out = *out * 10 + (text[n] - '0');
    return n > DIGITS_MAX || (n > 1 && text[0] == '0') ? 0 : n;
}

static bool set_number(wl_launch *launch, int which, int64_t value)
{
    int64_t *const shapes[] = {launch->block, launch->fold, launch->grid};
    if (which < REGISTERS) {
        shapes[which / 3][which % 3] = value;
        return value >= 1 && value <= BATCH_EXTENT_MAX;
    }
    if (which == REGISTERS)
        launch->registers = value;
    else
        launch->shared_bytes = value;
    return value <= (which == REGISTERS ? BATCH_REGISTERS_MAX : BATCH_SHARED_MAX);
}

bool line_form_read(const line_form *f, const char *text, size_t length, wl_launch *out)
{
    size_t at = 0, behind = 0; /* in the line, and in the form's */
    *out = f->launch;
    for (int i = 0; f->text && i <= f->count; i++) {
        const size_t same = (i < f->count ? f->number[i].at : f->length) - behind;
        if (length - at < same || memcmp(text + at, f->text + behind, same) != 0)
            return false;
        at += same;
        if (i == f->count)
            return at == length;
        int64_t value;
        const size_t digits = read_number(text + at, length - at, &value);
        if (digits == 0 || !set_number(out, f->number[i].which, value))
            return false;
        at += digits;
        behind = f->number[i].end;
    }
    return false;
}
