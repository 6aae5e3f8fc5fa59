/* csv_out.h - lines of CSV. Every cell is followed by a comma; wl_csv_end puts the end of the line
 * in place of the last one. A value that is not known is an empty cell. Inline, because rankings
 * have millions of cells.
 *
 * Layer  report/common (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_CSV_OUT_H
#define WL_REPORT_COMMON_CSV_OUT_H

#include <math.h>

#include "base/digits.h"
#include "base/json_out.h"
#include "base/quote.h"

/* A text in quotes. */
static inline void wl_csv_text(wl_buffer *out, const char *text)
{
    wl_quote_csv(out, text);
    wl_buffer_put(out, ",", 1);
}

/* A word that needs none. */
static inline void wl_csv_word(wl_buffer *out, const char *word)
{
    const size_t length = strlen(word);
    char *to = wl_buffer_room(out, length + 1);
    if (!to)
        return;
    memcpy(to, word, length);
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

static inline void wl_csv_whole(wl_buffer *out, int64_t value)
{
    char *to = wl_buffer_room(out, WL_DIGITS_ROOM + 1);
    if (!to)
        return;
    const size_t length = wl_digits_whole(value, to);
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

/* NaN: not known. */
static inline void wl_csv_digits(wl_buffer *out, double value, int digits)
{
    char *to = wl_buffer_room(out, WL_DIGITS_ROOM + 1);
    if (!to)
        return;
    const size_t length = isnan(value) ? 0 : wl_digits_real(value, digits, to);
    if (length == 0 && !isnan(value))
        out->failed = true;
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

/* As precise as in JSON. */
static inline void wl_csv_number(wl_buffer *out, double value) { wl_csv_digits(out, value, WL_JSON_DIGITS); }

static inline void wl_csv_shape(wl_buffer *out, const int64_t extent[3])
{
    for (int d = 0; d < 3; d++)
        wl_csv_whole(out, extent[d]);
}

static inline void wl_csv_end(wl_buffer *out)
{
    if (!out->failed)
        out->text[out->length - 1] = '\n';
}

/* The name of a column; of a "shape", names: "block_x,block_y,block_z,". */
static inline void wl_csv_name(wl_buffer *out, const char *kind, const char *name)
{
    if (strcmp(kind, "shape") == 0)
        wl_buffer_add(out, "%s_x,%s_y,%s_z,", name, name, name);
    else
        wl_csv_word(out, name);
}

#endif /* WL_REPORT_COMMON_CSV_OUT_H */
