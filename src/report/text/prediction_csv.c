/* prediction_csv.c - one header, one line; base units; an unknown value is an empty cell.
 * SPDX-License-Identifier: MIT
 */
#include "base/quote.h"
#include "report/common/prediction_report.h"

void wl_report_csv(const void *result, wl_buffer *out)
{
    const wl_report *r = result;
    const wl_prediction *p = r->prediction;
    wl_buffer_add(out, "kernel,device,block_x,block_y,block_z,fold_x,fold_y,fold_z,grid_x,grid_y,grid_z,registers,"
                       "blocks_per_sm,items");
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        wl_buffer_add(out, ",%s", wl_metric_name((wl_metric)i));
    wl_buffer_add(out, ",time_s,items_per_s,limiter\n");
    wl_quote_csv(out, wl_kernel_name(r->kernel));
    wl_buffer_add(out, ",");
    wl_quote_csv(out, wl_device_name(r->device));
    for (int d = 0; d < 3; d++)
        wl_buffer_add(out, ",%lld", (long long)p->launch.block[d]);
    for (int d = 0; d < 3; d++)
        wl_buffer_add(out, ",%lld", (long long)p->launch.fold[d]);
    for (int d = 0; d < 3; d++)
        wl_buffer_add(out, ",%lld", (long long)p->launch.grid[d]);
    wl_buffer_add(out, ",%lld,%lld,%lld", (long long)p->launch.registers, (long long)p->occupancy.blocks_per_sm,
                  (long long)p->items);
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        if (p->metrics[i].known)
            wl_buffer_add(out, ",%.15g", p->metrics[i].value);
        else
            wl_buffer_add(out, ",");
    }
    wl_buffer_add(out, ",%.9g,%.9g,%s\n", p->model.time_s, p->model.items_per_s, wl_bound_name(p->model.limiter));
}
