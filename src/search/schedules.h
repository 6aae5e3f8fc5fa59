/* schedules.h - which schedules are worth trying over a domain.
 *
 * Layer  search (uses base, schedule, kernel). Oracle: tests/unit/test_schedules.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_SCHEDULES_H
#define WL_SEARCH_SCHEDULES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/kernel_internal.h"
#include "warpline/launch.h"

#define WL_SCHEDULES_MAX 128 /* of a list */

typedef struct wl_schedule_list {
    wl_schedule at[WL_SCHEDULES_MAX]; /* none twice */
    size_t count;
} wl_schedule_list;

/* Adds a schedule unless the list has it; false: no room. */
bool wl_schedules_add(wl_schedule_list *list, wl_schedule schedule);
/* Adds the schedules of a text as "linear,column:32,swizzle:8"; positions of errors are relative to
 * `text`. */
wl_status wl_schedules_parse(const char *text, wl_schedule_list *list, wl_error *err);

/* Can the threads of this kernel be reordered: does it have a domain, with a cell per thread? */
bool wl_threads_can_be_ordered(const wl_kernel *kernel);
/* Schedules of threads need blocks of one row, without folding. */
bool wl_schedule_fits(const wl_schedule *schedule, const int64_t block[3], const int64_t fold[3]);
/* Does the launch visit the domain in the same order as without a schedule? */
bool wl_schedule_changes_nothing(const wl_kernel *kernel, const wl_launch *launch, int64_t warp_size);

/* Widths of columns narrower than the row: powers of two from 4 on, 48 and 96. Returns how many. */
#define WL_COLUMN_WIDTHS_MAX 64
size_t wl_column_widths(int64_t row, int64_t widths[WL_COLUMN_WIDTHS_MAX]);

/* The schedules that a search tries with all blocks: linear, and the columns, tiles and swizzles
 * that often help. */
void wl_schedules_of_search(const wl_kernel *kernel, wl_schedule_list *out);

#endif /* WL_SEARCH_SCHEDULES_H */
