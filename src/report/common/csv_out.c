/* csv_out.c - see csv_out.h. SPDX-License-Identifier: MIT */
#include "report/common/csv_out.h"

#include <math.h>

#include "base/digits.h"
#include "base/json_out.h"
#include "base/quote.h"

void wl_csv_text(wl_buffer *out, const char *text)
{
    wl_quote_csv(out, text);
    wl_buffer_put(out, ",", 1);
}

void wl_csv_word(wl_buffer *out, const char *word)
{
    const size_t length = strlen(word);
    char *to = wl_buffer_room(out, length + 1);
    if (!to)
        return;
    memcpy(to, word, length);
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

void wl_csv_whole(wl_buffer *out, int64_t value)
{
    char *to = wl_buffer_room(out, WL_DIGITS_ROOM + 1);
    if (!to)
        return;
    const size_t length = wl_digits_whole(value, to);
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

void wl_csv_digits(wl_buffer *out, double value, int digits)
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

void wl_csv_number(wl_buffer *out, double value) { wl_csv_digits(out, value, WL_JSON_DIGITS); }

void wl_csv_shape(wl_buffer *out, const int64_t extent[3])
{
    for (int d = 0; d < 3; d++)
        wl_csv_whole(out, extent[d]);
}

void wl_csv_end(wl_buffer *out)
{
    if (!out->failed)
        out->text[out->length - 1] = '\n';
}

void wl_csv_name(wl_buffer *out, const char *kind, const char *name)
{
    if (strcmp(kind, "shape") == 0)
        wl_buffer_add(out, "%s_x,%s_y,%s_z,", name, name, name);
    else
        wl_csv_word(out, name);
}
