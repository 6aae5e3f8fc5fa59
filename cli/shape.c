/* shape.c - see shape.h. SPDX-License-Identifier: MIT */
#include "shape.h"

#include <stdio.h>
#include <string.h>

static long long given(int64_t extent) { return extent ? extent : 1; }

const char *shape_text(const int64_t extent[3], char text[SHAPE_LENGTH])
{
    snprintf(text, SHAPE_LENGTH, "%lldx%lldx%lld", given(extent[0]), given(extent[1]), given(extent[2]));
    return text;
}

bool shape_same(const int64_t a[3], const int64_t b[3]) { return memcmp(a, b, 3 * sizeof *a) == 0; }
