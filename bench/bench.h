/* bench.h - what benchmarks share. SPDX-License-Identifier: MIT */
#ifndef WL_BENCH_H
#define WL_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "warpline/warpline.h"

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this process: what else the machine does is left out. */
static inline double cpu_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
static inline double wall_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

static inline void must(wl_status status, const wl_error *err)
{
    if (status == WL_OK)
        return;
    fprintf(stderr, "%s: %s\n", err->input, err->message);
    exit(1);
}

#endif /* WL_BENCH_H */
