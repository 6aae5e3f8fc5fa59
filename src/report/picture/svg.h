/* svg.h - elements of SVG that pictures share.
 * Layer  report/picture (uses base). Units: pixels. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PICTURE_SVG_H
#define WL_REPORT_PICTURE_SVG_H

#include "base/quote.h"

/* At most so many characters of a text; font is a list of classes. */
void wl_svg_text(wl_buffer *out, double x, double y, const char *font, const char *text, size_t most);
void wl_svg_words(wl_buffer *out, double x, double y, const char *font, size_t most, const char *format, ...)
    WL_PRINTF(6, 7);
/* A step of an axis: 1, 2 or 5 times a power of ten, about the whole / `steps`. */
double wl_svg_step(double whole, double steps);
/* Forms of marks; each is filled, or open. */
typedef enum wl_svg_form {
    WL_SVG_CIRCLE,
    WL_SVG_SQUARE,
    WL_SVG_UP, /* triangles */
    WL_SVG_DOWN,
    WL_SVG_DIAMOND,
    WL_SVG_PLUS,
    WL_SVG_CROSS,
    WL_SVG_BAR,
    WL_SVG_POST,
    WL_SVG_FORM_COUNT
} wl_svg_form;
/* The form as part of a path; size: from its middle to its edge. */
void wl_svg_form_path(wl_buffer *out, wl_svg_form form, double x, double y, double size);
/* A mark of its own, of the class "mark" or "open". */
void wl_svg_mark(wl_buffer *out, wl_svg_form form, bool open, double x, double y, double size);
/* The style, a file of share/templates, and the background. */
void wl_svg_page(wl_buffer *out, const char *style);
/* A whole picture in the style "NAME_style": takes the body, whose memory it frees. */
void wl_svg_whole(wl_buffer *out, const char *name, double width, double height, const char *title, wl_buffer *body);
/* Like wl_buffer_add; texts are quoted. */
void wl_svg_quote(wl_buffer *out, const char *text);
#define wl_svg_print(out, ...) wl_quote_add((out), wl_svg_quote, __VA_ARGS__)

#endif /* WL_REPORT_PICTURE_SVG_H */
