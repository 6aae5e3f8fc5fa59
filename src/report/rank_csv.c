/* rank_csv.c - rankings as CSV, a line for each launch; an unknown value is an empty cell. SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/quote.h"
#include "report/rank_report.h"
#include "search/ranker.h"

/* Where all launches are linear there is no such column. */
void wl_rank_csv_start(const wl_ranked_space *s, wl_buffer *out)
{
    wl_buffer_text(out, "kernel,device,domain_x,domain_y,domain_z,rank,group,block_x,block_y,block_z,fold_x,fold_y,"
                        "fold_z");
    wl_buffer_text(out, wl_ranker_has_schedules(s->ranker) ? ",schedule" : "");
    wl_buffer_text(out, ",registers,blocks_per_sm,warps_per_sm,time_s,items_per_s,limiter,next_limiter");
    for (int v = 0; v < WL_RANK_VALUES; v++)
        wl_buffer_add(out, ",%s", wl_metric_name(wl_rank_metric((wl_rank_value)v)));
    wl_buffer_text(out, "\n");
}

void wl_rank_csv_launch(const wl_ranked_space *s, const wl_launch *l, const wl_ranked *r, wl_rank_place place,
                        wl_buffer *out)
{
    wl_quote_csv(out, wl_kernel_name(wl_ranker_kernel(s->ranker)));
    wl_buffer_text(out, ",");
    wl_quote_csv(out, wl_device_name(wl_ranker_device(s->ranker)));
    for (int d = 0; d < 3; d++)
        wl_buffer_add(out, ",%lld", (long long)s->domain[d]);
    if (place.rank)
        wl_buffer_add(out, ",%zu,%zu", place.rank, place.group);
    else
        wl_buffer_add(out, ",,");
    wl_buffer_add(out, ",%lld,%lld,%lld,%lld,%lld,%lld", (long long)l->block[0], (long long)l->block[1],
                  (long long)l->block[2], (long long)l->fold[0], (long long)l->fold[1], (long long)l->fold[2]);
    if (wl_ranker_has_schedules(s->ranker)) {
        char schedule[WL_SCHEDULE_TEXT_MAX];
        wl_schedule_print(&l->schedule, schedule);
        wl_buffer_add(out, ",%s", schedule);
    }
    if (l->registers)
        wl_buffer_add(out, ",%lld", (long long)l->registers);
    else
        wl_buffer_text(out, ",");
    wl_buffer_add(out, ",%d,%d,%.15g,%.15g,%s,%s", (int)r->blocks_per_sm, (int)r->warps_per_sm, r->time_s,
                  (double)wl_ranker_launch_items(s->ranker, r->index) / r->time_s,
                  wl_bound_name((wl_bound_id)r->limiter), wl_bound_name((wl_bound_id)r->next));
    for (int v = 0; v < WL_RANK_VALUES; v++) {
        wl_buffer_text(out, ",");
        if (!isnan(r->values[v]))
            wl_buffer_add(out, "%.15g", r->values[v]);
    }
    wl_buffer_text(out, "\n");
}
