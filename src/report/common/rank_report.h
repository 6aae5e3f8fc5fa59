/* rank_report.h - shared by the writers of rankings. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_RANK_REPORT_H
#define WL_REPORT_COMMON_RANK_REPORT_H

#include "report/common/data_row.h"
#include "warpline/report.h"

/* The tie group of each launch, counted from 1: a group consists of its fastest launch and all
 * within `tie` of it. */
typedef struct wl_tie_groups {
    double tie, start_s;
    size_t group;
} wl_tie_groups;
size_t wl_tie_group_of(wl_tie_groups *groups, const wl_ranked *launch);

/* The rank of a launch; 0: unknown, because launches come in the order of the space. */
typedef struct wl_rank_place {
    size_t rank, group;
} wl_rank_place;

/* The columns of a launch. */
void wl_rank_columns(wl_row *row, const wl_ranked_space *space, const wl_launch *launch, const wl_ranked *record,
                     wl_rank_place place);

/* The pieces of a ranking as JSON, each added to `out`. */
void wl_rank_json_start(const wl_ranked_space *space, wl_buffer *out);
void wl_rank_json_space(const wl_ranked_space *space, bool first, wl_buffer *out);
void wl_rank_json_launch(const wl_ranked_space *space, const wl_launch *launch, const wl_ranked *record,
                         wl_rank_place place, bool first, wl_buffer *out);
void wl_rank_json_space_end(const wl_ranked_space *space, bool sorted, bool empty, wl_buffer *out);

#endif /* WL_REPORT_COMMON_RANK_REPORT_H */
