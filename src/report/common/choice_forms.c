/* choice_forms.c - see choice_forms.h. SPDX-License-Identifier: MIT */
#include "report/common/choice_forms.h"

#include <math.h>

#include "base/ckd.h"
#include "device/device_internal.h"

#define COMMON_WIDTH 32 /* the paper's columns are multiples of it */

static void add_row(wl_choice_forms *f, wl_schedule schedule)
{
    const bool linear = schedule.kind == WL_SCHEDULE_LINEAR;
    const wl_tile tile = {linear ? f->problem.width : schedule.width, f->problem.height};
    for (int i = 0; i < f->count; i++)
        if (f->rows[i].schedule.kind == schedule.kind && f->rows[i].schedule.width == schedule.width)
            return;
    if (tile.width < 1 || (!linear && tile.width >= f->problem.width))
        return;
    f->rows[f->count++] = (wl_form_row){schedule, wl_known_needs(&f->problem, f->line_bytes, tile),
                                        wl_known_fetches(&f->problem, f->line_bytes, tile, f->cache_lines)};
}

bool wl_choice_forms_of(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device, wl_choice_forms *out)
{
    const wl_prediction *given = &choice->rows[0];
    const wl_schedule *best = &choice->rows[wl_choice_best(choice)].launch.schedule;
    const int64_t line = wl_device_int(device, WL_DEVICE_l1_line);
    *out = (wl_choice_forms){.problem = wl_known_of(kernel), .line_bytes = line};
    if (out->problem.kind == WL_KNOWN_NONE)
        return false;
    out->cache_lines = given->occupancy.l1_bytes / line;
    out->threads = (double)given->occupancy.threads_per_sm;
    out->least = wl_known_least(&out->problem, line);
    out->width = wl_known_width(&out->problem, line, (double)given->occupancy.l1_bytes, out->threads);
    add_row(out, (wl_schedule){.kind = WL_SCHEDULE_LINEAR});
    add_row(out, (wl_schedule){WL_SCHEDULE_COLUMN, COMMON_WIDTH, 0});
    if (out->width >= 1)
        add_row(out, (wl_schedule){WL_SCHEDULE_COLUMN, (int64_t)fmin(out->width, (double)out->problem.width), 0});
    if (best->kind == WL_SCHEDULE_COLUMN)
        add_row(out, *best);
    return out->cache_lines > 0;
}
