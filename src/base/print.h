/* print.h - numbers read and written the same way in every locale.
 *
 * strtod and printf follow the locale of the host program: "0.5" is a half in one locale and 0 in
 * another. Here the decimal separator is always a point.
 *
 * Layer  base. Oracle: tests/unit/test_number.c (strtod in the C locale).
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_NUMBER_H
#define WL_BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

#include "warpline/status.h"

/* snprintf and vsnprintf in the C locale. Negative, with an empty text, when that locale cannot be
 * allocated. */
int wl_print(char *text, size_t size, const char *format, ...) WL_PRINTF(3, 4);
int wl_print_list(char *text, size_t size, const char *format, va_list args) WL_PRINTF(3, 0);

#endif /* WL_BASE_NUMBER_H */
