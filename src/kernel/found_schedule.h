/* found_schedule.h - kernels that compute a schedule themselves.
 *
 * Such a kernel has a domain of one dimension, and its addresses contain the mapping from threads
 * to columns: x/(h*c)*c, x%(h*c)%min(w - x/(h*c)*c, c) and so on. In terms of the two axes of the
 * order, the same addresses are affine, and the schedule describes how threads visit them.
 *
 * Parts of addresses that depend on x alone are evaluated: where they stop growing steadily, the
 * first row of the first column ends; where rows stop following each other, the column ends. Each
 * such part must then be a multiple of the column's x, plus one of its y, plus a constant. That is
 * checked at the edges of columns and rows and at positions drawn at random, not at every cell. How
 * the kernel writes the mapping does not matter: kernel files and PTX have divisions in different
 * places.
 *
 * Layer   kernel (uses base, expr, schedule). Oracle: tests/unit/test_found_schedule.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_FOUND_SCHEDULE_H
#define WL_KERNEL_FOUND_SCHEDULE_H

#include "kernel/kernel_internal.h"
#include "warpline/schedule.h"

typedef struct wl_found_schedule {
    wl_schedule schedule; /* column:c; of the width of the row if threads go row by row */
    int64_t extent[2];    /* of the domain in cells */
    wl_access *accesses;  /* those of the kernel, over x and y of that domain */
    int64_t checked;      /* positions at which every part was compared */
} wl_found_schedule;

/* Sets *found, and *out if so, in memory of `arena`. WL_E_NOMEM. */
wl_status wl_schedule_find(const wl_kernel *kernel, wl_arena *arena, wl_found_schedule *out, bool *found,
                           wl_error *err);

#endif /* WL_KERNEL_FOUND_SCHEDULE_H */
