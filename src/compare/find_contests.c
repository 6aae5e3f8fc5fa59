/* find_contests.c - contests among compared rows: launches of one kernel with the same params that
 * differ in block or fold. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/fail.h"
#include "compare/comparison.h"
#include "compare/contest.h"

typedef struct entrant {
    size_t group;
    const wl_compared_row *row;
    wl_pair time;
} entrant;

static int by_shape(const int64_t a[3], const int64_t b[3])
{
    for (int d = 0; d < 3; d++)
        if (a[d] != b[d])
            return a[d] > b[d] ? 1 : -1;
    return 0;
}

static int by_launch(const entrant *p, const entrant *q)
{
    if (p->group != q->group)
        return p->group > q->group ? 1 : -1;
    const int block = by_shape(p->row->block, q->row->block);
    return block ? block : by_shape(p->row->fold, q->row->fold);
}

/* By group, then by launch, then by time. */
static int by_place(const void *a, const void *b)
{
    const entrant *p = a, *q = b;
    const int order = by_launch(p, q);
    return order ? order : (p->time.measured > q->time.measured) - (p->time.measured < q->time.measured);
}

/* A launch measured twice takes part once, with its shorter time. */
static size_t collect(const wl_comparison *c, const double *times, entrant *out)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        const wl_compared_row *row = &c->rows[i];
        const wl_measurement *m = row->is.measurement;
        if (m->time_known && m->time_s > 0 && times[i] > 0)
            out[count++] = (entrant){c->rows[i].group, row, {m->time_s, times[i]}};
    }
    if (count > 0)
        qsort(out, count, sizeof *out, by_place);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_launch(&out[kept - 1], &out[i]) != 0)
            out[kept++] = out[i];
    return kept;
}

static bool is_long_enough(const wl_pair *times, size_t count, double min_time_s)
{
    for (size_t i = 0; i < count; i++)
        if (times[i].measured < min_time_s)
            return false;
    return true;
}

wl_status wl_comparison_contests(wl_comparison *c, const double *times, double min_time_s, wl_contest_list *out,
                                 wl_error *err)
{
    *out = (wl_contest_list){0};
    WL_TRY(wl_comparison_group_problems(c, err));
    entrant *entrants = calloc(c->row_count + 1, sizeof *entrants);
    *out = (wl_contest_list){.contests = calloc(c->row_count + 1, sizeof *out->contests),
                             .times = calloc(c->row_count + 1, sizeof *out->times)};
    if (!entrants || !out->contests || !out->times) {
        free(entrants);
        wl_contest_list_free(out);
        return wl_fail_memory(err);
    }
    const size_t count = collect(c, times, entrants);
    for (size_t first = 0, next; first < count; first = next) {
        wl_contest *contest = &out->contests[out->count];
        for (next = first; next < count && entrants[next].group == entrants[first].group; next++)
            out->times[next] = entrants[next].time;
        if (!is_long_enough(out->times + first, next - first, min_time_s) ||
            !wl_contest_judge(out->times + first, next - first, contest))
            continue;
        contest->family = entrants[first].row->is.family;
        out->count++;
    }
    free(entrants);
    return WL_OK;
}

void wl_contest_list_free(wl_contest_list *list)
{
    free(list->contests);
    free(list->times);
    *list = (wl_contest_list){0};
}
