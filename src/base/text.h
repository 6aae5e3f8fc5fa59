/* text.h - names: spelling suggestions, numbers, UTF-8.
 *
 * Layer  base. Oracle: tests/unit/test_text.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

/* Fails with "WHAT 'word'; did you mean 'near'?" at loc. The word need not be 0-terminated. */
wl_status wl_fail_unknown(wl_error *err, wl_loc loc, const char *what, const char *word, size_t length,
                          const char *const *names, size_t count);

/* Removes an incomplete UTF-8 character from the end of a text that was cut to fit. */
void wl_text_mend_end(char *text);

/* True when the whole of `text` is a decimal number a double can hold; sets *value. */
bool wl_text_number(const char *text, double *value);

/* True when `text` is a name: a letter or underscore, then letters, digits, underscores. */
bool wl_text_is_name(const char *text);

/* Bytes of the UTF-8 character at `text`; 0 if it is not one. */
size_t wl_text_utf8(const char *text);

#endif /* WL_BASE_TEXT_H */
