/* data_row.c - see data_row.h. SPDX-License-Identifier: MIT */
#include "report/common/data_row.h"

#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/quote.h"

/* Every cell of CSV is followed by a comma; the end of a line replaces the last one. */

static void put_word(wl_buffer *out, const char *word, size_t length)
{
    char *to = wl_buffer_room(out, length + 1);
    if (!to)
        return;
    memcpy(to, word, length);
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

static void put_whole(wl_buffer *out, int64_t value)
{
    char *to = wl_buffer_room(out, WL_DIGITS_ROOM + 1);
    if (!to)
        return;
    const size_t length = wl_digits_whole(value, to);
    to[length] = ',';
    wl_buffer_wrote(out, length + 1);
}

static void put_number(const wl_row *row, double value)
{
    char *to = wl_buffer_room(row->csv, WL_DIGITS_ROOM + 1);
    if (!to)
        return;
    const size_t length = isnan(value) ? 0 : wl_digits_real(value, row->digits ? row->digits : WL_JSON_DIGITS, to);
    if (length == 0 && !isnan(value))
        row->csv->failed = true;
    to[length] = ',';
    wl_buffer_wrote(row->csv, length + 1);
}

static void put_cell(const wl_row *row, const wl_member *m)
{
    switch (m->known ? m->kind : '?') {
    case 's':
        wl_quote_csv(row->csv, m->value.text);
        wl_buffer_put(row->csv, ",", 1);
        break;
    case 'w': put_word(row->csv, m->value.text, strlen(m->value.text)); break;
    case 'd':
    case 'i': put_whole(row->csv, m->value.whole); break;
    case 'n':
    case 'r': put_number(row, m->value.number); break;
    case 'x':
        for (int d = 0; d < 3; d++)
            put_whole(row->csv, m->value.extent[d]);
        break;
    case '?': put_word(row->csv, "", 0); break;
    default: break;
    }
}

static void put_head(wl_buffer *out, const wl_member *m)
{
    const int length = (int)m->length;
    if (m->kind == 'x')
        wl_buffer_add(out, "%.*s_x,%.*s_y,%.*s_z,", length, m->name, length, m->name, length, m->name);
    else if (m->kind != '{' && m->kind != '}')
        put_word(out, m->name, m->length);
}

void wl_row_add(wl_row *row, const char *format, ...)
{
    wl_members all = {.rest = format};
    wl_member m;
    va_start(all.arguments, format);
    if (row->json)
        wl_out_list(row->json, &all);
    while (row->heads && wl_member_name(&all, &m))
        put_head(row->csv, &m);
    while (!row->heads && wl_member_next(&all, &m))
        put_cell(row, &m);
    va_end(all.arguments);
}

void wl_row_number(wl_row *row, const char *name, double value)
{
    if (row->json)
        wl_out_number(row->json, name, value);
    else if (row->heads)
        put_word(row->csv, name, strlen(name));
    else
        put_number(row, value);
}

void wl_row_end(wl_row *row)
{
    if (!row->csv->failed)
        row->csv->text[row->csv->length - 1] = '\n';
}
