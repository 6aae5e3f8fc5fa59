/* agreement.c - relative errors, rank correlation, best pick.
 *
 * Kendall's tau-b by Knight's algorithm: sorted by the measured value, a merge sort by the
 * predicted value makes one exchange per discordant pair. Layer  compare (uses base).
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "warpline/compare.h"

#define ROUNDING (16 * DBL_EPSILON)

bool wl_pair_exact(wl_pair p) { return fabs(p.predicted - p.measured) <= ROUNDING * p.measured; }

bool wl_pair_error(wl_pair p, double *error)
{
    if (p.measured == 0 && p.predicted != 0)
        return false;
    *error = wl_pair_exact(p) ? 0 : p.predicted / p.measured - 1;
    return isfinite(*error);
}

static int order(double a, double b) { return (a > b) - (a < b); }

static int by_value(const void *a, const void *b) { return order(*(const double *)a, *(const double *)b); }

static int by_measured(const void *a, const void *b)
{
    const wl_pair *p = a, *q = b;
    const int first = order(p->measured, q->measured);
    return first ? first : order(p->predicted, q->predicted);
}

/* Sorts by the predicted value; returns the number of discordant pairs. */
static double sort_exchanges(wl_pair *pairs, wl_pair *scratch, size_t count)
{
    double exchanges = 0;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            const size_t mid = lo + width < count ? lo + width : count;
            const size_t hi = lo + 2 * width < count ? lo + 2 * width : count;
            size_t left = lo, right = mid;
            for (size_t to = lo; to < hi; to++) {
                if (left < mid && (right == hi || pairs[left].predicted <= pairs[right].predicted)) {
                    scratch[to] = pairs[left++];
                } else {
                    scratch[to] = pairs[right++];
                    exchanges += (double)(mid - left);
                }
            }
        }
        memcpy(pairs, scratch, count * sizeof *pairs);
    }
    return exchanges;
}

static double pairs_of(size_t n) { return 0.5 * (double)n * ((double)n - 1); }

/* Pairs of sorted data that are tied in the measured value; on request, in both values. */
static double ties(const wl_pair *sorted, size_t count, bool measured, bool predicted)
{
    double tied = 0;
    for (size_t i = 0, run = 1; i < count; i += run) {
        run = 1;
        while (i + run < count && (!measured || sorted[i + run].measured == sorted[i].measured) &&
               (!predicted || sorted[i + run].predicted == sorted[i].predicted))
            run++;
        tied += pairs_of(run);
    }
    return tied;
}

static void set_tau(wl_pair *pairs, wl_pair *scratch, size_t count, wl_agreement *out)
{
    const double all = pairs_of(count);
    qsort(pairs, count, sizeof *pairs, by_measured);
    const double tied_measured = ties(pairs, count, true, false), tied_both = ties(pairs, count, true, true);
    const double discordant = sort_exchanges(pairs, scratch, count);
    const double tied_predicted = ties(pairs, count, false, true);
    const double room = sqrt(all - tied_measured) * sqrt(all - tied_predicted);
    out->tau_known = room > 0;
    if (out->tau_known)
        out->tau = (all - tied_measured - tied_predicted + tied_both - 2 * discordant) / room;
}

static void set_errors(const wl_pair *pairs, size_t count, double *errors, wl_agreement *out)
{
    double sum = 0, signed_sum = 0;
    for (size_t i = 0; i < count; i++) {
        double e = 0;
        if (!wl_pair_error(pairs[i], &e)) {
            out->left_out++;
            continue;
        }
        out->exact += wl_pair_exact(pairs[i]);
        signed_sum += e;
        sum += fabs(e);
        errors[out->count++] = fabs(e);
    }
    if (out->count == 0)
        return;
    const size_t n = out->count;
    qsort(errors, n, sizeof *errors, by_value);
    out->mean = sum / (double)n;
    out->bias = signed_sum / (double)n;
    out->median = 0.5 * (errors[(n - 1) / 2] + errors[n / 2]);
    out->max = errors[n - 1];
}

wl_status wl_agreement_compute(const wl_pair *pairs, size_t count, wl_agreement *out, wl_error *err)
{
    *out = (wl_agreement){0};
    if (count == 0)
        return WL_OK;
    double *errors = calloc(count, sizeof *errors);
    wl_pair *sorted = calloc(count, 2 * sizeof *sorted);
    if (errors && sorted) {
        memcpy(sorted, pairs, count * sizeof *sorted);
        set_errors(pairs, count, errors, out);
        set_tau(sorted, sorted + count, count, out);
    }
    const bool done = errors && sorted;
    free(errors);
    free(sorted);
    return done ? WL_OK : wl_fail_memory(err);
}

bool wl_best_pick(const wl_pair *times, size_t count, double *efficiency)
{
    if (count == 0)
        return false;
    double best = times[0].measured;
    wl_pair pick = times[0];
    for (size_t i = 0; i < count; i++) {
        const wl_pair p = times[i];
        if (p.measured < best)
            best = p.measured;
        if (p.predicted < pick.predicted || (p.predicted == pick.predicted && p.measured > pick.measured))
            pick = p;
    }
    *efficiency = best / pick.measured;
    return best > 0;
}
