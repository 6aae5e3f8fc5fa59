/* schedule_templates.h - the code of each schedule; schedule_code.c replaces a $ and a letter.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_TEXT_SCHEDULE_TEMPLATES_H
#define WL_REPORT_TEXT_SCHEDULE_TEMPLATES_H

#include "warpline/schedule.h"

typedef struct wl_schedule_template {
    const char *meaning;
    const char *plain; /* sets *x and declares `row` */
    /* of the struct of constants; and the same code with constants */
    const char *members, *prepare, *ready;
} wl_schedule_template;

extern const wl_schedule_template wl_schedule_templates[WL_SCHEDULE_KIND_COUNT];

/* Division by a constant that the host computes. */
extern const char wl_schedule_divisor[];
extern const char wl_schedule_quotient_narrow[], wl_schedule_quotient_wide[], wl_schedule_quotient_cuda[];

/* How a kernel calls the function, as a comment. */
extern const char wl_schedule_use_of_area[], wl_schedule_use_of_box[];   /* threads */
extern const char wl_schedule_use_of_plane[], wl_schedule_use_of_grid[]; /* blocks */

#endif /* WL_REPORT_TEXT_SCHEDULE_TEMPLATES_H */
