/* page_pieces.c - cells, attributes and tables of a page. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/json_out.h"
#include "base/print.h"
#include "report/page/page.h"

/* 2^53: whole numbers up to here are exact, and JSON writes them out */
#define EXACT 9007199254740992.0

void wl_page_text(wl_buffer *out, const char *text) { wl_quote_xml(out, text, SIZE_MAX); }

void wl_page_attribute(wl_buffer *out, const char *name, double value)
{
    if (value == floor(value) && fabs(value) <= EXACT)
        wl_buffer_add(out, " %s=\"%.0f\"", name, value);
    else
        wl_buffer_add(out, " %s=\"%.*g\"", name, WL_JSON_DIGITS, value);
}

void wl_page_cell(wl_buffer *out, const char *text) { wl_page_print(out, "<td>%s</td>", text); }

void wl_page_number(wl_buffer *out, double value, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    (void)wl_print_list(text, sizeof text, format, args);
    va_end(args);
    wl_buffer_text(out, "<td class=\"n\"");
    wl_page_attribute(out, "data-value", value);
    wl_page_print(out, ">%s</td>", text);
}

void wl_page_quantity(wl_buffer *out, wl_dimension dimension, double value)
{
    wl_page_number(out, value, "%s", wl_quantity(dimension, value).text);
}

void wl_page_unknown(wl_buffer *out) { wl_buffer_text(out, "<td class=\"n\">unknown</td>"); }

void wl_page_table(wl_buffer *out, const char *name, const char *heads, ...)
{
    wl_buffer all = {0};
    va_list args;
    va_start(args, heads);
    wl_buffer_add_list(&all, heads, args);
    va_end(args);
    wl_buffer_add(out, "<div class=\"wide\"><table class=\"sorts %s\"><thead><tr>", name);
    for (char *head = all.text, *next; head; head = next) {
        const bool number = head[0] == '#';
        next = strchr(head, '|');
        if (next)
            *next++ = '\0';
        wl_buffer_text(out, number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        wl_page_print(out, "%s</th>", head + number);
    }
    wl_buffer_text(out, "</tr></thead>\n<tbody>\n");
    wl_buffer_drop_part(&all, out);
}

void wl_page_table_end(wl_buffer *out) { wl_buffer_text(out, "</tbody></table></div>\n"); }
