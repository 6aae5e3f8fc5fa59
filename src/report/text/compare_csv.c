/* compare_csv.c - a comparison as CSV: a line for each value of a launch.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "compare/comparison.h"
#include "report/common/render.h"
#include "report/common/data_row.h"

enum { VALUE_DIGITS = 10, ERROR_DIGITS = 6 };

static void line(wl_row *out, const wl_compared_row *row, int v)
{
    double e = 0;
    out->digits = VALUE_DIGITS;
    wl_row_add(out, "table:s line:i family:s variant:s params:s block:x fold:x metric:w unit:w measured:n predicted:n",
               row->is.table, (int)row->is.measurement->line, row->is.family, row->is.measurement->variant,
               row->is.measurement->params, row->block, row->fold, wl_compared_name(v), wl_compared_unit(v),
               row->measured[v], row->predicted[v]);
    out->digits = ERROR_DIGITS;
    wl_row_add(out, "error:n", wl_compared_error(row, v, &e) ? e : NAN);
    wl_row_end(out);
}

void wl_comparison_csv(const void *result, wl_buffer *out)
{
    const wl_comparison *c = ((const wl_comparison_report *)result)->comparison;
    const wl_measurement nothing = {0};
    wl_row row = {.csv = out, .heads = true};
    line(&row, &(wl_compared_row){.is.measurement = &nothing}, 0);
    row.heads = false;
    for (size_t i = 0; i < c->row_count; i++)
        for (int v = 0; v < WL_VALUE_COUNT; v++)
            if (c->rows[i].measured_known[v] && c->rows[i].predicted_known[v])
                line(&row, &c->rows[i], v);
}
