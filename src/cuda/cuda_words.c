/* cuda_words.c - see cuda_words.h.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include "cuda/cuda_words.h"

#include <string.h>

#include "base/ascii.h"

static bool is_letter(char c) { return wl_is_letter(c) || wl_is_digit(c) || c == '_'; }

bool wl_cuda_word_is(wl_cuda_word w, const char *text)
{
    return w.length == strlen(text) && memcmp(w.at, text, w.length) == 0;
}

bool wl_cuda_word_is_one_of(wl_cuda_word w, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (wl_cuda_word_is(w, texts[i]))
            return true;
    return false;
}

bool wl_cuda_same_word(wl_cuda_word a, wl_cuda_word b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

bool wl_cuda_is_number(wl_cuda_word w) { return w.length > 0 && wl_is_digit(*w.at); }

bool wl_cuda_is_name(wl_cuda_word w) { return w.length > 0 && is_letter(*w.at) && !wl_is_digit(*w.at); }

/* The position after the quote that ends a text; the end of a line ends it, too. */
static const char *behind_quote(const char *at, const char *end)
{
    const char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

static const char *behind_line(const char *at, const char *end)
{
    while (at < end && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1; /* a macro continues in the next line */
    return at;
}

static const char *behind_comment(const char *at, const char *end)
{
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

wl_cuda_word wl_cuda_next(const char **at, const char *end)
{
    while (*at < end) {
        const char *p = *at;
        const char second = p + 1 < end ? p[1] : '\0';
        if (*p == '#' || (*p == '/' && second == '/')) {
            *at = behind_line(p, end);
        } else if (*p == '/' && second == '*') {
            *at = behind_comment(p, end);
        } else if (*p == '"' || *p == '\'') {
            *at = behind_quote(p, end);
        } else if (is_letter(*p)) {
            while (*at < end && is_letter(**at))
                ++*at;
            return (wl_cuda_word){p, (size_t)(*at - p)};
        } else {
            ++*at;
            if (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
                return (wl_cuda_word){p, 1};
        }
    }
    return (wl_cuda_word){*at, 0};
}

wl_cuda_word wl_cuda_peek(const char *at, const char *end) { return wl_cuda_next(&at, end); }

static int nesting(char c) { return (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}'); }

wl_cuda_range wl_cuda_inside(const char **at, const char *end)
{
    const char *const start = *at;
    for (int depth = 1; depth > 0;) {
        const wl_cuda_word w = wl_cuda_next(at, end);
        if (w.length == 0)
            return (wl_cuda_range){start, *at};
        depth += w.length == 1 ? nesting(*w.at) : 0;
    }
    return (wl_cuda_range){start, *at - 1};
}

bool wl_cuda_part(const char **at, const char *end, wl_cuda_range *part)
{
    if (*at >= end)
        return false;
    part->at = *at;
    for (int depth = 0;;) {
        const wl_cuda_word w = wl_cuda_next(at, end);
        part->end = w.at;
        if (w.length == 0)
            return true;
        if (depth == 0 && *w.at == ',') {
            *at = w.at + 1;
            return true;
        }
        depth += w.length == 1 ? nesting(*w.at) : 0;
    }
}

bool wl_cuda_is_empty(wl_cuda_range range) { return wl_cuda_peek(range.at, range.end).length == 0; }
