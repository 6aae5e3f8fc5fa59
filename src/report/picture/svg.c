/* svg.c - see svg.h. SPDX-License-Identifier: MIT */
#include "report/picture/svg.h"

#include <math.h>
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

double wl_svg_step(double whole, double steps)
{
    const double power = pow(10, floor(log10(whole / steps))), digits = whole / steps / power;
    return power * (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10);
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

/* Corners of the forms, in units of their size; a form with one corner is a circle. */
enum { CORNERS_MAX = 12 };
static const struct {
    int count;
    double at[CORNERS_MAX][2];
} corners[WL_SVG_FORM_COUNT] = {[WL_SVG_CIRCLE] = {1, {{-1, 0}}},
                                [WL_SVG_SQUARE] = {4, {{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}}},
                                [WL_SVG_UP] = {3, {{0, -1.1}, {1.1, 0.85}, {-1.1, 0.85}}},
                                [WL_SVG_DOWN] = {3, {{0, 1.1}, {1.1, -0.85}, {-1.1, -0.85}}},
                                [WL_SVG_DIAMOND] = {4, {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}}},
                                [WL_SVG_PLUS] = {12,
                                                 {{-0.3, -1.1},
                                                  {0.3, -1.1},
                                                  {0.3, -0.3},
                                                  {1.1, -0.3},
                                                  {1.1, 0.3},
                                                  {0.3, 0.3},
                                                  {0.3, 1.1},
                                                  {-0.3, 1.1},
                                                  {-0.3, 0.3},
                                                  {-1.1, 0.3},
                                                  {-1.1, -0.3},
                                                  {-0.3, -0.3}}},
                                [WL_SVG_CROSS] = {12,
                                                  {{0, -0.45},
                                                   {0.6, -1.05},
                                                   {1.05, -0.6},
                                                   {0.45, 0},
                                                   {1.05, 0.6},
                                                   {0.6, 1.05},
                                                   {0, 0.45},
                                                   {-0.6, 1.05},
                                                   {-1.05, 0.6},
                                                   {-0.45, 0},
                                                   {-1.05, -0.6},
                                                   {-0.6, -1.05}}},
                                [WL_SVG_BAR] = {4, {{-1.1, -0.4}, {1.1, -0.4}, {1.1, 0.4}, {-1.1, 0.4}}},
                                [WL_SVG_POST] = {4, {{-0.4, -1.1}, {0.4, -1.1}, {0.4, 1.1}, {-0.4, 1.1}}}};

void wl_svg_form_path(wl_buffer *out, wl_svg_form form, double x, double y, double size)
{
    for (int i = 0; i < corners[form].count; i++)
        wl_buffer_add(out, "%s%.1f %.1f", i ? "L" : "M", x + size * corners[form].at[i][0],
                      y + size * corners[form].at[i][1]);
    if (form == WL_SVG_CIRCLE)
        wl_buffer_add(out, "a%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0", size, size, 2 * size, size, size,
                      -2 * size);
    wl_buffer_text(out, "z");
}

void wl_svg_mark(wl_buffer *out, wl_svg_form form, bool open, double x, double y, double size)
{
    wl_buffer_add(out, "<path class=\"%s\" d=\"", open ? "open" : "mark");
    wl_svg_form_path(out, form, x, y, size);
    wl_buffer_text(out, "\"/>");
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
