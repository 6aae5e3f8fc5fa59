/* digits.h - numbers as decimal text, fast: the bytes are those of printf in the C locale.
 *
 * Layer  base. Oracle: tests/unit/test_digits.c (snprintf in the C locale).
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_DIGITS_H
#define WL_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#define WL_DIGITS_MAX 17  /* tells any two doubles apart */
#define WL_DIGITS_ROOM 32 /* for any number printed here, with its 0 */

/* "%lld". Returns the length of the text. */
size_t wl_digits_whole(int64_t value, char text[WL_DIGITS_ROOM]);

/* "%.*g" with 1 to WL_DIGITS_MAX digits. 0: the C locale cannot be allocated. */
size_t wl_digits_real(double value, int digits, char text[WL_DIGITS_ROOM]);

#endif /* WL_BASE_DIGITS_H */
