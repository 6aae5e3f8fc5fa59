/* svg.c - see svg.h. SPDX-License-Identifier: MIT */
#include "report/picture/svg.h"

#include "base/quote.h"

void wl_svg_text(wl_buffer *out, double x, double y, const char *font, const char *text, size_t most)
{
    wl_buffer_add(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", font, x, y);
    wl_quote_xml(out, text, most);
    wl_buffer_text(out, "</text>\n");
}
