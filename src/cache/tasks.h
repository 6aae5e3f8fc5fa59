/* tasks.h - the accesses that a cache sees: tasks in order, each with the lines it uses.
 *
 * A task is a thread, or a warp. It uses each of its lines once, in the order of first use;
 * repeated uses within a task do not matter, because a schedule only changes the order of tasks.
 *
 * Examples: a stencil whose box ends at the edge of the domain, and a matrix product; they read
 * only. Kernels: every access to global memory, loops step by step. Fields lie far apart, and rows
 * of the examples start at lines.
 *
 * Layer  cache (uses base, schedule, kernel, launch). Units: lines.
 * Oracle  tests/unit/test_tasks.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_TASKS_H
#define WL_CACHE_TASKS_H

#include "base/arena.h"
#include "cache/closed_forms.h"
#include "launch/geometry.h"
#include "schedule/order.h"

#define WL_FIELD_SHIFT 48 /* a line's number has its field above this bit .. */
/* .. and this below it for the field's start, as halos lie before it */
#define WL_FIELD_MIDDLE ((int64_t)1 << 47)

/* The number of a line that is `line` lines after the field's start. */
static inline uint64_t wl_field_line(size_t field, int64_t line)
{
    return (uint64_t)field << WL_FIELD_SHIFT | (uint64_t)(line + WL_FIELD_MIDDLE);
}

typedef struct wl_line_use {
    uint64_t line;
    bool store;
} wl_line_use;

/* One task; its uses may repeat lines. */
typedef wl_status (*wl_task_visit)(void *user, int64_t task, const wl_line_use *uses, size_t count, wl_error *err);

typedef struct wl_tasks {
    int64_t count;
    int field_count;
    const char *const *fields; /* names */
    void *context;             /* in the arena, as all else */
    /* Visits tasks first <= n < first + count, in order. */
    wl_status (*visit)(void *context, int64_t first, int64_t count, wl_task_visit visit, void *user, wl_error *err);
} wl_tasks;

/* `by` threads make a task. */
wl_status wl_tasks_of_stencil(const wl_stencil *stencil, const wl_schedule *schedule, int64_t by, wl_arena *arena,
                              wl_tasks *out, wl_error *err);
wl_status wl_tasks_of_product(const wl_product *product, const wl_schedule *schedule, int64_t by, wl_arena *arena,
                              wl_tasks *out, wl_error *err);

/* The threads of a kernel. With a geometry: those of its blocks, in launch order; its schedule is
 * the launch's. Without: the cells of the domain, in the order of a schedule. WL_E_UNSUPPORTED:
 * there is no geometry, and the kernel has no domain, names its block, or the schedule orders
 * blocks. */
typedef struct wl_kernel_tasks {
    const wl_kernel *kernel;
    const wl_geometry *geometry; /* or NULL */
    wl_schedule schedule;        /* without a geometry */
    int64_t line_bytes, by;      /* by: at most WL_LANES_MAX */
} wl_kernel_tasks;
wl_status wl_tasks_of_kernel(const wl_kernel_tasks *wanted, wl_arena *arena, wl_tasks *out, wl_error *err);

/* One execution of one access by one warp: byte addresses of the active lanes from the base of the
 * field. */
typedef struct wl_warp_execution {
    const wl_access *access;
    int lanes;
    const int64_t *addresses;
} wl_warp_execution;
typedef wl_status (*wl_warp_visit)(void *user, const wl_warp_execution *execution, wl_error *err);

/* The executions of one warp of a kernel with a geometry, in program order; block: its number in
 * launch order. Memory stays until wl_tasks_forget. */
wl_status wl_tasks_visit_warp(const wl_tasks *tasks, int64_t block, int64_t first_thread, wl_warp_visit visit,
                              void *user, wl_error *err);
void wl_tasks_forget(const wl_tasks *tasks);

#endif /* WL_CACHE_TASKS_H */
