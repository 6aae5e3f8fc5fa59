/* stream.h - instruction counts of a kernel that has an instruction stream, launch by launch.
 * Layer  kernel (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_STREAM_H
#define WL_KERNEL_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "warpline/mix.h"

typedef struct wl_stream {
    void *context;
    /* Counts for a launch of these blocks; lines are those of instructions with a source line, most executed first,
     * valid until the next call. */
    wl_status (*count)(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                       const wl_line_mix **lines, size_t *line_count, wl_error *err);
    void (*free)(void *context);
} wl_stream;

#endif /* WL_KERNEL_STREAM_H */
