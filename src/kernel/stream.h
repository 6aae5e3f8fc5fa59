/* stream.h - instruction counts of a kernel that has an instruction stream, launch by launch.
 * Layer  kernel (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_STREAM_H
#define WL_KERNEL_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "warpline/mix.h"

/* One load or store of local memory by one warp. */
typedef struct wl_local_touch {
    uint32_t warp; /* number in its block */
    bool store;
    int bytes;             /* of one lane */
    uint64_t lanes;        /* active */
    const int64_t *offset; /* bytes from the start of the thread's memory; one per active lane */
} wl_local_touch;
/* touch NULL: a block ends. */
typedef wl_status (*wl_local_visit)(void *user, const wl_local_touch *touch, wl_error *err);

typedef struct wl_stream {
    void *context;
    /* Counts for a launch of these blocks; lines are those of instructions with a source line, most executed first,
     * valid until the next call. */
    wl_status (*count)(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                       const wl_line_mix **lines, size_t *line_count, wl_error *err);
    /* Visits what some blocks do with local memory; *blocks is how many. NULL: there is none. */
    wl_status (*local)(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit, void *user,
                       int64_t *blocks, wl_error *err);
    void (*free)(void *context);
} wl_stream;

#endif /* WL_KERNEL_STREAM_H */
