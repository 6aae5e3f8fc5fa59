/* judge.c - how well the numbers of a device predict measured launches.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "fit/fit_internal.h"
#include "metrics/prediction.h"

static void add_case(const wl_device *device, const wl_fit_case *k, const wl_prediction *p, double min_time_s,
                     wl_fit_score *score)
{
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        double predicted, value;
        if (!wl_fit_pair((wl_fit_target)t, device, p, k->measured, min_time_s, &predicted, &value))
            continue;
        score->count[t]++;
        score->error[t] += fabs(predicted / value - 1);
        score->bias[t] += predicted / value - 1;
    }
}

wl_status wl_fit_judge(const wl_device *device, const wl_fit_case *cases, size_t count, const char *family,
                       double min_time_s, wl_fit_score *out, wl_error *err)
{
    wl_prediction p;
    *out = (wl_fit_score){0};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(family, cases[i].family) != 0)
            continue;
        WL_TRY(wl_counted_predict(cases[i].counted, device, WL_MODEL_TURNOVER, &p, err));
        add_case(device, &cases[i], &p, min_time_s, out);
    }
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        out->error[t] /= fmax(1, (double)out->count[t]);
        out->bias[t] /= fmax(1, (double)out->count[t]);
    }
    return WL_OK;
}
