/* trace.h - the lines of memory that tasks use, one after the other, through a cache: what is
 * fetched, what stays, what is evicted. Tasks are threads or warps in the order of a schedule
 * (docs/schedule.md, "Diagrams").
 * SPDX-License-Identifier: MIT */
#ifndef WL_TRACE_H
#define WL_TRACE_H

#include "warpline/launch.h"

/* All-zero but for the size is a fully associative LRU cache and linear order. */
typedef struct wl_trace_options {
    wl_schedule schedule;
    int64_t lines, line_bytes; /* of the cache; 0: as the L1 of the device */
    int64_t ways;              /* 0: fully associative */
    const char *policy;        /* "lru" (NULL), "random", "random4" */
    uint64_t seed;             /* of random policies */
    int64_t by;                /* threads that make a task, up to 64; 0: 1 */
    int64_t first, count;      /* tasks to draw; count 0: all, or as many as fit */
} wl_trace_options;

typedef struct wl_trace_counts {
    int64_t tasks, simulated; /* simulated: fewer than there are only where they are too many */
    int64_t uses, stores;     /* lines used, each once per task; of these, stores */
    /* lines that miss; distinct lines, which every cache must load */
    int64_t fetches, least;
    int64_t evictions;
} wl_trace_counts;

typedef struct wl_trace wl_trace;
/* "stencil", "stencil:7x7" (the default), "matmul", "matmul:16" (the depth; default: the width),
 * over a domain of elements of 4 bytes. WL_E_INPUT: no such example, an impossible cache. */
WL_FALLIBLE wl_trace_example(const char *example, const int64_t domain[3], const wl_trace_options *options,
                             wl_trace **out, wl_error *err);
/* The threads of a launch on a device; without a launch (NULL), the cells of the kernel's domain,
 * and the device may be NULL where the cache is given. Stores pass through the cache.
 * WL_E_UNSUPPORTED: threads that cannot be put in this order, or depend on a launch that is not
 * given. */
WL_FALLIBLE wl_trace_kernel(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                            const wl_trace_options *options, wl_trace **out, wl_error *err);
WL_API void wl_trace_free(wl_trace *trace);
WL_API wl_trace_counts wl_trace_count(const wl_trace *trace);

#endif /* WL_TRACE_H */
