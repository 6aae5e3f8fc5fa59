/* stream.h - instruction counts of a kernel that has an instruction stream, launch by launch.
 * Layer  kernel (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_STREAM_H
#define WL_KERNEL_STREAM_H

#include <stddef.h>

#include "warpline/mix.h"

typedef struct wl_stream {
    void *context;
    /* Counts for the launch the kernel was made for; lines are those of instructions with a source line, most executed
     * first, valid as long as the kernel. */
    wl_status (*count)(void *context, wl_mix *out, const wl_line_mix **lines, size_t *line_count, wl_error *err);
    void (*free)(void *context);
} wl_stream;

#endif /* WL_KERNEL_STREAM_H */
