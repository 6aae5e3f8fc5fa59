/* ascii.h - character classes of ASCII. Unlike those of <ctype.h>, they do not depend on the locale
 * of the host program.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_ASCII_H
#define WL_BASE_ASCII_H

#include <stdbool.h>

static inline bool wl_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline char wl_lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
static inline bool wl_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The value of a hexadecimal digit; -1 for any other character. */
static inline int wl_hex_digit(char c)
{
    if (wl_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif /* WL_BASE_ASCII_H */
