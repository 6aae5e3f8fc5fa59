/* shape_text.h - blocks, foldings, grids and domains as people write them.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_SHAPE_TEXT_H
#define WL_REPORT_COMMON_SHAPE_TEXT_H

#include <stdint.h>

/* "32x4x2"; an extent that is not given counts as 1. Returns `text`. */
#define WL_SHAPE_LENGTH 64
const char *wl_shape_text(const int64_t extent[3], char text[WL_SHAPE_LENGTH]);

#endif /* WL_REPORT_COMMON_SHAPE_TEXT_H */
