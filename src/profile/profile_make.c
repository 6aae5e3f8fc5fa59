/* profile_make.c - predicts each kind of launch once, and sums up by kernel.
 *
 * Layer  profile. Oracle: tests/unit/test_profile.c. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/fail.h"
#include "profile/profile_internal.h"
#include "recording/record_format.h"
#include "warpline/roofline.h"

#define EFFORT_DEFAULT 0.1 /* seconds per launch: programs have many */

/* ---- predictions ---- */

static void refuse(wl_profile_kind *kind, const wl_error *why)
{
    wl_prediction_free(kind->prediction);
    kind->prediction = NULL;
    const bool placed = why->input[0] && why->loc.line > 0;
    (void)snprintf(kind->reason, sizeof kind->reason, placed ? "%s, line %d: %s" : "%s%.0d%s", placed ? why->input : "",
                   why->loc.line, why->message);
}

static wl_status predict_kind(wl_recording *recording, const wl_device *device, const wl_profile_options *o,
                              wl_profile_kind *kind, wl_error *err)
{
    const wl_ptx_options read = {.launch = kind->needs,
                                 .budget = o->budget,
                                 .effort = o->effort > 0 ? o->effort : EFFORT_DEFAULT,
                                 .outside = true};
    wl_predict_options how = o->predict;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_launch launch;
    how.outside = true;
    wl_status status = wl_prediction_new(&kind->prediction, err);
    if (status == WL_OK)
        status = wl_recording_kernel(recording, kind->launch, &read, &launch, &kernel, err);
    if (status == WL_OK)
        status = wl_predictor_new(kernel, device, &predictor, err);
    if (status == WL_OK)
        status = wl_predict(predictor, &launch, &how, kind->prediction, err);
    if (status == WL_OK) {
        wl_tallies_predicted(kind->prediction, kernel, device, &kind->tallies);
        kind->tallies.kernel = wl_recording_launch(recording, kind->launch)->kernel;
    }
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    return status;
}

/* A launch that cannot be predicted is no failure; out of memory is one. */
static wl_status predict_all(wl_recording *recording, const wl_profile_options *o, wl_profile *p, wl_error *err)
{
    wl_status failed = WL_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads) if (o->threads > 1)
    for (size_t i = 0; i < p->kind_count; i++) {
        wl_error why = {0};
        const wl_status status =
            p->kinds[i].reason[0] ? WL_OK : predict_kind(recording, p->device, o, &p->kinds[i], &why);
        if (status == WL_E_NOMEM) {
#pragma omp critical(warpline_profile_failed)
            failed = status;
        } else if (status != WL_OK) {
            refuse(&p->kinds[i], &why);
        }
    }
    return failed ? wl_fail_memory(err) : WL_OK;
}

/* ---- kinds ---- */

/* Modules are read before threads use them. */
static wl_status prepare(wl_recording *recording, const wl_profile_options *o, wl_profile_kind *kind, wl_error *err)
{
    const wl_recorded_launch *launch = wl_recording_launch(recording, kind->launch);
    const wl_ptx *ptx = NULL;
    wl_error why = {0};
    const wl_status status = wl_recording_module(recording, launch->module, &ptx, &why);
    if (status == WL_E_NOMEM)
        return wl_fail_with(err, &why);
    if (status != WL_OK)
        refuse(kind, &why);
    else if (o->needs)
        o->needs(o->user, launch, &kind->needs);
    return WL_OK;
}

static wl_status find_kinds(wl_recording *recording, const wl_profile_options *o, wl_profile *p, wl_error *err)
{
    while (wl_recording_launch(recording, p->launch_count))
        p->launch_count++;
    if (p->launch_count == 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the recording has no launch of a kernel");
    p->kinds = calloc(p->launch_count, sizeof *p->kinds);
    p->kind_of = calloc(p->launch_count, sizeof *p->kind_of);
    if (!p->kinds || !p->kind_of)
        return wl_fail_memory(err);
    for (size_t i = 0; i < p->launch_count; i++) {
        const wl_recorded_launch *launch = wl_recording_launch(recording, i);
        p->kind_of[i] = launch->kind < i ? p->kind_of[launch->kind] : p->kind_count;
        if (launch->kind < i)
            continue;
        p->kinds[p->kind_count++].launch = i;
        WL_TRY(prepare(recording, o, &p->kinds[p->kind_count - 1], err));
    }
    return WL_OK;
}

/* ---- kernels ---- */

static void count_launch(const wl_profile *p, size_t number, wl_profile_kernel *k)
{
    const wl_recorded_launch *launch = wl_recording_launch(p->recording, number);
    const wl_profile_kind *kind = &p->kinds[p->kind_of[number]];
    k->measured_s = launch->time_s < 0 || k->measured_s < 0 ? -1 : k->measured_s + launch->time_s;
    k->calls++;
    k->like += launch->like;
    if (!kind->prediction) {
        k->reason = k->reason ? k->reason : kind->reason;
        return;
    }
    const double time = wl_prediction_time(kind->prediction);
    k->least_s = k->predicted == 0 || time < k->least_s ? time : k->least_s;
    k->most_s = k->predicted == 0 || time > k->most_s ? time : k->most_s;
    k->total_s += time;
    k->predicted++;
}

/* The kind that takes most of a kernel's time stands for it. */
static wl_status find_leading(wl_profile *p, const size_t *kernel_of, wl_error *err)
{
    double *time = calloc(p->kind_count, sizeof *time), *most = calloc(p->kernel_count, sizeof *most);
    const wl_status status = time && most ? WL_OK : wl_fail_memory(err);
    for (size_t i = 0; i < p->launch_count && status == WL_OK; i++) {
        const wl_profile_kind *kind = &p->kinds[p->kind_of[i]];
        time[p->kind_of[i]] += kind->prediction ? wl_prediction_time(kind->prediction) : 0;
    }
    for (size_t i = 0; i < p->kind_count && status == WL_OK; i++) {
        const wl_profile_kind *kind = &p->kinds[i];
        const size_t number = kernel_of[kind->launch];
        wl_profile_kernel *k = &p->kernels[number];
        double bound = 0;
        if (!kind->prediction || !(time[i] > most[number]))
            continue;
        most[number] = time[i];
        k->launch = kind->launch;
        k->prediction = kind->prediction;
        k->limiter = wl_prediction_limiter(kind->prediction);
        k->of_peak = wl_prediction_bound(kind->prediction, k->limiter, &bound)
                         ? bound / wl_prediction_time(kind->prediction)
                         : 0;
    }
    free(time);
    free(most);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const wl_profile_kernel *x = a, *y = b;
    if (x->total_s != y->total_s)
        return x->total_s > y->total_s ? -1 : 1;
    return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static wl_status find_kernels(wl_profile *p, wl_error *err)
{
    wl_digest_map number_of = {0}; /* names are kept once, so that their address is one */
    size_t *kernel_of = calloc(p->launch_count, sizeof *kernel_of);
    wl_status status = WL_OK;
    p->kernels = calloc(p->launch_count, sizeof *p->kernels);
    if (!kernel_of || !p->kernels)
        status = wl_fail_memory(err);
    for (size_t i = 0; i < p->launch_count && status == WL_OK; i++) {
        const wl_recorded_launch *launch = wl_recording_launch(p->recording, i);
        const wl_digest key = {{(uint64_t)(uintptr_t)launch->symbol, 0}};
        if (!wl_digest_map_find(&number_of, key, &kernel_of[i])) {
            if (!wl_digest_map_add(&number_of, key, p->kernel_count))
                status = wl_fail_memory(err);
            kernel_of[i] = p->kernel_count;
            p->kernels[p->kernel_count++] = (wl_profile_kernel){.name = launch->kernel, .launch = i};
        }
        count_launch(p, i, &p->kernels[kernel_of[i]]);
    }
    status = status ? status : find_leading(p, kernel_of, err);
    if (status == WL_OK)
        qsort(p->kernels, p->kernel_count, sizeof *p->kernels, by_time);
    wl_digest_map_free(&number_of);
    free(kernel_of);
    return status;
}

static wl_status make(wl_recording *recording, const wl_profile_options *o, wl_profile *p, wl_error *err)
{
    WL_TRY(find_kinds(recording, o, p, err));
    WL_TRY(predict_all(recording, o, p, err));
    WL_TRY(find_kernels(p, err));
    for (size_t i = 0; i < p->kernel_count; i++) {
        p->times.kernels_s += p->kernels[i].total_s;
        p->times.refused += p->kernels[i].calls - p->kernels[i].predicted;
    }
    return wl_profile_order(p, err);
}

static int threads_of(int wanted)
{
#ifdef _OPENMP
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    (void)wanted;
    return 1;
#endif
}

wl_status wl_profile_make(wl_recording *recording, const wl_device *device, const wl_profile_options *options,
                          wl_profile **out, wl_error *err)
{
    wl_profile_options own = options ? *options : (wl_profile_options){0};
    wl_profile *p = calloc(1, sizeof *p);
    if (!p)
        return wl_fail_memory(err);
    own.threads = threads_of(own.threads);
    p->recording = recording;
    p->device = device;
    const wl_status status = make(recording, &own, p, err);
    if (status == WL_OK)
        *out = p;
    else
        wl_profile_free(p);
    return status;
}

void wl_profile_free(wl_profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->kinds && i < p->kind_count; i++)
        wl_prediction_free(p->kinds[i].prediction);
    free(p->kinds);
    free(p->kind_of);
    free(p->kernels);
    free(p->spans);
    free(p);
}

/* ---- what is in it ---- */

const wl_profile_kernel *wl_profile_kernel_at(const wl_profile *p, size_t index)
{
    return index < p->kernel_count ? &p->kernels[index] : NULL;
}

const wl_prediction *wl_profile_launch(const wl_profile *p, size_t launch, const char **reason)
{
    const wl_profile_kind *kind = &p->kinds[p->kind_of[launch]];
    if (reason)
        *reason = kind->prediction ? NULL : kind->reason;
    return kind->prediction;
}

const wl_tallies *wl_profile_tallies(const wl_profile *p, size_t launch)
{
    const wl_profile_kind *kind = &p->kinds[p->kind_of[launch]];
    return kind->prediction ? &kind->tallies : NULL;
}

const wl_profile_times *wl_profile_times_of(const wl_profile *p) { return &p->times; }

const wl_device *wl_profile_device(const wl_profile *p) { return p->device; }
