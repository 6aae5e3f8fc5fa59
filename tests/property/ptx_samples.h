/* ptx_samples.h - how often the counts of a sampled prediction are within the error that it states.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PTX_SAMPLES_H
#define WL_TESTS_PTX_SAMPLES_H

#include <math.h>

#include "property/ptx_oracle.h"
#include "warpline/predict.h"

#define ROUNDING 1e-9
#define OUTSIDE_EVERY 100 /* of so many samples, one may be outside three standard errors */

static double metric(const wl_prediction *p, wl_metric m)
{
    double v = 0;
    return wl_prediction_metric(p, m, &v) ? v : 0;
}

/* What the stated error is for. */
typedef enum estimate {
    OF_INSTRUCTIONS,
    OF_THREADS,
    OF_LOADS,
    OF_STORES,
    OF_LOADED,
    OF_STORED,
    ESTIMATE_COUNT
} estimate;

static struct {
    uint64_t programs, outside, of[ESTIMATE_COUNT];
    double largest; /* error, in stated ones */
    uint64_t seed;  /* of that program */
} samples;

/* Notes whether the counts are within the stated error; that must hold for almost all programs. */
static void note_sample(const wl_prediction *p, const counted *c, double error, uint64_t seed)
{
    static const wl_metric metrics[ESTIMATE_COUNT] = {
        [OF_INSTRUCTIONS] = WL_METRIC_inst_executed, [OF_THREADS] = WL_METRIC_thread_inst,
        [OF_LOADS] = WL_METRIC_inst_global_ld,       [OF_STORES] = WL_METRIC_inst_global_st,
        [OF_LOADED] = WL_METRIC_l1_sectors_ld,       [OF_STORED] = WL_METRIC_l1_sectors_st,
    };
    const double want[ESTIMATE_COUNT] = {
        [OF_INSTRUCTIONS] = c->all_warp,        [OF_THREADS] = c->all_thread, [OF_LOADS] = c->issued[GLOBAL_LOADS],
        [OF_STORES] = c->issued[GLOBAL_STORES], [OF_LOADED] = c->sectors[0],  [OF_STORED] = c->sectors[1]};
    bool outside = false;
    samples.programs++;
    for (int k = 0; k < ESTIMATE_COUNT; k++) {
        const double got = metric(p, metrics[k]), most = fmax(got, want[k]);
        const double off = most > 0 ? fabs(got - want[k]) / most / fmax(error, ROUNDING) : 0;
        if (getenv("WL_SAMPLES") && off > 1)
            fprintf(stderr, "seed %llu: %s %g, not %g, stated %g\n", (unsigned long long)seed,
                    wl_metric_name(metrics[k]), got, want[k], error);
        samples.of[k] += off > 1;
        outside = outside || off > 1;
        if (off > samples.largest) {
            samples.largest = off;
            samples.seed = seed;
        }
    }
    samples.outside += outside;
}

static void print_samples(void)
{
    print_message("%llu of %llu samples outside the stated error (", (unsigned long long)samples.outside,
                  (unsigned long long)samples.programs);
    for (int k = 0; k < ESTIMATE_COUNT; k++)
        print_message("%s%llu", k ? " " : "", (unsigned long long)samples.of[k]);
    print_message("), %.2g times at worst (seed %llu)\n", samples.largest, (unsigned long long)samples.seed);
}

/* One may be outside by chance even where only a few were drawn. */
static bool samples_hold(void) { return samples.outside <= 1 + samples.programs / OUTSIDE_EVERY; }

#endif /* WL_TESTS_PTX_SAMPLES_H */
