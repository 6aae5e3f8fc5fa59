/* wrapped_text.h - long sentences for people. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_WRAPPED_TEXT_H
#define WL_REPORT_WRAPPED_TEXT_H

#include "base/buffer.h"

/* Broken at blanks into lines of `width` columns, two columns in. */
void wl_wrapped_text(const char *text, int width, wl_buffer *out);

#endif /* WL_REPORT_WRAPPED_TEXT_H */
