/* tuning_report.c - see tuning_report.h. SPDX-License-Identifier: MIT */
#include "report/common/tuning_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "metrics/prediction.h"

wl_status wl_tuning_new(const char *const *names, size_t count, const wl_trust *trust, wl_tuning **out, wl_error *err)
{
    wl_tuning *t = calloc(1, sizeof *t);
    if (!t)
        return wl_fail_memory(err);
    t->names = names;
    t->name_count = count;
    t->trust = *trust;
    *out = t;
    return WL_OK;
}

void wl_tuning_free(wl_tuning *t)
{
    if (!t)
        return;
    wl_arena_free(&t->arena);
    free(t->all);
    free(t);
}

static const char *keep(wl_tuning *t, const char *text) { return wl_arena_text(&t->arena, text, strlen(text)); }

wl_status wl_tuning_add(wl_tuning *t, const char *const *values, const wl_prediction *p, const wl_kernel *kernel,
                        const wl_device *device, const char *reason, wl_error *err)
{
    wl_tuned one = {.number = t->count};
    const char **kept = WL_ARENA_NEW(&t->arena, const char *, t->name_count + 1);
    bool failed = !kept || !WL_ROOM(t->all, t->count + 1, t->room);
    for (size_t i = 0; i < t->name_count && !failed; i++)
        failed = !(kept[i] = keep(t, values[i]));
    if (p && !t->kernel && !failed)
        failed = !(t->kernel = keep(t, wl_kernel_name(kernel))) || !(t->device = keep(t, wl_device_name(device))) ||
                 !(t->title = keep(t, wl_device_title(device)));
    if (!p && !failed)
        failed = !(one.reason = keep(t, reason));
    if (failed)
        return wl_fail_memory(err);
    one.values = kept;
    if (p) {
        one.launch = p->launch;
        one.occupancy = p->occupancy;
        one.time_s = p->model.time_s;
        one.limiter = p->model.limiter;
        t->predicted++;
    }
    t->all[t->count++] = one;
    return WL_OK;
}

size_t wl_tuning_predicted(const wl_tuning *t) { return t->predicted; }

/* What is equally fast stays in the order of the space. */
static int compare(const void *left, const void *right)
{
    const wl_tuned *a = left, *b = right;
    if (!a->reason != !b->reason)
        return a->reason ? 1 : -1;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

void wl_tuning_sort(wl_tuning *t, size_t top, size_t variants)
{
    if (t->count > 0)
        qsort(t->all, t->count, sizeof *t->all, compare);
    t->top = top && top < t->predicted ? top : t->predicted;
    t->variants = variants;
}
