/* quote.h - quoting, one function per output format. JSON quotes itself: json.h.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_QUOTE_H
#define WL_BASE_QUOTE_H

#include "base/buffer.h"

/* "..." for a CSV cell: inner quotes are doubled, line breaks become blanks. */
void wl_quote_csv(wl_buffer *out, const char *text);
/* Like wl_buffer_add; texts are quoted. */
#define wl_csv_print(out, ...) wl_quote_add((out), wl_quote_csv, __VA_ARGS__)
/* '...' for gnuplot: inner quotes are doubled, control characters become blanks. */
void wl_quote_gnuplot(wl_buffer *out, const char *text);
/* "..." for YAML, on one line: control characters become blanks. */
void wl_quote_yaml(wl_buffer *out, const char *text);
/* "..." that Python and JSON read alike; bytes that are not UTF-8 become U+FFFD. */
void wl_quote_python(wl_buffer *out, const char *text);
/* For XML and HTML, in texts and double-quoted attributes; adds no quotes itself. After `most`
 * characters comes an ellipsis. Control characters become blanks, bytes that are not UTF-8
 * U+FFFD. */
void wl_quote_xml(wl_buffer *out, const char *text, size_t most);

/* Like wl_buffer_add, but every text (%s) is quoted by the function. Conversions are those of
 * printf for int, long long, size_t, double and texts; no '*'. */
typedef void wl_quoting(wl_buffer *out, const char *text);
void wl_quote_add(wl_buffer *out, wl_quoting *quote, const char *format, ...) WL_PRINTF(3, 4);

#endif /* WL_BASE_QUOTE_H */
