/* kernel_tasks.c - tasks of a kernel: see tasks.h.
 *
 * Each access is evaluated for all lanes of a group and all steps of its loops; the executions are
 * then put in the order of the steps. An access outside a loop comes before it if it loads and
 * after it if it stores. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "cache/tasks.h"
#include "kernel/program.h"
#include "launch/lanes.h"

#define ADDRESSES_MAX ((size_t)1 << 24) /* of a group of lanes */

/* One execution of one access by the lanes of a group. */
typedef struct execution {
    int64_t step[WL_LOOPS_MAX]; /* of its loops; -1: before a loop; its extent: after it */
    int fold;                   /* number of the thread's cell */
    size_t access, number;      /* number: in the order of evaluation */
    size_t first;               /* of its addresses */
    int lanes;
    int next; /* of its lanes to be visited, when tasks are single threads */
} execution;

typedef struct group {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    wl_order order; /* of cells, without a geometry */
    int64_t line_bytes, by;
    wl_program *programs; /* of accesses to global memory */
    size_t program_count;
    wl_lane_values values;
    uint8_t position[WL_LANES_MAX]; /* of each lane of the values, in the group */
    const wl_access *access;        /* being evaluated */
    int fold;                       /* likewise */
    /* what was found; grown with realloc, freed at the end of a visit */
    execution *executions;
    int64_t *addresses;
    uint8_t *which;
    wl_line_use *uses;
    size_t execution_count, execution_room, address_count, address_room, use_room;
} group;

/* ---- executions of a group ---- */

static bool make_room(group *g, int lanes)
{
    const size_t wanted = g->address_count + (size_t)lanes;
    size_t rooms[2] = {g->address_room, g->address_room};
    if (!WL_ROOM(g->executions, g->execution_count + 1, g->execution_room) ||
        !WL_ROOM(g->addresses, wanted, rooms[0]) || !WL_ROOM(g->which, wanted, rooms[1]))
        return false;
    g->address_room = rooms[0];
    return true;
}

static void set_steps(const group *g, execution *e)
{
    const uint32_t vars = wl_access_vars(g->access);
    for (int l = 0; l < WL_LOOPS_MAX; l++) {
        const bool inside = l < g->kernel->loop_count && vars >> (WL_VAR_LOOP_0 + l) & 1;
        const bool after = g->access->store && l < g->kernel->loop_count;
        e->step[l] = inside ? g->values.at[WL_VAR_LOOP_0 + l][0] : after ? g->kernel->loop_extent[l] : -1;
    }
}

static wl_status note(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    group *g = context;
    if (g->address_count + (size_t)lanes > ADDRESSES_MAX)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "a task has more than %zu addresses", ADDRESSES_MAX / 64);
    if (!make_room(g, lanes))
        return wl_fail_memory(err);
    execution *e = &g->executions[g->execution_count];
    *e = (execution){.fold = g->fold,
                     .access = (size_t)(g->access - g->kernel->accesses),
                     .number = g->execution_count++,
                     .first = g->address_count,
                     .lanes = lanes};
    if (!g->access->traced)
        set_steps(g, e);
    memcpy(g->addresses + g->address_count, addresses, (size_t)lanes * sizeof *addresses);
    for (int i = 0; i < lanes; i++)
        g->which[g->address_count + (size_t)i] = g->position[which[i]];
    g->address_count += (size_t)lanes;
    return WL_OK;
}

static int in_program_order(const void *p, const void *q)
{
    const execution *a = p, *b = q;
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        if (a->step[l] != b->step[l])
            return a->step[l] < b->step[l] ? -1 : 1;
    if (a->fold != b->fold)
        return a->fold < b->fold ? -1 : 1;
    if (a->access != b->access)
        return a->access < b->access ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static wl_status run_programs(group *g, wl_error *err)
{
    for (size_t i = 0; i < g->program_count && g->values.lanes > 0; i++) {
        g->access = g->programs[i].access;
        WL_TRY(wl_program_run(&g->programs[i], &g->values, note, g, err));
    }
    return WL_OK;
}

/* Cells of the domain, one for each lane. */
static wl_status run_cells(group *g, int64_t first, int lanes, wl_error *err)
{
    int n = 0;
    for (; n < lanes && first + n < g->order.cells; n++) {
        int64_t cell[3];
        wl_order_cell(&g->order, first + n, cell);
        for (int d = 0; d < 3; d++) {
            g->values.at[WL_VAR_X + d][n] = cell[d] + g->kernel->first[d];
            g->values.at[WL_VAR_THREAD_X + d][n] = 0;
            g->values.at[WL_VAR_BLOCK_X + d][n] = cell[d];
            g->values.at[WL_VAR_BLOCKDIM_X + d][n] = 1;
            g->values.at[WL_VAR_GRIDDIM_X + d][n] = g->order.extent[d];
        }
        g->position[n] = (uint8_t)n;
    }
    g->values.lanes = n;
    return run_programs(g, err);
}

/* Threads of one block, with all their cells. */
static wl_status run_threads(group *g, int64_t block, int64_t first_thread, int lanes, wl_error *err)
{
    const wl_geometry *launch = g->geometry;
    wl_warp_id warp = {.first_thread = first_thread};
    int64_t f[3];
    wl_block_at(launch, block, warp.block);
    for (f[2] = 0; f[2] < launch->fold[2]; f[2]++)
        for (f[1] = 0; f[1] < launch->fold[1]; f[1]++)
            for (f[0] = 0; f[0] < launch->fold[0]; f[0]++, g->fold++)
                if (wl_lanes_fill(launch, &warp, lanes, f, &g->values, g->position) > 0)
                    WL_TRY(run_programs(g, err));
    return WL_OK;
}

static wl_status evaluate(group *g, int64_t first, int lanes, wl_error *err)
{
    g->execution_count = g->address_count = 0;
    g->fold = 0;
    if (g->geometry)
        WL_TRY(run_threads(g, first / g->geometry->threads, first % g->geometry->threads, lanes, err));
    else
        WL_TRY(run_cells(g, first, lanes, err));
    if (g->execution_count > 1)
        qsort(g->executions, g->execution_count, sizeof *g->executions, in_program_order);
    return WL_OK;
}

/* ---- tasks of a group ---- */

static wl_status add_lines(group *g, const execution *e, int64_t address, size_t *count, wl_error *err)
{
    const wl_access *access = &g->kernel->accesses[e->access];
    const int64_t first = wl_floor_div(address, g->line_bytes);
    const int64_t last = wl_floor_div(address + access->width_bytes - 1, g->line_bytes);
    if (first <= -WL_FIELD_MIDDLE || last >= WL_FIELD_MIDDLE)
        return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "an address is too large to be traced");
    for (int64_t line = first; line <= last; line++) {
        const wl_line_use use = {wl_field_line(access->field, line), access->store};
        if (*count > 0 && g->uses[*count - 1].line == use.line && g->uses[*count - 1].store == use.store)
            continue; /* neighbouring lanes mostly share a line */
        if (!WL_ROOM(g->uses, *count + 1, g->use_room))
            return wl_fail_memory(err);
        g->uses[(*count)++] = use;
    }
    return WL_OK;
}

static wl_status collect_all(group *g, size_t *count, wl_error *err)
{
    *count = 0;
    for (size_t i = 0; i < g->execution_count; i++) {
        const execution *e = &g->executions[i];
        for (int l = 0; l < e->lanes; l++)
            WL_TRY(add_lines(g, e, g->addresses[e->first + (size_t)l], count, err));
    }
    return WL_OK;
}

/* The uses of one lane. Executions have their lanes in ascending order, and so are they asked
 * for. */
static wl_status collect_lane(group *g, int lane, size_t *count, wl_error *err)
{
    *count = 0;
    for (size_t i = 0; i < g->execution_count; i++) {
        execution *e = &g->executions[i];
        for (; e->next < e->lanes && g->which[e->first + (size_t)e->next] <= lane; e->next++)
            WL_TRY(add_lines(g, e, g->addresses[e->first + (size_t)e->next], count, err));
    }
    return WL_OK;
}

typedef struct visitor {
    wl_task_visit visit;
    void *user;
} visitor;

static wl_status visit_group(group *g, int64_t first, int lanes, const visitor *v, wl_error *err)
{
    size_t count = 0;
    WL_TRY(evaluate(g, first, lanes, err));
    if (g->by > 1) {
        WL_TRY(collect_all(g, &count, err));
        return v->visit(v->user, first / g->by, g->uses, count, err);
    }
    for (int i = 0; i < lanes; i++) {
        WL_TRY(collect_lane(g, i, &count, err));
        WL_TRY(v->visit(v->user, first + i, g->uses, count, err));
    }
    return WL_OK;
}

static void forget(group *g)
{
    free(g->executions);
    free(g->addresses);
    free(g->which);
    free(g->uses);
    g->executions = NULL;
    g->addresses = NULL;
    g->which = NULL;
    g->uses = NULL;
    g->execution_room = g->address_room = g->use_room = 0;
}

/* Groups end with blocks. */
static wl_status visit_kernel(void *context, int64_t first, int64_t count, wl_task_visit visit, void *user,
                              wl_error *err)
{
    group *g = context;
    const visitor v = {visit, user};
    const int64_t block = g->geometry ? g->geometry->threads : INT64_MAX, end = (first + count) * g->by;
    wl_status status = WL_OK;
    for (int64_t at = first * g->by; at < end && status == WL_OK;) {
        const int64_t lanes = wl_min(wl_min(g->by > 1 ? g->by : WL_LANES_MAX, block - at % block), end - at);
        status = visit_group(g, at, (int)lanes, &v, err);
        at += g->by > 1 ? g->by : lanes;
    }
    forget(g);
    return status;
}

/* ---- warps ---- */

wl_status wl_tasks_visit_warp(const wl_tasks *tasks, int64_t block, int64_t first_thread, wl_warp_visit visit,
                              void *user, wl_error *err)
{
    group *g = tasks->context;
    const int64_t lanes = wl_min(g->by, g->geometry->threads - first_thread);
    WL_TRY(evaluate(g, block * g->geometry->threads + first_thread, (int)lanes, err));
    for (size_t i = 0; i < g->execution_count; i++) {
        const execution *e = &g->executions[i];
        const wl_warp_execution one = {&g->kernel->accesses[e->access], e->lanes, g->addresses + e->first};
        WL_TRY(visit(user, &one, err));
    }
    return WL_OK;
}

void wl_tasks_forget(const wl_tasks *tasks) { forget(tasks->context); }

/* ---- making ---- */

static wl_status check(const wl_kernel_tasks *w, wl_error *err)
{
    const wl_geometry *g = w->geometry;
    if (!g && (w->kernel->dims == 0 || wl_kernel_names_launch(w->kernel)))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "what a thread does depends on the launch: a block is needed");
    if (!g && wl_schedule_orders_blocks(&w->schedule))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "this schedule orders blocks: a block is needed");
    return WL_OK;
}

static wl_status make_programs(group *g, wl_arena *arena, wl_error *err)
{
    const wl_kernel *kernel = g->kernel;
    g->programs = WL_ARENA_NEW(arena, wl_program, kernel->access_count ? kernel->access_count : 1);
    if (!g->programs)
        return wl_fail_memory(err);
    for (size_t i = 0; i < kernel->access_count; i++)
        if (!kernel->fields[kernel->accesses[i].field].shared) {
            WL_TRY(wl_program_make(kernel, &kernel->accesses[i], arena, &g->programs[g->program_count], err));
            g->programs[g->program_count++].one_block = g->geometry != NULL;
        }
    return WL_OK;
}

wl_status wl_tasks_of_kernel(const wl_kernel_tasks *w, wl_arena *arena, wl_tasks *out, wl_error *err)
{
    const wl_kernel *kernel = w->kernel;
    group *g = WL_ARENA_NEW(arena, group, 1);
    const char **names = WL_ARENA_NEW(arena, const char *, kernel->field_count ? kernel->field_count : 1);
    if (!g || !names)
        return wl_fail_memory(err);
    int64_t cells[3];
    for (int d = 0; d < 3; d++)
        cells[d] = kernel->dims ? kernel->domain[d] - kernel->first[d] : 1;
    WL_TRY(check(w, err));
    *g = (group){.kernel = kernel, .geometry = w->geometry, .line_bytes = w->line_bytes, .by = w->by};
    WL_TRY(wl_order_make(&w->schedule, cells, &g->order, err));
    WL_TRY(make_programs(g, arena, err));
    for (size_t f = 0; f < kernel->field_count; f++)
        names[f] = kernel->fields[f].name;
    const int64_t threads = w->geometry ? w->geometry->blocks * w->geometry->threads : g->order.cells;
    *out = (wl_tasks){.count = wl_ceil_div(threads, w->by),
                      .field_count = (int)kernel->field_count,
                      .fields = names,
                      .context = g,
                      .visit = visit_kernel};
    return WL_OK;
}
