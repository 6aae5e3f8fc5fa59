/* archive.c - see archive.h.
 * Layer  binary. SPDX-License-Identifier: MIT */
#include "binary/archive.h"

#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"

#define MAGIC "!<arch>\n"
#define THIN_MAGIC "!<thin>\n"
#define MAGIC_BYTES (sizeof MAGIC - 1)

/* The header of a member is text. */
enum { NAME_BYTES = 16, AT_SIZE = 48, SIZE_BYTES = 10, AT_END = 58, HEADER_BYTES = 60 };

static bool starts(wl_bytes b, const char *text)
{
    return b.size >= strlen(text) && memcmp(b.at, text, strlen(text)) == 0;
}

bool wl_archive_is(wl_bytes b) { return starts(b, MAGIC) || starts(b, THIN_MAGIC); }

/* Decimal digits, ended by anything else. */
static size_t number_in(wl_bytes text)
{
    size_t number = 0;
    for (size_t i = 0; i < text.size && i < SIZE_BYTES && wl_is_digit((char)text.at[i]); i++)
        number = number * 10 + (size_t)(text.at[i] - '0');
    return number;
}

static wl_bytes until(wl_bytes b, const char *ends)
{
    size_t length = 0;
    while (length < b.size && b.at[length] != '\0' && !strchr(ends, b.at[length]))
        length++;
    return (wl_bytes){b.at, length};
}

/* "name/", "/17" for a place in the table of long names, "#1/12" for the first bytes of the
 * contents. */
static void read_name(wl_bytes field, wl_archive_member *m)
{
    wl_bytes place;
    m->name = until(field, "/ ");
    if (starts(field, "#1/")) {
        const size_t length = number_in((wl_bytes){field.at + 3, field.size - 3});
        if (wl_bytes_part(m->contents, 0, length, &m->name)) {
            m->contents = (wl_bytes){m->contents.at + length, m->contents.size - length};
            m->name = until(m->name, "");
        }
    } else if (field.at[0] == '/') {
        const size_t offset = number_in((wl_bytes){field.at + 1, field.size - 1});
        if (wl_bytes_part(m->long_names, offset, 0, &place))
            m->name = until((wl_bytes){place.at, m->long_names.size - offset}, "/\n");
    }
}

static bool is_table(wl_bytes field)
{
    return starts(field, "/ ") || starts(field, "// ") || starts(field, "/SYM64/") || starts(field, "__.SYMDEF");
}

wl_status wl_archive_next(wl_bytes archive, wl_archive_member *m, bool *found, wl_error *err)
{
    *found = false;
    if (starts(archive, THIN_MAGIC))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "a thin archive, whose members are files of their own: give those");
    for (size_t at = m->end ? m->end : MAGIC_BYTES; at < archive.size; at = m->end) {
        wl_bytes header, rest, field = {0};
        if (!wl_bytes_part(archive, at, HEADER_BYTES, &header) || header.at[AT_END] != '`')
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged archive: a header is missing at byte %zu", at);
        field = (wl_bytes){header.at, NAME_BYTES};
        rest = (wl_bytes){header.at + HEADER_BYTES, archive.size - at - HEADER_BYTES};
        const size_t size = number_in((wl_bytes){header.at + AT_SIZE, SIZE_BYTES});
        if (!wl_bytes_part(rest, 0, size, &m->contents))
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged archive: the member at byte %zu is cut off", at);
        m->end = at + HEADER_BYTES + size + size % 2;
        if (starts(field, "// "))
            m->long_names = m->contents;
        if (is_table(field))
            continue;
        read_name(field, m);
        *found = true;
        return WL_OK;
    }
    return WL_OK;
}
