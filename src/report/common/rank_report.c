/* rank_report.c - see rank_report.h. SPDX-License-Identifier: MIT */
#include "report/common/rank_report.h"

#include "report/common/words.h"
#include "search/ranker.h"

size_t wl_tie_group_of(wl_tie_groups *g, const wl_ranked *launch)
{
    if (g->group == 0 || launch->time_s > g->start_s * g->tie) {
        g->group++;
        g->start_s = launch->time_s;
    }
    return g->group;
}

size_t wl_rank_within(const wl_ranked_space *s, double ratio)
{
    size_t n = 0;
    while (n < s->ranking.count && s->launches[n].time_s <= s->best_s * ratio)
        n++;
    return n;
}

/* Without other orders than linear, CSV has no column for schedules. */
void wl_rank_columns(wl_row *row, const wl_ranked_space *s, const wl_launch *l, const wl_ranked *r, wl_rank_place place)
{
    if (row->csv)
        wl_row_add(row, "kernel:s device:s domain:x", wl_kernel_name(wl_ranker_kernel(s->ranker)),
                   wl_device_name(wl_ranker_device(s->ranker)), s->domain);
    wl_row_add(row, "rank:d? group:d? block:x fold:x", place.rank > 0 ? (int64_t)place.rank : -1,
               place.rank > 0 ? (int64_t)place.group : -1, l->block, l->fold);
    if (row->json)
        wl_row_add(row, "grid:x?", l->grid[0] > 0 ? l->grid : NULL);
    if (row->json || wl_ranker_has_schedules(s->ranker))
        wl_row_add(row, "schedule:w", wl_schedule_words(&l->schedule).text);
    wl_row_add(row,
               "registers:d? occupancy:{blocks_per_sm:i warps_per_sm:i} time_s:n? items_per_s:n? limiter:w "
               "next_limiter:w metrics:{",
               l->registers > 0 ? l->registers : -1, (int)r->blocks_per_sm, (int)r->warps_per_sm, r->time_s,
               row->heads ? 0 : (double)wl_ranker_launch_items(s->ranker, r->index) / r->time_s,
               wl_bound_name((wl_bound_id)r->limiter), wl_bound_name((wl_bound_id)r->next));
    for (int v = 0; v < WL_RANK_VALUES; v++) /* NaN is left out */
        wl_row_number(row, wl_metric_name(wl_rank_metric((wl_rank_value)v)), r->values[v]);
    wl_row_add(row, "}");
}
