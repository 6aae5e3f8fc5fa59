/* number.h - a number read the same way in every locale. SPDX-License-Identifier: MIT */
#ifndef WL_NUMBER_H
#define WL_NUMBER_H

#include "warpline/status.h"

/* The number at the start of `text`, rounded as strtod rounds it in the C locale: a sign, then decimal digits with a
 * point and an exponent, or hexadecimal ones after 0x. No blanks before it, no "inf" and no "nan". What is too large is
 * infinite. *end (unless NULL) is behind it, or at `text` where there is no number; then 0 is returned. */
WL_API double wl_number_read(const char *text, const char **end);

#endif /* WL_NUMBER_H */
