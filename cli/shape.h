/* shape.h - blocks, foldings and grids: three extents. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_SHAPE_H
#define WL_CLI_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* "32x4x2"; an extent that is not given counts as 1. */
#define SHAPE_LENGTH 64
const char *shape_text(const int64_t extent[3], char text[SHAPE_LENGTH]);
bool shape_same(const int64_t a[3], const int64_t b[3]);

#endif /* WL_CLI_SHAPE_H */
