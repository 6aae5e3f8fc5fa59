/* diff.c - what differs between two predictions, and its cause; see warpline/diff.h.
 * SPDX-License-Identifier: MIT */
#include "judge/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "device/device_internal.h"

/* A bound is the cause only if it explains at least this share of the difference .. */
#define SHARE_LIMITER 0.5
#define SHARE_OTHER 0.2
#define SHARE_METRIC 0.1 /* .. and a metric, this share of its bound */

size_t wl_diff_parts(const wl_value *a, const wl_value *b, const char *names[2 * WL_PARTS_MAX])
{
    size_t count = 0;
    for (int i = 0; i < a->part_count + b->part_count; i++) {
        const char *name = i < a->part_count ? a->parts[i].name : b->parts[i - a->part_count].name;
        bool listed = false;
        for (size_t k = 0; k < count; k++)
            listed = listed || strcmp(names[k], name) == 0;
        if (!listed)
            names[count++] = name;
    }
    return count;
}

double wl_diff_rate(const wl_prediction *p, wl_metric metric, double value)
{
    return wl_metric_scope(metric) == WL_SCOPE_LAUNCH ? value / (double)p->items : value;
}

/* ---- the cause ---- */

const wl_unit_words *wl_diff_unit(const wl_diff *d)
{
    const wl_work_unit a = d->a.prediction->work_unit, b = d->b.prediction->work_unit;
    return wl_work_unit_words(a == b ? a : WL_WORK_CELL);
}

const char *wl_diff_sm_word(const wl_diff *d)
{
    return wl_sm_word_of_both(wl_sm_word_named(d->a.prediction->sm_word), wl_sm_word_named(d->b.prediction->sm_word));
}

/* The seconds of a bound per unit of work; 0 if the model does not have it. */
static double bound_rate(const wl_prediction *p, wl_bound_id bound)
{
    return p->model.bound_known[bound] ? p->model.bound_s[bound] / (double)p->items : 0;
}

static bool both_know(const wl_prediction *a, const wl_prediction *b, wl_metric m)
{
    return a->metrics[m].known && b->metrics[m].known;
}

static double excess(const wl_prediction *slow, const wl_prediction *fast, wl_metric m)
{
    return wl_diff_rate(slow, m, slow->metrics[m].value) - wl_diff_rate(fast, m, fast->metrics[m].value);
}

/* The sum of the metrics behind the bound that have this metric's unit, per unit of work. */
static double whole_of(const wl_prediction *p, const wl_diff_cause *cause)
{
    double sum = 0;
    wl_metric m = WL_METRIC_COUNT;
    for (size_t i = 0; wl_bound_metric(cause->bound, i, &m); i++)
        if (p->metrics[m].known && strcmp(wl_metric_unit(m), wl_metric_unit(cause->metric)) == 0)
            sum += wl_diff_rate(p, m, p->metrics[m].value);
    return sum;
}

/* Of the metrics behind the bound, the one that the slower launch has most in excess. Only metrics
 * of the same unit can be compared, so those of another unit are considered only if no earlier
 * metric is in excess. */
static bool find_metric(const wl_prediction *slow, const wl_prediction *fast, wl_diff_cause *cause)
{
    wl_metric m = WL_METRIC_COUNT;
    double most = 0;
    for (size_t i = 0; wl_bound_metric(cause->bound, i, &m); i++) {
        if (!both_know(slow, fast, m) || excess(slow, fast, m) <= most)
            continue;
        if (most > 0 && strcmp(wl_metric_unit(m), wl_metric_unit(cause->metric)) != 0)
            continue;
        most = excess(slow, fast, m);
        cause->metric = m;
    }
    if (most <= 0)
        return false;
    const double bound = bound_rate(slow, cause->bound);
    cause->metric_share = most / whole_of(slow, cause) / ((bound - bound_rate(fast, cause->bound)) / bound);
    cause->metric_known = cause->metric_share >= SHARE_METRIC;
    return cause->metric_known;
}

static void find_parts(const wl_prediction *slow, const wl_prediction *fast, wl_diff_cause *cause)
{
    const wl_metric m = cause->metric;
    const wl_value *s = &slow->metrics[m], *f = &fast->metrics[m];
    const char *names[2 * WL_PARTS_MAX];
    const size_t count = wl_diff_parts(s, f, names);
    const double total = excess(slow, fast, m);
    /* a part that becomes smaller must do so by more than this */
    double most = 0, least = -0.2 * total;
    for (size_t i = 0; i < count; i++) {
        const double more =
            wl_diff_rate(slow, m, wl_value_part(s, names[i])) - wl_diff_rate(fast, m, wl_value_part(f, names[i]));
        if (more > most) {
            most = more;
            cause->part = names[i];
        } else if (more < least) {
            least = more;
            cause->against = names[i];
        }
    }
}

wl_diff_cause wl_diff_cause_find(const wl_prediction *slow, const wl_prediction *fast)
{
    wl_diff_cause cause = {.bound = slow->model.limiter};
    const double gap = slow->model.time_s / (double)slow->items - fast->model.time_s / (double)fast->items;
    if (gap <= 0)
        return cause;
    double most = SHARE_OTHER;
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        const wl_bound_id bound = (wl_bound_id)i;
        const double share = (bound_rate(slow, bound) - bound_rate(fast, bound)) / gap;
        const bool limits = bound == slow->model.limiter && share >= SHARE_LIMITER;
        if (cause.limits || (!limits && share <= most))
            continue;
        most = share;
        cause.limits = limits;
        cause.bound = bound;
        cause.bound_known = true;
        cause.share = share;
    }
    if (cause.bound_known && find_metric(slow, fast, &cause))
        find_parts(slow, fast, &cause);
    return cause;
}

/* ---- the order of metrics ---- */

typedef struct ranked {
    wl_metric metric;
    size_t group; /* by the limiting bound that the metric is behind; the last group: behind none */
    /* within a group: position in the table of bounds; in the last group: larger changes first */
    double order;
} ranked;

static double change_of(const wl_prediction *a, const wl_prediction *b, wl_metric m)
{
    const double x = wl_diff_rate(a, m, a->metrics[m].value), y = wl_diff_rate(b, m, b->metrics[m].value);
    if (!both_know(a, b, m) || x == y)
        return 0;
    return x > 0 && y > 0 ? fabs(log(y / x)) : INFINITY;
}

static ranked rank_metric(const wl_diff *d, wl_metric metric)
{
    const wl_prediction *slow = d->b_faster ? d->a.prediction : d->b.prediction;
    const wl_prediction *fast = d->b_faster ? d->b.prediction : d->a.prediction;
    const wl_bound_id bounds[] = {d->cause.bound, slow->model.limiter, fast->model.limiter, slow->model.next,
                                  fast->model.next};
    const size_t count = sizeof bounds / sizeof bounds[0];
    wl_metric m = WL_METRIC_COUNT;
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; wl_bound_metric(bounds[g], i, &m); i++)
            if (m == metric)
                return (ranked){metric, g, (double)i};
    return (ranked){metric, count, -change_of(slow, fast, metric)};
}

static int by_weight(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

static void sort_metrics(wl_diff *d)
{
    ranked all[WL_METRIC_COUNT];
    size_t count = 0;
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        if (d->a.prediction->metrics[i].known || d->b.prediction->metrics[i].known)
            all[count++] = rank_metric(d, (wl_metric)i);
    qsort(all, count, sizeof all[0], by_weight);
    for (size_t i = 0; i < count; i++)
        d->metrics[i] = all[i].metric;
    d->metric_count = count;
}

static void compare(wl_diff_side a, wl_diff_side b, wl_diff *out)
{
    const wl_prediction *pa = a.prediction, *pb = b.prediction;
    *out = (wl_diff){.a = a, .b = b, .same_work = pa->items == pb->items};
    out->speedup = pa->model.time_s / (double)pa->items / (pb->model.time_s / (double)pb->items);
    out->b_faster = out->speedup >= 1;
    out->equal = fmax(out->speedup, 1 / out->speedup) < 1 + WL_DIFF_EQUAL;
    out->cause = out->b_faster ? wl_diff_cause_find(pa, pb) : wl_diff_cause_find(pb, pa);
    sort_metrics(out);
    wl_diff_explain(out);
}

wl_status wl_diff_new(wl_diff_side a, wl_diff_side b, wl_diff **out, wl_error *err)
{
    *out = malloc(sizeof **out);
    if (!*out)
        return wl_fail_memory(err);
    compare(a, b, *out);
    return WL_OK;
}

void wl_diff_free(wl_diff *d) { free(d); }
double wl_diff_speedup(const wl_diff *d) { return d->speedup; }
bool wl_diff_equal(const wl_diff *d) { return d->equal; }
bool wl_diff_same_work(const wl_diff *d) { return d->same_work; }
const char *wl_diff_reason(const wl_diff *d, size_t i) { return i < (size_t)d->reason_count ? d->reasons[i] : NULL; }

bool wl_diff_metric(const wl_diff *d, size_t index, wl_metric *metric)
{
    if (index >= d->metric_count)
        return false;
    *metric = d->metrics[index];
    return true;
}
