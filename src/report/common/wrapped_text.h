/* wrapped_text.h - long sentences for people. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_WRAPPED_TEXT_H
#define WL_REPORT_COMMON_WRAPPED_TEXT_H

#include "base/buffer.h"

/* Wraps text at blanks into lines of `width` columns, indented by two. */
void wl_wrapped_text(const char *text, int width, wl_buffer *out);

/* The same after a head; further lines are indented by its length. */
void wl_hanging_text(const char *head, const char *text, size_t width, wl_buffer *out);

#endif /* WL_REPORT_COMMON_WRAPPED_TEXT_H */
