/* with_effect.c - see with_effect.h. SPDX-License-Identifier: MIT */
#include "with_effect.h"

#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"

/* All numbers of the launches on the device, with all --with but one, as a text. */
static wl_status numbers_without(const options *o, const char *name, size_t left_out, const wl_kernel *kernel,
                                 const wl_launch *launches, size_t count, const wl_predict_options *predict,
                                 char **texts, wl_error *err)
{
    const char *with[MANY_MAX];
    size_t kept = 0;
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    for (size_t i = 0; i < o->with_count; i++)
        if (i != left_out)
            with[kept++] = o->with[i];
    wl_status status = load_device(name, with, kept, &device, err);
    status = status ? status : wl_predictor_new(kernel, device, &predictor, err);
    status = status ? status : wl_prediction_new(&p, err);
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        status = wl_predict(predictor, &launches[i], predict, p, err);
        status = status ? status : wl_prediction_render(p, kernel, device, WL_FORMAT_JSON, &texts[i], err);
    }
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_device_free(device);
    return status;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
}

static bool all_alike(char *const *a, char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

wl_status note_no_effect(const options *o, const char *device, const wl_kernel *kernel, const wl_launch *launches,
                         size_t count, const char *what, const wl_predict_options *predict, wl_error *err)
{
    char *all[MANY_MAX] = {0}, *fewer[MANY_MAX] = {0};
    if (o->with_count == o->preset_count)
        return WL_OK;
    wl_status status = numbers_without(o, device, o->with_count, kernel, launches, count, predict, all, err);
    for (size_t i = o->preset_count; i < o->with_count && status == WL_OK; i++) {
        wl_error without = {0};
        /* a what-if that another one needs cannot be left out: it has a part in the prediction */
        if (numbers_without(o, device, i, kernel, launches, count, predict, fewer, &without) == WL_OK &&
            all_alike(all, fewer, count))
            usage_error("note: no effect: nothing in %s depends on %.*s", what, (int)strcspn(o->with[i], "="),
                        o->with[i]);
        status = without.code == WL_E_NOMEM ? WL_E_NOMEM : WL_OK;
        if (status != WL_OK)
            *err = without;
        free_texts(fewer, count);
        memset(fewer, 0, sizeof fewer);
    }
    free_texts(all, count);
    return status;
}
