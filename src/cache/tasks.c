/* tasks.c - tasks of examples: see tasks.h. SPDX-License-Identifier: MIT */
#include "cache/tasks.h"

#include "base/fail.h"

typedef struct example example;
struct example {
    wl_order order;
    int64_t by;
    wl_stencil stencil;
    wl_product product;
    size_t (*task)(const example *e, const int64_t cell[3], wl_line_use *uses);
    wl_line_use *uses; /* room for those of a task */
};

#define TASK_USES_MAX ((int64_t)1 << 24)

static wl_line_use use_of(size_t field, int64_t line) { return (wl_line_use){wl_field_line(field, line), false}; }

static size_t stencil_task(const example *e, const int64_t cell[3], wl_line_use *uses)
{
    const wl_stencil *s = &e->stencil;
    const int64_t pitch = wl_ceil_div(s->width, s->line);
    const int64_t left = wl_max(0, cell[0] - s->reach[0]) / s->line;
    const int64_t right = wl_min(s->width - 1, cell[0] + s->reach[0]) / s->line;
    size_t n = 0;
    for (int64_t y = wl_max(0, cell[1] - s->reach[1]); y <= wl_min(s->height - 1, cell[1] + s->reach[1]); y++)
        for (int64_t line = left; line <= right; line++)
            uses[n++] = use_of(0, y * pitch + line);
    return n;
}

static size_t product_task(const example *e, const int64_t cell[3], wl_line_use *uses)
{
    const wl_product *p = &e->product;
    const int64_t a = wl_ceil_div(p->depth, p->line), b = wl_ceil_div(p->width, p->line);
    size_t n = 0;
    for (int64_t k = 0; k < p->depth; k++) {
        if (k % p->line == 0)
            uses[n++] = use_of(0, cell[1] * a + k / p->line);
        uses[n++] = use_of(1, k * b + cell[0] / p->line);
    }
    return n;
}

static wl_status visit_example(void *context, int64_t first, int64_t count, wl_task_visit visit, void *user,
                               wl_error *err)
{
    const example *e = context;
    for (int64_t task = first; task < first + count; task++) {
        size_t uses = 0;
        for (int64_t i = task * e->by; i < wl_min((task + 1) * e->by, e->order.cells); i++) {
            int64_t cell[3];
            wl_order_cell(&e->order, i, cell);
            uses += e->task(e, cell, e->uses + uses);
        }
        WL_TRY(visit(user, task, e->uses, uses, err));
    }
    return WL_OK;
}

/* uses: of one thread, at most. */
static wl_status make_example(const example *wanted, const wl_schedule *schedule, const int64_t extent[3], int64_t uses,
                              wl_arena *arena, wl_tasks *out, wl_error *err)
{
    example *e = WL_ARENA_NEW(arena, example, 1);
    if (!e)
        return wl_fail_memory(err);
    *e = *wanted;
    WL_TRY(wl_order_make(schedule, extent, &e->order, err));
    if (uses > TASK_USES_MAX / e->by)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "a task would use more than %lld lines", (long long)TASK_USES_MAX);
    e->uses = WL_ARENA_NEW(arena, wl_line_use, uses * e->by);
    if (!e->uses)
        return wl_fail_memory(err);
    out->context = e;
    out->count = wl_ceil_div(e->order.cells, e->by);
    out->visit = visit_example;
    return WL_OK;
}

wl_status wl_tasks_of_stencil(const wl_stencil *s, const wl_schedule *schedule, int64_t by, wl_arena *arena,
                              wl_tasks *out, wl_error *err)
{
    static const char *const names[] = {"input"};
    const int64_t extent[3] = {s->width, s->height, 1};
    const int64_t columns = wl_min(wl_ceil_div(s->width, s->line), (2 * s->reach[0]) / s->line + 2);
    const example e = {.by = by, .stencil = *s, .task = stencil_task};
    *out = (wl_tasks){.field_count = 1, .fields = names};
    return make_example(&e, schedule, extent, columns * wl_min(s->height, 2 * s->reach[1] + 1), arena, out, err);
}

wl_status wl_tasks_of_product(const wl_product *p, const wl_schedule *schedule, int64_t by, wl_arena *arena,
                              wl_tasks *out, wl_error *err)
{
    static const char *const names[] = {"A", "B"};
    const int64_t extent[3] = {p->width, p->height, 1};
    const example e = {.by = by, .product = *p, .task = product_task};
    *out = (wl_tasks){.field_count = 2, .fields = names};
    return make_example(&e, schedule, extent, wl_ceil_div(p->depth, p->line) + p->depth, arena, out, err);
}
