/* contest.c - how far a ranking by predicted times can be trusted: the predicted rank of the
 * fastest launch of a contest (a measured search).
 *
 * Contests of one family resemble each other, so the families, not the contests, tell what to
 * expect of a new family: the quantile is that of two-layer conformal prediction, in which all
 * families seen and the new one have the same mass. Layer  compare. Maths docs/model.md, "How far a
 * ranking can be trusted". SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/contest.h"

#define ROUNDING 1e-9 /* error of sums of weights */

static double shortest_predicted(const wl_pair *times, size_t count)
{
    double shortest = INFINITY;
    for (size_t i = 0; i < count; i++)
        shortest = fmin(shortest, times[i].predicted);
    return shortest;
}

/* The predicted time of the fastest measured launch. */
static double predicted_of_fastest(const wl_pair *times, size_t count)
{
    wl_pair best = times[0];
    for (size_t i = 1; i < count; i++)
        if (times[i].measured < best.measured ||
            (times[i].measured == best.measured && times[i].predicted < best.predicted))
            best = times[i];
    return best.predicted;
}

static double mean_deviation(const wl_pair *times, size_t count)
{
    double mean = 0, deviation = 0;
    for (size_t i = 0; i < count; i++)
        mean += log(times[i].predicted / times[i].measured) / (double)count;
    for (size_t i = 0; i < count; i++)
        deviation += fabs(log(times[i].predicted / times[i].measured) - mean) / (double)count;
    return deviation;
}

bool wl_contest_judge(const wl_pair *times, size_t count, wl_contest *out)
{
    if (count < WL_CONTEST_LEAST)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(times[i].measured > 0) || !(times[i].predicted > 0))
            return false;
    out->times = times;
    out->launches = count;
    out->ratio = predicted_of_fastest(times, count) / shortest_predicted(times, count);
    out->error = mean_deviation(times, count);
    return isfinite(out->ratio) && isfinite(out->error);
}

static int by_family(const void *a, const void *b)
{
    const wl_contest *p = a, *q = b;
    return strcmp(p->family, q->family);
}

static int by_ratio(const void *a, const void *b)
{
    const wl_contest *p = a, *q = b;
    return p->ratio != q->ratio ? (p->ratio > q->ratio) - (p->ratio < q->ratio) : by_family(a, b);
}

size_t wl_contests_prepare(wl_contest *contests, size_t count)
{
    size_t families = 0;
    if (count == 0)
        return 0;
    qsort(contests, count, sizeof *contests, by_family);
    for (size_t first = 0, next; first < count; first = next) {
        next = first + 1;
        while (next < count && strcmp(contests[next].family, contests[first].family) == 0)
            next++;
        for (size_t i = first; i < next; i++)
            contests[i].weight = 1 / (double)(next - first);
        families++;
    }
    qsort(contests, count, sizeof *contests, by_ratio);
    return families;
}

static bool is_left_out(const wl_contest *c, const char *without) { return without && strcmp(c->family, without) == 0; }

bool wl_contests_ratio(const wl_contest *contests, size_t count, const char *without, double probability, double *ratio)
{
    double families = 0, mass = 0;
    for (size_t i = 0; i < count; i++)
        families += is_left_out(&contests[i], without) ? 0 : contests[i].weight;
    const double wanted = probability * (families + 1) - ROUNDING;
    for (size_t i = 0; i < count; i++) {
        if (is_left_out(&contests[i], without))
            continue;
        mass += contests[i].weight;
        if (mass >= wanted) {
            *ratio = contests[i].ratio;
            return true;
        }
    }
    return false;
}

/* Has no contest before this one the same family? */
static bool is_first(const wl_contest *contests, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(contests[i].family, contests[at].family) == 0)
            return false;
    return true;
}

bool wl_contests_coverage(const wl_contest *contests, size_t count, double probability, double *coverage)
{
    double covered = 0, families = 0;
    for (size_t f = 0; f < count; f++) {
        double ratio;
        if (!is_first(contests, f))
            continue;
        if (!wl_contests_ratio(contests, count, contests[f].family, probability, &ratio))
            return false;
        families++;
        for (size_t i = f; i < count; i++)
            if (strcmp(contests[i].family, contests[f].family) == 0 && contests[i].ratio <= ratio)
                covered += contests[i].weight;
    }
    *coverage = families > 0 ? covered / families : 0;
    return families > 0;
}

double wl_contests_error(const wl_contest *contests, size_t count)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        sum += contests[i].weight * contests[i].error;
        weights += contests[i].weight;
    }
    return weights > 0 ? sum / weights : 0;
}

static double share_within(const wl_contest *c, double ratio)
{
    const double most = ratio * shortest_predicted(c->times, c->launches);
    size_t within = 0;
    for (size_t i = 0; i < c->launches; i++)
        within += c->times[i].predicted <= most;
    return (double)within / (double)c->launches;
}

double wl_contests_within(const wl_contest *contests, size_t count, double ratio)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        sum += contests[i].weight * share_within(&contests[i], ratio);
        weights += contests[i].weight;
    }
    return weights > 0 ? sum / weights : 0;
}
