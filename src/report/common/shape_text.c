/* shape_text.c - see shape_text.h. SPDX-License-Identifier: MIT */
#include "report/common/shape_text.h"

#include <stdio.h>

static long long given(int64_t extent) { return extent ? extent : 1; }

const char *wl_shape_text(const int64_t extent[3], char text[WL_SHAPE_LENGTH])
{
    (void)snprintf(text, WL_SHAPE_LENGTH, "%lldx%lldx%lld", given(extent[0]), given(extent[1]), given(extent[2]));
    return text;
}
