/* svg.h - elements of SVG that pictures share.
 * Layer  report/picture (uses base). Units: pixels. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PICTURE_SVG_H
#define WL_REPORT_PICTURE_SVG_H

#include "base/buffer.h"

/* At most so many characters of a text; font is a list of classes. */
void wl_svg_text(wl_buffer *out, double x, double y, const char *font, const char *text, size_t most);

#endif /* WL_REPORT_PICTURE_SVG_H */
