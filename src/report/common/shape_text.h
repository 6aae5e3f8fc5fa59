/* shape_text.h - blocks, foldings, grids, domains and schedules as people write them. Texts live to
 * the end of the call that wl_shape_text(x).text is an argument of.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_SHAPE_TEXT_H
#define WL_REPORT_COMMON_SHAPE_TEXT_H

#include "warpline/schedule.h"

/* "32x4x2"; an extent that is not given counts as 1. */
#define WL_SHAPE_LENGTH 64
typedef struct wl_shape_words {
    char text[WL_SHAPE_LENGTH];
} wl_shape_words;
wl_shape_words wl_shape_text(const int64_t extent[3]);

/* "column:32" */
typedef struct wl_schedule_name {
    char text[WL_SCHEDULE_TEXT_MAX];
} wl_schedule_name;
wl_schedule_name wl_schedule_words(const wl_schedule *schedule);

#endif /* WL_REPORT_COMMON_SHAPE_TEXT_H */
