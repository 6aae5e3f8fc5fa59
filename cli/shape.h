/* shape.h - blocks, foldings and grids in output: three extents. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_SHAPE_H
#define WL_CLI_SHAPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* "32x4x2"; an extent that is not given counts as 1. */
#define SHAPE_LENGTH 64
const char *shape_text(const int64_t extent[3], char text[SHAPE_LENGTH]);
/* [32, 4, 2] */
json_t *shape_json(const int64_t extent[3]);
bool shape_same(const int64_t a[3], const int64_t b[3]);

#endif /* WL_CLI_SHAPE_H */
