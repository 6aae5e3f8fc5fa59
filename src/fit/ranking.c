/* ranking.c - how far the order of predicted times can be trusted, as numbers of the device.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "compare/contest.h"
#include "device/device_internal.h"
#include "fit/fit_internal.h"
#include "model/trust_level.h"

#define DIGITS 4 /* of a number in a device file: fit/write.c */

/* Rounding a ratio down would exclude the contest it comes from. */
static double round_up(double ratio)
{
    const double scale = pow(10, DIGITS - 1 - floor(log10(ratio)));
    return ceil(ratio * scale - 1e-9) / scale;
}

static void set_entry(wl_device *device, wl_device_key key, const double *values, size_t count)
{
    wl_device_entry *e = &device->entries[key];
    *e = (wl_device_entry){.count = count, .source = "measured searches"};
    for (size_t i = 0; i < count; i++)
        e->values[i] = values[i];
}

wl_status wl_fit_ranking(wl_device *device, wl_model_id model, wl_contest *contests, size_t count, wl_ranking_fit *out,
                         wl_error *err)
{
    *out = (wl_ranking_fit){.model = model, .contests = count};
    if (count == 0)
        return wl_fail(
            err, WL_E_INPUT, WL_NOWHERE,
            "no search to judge a ranking by: that takes %d or more launches of one kernel with the same params",
            WL_CONTEST_LEAST);
    out->families = wl_contests_prepare(contests, count);
    out->error = exp(wl_contests_error(contests, count));
    out->smallest = contests[0].launches;
    for (size_t i = 0; i < count; i++) {
        const size_t n = contests[i].launches;
        out->launches += n;
        out->smallest = n < out->smallest ? n : out->smallest;
        out->largest = n > out->largest ? n : out->largest;
    }
    for (size_t i = 0; i < WL_TRUST_LEVELS; i++) {
        const double level = wl_trust_level(i);
        double ratio;
        if (!wl_contests_ratio(contests, count, NULL, level, &ratio))
            break;
        out->ratio[i] = round_up(ratio);
        out->within[i] = wl_contests_within(contests, count, out->ratio[i]);
        out->level_count++;
        if (out->covered_count == i && wl_contests_coverage(contests, count, level, &out->coverage[i]))
            out->covered_count++;
    }
    /* one family supports the levels up to 50 %, so there is always one */
    if (wl_ranking_is_kept(model)) {
        set_entry(device, WL_DEVICE_rank_ratio, out->ratio, out->level_count);
        set_entry(device, WL_DEVICE_rank_error, &out->error, 1);
    }
    return WL_OK;
}
