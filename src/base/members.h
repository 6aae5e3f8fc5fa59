/* members.h - a list of named values that JSON and CSV share: a format, "NAME:LETTER ..", and an
 * argument for each name.
 *
 *   s  text (const char *)          w  a word: text that CSV need not quote
 *   d  whole number (int64_t)       i  int       b  truth (bool, int)
 *   n  number (double): integers without a point   r  the same, but always with one
 *   x  three extents (const int64_t *)
 *
 * "schema:s launch:{block:x registers:d} ratio:r?": members in braces are an object of JSON, which
 * a later call may close. A '?' marks a value that may be unknown: a text or extents that are NULL,
 * a number that is not finite, a whole number below 0.
 *
 * Layer  base. Oracle: tests/unit/test_json.c. SPDX-License-Identifier: MIT */
#ifndef WL_BASE_MEMBERS_H
#define WL_BASE_MEMBERS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list that is being read; va_start sets `arguments`, unless only names are read. */
typedef struct wl_members {
    const char *rest;
    va_list arguments;
} wl_members;

typedef struct wl_member {
    const char *name;
    size_t length; /* of the name */
    char kind;     /* its letter, or '{' and '}' of an object */
    bool optional, known;
    union {
        const char *text;
        int64_t whole;
        double number;
        const int64_t *extent;
    } value;
} wl_member;

/* The next name, without its value; false: there is none. Inline, because rankings have
 * millions. */
static inline bool wl_member_name(wl_members *all, wl_member *out)
{
    const char *at = all->rest;
    while (*at == ' ')
        at++;
    if (!*at)
        return false;
    out->name = at;
    while (*at != ':' && *at != '}')
        at++;
    out->length = (size_t)(at - out->name);
    out->kind = *at == '}' ? '}' : *++at;
    at++;
    out->optional = *at == '?';
    all->rest = at + out->optional;
    return true;
}

static inline bool wl_member_next(wl_members *all, wl_member *out)
{
    if (!wl_member_name(all, out))
        return false;
    switch (out->kind) {
    case 's':
    case 'w':
        out->value.text = va_arg(all->arguments, const char *);
        out->known = !out->optional || out->value.text;
        break;
    case 'd':
        out->value.whole = va_arg(all->arguments, int64_t);
        out->known = !out->optional || out->value.whole >= 0;
        break;
    case 'i':
    case 'b':
        out->value.whole = va_arg(all->arguments, int);
        out->known = !out->optional || out->value.whole >= 0;
        break;
    case 'n':
    case 'r':
        out->value.number = va_arg(all->arguments, double);
        out->known = isfinite(out->value.number);
        break;
    case 'x':
        out->value.extent = va_arg(all->arguments, const int64_t *);
        out->known = !out->optional || out->value.extent;
        break;
    default: /* a brace */
        out->value.whole = 0;
        out->known = true;
        break;
    }
    return true;
}

#endif /* WL_BASE_MEMBERS_H */
