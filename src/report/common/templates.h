/* templates.h - texts in other languages, kept as files: share/templates, built into the library.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_TEMPLATES_H
#define WL_REPORT_COMMON_TEMPLATES_H

#include "base/buffer.h"

typedef struct wl_piece {
    const char *text;
    size_t length;
} wl_piece;

/* The part of a file (named without its suffix) below a line "@ PART", up to the next such line.
 * The files are ours: a part that is missing is empty. */
wl_piece wl_template(const char *file, const char *part, size_t part_length);
/* Adds such a part, or the whole file if the part is NULL. */
void wl_template_add(wl_buffer *out, const char *file, const char *part);

#endif /* WL_REPORT_COMMON_TEMPLATES_H */
