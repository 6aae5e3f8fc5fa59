/* wrapped_text.h - long sentences for people. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_WRAPPED_TEXT_H
#define WL_REPORT_WRAPPED_TEXT_H

#include "base/buffer.h"

/* Broken at blanks into lines of `width` columns, two columns in. */
void wl_wrapped_text(const char *text, int width, wl_buffer *out);

/* Behind a head; further lines are set in as far as the head is long. */
void wl_hanging_text(const char *head, const char *text, size_t width, wl_buffer *out);

#endif /* WL_REPORT_WRAPPED_TEXT_H */
