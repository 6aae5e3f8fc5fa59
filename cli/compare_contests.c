/* compare_contests.c - contests among measured rows: launches of one kernel with the same params that differ in block
 * or fold. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

const wl_model_id ranked_models[RANKED_MODELS] = {WL_MODEL_TURNOVER, WL_MODEL_LIMITER};

const char *ranked_model_name(wl_model_id model) { return model == WL_MODEL_TURNOVER ? "turnover" : "limiter"; }

typedef struct entrant {
    size_t group;
    const compared_row *row;
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
    const int block = by_shape(p->row->launch.block, q->row->launch.block);
    return block ? block : by_shape(p->row->launch.fold, q->row->launch.fold);
}

/* By group, in it by launch, of one launch the fastest first. */
static int by_place(const void *a, const void *b)
{
    const entrant *p = a, *q = b;
    const int order = by_launch(p, q);
    return order ? order : (p->time.measured > q->time.measured) - (p->time.measured < q->time.measured);
}

static bool predict_time(const compared_row *row, const wl_device *device, int model, double *time)
{
    static wl_prediction p;
    wl_model_id used;
    if (!row->counted) {
        *time = row->model_time[model];
        return *time > 0;
    }
    wl_counted_predict(row->counted, device, ranked_models[model], &p);
    *time = p.model.time_s;
    return wl_model_find(p.model.name, &used) && used == ranked_models[model];
}

/* A launch measured twice takes part once, with its shorter time. */
static size_t collect(const comparison *c, const wl_device *device, int model, entrant *out)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        const compared_row *row = &c->rows[i];
        entrant *e = &out[count];
        *e = (entrant){row->group, row, {row->m->time_s, 0}};
        if (row->m->time_known && row->m->time_s > 0 && predict_time(row, device, model, &e->time.predicted))
            count++;
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

wl_status comparison_contests(const comparison *c, const wl_device *device, int model, double min_time_s,
                              contest_list *out, wl_error *err)
{
    entrant *entrants = calloc(c->row_count + 1, sizeof *entrants);
    *out = (contest_list){.contests = calloc(c->row_count + 1, sizeof *out->contests),
                          .times = calloc(c->row_count + 1, sizeof *out->times)};
    if (!entrants || !out->contests || !out->times) {
        free(entrants);
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        return WL_E_NOMEM;
    }
    const size_t count = collect(c, device, model, entrants);
    for (size_t first = 0, next; first < count; first = next) {
        wl_contest *contest = &out->contests[out->count];
        for (next = first; next < count && entrants[next].group == entrants[first].group; next++)
            out->times[next] = entrants[next].time;
        if (!is_long_enough(out->times + first, next - first, min_time_s) ||
            !wl_contest_judge(out->times + first, next - first, contest))
            continue;
        contest->family = c->groups[entrants[first].group].first->family;
        out->count++;
    }
    free(entrants);
    return WL_OK;
}

void contest_list_free(contest_list *list)
{
    free(list->contests);
    free(list->times);
    *list = (contest_list){0};
}
