/* print.h - numbers read and written the same way in every locale.
 *
 * The C library's strtod and printf follow the locale of the program the library is part of: "0.5" is half in one and 0
 * in another. Here the decimal point is '.', always.
 *
 * Layer  base. Oracle: tests/unit/test_number.c (strtod in the C locale). SPDX-License-Identifier: MIT */
#ifndef WL_BASE_NUMBER_H
#define WL_BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

#include "warpline/status.h"

/* snprintf and vsnprintf in the C locale. Negative, with an empty text, where there is no memory for that locale. */
int wl_print(char *text, size_t size, const char *format, ...) WL_PRINTF(3, 4);
int wl_print_list(char *text, size_t size, const char *format, va_list args) WL_PRINTF(3, 0);

#endif /* WL_BASE_NUMBER_H */
