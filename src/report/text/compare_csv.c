/* compare_csv.c - a comparison as CSV: a line for each value of a launch.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "compare/comparison.h"
#include "report/common/csv_out.h"
#include "report/common/render.h"

enum { VALUE_DIGITS = 10, ERROR_DIGITS = 6 };

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
            wl_csv_text(out, row->is.table);
            wl_csv_whole(out, row->is.measurement->line);
            wl_csv_text(out, row->is.family);
            wl_csv_text(out, row->is.measurement->variant);
            wl_csv_text(out, row->is.measurement->params);
            wl_csv_shape(out, row->block);
            wl_csv_shape(out, row->fold);
            wl_csv_word(out, wl_compared_name(v));
            wl_csv_word(out, wl_compared_unit(v));
            wl_csv_digits(out, row->measured[v], VALUE_DIGITS);
            wl_csv_digits(out, row->predicted[v], VALUE_DIGITS);
            wl_csv_digits(out, wl_compared_error(row, v, &e) ? e : NAN, ERROR_DIGITS);
            wl_csv_end(out);
        }
    }
}
