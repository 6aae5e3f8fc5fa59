/* rank_ties.c - launches that are as good as equal. SPDX-License-Identifier: MIT */
#include "report/common/rank_report.h"

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
