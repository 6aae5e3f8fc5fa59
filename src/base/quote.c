/* quote.c - see quote.h. SPDX-License-Identifier: MIT */
#include "base/quote.h"

#include "base/text.h"

static void add_blank_or(wl_buffer *out, bool blank, char c) { wl_buffer_put(out, blank ? " " : &c, 1); }

static bool is_control(char c) { return (unsigned char)c < ' '; }

void wl_quote_csv(wl_buffer *out, const char *text)
{
    wl_buffer_put(out, "\"", 1);
    for (;; text++) {
        const size_t plain = strcspn(text, "\"\n\r");
        wl_buffer_put(out, text, plain);
        text += plain;
        if (!*text)
            break;
        wl_buffer_text(out, *text == '"' ? "\"\"" : " ");
    }
    wl_buffer_put(out, "\"", 1);
}

void wl_quote_gnuplot(wl_buffer *out, const char *text)
{
    wl_buffer_text(out, "'");
    for (; *text; text++) {
        if (*text == '\'')
            wl_buffer_text(out, "'");
        add_blank_or(out, is_control(*text), *text);
    }
    wl_buffer_text(out, "'");
}

void wl_quote_yaml(wl_buffer *out, const char *text)
{
    wl_buffer_text(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            wl_buffer_text(out, "\\");
        add_blank_or(out, is_control(*text), *text);
    }
    wl_buffer_text(out, "\"");
}

void wl_quote_python(wl_buffer *out, const char *text)
{
    wl_buffer_text(out, "\"");
    while (*text) {
        const size_t length = wl_text_utf8(text);
        if (length == 0)
            wl_buffer_text(out, "\\ufffd");
        else if (is_control(*text) || *text == 0x7f)
            wl_buffer_add(out, "\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            wl_buffer_add(out, "\\%c", *text);
        else
            wl_buffer_put(out, text, length);
        text += length ? length : 1;
    }
    wl_buffer_text(out, "\"");
}

static void add_xml(wl_buffer *out, const char *text, size_t length)
{
    static const struct {
        char c;
        const char *as;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (*text == marks[i].c) {
            wl_buffer_text(out, marks[i].as);
            return;
        }
    if (length == 0)
        wl_buffer_text(out, "\xef\xbf\xbd");
    else if (is_control(*text) || *text == 0x7f)
        wl_buffer_text(out, " ");
    else
        wl_buffer_put(out, text, length);
}

void wl_quote_xml(wl_buffer *out, const char *text, size_t most)
{
    for (size_t n = 0; *text; n++) {
        const size_t length = wl_text_utf8(text);
        if (n == most) {
            wl_buffer_text(out, "\xe2\x80\xa6");
            return;
        }
        add_xml(out, text, length);
        text += length ? length : 1;
    }
}

#define SPECIFICATION 16 /* characters of "%+.3lld", at most */

void wl_quote_add(wl_buffer *out, wl_quoting *quote, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%"), length = at[plain] ? strspn(at + plain + 1, "-+# 0123456789.lz") + 2 : 0;
        char one[SPECIFICATION] = "";
        wl_buffer_put(out, at, plain);
        out->failed = out->failed || length >= sizeof one; /* a mistake of the caller */
        if (length == 0 || out->failed)
            break;
        memcpy(one, at + plain, length);
        at += plain + length;
        const char kind = one[length - 1];
        if (kind == 's')
            quote(out, va_arg(args, const char *));
        else if (kind == '%')
            wl_buffer_put(out, "%", 1);
        else if (strchr("aefg", kind))
            wl_buffer_add(out, one, va_arg(args, double));
        else if (strchr(one, 'l'))
            wl_buffer_add(out, one, va_arg(args, long long));
        else if (strchr(one, 'z'))
            wl_buffer_add(out, one, va_arg(args, size_t));
        else
            wl_buffer_add(out, one, va_arg(args, int));
    }
    va_end(args);
}
