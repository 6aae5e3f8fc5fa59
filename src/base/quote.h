/* quote.h - text inside quotes, one way for each format that is written. JSON quotes itself: json.h.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_QUOTE_H
#define WL_BASE_QUOTE_H

#include "base/buffer.h"

/* "..." of a CSV cell: quotes inside are doubled, line breaks become blanks. */
void wl_quote_csv(wl_buffer *out, const char *text);
/* '...' of gnuplot: quotes inside are doubled, control characters become blanks. */
void wl_quote_gnuplot(wl_buffer *out, const char *text);
/* "..." of YAML, on one line: control characters become blanks. */
void wl_quote_yaml(wl_buffer *out, const char *text);
/* "..." that Python and JSON read alike; bytes that are no UTF-8 become U+FFFD. */
void wl_quote_python(wl_buffer *out, const char *text);

#endif /* WL_BASE_QUOTE_H */
