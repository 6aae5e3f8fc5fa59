/* prediction_csv.c - one header, one line; base units. SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/common/csv_out.h"
#include "report/common/prediction_report.h"

#define TIME_DIGITS 9

void wl_report_csv(const void *result, wl_buffer *out)
{
    const wl_report *r = result;
    const wl_prediction *p = r->prediction;
    wl_buffer_text(out, "kernel,device,block_x,block_y,block_z,fold_x,fold_y,fold_z,grid_x,grid_y,grid_z,registers,"
                        "blocks_per_sm,items,");
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        wl_csv_word(out, wl_metric_name((wl_metric)i));
    wl_buffer_text(out, "time_s,items_per_s,limiter\n");
    wl_csv_text(out, wl_kernel_name(r->kernel));
    wl_csv_text(out, wl_device_name(r->device));
    wl_csv_shape(out, p->launch.block);
    wl_csv_shape(out, p->launch.fold);
    wl_csv_shape(out, p->launch.grid);
    wl_csv_whole(out, p->launch.registers);
    wl_csv_whole(out, p->occupancy.blocks_per_sm);
    wl_csv_whole(out, p->items);
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        wl_csv_number(out, p->metrics[i].known ? p->metrics[i].value : NAN);
    wl_csv_digits(out, p->model.time_s, TIME_DIGITS);
    wl_csv_digits(out, p->model.items_per_s, TIME_DIGITS);
    wl_csv_word(out, wl_bound_name(p->model.limiter));
    wl_csv_end(out);
}
