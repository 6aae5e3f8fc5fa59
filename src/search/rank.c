/* rank.c - the best launches of a space. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "model/time.h"
#include "predictor.h"
#include "search/ranker.h"

#define PART 4096  /* launches predicted before their records are processed: bounds memory */
#define AT_ONCE 64 /* replayed launches, in parallel */

/* A total order, so that no result depends on timing. */
static bool is_better(const wl_ranked *a, const wl_ranked *b)
{
    return a->time_s < b->time_s || (a->time_s == b->time_s && a->index < b->index);
}

static int by_time(const void *a, const void *b) { return is_better(a, b) ? -1 : is_better(b, a) ? 1 : 0; }

/* The best `capacity` launches so far form a heap, the worst of them on top. */
static void sink(wl_ranked *heap, size_t count, size_t at)
{
    const wl_ranked moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(&heap[child], &heap[child + 1]))
            child++;
        if (!is_better(&moved, &heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void rise(wl_ranked *heap, size_t at)
{
    const wl_ranked moved = heap[at];
    for (size_t parent; at > 0 && (parent = (at - 1) / 2, is_better(&heap[parent], &moved)); at = parent)
        heap[at] = heap[parent];
    heap[at] = moved;
}

static void offer(wl_ranking *r, const wl_ranked *record)
{
    if (r->count < r->capacity) {
        r->best[r->count] = *record;
        rise(r->best, r->count++);
    } else if (r->capacity > 0 && is_better(record, &r->best[0])) {
        r->best[0] = *record;
        sink(r->best, r->count, 0);
    }
}

void wl_ranking_start(const wl_ranker *ranker, wl_ranked *best, size_t capacity, wl_ranking *out)
{
    *out = (wl_ranking){.best = best, .capacity = capacity};
    memcpy(out->outcomes, ranker->before, sizeof ranker->before);
}

void wl_ranking_add(wl_ranking *ranking, const wl_ranked *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const wl_ranked *record = &records[i];
        ranking->outcomes[record->outcome]++;
        if (record->outcome == WL_OUTCOME_PREDICTED)
            offer(ranking, record);
        else if (record->outcome == WL_OUTCOME_WHERE)
            ranking->conditions[record->condition]++;
        else if (record->outcome == WL_OUTCOME_LEFT)
            ranking->stopped = true;
    }
}

void wl_ranking_finish(wl_ranking *ranking)
{
    if (ranking->count > 1) /* `best` may be NULL if nothing is kept */
        qsort(ranking->best, ranking->count, sizeof *ranking->best, by_time);
}

wl_status wl_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity, wl_ranking *out, wl_error *err)
{
    const int64_t part = wl_min(PART, wl_max(ranker->size, 1));
    wl_ranked *records = malloc((size_t)part * sizeof *records);
    wl_status status = records ? WL_OK : wl_fail_memory(err);
    wl_ranking_start(ranker, best, capacity, out);
    for (int64_t first = 0; status == WL_OK && first < ranker->size && !out->stopped; first += part) {
        const int64_t last = wl_min(first + part, ranker->size);
        ranker->done_before = first;
        status = wl_ranker_evaluate(ranker, first, last, records, err);
        if (status != WL_OK)
            break;
        wl_ranking_add(out, records, (size_t)(last - first));
        if (ranker->options.each && !ranker->options.each(ranker->options.user, records, (size_t)(last - first)))
            out->stopped = true;
        if (out->stopped)
            out->outcomes[WL_OUTCOME_LEFT] += ranker->size - last;
    }
    wl_ranking_finish(out);
    free(records);
    return status;
}

/* In the order of the times that launches take at least, until none can be faster than the best. */
static wl_status fastest_of(wl_ranker *r, wl_ranked *least, int64_t count, wl_ranked *best, bool *found, wl_error *err)
{
    qsort(least, (size_t)count, sizeof *least, by_time);
    for (int64_t i = 0; i < count && (!*found || is_better(&least[i], best));) {
        wl_ranked some[AT_ONCE];
        int64_t listed[AT_ONCE];
        size_t n = 0;
        for (; n < AT_ONCE && n < 2 * (size_t)r->threads && i < count; n++)
            listed[n] = least[i++].index;
        WL_TRY(wl_ranker_evaluate_listed(r, listed, n, some, err));
        for (size_t k = 0; k < n; k++)
            if (some[k].outcome == WL_OUTCOME_PREDICTED && (!*found || is_better(&some[k], best))) {
                *best = some[k];
                *found = true;
            }
    }
    return WL_OK;
}

static void set_least_times(const wl_ranker *r, bool least)
{
    for (int t = 0; t < r->threads; t++)
        r->predictors[t]->least_times = least;
}

wl_status wl_rank_fastest(wl_ranker *ranker, wl_ranked *best, bool *found, wl_error *err)
{
    wl_ranking ranking = {0};
    int64_t count = 0;
    *found = false;
    if (!wl_time_has_least(ranker->options.predict.model) || ranker->size > PART) {
        WL_TRY(wl_rank(ranker, best, 1, &ranking, err));
        *found = ranking.count > 0;
        return WL_OK;
    }
    wl_ranked *records = malloc((size_t)wl_max(1, ranker->size) * sizeof *records);
    if (!records)
        return wl_fail_memory(err);
    set_least_times(ranker, true);
    wl_status status = wl_ranker_evaluate(ranker, 0, ranker->size, records, err);
    set_least_times(ranker, false);
    for (int64_t i = 0; i < ranker->size && status == WL_OK; i++)
        if (records[i].outcome == WL_OUTCOME_PREDICTED)
            records[count++] = records[i];
    if (status == WL_OK)
        status = fastest_of(ranker, records, count, best, found, err);
    free(records);
    return status;
}
