/* compare_csv.c - a comparison as CSV: a line for each value of a launch.
 * SPDX-License-Identifier: MIT */
#include "base/quote.h"
#include "compare/comparison.h"
#include "report/common/render.h"

void wl_comparison_csv(const void *result, wl_buffer *out)
{
    const wl_comparison *c = ((const wl_comparison_report *)result)->comparison;
    wl_buffer_text(
        out,
        "table,line,family,variant,params,block_x,block_y,block_z,fold_x,fold_y,fold_z,metric,unit,measured,predicted,"
        "error\n");
    for (size_t i = 0; i < c->row_count; i++) {
        const wl_compared_row *row = &c->rows[i];
        for (int v = 0; v < WL_VALUE_COUNT; v++) {
            double e = 0;
            if (!row->measured_known[v] || !row->predicted_known[v])
                continue;
            wl_quote_csv(out, row->is.table);
            wl_buffer_text(out, ",");
            wl_buffer_add(out, "%d,", (int)row->is.measurement->line);
            wl_quote_csv(out, row->is.family);
            wl_buffer_text(out, ",");
            wl_quote_csv(out, row->is.measurement->variant);
            wl_buffer_text(out, ",");
            wl_quote_csv(out, row->is.measurement->params);
            wl_buffer_text(out, ",");
            for (int d = 0; d < 3; d++)
                wl_buffer_add(out, "%lld,", (long long)row->block[d]);
            for (int d = 0; d < 3; d++)
                wl_buffer_add(out, "%lld,", (long long)row->fold[d]);
            wl_buffer_add(out, "%s,%s,%.10g,%.10g,", wl_compared_name(v), wl_compared_unit(v), row->measured[v],
                          row->predicted[v]);
            if (wl_compared_error(row, v, &e))
                wl_buffer_add(out, "%.6g", e);
            wl_buffer_text(out, "\n");
        }
    }
}
