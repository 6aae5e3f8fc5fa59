/* text.h - small helpers on names. SPDX-License-Identifier: MIT */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

/* Of the `count` names, the one a mistyped `word` most likely meant, or NULL if none is near. */
const char *wl_text_nearest(const char *word, const char *const *names, size_t count);

/* Fails with "WHAT 'word'; did you mean 'near'?" at loc. The word need not be 0-terminated. */
wl_status wl_fail_unknown(wl_error *err, wl_loc loc, const char *what, const char *word, size_t length,
                          const char *const *names, size_t count);

/* Of a text in UTF-8 that was cut to fit, takes away the beginning of a character at its end. */
void wl_text_mend_end(char *text);

/* True when the whole of `text` is a decimal number a double can hold; sets *value. */
bool wl_text_number(const char *text, double *value);

/* True when `text` is a name: a letter or underscore, then letters, digits, underscores. */
bool wl_text_is_name(const char *text);

/* Bytes of the UTF-8 character at `text`, 0 when it is none. */
size_t wl_text_utf8(const char *text);

#endif /* WL_BASE_TEXT_H */
