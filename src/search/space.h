/* space.h - a space of launches: which blocks, foldings and schedules to try, under which
 * conditions.
 *
 * Layer  search (uses base, kernel). Oracle: tests/unit/test_space.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_SPACE_H
#define WL_SEARCH_SPACE_H

#include "kernel/where.h"
#include "search/schedules.h"
#include "search/values.h"
#include "warpline/rank.h"

#define WL_CONDITIONS_MAX 64

typedef struct wl_fold_registers {
    bool any; /* for all foldings without their own entry */
    int64_t fold[3], registers;
} wl_fold_registers;

typedef struct wl_shape_entry {
    int64_t extent[3];
    struct wl_shape_entry *next;
} wl_shape_entry;

struct wl_space {
    wl_arena arena;
    wl_values block[3], fold[3], threads; /* count 0: not given */
    wl_shape_entry *folds;                /* latest first */
    wl_fold_registers *registers;
    size_t register_count, register_capacity;
    const wl_where *conditions[WL_CONDITIONS_MAX];
    size_t condition_count;
    wl_schedule_list schedules; /* empty: only linear */
    bool all_schedules;         /* also all that suit the kernel */
    wl_launch *launches;
    size_t launch_count;
    const wl_kernel *kernel; /* expressions may use its params; NULL: none */
    const char **names;      /* "nx=640", for grid and conditions */
    size_t name_count;
    wl_grid_rule *grid; /* NULL: determined by the domain */
};

#endif /* WL_SEARCH_SPACE_H */
