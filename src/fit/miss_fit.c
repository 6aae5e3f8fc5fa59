/* miss_fit.c - see miss_fit.h. SPDX-License-Identifier: MIT */
#include "fit/miss_fit.h"

#include <cminpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "base/room.h"
#include "fit/fit_internal.h"
#include "laws/curve.h"
#include "metrics/prediction.h"

#define TOLERANCE 1e-9 /* of the sum of squares and of the numbers: converged */
#define PULL 1e-4      /* towards the start: numbers that no launch determines stay there */
#define INSIDE 0.95    /* a starts below 1, which it can only approach */
#define LEAST 0.01     /* a smaller share of the volume says nothing about the curve */
#define EVALUATIONS 1000
#define FIRST_STEP 100 /* MINPACK's own bound of it */

/* Predictions with a curve that is 1, or 0, everywhere say what could miss. */
#define ALWAYS "[1,1e-9,1]"
#define NEVER "[1e-12,1,1]"

static const struct {
    const char *name, *with; /* with: in addition to the estimator */
    wl_device_key key;
    wl_metric volume;
} curves[WL_MISS_CURVES] = {
    [WL_MISS_L1] = {"l1_curve", "l1_miss_curve=" ALWAYS, WL_DEVICE_l1_miss_curve, WL_METRIC_l2_load_bytes},
    [WL_MISS_L2_REUSE] = {"l2_reuse_curve", "l2_reuse_curve=" NEVER, WL_DEVICE_l2_reuse_curve,
                          WL_METRIC_dram_load_bytes},
    [WL_MISS_L2_STORE] = {"l2_store_curve", "l2_store_curve=" NEVER, WL_DEVICE_l2_store_curve,
                          WL_METRIC_dram_store_bytes},
};

const char *wl_miss_curve_name(wl_miss_curve curve) { return curves[curve].name; }
wl_device_key wl_miss_curve_key(wl_miss_curve curve) { return curves[curve].key; }

bool wl_miss_curve_find(const char *target, wl_miss_curve *out)
{
    for (int i = 0; i < WL_MISS_CURVES; i++)
        if (strcmp(curves[i].name, target) == 0) {
            *out = (wl_miss_curve)i;
            return true;
        }
    return false;
}

const char *wl_miss_curve_with(wl_miss_curve curve, size_t index)
{
    return index == 0 ? "l1_reload_curve=none" : index == 1 ? curves[curve].with : NULL;
}

const char *wl_miss_lack_words(wl_miss_lack lack)
{
    static const char *const words[WL_MISS_LACKS] = {
        [WL_MISS_UNMEASURED] = "not measured",
        [WL_MISS_LOOPS] = "loops use data again at several distances",
        [WL_MISS_REPLAYED] = "the volume comes from a replay",
        [WL_MISS_SMALL] = "smaller than the L2",
        [WL_MISS_NOTHING] = "nothing is used again",
    };
    return words[lack];
}

wl_status wl_miss_fit_new(wl_miss_curve curve, const wl_device *device, wl_miss_fit **out, wl_error *err)
{
    wl_miss_fit *f = calloc(1, sizeof *f);
    if (!f)
        return wl_fail_memory(err);
    f->curve = curve;
    const wl_status status = wl_device_copy(device, &f->device, err);
    for (size_t i = 0; i < WL_MISS_NUMBERS && status == WL_OK; i++)
        f->start[i] = f->fitted[i] = wl_device_list_value(device, curves[curve].key, i);
    if (status != WL_OK)
        wl_miss_fit_free(f);
    else
        *out = f;
    return status;
}

void wl_miss_fit_free(wl_miss_fit *f)
{
    if (!f)
        return;
    wl_device_free(f->device);
    free(f->points);
    free(f);
}

/* ---- points ---- */

static double part(const wl_prediction *p, wl_metric metric, const char *name)
{
    double value;
    const char *found;
    for (size_t i = 0; (found = wl_prediction_part(p, metric, i, &value)); i++)
        if (strcmp(found, name) == 0)
            return value;
    return 0;
}

/* What blocks load, and load again. */
static double l1_point(const wl_prediction *p, wl_miss_point *out)
{
    out->count = 1;
    out->oversubscription[0] = p->l1_oversubscription;
    out->again = part(p, WL_METRIC_l2_load_bytes, "capacity");
    return part(p, WL_METRIC_l2_load_bytes, "compulsory");
}

/* All that earlier blocks have loaded is predicted to hit: `fixed` lacks it. */
static double reuse_point(const wl_prediction *p, wl_miss_point *out)
{
    static const char *const parts[WL_MISS_DIRECTIONS] = {"reuse_x", "reuse_y", "reuse_z"};
    for (int d = 0; d < WL_MISS_DIRECTIONS; d++) {
        const double bytes = -part(p, WL_METRIC_dram_load_bytes, parts[d]);
        if (!p->reuse[d].exists || !(bytes > 0))
            continue;
        out->oversubscription[out->count] = p->reuse[d].oversubscription;
        out->share[out->count++] = bytes;
        out->again += bytes;
    }
    return p->metrics[WL_METRIC_dram_load_bytes].value;
}

/* Every sector is written once; stores beyond that hit, unless it was evicted in between. */
static double store_point(const wl_miss_fit *f, const wl_prediction *p, wl_miss_point *out)
{
    const double once = p->metrics[WL_METRIC_dram_store_bytes].value;
    const double room =
        (double)wl_device_int(f->device, WL_DEVICE_l2_size) / (double)wl_device_int(f->device, WL_DEVICE_l2_partitions);
    const double scale = (double)wl_device_int(f->device, WL_DEVICE_l2_curve_scale);
    out->count = 1;
    out->oversubscription[0] = p->metrics[WL_METRIC_l2_alloc_bytes].value / sqrt(room * scale);
    out->again = p->metrics[WL_METRIC_l2_store_bytes].value - once;
    return once;
}

/* The point of a launch; WL_MISS_LACKS: there is one. */
static wl_miss_lack point_of(const wl_miss_fit *f, const wl_compared *row, const wl_prediction *p,
                             const wl_kernel *kernel, wl_miss_point *out)
{
    const wl_metric volume = curves[f->curve].volume;
    double fixed, least = 0;
    *out = (wl_miss_point){.family = row->family, .line = row->measurement->line};
    if (!wl_measurement_value(row->measurement, volume, &out->measured) || !(out->measured > 0))
        return WL_MISS_UNMEASURED;
    if (p->has_replayed || p->volume_estimator != WL_VOLUMES_REUSE_SETS || !p->metrics[volume].known)
        return WL_MISS_REPLAYED;
    if (f->curve == WL_MISS_L1 && kernel->loop_count > 0)
        return WL_MISS_LOOPS;
    if (f->curve != WL_MISS_L1)
        (void)wl_device_get(f->device, WL_DEVICE_l2_size, &least);
    if (out->measured < least)
        return WL_MISS_SMALL;
    switch (f->curve) {
    case WL_MISS_L1: fixed = l1_point(p, out); break;
    case WL_MISS_L2_REUSE: fixed = reuse_point(p, out); break;
    default: fixed = store_point(f, p, out); break;
    }
    if (!(out->again > LEAST * out->measured))
        return WL_MISS_NOTHING;
    for (int d = 0; d < out->count; d++)
        out->share[d] = out->count == 1 ? 1 : out->share[d] / out->again;
    out->fixed = fixed;
    out->miss = fmin(1, fmax(0, (out->measured - fixed) / out->again));
    out->outside = out->measured < fixed || out->measured > fixed + out->again;
    return WL_MISS_LACKS;
}

wl_status wl_miss_fit_add(wl_miss_fit *f, const wl_compared *row, const wl_prediction *p, const wl_kernel *kernel,
                          wl_error *err)
{
    wl_miss_point point;
    const wl_miss_lack lack = point_of(f, row, p, kernel, &point);
    if (lack != WL_MISS_LACKS) {
        f->lacks[lack]++;
        return WL_OK;
    }
    if (!WL_ROOM(f->points, f->count + 1, f->room))
        return wl_fail_memory(err);
    f->outside += point.outside;
    f->points[f->count++] = point;
    return WL_OK;
}

/* ---- the fit ---- */

double wl_miss_of_point(const wl_miss_point *point, const double numbers[WL_MISS_NUMBERS])
{
    double miss = 0;
    for (int d = 0; d < point->count; d++)
        miss += point->share[d] * wl_curve_at(numbers, point->oversubscription[d]);
    return miss;
}

static double weight_of(const wl_miss_fit *f, const wl_miss_point *point)
{
    size_t alike = 0;
    for (size_t i = 0; i < f->count; i++)
        alike += strcmp(f->points[i].family, point->family) == 0;
    return 1 / (double)alike;
}

/* The share that misses stays between 0 and 1: a / (1 - a) is searched. */
static void numbers_at(const wl_miss_fit *f, const double *x, double numbers[WL_MISS_NUMBERS])
{
    const double a = fmin(f->start[0], INSIDE), odds = a / (1 - a) * exp(x[0]);
    numbers[0] = odds / (1 + odds);
    for (int i = 1; i < WL_MISS_NUMBERS; i++)
        numbers[i] = f->start[i] * exp(x[i]);
}

/* A launch counts as much as the curve decides of its volume. */
static int residuals(void *context, int m, int n, const double *x, double *out, int flag)
{
    const wl_miss_fit *f = context;
    double numbers[WL_MISS_NUMBERS];
    (void)m;
    (void)flag;
    numbers_at(f, x, numbers);
    for (size_t i = 0; i < f->count; i++) {
        const wl_miss_point *p = &f->points[i];
        const double decides = fmin(1, p->again / p->measured);
        out[i] = sqrt(decides * p->weight) * (wl_miss_of_point(p, numbers) - p->miss);
    }
    for (int i = 0; i < n; i++)
        out[f->count + (size_t)i] = PULL * x[i];
    return 0;
}

static wl_miss_score score_of(const wl_miss_fit *f, const double numbers[WL_MISS_NUMBERS])
{
    wl_miss_score s = {0};
    double weights = 0;
    for (size_t i = 0; i < f->count; i++) {
        const wl_miss_point *p = &f->points[i];
        const double weight = p->weight, miss = wl_miss_of_point(p, numbers);
        s.miss += weight * fabs(miss - p->miss);
        s.volume += weight * fabs((p->fixed + miss * p->again) / p->measured - 1);
        weights += weight;
    }
    return (wl_miss_score){s.miss / weights, s.volume / weights};
}

wl_status wl_miss_fit_run(wl_miss_fit *f, wl_error *err)
{
    const int n = WL_MISS_NUMBERS, m = (int)f->count + n;
    double x[WL_MISS_NUMBERS] = {0};
    double scales[5][WL_MISS_NUMBERS]; /* memory of lmdif */
    int places[WL_MISS_NUMBERS], done = 0;
    if (f->count < WL_MISS_NUMBERS)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%zu launches are too few to fit %s", f->count,
                       curves[f->curve].name);
    for (size_t i = 0; i < f->count; i++)
        f->points[i].weight = weight_of(f, &f->points[i]);
    double *work = calloc((size_t)(m * n + 2 * m), sizeof *work);
    if (!work)
        return wl_fail_memory(err);
    double *out = work + (size_t)(m * n);
    (void)lmdif(residuals, f, m, n, x, out, TOLERANCE, TOLERANCE, 0, EVALUATIONS, 0, scales[0], 1, FIRST_STEP, 0, &done,
                work, m, places, scales[1], scales[2], scales[3], scales[4], out + m);
    free(work);
    numbers_at(f, x, f->fitted);
    for (size_t i = 0; i < WL_MISS_NUMBERS; i++)
        f->device->entries[curves[f->curve].key].values[i] = f->fitted[i];
    f->before = score_of(f, f->start);
    f->after = score_of(f, f->fitted);
    return WL_OK;
}

wl_status wl_miss_fit_write(const wl_miss_fit *f, const char *text, size_t length, const char *origin, char **out,
                            wl_error *err)
{
    const char *sources[WL_DEVICE_KEY_COUNT] = {0};
    char source[400];
    (void)wl_print(source, sizeof source, "fitted: %s; %zu launches, mean error of the volume %.1f %%", origin,
                   f->count, 100 * f->after.volume);
    sources[curves[f->curve].key] = source;
    return wl_fit_write_keys(text, length, f->device, sources, out, err);
}
