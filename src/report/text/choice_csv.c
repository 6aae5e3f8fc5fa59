/* choice_csv.c - schedules side by side as CSV. SPDX-License-Identifier: MIT */
#include "report/common/choice_words.h"

void wl_choice_csv(const void *result, wl_buffer *out)
{
    static const wl_metric metrics[] = {WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes,
                                        WL_METRIC_dram_store_bytes, WL_METRIC_l1_wavefronts};
    const wl_choice_report *r = result;
    wl_row row = {.csv = out, .heads = true};
    for (size_t i = 0; i <= r->choice->count; i++, row.heads = false) {
        wl_choice_columns(&row, r, i > 0 ? i - 1 : 0, metrics, sizeof metrics / sizeof metrics[0]);
        wl_row_end(&row);
    }
}
