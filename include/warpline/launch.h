/* launch.h - how a kernel is started, and what follows from it: grid and occupancy.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAUNCH_H
#define WL_LAUNCH_H

#include "warpline/device.h"
#include "warpline/kernel.h"
#include "warpline/schedule.h"
#include "warpline/status.h"

/* All-zero means "not given": blocks and folds of 0 count as 1, a grid of 0 follows from the
 * domain. */
typedef struct wl_launch {
    int64_t block[3];     /* threads per block                                                    */
    int64_t fold[3];      /* consecutive cells one thread computes                                */
    int64_t grid[3];      /* blocks; 0: as many as the domain needs                               */
    int64_t registers;    /* per thread; 0: what the kernel states                                */
    int64_t shared_bytes; /* per block; 0: what the kernel states                                 */
    wl_schedule schedule; /* the order in which threads or blocks visit the domain                */
} wl_launch;

typedef enum wl_occupancy_limit {
    WL_LIMIT_THREADS,
    WL_LIMIT_REGISTERS,
    WL_LIMIT_SHARED,
    WL_LIMIT_BLOCKS,
    WL_LIMIT_COUNT
} wl_occupancy_limit;

typedef struct wl_occupancy {
    int64_t blocks_per_sm; /* 0: the block does not fit */
    int64_t warps_per_sm;
    int64_t threads_per_sm;
    wl_occupancy_limit limiter;     /* the smallest of: */
    int64_t limits[WL_LIMIT_COUNT]; /* blocks each resource would allow */
    int64_t shared_allocated;       /* bytes one block occupies, system share included */
    int64_t registers_allocated;    /* registers one warp occupies */
    int64_t l1_bytes;               /* L1 left beside the shared memory of the resident blocks */
} wl_occupancy;

/* "threads", "registers", "shared", "blocks" */
WL_API const char *wl_occupancy_limit_name(wl_occupancy_limit limit);

/* threads per block 1.., registers per thread 1.., shared bytes per block 0.. (static and dynamic
 * together). WL_E_INPUT when a number is out of the device's range; a block that does not fit gives
 * blocks_per_sm 0. */
WL_FALLIBLE wl_occupancy_compute(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                                 wl_occupancy *out, wl_error *err);

/* ---- numbers from expressions ---- */

/* Whole numbers, + - * / % (rounding down), min, max, cdiv (division, rounding up), parentheses,
 * over names. `sets` gives names their values, "nx=640"; a value may be an expression of the names
 * before it. An error inside one has that assignment as its input; an error without input is inside
 * `text`. */

/* A grid that follows from the block: "cdiv(nx,block.x),cdiv(ny,block.y*2),nz", one to three
 * extents that may also name block.x .. block.z, fold.x .., tile.x .. (cells of a block), domain.x
 * .., threads and warps; or "20x128x256". Params of `kernel` (NULL: none) are names, too. */
typedef struct wl_grid_rule wl_grid_rule;
WL_FALLIBLE wl_grid_rule_parse(const wl_kernel *kernel, const char *text, const char *const *sets, size_t set_count,
                               wl_grid_rule **out, wl_error *err);
WL_API void wl_grid_rule_free(wl_grid_rule *rule);
WL_API const char *wl_grid_rule_text(const wl_grid_rule *rule);
/* Sets the grid of a launch; `domain` is 0 where not given, `device` NULL. WL_E_INPUT: an extent
 * below 1, division by zero, a domain that is named and not given, warps without the device whose
 * warps they are. */
WL_FALLIBLE wl_grid_rule_apply(const wl_grid_rule *rule, const wl_device *device, const int64_t domain[3],
                               wl_launch *launch, wl_error *err);

/* One number; of a launch it may name the domain alone. */
WL_FALLIBLE wl_number_evaluate(const char *text, const char *const *sets, size_t set_count, const int64_t domain[3],
                               int64_t *value, wl_error *err);

/* One number that follows from a launch, as dynamic shared memory does: "block.x*4"; names as in a
 * grid rule. WL_E_INPUT: it is negative, or names a domain or warps that are not given. */
WL_FALLIBLE wl_launch_number(const wl_launch *launch, const char *text, const char *const *sets, size_t set_count,
                             const wl_device *device, const int64_t domain[3], int64_t *value, wl_error *err);

/* Arguments of a kernel that are given by name and are whole numbers, "n=4096" or "m=2*n", are
 * names as well: writes those that `sets` does not give to `names` (room for `count`), in an order
 * in which they can follow the sets; *found says how many. Others (buffers, reals, numbers that
 * depend on the domain) are left out, as are names that launches have. The texts remain the
 * caller's. WL_E_NOMEM. */
WL_FALLIBLE wl_launch_argument_names(const char *const *arguments, size_t count, const char *const *sets,
                                     size_t set_count, const char **names, size_t *found, wl_error *err);

#endif /* WL_LAUNCH_H */
