/* trace_internal.h - tasks through one cache, with what happens to each line.
 *
 * Layer  cache. Units: lines. Oracle: tests/unit/test_trace.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_TRACE_INTERNAL_H
#define WL_CACHE_TRACE_INTERNAL_H

#include "cache/cache.h"
#include "cache/tasks.h"
#include "warpline/trace.h"

#define WL_TRACE_NAME 64

/* What happens to a line during a task of the window. */
typedef enum wl_trace_kind {
    WL_TRACE_STAYS,   /* it is in the cache when the window begins */
    WL_TRACE_EVICTED, /* and not used by the task */
    WL_TRACE_USED,    /* a hit, or a store */
    WL_TRACE_FETCHED
} wl_trace_kind;

typedef struct wl_trace_event {
    int64_t task;
    uint32_t line; /* number in `lines` */
    wl_trace_kind kind;
} wl_trace_event;

struct wl_trace {
    wl_arena arena;
    char name[WL_TRACE_NAME]; /* of the example or kernel */
    wl_trace_options options; /* resolved */
    wl_policy policy;
    bool as_linear; /* the schedule visits these tasks as linear order does */
    wl_trace_counts counts;
    int64_t first, count; /* the window */
    bool whole;           /* it has all tasks */
    int field_count;
    const char *const *fields;
    uint64_t *lines; /* those that the window uses, ascending: by field, then by address */
    size_t line_count;
    wl_trace_event *events; /* in order of time */
    size_t event_count;
    wl_fetches closed_form; /* lines 0: none known */
};

#endif /* WL_CACHE_TRACE_INTERNAL_H */
