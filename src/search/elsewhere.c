/* elsewhere.c - one launch on other devices. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/time.h"
#include "search/changes.h"

/* Predicts a launch; false if it does not fit, or the device lacks the model's numbers. */
static bool time_of(wl_predictor *predictor, const wl_study *s, const wl_launch *launch, wl_prediction *p,
                    wl_status *status, wl_error *err)
{
    wl_error own = {0};
    const wl_status failed = wl_predict(predictor, launch, &s->options.predict, p, &own);
    if (failed == WL_E_NOMEM)
        *status = wl_fail(err, failed, WL_NOWHERE, "%s", own.message);
    return failed == WL_OK && p->model.id == s->options.predict.model;
}

/* Predicts for one device; *found is false if no launch runs there. */
static wl_status look(const wl_study *s, const wl_device *device, const wl_launch *launch, wl_elsewhere *out,
                      bool *found, wl_error *err)
{
    wl_predictor *predictor = NULL;
    wl_prediction p;
    wl_launch best;
    wl_error own = {0};
    *found = false;
    wl_status status = wl_predictor_new(s->kernel, device, &predictor, &own);
    if (status == WL_E_UNSUPPORTED) /* compiled code does not run on GPUs of another vendor */
        return WL_OK;
    if (status != WL_OK)
        return wl_fail(err, status, own.loc, "%s", own.message);
    out->fits = time_of(predictor, s, launch, &p, &status, err);
    if (out->fits) {
        out->time_s = out->best_s = p.model.time_s;
        out->limiter = p.model.limiter;
        out->best = *launch;
    }
    const bool costly = out->fits && wl_prediction_is_costly(&p);
    if (status == WL_OK && !costly && wl_block_is_free(s->kernel, launch))
        status = wl_fastest_block(s, s->kernel, device, launch, true, &best, found, err);
    if (status == WL_OK && *found)
        *found = time_of(predictor, s, &best, &p, &status, err);
    if (*found && (!out->fits || p.model.time_s < out->best_s)) {
        out->best = best;
        out->best_s = p.model.time_s;
    }
    *found = *found || out->fits;
    wl_predictor_free(predictor);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const wl_elsewhere *x = a, *y = b;
    if (x->best_s != y->best_s)
        return x->best_s < y->best_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

static wl_status look_at_builtin(const wl_study *s, const char *name, const wl_launch *launch, wl_elsewhere *out,
                                 bool *found, wl_error *err)
{
    wl_device *device = NULL;
    WL_TRY(wl_device_builtin(name, &device, err));
    *out = (wl_elsewhere){.name = name};
    const wl_status status = look(s, device, launch, out, found, err);
    wl_device_free(device);
    return status;
}

wl_status wl_advise_devices(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                            const wl_advise_options *options, wl_elsewhere *devices, size_t capacity, size_t *count,
                            wl_model_id *model, wl_error *err)
{
    wl_study s = {.kernel = kernel, .device = device};
    const size_t builtin = wl_device_builtin_count();
    bool found = false;
    size_t n = 1;
    if (options)
        s.options = *options;
    if (s.options.predict.model == WL_MODEL_BEST)
        s.options.predict.model = wl_model_default(device);
    *model = s.options.predict.model;
    *count = 0;
    wl_elsewhere *all = calloc(builtin + 1, sizeof *all);
    if (!all)
        return wl_fail_memory(err);
    all[0].name = wl_device_name(device);
    wl_status status = look(&s, device, launch, &all[0], &found, err);
    for (size_t i = 0; i < builtin && found && status == WL_OK; i++) {
        const char *name = wl_device_builtin_name(i);
        bool fits = false;
        if (strcmp(name, all[0].name) == 0)
            continue;
        status = look_at_builtin(&s, name, launch, &all[n], &fits, err);
        n += fits;
    }
    if (status == WL_OK && found) {
        qsort(all + 1, n - 1, sizeof *all, by_time);
        *count = n < capacity ? n : capacity;
        memcpy(devices, all, *count * sizeof *all);
    }
    free(all);
    return status;
}
