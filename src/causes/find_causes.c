/* find_causes.c - see find_causes.h. SPDX-License-Identifier: MIT */
#include "causes/find_causes.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "causes/inquiry.h"
#include "device/device_internal.h"
#include "predictor.h"

static wl_status (*const finders[])(wl_inquiry *, wl_error *) = {
    wl_cause_sectors, wl_cause_banks, wl_cause_divergence, wl_cause_local, wl_cause_swaps,  wl_cause_registers,
    wl_cause_shared,  wl_cause_block, wl_cause_waves,      wl_cause_table, wl_cause_vector, wl_cause_time,
};

const char *wl_cause_name(wl_cause_id cause)
{
    static const char *const names[] = {
#define WL_CAUSE(id, name, caveat) name,
#include "warpline/causes.def"
    };
    return names[cause];
}

const char *wl_cause_caveat(wl_cause_id cause)
{
    static const char *const caveats[] = {
#define WL_CAUSE(id, name, caveat) caveat,
#include "warpline/causes.def"
    };
    return caveats[cause];
}

/* ---- what is known of the launch ---- */

static wl_status copy_costs(wl_inquiry *q, const wl_access_cost *costs, wl_error *err)
{
    const size_t n = q->kernel->access_count;
    wl_access_cost *copy = WL_ARENA_NEW(&q->scratch, wl_access_cost, n + 1);
    if (!copy)
        return wl_fail_memory(err);
    if (n > 0)
        memcpy(copy, costs, n * sizeof *copy);
    q->costs = copy;
    return WL_OK;
}

/* The lives of warps are needed only for source lines: a kernel that cannot be followed has
 * none. */
static wl_status look_at_lives(wl_inquiry *q, wl_error *err)
{
    wl_error own = {0};
    const wl_source *source = &q->kernel->source;
    const wl_status status = source->live ? source->live(source->context, &q->lives, &own) : WL_OK;
    if (status != WL_OK)
        q->lives = NULL;
    return status == WL_E_NOMEM ? wl_fail(err, status, WL_NOWHERE, "%s", own.message) : WL_OK;
}

/* The predictor stays alive as long as the inquiry: it may own the kernel at this launch. */
static wl_status look(wl_inquiry *q, wl_predictor *predictor, wl_error *err)
{
    wl_predictor *at = NULL;
    wl_predict_options stacked = q->options;
    stacked.stacks = true;
    WL_TRY(wl_predict(predictor, &q->launch, &stacked, &q->now, err));
    WL_TRY(wl_predictor_at(predictor, &q->launch, &at, err));
    q->kernel = at->kernel;
    /* with a schedule, accesses are those of reordered cells */
    q->can_vary = at->schedule.kind == WL_SCHEDULE_LINEAR;
    WL_TRY(copy_costs(q, at->costs, err));
    wl_launch launch = q->launch;
    if (!q->can_vary)
        launch.schedule = at->schedule;
    WL_TRY(wl_geometry_make(q->kernel, q->device, &launch, &q->geometry, err));
    wl_geometry_ranges(&q->geometry, q->kernel, &q->ranges);
    const int64_t warp = wl_device_int(q->device, WL_DEVICE_warp_size);
    q->lanes = (double)q->geometry.threads / (double)wl_ceil_div(q->geometry.threads, warp);
    return look_at_lives(q, err);
}

/* ---- in order ---- */

static int by_gain(const void *a, const void *b)
{
    const wl_cause *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    const int texts = strcmp(x->text, y->text);
    return texts || !x->access || !y->access ? texts : strcmp(x->access, y->access);
}

static wl_status find_all(wl_inquiry *q, const wl_cause **out, size_t *count, wl_error *err)
{
    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++)
        WL_TRY(finders[i](q, err));
    wl_cause *list = WL_ARENA_NEW(q->arena, wl_cause, q->count + 1);
    if (!list)
        return wl_fail_memory(err);
    qsort(q->causes, q->count, sizeof *q->causes, by_gain);
    memcpy(list, q->causes, q->count * sizeof *list);
    *out = list;
    *count = q->count;
    return WL_OK;
}

wl_status wl_causes_find(const wl_questioned *what, wl_arena *arena, const wl_cause **out, size_t *count, wl_error *err)
{
    wl_predictor *own = NULL;
    wl_inquiry *q = calloc(1, sizeof *q);
    if (!q)
        return wl_fail_memory(err);
    q->given = what->kernel;
    q->device = what->device;
    q->options = what->options;
    q->options.stacks = false;
    q->launch = what->launch;
    q->block_is_free = what->block_is_free;
    q->arena = arena;
    wl_status status = what->predictor ? WL_OK : wl_predictor_new(q->given, q->device, &own, err);
    if (status == WL_OK)
        status = look(q, what->predictor ? what->predictor : own, err);
    if (status == WL_OK)
        status = find_all(q, out, count, err);
    wl_predictor_free(own);
    wl_arena_free(&q->scratch);
    wl_arena_free(&q->traced);
    free(q);
    return status;
}
