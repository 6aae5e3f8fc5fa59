/* compare_text.c - a comparison for people, and as CSV. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "shape.h"

#define WORST 5

/* ---- statistics ---- */

static void percent(char *text, size_t size, double value, bool sign)
{
    const double p = 100 * value;
    snprintf(text, size, fabs(p) < 999.95 ? (sign ? "%+.1f%%" : "%.1f%%") : (sign ? "%+.0f%%" : "%.0f%%"), p);
}

static void print_agreement(const compared_group *g, int v, FILE *out)
{
    const wl_agreement *a = &g->values[v];
    char mean[24], median[24], max[24], bias[24], tau[24] = "-", pick[24] = "";
    percent(mean, sizeof mean, a->mean, false);
    percent(median, sizeof median, a->median, false);
    percent(max, sizeof max, a->max, false);
    percent(bias, sizeof bias, a->bias, true);
    if (a->tau_known)
        snprintf(tau, sizeof tau, "%.3f", a->tau);
    if (v == VALUE_TIME && g->pick_known)
        snprintf(pick, sizeof pick, "  %5.3f", g->pick);
    fprintf(out, "  %-18s %6zu %8s %8s %8s %8s %6zu %7s%s\n", value_name(v), a->count, mean, median, max, bias,
            a->exact, tau, pick);
}

static void print_groups(const compared_group *groups, size_t count, const char *title, FILE *out)
{
    fprintf(out, "\n%-20s %6s %8s %8s %8s %8s %6s %7s  %5s\n", title, "n", "mean", "median", "max", "bias", "exact",
            "tau", "pick");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s (%zu launch%s)\n", groups[i].name, groups[i].rows, groups[i].rows == 1 ? "" : "es");
        for (int v = 0; v < VALUE_COUNT; v++)
            if (groups[i].values[v].count > 0)
                print_agreement(&groups[i], v, out);
    }
}

/* ---- rows ---- */

static void value_text(int v, double value, char *text, size_t size)
{
    if (v == VALUE_TIME)
        snprintf(text, size, "%.2f us", 1e6 * value);
    else
        snprintf(text, size, fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
}

static void print_row(const comparison *c, const compared_row *row, int v, FILE *out)
{
    char block[SHAPE_LENGTH], fold[SHAPE_LENGTH], measured[40], predicted[40], error[24] = "-";
    double e = 0;
    value_text(v, row->measured[v], measured, sizeof measured);
    value_text(v, row->predicted[v], predicted, sizeof predicted);
    if (row_error(row, v, &e))
        percent(error, sizeof error, e, true);
    fprintf(out, "  %6d  %-12s %-8s %16s %16s %9s  %s%s%s%s\n", (int)row->m->line, shape_text(row->launch.block, block),
            shape_text(row->launch.fold, fold), measured, predicted, error, row->family, row->m->variant[0] ? "/" : "",
            row->m->variant, row_counts(c, row, v) ? "" : " (not in the statistics)");
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

static void print_head(const char *what, int v, FILE *out)
{
    fprintf(out, "\n%s%s\n  %6s  %-12s %-8s %16s %16s %9s  %s\n", what, value_name(v), "line", "block", "fold",
            "measured", "predicted", "error", "of");
}

static void print_worst(const comparison *c, int v, ranked *scratch, FILE *out)
{
    size_t count = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        double e = 0;
        if (row_counts(c, &c->rows[i], v) && row_error(&c->rows[i], v, &e) && e != 0)
            scratch[count++] = (ranked){fabs(e), i};
    }
    if (count == 0)
        return;
    qsort(scratch, count, sizeof *scratch, by_size);
    print_head("farthest off: ", v, out);
    for (size_t i = 0; i < count && i < WORST; i++)
        print_row(c, &c->rows[scratch[i].row], v, out);
}

static void print_all(const comparison *c, int v, FILE *out)
{
    bool head = false;
    for (size_t i = 0; i < c->row_count; i++) {
        const compared_row *row = &c->rows[i];
        if (!row->measured_known[v] || !row->predicted_known[v])
            continue;
        if (!head)
            print_head("", v, out);
        head = true;
        print_row(c, row, v, out);
    }
}

void comparison_text(const comparison *c, FILE *out)
{
    const options *o = c->options;
    fprintf(out, "%s on %s (%s): %zu launch%s compared\n", o->map ? o->map : o->arguments[0], wl_device_name(c->device),
            wl_device_title(c->device), c->row_count, c->row_count == 1 ? "" : "es");
    print_groups(c->groups, c->group_count, "relative errors", out);
    if (c->group_count > c->family_count)
        print_groups(c->families, c->family_count, "by family", out);
    fputs("\ntau: agreement in order (Kendall's tau-b); pick: best measured time over that of the launch predicted "
          "best\n",
          out);
    ranked *scratch = calloc(c->row_count, sizeof *scratch);
    for (int v = 0; v < VALUE_COUNT; v++) {
        if (o->rows)
            print_all(c, v, out);
        else if (scratch)
            print_worst(c, v, scratch, out);
    }
    free(scratch);
}

/* ---- CSV ---- */

static void quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    fputs("\",", out);
}

void comparison_csv(const comparison *c, FILE *out)
{
    fputs(
        "table,line,family,variant,params,block_x,block_y,block_z,fold_x,fold_y,fold_z,metric,unit,measured,predicted,"
        "error\n",
        out);
    for (size_t i = 0; i < c->row_count; i++) {
        const compared_row *row = &c->rows[i];
        for (int v = 0; v < VALUE_COUNT; v++) {
            double e = 0;
            if (!row->measured_known[v] || !row->predicted_known[v])
                continue;
            quoted(row->table, out);
            fprintf(out, "%d,", (int)row->m->line);
            quoted(row->family, out);
            quoted(row->m->variant, out);
            quoted(row->m->params, out);
            for (int d = 0; d < 3; d++)
                fprintf(out, "%lld,", (long long)row->launch.block[d]);
            for (int d = 0; d < 3; d++)
                fprintf(out, "%lld,", (long long)row->launch.fold[d]);
            fprintf(out, "%s,%s,%.10g,%.10g,", value_name(v), value_unit(v), row->measured[v], row->predicted[v]);
            if (row_error(row, v, &e))
                fprintf(out, "%.6g", e);
            fputc('\n', out);
        }
    }
}
