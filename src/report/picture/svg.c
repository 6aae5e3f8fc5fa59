/* svg.c - see svg.h. SPDX-License-Identifier: MIT */
#include "report/picture/svg.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "report/common/templates.h"

void wl_svg_quote(wl_buffer *out, const char *text) { wl_quote_xml(out, text, SIZE_MAX); }

void wl_svg_text(wl_buffer *out, double x, double y, const char *font, const char *text, size_t most)
{
    wl_buffer_add(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", font, x, y);
    wl_quote_xml(out, text, most);
    wl_buffer_text(out, "</text>\n");
}

void wl_svg_words(wl_buffer *out, double x, double y, const char *font, size_t most, const char *format, ...)
{
    wl_buffer words = {0};
    va_list args;
    va_start(args, format);
    wl_buffer_add_list(&words, format, args);
    va_end(args);
    wl_svg_text(out, x, y, font, wl_buffer_string(&words), most);
    wl_buffer_drop_part(&words, out);
}

void wl_svg_page(wl_buffer *out, const char *style)
{
    wl_buffer_text(out, "<style>\n");
    wl_template_add(out, style, NULL);
    wl_buffer_text(out, "</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
}

void wl_svg_whole(wl_buffer *out, const char *name, double width, double height, const char *title, wl_buffer *body)
{
    char style[32];
    (void)snprintf(style, sizeof style, "%s_style", name);
    wl_svg_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%.0f\" height=\"%.0f\" "
                 "viewBox=\"0 0 %.0f %.0f\">\n<title>%s</title>\n",
                 name, width, height, width, height, title);
    wl_svg_page(out, style);
    wl_buffer_add(out, "%s</svg>\n", wl_buffer_string(body));
    wl_buffer_drop_part(body, out);
}
