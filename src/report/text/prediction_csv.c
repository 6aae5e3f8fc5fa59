/* prediction_csv.c - one header, one line; base units. SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/common/prediction_report.h"
#include "report/common/data_row.h"

#define TIME_DIGITS 9

static void line(const wl_report *r, bool heads, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    wl_row row = {.csv = out, .heads = heads};
    wl_row_add(&row, "kernel:s device:s block:x fold:x grid:x registers:d blocks_per_sm:d items:d",
               wl_kernel_name(r->kernel), wl_device_name(r->device), p->launch.block, p->launch.fold, p->launch.grid,
               p->launch.registers, p->occupancy.blocks_per_sm, p->items);
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        wl_row_number(&row, wl_metric_name((wl_metric)i), p->metrics[i].known ? p->metrics[i].value : NAN);
    row.digits = TIME_DIGITS;
    wl_row_add(&row, "time_s:n items_per_s:n limiter:w", p->model.time_s, p->model.items_per_s,
               wl_bound_name(p->model.limiter));
    wl_row_end(&row);
}

void wl_report_csv(const void *result, wl_buffer *out)
{
    line(result, true, out);
    line(result, false, out);
}
