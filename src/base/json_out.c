/* json_out.c - see json_out.h. SPDX-License-Identifier: MIT */
#include "base/json_out.h"

#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/fail.h"
#include "base/print.h"
#include "base/text.h"

/* ---- texts ---- */

static void put_control(wl_buffer *b, unsigned char c)
{
    static const char letters[] = "btnvfr"; /* from 8 on; JSON has no \v */
    static const char hex[] = "0123456789ABCDEF";
    const char brief[2] = {'\\', c >= 8 && c <= 13 ? letters[c - 8] : 'v'};
    const char full[6] = {'\\', 'u', '0', '0', hex[c / 16], hex[c % 16]};
    if (brief[1] == 'v')
        wl_buffer_put(b, full, sizeof full);
    else
        wl_buffer_put(b, brief, sizeof brief);
}

/* Escapes a character. Returns how many bytes of `text` it takes. */
static size_t put_special(wl_buffer *b, const char *text)
{
    const unsigned char c = (unsigned char)*text;
    const size_t length = c < 0x80 ? 1 : wl_text_utf8(text);
    if (c < ' ')
        put_control(b, c);
    else if (c == '"' || c == '\\')
        wl_buffer_put(b, c == '"' ? "\\\"" : "\\\\", 2);
    else if (length == 0)
        wl_buffer_put(b, "?", 1);
    else
        wl_buffer_put(b, text, length);
    return length ? length : 1;
}

#define EACH_BYTE 0x0101010101010101u
#define HIGH_BITS 0x8080808080808080u

/* Is one of eight characters a control character, a quote, a backslash or not ASCII? Then the
 * highest bit of its byte is set; those of bytes above it may be set, too, which does not change
 * the answer. */
static bool any_special(uint64_t eight)
{
    const uint64_t quote = eight ^ EACH_BYTE * '"', backslash = eight ^ EACH_BYTE * '\\';
    return ((eight | (eight - EACH_BYTE * ' ') | (quote - EACH_BYTE) | (backslash - EACH_BYTE)) & HIGH_BITS) != 0;
}

/* The length of the part that needs no escapes. */
static size_t plain_length(const char *text, size_t length)
{
    size_t n = 0;
    for (uint64_t eight; n + sizeof eight <= length; n += sizeof eight) {
        memcpy(&eight, text + n, sizeof eight);
        if (any_special(eight))
            break;
    }
    for (unsigned char c; n < length && (c = (unsigned char)text[n]) >= ' ' && c < 0x80 && c != '"' && c != '\\';)
        n++;
    return n;
}

/* Copies eight characters. False: one needs an escape. */
static bool copy_eight(char *to, const char *text)
{
    uint64_t eight;
    memcpy(&eight, text, sizeof eight);
    memcpy(to, &eight, sizeof eight);
    return !any_special(eight);
}

/* Copies a text, the last characters twice unless it is a multiple of eight long. False: one
 * character needs an escape. */
static bool copy_plain(char *to, const char *text, size_t length)
{
    const size_t half = sizeof(uint32_t);
    if (length < 2 * half) {
        char some[2 * sizeof(uint32_t)] = "        "; /* blanks need no escapes */
        if (length >= half) {
            memcpy(some, text, half);
            memcpy(some + half, text + length - half, half);
            memcpy(to, some, half);
            memcpy(to + length - half, some + half, half);
        }
        for (size_t i = 0; length < half && i < length; i++)
            to[i] = some[i] = text[i];
        return copy_eight(some, some);
    }
    bool plain = true;
    for (size_t n = 0; n + sizeof(uint64_t) <= length; n += sizeof(uint64_t))
        plain = copy_eight(to + n, text + n) && plain;
    const size_t last = length - sizeof(uint64_t);
    return copy_eight(to + last, text + last) && plain;
}

static void put_quoted(wl_buffer *b, const char *text, size_t length)
{
    char *to = wl_buffer_room(b, length + 2);
    if (!to)
        return;
    *to++ = '"';
    if (copy_plain(to, text, length)) { /* nearly all texts */
        to[length] = '"';
        wl_buffer_wrote(b, length + 2);
        return;
    }
    size_t plain = plain_length(text, length);
    wl_buffer_wrote(b, plain + 1);
    for (size_t at = plain; at < length; at += plain) {
        at += put_special(b, text + at);
        plain = plain_length(text + at, length - at);
        wl_buffer_put(b, text + at, plain);
    }
    wl_buffer_put(b, "\"", 1);
}

/* ---- structure ---- */

static void new_line(wl_json_out *o)
{
    wl_buffer_put(o->text, "\n", 1);
    for (int i = 0; i < o->depth; i++)
        wl_buffer_put(o->text, " ", 1);
}

static void put_separator(wl_json_out *o, char mark, bool blank)
{
    char *to = wl_buffer_room(o->text, 2);
    if (!to)
        return;
    to[0] = mark;
    to[1] = ' ';
    wl_buffer_wrote(o->text, blank ? 2 : 1);
}

/* A comma, a key and a colon at once, without blanks. False: the key needs escapes, or there is no
 * memory. */
static bool begin_compact(wl_json_out *o, const char *key, size_t length)
{
    const size_t marks = o->filled ? sizeof ",\"\":" - 1 : sizeof "\"\":" - 1;
    char *to = wl_buffer_room(o->text, length + marks);
    if (!to)
        return false;
    *to = ',';
    to += o->filled;
    *to++ = '"';
    if (!copy_plain(to, key, length))
        return false;
    to[length] = '"';
    to[length + 1] = ':';
    o->filled = true;
    wl_buffer_wrote(o->text, length + marks);
    return true;
}

/* Writes what precedes a value: a comma, a line break, its key. */
static void begin_named(wl_json_out *o, const char *key, size_t length)
{
    if (key && o->form == WL_JSON_COMPACT && begin_compact(o, key, length))
        return;
    if (o->filled)
        put_separator(o, ',', o->form == WL_JSON_SPACED);
    if (o->form == WL_JSON_INDENTED && o->depth > 0)
        new_line(o);
    o->filled = true;
    if (!key)
        return;
    put_quoted(o->text, key, length);
    put_separator(o, ':', o->form != WL_JSON_COMPACT);
}

static void begin(wl_json_out *o, const char *key) { begin_named(o, key, key ? strlen(key) : 0); }

static void open(wl_json_out *o, const char *bracket)
{
    wl_buffer_put(o->text, bracket, 1);
    o->depth++;
    o->filled = false;
}

static void close(wl_json_out *o, const char *bracket)
{
    o->depth--;
    if (o->filled && o->form == WL_JSON_INDENTED)
        new_line(o);
    wl_buffer_put(o->text, bracket, 1);
    o->filled = true;
}

void wl_out_object(wl_json_out *o, const char *key)
{
    begin(o, key);
    open(o, "{");
}

void wl_out_array(wl_json_out *o, const char *key)
{
    begin(o, key);
    open(o, "[");
}

void wl_out_object_end(wl_json_out *o) { close(o, "}"); }
void wl_out_array_end(wl_json_out *o) { close(o, "]"); }

/* ---- values ---- */

static void put_whole(wl_json_out *o, int64_t value)
{
    char *to = wl_buffer_room(o->text, WL_DIGITS_ROOM);
    if (to)
        wl_buffer_wrote(o->text, wl_digits_whole(value, to));
}

/* JSON reads "1e+05", but the shortest form is 1e5; and a double has a point or an exponent. */
static size_t tidy(char *text, size_t length)
{
    char *e = memchr(text, 'e', length);
    if (!e && !memchr(text, '.', length)) {
        text[length] = '.';
        text[length + 1] = '0';
        return length + 2;
    }
    if (!e)
        return length;
    char *to = e + 1 + (e[1] == '-');
    const char *from = e + 2;
    while (*from == '0')
        from++;
    const size_t rest = length - (size_t)(from - text);
    memmove(to, from, rest);
    return (size_t)(to - text) + rest;
}

static void put_real(wl_json_out *o, double value)
{
    char *to = wl_buffer_room(o->text, WL_DIGITS_ROOM + 2);
    const size_t length = to ? wl_digits_real(value, o->digits, to) : 0;
    if (length == 0)
        o->text->failed = true;
    else
        wl_buffer_wrote(o->text, tidy(to, length));
}

static void put_number(wl_json_out *o, double value)
{
    if (value == floor(value) && fabs(value) < WL_JSON_WHOLE_MAX)
        put_whole(o, (int64_t)value);
    else
        put_real(o, value);
}

static void put_truth(wl_json_out *o, bool value) { wl_buffer_text(o->text, value ? "true" : "false"); }

static void put_shape(wl_json_out *o, const int64_t extent[3])
{
    open(o, "[");
    for (int d = 0; d < 3; d++)
        wl_out_whole(o, NULL, extent[d]);
    close(o, "]");
}

void wl_out_text(wl_json_out *o, const char *key, const char *value)
{
    begin(o, key);
    put_quoted(o->text, value, strlen(value));
}

void wl_out_whole(wl_json_out *o, const char *key, int64_t value)
{
    begin(o, key);
    put_whole(o, value);
}

void wl_out_truth(wl_json_out *o, const char *key, bool value)
{
    begin(o, key);
    put_truth(o, value);
}

void wl_out_number(wl_json_out *o, const char *key, double value)
{
    if (!isfinite(value))
        return;
    begin(o, key);
    put_number(o, value);
}

void wl_out_real(wl_json_out *o, const char *key, double value)
{
    if (!isfinite(value))
        return;
    begin(o, key);
    put_real(o, value);
}

void wl_out_null(wl_json_out *o, const char *key)
{
    begin(o, key);
    wl_buffer_text(o->text, "null");
}

/* ---- members ---- */

static void put_member(wl_json_out *o, const wl_member *m)
{
    switch (m->kind) {
    case 's':
    case 'w': put_quoted(o->text, m->value.text, strlen(m->value.text)); break;
    case 'd':
    case 'i': put_whole(o, m->value.whole); break;
    case 'b': put_truth(o, m->value.whole != 0); break;
    case 'n': put_number(o, m->value.number); break;
    case 'r': put_real(o, m->value.number); break;
    case 'x': put_shape(o, m->value.extent); break;
    default: open(o, "{"); break;
    }
}

void wl_out_list(wl_json_out *o, wl_members *all)
{
    for (wl_member m; wl_member_next(all, &m);) {
        if (m.kind == '}') {
            close(o, "}");
        } else if (m.known) {
            begin_named(o, m.name, m.length);
            put_member(o, &m);
        } else if (!m.optional && !o->not_finite[0]) {
            (void)wl_print(o->not_finite, sizeof o->not_finite, "%.*s", (int)m.length, m.name);
        }
    }
}

void wl_out_members(wl_json_out *o, const char *format, ...)
{
    wl_members all = {.rest = format};
    va_start(all.arguments, format);
    wl_out_list(o, &all);
    va_end(all.arguments);
}

void wl_out_row(wl_json_out *o, const char *key, const char *format, ...)
{
    wl_members all = {.rest = format};
    wl_out_object(o, key);
    va_start(all.arguments, format);
    wl_out_list(o, &all);
    va_end(all.arguments);
    wl_out_object_end(o);
}

void wl_out_objects(wl_json_out *o, const char *key, size_t count, wl_out_item *item, const void *of)
{
    wl_out_array(o, key);
    for (size_t i = 0; i < count; i++) {
        wl_out_object(o, NULL);
        item(o, of, i);
        wl_out_object_end(o);
    }
    wl_out_array_end(o);
}

void wl_out_reals(wl_json_out *o, const char *key, const double *values, size_t count)
{
    wl_out_array(o, key);
    for (size_t i = 0; i < count; i++)
        wl_out_real(o, NULL, values[i]);
    wl_out_array_end(o);
}

void wl_out_texts(wl_json_out *o, const char *first, size_t size, int count)
{
    for (int i = 0; i < count; i++)
        wl_out_text(o, NULL, first + (size_t)i * size);
}

wl_status wl_out_status(const wl_json_out *o, wl_error *err)
{
    if (o->status != WL_OK)
        return o->status;
    if (o->text->failed)
        return wl_fail_memory(err);
    if (o->not_finite[0])
        return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "internal error: %s is not a finite number", o->not_finite);
    return WL_OK;
}
