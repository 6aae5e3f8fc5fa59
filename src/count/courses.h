/* courses.h - which lines the resident blocks of a traced kernel load at the same time: a warp of
 * each block is followed through its life, and its lines are noted with the time.
 *
 * Blocks of one wave run side by side. Their lives are cut into sections of equal numbers of loads;
 * what blocks load in the same section they load together. A line that several sections load may
 * leave the L2 in between: in persistent blocks, which work on one tile after another, as between
 * waves of blocks. All lines would be too many: those with certain hashes stand for all.
 *
 * Layer  count. Units: lines of the L2. Oracle: tests/unit/test_courses.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_COURSES_H
#define WL_COUNT_COURSES_H

#include "count/traffic.h"

/* Windows of a course: a run of blocks in 64, 32, .. 2 sections, a run, and two runs. A run is a
 * wave or, where that takes too long, a part of one. */
#define WL_COURSE_SECTIONS 64
#define WL_COURSE_RUN 6
#define WL_COURSE_WINDOWS 8

/* Lines of one field, of those noted. */
typedef struct wl_field_course {
    int64_t run;                        /* blocks of a run; 0: not known */
    bool whole;                         /* all blocks of the launch were followed */
    bool timed;                         /* waves were followed to their end: sections are known */
    double own;                         /* distinct in each block, summed over blocks */
    double together[WL_COURSE_WINDOWS]; /* distinct in each window, summed over windows */
    double distinct;                    /* of all blocks */
} wl_field_course;

/* Follows the blocks of a launch whose loads are traced; `out` has as many members as the kernel
 * fields. Nothing is known where loads are not traced, or where the addresses of a warp depend on
 * what others do. */
wl_status wl_courses_find(const wl_traffic_input *input, const wl_traffic *traffic, wl_field_course *out,
                          wl_error *err);

#endif /* WL_COUNT_COURSES_H */
