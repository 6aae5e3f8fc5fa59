/* compare_text.c - a comparison for people. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/comparison.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "report/common/words.h"

#define WORST 5

/* ---- statistics ---- */

static wl_short percent(double value, bool sign)
{
    const double p = 100 * value;
    return wl_short_of(fabs(p) < 999.95 ? (sign ? "%+.1f%%" : "%.1f%%") : (sign ? "%+.0f%%" : "%.0f%%"), p);
}

static void add_agreement(const wl_compared_group *g, int v, wl_buffer *out)
{
    const wl_agreement *a = &g->values[v];
    wl_buffer_add(out, "  %-18s %6zu %8s", wl_compared_name(v), a->count, percent(a->mean, false).text);
    wl_mark_wide(out, " %8s", percent(a->median, false).text);
    wl_buffer_add(out, " %8s %8s %6zu %7s%s\n", percent(a->max, false).text, percent(a->bias, true).text, a->exact,
                  wl_cell_number("%.3f", a->tau_known ? a->tau : NAN).text,
                  wl_value_is_time(v) && g->pick[v - WL_VALUE_TIME] > 0
                      ? wl_short_of("  %5.3f", g->pick[v - WL_VALUE_TIME]).text
                      : "");
}

static void add_groups(const wl_compared_group *groups, size_t count, const char *title, wl_buffer *out)
{
    wl_buffer_add(out, "\n%-20s %6s %8s", title, "n", "mean");
    wl_mark_wide(out, " %8s", "median");
    wl_buffer_add(out, " %8s %8s %6s %7s  %5s\n", "max", "bias", "exact", "tau", "pick");
    for (size_t i = 0; i < count; i++) {
        wl_line(out, 4, "%s (%zu launch%s)\n", groups[i].name, groups[i].rows, groups[i].rows == 1 ? "" : "es");
        for (int v = 0; v < WL_VALUE_COUNT; v++)
            if (groups[i].values[v].count > 0)
                add_agreement(&groups[i], v, out);
    }
}

/* ---- rows ---- */

static wl_short value_text(int v, double value)
{
    if (wl_value_is_time(v))
        return wl_short_of("%.2f us", 1e6 * value);
    return wl_short_of(fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
}

/* A number, with fewer blanks before it on a narrow terminal. */
static void add_number(const char *text, wl_buffer *out)
{
    enum { WIDE = 16, NARROW = 11 };
    const int length = (int)strlen(text), narrow = length < NARROW ? NARROW : length;
    wl_mark_wide(out, "%*s", narrow < WIDE ? WIDE - narrow : 0, "");
    wl_buffer_add(out, " %*s", NARROW, text);
}

/* The cells of one row, or of the head; text that may be wrapped follows. */
static void add_cells(const char *const cells[6], wl_buffer *out)
{
    wl_mark_row(out, 10);
    wl_buffer_add(out, "  %6s  %-12s %-6s", cells[0], cells[1], cells[2]);
    wl_mark_wide(out, "%*s", strlen(cells[2]) < 6 ? 2 : strlen(cells[2]) < 8 ? 8 - (int)strlen(cells[2]) : 0, "");
    add_number(cells[3], out);
    add_number(cells[4], out);
    wl_buffer_add(out, " %9s  ", cells[5]);
}

static void add_row(const wl_comparison *c, const wl_compared_row *row, int v, wl_buffer *out)
{
    double e = 0;
    add_cells((const char *[]){wl_short_of("%d", (int)row->is.measurement->line).text, wl_shape_text(row->block).text,
                               wl_shape_text(row->fold).text, value_text(v, row->measured[v]).text,
                               value_text(v, row->predicted[v]).text,
                               wl_compared_error(row, v, &e) ? percent(e, true).text : "-"},
              out);
    wl_buffer_add(out, "%s%s%s%s\n", row->is.family, row->is.measurement->variant[0] ? "/" : "",
                  row->is.measurement->variant, wl_comparison_counts(c, row, v) ? "" : " (not in the statistics)");
}

typedef struct ranked {
    double size;
    size_t row;
} ranked;

static int by_size(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    return p->size != q->size ? (p->size < q->size) - (p->size > q->size) : (p->row > q->row) - (p->row < q->row);
}

static void add_head(const char *what, int v, wl_buffer *out)
{
    wl_buffer_add(out, "\n%s%s\n", what, wl_compared_name(v));
    add_cells((const char *[]){"line", "block", "fold", "measured", "predicted", "error"}, out);
    wl_buffer_text(out, "of\n");
}

static void add_worst(const wl_comparison *c, int v, ranked *scratch, wl_buffer *out)
{
    size_t count = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        double e = 0;
        if (wl_comparison_counts(c, &c->rows[i], v) && wl_compared_error(&c->rows[i], v, &e) && e != 0)
            scratch[count++] = (ranked){fabs(e), i};
    }
    if (count == 0)
        return;
    qsort(scratch, count, sizeof *scratch, by_size);
    add_head("farthest off: ", v, out);
    for (size_t i = 0; i < count && i < WORST; i++)
        add_row(c, &c->rows[scratch[i].row], v, out);
}

static void add_all(const wl_comparison *c, int v, wl_buffer *out)
{
    bool head = false;
    for (size_t i = 0; i < c->row_count; i++) {
        const wl_compared_row *row = &c->rows[i];
        if (!row->measured_known[v] || !row->predicted_known[v])
            continue;
        if (!head)
            add_head("", v, out);
        head = true;
        add_row(c, row, v, out);
    }
}

void wl_comparison_text(const void *result, wl_buffer *out)
{
    const wl_comparison_report *r = result;
    const wl_comparison *c = r->comparison;
    wl_mark_line(out, 2);
    wl_headline(out, "%s on %s (%s): %zu launch%s compared", c->source, c->device, c->title, c->row_count,
                c->row_count == 1 ? "" : "es");
    wl_buffer_text(out, "\n");
    add_groups(c->groups, c->group_count, "relative errors", out);
    if (c->group_count > c->family_count)
        add_groups(c->families, c->family_count, "by family", out);
    wl_buffer_text(out, "\n");
    wl_mark_line(out, 2);
    wl_buffer_text(
        out, "tau: agreement in order (Kendall's tau-b); pick: best measured time over that of the launch predicted "
             "best\n");
    ranked *scratch = calloc(c->row_count + 1, sizeof *scratch);
    out->failed = out->failed || !scratch;
    for (int v = 0; v < (r->all_rows ? WL_VALUE_COUNT : WL_VALUE_OF_MODELS); v++) {
        if (r->all_rows)
            add_all(c, v, out);
        else if (scratch)
            add_worst(c, v, scratch, out);
    }
    free(scratch);
}

wl_status wl_comparison_skipped(const wl_comparison *c, char **out, wl_error *err)
{
    wl_buffer text = {0};
    for (size_t i = 0; i < c->skip_count; i++) {
        const wl_skipped *s = &c->skips[i];
        wl_buffer_add(&text, "note: %s", s->table);
        if (s->line > 0)
            wl_buffer_add(&text, ":%d", (int)s->line);
        wl_buffer_add(&text, ": %s", s->reason);
        if (s->count > 1)
            wl_buffer_add(&text, " (%zu times)", s->count);
        wl_buffer_text(&text, "\n");
    }
    return wl_buffer_take(&text, out, err);
}
