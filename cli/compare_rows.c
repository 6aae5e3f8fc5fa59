/* compare_rows.c - what compared rows hold, and what was left out. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define SKIPS_MAX 200

const char *value_name(int value) { return value == VALUE_TIME ? "time" : wl_metric_name((wl_metric)value); }
const char *value_unit(int value) { return value == VALUE_TIME ? "s" : wl_metric_unit((wl_metric)value); }

bool row_counts(const comparison *c, const compared_row *row, int value)
{
    return row->measured_known[value] && row->predicted_known[value] &&
           (value != VALUE_TIME || row->measured[VALUE_TIME] >= c->min_time_s);
}

bool row_error(const compared_row *row, int value, double *error)
{
    return row->measured_known[value] && row->predicted_known[value] &&
           wl_pair_error((wl_pair){row->measured[value], row->predicted[value]}, error);
}

void comparison_skip(comparison *c, const char *table, int32_t line, size_t count, const char *reason)
{
    if (c->skip_count >= SKIPS_MAX)
        reason = "left out for a reason not listed";
    for (size_t i = 0; i < c->skip_count; i++) {
        skipped *s = &c->skips[i];
        if (strcmp(s->table, table) == 0 && strcmp(s->reason, reason) == 0) {
            s->count += count;
            return;
        }
    }
    if (c->skip_count == c->skip_capacity) {
        const size_t capacity = 2 * c->skip_capacity + 16;
        skipped *larger = realloc(c->skips, capacity * sizeof *larger);
        if (!larger)
            return;
        c->skips = larger;
        c->skip_capacity = capacity;
    }
    char *kept = strdup(reason);
    if (kept)
        c->skips[c->skip_count++] = (skipped){table, line, count, kept};
}

void comparison_print_skips(const comparison *c)
{
    for (size_t i = 0; i < c->skip_count; i++) {
        const skipped *s = &c->skips[i];
        fprintf(stderr, "note: %s", s->table);
        if (s->line > 0)
            fprintf(stderr, ":%d", (int)s->line);
        fprintf(stderr, ": %s", s->reason);
        if (s->count > 1)
            fprintf(stderr, " (%zu times)", s->count);
        fputc('\n', stderr);
    }
}
