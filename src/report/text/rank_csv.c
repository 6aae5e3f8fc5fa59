/* rank_csv.c - rankings as CSV, a line for each launch. SPDX-License-Identifier: MIT */
#include "report/common/csv_out.h"
#include "report/common/rank_report.h"
#include "report/common/shape_text.h"
#include "search/ranker.h"

/* If all launches are linear, there is no column for schedules. */
void wl_rank_csv_start(const wl_ranked_space *s, wl_buffer *out)
{
#define WL_BOTH(kind, name, known, value) wl_csv_name(out, #kind, #name);
#define WL_CSV(kind, name, known, value) wl_csv_name(out, #kind, #name);
#define WL_IF(condition, kind, name, value)                                                                            \
    if (condition)                                                                                                     \
        wl_csv_name(out, #kind, #name);
#define WL_JSON(kind, name, known, value)
#define WL_GROUP(name)
#define WL_GROUP_END
#include "report/common/rank_columns.def"
    for (int v = 0; v < WL_RANK_VALUES; v++)
        wl_csv_word(out, wl_metric_name(wl_rank_metric((wl_rank_value)v)));
    wl_csv_end(out);
}

void wl_rank_csv_launch(const wl_ranked_space *s, const wl_launch *l, const wl_ranked *r, wl_rank_place place,
                        wl_buffer *out)
{
#define WL_CSV(kind, name, known, value)                                                                               \
    if (known)                                                                                                         \
        wl_csv_##kind(out, value);                                                                                     \
    else                                                                                                               \
        wl_csv_word(out, "");
#define WL_BOTH(kind, name, known, value) WL_CSV(kind, name, known, value)
#define WL_IF(condition, kind, name, value)                                                                            \
    if (condition)                                                                                                     \
        wl_csv_##kind(out, value);
#define WL_JSON(kind, name, known, value)
#define WL_GROUP(name)
#define WL_GROUP_END
#include "report/common/rank_columns.def"
    for (int v = 0; v < WL_RANK_VALUES; v++)
        wl_csv_number(out, r->values[v]);
    wl_csv_end(out);
}
