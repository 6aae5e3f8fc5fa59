/* fit.c - see warpline/fit.h. Least squares (Levenberg-Marquardt) over the logarithms of the
 * numbers.
 * SPDX-License-Identifier: MIT */
#include "fit/fit_internal.h"

#include <cminpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "device/device_internal.h"
#include "fit/numbers.h"
#include "laws/traffic_laws.h"
#include "metrics/prediction.h"

#define KNEE 0.05 /* larger errors count linearly, not quadratically (as in a Huber loss) */
#define PULL 0.01 /* towards the start: numbers that no launch determines stay there */
#define EVALUATIONS 4000
#define FUNCTION_TOLERANCE 1e-8 /* of the sum of squares: converged */
#define STEP_TOLERANCE 1e-6     /* of the logarithms of the numbers */
#define DIFFERENCE 1e-6         /* squared step of the finite differences */
#define RANK_TOLERANCE 1e-14    /* below it, a direction is not determined by any launch */
/* share of the deviation under the pull alone: below it, launches determine the number */
#define DECIDED 0.9

static const char *const target_names[] = {"l1_wavefronts",   "l2_load_bytes",    "l2_store_bytes",
                                           "dram_load_bytes", "dram_store_bytes", "time"};
static const wl_metric target_metrics[] = {WL_METRIC_l1_wavefronts, WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes,
                                           WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes};

const char *wl_fit_target_name(wl_fit_target target) { return target_names[target]; }

bool wl_fit_target_find(const char *name, wl_fit_target *target)
{
    for (int i = 0; i < WL_FIT_TARGET_COUNT; i++) {
        if (strcmp(target_names[i], name) == 0) {
            *target = (wl_fit_target)i;
            return true;
        }
    }
    return false;
}

bool wl_fit_target_known(const char *name)
{
    wl_fit_target target;
    return wl_fit_target_find(name, &target);
}

bool wl_fit_number_known(const char *name)
{
    for (size_t i = 0; i < wl_fit_spec_count; i++)
        if (strcmp(name, wl_device_key_name(wl_fit_specs[i].key)) == 0)
            return true;
    return false;
}

bool wl_fit_pair(wl_fit_target target, const wl_device *device, const wl_prediction *p, const wl_measurement *m,
                 double min_time_s, double *predicted, double *value)
{
    double least = 0;
    if (target == WL_FIT_TIME) {
        *predicted = wl_time_as_measured(p, m);
        *value = m->time_s;
        return m->time_known && m->time_s > min_time_s && *predicted > 0;
    }
    const wl_metric metric = target_metrics[target];
    *predicted = p->metrics[metric].value;
    /* smaller ones mostly depend on what caches hold before and after the launch */
    if (target == WL_FIT_DRAM_LOADS || target == WL_FIT_DRAM_STORES)
        (void)wl_device_get(device, WL_DEVICE_l2_size, &least);
    return wl_measurement_value(m, metric, value) && p->metrics[metric].known && *value > least && *predicted > 0;
}

/* ---- one target ---- */

typedef struct fitter {
    wl_device *device;
    const wl_fit_case *cases;
    size_t case_count;
    const wl_number_options *options;
    wl_fit_target target;
    const size_t *used;   /* indices of the cases that take part */
    const double *weight; /* 1 / sqrt(cases of the family) */
    size_t used_count;
    const wl_fit_spec *specs[WL_FIT_NUMBERS_MAX];
    double start[WL_FIT_NUMBERS_MAX];
    int count;
    wl_status status; /* the first failure of a prediction */
    wl_error *err;
} fitter;

static double *value_of(wl_device *device, const wl_fit_spec *spec)
{
    return &device->entries[spec->key].values[spec->index];
}

/* Shares stay below 1. */
static double admissible(const wl_fit_spec *spec, double value)
{
    const bool share = spec->key == WL_DEVICE_store_combine || spec->key == WL_DEVICE_store_combine_warps ||
                       spec->key == WL_DEVICE_l2_merge || (spec->key == WL_DEVICE_l1_reload_curve && spec->index == 0);
    return share ? fmin(value, 1) : value;
}

static void apply(const fitter *f, const double *x)
{
    for (int i = 0; i < f->count; i++)
        *value_of(f->device, f->specs[i]) = admissible(f->specs[i], f->start[i] * exp(x[i]));
}

static bool log_error(fitter *f, const wl_fit_case *c, double *error)
{
    static _Thread_local wl_prediction prediction;
    double predicted, value;
    if (f->status == WL_OK)
        f->status = wl_counted_predict(c->counted, f->device, WL_MODEL_TURNOVER, &prediction, f->err);
    if (f->status != WL_OK ||
        !wl_fit_pair(f->target, f->device, &prediction, c->measured, f->options->min_time_s, &predicted, &value))
        return false;
    *error = log(predicted / value);
    return true;
}

/* Proportional to the error if it is small, to its square root if it is large. */
static double soften(double error)
{
    const double e = error / KNEE, size = KNEE * sqrt(2 * (sqrt(1 + e * e) - 1));
    return error < 0 ? -size : size;
}

static int residuals(void *context, int m, int n, const double *x, double *out, int flag)
{
    fitter *f = context;
    (void)m;
    (void)flag;
    apply(f, x);
    for (size_t i = 0; i < f->used_count; i++) {
        double error = 0;
        out[i] = log_error(f, &f->cases[f->used[i]], &error) ? f->weight[i] * soften(error) : 0;
    }
    for (int i = 0; i < n; i++)
        out[f->used_count + (size_t)i] = PULL * x[i];
    return f->status == WL_OK ? 0 : -1; /* ends the fit */
}

/* Which cases take part, and their weights. */
static void choose_cases(fitter *f, size_t *used, double *weight)
{
    for (size_t i = 0; i < f->case_count; i++) {
        const wl_fit_case *c = &f->cases[i];
        double error;
        if ((f->options->without && strcmp(f->options->without, c->family) == 0) || !log_error(f, c, &error))
            continue;
        used[f->used_count++] = i;
    }
    for (size_t i = 0; i < f->used_count; i++) {
        size_t alike = 0;
        for (size_t j = 0; j < f->used_count; j++)
            alike += strcmp(f->cases[used[i]].family, f->cases[used[j]].family) == 0;
        weight[i] = 1 / sqrt((double)alike);
    }
}

#define OTHERWISE 2 /* factor by which a number is changed to see whether it matters */

/* Does the number affect any launch, including those of the family that is left out? That family is
 * then judged with the neutral start value, not with the device's number. A device without the
 * number gets it. */
static bool is_shown(fitter *f, const wl_fit_spec *spec)
{
    wl_device_entry *entry = &f->device->entries[spec->key];
    const wl_device_entry own = *entry;
    bool shown = false;
    entry->count = spec->index + 1;
    for (size_t i = 0; i < f->case_count && !shown; i++) {
        double one = 0, other = 0;
        entry->values[spec->index] = spec->if_shown;
        (void)log_error(f, &f->cases[i], &one);
        entry->values[spec->index] = OTHERWISE * spec->if_shown;
        (void)log_error(f, &f->cases[i], &other);
        shown = one != other;
    }
    *entry = own;
    /* other entries of the list may matter only together with it */
    if (shown && own.count <= spec->index) {
        entry->count = spec->index + 1;
        entry->values[spec->index] = spec->if_shown;
    }
    return shown;
}

static bool is_wanted(const wl_number_options *options, const wl_fit_spec *spec)
{
    for (size_t i = 0; i < options->number_count; i++)
        if (strcmp(options->numbers[i], wl_device_key_name(spec->key)) == 0)
            return true;
    return options->number_count == 0;
}

static void choose_numbers(fitter *f)
{
    for (size_t i = 0; i < wl_fit_spec_count; i++) {
        const wl_fit_spec *spec = &wl_fit_specs[i];
        if (spec->target != f->target || !is_wanted(f->options, spec) || (spec->if_shown > 0 && !is_shown(f, spec)))
            continue;
        f->specs[f->count] = spec;
        f->start[f->count++] = wl_fit_start(f->device, spec);
    }
}

/* Cases and numbers. */
static wl_status choose(fitter *f, size_t *used, double *weight)
{
    choose_cases(f, used, weight);
    choose_numbers(f);
    if (f->status == WL_OK && f->used_count < (size_t)f->count)
        return wl_fail(f->err, WL_E_INPUT, WL_NOWHERE, "%zu launches are too few to fit the %d numbers of %s",
                       f->used_count, f->count, wl_fit_target_name(f->target));
    return f->status;
}

/* Mean of |relative error|, every family with equal weight. */
static double mean_error(fitter *f)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < f->used_count; i++) {
        double error = 0;
        if (!log_error(f, &f->cases[f->used[i]], &error))
            continue;
        const double w = f->weight[i] * f->weight[i];
        sum += w * fabs(exp(error) - 1);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

/* Memory of one least-squares run: m residuals, n numbers. */
typedef struct workspace {
    double *x, *out, *jacobian, *diag, *qtf, *wa1, *wa2, *wa3, *wa4;
    int *ipvt;
    double *all;
} workspace;

static bool workspace_make(workspace *w, size_t m, size_t n)
{
    w->all = calloc(m * n + 2 * m + 6 * n, sizeof(double));
    w->ipvt = calloc(n, sizeof(int));
    if (!w->all || !w->ipvt)
        return false;
    double *at = w->all;
    w->jacobian = at;
    w->out = (at += m * n);
    w->wa4 = (at += m);
    w->x = (at += m);
    w->diag = (at += n);
    w->qtf = (at += n);
    w->wa1 = (at += n);
    w->wa2 = (at += n);
    w->wa3 = at + n;
    return true;
}

static void workspace_free(workspace *w)
{
    free(w->all);
    free(w->ipvt);
}

static wl_status least_squares(fitter *f, wl_fit_result *out, wl_error *err)
{
    const int n = f->count, m = (int)f->used_count + n;
    int evaluations = 0;
    workspace w = {0};
    if (!workspace_make(&w, (size_t)m, (size_t)n)) {
        workspace_free(&w);
        return wl_fail_memory(err);
    }
    (void)lmdif(residuals, f, m, n, w.x, w.out, FUNCTION_TOLERANCE, STEP_TOLERANCE, 0, EVALUATIONS, DIFFERENCE, w.diag,
                1, 1, 0, &evaluations, w.jacobian, m, w.ipvt, w.qtf, w.wa1, w.wa2, w.wa3, w.wa4);
    if (residuals(f, m, n, w.x, w.out, 1) != 0) {
        workspace_free(&w);
        return f->status;
    }
    for (int i = 0; i < n; i++) { /* sizes are rounded to whole bytes */
        double *v = value_of(f->device, f->specs[i]);
        if (wl_device_keys[f->specs[i]->key].dimension == WL_DIM_BYTES)
            *v = fmax(1, round(*v));
    }
    double square = 0;
    for (int i = 0; i < m; i++)
        square += w.out[i] * w.out[i];
    const double variance = m > 2 * n ? square / (double)(m - 2 * n) : 0;
    covar(n, w.jacobian, m, w.ipvt, RANK_TOLERANCE, w.wa1);
    for (int i = 0; i < n; i++) {
        const double deviation = sqrt(fmax(0, w.jacobian[i * m + i] * variance)), pulled = sqrt(variance) / PULL;
        out->numbers[out->number_count++] = (wl_fit_number){.target = f->target,
                                                            .key = f->specs[i]->key,
                                                            .index = f->specs[i]->index,
                                                            .start = f->start[i],
                                                            .fitted = *value_of(f->device, f->specs[i]),
                                                            .deviation = deviation < DECIDED * pulled ? deviation : 0};
    }
    workspace_free(&w);
    return WL_OK;
}

static wl_status fit_target(fitter *f, wl_fit_result *out, wl_error *err)
{
    size_t *used = calloc(f->case_count + 1, sizeof *used);
    double *weight = calloc(f->case_count + 1, sizeof *weight);
    wl_status status = used && weight ? WL_OK : wl_fail_memory(err);
    f->used = used;
    f->weight = weight;
    if (status == WL_OK)
        status = choose(f, used, weight);
    if (status == WL_OK) {
        out->used[f->target] = f->used_count;
        out->before[f->target] = mean_error(f);
        status = least_squares(f, out, err);
    }
    if (status == WL_OK)
        out->after[f->target] = mean_error(f);
    status = status ? status : f->status;
    free(used);
    free(weight);
    return status;
}

wl_status wl_fit_numbers(wl_device *device, const wl_fit_case *cases, size_t count, const wl_number_options *options,
                         wl_fit_result *out, wl_error *err)
{
    wl_laws laws;
    bool any = false;
    *out = (wl_fit_result){0};
    if (!wl_laws_read(device, &laws))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "the device file lacks the numbers of the measured laws (l1_reload_curve, l2_reuse_room, ...)");
    for (size_t i = 0; i < wl_fit_spec_count; i++)
        if (!(wl_fit_specs[i].if_shown > 0) && device->entries[wl_fit_specs[i].key].count <= wl_fit_specs[i].index)
            return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "the device file has no %s to fit",
                           wl_device_key_name(wl_fit_specs[i].key));
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        any = any || options->targets[t];
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        fitter f = {.device = device,
                    .cases = cases,
                    .case_count = count,
                    .options = options,
                    .target = (wl_fit_target)t,
                    .err = err};
        if (!any || options->targets[t])
            WL_TRY(fit_target(&f, out, err));
    }
    return WL_OK;
}
