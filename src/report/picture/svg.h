/* svg.h - elements of SVG that pictures share.
 * Layer  report/picture (uses base). Units: pixels. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PICTURE_SVG_H
#define WL_REPORT_PICTURE_SVG_H

#include "base/quote.h"

/* At most so many characters of a text; font is a list of classes. */
void wl_svg_text(wl_buffer *out, double x, double y, const char *font, const char *text, size_t most);
void wl_svg_words(wl_buffer *out, double x, double y, const char *font, size_t most, const char *format, ...)
    WL_PRINTF(6, 7);
/* The style, a file of share/templates, and the background. */
void wl_svg_page(wl_buffer *out, const char *style);
/* A whole picture in the style "NAME_style": takes the body, whose memory it frees. */
void wl_svg_whole(wl_buffer *out, const char *name, double width, double height, const char *title, wl_buffer *body);
/* Like wl_buffer_add; texts are quoted. */
void wl_svg_quote(wl_buffer *out, const char *text);
#define wl_svg_print(out, ...) wl_quote_add((out), wl_svg_quote, __VA_ARGS__)

#endif /* WL_REPORT_PICTURE_SVG_H */
