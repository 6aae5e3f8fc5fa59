/* shape_text.c - see shape_text.h. SPDX-License-Identifier: MIT */
#include "report/common/shape_text.h"

#include <stdio.h>

static long long given(int64_t extent) { return extent ? extent : 1; }

wl_shape_words wl_shape_text(const int64_t extent[3])
{
    wl_shape_words out;
    (void)snprintf(out.text, sizeof out.text, "%lldx%lldx%lld", given(extent[0]), given(extent[1]), given(extent[2]));
    return out;
}

wl_schedule_name wl_schedule_words(const wl_schedule *schedule)
{
    wl_schedule_name out;
    wl_schedule_print(schedule, out.text);
    return out;
}
